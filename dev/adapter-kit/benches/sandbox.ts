// The fixture of our own simulator.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AdapterModule, AdapterOptions } from '../../../gateway/adapter-module';
import { createSandboxGateway } from '../../../gateway/sandbox/adapter';
import { createSandboxPayouts } from '../../../gateway/sandbox/payouts';
import { GATEWAY_SIGNATURE_HEADER, signGatewayBody } from '../../../secrets/gateway-signature';
import { startSandboxGateway } from '../../simulators/gateway/server';
import type { AdapterBench, Examples } from '../bench';

const SECRETS = {
  current: 'the-current-secret-of-the-sandbox',
  previous: 'the-previous-secret-of-the-sandbox',
  other: 'the-secret-of-live',
  wrong: 'the-secret-of-nobody',
};

const accountOf = ({ environment, settings, timeout_ms }: AdapterOptions) => ({
  environment,
  url: settings['URL']!,
  secrets: settings[`${environment.toUpperCase()}_SECRETS`]!.split(','),
  timeout_ms,
});

export const adapter: AdapterModule = {
  name: 'sandbox',
  createGateway: (options) => createSandboxGateway(accountOf(options)),
  createPayouts: (options) => createSandboxPayouts(accountOf(options)),
};

const exampleOf = (phone: string, operator: string, amount: bigint) =>
  ({
    phone,
    operator,
    amount,
    currency: 'XOF',
    on_wire: `"amount":"${amount / 100n}"`,
  }) as const;

/** Numbers mean what domain/test-phones.ts says. */
const examplesOf = (country: string, operator: string, word_for_paid: string): Examples => ({
  pays: exampleOf(`${country}0000100`, operator, 500_000n),
  exact: [exampleOf(`${country}0000100`, operator, 199_999_900n)],
  phone_that_fails: `${country}0000006`,
  phone_that_is_refused: `${country}0000001`,
  other_currency: 'EUR',
  word_for_paid,
  settles_within_ms: 5_000,
});

export const bench: AdapterBench = {
  async start({ callback_url }) {
    const folder = mkdtempSync(join(tmpdir(), 'adapter-kit-'));
    const gateway = await startSandboxGateway({
      port: 0,
      file: join(folder, 'journal.jsonl'),
      secrets: { live: [SECRETS.other], sandbox: [SECRETS.current, SECRETS.previous] },
      notification_url: callback_url,
      durations: { settle_ms: 20 },
    });
    const stop = async (): Promise<void> => {
      await gateway.stop();
      rmSync(folder, { recursive: true });
    };
    return { url: gateway.url, stop };
  },
  settings: (url) => ({
    URL: url,
    LIVE_SECRETS: SECRETS.other,
    SANDBOX_SECRETS: `${SECRETS.current},${SECRETS.previous}`,
  }),
  secrets: Object.values(SECRETS),
  charge: examplesOf('+225050', 'mtn_ci', '"paid"'),
  payout: examplesOf('+22177', 'orange_sn', '"succeeded"'),
  callbacks: {
    kinds: ['charge', 'payout'],
    // The simulator uses POST; its signature covers no method.
    methods: ['POST', 'PUT'],
    secrets: SECRETS,
    body: ({ kind, id }) =>
      JSON.stringify({
        event_id: `evt_${id}`,
        type: `${kind}.updated`,
        environment: 'sandbox',
        [`${kind}_id`]: id,
        status: kind === 'charge' ? 'paid' : 'succeeded',
      }),
    sign: (raw, secret) => ({ [GATEWAY_SIGNATURE_HEADER]: signGatewayBody(raw, secret) }),
  },
};
