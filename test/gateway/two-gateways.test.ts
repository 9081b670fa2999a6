// Another gateway takes the new payments, and the one before is still configured: what was begun there
// ends well.

import type { Client } from '@temporalio/client';
import type { Config } from '../../config/load';
import { pursuitWorkflowId } from '../../domain/ids';
import { postRefund, untilRefund } from '../api/support/refunds';
import { reconcile } from '../reconciliation/support';
import { expectBooksHold } from '../support/books';
import { gatewayConfig, startTestApi, type TestApi } from '../support/api';
import { actAt } from '../support/sandbox-gateway';
import { startTestService, type TestService } from '../support/service';
import { startStripeFake, type StripeFake } from '../support/stripe-fake';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { handleOf, type Intent } from '../workflows/intents';

const KEY = 'sk_live_51secret';

let api: TestApi;
let service: TestService;
let stripe: StripeFake;
let temporal: Client;

async function create(): Promise<Intent> {
  const { status, json } = await api.create({}, { key: api.live_key });
  expect(status).toBe(201);
  return json;
}

async function untilShown({ id }: Intent, status: string): Promise<void> {
  await waitFor(async () => (await api.show(id, api.live_key)).json.status === status);
}

async function untilLive(intent: Intent, status: string): Promise<void> {
  const { id } = intent;
  await untilShown(intent, status);
  await handleOf(temporal, { id, environment: 'live' }).result();
}

/** The same installation with other settings. */
async function restart(gateway: Config['gateway']): Promise<void> {
  await service.stop();
  service = await startTestService({
    database: api.database,
    overrides: { ...service.config, gateway },
  });
}

beforeAll(async () => {
  temporal = await connectTestTemporal();
  stripe = await startStripeFake(KEY, true);
});

it('keeps the payments of the gateway before, and opens new ones at the one that is chosen', async () => {
  api = await startTestApi({ overrides: { reconcile_grace_ms: 0 } });
  service = api.service;
  const [paid_before, paid, canceled, expired] = [
    await create(),
    await create(),
    await create(),
    await create(),
  ];
  await actAt(paid_before.checkout_url, 'pay');
  await untilLive(paid_before, 'succeeded');

  const { host, port } = stripe.api;
  await restart({
    ...gatewayConfig(api.gateway),
    chosen: { live: 'stripe', sandbox: undefined },
    stripe: {
      secret_key: KEY,
      webhook_secrets: ['whsec_0123456789abcdef'],
      api_url: `http://${host}:${port}`,
    },
  });

  const at_stripe = await create();
  const [session] = [...stripe.sessions.keys()];
  expect(stripe.sessions.size).toBe(1);

  await actAt(paid.checkout_url, 'pay');
  await untilLive(paid, 'succeeded');
  expect((await api.cancel(canceled.id, api.live_key)).json.status).toBe('canceled');
  expect((await actAt(canceled.checkout_url, 'pay')).status).toBe(409);
  await api.database.owner.raw(
    'update payment_intents set expires_at = clock_timestamp() where id = ?',
    [expired.id],
  );
  // Its workflow does not know that the row was changed.
  await handleOf(temporal, { id: expired.id, environment: 'live' }).terminate();
  await untilShown(expired, 'expired');
  expect((await actAt(expired.checkout_url, 'pay')).status).toBe(409);
  const { json: refund } = await postRefund(api, paid_before.id, undefined, { key: api.live_key });
  await untilRefund(api, refund, 'succeeded', api.live_key);
  await temporal.workflow.getHandle(pursuitWorkflowId('refund', 'live', refund.id)).result();

  // Stripe's notification is lost: reconciliation brings the payment in, and compares both gateways.
  const payment = stripe.pay(session!);
  const { task_queue } = api.service.config;
  const { checks, findings } = await reconcile({ database: api.database, temporal, task_queue });
  expect(findings).toMatchObject([
    { check: 'gateway_live', kind: 'payment_missing', reference: payment, is_repaired: true },
  ]);
  // Two payments and a refund of the simulator's, and a payment of Stripe's.
  expect(checks.gateway_live).toMatchObject({ status: 'found', compared: 4n });
  await untilLive(at_stripe, 'succeeded');
  expect(stripe.sessions.size).toBe(1);
  await expectBooksHold(api.database.db);
});

it('opens new ones at the other one when that is chosen, and reconciles what it still can', async () => {
  await restart({ ...gatewayConfig(api.gateway), chosen: { live: 'sandbox', sandbox: undefined } });
  const intent = await create();
  expect(intent.checkout_url).toContain(api.gateway.url);
  expect((await api.cancel(intent.id, api.live_key)).json.status).toBe('canceled');
  const { task_queue } = api.service.config;
  const { checks } = await reconcile({ database: api.database, temporal, task_queue });
  expect(checks.gateway_live).toMatchObject({
    status: 'not_checked',
    compared: 3n,
    detail: 'there are payments of stripe, which is not configured for live',
  });
});
