// Losses: settled once, for what they are, and by two operators above the limit. Whatever is no loss is refused.

import type { Client } from 'pg';
import { approveRequest } from '../../db/operators/approvals';
import { listLosses, settleLoss as settleNow, type Loss } from '../../db/suspense/losses';
import { getRefund } from '../../db/refunds/refunds';
import { verifyLedger } from '../../db/verify/verify';
import type { ApprovalNeeded } from '../../use-cases/approvals';
import { settleLossOf } from '../../use-cases/losses';
import { getPayout } from '../../db/payouts/payouts';
import {
  beginAskingRefund,
  closeSuspense,
  orderSuspenseRefund,
  recordRefundAnswer,
} from '../../db/suspense/suspense';
import { buildSuspense } from '../dashboard/operators';
import { auditOf } from '../support/audit';
import {
  createTestDatabase,
  limitOperators,
  pastLock,
  whileUncommitted,
  type TestDatabase,
} from '../support/database';
import { contradictedPayout } from '../support/payouts';
import { settleLoss } from '../support/losses';
import { answer, askedLongAgo, notice, ordered, payIntent } from '../support/refunds';
import { buildUser, type TestUser } from '../support/users';

let database: TestDatabase;
let merchant: TestUser;

beforeEach(async () => {
  database = await createTestDatabase();
  merchant = await buildUser(database.db, { funds: { sandbox: { XOF: 10_000_000n } } });
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
  const settle = () => settleNow(database.operator, loss, 'why', 'awa');
  const both = await Promise.all([settle(), settle()]);
  expect(both.filter(Boolean)).toEqual([true]);
  expect(await borne()).toEqual({ operator: '-500000', gateway_clearing: '500000' });
  const again = await settleLossOf({ db: database.operator, actor: 'awa' }, reference, 'why');
  expect(again).toEqual({ ok: false, error: 'no_loss' });
  expect(await auditOf(database, `loss/${reference}`)).toMatchObject([
    { actor: 'awa', details: { reason: 'why' } },
  ]);
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

/** A payment that was closed as paid back elsewhere, and that the gateway has refunded all the same. */
async function loseItem(): Promise<string> {
  const { db, operator, owner } = database;
  const item = await buildSuspense(database, merchant);
  await orderSuspenseRefund(operator, item, 'awa');
  const [question] = await beginAskingRefund(db, item);
  await askedLongAgo(database, item);
  const closing = { reason: 'gone', reference: 'wire', gateway_refund: null, actor: 'awa' };
  await closeSuspense(operator, item, { ...closing, unmade_order: 1 });
  const made = { status: 'succeeded', refund_id: 're_1', detail: null } as const;
  await recordRefundAnswer(db, item, question!, made);
  return (await owner('suspense_items').where({ id: item }).first('reference')).reference;
}

it('that comes back of two refunds of one payment is none, and the other refund stands', async () => {
  const { db, operator, owner } = database;
  const item = await buildSuspense(database, merchant);
  const told = async (number: number, status: 'succeeded' | 'failed'): Promise<string> => {
    await owner('suspense_refunds').where({ item_id: item }).update({ notified_at: new Date() });
    const questions = await beginAskingRefund(db, item);
    const asked = questions.find((question) => question.number === number)!;
    const words = { status, refund_id: `re_${number}`, detail: null };
    return recordRefundAnswer(db, item, asked, words);
  };
  await orderSuspenseRefund(operator, item, 'awa');
  await told(1, 'failed');
  await orderSuspenseRefund(operator, item, 'awa');
  await told(2, 'succeeded');
  await told(1, 'succeeded');
  expect(await listLosses(db)).toHaveLength(1);
  expect(await told(1, 'failed')).toBe('refunded');
  expect(await listLosses(db)).toEqual([]);
});

const losePayout = async (): Promise<string> =>
  (await getPayout(database.db, await contradictedPayout(database, merchant))).reference;

const KINDS = {
  refunds: async () => (await getRefund(database.db, (await lose()).id)).reference,
  suspense_items: loseItem,
  payouts: losePayout,
} as const;

it.each(Object.keys(KINDS) as (keyof typeof KINDS)[])(
  'of %s is settled alone: it waits for no other, and asks nothing about whose the others are',
  async (kind) => {
    const { operator, owner } = database;
    const reference = await KINDS[kind]();
    const [loss] = await listLosses(database.db);
    // Others wait beside it, of each kind, of an operator's own account.
    merchant = await buildUser(database.db, { funds: { sandbox: { XOF: 10_000_000n } } });
    const beside: string[] = [];
    for (const lose_one of Object.values(KINDS)) beside.push(await lose_one());
    const lock = async (session: Client): Promise<void> => {
      for (const table of Object.keys(KINDS)) {
        await session.query(`select from ${table} where reference = any($1) for update`, [beside]);
      }
    };
    const settle = () => settleNow(operator, loss!, 'why', merchant.username);
    expect(await pastLock(database, lock, settle)).toBe(true);
    for (const table of Object.keys(KINDS)) {
      const lost = await owner(table).whereNot({ loss_minor: 0 });
      expect([table, lost.length]).toEqual([table, table === kind ? 1 : 0]);
    }
    const left = (await listLosses(database.db)).map((one) => one.reference);
    expect(left.sort()).toEqual(beside.sort());
    expect(reference).toBe(loss!.reference);
  },
);

it.each(Object.keys(KINDS) as (keyof typeof KINDS)[])(
  'of %s is settled once by two at once',
  async (kind) => {
    await KINDS[kind]();
    const [loss] = await listLosses(database.db);
    const first = 'select settle_loss($1, $2, $3, $4)';
    const second = await whileUncommitted(
      database,
      (session) => session.query(first, [loss!.reference, `${loss!.amount_minor}`, 'why', 'awa']),
      () => settleNow(database.operator, loss!, 'why', 'binta'),
    );
    expect(second).toBe(false);
  },
);

it('needs two operators above the limit', async () => {
  const { id, loss } = await lose();
  await limitOperators(database, 100n);
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
