// F29: what a provider's list of payouts and our rows do not agree about. The simulated operator has its own books,
// and its notifications never arrive.

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { pursuitWorkflowId } from '../../domain/ids';
import { callApi } from '../api/support/contract';
import { startTestApi, type TestApi } from '../support/api';
import { balanceOf } from '../support/balances';
import { startNotificationReceiver } from '../support/sandbox-gateway';
import { actOnPayout, payoutOrder, payoutsOf } from '../support/sandbox-payouts';
import { settleLoss } from '../support/losses';
import { connectTestTemporal } from '../support/temporal';
import { fund } from '../support/users';
import { waitFor } from '../support/wait';
import { reconcile, type Outcome, type Shown } from './support';

let api: TestApi;
let temporal: Client;

beforeEach(async () => {
  temporal = await connectTestTemporal();
  const { url: notification_url } = await startNotificationReceiver();
  api = await startTestApi({
    overrides: { reconcile_grace_ms: 0 },
    gateway: { notification_url, durations: { settle_ms: 0 } },
  });
  await fund(api.database.db, api.merchant.id, 'sandbox', 'XOF', 10_000_000n);
});

afterEach(async () => {
  await api.service.stop();
  await api.gateway.stop();
  await api.database.close();
});

function run(): Promise<Outcome> {
  const { task_queue } = api.service.config;
  return reconcile({ database: api.database, temporal, task_queue });
}

const ofGateway = ({ findings }: Outcome): readonly Shown[] =>
  findings.filter(({ check }) => check === 'gateway_sandbox');

const wallet = (): Promise<bigint> => balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox');

interface Paid {
  readonly id: string;
  readonly reference: string;
}

/** Ordered by the API, and ended: its workflow, too. */
async function paid(phone = '+221770000100', status = 'succeeded'): Promise<Paid> {
  const { json } = await callApi(api.service, 'POST', '/payouts', {
    key: api.test_key,
    idempotency_key: randomUUID(),
    body: { amount: 5000, currency: 'XOF', destination: { type: 'mobile_money', phone } },
  });
  await until(json.id, status);
  return json as Paid;
}

async function until(id: string, status: string): Promise<void> {
  await waitFor(async () => {
    const { json } = await callApi(api.service, 'GET', `/payouts/${id}`, { key: api.test_key });
    return json.status === status;
  });
  await temporal.workflow.getHandle(pursuitWorkflowId('payout', 'sandbox', id)).result();
}

async function damage(sql: string, values: readonly unknown[]): Promise<void> {
  await api.database.owner.transaction(async (tx) => {
    await tx.raw('set local session_replication_role = replica');
    await tx.raw(sql, values as never);
  });
}

it('finds nothing where both agree, also about those that were not paid', async () => {
  await paid();
  await paid('+221770000001', 'failed');
  const outcome = await run();
  expect(outcome.findings).toEqual([]);
  expect(outcome.checks.gateway_sandbox.compared).toBe(2n);
});

it('finds one that nobody ordered, one of another amount, and one that is not known there', async () => {
  const order = payoutOrder();
  await payoutsOf(api.gateway, 'sandbox').send(order);
  const other = await paid();
  await damage('update payouts set amount_minor = 400000 where id = ?', [other.id]);
  const unknown = await paid();
  const id = randomUUID();
  await damage('update payouts set id = ? where id = ?', [id, unknown.id]);
  const found = ofGateway(await run());
  expect(found).toHaveLength(4);
  expect(found).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        kind: 'payout_missing',
        reference: order.id,
        detail: expect.stringMatching(/^5000\.00 XOF, po_.*, (sent|succeeded), begun 20/),
      }),
      expect.objectContaining({ kind: 'payout_missing', reference: unknown.id }),
      expect.objectContaining({
        kind: 'payout_differs',
        reference: other.reference,
        detail: expect.stringMatching(/^5000\.00 XOF as po_\S+ at the provider, 4000\.00 XOF as /),
      }),
      expect.objectContaining({
        kind: 'payout_unknown',
        reference: unknown.reference,
        detail: expect.stringMatching(/^5000\.00 XOF as po_\S+, succeeded here$/),
      }),
    ]),
  );
});

it('asks again about one that came back, and one that was paid after it had failed, when nobody was told', async () => {
  const returned = await paid();
  const contradicted = await paid('+221770000001', 'failed');
  const before = await wallet();
  await actOnPayout(api.gateway, 'sandbox', returned.id, { action: 'return' });
  await actOnPayout(api.gateway, 'sandbox', contradicted.id, { action: 'pay_after_failure' });
  const found = ofGateway(await run());
  const status = { kind: 'payout_status', is_repaired: true } as const;
  const [one, other] = [returned.reference, contradicted.reference];
  expect(found).toHaveLength(2);
  expect(found).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        ...status,
        reference: one,
        detail: 'returned at the provider, succeeded here',
      }),
      expect.objectContaining({
        ...status,
        reference: other,
        detail: 'succeeded at the provider, failed here',
      }),
    ]),
  );
  await until(returned.id, 'returned');
  await temporal.workflow
    .getHandle(pursuitWorkflowId('payout', 'sandbox', contradicted.id))
    .result();
  expect(await wallet()).toBe(before + 500_000n);
  expect((await run()).findings).toMatchObject([
    { check: 'losses', kind: 'loss', reference: contradicted.reference },
  ]);
  await settleLoss(api.database, contradicted.reference);
  expect((await run()).findings).toEqual([]);
});

it('does not call clean what it cannot ask a provider about', async () => {
  const { id } = await paid();
  await damage(`update payouts set provider = 'gone' where id = ?`, [id]);
  const { checks } = await run();
  expect(checks.gateway_sandbox).toMatchObject({
    status: 'not_checked',
    detail: 'there are payouts of gone, which is not configured for sandbox',
  });
});

it('starts the workflow of one that waits, and reports one that runs for nothing', async () => {
  const { json } = await callApi(api.service, 'POST', '/payouts', {
    key: api.test_key,
    idempotency_key: randomUUID(),
    body: {
      amount: 5000,
      currency: 'XOF',
      confirm: false,
      destination: { type: 'mobile_money', phone: '+221770000100' },
    },
  });
  const handle = temporal.workflow.getHandle(pursuitWorkflowId('payout', 'sandbox', json.id));
  await waitFor(() => handle.describe().catch(() => undefined));
  await handle.terminate();
  const waiting = pursuitWorkflowId('payout', 'sandbox', json.id);
  expect((await run()).findings).toEqual([
    {
      check: 'workflows',
      kind: 'workflow_missing',
      reference: waiting,
      detail: json.reference,
      is_repaired: true,
    },
  ]);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  await damage(
    `update payouts set status = 'canceled', completed_at = now(), updated_at = now() where id = ?`,
    [json.id],
  );
  await waitFor(async () => {
    const { findings } = await run();
    return findings.some((one) => one.kind === 'workflow_left_over' && one.reference === waiting);
  });
});
