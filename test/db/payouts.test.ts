// Payouts in the database: the reservation, what each answer of a provider books, and what people decide.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import {
  approvePayout,
  beginAskingPayout,
  beginCancelingPayout,
  beginSendingAgain,
  cancelPayout,
  confirmPayout,
  listPayoutTimeline,
  findPayout,
  getPayout,
  listPayouts,
  mayTellName,
  notePayoutNotice,
  recordPayoutAnswer,
  recordPayoutCheck,
  recordPayoutFault,
  rejectPayout,
  type NewPayout,
} from '../../db/payouts/payouts';
import { changeMemberRole } from '../../db/people/team';
import { listHistoryOfReference } from '../../db/ledger/history';
import { listLosses } from '../../db/suspense/losses';
import { previewPayout, readPayoutSettings, setPayoutSettings } from '../../db/payouts/settings';
import { verifyLedger } from '../../db/verify/verify';
import type { Currency } from '../../domain/currency';
import type { PayoutFailure, PayoutState } from '../../domain/payout';
import { expectBooksHold } from '../support/books';
import { allBehindLock, whileUncommitted } from '../support/database';
import { settleLoss } from '../support/losses';
import {
  BY,
  buildNewPayout,
  letPayoutExpire,
  noticeOfPayout,
  setUpPayouts,
  shiftOrder,
  START,
} from '../support/payouts';
import { fund, type TestUser } from '../support/users';
import { setFees } from '../support/fees';

const { database, merchant, merchantWith, left, member, members, rule, order, ordered, say } =
  setUpPayouts();

afterEach(() => expectBooksHold(database.db));

const get = (id: string) => getPayout(database.db, id);
const ask = (id: string) => beginAskingPayout(database.db, id);
const confirm = (id: string) => confirmPayout(database.db, id, BY);
const cancel = (id: string) => cancelPayout(database.db, id, BY);
const approve = (id: string, login: string) => approvePayout(database.db, id, login);
const reject = (id: string, login: string, reason: string | null = null) =>
  rejectPayout(database.db, id, login, reason);
const recordAnswer = (id: string, asks: number, state: PayoutState) =>
  recordPayoutAnswer(database.db, id, asks, state);
const recordFault = (id: string, asks: number, fault: string, nothing_done: boolean) =>
  recordPayoutFault(database.db, id, asks, fault, nothing_done);
const sendAgain = (id: string, asks: number) =>
  beginSendingAgain(database.db, id, asks, { idempotent_by_id: true });
const recordCheck = (id: string, name_found: string, failure: PayoutFailure | null = null) =>
  recordPayoutCheck(
    database.db,
    id,
    { name_found, name_match: failure ? 'no_match' : 'match' },
    failure,
  );

const statusOf = async (id: string): Promise<string> => {
  const { status, stage } = await get(id);
  return stage === null ? status : `${status}/${stage}`;
};

const detailOf = async (id: string): Promise<unknown> =>
  (await database.owner('payouts').where({ id }).first('detail')).detail;

const setFee = (percent: number, fixed_minor = 0, currency: Currency = 'XOF') =>
  setFees(database.owner, { kinds: ['payout'], currency, percent, fixed_minor });

/** Ordered while this is the fee of each payout. */
async function orderedAt(percent: number): Promise<string> {
  await setFee(percent);
  const id = await ordered();
  await setFee(0);
  return id;
}

const hold = (by: string | null) =>
  database
    .owner('ledger_accounts')
    .where({ user_id: merchant.id, environment: 'sandbox' })
    .update({ held_by: by });

const freeze = (is_frozen: boolean) =>
  database
    .owner('users')
    .where({ id: merchant.id })
    .update(
      is_frozen
        ? { frozen_at: new Date(), frozen_reason: 'why' }
        : { frozen_at: null, frozen_reason: null },
    );

const leave = (login_id: string) => database.owner('memberships').where({ login_id }).delete();

/** So full that it takes back no payout of this amount. */
const fillWallet = (amount_minor = 500_000n): Promise<unknown> =>
  database.owner.raw(
    `select post_adjustment(?, ?, 'sandbox', 'XOF', 'sandbox_source', ?, 'fills it')`,
    [`ADJ-${randomUUID()}`, merchant.id, String(999_999_999_999_900n - START + amount_minor)],
  );

const eventsOf = (payout_id: string): Promise<string[]> =>
  database.owner('events').where({ payout_id }).orderBy('sequence').pluck('type');

async function rowsOf(id: string) {
  const { reference, user_id, environment } = await get(id);
  const owner = { user_id, environment, filters: {}, before: undefined };
  return listHistoryOfReference(database.db, owner, reference);
}

async function historyOf(id: string): Promise<string[]> {
  const rows = await rowsOf(id);
  return rows.map((row) => `${row.type} ${row.status} ${row.amount_minor} ${row.fee_minor}`);
}

/** A bank account as a destination. */
const bank = (account: string, bank_code: string | null = null) =>
  ({
    destination_type: 'bank',
    phone: null,
    operator: null,
    holder: 'Awa Diop',
    account,
    bank_code,
  }) as const;

it('goes to a phone in its one spelling', async () => {
  await expect(order({ phone: '+22997123456' })).rejects.toMatchObject({ code: '23514' });
});

describe('an order', () => {
  it('stands in the history with the name that was given, or with the phone, also when it is given back', async () => {
    const named = await ordered({ name: 'Moussa Ndiaye' });
    await say(named, 'failed');
    for (const [id, recipients] of [
      [named, ['Moussa Ndiaye', 'Moussa Ndiaye']],
      [await ordered(), ['+221770000100']],
      [await ordered({ ...bank('SN08SN010152') }), ['Awa Diop']],
    ] as const) {
      const rows = await rowsOf(id);
      expect(rows.map(({ counterparty }) => counterparty)).toEqual(recipients);
    }
  });

  it('reserves the amount and the fee, once for its key', async () => {
    await setFee(1, 10_000);
    const payout = buildNewPayout(merchant);
    const [first, second] = [await order(payout), await order(payout)];
    await setFee(0);
    expect(await left()).toBe(START - 515_000n);
    expect(first).toMatchObject({ outcome: 'created', is_replay: false });
    expect(second).toMatchObject({ outcome: 'created', is_replay: true });
    expect('response' in second && 'response' in first && second.response).toEqual(
      'response' in first && first.response,
    );
    const shown = JSON.parse('response' in first ? first.response.body : '') as object;
    expect(shown).toMatchObject({
      ok: true,
      status: 'pending',
      stage: 'queued',
      conclusive: false,
      amount: 5000,
      fee: 150,
      total: 5150,
      returned_amount: 0,
      approval: null,
      sent_at: null,
    });
    expect(await historyOf(payout.id)).toEqual(['withdrawal pending 515000 15000']);
  });

  it('is refused and kept for the key when the money is too little', async () => {
    const payout = buildNewPayout(merchant, { amount_minor: String(START + 100n) });
    const refused = await order(payout);
    expect(refused).toMatchObject({ outcome: 'insufficient_funds', response: { status: 402 } });
    expect(await order(payout)).toMatchObject({ outcome: 'insufficient_funds', is_replay: true });
  });

  it('is one of ten, when 64 at once ask for the money of ten', async () => {
    const tenth = { amount_minor: String(START / 10n) };
    const outcomes = await Promise.all(Array.from({ length: 64 }, () => order(tenth)));
    expect(outcomes.filter(({ outcome }) => outcome === 'created')).toHaveLength(10);
    expect(await left()).toBe(0n);
  });

  it.each(['account_frozen', 'kyc_required'] as const)(
    'changes nothing when %s',
    async (hold_by) => {
      await hold(hold_by);
      expect(await order()).toMatchObject({ outcome: hold_by });
      await hold(null);
      expect(await left()).toBe(START);
    },
  );

  it('that comes too late changes nothing', async () => {
    const late = await order({ accept_before: '2026-01-01T00:00:00Z' });
    expect(late).toMatchObject({ outcome: 'lapsed' });
    expect(await left()).toBe(START);
  });

  it.each([
    ['single', { single_minor: 499_900 }, 0n, 499_900n],
    ['daily', { daily_minor: 900_000, monthly_minor: 900_000 }, 500_000n, 900_000n],
    ['monthly', { monthly_minor: 900_000 }, 500_000n, 900_000n],
  ] as const)('is within the %s limit', async (limit_name, limits, used_minor, maximum_minor) => {
    const before = await ordered();
    const failed = await ordered();
    await say(failed, 'failed');
    await rule(limits);
    expect(await order()).toMatchObject({
      outcome: 'limit_exceeded',
      limit_name,
      used_minor,
      maximum_minor,
    });
    // A payout whose money was given back does not count.
    await cancel(before);
    const again = await order();
    expect(again.outcome).toBe(limit_name === 'single' ? 'limit_exceeded' : 'created');
  });

  it('of 64 at once keeps to a daily limit', async () => {
    await rule({ daily_minor: 1_000_000 });
    const tenth = { amount_minor: '100000' };
    const outcomes = await Promise.all(Array.from({ length: 64 }, () => order(tenth)));
    expect(outcomes.filter(({ outcome }) => outcome === 'created')).toHaveLength(10);
  });

  it.each([
    ['daily_minor', '1 day'],
    ['monthly_minor', '31 days'],
  ])('%s counts nothing of %s ago', async (limit, ago) => {
    await rule({ [limit]: 900_000 });
    const earlier = await ordered();
    await shiftOrder(database, earlier, `-${ago}`);
    expect((await order()).outcome).toBe('created');
    // The books have it where its posting is.
    await shiftOrder(database, earlier, ago);
  });

  it('has the fee, the limits and the rules of its currency', async () => {
    await setFee(1);
    await setFee(1.5, 0, 'EUR');
    const feeOf = async (fields: Partial<NewPayout>): Promise<bigint> =>
      (await get(await ordered({ amount_minor: '900100', ...fields }))).fee_minor;
    const fees = [await feeOf({ currency: 'EUR' }), await feeOf({ phone: '+221770000102' })];
    await setFee(0);
    await setFee(0, 0, 'EUR');
    // To the cent, where a fee in XOF has none.
    expect(fees).toEqual([13_502n, 9_000n]);
    const none = { daily_minor: 100, approval_above_minor: 0 };
    await rule({ currency: 'EUR', ...none });
    expect(await statusOf(await ordered())).toBe('pending/queued');
    // Euros under way to the destination do not count for this rule.
    await rule({ new_destination_above_minor: 1_000_000 });
    expect(await statusOf(await ordered())).toBe('pending/queued');
  });
});

it('asks for no approval because of what is under way to another phone or bank account', async () => {
  await rule({ new_destination_above_minor: 900_000 });
  for (const destination of [
    { phone: '+221770000100' },
    { phone: '+221770000101' },
    bank('SN080100', 'SN08'),
    bank('SN080100', 'SN09'),
    bank('SN080101', 'SN08'),
  ]) {
    const id = await ordered(destination);
    expect([destination, await statusOf(id)]).toEqual([destination, 'pending/queued']);
  }
});

describe('a limit and a rule of the owners', () => {
  const live = { environment: 'live' } as const;

  beforeEach(() => fund(database.db, merchant.id, 'live', 'XOF', START));

  it.each(['daily_minor', 'monthly_minor'])(
    'count what leaves in their currency and environment: %s',
    async (limit) => {
      await rule({ [limit]: 1_000_000 });
      await ordered({ currency: 'EUR', amount_minor: '900000' });
      await ordered({ ...live, amount_minor: '900000' });
      const outcomes = [];
      for (let n = 0; n < 3; n += 1) outcomes.push((await order()).outcome);
      expect(outcomes).toEqual(['created', 'created', 'limit_exceeded']);
    },
  );

  it('ask for an approval above the amount that they name, and not at it', async () => {
    await rule({ approval_above_minor: 500_000, new_destination_above_minor: null });
    const at = await ordered({ amount_minor: '500000' });
    const above = await ordered({ amount_minor: '500100' });
    expect([await statusOf(at), await statusOf(above)]).toEqual([
      'pending/queued',
      'requires_approval',
    ]);
  });

  it('ask for none because of what is under way to a live destination in the sandbox', async () => {
    await rule({ new_destination_above_minor: 900_000 });
    await ordered();
    expect(await statusOf(await ordered(live))).toBe('pending/queued');
  });

  it.each<[string, Partial<NewPayout>, Partial<NewPayout>[]]>([
    ['phone', { phone: '+221770000100' }, [{ phone: '+221770000101' }]],
    [
      'bank account',
      bank('SN080100', 'SN08'),
      [bank('SN080101', 'SN08'), bank('SN080100', 'SN09'), bank('SN080100')],
    ],
    ['bank account that names no bank', bank('SN080100'), [bank('SN080100', 'SN08')]],
  ])(
    'know a %s by what the account has paid there, in this environment',
    async (_, place, others) => {
      const answered = async (status: PayoutState['status'], fields = {}, user = merchant) =>
        say(await ordered({ ...place, ...fields }, user), status);
      const next = async (): Promise<string> => {
        await rule({ new_destination_above_minor: 100_000 });
        const id = await ordered(place);
        const status = await statusOf(id);
        await cancel(id);
        await database.owner('payout_settings').where({ user_id: merchant.id }).delete();
        return status;
      };
      await answered('succeeded', {}, await merchantWith());
      await answered('succeeded', live);
      for (const other of others) await answered('succeeded', other);
      await answered('failed');
      expect(await next()).toBe('requires_approval');
      await answered('succeeded');
      expect(await next()).toBe('pending/queued');
    },
  );

  it('of live money are the owners’: a developer approves in the sandbox only, made less or not', async () => {
    await rule({ approval_above_minor: 0 });
    const [developer, former, owner] = await members('developer', 'owner', 'owner');
    const { id: user_id } = merchant;
    await changeMemberRole(database.db, { user_id, login_id: former }, 'developer', []);
    const [of_live, of_sandbox] = [await ordered(live), await ordered()];
    for (const login of [developer, former]) {
      const approved = await approve(of_live, login);
      const rejected = await reject(of_live, login);
      expect([approved, rejected]).toEqual(['forbidden', 'forbidden']);
    }
    expect(await approve(of_sandbox, former)).toBe('done');
    expect(await approve(of_live, owner)).toBe('done');
    expect([await statusOf(of_live), await statusOf(of_sandbox)]).toEqual([
      'pending/queued',
      'pending/queued',
    ]);
  });
});

describe('the provider’s word', () => {
  it('pays it: the money leaves, with its fee and its event', async () => {
    const id = await orderedAt(1);
    for (const action of ['send', 'find']) {
      expect(await say(id, 'sent')).toMatchObject({ action, status: 'pending', stage: 'sent' });
    }
    expect(await say(id, 'succeeded')).toMatchObject({
      action: 'find',
      status: 'succeeded',
      stage: null,
    });
    expect(await left()).toBe(START - 505_000n);
    expect(await eventsOf(id)).toEqual(['payout.sent', 'payout.succeeded']);
    expect(await historyOf(id)).toEqual(['withdrawal completed 505000 5000']);
    const kinds = (await listPayoutTimeline(database.db, id)).map(({ kind }) => kind);
    expect(kinds).toEqual(['requested', 'sent', 'event', 'succeeded', 'event']);
    // Nothing is asked any more.
    expect(await ask(id)).toBeUndefined();
  });

  it('fails it: all of it comes back', async () => {
    const id = await orderedAt(1);
    await say(id, 'failed');
    expect(await left()).toBe(START);
    expect(await eventsOf(id)).toEqual(['payout.failed']);
    expect(await historyOf(id)).toEqual([
      'reversal completed 505000 0',
      'withdrawal failed 505000 5000',
    ]);
    expect(JSON.parse((await get(id)).json)).toMatchObject({
      status: 'failed',
      conclusive: true,
      failure: { code: 'rejected', message: 'No.', provider_code: 'E1' },
    });
  });

  it('gives it back in parts, and then whole', async () => {
    const [id, other] = [await ordered(), await ordered({}, await merchantWith())];
    await say(id, 'succeeded');
    await say(other, 'succeeded');
    await noticeOfPayout(database, other);
    await say(other, 'returned', { returned: 500_000n });
    for (const returned of [200_000n, 200_000n, 500_000n]) {
      await noticeOfPayout(database, id);
      // What it has paid is what is left with the recipient.
      await say(id, 'returned', { returned, paid: 500_000n - returned });
    }
    expect(await statusOf(id)).toBe('returned');
    expect(await left()).toBe(START);
    expect(await eventsOf(id)).toEqual(['payout.succeeded', 'payout.returned', 'payout.returned']);
    const { reference } = await get(id);
    const returns = database.owner('ledger_transactions').whereLike('reference', `${reference}/r%`);
    expect(await returns.orderBy('reference').pluck('reference')).toEqual([
      `${reference}/returned/1`,
      `${reference}/returned/2`,
    ]);
    expect(await historyOf(id)).toEqual([
      'reversal completed 300000 0',
      'reversal completed 200000 0',
      'withdrawal reversed 500000 0',
    ]);
  });

  it('that fails what had succeeded is a return, and never a failure', async () => {
    const id = await ordered();
    await say(id, 'succeeded');
    await noticeOfPayout(database, id);
    await say(id, 'failed');
    expect(await statusOf(id)).toBe('returned');
    expect(await left()).toBe(START);
  });

  it('that comes out of order leaves it paid', async () => {
    const id = await ordered();
    await say(id, 'succeeded');
    await noticeOfPayout(database, id);
    expect(await say(id, 'sent')).toMatchObject({ status: 'succeeded', stage: null });
  });

  it('that names another amount leaves it in doubt', async () => {
    const id = await ordered();
    for (const status of ['failed', 'succeeded'] as const) {
      await say(id, status, { paid: 400_000n });
      expect(await statusOf(id)).toBe('pending/unknown');
    }
    expect(await left()).toBe(START - 500_000n);
    await say(id, 'succeeded', { paid: 500_000n });
    expect(await statusOf(id)).toBe('succeeded');
  });

  it('that it was paid after its money was given back is told, once, and books nothing', async () => {
    const id = await ordered();
    await say(id, 'failed');
    const told: unknown[] = [];
    for (let times = 0; times < 2; times += 1) {
      await noticeOfPayout(database, id);
      told.push((await say(id, 'succeeded'))!.is_contradiction);
    }
    expect(told).toEqual([true, false]);
    expect(await statusOf(id)).toBe('failed');
    expect(await left()).toBe(START);
    const { reference } = await get(id);
    expect(await verifyLedger(database.db)).toMatchObject([{ reference, is_loss: true }]);
    await settleLoss(database, reference);
  });

  it('that comes long after it was canceled without a question is asked for', async () => {
    const id = await ordered();
    expect(await cancel(id)).toBe('done');
    await letPayoutExpire(database, id);
    expect(await ask(id)).toBeUndefined();
    await noticeOfPayout(database, id);
    expect(await ask(id)).toMatchObject({ action: 'find' });
  });

  it('counts only as the answer to the last question', async () => {
    const id = await ordered();
    const first = (await ask(id))!;
    const second = (await ask(id))!;
    expect([first.action, second.action]).toEqual(['send', 'find']);
    const state: PayoutState = { status: 'failed', provider_payment_id: 'po_1' };
    await recordAnswer(id, first.asks, state);
    await recordFault(id, first.asks, 'late', true);
    expect(await statusOf(id)).toBe('pending/unknown');
    // A process that stood still between the two does not send it again either.
    expect(await sendAgain(id, first.asks)).toBe(false);
    const other = await ordered();
    for (let times = 0; times < 2; times += 1) {
      await say(other, 'queued');
    }
    expect(await sendAgain(id, second.asks)).toBe(true);
    expect(await statusOf(other)).toBe('pending/queued');
    expect(await detailOf(id)).toBeNull();
    const sent: PayoutState = { status: 'succeeded', provider_payment_id: `po_${id}` };
    await recordAnswer(id, second.asks, sent);
    await recordFault(id, second.asks, 'late', true);
    expect(await detailOf(id)).toBeNull();
    expect(await sendAgain(id, second.asks)).toBe(false);
  });

  it('is missing: it waits as before only if nothing was done and it was never asked before', async () => {
    const id = await ordered();
    const other = await ordered();
    const first = (await ask(id))!;
    await ask(other);
    expect(await statusOf(id)).toBe('pending/unknown');
    await recordFault(id, first.asks, 'refused', true);
    expect([await statusOf(id), await statusOf(other)]).toEqual([
      'pending/queued',
      'pending/unknown',
    ]);
    const again = (await ask(id))!;
    await recordFault(id, again.asks, 'timeout', false);
    expect(await statusOf(id)).toBe('pending/unknown');
    // A payout in doubt never ends by a clock.
    await letPayoutExpire(database, id);
    expect((await ask(id))!.action).toBe('find');
    expect(await cancel(id)).toBe('payout_not_cancelable');
  });

  it('is asked for by a notice of its own provider and environment only', async () => {
    const id = await ordered();
    const told = (environment: 'live' | 'sandbox', name: string) =>
      notePayoutNotice(database.db, { environment, name }, id);
    expect([await told('live', 'sandbox'), await told('sandbox', 'other')]).toEqual([false, false]);
    expect(await told('sandbox', 'sandbox')).toBe(true);
  });

  it('waits in a wallet that is too full to take it back', async () => {
    const id = await ordered();
    await fillWallet();
    await say(id, 'failed');
    expect(await statusOf(id)).toBe('pending/unknown');
    await ordered();
    await say(id, 'failed');
    expect(await statusOf(id)).toBe('failed');
  });
});

it('has its name looked for again when the wallet is too full to take it back', async () => {
  const [known, id] = [await ordered(), await ordered()];
  await recordCheck(known, 'Awa');
  await fillWallet(1_000_000n);
  const failure = { code: 'rejected', message: 'No.', provider_code: null } as const;
  await recordCheck(id, 'Binta', failure);
  expect(await get(id)).toMatchObject({ status: 'pending', name_found: null });
  expect(await get(known)).toMatchObject({ name_found: 'Awa' });
  expect(await detailOf(known)).toBeNull();
});

describe('what waits at the provider', () => {
  it('can be taken back there, and is once it has waited for too long', async () => {
    const [id, late] = [await ordered(), await ordered()];
    for (const one of [id, late]) await say(one, 'queued');
    expect(await cancel(id)).toBe('at_provider');
    const asks = (await beginCancelingPayout(database.db, id, BY))!;
    await recordAnswer(id, asks, { status: 'canceled', provider_payment_id: `po_${id}` });
    await letPayoutExpire(database, late);
    expect(await say(late, 'canceled')).toMatchObject({ action: 'cancel', status: 'canceled' });
    expect(await left()).toBe(START);
    expect(await cancel(id)).toBe('done');
    expect(await listPayoutTimeline(database.db, id)).toContainEqual(
      expect.objectContaining({ kind: 'cancel_requested', detail: BY }),
    );
  });

  it('cannot be taken back once it was sent', async () => {
    const id = await ordered();
    await say(id, 'sent');
    expect(await cancel(id)).toBe('payout_not_cancelable');
  });
});

it('is taken back by its provider only while it waits there', async () => {
  for (const status of [null, 'sent', 'succeeded'] as const) {
    const id = await ordered();
    if (status !== null) await say(id, status);
    expect(await beginCancelingPayout(database.db, id, BY)).toBeUndefined();
  }
});

it('keeps the first name that was found, and none that comes after it was sent', async () => {
  const ids = [await ordered(), await ordered()] as const;
  const found = async (id: string, name_found: string): Promise<string | null> => {
    await recordCheck(id, name_found);
    return (await get(id)).name_found;
  };
  await say(ids[1], 'sent');
  expect([await found(ids[0], 'Awa'), await found(ids[0], 'Binta')]).toEqual(['Awa', 'Awa']);
  expect(await found(ids[1], 'Awa')).toBeNull();
});

describe('people', () => {
  it('confirm what was found, once; after a day it is canceled', async () => {
    const confirmed = { confirm: false };
    const [id, late] = [await ordered(confirmed), await ordered(confirmed)];
    expect(await statusOf(id)).toBe('requires_confirmation');
    // Its provider has nothing of it yet, whatever it notifies of.
    await noticeOfPayout(database, id);
    expect(await ask(id)).toBeUndefined();
    expect([await confirm(id), await confirm(id)]).toEqual(['done', 'done']);
    expect(await statusOf(id)).toBe('pending/queued');
    await letPayoutExpire(database, late);
    expect(await confirm(late)).toBe('payout_not_confirmable');
    await ask(late);
    expect(await statusOf(late)).toBe('canceled');
    expect(await left()).toBe(START - 500_000n);
    expect(await eventsOf(id)).toEqual(['payout.requires_action']);
  });

  it('send nothing from an account that is frozen before the provider is asked', async () => {
    const [id, sent] = [await ordered(), await ordered()];
    const others = await ordered({}, await merchantWith());
    await say(sent, 'sent');
    await freeze(true);
    expect(await say(sent, 'succeeded')).toMatchObject({ action: 'find', status: 'succeeded' });
    expect(await ask(id)).toBeUndefined();
    expect(await statusOf(id)).toBe('pending/queued');
    const unasked = await database.owner('payouts').where({ id: others }).pluck('asked_at');
    expect(unasked).toEqual([null]);
    expect(await ask(others)).toMatchObject({ action: 'send' });
    await freeze(false);
    expect(await say(id, 'succeeded')).toMatchObject({ action: 'send', status: 'succeeded' });
  });

  it('do not confirm for an account that is frozen meanwhile', async () => {
    const id = await ordered({ confirm: false });
    await freeze(true);
    expect(await confirm(id)).toBe('account_frozen');
    await freeze(false);
    expect(await confirm(id)).toBe('done');
  });

  it('approve as others than who ordered it, each once, even two at the same time', async () => {
    const [creator, one, two] = await members('developer', 'developer', 'developer');
    await rule({ approval_above_minor: 499_900, approvers: 2 });
    const id = await ordered({ ordered_by: creator, confirm: false });
    expect(await statusOf(id)).toBe('requires_approval');
    expect(await approve(id, creator)).toBe('approval_by_creator');
    expect(await approve(id, await member('viewer'))).toBe('forbidden');
    expect(await approve(id, await member('owner', await merchantWith()))).toBe('forbidden');
    expect(await Promise.all([approve(id, one), approve(id, one)])).toEqual(['done', 'done']);
    expect(await statusOf(id)).toBe('requires_approval');
    expect(await approve(id, two)).toBe('done');
    expect(await statusOf(id)).toBe('requires_confirmation');
    expect(await approve(id, two)).toBe('done');
    const { json } = await get(id);
    expect(JSON.parse(json)).toMatchObject({ approval: { needed: 2, given: [{}, {}] } });
  });

  it('approve at the same time as one another, and it goes on once', async () => {
    const owners = await members('owner', 'owner');
    await rule({ approval_above_minor: 0, approvers: 2 });
    const id = await ordered({ confirm: false });
    // An approval's reference to the payout does not wait for this lock.
    const both = await allBehindLock(
      database,
      (session) => session.query('select from payouts where id = $1 for no key update', [id]),
      owners.map((login) => () => approve(id, login)),
    );
    expect(both).toEqual(['done', 'done']);
    expect(await statusOf(id)).toBe('requires_confirmation');
    // The first one is of the order, which waits for them.
    expect(await eventsOf(id)).toEqual(['payout.requires_action', 'payout.requires_action']);
  });

  it('do not approve after seven days, nor what was rejected; the money is back', async () => {
    const other = await member('developer');
    await rule({ approval_above_minor: 0 });
    const [late, rejected] = [await ordered(), await ordered()] as const;
    await letPayoutExpire(database, late);
    const refused = 'payout_not_approvable';
    expect(await approve(late, other)).toBe(refused);
    await ask(late);
    const rejecting = () => reject(rejected, other, 'no');
    expect([await rejecting(), await rejecting()]).toEqual(['done', 'done']);
    expect(await approve(rejected, other)).toBe(refused);
    expect([await statusOf(late), await statusOf(rejected)]).toEqual(['canceled', 'canceled']);
    expect(await left()).toBe(START);
  });

  it('approve a new destination for what goes there in several small payouts', async () => {
    await rule({ new_destination_above_minor: 900_000 });
    const seen = [];
    for (let count = 0; count < 2; count += 1) {
      // The order meets the rule that the page shows before the button.
      const { id: _, ...unwritten } = buildNewPayout(merchant);
      const { approvals_needed } = await previewPayout(database.db, unwritten);
      seen.push([approvals_needed, await statusOf(await ordered())]);
    }
    expect(seen).toEqual([
      [0, 'pending/queued'],
      [1, 'requires_approval'],
    ]);
  });

  it('approve as long as they may: what a former member has approved does not count', async () => {
    const [former, one, two] = await members('developer', 'developer', 'developer');
    await rule({ approval_above_minor: 0, approvers: 2 });
    const id = await ordered();
    // Nor does one of another payout.
    await approve(await ordered(), one);
    await approve(id, former);
    await leave(former);
    await approve(id, one);
    expect(await statusOf(id)).toBe('requires_approval');
    await approve(id, two);
    expect(await statusOf(id)).toBe('pending/queued');
  });

  it('approve again when the approver has left before the confirmation', async () => {
    const [former, other] = await members('developer', 'developer');
    await rule({ approval_above_minor: 0, approvers: 1 });
    const id = await ordered({ confirm: false });
    await approve(id, former);
    expect(await statusOf(id)).toBe('requires_confirmation');
    await leave(former);
    expect(await confirm(id)).toBe('done');
    expect(await statusOf(id)).toBe('requires_approval');
    expect(await confirm(id)).toBe('done');
    await approve(id, other);
    expect(await statusOf(id)).toBe('pending/queued');
  });

  it('confirm, and nothing is sent while the name that has to match is not known', async () => {
    const fields = { confirm: false, name: 'Awa Diop', name_check: 'require' } as const;
    const id = await ordered(fields);
    // A process that follows it has read the row before the confirmation, when no check was due.
    await confirm(id);
    expect((await get(id)).is_check_due).toBe(true);
    expect(await ask(id)).toBeUndefined();
    await recordCheck(id, 'Awa Diop');
    expect(await ask(id)).toMatchObject({ action: 'send' });
  });

  it('cancel what nobody was asked for', async () => {
    const ids = [await ordered(), await ordered({ confirm: false })];
    for (const id of ids) {
      expect(await cancel(id)).toBe('done');
      expect(await statusOf(id)).toBe('canceled');
    }
    expect(await left()).toBe(START);
    const paid = await ordered();
    await say(paid, 'succeeded');
    expect(await cancel(paid)).toBe('payout_not_cancelable');
  });
});

describe('while a cancellation is not committed yet', () => {
  it.each<[string, Partial<NewPayout>, (id: string, login: string) => Promise<unknown>, unknown]>([
    ['an approval', {}, (id, login) => approve(id, login), 'payout_not_approvable'],
    ['a rejection', {}, (id, login) => reject(id, login), 'payout_not_approvable'],
    ['a confirmation', { confirm: false }, (id) => confirm(id), 'payout_not_confirmable'],
    ['a second one', {}, (id) => cancel(id), 'done'],
    ['a question', {}, (id) => ask(id), undefined],
  ])('%s waits for it', async (what, fields, decide, decided) => {
    const owner = await member('owner');
    const is_approved = what === 'an approval' || what === 'a rejection';
    if (is_approved) await rule({ approval_above_minor: 0 });
    const id = await ordered(fields);
    const second = await whileUncommitted(
      database,
      (session) => session.query('select cancel_payout($1, $2)', [id, JSON.stringify(BY)]),
      () => decide(id, owner),
    );
    expect(second).toEqual(decided);
    expect([await statusOf(id), await left()]).toEqual(['canceled', START]);
  });
});

it('takes no answer to a question before one that is not committed yet', async () => {
  const id = await ordered();
  const { asks } = (await ask(id))!;
  const failed = { status: 'failed', provider_payment_id: `po_${id}` } as const;
  const answer = await whileUncommitted(
    database,
    (session) => session.query('select begin_asking_payout($1)', [id]),
    () => recordAnswer(id, asks, failed),
  );
  expect(answer).toMatchObject({ status: 'pending', stage: 'unknown' });
  expect(await left()).toBe(START - 500_000n);
});

describe('a name that is compared', () => {
  it('may be tried with five that are not the recipient’s in a day, and is then told no more', async () => {
    const by = { user_id: merchant.id, environment: 'live' } as const;
    const may = (name: string, match: 'match' | 'close' | 'no_match', destination = 'phone:1') =>
      mayTellName(database.db, by, { destination, name, match });
    expect(await may('Awa Diop', 'match')).toBe(true);
    const tried = [];
    for (const name of ['a', 'b', 'a', 'c', 'd', 'e', 'f']) tried.push(await may(name, 'close'));
    expect(tried).toEqual([true, true, true, true, true, true, false]);
    // That it fits is not told either, or the silence would tell that the others do not.
    expect(await may('Awa Diop', 'match')).toBe(false);
    expect(await may('a', 'close')).toBe(true);
    expect(await may('a', 'close', 'phone:2')).toBe(true);
    await database.owner.raw(`update attempt_counts set ends_at = ends_at - interval '1 day'`);
    expect(await may('f', 'close')).toBe(true);
    const next_day = [];
    for (const name of ['g', 'h', 'i', 'j', 'a']) next_day.push(await may(name, 'close'));
    expect(next_day).toEqual([true, true, true, true, false]);
  });

  it('may fit none of 300 destinations in a day, in each environment', async () => {
    const { id: user_id } = merchant;
    const { rows } = await database.owner.raw(
      `select count(*) filter (where may_tell_name(?, 'live', 'phone:' || n, 'Awa', 'no_match'))::int as told,
              count(*) filter (where n <= 5 and may_tell_name(?, 'sandbox', 'phone:' || n, 'Awa', 'no_match'))::int as other
         from generate_series(1, 310) n`,
      [user_id, user_id],
    );
    expect(rows).toEqual([{ told: 300, other: 5 }]);
    const another = { user_id: (await merchantWith()).id, environment: 'live' } as const;
    const name = { destination: 'phone:1', name: 'Awa', match: 'close' } as const;
    expect(await mayTellName(database.db, another, name)).toBe(true);
    await database.owner.raw('delete from attempt_counts');
    // Slips of the pen in a long list of wages are no search.
    const close = await database.owner.raw(
      `select bool_and(may_tell_name(?, 'live', 'phone:' || n, 'Awa', 'close')) as told
         from generate_series(1, 310) n`,
      [user_id],
    );
    expect(close.rows).toEqual([{ told: true }]);
  });
});

it('is ruled by what the owners set for one wallet, which tells whether it has changed', async () => {
  const other = await merchantWith();
  const none = {
    single_minor: null,
    daily_minor: null,
    monthly_minor: null,
    new_destination_above_minor: null,
    approvers: 1 as const,
  };
  const set = ({ id: user_id }: TestUser, currency: 'XOF' | 'EUR', approval_above_minor: bigint) =>
    setPayoutSettings(database.db, { user_id, currency }, { ...none, approval_above_minor }, []);
  await set(other, 'XOF', 1n);
  await set(merchant, 'EUR', 2n);
  const changed = [];
  for (const above of [3n, 3n, 4n]) changed.push(await set(merchant, 'XOF', above));
  expect(changed).toEqual([true, false, true]);
  const read = async ({ id }: TestUser, currency: 'XOF' | 'EUR') =>
    (await readPayoutSettings(database.db, id, currency)).approval_above_minor;
  expect(await read(other, 'XOF')).toBe(1n);
  expect([await read(merchant, 'EUR'), await read(merchant, 'XOF')]).toEqual([2n, 4n]);
});

it('is the caller’s own, by id, reference, status and currency', async () => {
  const other = await merchantWith();
  const id = await ordered();
  const { reference } = await get(id);
  const find = (user: TestUser, by: { id: string } | { reference: string }) =>
    findPayout(database.db, { user_id: user.id, environment: 'sandbox' }, by);
  expect((await find(merchant, { reference }))!.id).toBe(id);
  expect(await find(other, { id })).toBeUndefined();
  const list = async (filters: Parameters<typeof listPayouts>[1]['filters'], user = merchant) => {
    const owner = { user_id: user.id, environment: 'sandbox', before: undefined } as const;
    return (await listPayouts(database.db, { ...owner, limit: 10, filters })).map((one) => one.id);
  };
  expect(await list({})).toEqual([id]);
  expect(await list({ reference, status: 'pending' })).toEqual([id]);
  expect(await list({ status: 'pending', currency: 'XOF' })).toEqual([id]);
  expect(await list({ status: 'succeeded' })).toEqual([]);
  expect(await list({}, other)).toEqual([]);
});

it('keeps the books after every history', async () => {
  const STATES = ['queued', 'sent', 'succeeded', 'failed', 'canceled', 'returned'] as const;
  const step = fc.oneof(
    fc.record({
      do: fc.constant('answer' as const),
      of: fc.nat(4),
      status: fc.constantFrom(...STATES),
      returned: fc.nat(6),
    }),
    fc.record({
      do: fc.constantFrom(
        ...(['order', 'confirm', 'cancel', 'expire', 'notice', 'doubt', 'not_done'] as const),
      ),
      of: fc.nat(4),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const payer = await merchantWith(2_000_000n);
      const ids: string[] = [];
      for (const { of, ...todo } of steps) {
        const id = ids[of % Math.max(1, ids.length)];
        if (todo.do === 'order') {
          const payout = buildNewPayout(payer, { confirm: of % 2 === 1 });
          if ((await order(payout, payer)).outcome === 'created') ids.push(payout.id);
        }
        if (id === undefined) continue;
        if (todo.do === 'confirm') await confirm(id);
        if (todo.do === 'cancel') await cancel(id);
        if (todo.do === 'expire') await letPayoutExpire(database, id);
        if (todo.do === 'notice') await noticeOfPayout(database, id);
        if (todo.do === 'answer') {
          await say(id, todo.status, { returned: BigInt(todo.returned) * 100_000n });
        }
        if (todo.do === 'doubt' || todo.do === 'not_done') {
          const asked = await ask(id);
          const nothing_done = todo.do === 'not_done' && asked?.action === 'send';
          if (asked) await recordFault(id, asked.asks, 'fault', nothing_done);
        }
      }
      let expected = 2_000_000n;
      for (const id of ids) {
        const { status, amount_minor, returned_minor } = await get(id);
        if (status !== 'failed' && status !== 'canceled') expected -= amount_minor - returned_minor;
      }
      expect(await left(payer)).toBe(expected);
      const violations = await verifyLedger(database.db);
      expect(violations.filter(({ is_loss }) => !is_loss)).toEqual([]);
      for (const { reference } of await listLosses(database.db))
        await settleLoss(database, reference);
    }),
    { numRuns: 25 },
  );
});
