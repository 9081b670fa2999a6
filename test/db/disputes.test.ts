// Disputes in the database: what each answer of a gateway moves, what wallets owe, and what operators have to see.

import fc from 'fast-check';
import type { Client } from 'pg';
import { freezeAccount } from '../../db/accounts/users';
import {
  claimDisputeNotices,
  listDisputes,
  listOperatorDisputes,
  listTroubledDisputes,
  noteDisputeFault,
  noteDisputeNotice,
  markGoneGateways,
  recordDisputeAnswer,
  settleDispute,
  takeNextOwed,
  type DisputeQuestion,
  type RecordedDispute,
  type SettledDispute,
} from '../../db/disputes/disputes';
import type { NewIntent } from '../../db/payment-intents/intents';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import { acceptSuspense } from '../../db/suspense/suspense';
import type { DisputeState } from '../../domain/dispute';
import type { PaymentNotification } from '../../domain/payment';
import { auditOf } from '../support/audit';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import {
  createTestDatabase,
  pastLock,
  whileUncommitted,
  type TestDatabase,
} from '../support/database';
import {
  disputeOf,
  GATEWAY,
  placeOf,
  question,
  rowOf,
  say,
  type DisputedPayment,
} from '../support/disputes';
import { buildTransferRequest, movedBy, post } from '../support/postings';
import { accept, openIntent, setUpRefunds } from '../support/refunds';
import { buildUser, fund, type TestUser } from '../support/users';
import { notificationOf, suspenseOf } from '../workflows/intents';

const world = setUpRefunds();
const { database, merchant, wallet, receive, order, ordered } = world;

afterEach(() => expectBooksHold(database.db));

const pay = (amount_minor = '500000', of: TestUser = merchant): Promise<NewIntent> =>
  world.pay({ amount_minor }, of);
const credit = (amount: bigint, of: TestUser = merchant): Promise<unknown> =>
  fund(database.db, of.id, 'sandbox', 'XOF', amount);

/** The money goes back to the customer, so that the wallet lacks it. */
const spend = (intent: NewIntent, amount_minor: bigint): Promise<string> =>
  ordered(intent, { amount_minor: String(amount_minor) });

const disputed = (
  intent: NewIntent,
  fields: Partial<DisputeState> = {},
): Promise<DisputedPayment> => disputeOf(database, intent, fields);

/** A dispute of a payment of its own. */
const newDispute = async (fields: Partial<DisputeState> = {}): Promise<DisputedPayment> =>
  disputed(await pay(), fields);

/** The gateway says this, or that it is open. */
const says = (of: DisputedPayment, status?: DisputeState['status']): Promise<RecordedDispute> =>
  say(database.db, of, status === undefined ? {} : { status });

/** Open, while the wallet has so much less than the payment. */
async function owing(spent: bigint): Promise<DisputedPayment> {
  const intent = await pay();
  await spend(intent, spent);
  const opened = await disputed(intent);
  await says(opened);
  return opened;
}

const takeOwed = () => takeNextOwed(database.db);
const row = (of: DisputedPayment) => rowOf(database, of);

async function moved(of: DisputedPayment): Promise<Record<string, bigint>> {
  const found = await row(of);
  return found ? movedBy(database, found.reference) : {};
}

async function history(): Promise<string[]> {
  const rows = await database
    .owner('transactions')
    .where({ user_id: merchant.id })
    .whereLike('reference', 'DSP-%')
    .orderBy('created_at');
  return rows.map((one) => `${one.type} ${one.amount_minor} ${one.description}`);
}

async function eventsOf({ dispute_id: provider_dispute_id }: DisputedPayment): Promise<string[]> {
  const ids = database.owner('disputes').where({ provider_dispute_id }).select('id');
  const rows = await database.owner('events').whereIn('dispute_id', ids).orderBy('sequence');
  return rows.map(({ type, body }) => `${type} ${JSON.parse(body).data.owed_amount}`);
}

/** The gateway's notice of it. */
const noticeOf = ({ dispute_id }: DisputedPayment) =>
  database.owner('dispute_notices').where({ dispute_id });

const problemOf = async ({ dispute_id }: DisputedPayment): Promise<string | undefined> => {
  const troubled = await listTroubledDisputes(database.operator, 1000);
  return troubled.find((one) => one.dispute_id === dispute_id)?.problem;
};

const settle = (
  { gateway, environment, dispute_id }: DisputedPayment,
  verdict: 'won' | 'lost' | null = null,
  operator = database.operator,
): Promise<SettledDispute> => {
  const settlement = { gateway, environment, dispute_id, verdict, reason: 'paid by hand' };
  return settleDispute(operator, settlement, 'tests');
};

async function sixHoursLater({ dispute_id }: DisputedPayment): Promise<void> {
  await database.owner.raw(
    `update dispute_notices set next_try_at = next_try_at - interval '6 hours' where dispute_id = ?`,
    [dispute_id],
  );
}

describe('what a gateway says of a dispute', () => {
  type Status = DisputeState['status'];
  const HELD = { wallet: -500_000n, disputes: 500_000n };
  const GONE = { wallet: -600_000n, gateway_clearing: 600_000n };
  const ONLY_FEE = { wallet: -100_000n, gateway_clearing: 100_000n };
  const [TAKEN, BACK] = ['dispute 500000 fraudulent', 'reversal 500000 null'] as const;
  const FEE = 'dispute 100000 fee';

  it.each<[Status[], Record<string, bigint>, Status[], string[]]>([
    [['open'], HELD, ['open'], [TAKEN]],
    [['open', 'open'], HELD, ['open'], [TAKEN]],
    [['open', 'won', 'won'], {}, ['open', 'won'], [TAKEN, BACK]],
    [['open', 'lost', 'lost'], GONE, ['open', 'lost'], [TAKEN, FEE]],
    // The first notice was lost, or came after the last one.
    [['lost', 'open'], GONE, ['open', 'lost'], [TAKEN, FEE]],
    [['won'], {}, ['open', 'won'], [TAKEN, BACK]],
    // An appeal: the fee stays.
    [['lost', 'open', 'won'], ONLY_FEE, ['open', 'lost', 'won'], [TAKEN, FEE, BACK]],
    [['none', 'none'], {}, [], []],
    [['inquiry', 'none'], {}, [], []],
    [['inquiry', 'open'], HELD, ['open'], [TAKEN]],
    [['open', 'none', 'none'], {}, ['open', 'won'], [TAKEN, BACK]],
  ])('%p moves %p once', async (answers, money, told, rows) => {
    const dispute = await newDispute();
    await credit(100_000n);
    for (const status of answers) await says(dispute, status);
    expect(await moved(dispute)).toEqual(money);
    expect(await wallet()).toBe(600_000n + (money.wallet ?? 0n));
    const events = told.map((one) => `dispute.${one === 'open' ? 'opened' : one} 0`);
    expect(await eventsOf(dispute)).toEqual(events);
    expect(await history()).toEqual(rows);
    expect(await problemOf(dispute)).toBeUndefined();
  });

  it('is booked once by two at once, and an answer that is out of date not at all', async () => {
    const dispute = await newDispute();
    const early = await question(database.db, dispute);
    const asked = await question(database.db, dispute);
    const record = (given: typeof asked, status: DisputeState['status']) =>
      recordDisputeAnswer(database.db, GATEWAY, given, { ...dispute.state, status });
    expect(await record(early, 'lost')).toMatchObject({ outcome: 'stale', reference: null });
    const both = await Promise.all([record(asked, 'open'), record(asked, 'open')]);
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(['opened', 'unchanged']);
    expect(await moved(dispute)).toEqual({ wallet: -500_000n, disputes: 500_000n });
  });

  it.each<Status>(['open', 'inquiry'])(
    'is asked for again when a notice came meanwhile, and later while it is %p',
    async (status) => {
      const dispute = await newDispute({ status });
      const asked = await question(database.db, dispute);
      await noteDisputeNotice(database.db, 'sandbox', dispute);
      const none = { ...dispute.state, status: 'none' } as const;
      await recordDisputeAnswer(database.db, GATEWAY, asked, none);
      const due = async (): Promise<string[]> =>
        (await claimDisputeNotices(database.db, GATEWAY, 100)).map(({ dispute_id }) => dispute_id);
      expect(await due()).toContain(dispute.dispute_id);
      await says(dispute);
      expect(await due()).not.toContain(dispute.dispute_id);
      await sixHoursLater(dispute);
      expect(await due()).toContain(dispute.dispute_id);
      await says(dispute, 'lost');
      expect(await noticeOf(dispute)).toEqual([]);
    },
  );

  it('is opened after an inquiry though the notice of it is lost', async () => {
    const dispute = await newDispute();
    await says(dispute, 'inquiry');
    await sixHoursLater(dispute);
    const due = await claimDisputeNotices(database.db, GATEWAY, 100);
    const asked = due.find(({ dispute_id }) => dispute_id === dispute.dispute_id)!;
    const { outcome } = await recordDisputeAnswer(database.db, GATEWAY, asked, dispute.state);
    expect(outcome).toBe('opened');
  });

  it('cannot be committed without its event', async () => {
    const dispute = await newDispute();
    await says(dispute);
    await expect(
      database.owner.raw(
        `update disputes set status = 'lost', closed_at = now() where provider_dispute_id = ?`,
        [dispute.dispute_id],
      ),
    ).rejects.toThrow('has no event for its state');
  });
});

describe('a payment', () => {
  it('is disputed in parts, each a dispute of its own, after a refund, too', async () => {
    const intent = await pay();
    await spend(intent, 200_000n);
    const parts = [
      await disputed(intent, { amount_minor: '100000' }),
      await disputed(intent, { amount_minor: '150000' }),
    ];
    for (const part of parts) await says(part);
    expect(await wallet()).toBe(50_000n);
    await says(parts[0]!, 'won');
    expect(await wallet()).toBe(150_000n);
    const { user_id, environment } = intent;
    const query = { user_id, environment, before: undefined, limit: 10 } as const;
    const listed = async (filters: object): Promise<bigint[]> =>
      (await listDisputes(database.db, { ...query, filters })).map((one) => one.amount_minor);
    expect(await listed({ payment_intent_id: intent.id })).toEqual([150_000n, 100_000n]);
    expect(await listed({ status: 'won', currency: 'XOF' })).toEqual([100_000n]);
  });

  it('is refunded neither while its dispute is open nor once it is lost, and again when it is won', async () => {
    const intent = await pay();
    const dispute = await disputed(intent);
    await credit(1_000_000n);
    await says(dispute);
    expect(await order(intent)).toMatchObject({ outcome: 'payment_disputed' });
    await says(dispute, 'lost');
    expect(await order(intent)).toMatchObject({ outcome: 'payment_disputed' });
    expect(await order(await pay())).toMatchObject({ outcome: 'created' });
    await says(dispute, 'won');
    expect(await order(intent)).toMatchObject({ outcome: 'created' });
  });

  it('gives also when the wallet is held: the bank has the money already', async () => {
    const dispute = await newDispute();
    await freezeAccount(database.operator, merchant.id, 'fraud', 'tests');
    await says(dispute);
    expect(await wallet()).toBe(0n);
  });

  it('that an operator accepted from suspense is disputed like any other', async () => {
    const intent = await openIntent(database.db, merchant);
    const payment = await receive(intent, 300_000n);
    const dispute = await disputed(intent, { amount_minor: '300000' });
    expect(await says(dispute)).toMatchObject({ outcome: 'in_suspense' });
    await accept(database, payment, true);
    expect(await says(dispute)).toMatchObject({ outcome: 'opened' });
    expect(await moved(dispute)).toEqual({ wallet: -300_000n, disputes: 300_000n });
  });
});

describe('what the wallet lacks', () => {
  it('is owed, and taken from what arrives next', async () => {
    const dispute = await owing(400_000n);
    expect(await eventsOf(dispute)).toEqual(['dispute.opened 4000']);
    // Money in the merchant's other wallets does not have this one searched again and again.
    await fund(database.db, merchant.id, 'sandbox', 'EUR', 100n);
    await fund(database.db, merchant.id, 'live', 'XOF', 100n);
    expect(await takeOwed()).toBe(false);
    await pay('100000');
    expect(await takeOwed()).toBe(true);
    expect(await row(dispute)).toMatchObject({ owed_minor: 300_000n });
    await credit(350_000n);
    expect(await takeOwed()).toBe(true);
    expect(await takeOwed()).toBe(false);
    expect(await row(dispute)).toMatchObject({ owed_minor: 0n, taken_minor: 500_000n });
    expect(await wallet()).toBe(50_000n);
    expect(await moved(dispute)).toEqual({ wallet: -500_000n, disputes: 500_000n });
  });

  it('is taken from a transfer, too', async () => {
    const intent = await world.pay({ environment: 'live', amount_minor: '500000' });
    await spend(intent, 500_000n);
    const dispute = await disputed(intent);
    await says(dispute);
    const sender = await buildUser(database.db, { funds: { live: { XOF: 700_000n } } });
    const transfer = { from: sender, to: merchant, amount: 700_000n };
    await post(database.db, [buildTransferRequest(transfer)]);
    expect(await takeOwed()).toBe(true);
    expect(await balanceOf(database.db, merchant)).toBe(200_000n);
    expect(await row(dispute)).toMatchObject({ owed_minor: 0n });
  });

  it('lapses when the dispute is won after a part was taken', async () => {
    const dispute = await owing(400_000n);
    await says(dispute, 'won');
    expect(await row(dispute)).toMatchObject({ owed_minor: 0n, taken_minor: 100_000n });
    expect(await wallet()).toBe(100_000n);
    expect(await takeOwed()).toBe(false);
  });

  it('leaves us as it arrives once the dispute is lost, the fee last', async () => {
    const intent = await pay();
    await spend(intent, 400_000n);
    const dispute = await disputed(intent);
    await says(dispute, 'lost');
    expect(await eventsOf(dispute)).toEqual(['dispute.opened 4000', 'dispute.lost 5000']);
    await credit(450_000n);
    expect(await takeOwed()).toBe(true);
    expect(await row(dispute)).toMatchObject({
      taken_minor: 500_000n,
      fee_taken_minor: 50_000n,
      owed_minor: 50_000n,
    });
    expect(await moved(dispute)).toEqual({ wallet: -550_000n, gateway_clearing: 550_000n });
    await credit(50_000n);
    expect(await takeOwed()).toBe(true);
    expect(await wallet()).toBe(0n);
  });
});

describe('operators see', () => {
  it.each([
    ['won', {}, ['opened 0', 'won 0']],
    ['lost', { wallet: -500_000n, gateway_clearing: 500_000n }, ['opened 0', 'lost 0']],
  ] as const)(
    'an open one, which ends as the operator says: %s',
    async (verdict, money, events) => {
      const dispute = await newDispute();
      await says(dispute);
      await say(database.db, dispute, { amount_minor: '400000' });
      const listed = await listTroubledDisputes(database.operator, 1000);
      expect(listed.find(({ dispute_id }) => dispute_id === dispute.dispute_id)).toMatchObject({
        problem: 'amount',
        is_open: true,
      });
      expect(await settle(dispute)).toBe('verdict_due');
      expect(await moved(dispute)).toEqual({ wallet: -500_000n, disputes: 500_000n });
      expect(await settle(dispute, verdict)).toBe('done');
      expect(await moved(dispute)).toEqual(money);
      expect(await row(dispute)).toMatchObject({ status: verdict, fee_minor: 0n });
      expect(await eventsOf(dispute)).toEqual(events.map((event) => `dispute.${event}`));
      expect(await problemOf(dispute)).toBeUndefined();
      const decided = await auditOf(database, `dispute/${dispute.dispute_id}`);
      expect(decided).toMatchObject([{ details: { verdict } }]);
      // The gateway's word afterwards is booked as after an earlier one of its own.
      const then = await says(dispute, 'won');
      expect(then.outcome).toBe(verdict === 'won' ? 'unchanged' : 'won');
    },
  );

  it('an open one whose wallet is too full for the operator’s word, which stays open', async () => {
    const dispute = await newDispute();
    await says(dispute);
    await credit(999_999_999_999_900n);
    await says(dispute, 'won');
    expect(await settle(dispute, 'won')).toBe('limit_exceeded');
    expect(await problemOf(dispute)).toBe('limit_exceeded');
    expect(await row(dispute)).toMatchObject({ status: 'open' });
  });

  it.each<[string, Partial<DisputeState>, number]>([
    ['unknown_payment', { provider_payment_id: 'pay_of_nobody' }, 1],
    ['currency', { currency: 'EUR' }, 0],
  ])(
    'a dispute that cannot be booked, and is none of ours after a day without its payment: %s',
    async (problem, fields, given_up) => {
      const dispute = await newDispute(fields);
      expect(await says(dispute)).toMatchObject({ outcome: problem });
      expect(await problemOf(dispute)).toBe(problem);
      expect(await wallet()).toBe(500_000n);
      const asked_later = `next_try_at > now() and next_try_at < 'infinity'`;
      expect(await noticeOf(dispute).whereRaw(asked_later)).toHaveLength(1);
      const asked = await question(database.db, dispute);
      await database.owner.raw(
        `update dispute_notices set noted_at = noted_at - interval '25 hours' where dispute_id = ?`,
        [dispute.dispute_id],
      );
      await recordDisputeAnswer(database.db, GATEWAY, asked, dispute.state);
      const over = noticeOf(dispute).where({ next_try_at: 'infinity' });
      expect(await over).toHaveLength(given_up);
    },
  );

  it.each<[string, DisputeState['status'][], Partial<DisputeState>]>([
    ['amount', ['open'], { amount_minor: '400000' }],
    ['contradiction', ['open', 'won'], { status: 'lost' }],
    ['contradiction', ['lost'], { status: 'none' }],
  ])('one that changes as it should not: %s', async (problem, before, then) => {
    const dispute = await newDispute();
    await credit(100_000n);
    for (const status of before) await says(dispute, status);
    const money = await moved(dispute);
    expect(await say(database.db, dispute, then)).toMatchObject({ outcome: problem });
    expect(await problemOf(dispute)).toBe(problem);
    expect(await moved(dispute)).toEqual(money);
  });

  it('one that is won while its wallet is too full, until there is room', async () => {
    const intent = await pay();
    const dispute = await disputed(intent);
    await says(dispute);
    await credit(999_999_999_999_900n);
    expect(await says(dispute, 'won')).toMatchObject({ outcome: 'limit_exceeded' });
    const other = await disputed(intent, { amount_minor: '600000' });
    await says(other);
    expect(await says(dispute, 'won')).toMatchObject({ outcome: 'won' });
    expect(await problemOf(dispute)).toBeUndefined();
  });

  it('one until an operator has settled it, on record, and again when the gateway gives notice', async () => {
    const dispute = await newDispute({ currency: 'USD' });
    await says(dispute);
    const { dispute_id, environment } = dispute;
    expect(await settle(dispute)).toBe('done');
    expect(await settle(dispute)).toBe('not_found');
    expect(await problemOf(dispute)).toBeUndefined();
    const given = { gateway: 'sandbox', environment, dispute: dispute_id };
    const details = { ...given, reason: 'paid by hand' };
    expect(await auditOf(database, `dispute/${dispute_id}`)).toEqual([
      { actor: 'tests', action: 'disputes.settle', details },
    ]);
    await says(dispute);
    expect(await problemOf(dispute)).toBe('currency');
  });

  it('why a gateway could not be asked, which nobody can settle, and those that are open or owed first', async () => {
    const [first, second] = [await newDispute(), await newDispute()];
    for (const one of [first, second]) await says(one);
    await says(second, 'won');
    const asked = await question(database.db, first);
    await noteDisputeFault(database.db, GATEWAY, asked, 'the gateway is away');
    expect(await problemOf(first)).toBe('the gateway is away');
    expect(await settle(first)).toBe('not_found');
    expect(await problemOf(first)).toBe('the gateway is away');
    const listed = await listOperatorDisputes(database.operator, 1000);
    const mine = listed.filter(({ username }) => username === merchant.username);
    const ids = mine.map((one) => one.provider_dispute_id);
    expect(ids).toEqual([first.dispute_id, second.dispute_id]);
  });
});

describe('a gateway that is configured no more', () => {
  const note = (environment: 'live' | 'sandbox', configured: string[]) =>
    markGoneGateways(database.db, environment, configured);

  it('leaves its open disputes to an operator, who ends them', async () => {
    const [open, ended] = [await newDispute(), await newDispute()];
    for (const one of [open, ended]) await says(one);
    await says(ended, 'lost');
    await noticeOf(ended).delete();
    await note('sandbox', []);
    expect(await problemOf(open)).toBe('gateway_gone');
    expect(await noticeOf(ended)).toEqual([]);
    expect(await settle(open, 'won')).toBe('done');
    expect(await row(open)).toMatchObject({ status: 'won' });
  });

  it('is another matter than one that is, and than the other environment', async () => {
    const open = await newDispute();
    await says(open);
    await note('sandbox', ['other', GATEWAY.name]);
    await note('live', []);
    expect(await problemOf(open)).toBeUndefined();
  });

  it('has a dispute asked about as before once it is back', async () => {
    const open = await newDispute();
    await says(open);
    await noticeOf(open).delete();
    await note('sandbox', []);
    expect(await problemOf(open)).toBe('gateway_gone');
    await says(open);
    expect(await problemOf(open)).toBeUndefined();
  });

  it('does not hide what an operator has to look at already, but why it could not be asked', async () => {
    const [changed, away] = [await newDispute(), await newDispute()];
    for (const one of [changed, away]) await says(one);
    await say(database.db, changed, { amount_minor: '1' });
    await noteDisputeFault(database.db, GATEWAY, await question(database.db, away), 'it is away');
    await note('sandbox', []);
    expect(await problemOf(changed)).toBe('amount');
    expect(await problemOf(away)).toBe('gateway_gone');
  });
});

describe('what has the same names at another gateway and in the other environment', () => {
  const PLACES = [
    ['sandbox', 'sandbox'],
    ['other', 'sandbox'],
    ['sandbox', 'live'],
  ] as const;
  const PAY_URL = 'https://pay.example.com';
  let own: TestDatabase;
  let merchants: TestUser[];

  /** A payment with the same name in each place, and another in the first. */
  async function payEverywhere(fields: Partial<PaymentNotification> = {}): Promise<NewIntent[]> {
    own = await createTestDatabase();
    const intents: NewIntent[] = [];
    merchants = [];
    for (const [gateway, environment] of [...PLACES, PLACES[0]]) {
      const user = await buildUser(own.db);
      const intent = await openIntent(own.db, user, { environment }, gateway);
      merchants.push(user);
      const provider_payment_id = intents.length < PLACES.length ? 'pay_1' : 'pay_2';
      const paid = notificationOf(intent, { provider_payment_id, ...fields });
      const { id } = await storeNotification(own.db, gateway, paid, Buffer.from('{}'));
      await applyNotification(own.db, id, PAY_URL);
      intents.push(intent);
    }
    return intents;
  }

  async function disputedAll(intents: readonly NewIntent[]): Promise<DisputedPayment[]> {
    const all = await Promise.all(intents.map((intent) => disputeOf(own, intent)));
    return all.map((one, n) => ({ ...one, dispute_id: n < PLACES.length ? 'dp_1' : 'dp_2' }));
  }

  /** All rows but those of this one. */
  async function beside({ gateway, environment, dispute_id }: DisputedPayment): Promise<unknown[]> {
    const { rows } = await own.owner.raw(
      `select n::text as row from dispute_notices n
        where (n.gateway, n.environment, n.dispute_id) <> (:gateway, :environment, :dispute_id)
       union all
       select d::text from disputes d
        where (d.gateway, d.environment, d.provider_dispute_id) <> (:gateway, :environment, :dispute_id)
       order by 1`,
      { gateway, environment, dispute_id },
    );
    return rows as unknown[];
  }

  /** Does it to one after the other; no row but its own may change. */
  async function alone<T>(
    all: readonly DisputedPayment[],
    work: (one: DisputedPayment, n: number) => Promise<T>,
  ): Promise<T[]> {
    const results: T[] = [];
    for (const [n, one] of all.entries()) {
      const before = await beside(one);
      results.push(await work(one, n));
      expect(await beside(one)).toEqual(before);
    }
    return results;
  }

  it('keeps its own questions, money and end', async () => {
    const intents = await payEverywhere();
    const all = await disputedAll(intents);
    const { db, operator } = own;
    const claim = (one: DisputedPayment) => claimDisputeNotices(db, placeOf(one), 100);
    const due = ({ gateway, environment, dispute_id }: DisputedPayment, at: string) =>
      own.owner.raw(
        `update dispute_notices
            set next_try_at = case when (gateway, environment) <> (?, ?) then '-infinity'
                                   when dispute_id = ? then ?::timestamptz else 'infinity' end`,
        [gateway, environment, dispute_id, at],
      );
    const wallets = () =>
      Promise.all(merchants.map((user, n) => balanceOf(db, user, 'XOF', all[n]!.environment)));

    await alone(all, (one) => noteDisputeNotice(db, one.gateway, one));
    // The last question has a number of its own in each.
    for (const [n, one] of all.entries()) for (let i = 0; i <= n; i += 1) await question(db, one);
    const asked: DisputeQuestion[] = [];
    for (const one of all) {
      await due(one, 'infinity');
      expect(await claim(one)).toEqual([]);
      await due(one, '-infinity');
      const [claimed] = await alone([one], claim);
      expect(claimed).toEqual([{ dispute_id: one.dispute_id, asks: expect.any(Number) }]);
      asked.push(claimed![0]!);
    }
    await alone(all, (one, n) => noteDisputeFault(db, placeOf(one), asked[n]!, 'It is away.'));
    await alone(all, async (one, n) => {
      const recorded = await recordDisputeAnswer(db, placeOf(one), asked[n]!, one.state);
      expect(recorded).toMatchObject({ outcome: 'opened' });
    });
    expect(await wallets()).toEqual([0n, 0n, 0n, 0n]);
    await alone(all, async (one) => {
      expect(await settle(one, 'won', operator)).toBe('not_found');
      const changed = { amount_minor: '400000', reason: 'duplicate' };
      expect(await say(db, one, changed)).toMatchObject({ outcome: 'amount' });
    });
    // The last one comes first: a look at more than its own would find the first.
    await alone(all.toReversed(), async (one) =>
      expect(await settle(one, 'won', operator)).toBe('done'),
    );
    expect(await wallets()).toEqual([500_000n, 500_000n, 500_000n, 500_000n]);
    const last: DisputeQuestion[] = [];
    for (const one of all) last.push(await question(db, one));
    await alone(all, (one, n) =>
      recordDisputeAnswer(db, placeOf(one), last[n]!, { ...one.state, status: 'won' }),
    );
    expect(await own.owner('dispute_notices')).toEqual([]);
    await expectBooksHold(db);
  });

  it('is not taken for what an operator accepted there', async () => {
    const intents = await payEverywhere({ amount_minor: '300000' });
    for (const intent of intents.slice(1)) {
      const [item] = await suspenseOf(own, intent);
      await acceptSuspense(own.operator, item!.id, 'tests');
    }
    const [one] = await disputedAll(intents);
    expect(await say(own.db, one!)).toMatchObject({ outcome: 'in_suspense' });
  });
});

describe('what another session does meanwhile', () => {
  const recorded = 'select record_dispute_answer($1, $2, $3, $4, $5::jsonb)';

  it('is seen by the next answer, which opens no second dispute', async () => {
    const { state, ...dispute } = await newDispute();
    const asked = await question(database.db, dispute);
    const values = ['sandbox', 'sandbox', asked.dispute_id, asked.asks, JSON.stringify(state)];
    const second = await whileUncommitted(
      database,
      (session) => session.query(recorded, values),
      () => recordDisputeAnswer(database.db, GATEWAY, asked, state),
    );
    expect(second).toMatchObject({ outcome: 'unchanged' });
  });

  it('is seen by an operator, who settles nothing twice', async () => {
    const dispute = await newDispute({ currency: 'USD' });
    await says(dispute);
    const second = await whileUncommitted(
      database,
      (session) =>
        session.query(`select settle_dispute('sandbox', 'sandbox', $1, null, 'by hand', 'tests')`, [
          dispute.dispute_id,
        ]),
      () => settle(dispute),
    );
    expect(second).toBe('not_found');
  });

  it.each<[string, (dispute: DisputedPayment) => Promise<unknown>]>([
    ['the gateway', (dispute) => says(dispute, 'won')],
    ['an operator', (dispute) => settle(dispute, 'won')],
  ])('is given back, when it took what was owed and %s says won', async (_, win) => {
    const dispute = await owing(400_000n);
    await say(database.db, dispute, { amount_minor: '400000' });
    while (await takeOwed());
    await credit(300_000n);
    await whileUncommitted(
      database,
      (session) => session.query('select take_next_owed()'),
      () => win(dispute),
    );
    expect(await wallet()).toBe(400_000n);
    expect(await moved(dispute)).toEqual({});
  });

  it('keeps neither a claim nor what takes from wallets waiting', async () => {
    const dispute = await owing(500_000n);
    await noteDisputeNotice(database.db, 'sandbox', dispute);
    while (await takeOwed());
    await credit(100_000n);
    const lock = (session: Client) =>
      session.query(
        `select from disputes d join dispute_notices n on n.dispute_id = d.provider_dispute_id
          where n.dispute_id = $1 for update`,
        [dispute.dispute_id],
      );
    expect(await pastLock(database, lock, () => takeOwed())).toBe(false);
    const claimed = await pastLock(database, lock, () =>
      claimDisputeNotices(database.db, GATEWAY, 100),
    );
    expect(claimed.map(({ dispute_id }) => dispute_id)).not.toContain(dispute.dispute_id);
  });
});

describe('any history', () => {
  const step = fc.oneof(
    fc.record({
      dispute: fc.nat(1),
      status: fc.constantFrom<DisputeState['status']>('open', 'won', 'lost', 'inquiry', 'none'),
    }),
    fc.record({ credit: fc.integer({ min: 1, max: 4 }) }),
    fc.constant('take' as const),
  );

  it('keeps the books, and takes what is owed before a wallet keeps anything', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.nat(5), async (steps, spent) => {
        const payer = await buildUser(database.db);
        const intent = await pay('500000', payer);
        if (spent > 0) await spend(intent, BigInt(spent) * 100_000n);
        const disputes = [
          await disputed(intent, { amount_minor: '300000' }),
          await disputed(intent, { amount_minor: '200000' }),
        ];
        let arrived = 500_000n - BigInt(spent) * 100_000n;
        for (const one of steps) {
          if (one === 'take') await takeOwed();
          else if ('credit' in one) {
            await credit(BigInt(one.credit) * 100_000n, payer);
            arrived += BigInt(one.credit) * 100_000n;
          } else await say(database.db, disputes[one.dispute]!, { status: one.status });
        }
        while (await takeOwed());
        const rows = await Promise.all(disputes.map((one) => row(one)));
        const held = rows.map((row) =>
          row === undefined
            ? 0n
            : (row.status === 'won' ? 0n : row.taken_minor) + row.fee_taken_minor,
        );
        const left = await wallet(payer);
        expect(left).toBe(arrived - held[0]! - held[1]!);
        const owed = rows.reduce((sum, row) => sum + (row?.owed_minor ?? 0n), 0n);
        expect(left > 0n && owed > 0n).toBe(false);
        await expectBooksHold(database.db);
      }),
      { numRuns: 15 },
    );
  });
});
