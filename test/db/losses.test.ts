// Losses: settled once, for what they are, and by two operators above the limit. Whatever is no loss is refused.

import { approveRequest } from '../../db/operators/approvals';
import { listLosses, settleLoss as settleNow, type Loss } from '../../db/suspense/losses';
import { getRefund } from '../../db/refunds/refunds';
import { verifyLedger } from '../../db/verify/verify';
import type { ApprovalNeeded } from '../../use-cases/approvals';
import { settleLossOf } from '../../use-cases/losses';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { settleLoss } from '../support/losses';
import { answer, notice, ordered, payIntent } from '../support/refunds';
import { buildUser, type TestUser } from '../support/users';

let database: TestDatabase;
let merchant: TestUser;

beforeEach(async () => {
  database = await createTestDatabase();
  merchant = await buildUser(database.db);
});

afterEach(() => database.close());

async function says(id: string, status: 'succeeded' | 'failed'): Promise<void> {
  await notice(database.owner, id);
  await answer(database.db, id, status);
}

/** Given back to the merchant, and made by the gateway all the same. */
async function lose(): Promise<{ readonly id: string; readonly loss: Loss }> {
  const id = await ordered(database.db, await payIntent(database.db, merchant));
  await says(id, 'failed');
  await says(id, 'succeeded');
  const [loss] = await listLosses(database.db);
  return { id, loss: loss! };
}

async function borne(): Promise<Record<string, string>> {
  const { rows } = await database.owner.raw(
    `select a.kind, sum(e.amount_minor)::text as amount from ledger_transactions t
       join ledger_entries e on e.transaction_id = t.id join ledger_accounts a on a.id = e.account_id
      where t.kind = 'loss' group by a.kind`,
  );
  return Object.fromEntries(
    (rows as { kind: string; amount: string }[]).map(({ kind, amount }) => [kind, amount]),
  );
}

it('is no violation, and settled once, on record, at the expense of the operator', async () => {
  const { loss } = await lose();
  const { reference } = loss;
  expect(loss).toMatchObject({ username: merchant.username, amount_minor: 500_000n });
  expect(await verifyLedger(database.db)).toEqual([
    expect.objectContaining({ is_loss: true, reference }),
  ]);
  const both = await Promise.all(
    [1, 2].map(() => settleNow(database.operator, loss, 'why', 'awa')),
  );
  expect(both.filter(Boolean)).toEqual([true]);
  expect(await borne()).toEqual({ operator: '-500000', gateway_clearing: '500000' });
  const again = await settleLossOf({ db: database.operator, actor: 'awa' }, reference, 'why');
  expect(again).toEqual({ ok: false, error: 'no_loss' });
  const { rows } = await database.owner.raw(
    `select actor, details ->> 'reason' as why from audit_log where subject = 'loss/' || ?`,
    [reference],
  );
  expect(rows).toEqual([{ actor: 'awa', why: 'why' }]);
  expect(await verifyLedger(database.db)).toEqual([]);
});

it('that the gateway takes back after it was settled is undone by the same command', async () => {
  const { id, loss } = await lose();
  await settleLoss(database, loss.reference);
  await says(id, 'failed');
  expect(await listLosses(database.db)).toEqual([{ ...loss, amount_minor: -500_000n }]);
  expect(await settleNow(database.operator, loss, 'why', 'awa')).toBe(false);
  await settleLoss(database, loss.reference);
  expect(await borne()).toEqual({ operator: '0', gateway_clearing: '0' });
  expect(await verifyLedger(database.db)).toEqual([]);
});

it('needs two operators above the limit', async () => {
  const { id, loss } = await lose();
  await database.owner.raw('update approval_limits set above_minor = 100');
  const settle = () => settleLossOf({ db: database.operator, actor: 'awa' }, loss.reference, 'why');
  const first = (await settle()) as ApprovalNeeded;
  expect(first.error).toBe('approval_required');
  const approve = (actor: string) =>
    approveRequest(database.operator, first.approval, actor, 'https://pay.example.com');
  expect(await approve('awa')).toBe('same_person');
  await says(id, 'failed');
  await expect(approve('binta')).rejects.toMatchObject({ code: '23514' });
  await says(id, 'succeeded');
  expect(await approve('binta')).toBe('approved');
  expect(await listLosses(database.db)).toEqual([]);
});

it('is not what a refund that was made, or that failed, lacks', async () => {
  for (const status of ['succeeded', 'failed'] as const) {
    const id = await ordered(database.db, await payIntent(database.db, merchant));
    await answer(database.db, id, status);
    const { reference } = await getRefund(database.db, id);
    const settled = settleLossOf({ db: database.operator, actor: 'awa' }, reference, 'why');
    expect(await settled).toEqual({ ok: false, error: 'no_loss' });
  }
});
