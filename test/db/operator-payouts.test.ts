// Operators' decisions about payouts: those whose provider does not say what became of them, and those that were
// paid after their money was given back.

import { approveRequest } from '../../db/operators/approvals';
import { listPayoutsInDoubt } from '../../db/payouts/operator-payouts';
import {
  beginAskingPayout,
  beginSendingAgain,
  getPayout,
  recordPayoutAnswer,
  recordPayoutFault,
} from '../../db/payouts/payouts';
import { listLosses } from '../../db/suspense/losses';
import { verifyLedger } from '../../db/verify/verify';
import type { ApprovalNeeded } from '../../use-cases/approvals';
import { settlePayout, type SettledPayout } from '../../use-cases/payouts/by-operator';
import { auditOf } from '../support/audit';
import { expectBooksHold } from '../support/books';
import { limitOperators, whileUncommitted } from '../support/database';
import { settleLoss } from '../support/losses';
import {
  contradictedPayout,
  letPayoutExpire,
  noticeOfPayout,
  payoutAskedLongAgo,
  payoutInDoubt,
  setUpPayouts,
  START,
} from '../support/payouts';

const AMOUNT = 500_000n;

const { database, merchant, merchantWith, left, ordered, say } = setUpPayouts();

const limit = (minor: bigint | null) => limitOperators(database, minor);

afterEach(async () => {
  await limit(null);
  await expectBooksHold(database.db);
});

const get = (id: string) => getPayout(database.db, id);
const referenceOf = async (id: string): Promise<string> => (await get(id)).reference;
const inDoubtFor = (since?: string): Promise<string> =>
  payoutInDoubt(database, merchant, since === undefined ? {} : { since });

const settle = (
  payout: string,
  is_paid: boolean,
  { actor = 'awa', provider_payment = null as string | null, reason = 'I have looked' } = {},
): Promise<SettledPayout | ApprovalNeeded> =>
  settlePayout({ db: database.operator, actor }, { payout, is_paid, provider_payment, reason });

const clearing = async (): Promise<bigint> => {
  const of = { kind: 'gateway_clearing', environment: 'sandbox', currency: 'XOF' };
  // Before its first posting the provider has no account.
  const account = await database.owner('ledger_accounts').where(of).first('balance_minor');
  return account?.balance_minor ?? 0n;
};

describe('a payout in doubt', () => {
  it('that was paid leaves us, on record', async () => {
    const before = await clearing();
    const id = await inDoubtFor();
    expect(await settle(id, true)).toMatchObject({ ok: true });
    expect((await get(id)).status).toBe('succeeded');
    expect([await left(), (await clearing()) - before]).toEqual([START - AMOUNT, AMOUNT]);
    const details = { is_paid: true, reason: 'I have looked' };
    expect(await auditOf(database, `payout/${id}`)).toMatchObject([
      { actor: 'awa', action: 'payouts.settle', details },
    ]);
    expect(await settle(id, false)).toEqual({ ok: false, error: 'succeeded' });
  });

  it('that was not paid fails, and the wallet has all of it again', async () => {
    const id = await inDoubtFor();
    expect(await settle(id, false)).toMatchObject({ ok: true });
    expect(await get(id)).toMatchObject({
      status: 'failed',
      failure: { code: 'unspecified', message: 'I have looked', provider_code: null },
    });
    expect(await left()).toBe(START);
    expect(await settle(id, true)).toEqual({ ok: false, error: 'failed' });
  });

  it('is decided once, even by two at the same time', async () => {
    const id = await inDoubtFor();
    const deciding = JSON.stringify({ payout: id, is_paid: true, reason: 'first' });
    const second = await whileUncommitted(
      database,
      (session) => session.query(`select decide_payout($1, 'awa')`, [deciding]),
      () => settle(id, false),
    );
    expect(second).toEqual({ ok: false, error: 'succeeded' });
  });

  it('that its provider reports otherwise later is a return, or a loss', async () => {
    for (const status of ['failed', 'canceled'] as const) {
      const paid = await inDoubtFor();
      await settle(paid, true);
      await noticeOfPayout(database, paid);
      await say(paid, status);
      expect((await get(paid)).status).toBe('returned');
    }
    const unpaid = await inDoubtFor();
    await settle(unpaid, false);
    await noticeOfPayout(database, unpaid);
    const answer = await say(unpaid, 'succeeded');
    expect(answer).toMatchObject({ status: 'failed', is_contradiction: true });
    const { reference } = await get(unpaid);
    expect(await listLosses(database.db, reference)).toMatchObject([{ amount_minor: AMOUNT }]);
    await settleLoss(database, reference);
  });

  it('waits while the provider is being asked, and what that brings is not lost', async () => {
    const id = await inDoubtFor();
    const { asks } = (await beginAskingPayout(database.db, id))!;
    for (const is_paid of [true, false]) {
      expect(await settle(id, is_paid)).toEqual({ ok: false, error: 'gateway_is_asked' });
    }
    await payoutAskedLongAgo(database, id);
    expect(await settle(id, false)).toMatchObject({ ok: true });
    const late = { status: 'succeeded', provider_payment_id: 'po_late' } as const;
    expect((await recordPayoutAnswer(database.db, id, asks, late)).is_contradiction).toBe(true);
    await settleLoss(database, await referenceOf(id));
  });

  it('that the provider has is named by its id there; one that was never asked for is not decided', async () => {
    const unasked = await ordered();
    expect(await settle(unasked, true)).toEqual({ ok: false, error: 'not_asked' });
    const id = await ordered();
    await say(id, 'sent');
    await payoutAskedLongAgo(database, id);
    const refused = { ok: false, error: 'at_provider' };
    expect(await settle(id, false)).toEqual(refused);
    expect(await settle(id, false, { provider_payment: 'po_other' })).toEqual(refused);
    expect(await settle(id, false, { provider_payment: `po_${id}` })).toMatchObject({ ok: true });
  });

  it('of an own account is decided by another operator', async () => {
    const id = await inDoubtFor();
    await expect(settle(id, false, { actor: merchant.username })).rejects.toMatchObject({
      code: 'AP002',
    });
    // A payout of theirs that is another one is nothing to it, nor is its amount.
    const other = await merchantWith();
    await ordered({ amount_minor: '700000' }, other);
    await limit(600_000n);
    expect(await settle(id, false, { actor: other.username })).toMatchObject({ ok: true });
  });

  it('is given back only to a wallet that has room', async () => {
    const id = await inDoubtFor();
    const { rows } = await database.owner.raw(
      `select credit_wallet('FULL-' || ?, ?, 'sandbox', 'XOF', 'sandbox_source',
                            999999999999900 - ?, 'a full wallet', 'root')`,
      [id, merchant.id, String(await left())],
    );
    expect(rows).toHaveLength(1);
    expect(await settle(id, false)).toEqual({ ok: false, error: 'limit_exceeded' });
    expect((await get(id)).status).toBe('pending');
  });

  it('needs two operators above the limit, who decide once', async () => {
    await limit(100n);
    const id = await inDoubtFor();
    const both = await Promise.all(
      ['awa', 'binta'].map((actor) => settle(id, false, { actor }) as Promise<ApprovalNeeded>),
    );
    expect(both.map(({ error }) => error)).toEqual(['approval_required', 'approval_required']);
    const { approval } = both[0]!;
    expect(both[1]!.approval).toBe(approval);
    expect(await settle(id, true)).toMatchObject({ error: 'other_approval_waits', approval });
    const [requested_by] = await database
      .owner('approvals')
      .where({ id: approval })
      .pluck('requested_by');
    const approve = (actor: string) =>
      approveRequest(database.operator, approval, actor, 'https://pay.example.com');
    expect(await approve(requested_by)).toBe('same_person');
    const approved = await Promise.all([approve('coumba'), approve('djibril')]);
    expect(approved).toEqual(['approved', 'approved']);
    expect(await left()).toBe(START);
    expect(await auditOf(database, `payout/${id}`)).toHaveLength(1);
    expect((await get(id)).status).toBe('failed');
  });

  it('that has ended meanwhile is not approved', async () => {
    await limit(100n);
    const id = await inDoubtFor();
    const { approval } = (await settle(id, false)) as ApprovalNeeded;
    await say(id, 'succeeded');
    await expect(
      approveRequest(database.operator, approval, 'binta', 'https://pay.example.com'),
    ).rejects.toMatchObject({ code: '23514' });
    expect(await left()).toBe(START - AMOUNT);
  });
});

/** Those of the merchant that operators are shown, oldest first. */
const inDoubt = async (): Promise<string[]> =>
  (await listPayoutsInDoubt(database.operator, 100))
    .filter(({ username }) => username === merchant.username)
    .map(({ id }) => id);

it('shows in doubt what was asked for a day ago and has no end, and what was paid and given back', async () => {
  const since = '25 hours';
  await inDoubtFor('23 hours');
  const unknown = await payoutInDoubt(database, merchant, { since });
  const contradicted = await contradictedPayout(database, merchant);
  expect(await inDoubt()).toEqual([unknown, contradicted]);
  await settle(unknown, true);
  await settleLoss(database, await referenceOf(contradicted));
  expect(await inDoubt()).toEqual([]);
});

it('shows in doubt what was ordered a day ago, however often the order was repeated', async () => {
  const { db } = database;
  const id = await inDoubtFor('23 hours');
  /** Whether it is repeated, when what the provider has not seen is final after so many minutes. */
  const repeat = async (final_after: number): Promise<boolean> => {
    const { asks } = (await beginAskingPayout(db, id))!;
    const promises = { idempotent_by_id: false, not_found_is_final_after_s: final_after * 60 };
    const is_repeated = await beginSendingAgain(db, id, asks, promises);
    await recordPayoutFault(db, id, asks, 'The provider did not answer.', false);
    return is_repeated;
  };
  expect(await repeat(22 * 60)).toBe(true);
  expect(await inDoubt()).toEqual([]);
  await payoutAskedLongAgo(database, id, '2 hours');
  // The last order decides about a payout that the provider has not seen by now.
  expect(await repeat(121)).toBe(false);
  expect(await repeat(119)).toBe(true);
  expect(await inDoubt()).toEqual([id]);
});

it('counts the doubt from the order that the provider may have taken', async () => {
  const id = await ordered();
  const { asks } = (await beginAskingPayout(database.db, id))!;
  await recordPayoutFault(database.db, id, asks, 'closed', true);
  await payoutAskedLongAgo(database, id, '25 hours');
  await beginAskingPayout(database.db, id);
  expect(await inDoubt()).toEqual([]);
});

const begun = async (status: 'queued' | 'sent', days_under_way?: number): Promise<string> => {
  const id = await ordered();
  await say(id, status, days_under_way === undefined ? {} : { days_under_way });
  return id;
};

it('shows in doubt what is on its way for a day, or is not taken back a day after its wait', async () => {
  const [sent, soon, queued, overdue] = [
    await begun('sent'),
    await begun('sent'),
    await begun('queued'),
    await begun('queued'),
  ] as const;
  await payoutAskedLongAgo(database, sent, '25 hours');
  await payoutAskedLongAgo(database, soon, '23 hours');
  // A queue may wait for an operator that is closed as long as the order allows.
  for (const id of [queued, overdue]) await payoutAskedLongAgo(database, id, '7 days');
  await letPayoutExpire(database, queued, '23 hours');
  await letPayoutExpire(database, overdue, '25 hours');
  expect(await inDoubt()).toEqual([sent, overdue]);
  // One that has waited there for long is on its way since a moment ago.
  await say(overdue, 'sent');
  expect(await inDoubt()).toEqual([sent]);
});

it('shows what a bank carries after the days that the provider needs, and after two weeks at most', async () => {
  const [over_weekend, late, for_years, unanswered] = [
    await begun('sent', 4),
    await begun('sent', 4),
    await begun('sent', 5_000),
    await inDoubtFor('25 hours'),
  ] as const;
  await payoutAskedLongAgo(database, over_weekend, '95 hours');
  await payoutAskedLongAgo(database, late, '97 hours');
  await payoutAskedLongAgo(database, for_years, '14 days 1 hour');
  expect((await inDoubt()).sort()).toEqual([late, for_years, unanswered].sort());
  // The last answer counts: it is on its way as everything else is.
  await say(over_weekend, 'sent');
  expect(await inDoubt()).toContain(over_weekend);
});

describe('what was paid after its money was given back', () => {
  it('is a loss of what the provider has paid, and settled at the expense of the operator', async () => {
    const before = await clearing();
    const id = await contradictedPayout(database, merchant);
    const { reference } = await get(id);
    expect(await verifyLedger(database.db)).toEqual([
      expect.objectContaining({ is_loss: true, reference }),
    ]);
    await settleLoss(database, reference);
    expect((await clearing()) - before).toBe(AMOUNT);
    expect(await listLosses(database.db, reference)).toEqual([]);
    expect(await left()).toBe(START);
  });

  it('that comes back is less of one, and undone when it was settled', async () => {
    const before = await clearing();
    const id = await contradictedPayout(database, merchant);
    const { reference } = await get(id);
    const says = async (returned: bigint): Promise<boolean> => {
      await noticeOfPayout(database, id);
      return (await say(id, 'returned', { returned }))!.is_contradiction;
    };
    expect(await says(200_000n)).toBe(false);
    expect(await listLosses(database.db, reference)).toMatchObject([{ amount_minor: 300_000n }]);
    await settleLoss(database, reference);
    expect(await says(AMOUNT)).toBe(false);
    expect(await listLosses(database.db, reference)).toMatchObject([{ amount_minor: -300_000n }]);
    await settleLoss(database, reference);
    expect(await clearing()).toBe(before);
  });
});
