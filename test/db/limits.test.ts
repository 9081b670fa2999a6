// Limits of accounts in the database: what counts on which day, what is refused where, and that no two callers at once,
// no change meanwhile and no death in between get past one. `ledger verify` sums up every day again after each test.

import { randomUUID } from 'node:crypto';
import { limitOf, readLimits } from '../../db/limits/limits';
import { createIntentBefore } from '../../db/payment-intents/intents';
import {
  checkBatch,
  createBatch,
  getBatch,
  listItems,
  postBatchStep,
} from '../../db/transfer-batches/transfer-batches';
import { listSuspense } from '../../db/suspense/suspense';
import { transferRefusals, type TransferResult } from '../../domain/transfer';
import { makeTransferReferences } from '../../secrets/random';
import { prepareBatch } from '../../use-cases/transfer-batches/prepare';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, openSession, setUp, untilSessionsWait } from '../support/database';
import { setFees } from '../support/fees';
import { limitAccount, limitTier, usedOf } from '../support/limits';
import { buildItem, createSteps, itemsOfBatch, orderedBatch } from '../support/payout-batches';
import { answerPayout, orderedPayout, orderPayout } from '../support/payouts';
import { buildTransferRequest, ERROR_DOCS, insist, post, postingValues } from '../support/postings';
import { accept, answer, openIntent, order, ordered, payIntent, receive } from '../support/refunds';
import { buildReversalRequest, reverse } from '../support/reversals';
import { decide, latestCase, removeRules, setRule } from '../support/risk';
import { buildUser, fund, setKyc, type TestUser } from '../support/users';
import { buildNewIntent } from '../workflows/intents';

const database = setUp(createTestDatabase);
let alice: TestUser;
let bob: TestUser;

const ALL = {
  balance: '900000',
  single_in: '900000',
  daily_in: '900000',
  monthly_in: '900000',
  single_out: '900000',
  daily_out: '900000',
  monthly_out: '900000',
};

beforeEach(async () => {
  const purse = { XOF: 10_000_000n };
  alice = await buildUser(database.db, { funds: { live: purse, sandbox: purse } });
  bob = await buildUser(database.db);
});

afterEach(() => expectBooksHold(database.db));

async function send(amount: bigint, fields = {}): Promise<TransferResult> {
  const request = buildTransferRequest({ from: alice, to: bob, amount, ...fields });
  return (await post(database.db, [request]))[0]!;
}

const sql = async <Row>(text: string, values: readonly string[] = []): Promise<Row[]> =>
  ((await database.owner.raw(text, [...values])) as { rows: Row[] }).rows;

async function batchOf(
  amounts: readonly bigint[],
  fields: { readonly mode?: 'independent' | 'atomic'; readonly dry_run?: boolean } = {},
): Promise<string> {
  const prepared = prepareBatch({
    id: randomUUID(),
    user_id: alice.id,
    environment: 'live',
    items: amounts.map((amount) => ({
      to_username: bob.username,
      currency: 'XOF',
      amount_minor: `${amount}`,
      idempotency_key: null,
    })),
    mode: 'independent',
    dry_run: false,
    idempotency_key: randomUUID(),
    request_id: randomUUID(),
    ...fields,
  });
  await createBatch(database.db, prepared.batch, prepared.items, 10);
  return prepared.batch.id;
}

const REFUSALS = JSON.stringify(transferRefusals(ERROR_DOCS));

/** Until it is over, so many items at a time. */
async function runBatch(id: string, step: number): Promise<void> {
  while ((await getBatch(database.db, id)).status === 'processing') {
    await postBatchStep(database.db, id, makeTransferReferences(step), REFUSALS);
  }
}

const refusalsOf = async (batch_id: string): Promise<(string | null)[]> =>
  (await listItems(database.db, { batch_id, status: undefined, after: -1, limit: 1_000 })).map(
    ({ refusal }) => refusal,
  );

describe('without a limit', () => {
  it('no posting reads or writes what limits need', async () => {
    const reads = `select coalesce(sum(pg_stat_get_xact_numscans(c.oid) + pg_stat_get_xact_tuples_inserted(c.oid)), 0)::int as n
      from pg_class c left join pg_index i on i.indexrelid = c.oid
     where coalesce(i.indrelid, c.oid) in ('tier_limits'::regclass, 'account_limits'::regclass, 'limit_days'::regclass)`;
    const session = await openSession(database.app_url);
    const count = async (user: TestUser): Promise<number> => {
      await session.query('begin');
      const request = buildTransferRequest({ from: user, to: bob, amount: 100n });
      await session.query(
        'select outcome from post_transfer_batch($1, $2)',
        postingValues([request]),
      );
      const { rows } = await session.query(reads);
      await session.query('rollback');
      return (rows as { n: number }[])[0]!.n;
    };
    expect(await count(alice)).toBe(0);
    await limitAccount(database, alice, ALL);
    expect(await count(alice)).toBeGreaterThan(0);
  });
});

describe('of each way', () => {
  it('what leaves and what arrives is counted, and what comes back is taken off its day', async () => {
    await limitAccount(database, alice, ALL, 'sandbox');
    const used = async () => {
      const { daily_in, daily_out, monthly_in, monthly_out } = await usedOf(
        database.db,
        alice,
        'sandbox',
      );
      expect([monthly_in, monthly_out]).toEqual([daily_in, daily_out]);
      return [daily_in, daily_out];
    };
    // The credit of before the limit is of this month, too.
    expect(await used()).toEqual([10_000_000n, 0n]);
    const intent = await payIntent(database.db, alice, { amount_minor: '500000' });
    expect(await used()).toEqual([10_500_000n, 0n]);
    const another = await openIntent(database.db, alice);
    await accept(database, await receive(database.db, another, 300_000n), true);
    expect(await used()).toEqual([10_800_000n, 0n]);
    expect((await send(100_000n, { environment: 'sandbox' })).outcome).toBe('simulated');
    expect(await used()).toEqual([10_800_000n, 100_000n]);
    const refund = await ordered(database.db, intent, { amount_minor: '200000' });
    const payout = await orderedPayout(database.db, alice, { amount_minor: '400000' });
    expect(await used()).toEqual([10_800_000n, 700_000n]);
    await answer(database.db, refund, 'failed');
    expect(await used()).toEqual([10_800_000n, 500_000n]);
    await answerPayout(database.db, payout, {
      status: 'returned',
      paid: 400_000n,
      returned: 150_000n,
    });
    expect(await used()).toEqual([10_800_000n, 350_000n]);
    const failed = await orderedPayout(database.db, alice);
    await answerPayout(database.db, failed, { status: 'failed' });
    expect(await used()).toEqual([10_800_000n, 350_000n]);
  });

  it.each(['live', 'sandbox'] as const)(
    'what is held leaves at the hold and arrives at the release: %s',
    async (environment) => {
      await limitAccount(database, alice, { ...ALL, daily_out: '9000' }, environment);
      await limitAccount(database, bob, ALL, environment);
      const used = async () => [
        (await usedOf(database.db, alice, environment)).daily_out,
        (await usedOf(database.db, bob, environment)).daily_in,
      ];
      await setRule(database.operator);
      expect((await send(200_000n, { environment })).outcome).toBe('held');
      const released = await latestCase(database.db);
      expect(await used()).toEqual([200_000n, 0n]);
      expect((await send(300_000n, { environment })).outcome).toBe('held');
      expect(await used()).toEqual([500_000n, 0n]);
      const refused = await latestCase(database.db);
      expect((await send(450_000n, { environment })).over).toMatchObject({
        limit_name: 'daily_out',
        used_minor: '500000',
      });
      // Above a limit of the recipient it stays held, until there is room or it is refused.
      await limitAccount(database, bob, { ...ALL, single_in: '1000' }, environment);
      expect(await decide(database.operator, released.reference, 'release')).toBe('limit_exceeded');
      expect(await used()).toEqual([500_000n, 0n]);
      await limitAccount(database, bob, ALL, environment);
      expect(await decide(database.operator, released.reference, 'release')).toBeNull();
      expect(await used()).toEqual([500_000n, 200_000n]);
      expect(await decide(database.operator, refused.reference, 'refuse')).toBeNull();
      expect(await used()).toEqual([200_000n, 200_000n]);
      await removeRules(database.owner);
    },
  );

  it('a payment that is held arrives at the release, once the limits leave room for it', async () => {
    await limitAccount(database, alice, ALL, 'sandbox');
    const used = async () => (await usedOf(database.db, alice, 'sandbox')).daily_in;
    const before = (await used())!;
    await setRule(database.operator);
    await payIntent(database.db, alice, { amount_minor: '500000' });
    expect(await used()).toBe(before);
    await limitAccount(database, alice, { ...ALL, single_in: '1000' }, 'sandbox');
    const { reference } = await latestCase(database.db);
    expect(await decide(database.operator, reference, 'release')).toBe('limit_exceeded');
    await limitAccount(database, alice, ALL, 'sandbox');
    expect(await decide(database.operator, reference, 'release')).toBeNull();
    expect(await used()).toBe(before + 500_000n);
    await removeRules(database.owner);
  });

  it('a recipient counts what arrives, and a reversal counts for neither', async () => {
    await limitAccount(database, alice, ALL);
    await limitAccount(database, bob, ALL);
    await setFees(database.owner, { fixed_minor: 500 });
    const { reference } = await send(100_000n);
    await setFees(database.owner);
    const made = async () => [
      (await usedOf(database.db, alice)).daily_out,
      (await usedOf(database.db, bob)).daily_in,
    ];
    expect(await made()).toEqual([100_000n, 99_500n]);
    const reversal = buildReversalRequest({
      by: bob,
      transfer_reference: reference!,
      amount: 50_000n,
    });
    expect((await reverse(database.db, reversal)).outcome).toBe('reversed');
    expect(await made()).toEqual([100_000n, 99_500n]);
  });

  it('a sender who bears the fee counts it, and the recipient counts the amount', async () => {
    await limitAccount(database, alice, { daily_out: '1000' });
    await limitAccount(database, bob, ALL);
    await setFees(database.owner, {
      kinds: ['transfer'],
      fixed_minor: 500,
      more: { bearer: 'payer' },
    });
    expect((await send(100_000n)).over).toMatchObject({ limit_name: 'daily_out' });
    expect((await send(99_500n)).outcome).toBe('completed');
    await setFees(database.owner);
    const used = [
      (await usedOf(database.db, alice)).daily_out,
      (await usedOf(database.db, bob)).daily_in,
    ];
    expect(used).toEqual([100_000n, 99_500n]);
  });

  it('what is refused, replayed or undone is not counted', async () => {
    await limitAccount(database, alice, { daily_out: '1000' });
    const request = buildTransferRequest({ from: alice, to: bob, amount: 60_000n });
    await post(database.db, [request, request]);
    await post(database.db, [request]);
    expect((await send(100n, { to_username: 'nobody-has-this' })).outcome).toBe(
      'recipient_not_found',
    );
    const session = await openSession(database.app_url);
    await session.query('begin');
    const undone = buildTransferRequest({ from: alice, to: bob, amount: 40_000n });
    await session.query('select from post_transfer_batch($1, $2)', postingValues([undone]));
    await session.query('rollback');
    expect((await usedOf(database.db, alice)).daily_out).toBe(60_000n);
  });
});

describe('at a limit', () => {
  const steps = [
    ['single_out', '1000', [100_000n], 100_100n],
    ['daily_out', '1000', [40_000n, 60_000n], 100n],
    ['monthly_out', '1000', [40_000n, 60_000n], 100n],
  ] as const;
  it.each(steps)('%s is allowed, and a step more is not', async (name, maximum, allowed, more) => {
    await limitAccount(database, alice, { [name]: maximum });
    for (const amount of allowed) expect((await send(amount)).outcome).toBe('completed');
    const above = buildTransferRequest({ from: alice, to: bob, amount: more });
    const [refused] = await post(database.db, [above]);
    const is_single = name === 'single_out';
    expect(refused).toMatchObject({
      outcome: 'limit_exceeded',
      reference: null,
      over: { limit_name: name, maximum_minor: '100000', used_minor: is_single ? '0' : '100000' },
    });
    expect((refused!.over as { resets_at: string | null }).resets_at === null).toBe(is_single);
    // Its key stays free.
    await limitAccount(database, alice, { [name]: 'off' });
    expect((await post(database.db, [above]))[0]!.outcome).toBe('completed');
  });

  it.each(['single_in', 'daily_in', 'monthly_in', 'balance'])(
    'of the recipient, %s, the sender is told no figure',
    async (name) => {
      await limitAccount(database, bob, { [name]: '1000' });
      expect((await send(100_000n)).outcome).toBe('completed');
      const { outcome, over } = await send(name === 'single_in' ? 100_100n : 100n);
      expect([outcome, over]).toEqual(['limit_exceeded', { limit_name: 'recipient' }]);
    },
  );

  it('the names come in the order single, daily, monthly, balance, after funds and before the key', async () => {
    const names = ['single_out', 'daily_out', 'monthly_out'] as const;
    for (const [i, name] of names.entries()) {
      const held = Object.fromEntries(names.map((one, j) => [one, j < i ? 'off' : '1']));
      await limitAccount(database, alice, held);
      expect((await send(1_000n)).over).toMatchObject({ limit_name: name });
    }
    expect((await send(90_000_000n)).outcome).toBe('insufficient_funds');
  });

  it('items of a batch fail with it, an atomic batch is refused, and a dry run says so before', async () => {
    await limitAccount(database, alice, { daily_out: '1000' });
    await limitAccount(database, bob, { balance: '2000' });
    const amounts = [60_000n, 60_000n, 40_000n];
    const dry = await batchOf(amounts, { dry_run: true });
    await checkBatch(database.db, dry);
    expect(await refusalsOf(dry)).toEqual([null, 'limit_exceeded', null]);
    const atomic = await batchOf(amounts, { mode: 'atomic' });
    await runBatch(atomic, 3);
    expect(await refusalsOf(atomic)).toEqual(['batch_refused', 'limit_exceeded', 'batch_refused']);
    const batch = await batchOf(amounts);
    await runBatch(batch, 3);
    expect(await refusalsOf(batch)).toEqual([null, 'limit_exceeded', null]);
    await limitAccount(database, alice, { daily_out: 'off' });
    const full = await batchOf([60_000n, 60_000n], { dry_run: true });
    await checkBatch(database.db, full);
    expect(await refusalsOf(full)).toEqual([null, 'limit_exceeded']);
  });

  it('refunds and payouts are refused with its figures, items and dry runs as well', async () => {
    const intent = await payIntent(database.db, alice);
    await limitAccount(database, alice, { daily_out: '1000' }, 'sandbox');
    const over = {
      outcome: 'limit_exceeded',
      limit_name: 'daily_out',
      maximum_minor: 100_000n,
      used_minor: 0n,
    };
    expect(await order(database.db, intent, { amount_minor: '100100' })).toMatchObject(over);
    expect(await orderPayout(database.db, alice, { amount_minor: '100100' })).toMatchObject(over);
    const step = createSteps(database.db);
    const items = ['60000', '50000', '40000'].map((amount_minor, i) =>
      buildItem(`10${i}`, { amount_minor }),
    );
    for (const dry_run of [true, false]) {
      const batch = await orderedBatch(database.db, alice, items, { dry_run });
      await step.run(batch);
      const found = await itemsOfBatch(database.db, batch);
      const refused = found.map(({ refusal }) => refusal);
      // Payouts of a batch are ordered side by side: two of them fit, whichever is first.
      if (dry_run) expect(refused).toEqual([null, 'limit_exceeded', null]);
      else expect(refused.filter((one) => one !== null)).toEqual(['limit_exceeded']);
    }
  });
});

describe('an account', () => {
  it('has the limits of its tier, and its own go before them', async () => {
    const ann = await buildUser(database.db, { kyc: 'not_started' });
    const limits = async (environment: 'live' | 'sandbox') => {
      const { tier, limits: held } = await readLimits(database.db, ann.id, environment);
      return [
        tier,
        ...held.map(({ limit_name, maximum_minor }) => `${limit_name} ${maximum_minor}`),
      ];
    };
    await limitTier(database, 'none', { single_out: '1' }, 'EUR');
    await limitTier(database, 'identified', { single_out: '2', balance: '5' }, 'EUR');
    expect(await limits('live')).toEqual(['none', 'single_out 100']);
    expect(await limits('sandbox')).toEqual(['identified', 'balance 500', 'single_out 200']);
    await setKyc(database.db, ann.username, 'approved');
    expect(await limits('live')).toEqual(['identified', 'balance 500', 'single_out 200']);
    await limitAccount(database, ann, { balance: 'off', single_out: '3' }, 'live', 'EUR');
    expect(await limits('live')).toEqual(['identified', 'single_out 300']);
    await limitAccount(database, ann, { balance: 'tier', single_out: 'tier' }, 'live', 'EUR');
    expect(await limits('live')).toEqual(['identified', 'balance 500', 'single_out 200']);
    // One that signs up later is limited from its first movement on.
    const late = await buildUser(database.db);
    await expect(fund(database.db, late.id, 'live', 'EUR', 501n)).rejects.toThrow('limit balance');
    await limitTier(database, 'none', { single_out: 'off' }, 'EUR');
    await limitTier(database, 'identified', { single_out: 'off', balance: 'off' }, 'EUR');
    await fund(database.db, late.id, 'live', 'EUR', 501n);
  });

  it('that holds more than a lowered limit keeps it, and nothing more comes in but what comes back', async () => {
    const payout = await orderedPayout(database.db, alice);
    await limitAccount(database, alice, { balance: '1', daily_out: '1' }, 'sandbox');
    const refused = fund(database.db, alice.id, 'sandbox', 'XOF', 100n);
    await expect(
      refused.catch((error: unknown) => Promise.resolve(limitOf(error))),
    ).resolves.toMatchObject({
      limit_name: 'balance',
      maximum_minor: 100,
      used_minor: 9_500_000,
    });
    await answerPayout(database.db, payout, { status: 'failed' });
    expect(await balanceOf(database.db, alice, 'XOF', 'sandbox')).toBe(10_000_000n);
  });

  it('gets no link for more than it can ever take, and holds apart what is above a limit', async () => {
    await limitAccount(database, bob, { single_in: '6000', balance: '8000' }, 'sandbox');
    const above = buildNewIntent(bob, 'sandbox', { amount_minor: '600100' });
    expect(await createIntentBefore(database.db, above, undefined)).toMatchObject({
      over: { limit_name: 'single_in', maximum_minor: 600_000n },
    });
    const [first, second] = [
      await openIntent(database.db, bob),
      await openIntent(database.db, bob),
    ];
    await receive(database.db, first);
    const payment = await receive(database.db, second);
    const held = (await listSuspense(database.db, false)).find(
      ({ provider_payment_id }) => provider_payment_id === payment,
    );
    expect(held).toMatchObject({ reason: 'limit_exceeded', limit: 'balance' });
    const [intent] = await sql<object>(
      'select status, received_minor, last_payment_error from payment_intents where id = ?',
      [second.id],
    );
    expect(intent).toMatchObject({
      status: 'open',
      received_minor: 500_000n,
      last_payment_error: { code: 'limit_exceeded' },
    });
    await expect(accept(database, payment, true)).rejects.toThrow('limit_exceeded');
    await limitAccount(database, bob, { balance: 'off' }, 'sandbox');
    await accept(database, payment, true);
    expect(await balanceOf(database.db, bob, 'XOF', 'sandbox')).toBe(1_000_000n);
  });
});

describe('of 64 at the same time', () => {
  const ROOM = { balance: '2000000' };
  const settle = <T>(works: readonly (() => Promise<T>)[]) =>
    Promise.all(
      works.map((work) =>
        insist(work).then(
          () => 'done',
          (error: unknown) => limitOf(error)?.limit_name ?? String(error),
        ),
      ),
    );
  const done = (all: readonly string[]) => all.filter((one) => one === 'done').length;
  const times = <T>(count: number, make: (i: number) => T): T[] =>
    Array.from({ length: count }, (_, i) => make(i));

  async function almostFull(environment: 'live' | 'sandbox'): Promise<TestUser> {
    const user = await buildUser(database.db);
    await limitAccount(database, user, ROOM, environment);
    await fund(database.db, user.id, environment, 'XOF', 199_900_000n);
    return user;
  }

  const pay = (user: TestUser) => async () =>
    receive(database.db, await openIntent(database.db, user, { amount_minor: '100000' }));
  const transfer =
    (from: TestUser, to: TestUser, amount: bigint, environment = 'live') =>
    async () => {
      const request = buildTransferRequest({
        from,
        to,
        amount,
        environment: environment as 'live',
      });
      const { outcome } = (await post(database.db, [request]))[0]!;
      if (outcome !== 'completed') throw new Error(outcome);
    };

  it('credits, one is made where there is room for one', async () => {
    const full = await almostFull('live');
    const all = await settle(
      times(64, () => () => fund(database.db, full.id, 'live', 'XOF', 100_000n)),
    );
    expect([done(all), all.filter((one) => one === 'balance').length]).toEqual([1, 63]);
  });

  it('transfers of 64 senders, one is made', async () => {
    const full = await almostFull('live');
    const senders = await Promise.all(
      times(64, () => buildUser(database.db, { funds: { live: { XOF: 100_000n } } })),
    );
    const all = await settle(senders.map((from) => transfer(from, full, 100_000n)));
    expect(done(all)).toBe(1);
    expect(await balanceOf(database.db, full)).toBe(200_000_000n);
  });

  it('payments, one is booked and 63 are held, and nothing is lost', async () => {
    const full = await almostFull('sandbox');
    await settle(times(64, () => pay(full)));
    await expectApplied();
    expect(await heldOf(full)).toEqual({ items: 63, minor: 6_300_000n });
    expect(await balanceOf(database.db, full, 'XOF', 'sandbox')).toBe(200_000_000n);
  });

  it('of each kind, one is made', async () => {
    const full = await almostFull('sandbox');
    const all = await settle(
      times(64, (i) =>
        i % 2 === 0
          ? pay(full)
          : () => fund(database.db, full.id, 'sandbox', 'XOF', 100_000n).then(String),
      ),
    );
    await expectApplied();
    const { items } = await heldOf(full);
    const credits = done(all.filter((_, i) => i % 2 === 1));
    expect(credits + 32 - items).toBe(1);
    expect(await balanceOf(database.db, full, 'XOF', 'sandbox')).toBe(200_000_000n);
  });

  it.each(['live', 'sandbox'] as const)(
    'transfers out at ten times the size of the limit of a day, ten are made: %s',
    async (environment) => {
      await limitAccount(database, alice, { daily_out: '1000' }, environment);
      const all = times(64, () =>
        buildTransferRequest({ from: alice, to: bob, amount: 10_000n, environment }),
      );
      const groups = [all.slice(0, 20), all.slice(20, 40), ...all.slice(40).map((one) => [one])];
      const results = await Promise.all(
        groups.map((group) => insist(() => post(database.db, group))),
      );
      const made = results.flat().filter(({ outcome }) => outcome !== 'limit_exceeded');
      expect(made).toHaveLength(10);
      expect((await usedOf(database.db, alice, environment)).daily_out).toBe(100_000n);
    },
  );

  /** A payment that met a wallet which had just become full is applied at its next try. */
  async function expectApplied(): Promise<void> {
    for (;;) {
      const waiting = await sql<{ id: string }>(
        'select id::text from gateway_notifications where outcome is null',
      );
      if (waiting.length === 0) return;
      for (const { id } of waiting)
        await sql(`select apply_stored_notification(?, 'https://pay.example.com')`, [id]);
    }
  }

  async function heldOf(user: TestUser): Promise<{ items: number; minor: bigint }> {
    const [row] = await sql<{ items: number; minor: bigint }>(
      `select count(*)::int as items, coalesce(sum(amount_minor), 0)::bigint as minor from suspense_items
        where user_id = ? and reason = 'limit_exceeded'`,
      [user.id],
    );
    return row!;
  }
});

describe('over time', () => {
  it("at a day's last second each amount counts in one day", async () => {
    const eve = await buildUser(database.db, { funds: { live: { XOF: 10_000_000n } } });
    await limitAccount(database, eve, { daily_out: '90000' });
    // The next postings are later than the wallet's last one, whatever the clock says.
    await sql(
      `update ledger_accounts set last_posted_at = date_trunc('day', now(), 'UTC') + interval '1 day -1007 microseconds'
        where user_id = ? and environment = 'live'`,
      [eve.id],
    );
    const amounts = Array.from({ length: 12 }, (_, i) => BigInt(i + 1) * 100n);
    const requests = amounts.map((amount) => buildTransferRequest({ from: eve, to: bob, amount }));
    await post(database.db, requests.slice(0, 6));
    for (const request of requests.slice(6)) await post(database.db, [request]);
    const days = await sql<{ counted: string; shown: string }>(
      `select d.out_minor::text as counted,
              (select sum(t.amount_minor)::text from transactions t
                where t.user_id = a.user_id and t.type = 'transfer_out' and utc_day(t.created_at) = d.day) as shown
         from limit_days d join ledger_accounts a on a.id = d.account_id
        where a.user_id = ? and d.out_minor > 0 order by d.day`,
      [eve.id],
    );
    expect(days).toHaveLength(2);
    for (const { counted, shown } of days) expect(counted).toBe(shown);
    expect(days.reduce((sum, { counted }) => sum + BigInt(counted), 0n)).toBe(7_800n);
  });

  it('lowered while 500 items of a batch run, nothing is posted above it from then on', async () => {
    await limitAccount(database, alice, { daily_out: '90000' });
    const id = await batchOf(Array.from({ length: 500 }, () => 1_000n));
    await postBatchStep(database.db, id, makeTransferReferences(100), REFUSALS);
    const running = runBatch(id, 20);
    await limitAccount(database, alice, { daily_out: '1' });
    const [now] = await sql<{ at: string }>('select clock_timestamp()::text as at');
    await running;
    const later = 'select from transfers where batch_id = ? and created_at > ?';
    expect(await sql(later, [id, now!.at])).toEqual([]);
    const refused = (await refusalsOf(id)).filter((refusal) => refusal === 'limit_exceeded').length;
    expect(BigInt(500 - refused) * 1_000n).toBe((await usedOf(database.db, alice)).daily_out);
    expect(refused).toBeGreaterThan(0);
  });

  it('a tier that is lowered waits for the postings that go by its former limits', async () => {
    await limitTier(database, 'identified', { single_out: '100' }, 'USD');
    const rich = await buildUser(database.db, { funds: { live: { USD: 100_000n } } });
    const session = await openSession(database.app_url);
    await session.query('begin');
    const fields = { from: rich, to: bob, amount: 10_000n, currency: 'USD' } as const;
    await session.query(
      'select from post_transfer_batch($1, $2)',
      postingValues([buildTransferRequest(fields)]),
    );
    let is_set = false;
    const setting = limitTier(database, 'identified', { single_out: '1' }, 'USD').then(
      () => (is_set = true),
    );
    await untilSessionsWait(database, 1);
    expect(is_set).toBe(false);
    await session.query('commit');
    await setting;
    expect((await post(database.db, [buildTransferRequest(fields)]))[0]!.outcome).toBe(
      'limit_exceeded',
    );
    await limitTier(database, 'identified', { single_out: 'off' }, 'USD');
  });

  it('a session that is killed between the lock and the commit has counted nothing', async () => {
    await limitAccount(database, alice, { daily_out: '1000' });
    const session = await openSession(database.app_url);
    const { rows } = await session.query('select pg_backend_pid() as pid');
    await session.query('begin');
    const lost = buildTransferRequest({ from: alice, to: bob, amount: 100_000n });
    await session.query('select from post_transfer_batch($1, $2)', postingValues([lost]));
    const waits = send(100_000n);
    await sql('select pg_terminate_backend(?)', [String((rows as { pid: number }[])[0]!.pid)]);
    expect((await waits).outcome).toBe('completed');
    expect((await usedOf(database.db, alice)).daily_out).toBe(100_000n);
  });
});
