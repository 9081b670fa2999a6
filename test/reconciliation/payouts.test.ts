// F29: what a provider's list of payouts and our rows do not agree about. The simulated operator has its own books,
// and its notifications never arrive.

import { randomUUID } from 'node:crypto';
import { pursuitWorkflowId } from '../../domain/ids';
import { callApi } from '../api/support/contract';
import { startNotificationReceiver } from '../support/sandbox-gateway';
import { actOnPayout, payoutOrder, payoutsOf } from '../support/sandbox-payouts';
import { settleLoss } from '../support/losses';
import { fund } from '../support/users';
import { waitFor } from '../support/wait';
import { eachReconciled, type Outcome, type Shown } from './support';

const { api, temporal, run, damage, wallet, pursued } = eachReconciled(async () => {
  const { url: notification_url } = await startNotificationReceiver();
  return { gateway: { notification_url, durations: { settle_ms: 0 } } };
});

beforeEach(() => fund(api().database.db, api().merchant.id, 'sandbox', 'XOF', 10_000_000n));

const ofGateway = ({ findings }: Outcome): readonly Shown[] =>
  findings.filter(({ check }) => check === 'gateway_sandbox');

interface Paid {
  readonly id: string;
  readonly reference: string;
}

async function order(phone: string, fields = {}): Promise<Paid> {
  const body = { amount: 5000, currency: 'XOF', destination: { type: 'mobile_money', phone } };
  const { json } = await callApi(api().service, 'POST', '/payouts', {
    key: api().test_key,
    idempotency_key: randomUUID(),
    body: { ...body, ...fields },
  });
  return json as Paid;
}

/** Ordered by the API, and ended: its workflow, too. */
async function paid(phone = '+221770000100', status = 'succeeded'): Promise<Paid> {
  const payout = await order(phone);
  await until(payout.id, status);
  return payout;
}

async function until(id: string, status: string): Promise<void> {
  const key = api().test_key;
  await waitFor(async () => {
    const { json } = await callApi(api().service, 'GET', `/payouts/${id}`, { key });
    return json.status === status;
  });
  await pursued('payout', id);
}

it('finds nothing where both agree, and then those that differ', async () => {
  const gone = await paid();
  await paid('+221770000001', 'failed');
  const agreed = await run();
  expect(agreed.findings).toEqual([]);
  expect(agreed.checks.gateway_sandbox.compared).toBe(2n);
  const stray = payoutOrder();
  await payoutsOf(api().gateway, 'sandbox').send(stray);
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
        reference: stray.id,
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
  // What nobody can be asked about is not called clean.
  await damage(`update payouts set provider = 'gone' where id = ?`, [gone.id]);
  expect((await run()).checks.gateway_sandbox).toMatchObject({
    status: 'not_checked',
    detail: 'there are payouts of gone, which is not configured for sandbox',
  });
});

it('asks again about one that came back, and one that was paid after it had failed, when nobody was told', async () => {
  const returned = await paid();
  const contradicted = await paid('+221770000001', 'failed');
  const before = await wallet();
  await actOnPayout(api().gateway, 'sandbox', returned.id, { action: 'return' });
  await actOnPayout(api().gateway, 'sandbox', contradicted.id, { action: 'pay_after_failure' });
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
  await pursued('payout', contradicted.id);
  expect(await wallet()).toBe(before + 500_000n);
  expect((await run()).findings).toMatchObject([
    { check: 'losses', kind: 'loss', reference: contradicted.reference },
  ]);
  await settleLoss(api().database, contradicted.reference);
  expect((await run()).findings).toEqual([]);
});

it('starts the workflow of one that waits, and reports one that runs for nothing', async () => {
  const { id, reference } = await order('+221770000100', { confirm: false });
  const waiting = pursuitWorkflowId('payout', 'sandbox', id);
  const handle = temporal().workflow.getHandle(waiting);
  await waitFor(() => handle.describe().catch(() => undefined));
  await handle.terminate();
  expect((await run()).findings).toEqual([
    {
      check: 'workflows',
      kind: 'workflow_missing',
      reference: waiting,
      detail: reference,
      is_repaired: true,
    },
  ]);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  await damage(
    `update payouts set status = 'canceled', completed_at = now(), updated_at = now() where id = ?`,
    [id],
  );
  await waitFor(async () => {
    const { findings } = await run();
    return findings.some((one) => one.kind === 'workflow_left_over' && one.reference === waiting);
  });
});
