// F29 with Stripe's lists, page by page: live payments of an installation whose webhooks never arrive.

import type { Client } from '@temporalio/client';
import { pursuitWorkflowId } from '../../domain/ids';
import { gatewayConfig, startTestApi, type TestApi } from '../support/api';
import { startTestGateway } from '../support/sandbox-gateway';
import { startStripeFake, type StripeFake } from '../support/stripe-fake';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { postRefund, untilRefund } from '../api/support/refunds';
import { handleOf } from '../workflows/intents';
import { reconcile, type Outcome } from './support';

const KEY = 'sk_live_51secret';

let temporal: Client;
let fake: StripeFake;
let api: TestApi;

beforeAll(async () => {
  temporal = await connectTestTemporal();
  fake = await startStripeFake(KEY, true);
  const simulator = await startTestGateway({ notification_url: 'http://127.0.0.1:9/' });
  const { host, port } = fake.api;
  api = await startTestApi({
    overrides: {
      reconcile_grace_ms: 0,
      gateway: {
        ...gatewayConfig(simulator),
        stripe: {
          secret_key: KEY,
          webhook_secrets: ['whsec_0123456789abcdef'],
          api_url: `http://${host}:${port}`,
        },
      },
    },
  });
});

function run(): Promise<Outcome> {
  const { task_queue } = api.service.config;
  return reconcile({ database: api.database, temporal, task_queue });
}

/** Pays at Stripe, and the service is not notified. */
async function pay(fields: object = {}): Promise<{ id: string; payment: string }> {
  const { json } = await api.create(fields as never, { key: api.live_key });
  const [session] = [...fake.sessions.keys()].slice(-1);
  return { id: json.id, payment: fake.pay(session!) };
}

/** The workflow, too: a row ends before it does, and without grace what runs in between is a finding. */
async function untilSucceeded(id: string): Promise<void> {
  await waitFor(async () => (await api.show(id, api.live_key)).json.status === 'succeeded');
  await handleOf(temporal, { id, environment: 'live' }).result();
}

it('hands in what Stripe has taken and never told, and finds what differs', async () => {
  fake.listPagesOf(2);
  const paid = [await pay(), await pay({ currency: 'EUR', amount: 12.34 }), await pay()];
  const first = await run();
  expect(first.findings.map(({ kind, is_repaired }) => [kind, is_repaired])).toEqual(
    Array.from({ length: 3 }, () => ['payment_missing', true]),
  );
  expect(first.findings.map(({ reference }) => reference).sort()).toEqual(
    paid.map(({ payment }) => payment).sort(),
  );
  expect(first.findings.map(({ detail }) => detail.slice(0, 11)).sort()).toEqual([
    '12.34 EUR, ',
    '5000.00 XOF',
    '5000.00 XOF',
  ]);
  for (const { id } of paid) await untilSucceeded(id);

  const [taken, another, refunded] = paid;
  const { json: refund } = await postRefund(api, refunded!.id, undefined, { key: api.live_key });
  await untilRefund(api, refund, 'succeeded', api.live_key);
  await temporal.workflow.getHandle(pursuitWorkflowId('refund', 'live', refund.id)).result();
  expect((await run()).findings).toEqual([]);

  fake.changePayment(another!.payment, { amount: 1_200 });
  fake.changeRefund([...fake.refunds()].at(-1)!.id, { status: 'failed', failure_reason: 'lost' });
  // Listed by the day when it was begun: asked for by its id.
  fake.changePayment(taken!.payment, { created: Math.floor(Date.now() / 1000) - 400 * 86_400 });
  const { findings } = await run();
  expect(findings).toEqual([
    {
      check: 'gateway_live',
      kind: 'payment_differs',
      reference: another!.payment,
      detail: '12.00 EUR at the gateway, 12.34 EUR here',
      is_repaired: false,
    },
    {
      check: 'gateway_live',
      kind: 'refund_status',
      reference: expect.stringMatching(/^re_/),
      detail: `${refund.reference}: failed at the gateway, succeeded here`,
      is_repaired: true,
    },
  ]);
  await untilRefund(api, refund, 'failed', api.live_key);
});

it('says that it has not checked with a key that Stripe does not accept', async () => {
  fake.mishap(
    ...Array.from({ length: 8 }, () => ({
      status: 401,
      error: { type: 'invalid_request_error', message: `Invalid API Key provided: ${KEY}` },
    })),
  );
  const { checks } = await run();
  expect(checks.gateway_live).toMatchObject({
    status: 'not_checked',
    detail: expect.stringContaining('does not accept our secret key'),
  });
  expect(checks.gateway_live.detail).not.toContain(KEY);
});
