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
import type { MemberRole } from '../../domain/members';
import type { PayoutState } from '../../domain/payout';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import {
  createTestDatabase,
  openSession,
  untilSessionsWait,
  whileUncommitted,
  type TestDatabase,
} from '../support/database';
import { settleLoss } from '../support/losses';
import {
  answerPayout,
  buildNewPayout,
  letPayoutExpire,
  noticeOfPayout,
  orderedPayout,
  orderPayout,
  BY,
} from '../support/payouts';
import { addMember, buildUser, type TestUser } from '../support/users';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterEach(() => expectBooksHold(database.db));

const START = 10_000_000n;

const merchantWith = (minor = START): Promise<TestUser> =>
  buildUser(database.db, { funds: { sandbox: { XOF: minor, EUR: minor } } });

const left = (merchant: TestUser): Promise<bigint> =>
  balanceOf(database.db, merchant, 'XOF', 'sandbox');

const statusOf = async (id: string): Promise<string> => {
  const { status, stage } = await getPayout(database.db, id);
  return stage === null ? status : `${status}/${stage}`;
};

async function setFee(percent: number, fixed_minor: number): Promise<void> {
  await database.owner.raw(
    `update fee_policies set basis_points = ?, fixed_minor = ? where kind = 'payout' and currency = 'XOF'`,
    [percent * 100, fixed_minor],
  );
}

const memberOf = (merchant: TestUser, role: MemberRole): Promise<string> =>
  addMember(database, merchant, role);

async function settings(merchant: TestUser, fields: Record<string, unknown>): Promise<void> {
  await database
    .owner('payout_settings')
    .insert({ user_id: merchant.id, currency: 'XOF', ...fields });
}

async function eventsOf(id: string): Promise<string[]> {
  const { rows } = await database.owner.raw(
    'select type from events where payout_id = ? order by sequence',
    [id],
  );
  return (rows as { type: string }[]).map(({ type }) => type);
}

async function historyOf(merchant: TestUser, id: string): Promise<string[]> {
  const { reference } = await getPayout(database.db, id);
  const owner = {
    user_id: merchant.id,
    environment: 'sandbox',
    filters: {},
    before: undefined,
  } as const;
  const rows = await listHistoryOfReference(database.db, owner, reference);
  return rows.map((row) => `${row.type} ${row.status} ${row.amount_minor} ${row.fee_minor}`);
}

it('goes to a phone in its one spelling', async () => {
  const ordered = orderPayout(database.db, await merchantWith(), { phone: '+22997123456' });
  await expect(ordered).rejects.toMatchObject({ code: '23514' });
});

describe('an order', () => {
  it('reserves the amount and the fee, once for its key', async () => {
    const merchant = await merchantWith();
    await setFee(1, 10_000);
    const payout = buildNewPayout(merchant);
    const [first, second] = [
      await orderPayout(database.db, merchant, payout),
      await orderPayout(database.db, merchant, payout),
    ];
    await setFee(0, 0);
    expect(await left(merchant)).toBe(START - 515_000n);
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
    expect(await historyOf(merchant, payout.id)).toEqual(['withdrawal pending 515000 15000']);
  });

  it('is refused and kept for the key when the money is too little', async () => {
    const merchant = await merchantWith(499_900n);
    const payout = buildNewPayout(merchant);
    const refused = await orderPayout(database.db, merchant, payout);
    expect(refused).toMatchObject({ outcome: 'insufficient_funds', response: { status: 402 } });
    expect(await orderPayout(database.db, merchant, payout)).toMatchObject({
      outcome: 'insufficient_funds',
      is_replay: true,
    });
  });

  it('is one of ten, when 64 at once ask for the money of ten', async () => {
    const merchant = await merchantWith(5_000_000n);
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, () => orderPayout(database.db, merchant)),
    );
    expect(outcomes.filter(({ outcome }) => outcome === 'created')).toHaveLength(10);
    expect(await left(merchant)).toBe(0n);
  });

  it.each(['account_frozen', 'kyc_required'] as const)('changes nothing when %s', async (hold) => {
    const merchant = await merchantWith();
    await database.owner.raw(
      'update ledger_accounts set held_by = ? where user_id = ? and environment = ?',
      [hold, merchant.id, 'sandbox'],
    );
    expect(await orderPayout(database.db, merchant)).toMatchObject({ outcome: hold });
    await database.owner.raw(
      'update ledger_accounts set held_by = null where user_id = ? and environment = ?',
      [merchant.id, 'sandbox'],
    );
    expect(await left(merchant)).toBe(START);
  });

  it('that comes too late changes nothing', async () => {
    const merchant = await merchantWith();
    const accept_before = '2026-01-01T00:00:00Z';
    expect(await orderPayout(database.db, merchant, { accept_before })).toMatchObject({
      outcome: 'lapsed',
    });
    expect(await left(merchant)).toBe(START);
  });

  it.each([
    ['single', { single_minor: 499_900 }, 0n, 499_900n],
    ['daily', { daily_minor: 900_000, monthly_minor: 900_000 }, 500_000n, 900_000n],
    ['monthly', { monthly_minor: 900_000 }, 500_000n, 900_000n],
    ['daily', { daily_minor: 5_000_000, most_daily_minor: 900_000 }, 500_000n, 900_000n],
  ] as const)('is within the %s limit', async (limit_name, limits, used_minor, maximum_minor) => {
    const merchant = await merchantWith();
    const before = await orderedPayout(database.db, merchant);
    const failed = await orderedPayout(database.db, merchant);
    await answerPayout(database.db, failed, { status: 'failed' });
    await settings(merchant, limits);
    expect(await orderPayout(database.db, merchant)).toMatchObject({
      outcome: 'limit_exceeded',
      limit_name,
      used_minor,
      maximum_minor,
    });
    // A payout whose money was given back does not count.
    await cancelPayout(database.db, before, BY);
    const again = await orderPayout(database.db, merchant);
    expect(again.outcome).toBe(limit_name === 'single' ? 'limit_exceeded' : 'created');
  });

  it('of 64 at once keeps to a daily limit', async () => {
    const merchant = await merchantWith(50_000_000n);
    await settings(merchant, { daily_minor: 5_000_000 });
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, () => orderPayout(database.db, merchant)),
    );
    expect(outcomes.filter(({ outcome }) => outcome === 'created')).toHaveLength(10);
  });

  it.each([
    ['daily_minor', '1 day'],
    ['monthly_minor', '31 days'],
  ])('%s counts nothing of %s ago', async (limit, ago) => {
    const merchant = await merchantWith();
    await settings(merchant, { [limit]: 900_000 });
    const earlier = await orderedPayout(database.db, merchant);
    const shift = (by: string): Promise<unknown> =>
      database.owner.raw('update payouts set created_at = created_at + ?::interval where id = ?', [
        by,
        earlier,
      ]);
    await shift(`-${ago}`);
    expect((await orderPayout(database.db, merchant)).outcome).toBe('created');
    // The books have it where its posting is.
    await shift(ago);
  });

  it('has the fee, the limits and the rules of its currency', async () => {
    const merchant = await merchantWith();
    await setFee(1, 0);
    await database.owner.raw(
      `update fee_policies set basis_points = 150 where kind = 'payout' and currency = 'EUR'`,
    );
    const feeOf = async (fields: Partial<NewPayout>): Promise<bigint> => {
      const order = { amount_minor: '900100', ...fields };
      const id = await orderedPayout(database.db, merchant, order);
      return (await getPayout(database.db, id)).fee_minor;
    };
    const fees = [await feeOf({ currency: 'EUR' }), await feeOf({ phone: '+221770000102' })];
    await setFee(0, 0);
    await database.owner.raw(
      `update fee_policies set basis_points = 0 where kind = 'payout' and currency = 'EUR'`,
    );
    // To the cent, where a fee in XOF has none.
    expect(fees).toEqual([13_502n, 9_000n]);
    const none = { daily_minor: 100, approval_above_minor: 0 };
    await settings(merchant, { currency: 'EUR', ...none });
    expect(await statusOf(await orderedPayout(database.db, merchant))).toBe('pending/queued');
    // Euros under way to the destination do not count for this rule.
    await settings(merchant, { new_destination_above_minor: 1_000_000 });
    expect(await statusOf(await orderedPayout(database.db, merchant))).toBe('pending/queued');
  });
});

it('asks for no approval because of what is under way to another phone or bank account', async () => {
  const merchant = await merchantWith();
  await settings(merchant, { new_destination_above_minor: 900_000 });
  const bank = {
    destination_type: 'bank',
    phone: null,
    operator: null,
    holder: 'Awa Diop',
  } as const;
  const account = 'SN080100';
  for (const destination of [
    { phone: '+221770000100' },
    { phone: '+221770000101' },
    { ...bank, account, bank_code: 'SN08' },
    { ...bank, account, bank_code: 'SN09' },
    { ...bank, account: 'SN080101', bank_code: 'SN08' },
  ]) {
    const id = await orderedPayout(database.db, merchant, destination);
    expect([destination, await statusOf(id)]).toEqual([destination, 'pending/queued']);
  }
});

describe('a limit and a rule of the owners', () => {
  const live = { environment: 'live' } as const;
  const merchantOfBoth = async (): Promise<TestUser> => {
    const funds = { XOF: START, EUR: START };
    return buildUser(database.db, { funds: { live: funds, sandbox: funds } });
  };
  const outcomeOf = async (merchant: TestUser, fields: Partial<NewPayout>): Promise<string> =>
    (await orderPayout(database.db, merchant, fields)).outcome;

  it.each(['daily_minor', 'monthly_minor'])(
    'count what leaves in their currency and environment: %s',
    async (limit) => {
      const merchant = await merchantOfBoth();
      await settings(merchant, { [limit]: 1_000_000 });
      await orderedPayout(database.db, merchant, { currency: 'EUR', amount_minor: '900000' });
      await orderedPayout(database.db, merchant, { ...live, amount_minor: '900000' });
      const outcomes = [];
      for (let n = 0; n < 3; n += 1) outcomes.push(await outcomeOf(merchant, {}));
      expect(outcomes).toEqual(['created', 'created', 'limit_exceeded']);
    },
  );

  it('ask for an approval above the amount that they name, and not at it', async () => {
    const merchant = await merchantWith();
    await settings(merchant, { approval_above_minor: 500_000, new_destination_above_minor: null });
    const at = await orderedPayout(database.db, merchant, { amount_minor: '500000' });
    const above = await orderedPayout(database.db, merchant, { amount_minor: '500100' });
    expect([await statusOf(at), await statusOf(above)]).toEqual([
      'pending/queued',
      'requires_approval',
    ]);
  });

  it('ask for none because of what is under way to a live destination in the sandbox', async () => {
    const merchant = await merchantOfBoth();
    await settings(merchant, { new_destination_above_minor: 900_000 });
    await orderedPayout(database.db, merchant);
    expect(await statusOf(await orderedPayout(database.db, merchant, live))).toBe('pending/queued');
  });

  const bank = {
    destination_type: 'bank',
    phone: null,
    operator: null,
    holder: 'Awa Diop',
  } as const;
  const at = (account: string, bank_code: string) => ({ ...bank, account, bank_code });

  it.each<[string, Partial<NewPayout>, Partial<NewPayout>[]]>([
    ['phone', { phone: '+221770000100' }, [{ phone: '+221770000101' }]],
    ['bank account', at('SN080100', 'SN08'), [at('SN080101', 'SN08'), at('SN080100', 'SN09')]],
  ])(
    'know a %s by what the account has paid there, in this environment',
    async (_, place, others) => {
      const merchant = await merchantOfBoth();
      const answered = async (user: TestUser, fields: object, status: PayoutState['status']) =>
        answerPayout(database.db, await orderedPayout(database.db, user, { ...place, ...fields }), {
          status,
        });
      const rule = { new_destination_above_minor: 100_000 };
      const next = async (): Promise<string> => {
        await settings(merchant, rule);
        const id = await orderedPayout(database.db, merchant, place);
        const status = await statusOf(id);
        await cancelPayout(database.db, id, BY);
        await database.owner('payout_settings').where({ user_id: merchant.id }).delete();
        return status;
      };
      await answered(await merchantOfBoth(), {}, 'succeeded');
      await answered(merchant, live, 'succeeded');
      for (const other of others) await answered(merchant, other, 'succeeded');
      await answered(merchant, {}, 'failed');
      expect(await next()).toBe('requires_approval');
      await answered(merchant, {}, 'succeeded');
      expect(await next()).toBe('pending/queued');
    },
  );

  it('of live money are the owners’: a developer approves in the sandbox only, made less or not', async () => {
    const merchant = await merchantOfBoth();
    await settings(merchant, { approval_above_minor: 0 });
    const [developer, former, owner] = [
      await memberOf(merchant, 'developer'),
      await memberOf(merchant, 'owner'),
      await memberOf(merchant, 'owner'),
    ];
    await changeMemberRole(
      database.db,
      { user_id: merchant.id, login_id: former },
      'developer',
      [],
    );
    const [of_live, of_sandbox] = [
      await orderedPayout(database.db, merchant, live),
      await orderedPayout(database.db, merchant),
    ];
    for (const login of [developer, former]) {
      const approved = await approvePayout(database.db, of_live, login);
      const rejected = await rejectPayout(database.db, of_live, login, null);
      expect([approved, rejected]).toEqual(['forbidden', 'forbidden']);
    }
    expect(await approvePayout(database.db, of_sandbox, former)).toBe('done');
    expect(await approvePayout(database.db, of_live, owner)).toBe('done');
    expect([await statusOf(of_live), await statusOf(of_sandbox)]).toEqual([
      'pending/queued',
      'pending/queued',
    ]);
  });
});

describe('the provider’s word', () => {
  it('pays it: the money leaves, with its fee and its event', async () => {
    const merchant = await merchantWith();
    await setFee(1, 0);
    const id = await orderedPayout(database.db, merchant);
    await setFee(0, 0);
    expect(await answerPayout(database.db, id, { status: 'sent' })).toMatchObject({
      action: 'send',
      status: 'pending',
      stage: 'sent',
    });
    expect(await answerPayout(database.db, id, { status: 'succeeded' })).toMatchObject({
      action: 'find',
      status: 'succeeded',
      stage: null,
    });
    expect(await left(merchant)).toBe(START - 505_000n);
    expect(await eventsOf(id)).toEqual(['payout.sent', 'payout.succeeded']);
    expect(await historyOf(merchant, id)).toEqual(['withdrawal completed 505000 5000']);
    // Nothing is asked any more.
    expect(await beginAskingPayout(database.db, id)).toBeUndefined();
  });

  it('fails it: all of it comes back', async () => {
    const merchant = await merchantWith();
    await setFee(1, 0);
    const id = await orderedPayout(database.db, merchant);
    await setFee(0, 0);
    await answerPayout(database.db, id, { status: 'failed' });
    expect(await left(merchant)).toBe(START);
    expect(await eventsOf(id)).toEqual(['payout.failed']);
    expect(await historyOf(merchant, id)).toEqual([
      'reversal completed 505000 0',
      'withdrawal failed 505000 5000',
    ]);
    expect(JSON.parse((await getPayout(database.db, id)).json)).toMatchObject({
      status: 'failed',
      conclusive: true,
      failure: { code: 'rejected', message: 'No.', provider_code: 'E1' },
    });
  });

  it('gives it back in parts, and then whole', async () => {
    const merchant = await merchantWith();
    const [id, other] = [
      await orderedPayout(database.db, merchant),
      await orderedPayout(database.db, await merchantWith()),
    ];
    await answerPayout(database.db, id, { status: 'succeeded' });
    await answerPayout(database.db, other, { status: 'succeeded' });
    await noticeOfPayout(database, other);
    await answerPayout(database.db, other, { status: 'returned', returned: 500_000n });
    for (const returned of [200_000n, 200_000n, 500_000n]) {
      await noticeOfPayout(database, id);
      await answerPayout(database.db, id, { status: 'returned', returned });
    }
    expect(await statusOf(id)).toBe('returned');
    expect(await left(merchant)).toBe(START);
    expect(await eventsOf(id)).toEqual(['payout.succeeded', 'payout.returned', 'payout.returned']);
    const { reference } = await getPayout(database.db, id);
    const returns = database.owner('ledger_transactions').whereLike('reference', `${reference}/r%`);
    expect(await returns.orderBy('reference').pluck('reference')).toEqual(
      [1, 2].map((number) => `${reference}/returned/${number}`),
    );
    expect(await historyOf(merchant, id)).toEqual([
      'reversal completed 300000 0',
      'reversal completed 200000 0',
      'withdrawal reversed 500000 0',
    ]);
  });

  it('that fails what had succeeded is a return, and never a failure', async () => {
    const merchant = await merchantWith();
    const id = await orderedPayout(database.db, merchant);
    await answerPayout(database.db, id, { status: 'succeeded' });
    await noticeOfPayout(database, id);
    await answerPayout(database.db, id, { status: 'failed' });
    expect(await statusOf(id)).toBe('returned');
    expect(await left(merchant)).toBe(START);
  });

  it('that names another amount leaves it in doubt', async () => {
    const merchant = await merchantWith();
    const id = await orderedPayout(database.db, merchant);
    await answerPayout(database.db, id, { status: 'succeeded', paid: 400_000n });
    expect(await statusOf(id)).toBe('pending/unknown');
    expect(await left(merchant)).toBe(START - 500_000n);
    await answerPayout(database.db, id, { status: 'succeeded', paid: 500_000n });
    expect(await statusOf(id)).toBe('succeeded');
  });

  it('that it was paid after its money was given back is told, once, and books nothing', async () => {
    const merchant = await merchantWith();
    const id = await orderedPayout(database.db, merchant);
    await answerPayout(database.db, id, { status: 'failed' });
    const told: unknown[] = [];
    for (let times = 0; times < 2; times += 1) {
      await noticeOfPayout(database, id);
      told.push((await answerPayout(database.db, id, { status: 'succeeded' }))!.is_contradiction);
    }
    expect(told).toEqual([true, false]);
    expect(await statusOf(id)).toBe('failed');
    expect(await left(merchant)).toBe(START);
    const { reference } = await getPayout(database.db, id);
    expect(await verifyLedger(database.db)).toMatchObject([{ reference, is_loss: true }]);
    await settleLoss(database, reference);
  });

  it('counts only as the answer to the last question', async () => {
    const merchant = await merchantWith();
    const id = await orderedPayout(database.db, merchant);
    const first = (await beginAskingPayout(database.db, id))!;
    const second = (await beginAskingPayout(database.db, id))!;
    expect([first.action, second.action]).toEqual(['send', 'find']);
    const state: PayoutState = { status: 'failed', provider_payment_id: 'po_1' };
    await recordPayoutAnswer(database.db, id, first.asks, state);
    await recordPayoutFault(database.db, id, first.asks, 'late', true);
    expect(await statusOf(id)).toBe('pending/unknown');
    // A process that stood still between the two does not send it again either.
    expect(await beginSendingAgain(database.db, id, first.asks, { idempotent_by_id: true })).toBe(
      false,
    );
    const other = await orderedPayout(database.db, merchant);
    for (let times = 0; times < 2; times += 1) {
      await answerPayout(database.db, other, { status: 'queued' });
    }
    expect(await beginSendingAgain(database.db, id, second.asks, { idempotent_by_id: true })).toBe(
      true,
    );
    expect(await statusOf(other)).toBe('pending/queued');
    const detail = () => database.owner('payouts').where({ id }).first('detail');
    expect(await detail()).toEqual({ detail: null });
    const sent: PayoutState = { status: 'succeeded', provider_payment_id: `po_${id}` };
    await recordPayoutAnswer(database.db, id, second.asks, sent);
    await recordPayoutFault(database.db, id, second.asks, 'late', true);
    expect(await detail()).toEqual({ detail: null });
    expect(await beginSendingAgain(database.db, id, second.asks, { idempotent_by_id: true })).toBe(
      false,
    );
  });

  it('is missing: it waits as before only if nothing was done and it was never asked before', async () => {
    const merchant = await merchantWith();
    const id = await orderedPayout(database.db, merchant);
    const other = await orderedPayout(database.db, merchant);
    const ask = (await beginAskingPayout(database.db, id))!;
    await beginAskingPayout(database.db, other);
    expect(await statusOf(id)).toBe('pending/unknown');
    await recordPayoutFault(database.db, id, ask.asks, 'refused', true);
    expect([await statusOf(id), await statusOf(other)]).toEqual([
      'pending/queued',
      'pending/unknown',
    ]);
    const again = (await beginAskingPayout(database.db, id))!;
    await recordPayoutFault(database.db, id, again.asks, 'timeout', false);
    expect(await statusOf(id)).toBe('pending/unknown');
    // A payout in doubt never ends by a clock.
    await letPayoutExpire(database, id);
    expect((await beginAskingPayout(database.db, id))!.action).toBe('find');
    expect(await cancelPayout(database.db, id, BY)).toBe('payout_not_cancelable');
  });

  it('is asked for by a notice of its own provider and environment only', async () => {
    const merchant = await merchantWith();
    const id = await orderedPayout(database.db, merchant);
    const told = (environment: 'live' | 'sandbox', name: string) =>
      notePayoutNotice(database.db, { environment, name }, id);
    expect([await told('live', 'sandbox'), await told('sandbox', 'other')]).toEqual([false, false]);
    expect(await told('sandbox', 'sandbox')).toBe(true);
  });

  it('waits in a wallet that is too full to take it back', async () => {
    const merchant = await merchantWith();
    const id = await orderedPayout(database.db, merchant);
    const fill = (way: string): Promise<unknown> =>
      database.owner.raw(
        `select post_adjustment(?, ?, 'sandbox', 'XOF', 'sandbox_source', ?, 'fills it')`,
        [`ADJ-${way}`, merchant.id, (999_999_999_999_900n - START + 500_000n).toString()],
      );
    await fill(randomUUID());
    await answerPayout(database.db, id, { status: 'failed' });
    expect(await statusOf(id)).toBe('pending/unknown');
    await orderedPayout(database.db, merchant);
    await answerPayout(database.db, id, { status: 'failed' });
    expect(await statusOf(id)).toBe('failed');
  });
});

it('has its name looked for again when the wallet is too full to take it back', async () => {
  const merchant = await merchantWith();
  const [known, id] = [
    await orderedPayout(database.db, merchant),
    await orderedPayout(database.db, merchant),
  ];
  const check = { name_found: 'Awa', name_match: 'match' } as const;
  await recordPayoutCheck(database.db, known, check, null);
  await database.owner.raw(
    `select post_adjustment(?, ?, 'sandbox', 'XOF', 'sandbox_source', ?, 'fills it')`,
    [`ADJ-${id}`, merchant.id, (999_999_999_999_900n - START + 1_000_000n).toString()],
  );
  const failure = { code: 'rejected', message: 'No.', provider_code: null } as const;
  const other = { name_found: 'Binta', name_match: 'no_match' } as const;
  await recordPayoutCheck(database.db, id, other, failure);
  expect(await getPayout(database.db, id)).toMatchObject({ status: 'pending', name_found: null });
  expect(await getPayout(database.db, known)).toMatchObject({ name_found: 'Awa' });
  expect(await database.owner('payouts').where({ id: known }).first('detail')).toEqual({
    detail: null,
  });
});

describe('what waits at the provider', () => {
  it('can be taken back there, and is once it has waited for too long', async () => {
    const merchant = await merchantWith();
    const ids = [
      await orderedPayout(database.db, merchant),
      await orderedPayout(database.db, merchant),
    ];
    for (const id of ids) await answerPayout(database.db, id, { status: 'queued' });
    const [ordered, late] = ids as [string, string];
    expect(await cancelPayout(database.db, ordered, BY)).toBe('at_provider');
    const asks = (await beginCancelingPayout(database.db, ordered, BY))!;
    const canceled: PayoutState = { status: 'canceled', provider_payment_id: `po_${ordered}` };
    await recordPayoutAnswer(database.db, ordered, asks, canceled);
    await letPayoutExpire(database, late);
    expect(await answerPayout(database.db, late, { status: 'canceled' })).toMatchObject({
      action: 'cancel',
      status: 'canceled',
    });
    expect(await left(merchant)).toBe(START);
    expect(await cancelPayout(database.db, ordered, BY)).toBe('done');
    expect(await listPayoutTimeline(database.db, ordered)).toContainEqual(
      expect.objectContaining({ kind: 'cancel_requested', detail: BY }),
    );
  });
});

it('is taken back by its provider only while it waits there', async () => {
  const merchant = await merchantWith();
  for (const status of [null, 'sent', 'succeeded'] as const) {
    const id = await orderedPayout(database.db, merchant);
    if (status !== null) await answerPayout(database.db, id, { status });
    expect(await beginCancelingPayout(database.db, id, BY)).toBeUndefined();
  }
});

it('keeps the first name that was found, and none that comes after it was sent', async () => {
  const merchant = await merchantWith();
  const ids = [
    await orderedPayout(database.db, merchant),
    await orderedPayout(database.db, merchant),
  ] as const;
  const found = async (id: string, name_found: string): Promise<string | null> => {
    await recordPayoutCheck(database.db, id, { name_found, name_match: 'match' }, null);
    return (await getPayout(database.db, id)).name_found;
  };
  await answerPayout(database.db, ids[1], { status: 'sent' });
  expect([await found(ids[0], 'Awa'), await found(ids[0], 'Binta')]).toEqual(['Awa', 'Awa']);
  expect(await found(ids[1], 'Awa')).toBeNull();
});

describe('people', () => {
  it('confirm what was found, once; after a day it is canceled', async () => {
    const merchant = await merchantWith();
    const [id, late] = [
      await orderedPayout(database.db, merchant, { confirm: false }),
      await orderedPayout(database.db, merchant, { confirm: false }),
    ] as const;
    expect(await statusOf(id)).toBe('requires_confirmation');
    expect(await beginAskingPayout(database.db, id)).toBeUndefined();
    for (let times = 0; times < 2; times += 1) {
      expect(await confirmPayout(database.db, id, BY)).toBe('done');
    }
    expect(await statusOf(id)).toBe('pending/queued');
    await letPayoutExpire(database, late);
    expect(await confirmPayout(database.db, late, BY)).toBe('payout_not_confirmable');
    await beginAskingPayout(database.db, late);
    expect(await statusOf(late)).toBe('canceled');
    expect(await left(merchant)).toBe(START - 500_000n);
    expect(await eventsOf(id)).toEqual(['payout.requires_action']);
  });

  it('send nothing from an account that is frozen before the provider is asked', async () => {
    const merchant = await merchantWith();
    const id = await orderedPayout(database.db, merchant);
    const freeze = (at: string | null) =>
      database.owner.raw('update users set frozen_at = ?, frozen_reason = ? where id = ?', [
        at,
        at && 'why',
        merchant.id,
      ]);
    const others = await orderedPayout(database.db, await merchantWith());
    await freeze(new Date().toISOString());
    expect(await beginAskingPayout(database.db, id)).toBeUndefined();
    expect(await statusOf(id)).toBe('pending/queued');
    const unasked = await database.owner('payouts').where({ id: others }).first('asked_at');
    expect(unasked).toEqual({ asked_at: null });
    expect(await beginAskingPayout(database.db, others)).toMatchObject({ action: 'send' });
    await freeze(null);
    expect(await answerPayout(database.db, id, { status: 'succeeded' })).toMatchObject({
      action: 'send',
      status: 'succeeded',
    });
  });

  it('do not confirm for an account that is frozen meanwhile', async () => {
    const merchant = await merchantWith();
    const id = await orderedPayout(database.db, merchant, { confirm: false });
    const freeze = (at: string | null) =>
      database.owner.raw('update users set frozen_at = ?, frozen_reason = ? where id = ?', [
        at,
        at && 'why',
        merchant.id,
      ]);
    await freeze(new Date().toISOString());
    expect(await confirmPayout(database.db, id, BY)).toBe('account_frozen');
    await freeze(null);
    expect(await confirmPayout(database.db, id, BY)).toBe('done');
  });

  it('approve as others than who ordered it, each once, even two at the same time', async () => {
    const merchant = await merchantWith();
    const creator = await memberOf(merchant, 'developer');
    const [one, two, viewer] = [
      await memberOf(merchant, 'developer'),
      await memberOf(merchant, 'developer'),
      await memberOf(merchant, 'viewer'),
    ] as const;
    await settings(merchant, { approval_above_minor: 499_900, approvers: 2 });
    const id = await orderedPayout(database.db, merchant, { ordered_by: creator, confirm: false });
    expect(await statusOf(id)).toBe('requires_approval');
    const approve = (login: string) => approvePayout(database.db, id, login);
    expect(await approve(creator)).toBe('approval_by_creator');
    expect(await approve(viewer)).toBe('forbidden');
    expect(await approve(await memberOf(await merchantWith(), 'owner'))).toBe('forbidden');
    expect(await Promise.all([approve(one), approve(one)])).toEqual(['done', 'done']);
    expect(await statusOf(id)).toBe('requires_approval');
    expect(await approve(two)).toBe('done');
    expect(await statusOf(id)).toBe('requires_confirmation');
    expect(await approve(two)).toBe('done');
    const { json } = await getPayout(database.db, id);
    expect(JSON.parse(json)).toMatchObject({ approval: { needed: 2, given: [{}, {}] } });
  });

  it('approve at the same time as one another, and it goes on once', async () => {
    const merchant = await merchantWith();
    const owners = [await memberOf(merchant, 'owner'), await memberOf(merchant, 'owner')];
    await settings(merchant, { approval_above_minor: 0, approvers: 2 });
    const id = await orderedPayout(database.db, merchant, { confirm: false });
    // Both have begun before the first may go on. An approval's reference to the payout does not wait for this lock.
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query('select from payouts where id = $1 for no key update', [id]);
    const both = Promise.all(owners.map((login) => approvePayout(database.db, id, login)));
    await untilSessionsWait(database, 2);
    await session.query('rollback');
    expect(await both).toEqual(['done', 'done']);
    expect(await statusOf(id)).toBe('requires_confirmation');
    // The first one is of the order, which waits for them.
    expect(await eventsOf(id)).toEqual(['payout.requires_action', 'payout.requires_action']);
  });

  it('do not approve after seven days, nor what was rejected; the money is back', async () => {
    const merchant = await merchantWith();
    const other = await memberOf(merchant, 'developer');
    await settings(merchant, { approval_above_minor: 0 });
    const [late, rejected] = [
      await orderedPayout(database.db, merchant),
      await orderedPayout(database.db, merchant),
    ] as const;
    await letPayoutExpire(database, late);
    const refused = 'payout_not_approvable';
    expect(await approvePayout(database.db, late, other)).toBe(refused);
    await beginAskingPayout(database.db, late);
    for (let times = 0; times < 2; times += 1) {
      expect(await rejectPayout(database.db, rejected, other, 'no')).toBe('done');
    }
    expect(await approvePayout(database.db, rejected, other)).toBe(refused);
    expect([await statusOf(late), await statusOf(rejected)]).toEqual(['canceled', 'canceled']);
    expect(await left(merchant)).toBe(START);
  });

  it('approve the first payout to a destination, and no later one', async () => {
    const merchant = await merchantWith();
    await settings(merchant, { new_destination_above_minor: 100_000 });
    const other = await memberOf(merchant, 'developer');
    const first = await orderedPayout(database.db, merchant);
    expect(await statusOf(first)).toBe('requires_approval');
    await approvePayout(database.db, first, other);
    await answerPayout(database.db, first, { status: 'failed' });
    const second = await orderedPayout(database.db, merchant);
    expect(await statusOf(second)).toBe('requires_approval');
    await approvePayout(database.db, second, other);
    await answerPayout(database.db, second, { status: 'succeeded' });
    expect(await statusOf(await orderedPayout(database.db, merchant))).toBe('pending/queued');
    const elsewhere = await orderedPayout(database.db, merchant, { phone: '+221770000101' });
    expect(await statusOf(elsewhere)).toBe('requires_approval');
  });

  it('approve the first payout to an account of the same number at another bank', async () => {
    const merchant = await merchantWith();
    await settings(merchant, { new_destination_above_minor: 100_000 });
    const other = await memberOf(merchant, 'developer');
    const order = (bank_code: string | null): Promise<string> =>
      orderedPayout(database.db, merchant, {
        destination_type: 'bank',
        phone: null,
        operator: null,
        account: '1234567890',
        holder: 'Awa Diop',
        bank_code,
      });
    const first = await order('SN010');
    await approvePayout(database.db, first, other);
    await answerPayout(database.db, first, { status: 'succeeded' });
    const statuses = [];
    for (const bank_code of ['SN010', 'SN011', null]) {
      statuses.push(await statusOf(await order(bank_code)));
    }
    expect(statuses).toEqual(['pending/queued', 'requires_approval', 'requires_approval']);
  });

  it('approve a new destination for what goes there in several small payouts', async () => {
    const merchant = await merchantWith();
    await settings(merchant, { new_destination_above_minor: 900_000 });
    const seen = [];
    for (let count = 0; count < 2; count += 1) {
      // The order meets the rule that the page shows before the button.
      const { id: _, ...unwritten } = buildNewPayout(merchant);
      const { approvals_needed } = await previewPayout(database.db, unwritten);
      seen.push([approvals_needed, await statusOf(await orderedPayout(database.db, merchant))]);
    }
    expect(seen).toEqual([
      [0, 'pending/queued'],
      [1, 'requires_approval'],
    ]);
  });

  it('approve as long as they may: what a former member has approved does not count', async () => {
    const merchant = await merchantWith();
    const [former, one, two] = [
      await memberOf(merchant, 'developer'),
      await memberOf(merchant, 'developer'),
      await memberOf(merchant, 'developer'),
    ] as const;
    await settings(merchant, { approval_above_minor: 0, approvers: 2 });
    const id = await orderedPayout(database.db, merchant);
    // Nor does one of another payout.
    await approvePayout(database.db, await orderedPayout(database.db, merchant), one);
    await approvePayout(database.db, id, former);
    await database.owner('memberships').where({ login_id: former }).delete();
    await approvePayout(database.db, id, one);
    expect(await statusOf(id)).toBe('requires_approval');
    await approvePayout(database.db, id, two);
    expect(await statusOf(id)).toBe('pending/queued');
  });

  it('approve again when the approver has left before the confirmation', async () => {
    const merchant = await merchantWith();
    const [former, other] = [
      await memberOf(merchant, 'developer'),
      await memberOf(merchant, 'developer'),
    ] as const;
    await settings(merchant, { approval_above_minor: 0, approvers: 1 });
    const id = await orderedPayout(database.db, merchant, { confirm: false });
    await approvePayout(database.db, id, former);
    expect(await statusOf(id)).toBe('requires_confirmation');
    await database.owner('memberships').where({ login_id: former }).delete();
    expect(await confirmPayout(database.db, id, BY)).toBe('done');
    expect(await statusOf(id)).toBe('requires_approval');
    expect(await confirmPayout(database.db, id, BY)).toBe('done');
    await approvePayout(database.db, id, other);
    expect(await statusOf(id)).toBe('pending/queued');
  });

  it('confirm, and nothing is sent while the name that has to match is not known', async () => {
    const merchant = await merchantWith();
    const fields = { confirm: false, name: 'Awa Diop', name_check: 'require' } as const;
    const id = await orderedPayout(database.db, merchant, fields);
    // A process that follows it has read the row before the confirmation, when no check was due.
    await confirmPayout(database.db, id, BY);
    expect((await getPayout(database.db, id)).is_check_due).toBe(true);
    expect(await beginAskingPayout(database.db, id)).toBeUndefined();
    await recordPayoutCheck(database.db, id, { name_found: 'Awa Diop', name_match: 'match' }, null);
    expect(await beginAskingPayout(database.db, id)).toMatchObject({ action: 'send' });
  });

  it('cancel what nobody was asked for', async () => {
    const merchant = await merchantWith();
    const ids = [
      await orderedPayout(database.db, merchant),
      await orderedPayout(database.db, merchant, { confirm: false }),
    ];
    for (const id of ids) {
      expect(await cancelPayout(database.db, id, BY)).toBe('done');
      expect(await statusOf(id)).toBe('canceled');
    }
    expect(await left(merchant)).toBe(START);
    const paid = await orderedPayout(database.db, merchant);
    await answerPayout(database.db, paid, { status: 'succeeded' });
    expect(await cancelPayout(database.db, paid, BY)).toBe('payout_not_cancelable');
  });
});

describe('while a cancellation is not committed yet', () => {
  it.each<[string, Partial<NewPayout>, (id: string, login: string) => Promise<unknown>, unknown]>([
    [
      'an approval',
      {},
      (id, login) => approvePayout(database.db, id, login),
      'payout_not_approvable',
    ],
    [
      'a rejection',
      {},
      (id, login) => rejectPayout(database.db, id, login, null),
      'payout_not_approvable',
    ],
    [
      'a confirmation',
      { confirm: false },
      (id) => confirmPayout(database.db, id, BY),
      'payout_not_confirmable',
    ],
    ['a second one', {}, (id) => cancelPayout(database.db, id, BY), 'done'],
    ['a question', {}, (id) => beginAskingPayout(database.db, id), undefined],
  ])('%s waits for it', async (what, fields, decide, decided) => {
    const merchant = await merchantWith();
    const owner = await memberOf(merchant, 'owner');
    const is_approved = what === 'an approval' || what === 'a rejection';
    if (is_approved) await settings(merchant, { approval_above_minor: 0 });
    const id = await orderedPayout(database.db, merchant, fields);
    const second = await whileUncommitted(
      database,
      (session) => session.query('select cancel_payout($1, $2)', [id, JSON.stringify(BY)]),
      () => decide(id, owner),
    );
    expect(second).toEqual(decided);
    expect([await statusOf(id), await left(merchant)]).toEqual(['canceled', START]);
  });
});

it('takes no answer to a question before one that is not committed yet', async () => {
  const merchant = await merchantWith();
  const id = await orderedPayout(database.db, merchant);
  const { asks } = (await beginAskingPayout(database.db, id))!;
  const failed = { status: 'failed', provider_payment_id: `po_${id}` } as const;
  const answer = await whileUncommitted(
    database,
    (session) => session.query('select begin_asking_payout($1)', [id]),
    () => recordPayoutAnswer(database.db, id, asks, failed),
  );
  expect(answer).toMatchObject({ status: 'pending', stage: 'unknown' });
  expect(await left(merchant)).toBe(START - 500_000n);
});

describe('a name that is compared', () => {
  it('may be tried with five that are not the recipient’s in a day, and is then told no more', async () => {
    const { id: user_id } = await merchantWith();
    const may = (name: string, match: 'match' | 'close' | 'no_match', place = 'phone:1') =>
      mayTellName(
        database.db,
        { user_id, environment: 'live' },
        { destination: place, name, match },
      );
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
    const { id: user_id } = await merchantWith();
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
  const [merchant, other] = [await merchantWith(), await merchantWith()];
  const none = { single_minor: null, daily_minor: null, monthly_minor: null };
  const set = ({ id: user_id }: TestUser, currency: 'XOF' | 'EUR', approval_above_minor: bigint) =>
    setPayoutSettings(
      database.db,
      { user_id, currency },
      { ...none, approval_above_minor, approvers: 1, new_destination_above_minor: null },
      [],
    );
  await set(other, 'XOF', 1n);
  await set(merchant, 'EUR', 2n);
  const changed = [];
  for (const above of [3n, 3n, 4n]) changed.push(await set(merchant, 'XOF', above));
  expect(changed).toEqual([true, false, true]);
  const read = async ({ id }: TestUser, currency: 'XOF' | 'EUR') =>
    (await readPayoutSettings(database.db, id, currency)).approval_above_minor;
  const above = [
    await read(other, 'XOF'),
    await read(merchant, 'EUR'),
    await read(merchant, 'XOF'),
  ];
  expect(above).toEqual([1n, 2n, 4n]);
});

it('is the caller’s own, by id, reference, status and currency', async () => {
  const [merchant, other] = [await merchantWith(), await merchantWith()];
  const id = await orderedPayout(database.db, merchant);
  const { reference } = await getPayout(database.db, id);
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
      const { db } = database;
      const merchant = await merchantWith(2_000_000n);
      const ids: string[] = [];
      for (const { of, ...todo } of steps) {
        const id = ids[of % Math.max(1, ids.length)];
        if (todo.do === 'order') {
          const payout = buildNewPayout(merchant, { confirm: of % 2 === 1 });
          if ((await orderPayout(db, merchant, payout)).outcome === 'created') ids.push(payout.id);
        }
        if (id === undefined) continue;
        if (todo.do === 'confirm') await confirmPayout(db, id, BY);
        if (todo.do === 'cancel') await cancelPayout(db, id, BY);
        if (todo.do === 'expire') await letPayoutExpire(database, id);
        if (todo.do === 'notice') await noticeOfPayout(database, id);
        if (todo.do === 'answer') {
          const returned = BigInt(todo.returned) * 100_000n;
          await answerPayout(db, id, { status: todo.status, returned });
        }
        if (todo.do === 'doubt' || todo.do === 'not_done') {
          const ask = await beginAskingPayout(db, id);
          if (ask)
            await recordPayoutFault(
              db,
              id,
              ask.asks,
              'fault',
              todo.do === 'not_done' && ask.action === 'send',
            );
        }
      }
      let expected = 2_000_000n;
      for (const id of ids) {
        const { status, amount_minor, returned_minor } = await getPayout(db, id);
        if (status !== 'failed' && status !== 'canceled') expected -= amount_minor - returned_minor;
      }
      expect(await left(merchant)).toBe(expected);
      const violations = await verifyLedger(db);
      expect(violations.filter(({ is_loss }) => !is_loss)).toEqual([]);
      for (const { reference } of await listLosses(db)) await settleLoss(database, reference);
    }),
    { numRuns: 25 },
  );
});
