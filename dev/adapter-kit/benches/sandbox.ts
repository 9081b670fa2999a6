// The bench of our own simulator.

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
  live: 'the-secret-of-live',
  wrong: 'the-secret-of-nobody',
};

const accountOf = ({ environment, settings, timeout_ms }: AdapterOptions) => ({
  environment,
  url: settings['URL']!,
  secrets: settings['SECRETS']!.split(','),
  timeout_ms,
});

export const adapter: AdapterModule = {
  name: 'sandbox',
  createGateway: (options) => createSandboxGateway(accountOf(options)),
  createPayouts: (options) => createSandboxPayouts(accountOf(options)),
};

const examples: Examples = {
  pays: {
    phone: '+221770000100',
    operator: 'orange_sn',
    amount: 500_000n,
    currency: 'XOF',
    on_wire: '"amount":"5000"',
  },
  exact: [
    {
      phone: '+221770000100',
      operator: 'orange_sn',
      amount: 199_999_900n,
      currency: 'XOF',
      on_wire: '"amount":"1999999"',
    },
  ],
  phone_that_fails: '+221770000006',
  phone_that_is_refused: '+221770000001',
  other_currency: 'EUR',
  word_for_paid: '"succeeded"',
};

export const bench: AdapterBench = {
  async start({ callback_url }) {
    const folder = mkdtempSync(join(tmpdir(), 'adapter-kit-'));
    const gateway = await startSandboxGateway({
      port: 0,
      file: join(folder, 'journal.jsonl'),
      secrets: { live: [SECRETS.live], sandbox: [SECRETS.current, SECRETS.previous] },
      notification_url: callback_url,
      durations: { settle_ms: 20 },
    });
    const stop = async (): Promise<void> => {
      await gateway.stop();
      rmSync(folder, { recursive: true });
    };
    return { url: gateway.url, stop };
  },
  settings: (url, environment) => ({
    URL: url,
    SECRETS:
      environment === 'live' ? SECRETS.live : `${SECRETS.current},${SECRETS.previous}`,
  }),
  secrets: Object.values(SECRETS),
  payout: examples,
  callbacks: {
    kinds: ['payout'],
    methods: ['POST'],
    secrets: SECRETS,
    body: ({ id }) =>
      JSON.stringify({
        event_id: `evt_${id}`,
        type: 'payout.updated',
        environment: 'sandbox',
        payout_id: id,
        status: 'succeeded',
      }),
    sign: (raw, secret) => ({ [GATEWAY_SIGNATURE_HEADER]: signGatewayBody(raw, secret) }),
  },
};
