// The fixture of pawaPay's adapter, against our small simulator of it.

import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { AdapterModule, AdapterOptions } from '../../../gateway/adapter-module';
import { createPawapayGateway } from '../../../gateway/pawapay/adapter';
import { createPawapayPayouts } from '../../../gateway/pawapay/payouts';
import { signedHeaders, startPawapay } from '../../simulators/pawapay/server';
import type { AdapterBench, Examples } from '../bench';

const makeKey = (): string => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
};
const publicOf = (key: string): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');

const KEYS = { current: makeKey(), previous: makeKey(), other: makeKey(), wrong: makeKey() };
const TOKENS = { sandbox: 'the-token-of-the-sandbox', live: 'the-token-of-live' };

/** It is set in pawaPay's dashboard, and covered by the signature. */
let callback_url = '';

const accountOf = ({ environment, settings, timeout_ms }: AdapterOptions) => ({
  environment,
  url: settings['API_URL']!,
  token: settings[`${environment.toUpperCase()}_API_TOKEN`]!,
  callback_keys: settings[`${environment.toUpperCase()}_CALLBACK_KEYS`]!.split(','),
  callback_url: settings['CALLBACK_URL']!,
  timeout_ms,
});

export const adapter: AdapterModule = {
  name: 'pawapay',
  createGateway: (options) => createPawapayGateway(accountOf(options)),
  createPayouts: (options) => createPawapayPayouts(accountOf(options)),
};

const francs = (phone: string, operator: string, amount: bigint) =>
  ({ phone, operator, amount, currency: 'XOF', on_wire: `"amount":"${amount / 100n}"` }) as const;
const dollars = (amount: bigint, text: string) =>
  ({
    phone: '+243810000100',
    operator: 'vodacom_mpesa_cod',
    amount,
    currency: 'USD',
    on_wire: `"amount":"${text}"`,
  }) as const;

/** Numbers mean what domain/test-phones.ts says. */
const EXAMPLES: Examples = {
  pays: francs('+2250700000100', 'orange_ci', 500_000n),
  exact: [
    francs('+2250700000100', 'orange_ci', 199_999_900n),
    dollars(29_29n, '29.29'),
    dollars(99_50n, '99.50'),
    dollars(99_00n, '99'),
  ],
  phone_that_fails: '+2250700000006',
  other_currency: 'EUR',
  word_for_paid: '"COMPLETED"',
  settles_within_ms: 5_000,
};

export const bench: AdapterBench = {
  async start({ callback_url: url }) {
    callback_url = url;
    const key = createPrivateKey(KEYS.current);
    return startPawapay({ token: TOKENS.sandbox, callback_url, key });
  },
  settings: (url) => ({
    API_URL: url,
    SANDBOX_API_TOKEN: TOKENS.sandbox,
    LIVE_API_TOKEN: TOKENS.live,
    CALLBACK_URL: callback_url,
    SANDBOX_CALLBACK_KEYS: `${publicOf(KEYS.current)},${publicOf(KEYS.previous)}`,
    LIVE_CALLBACK_KEYS: publicOf(KEYS.other),
  }),
  secrets: [...Object.values(TOKENS), ...Object.values(KEYS)],
  // The operator is closed for the one that is refused.
  charge: { ...EXAMPLES, phone_that_is_refused: '+2250700000007' },
  payout: EXAMPLES,
  // A payout's number is looked at first.
  requests_for_an_order: 2,
  callbacks: {
    kinds: ['charge', 'payout'],
    methods: ['POST'],
    secrets: KEYS,
    body: ({ kind, id }) =>
      JSON.stringify({ [kind === 'charge' ? 'depositId' : 'payoutId']: id, status: 'COMPLETED' }),
    sign: (raw, secret) => signedHeaders(createPrivateKey(secret), callback_url, raw.toString()),
  },
};
