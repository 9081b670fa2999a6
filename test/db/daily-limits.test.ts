// The most that may leave by a key in 24 hours, in the database: what counts, that it counts with the posting or not at
// all, and that it concerns no other caller.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import {
  checkBatch,
  createBatch,
  getBatch,
  listItems,
  postBatchStep,
} from '../../db/transfer-batches/transfer-batches';
import { findKeyLimit } from '../../db/keys/daily-limits';
import { rotateApiKey } from '../../db/keys/api-keys';
import { transferRefusals } from '../../domain/transfer';
import { makeApiKey } from '../../secrets/api-key';
import { makeTransferReferences } from '../../secrets/random';
import { prepareBatch } from '../../use-cases/transfer-batches/prepare';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, openSession, setUp } from '../support/database';
import { buildItem, createSteps, itemsOfBatch, orderedBatch } from '../support/payout-batches';
import { answerPayout, orderedPayout, orderPayout } from '../support/payouts';
import { buildTransferRequest, ERROR_DOCS, insist, post, postOne } from '../support/postings';
import { order as orderRefund, payIntent } from '../support/refunds';
import { buildReversalRequest, reverse } from '../support/reversals';
import { ACTOR, buildApiKey, buildUser, type TestUser } from '../support/users';
import { setFees } from '../support/fees';

const database = setUp(createTestDatabase);
let alice: TestUser;
let bob: TestUser;
/** A live and a test key of alice's, by each of which 1,000.00 XOF may leave. */
let live: string;
let sandbox: string;

const LIMIT = 100_000n;
const FUNDS = 100_000_000n;

beforeAll(async () => {
  await setFees(database.owner, { kinds: ['transfer', 'payout'], percent: 1, fixed_minor: 500 });
});

beforeEach(async () => {
  const purse = { XOF: FUNDS, EUR: 1_000_000n };
  alice = await buildUser(database.db, { funds: { live: purse, sandbox: purse } });
  bob = await buildUser(database.db);
  const daily_limit = { XOF: `${LIMIT}` };
  live = (await buildApiKey(database.db, { user: alice, daily_limit })).id;
  sandbox = (await buildApiKey(database.db, { user: alice, environment: 'sandbox', daily_limit }))
    .id;
});

afterEach(() => expectBooksHold(database.db));

const request = (amount: bigint, limited_key = live, fields = {}) =>
  buildTransferRequest({ from: alice, to: bob, amount, limited_key, ...fields });

async function send(amount: bigint, limited_key = live, fields = {}): Promise<string> {
  return (await post(database.db, [request(amount, limited_key, fields)]))[0]!.outcome;
}

async function used(key = live): Promise<bigint> {
  return (await findKeyLimit(database.db, key, 'XOF'))!.used_minor;
}

/** Stands for so much time. In two steps, so that no row takes the place of another. */
async function wait(minutes: number): Promise<void> {
  const shift = 'update key_spending set minute = minute + ?::interval';
  await database.owner.raw(shift, ['-100 years']);
  await database.owner.raw(shift, [`100 years -${minutes} minutes`]);
}

describe('a transfer', () => {
  it('is carried out up to the limit, and refused above it with nothing written', async () => {
    expect(await send(60_000n)).toBe('completed');
    const above = request(40_100n);
    expect((await post(database.db, [above]))[0]).toMatchObject({
      outcome: 'limit_exceeded',
      reference: null,
    });
    expect(await used()).toBe(60_000n);
    expect(await balanceOf(database.db, alice)).toBe(FUNDS - 60_000n);
    // Its key stays free.
    expect((await post(database.db, [{ ...above, amount_minor: '40000' }]))[0]!.outcome).toBe(
      'completed',
    );
    expect(await send(100n)).toBe('limit_exceeded');
  });

  it('counts in the sandbox, where nothing moves', async () => {
    const fields = { environment: 'sandbox' };
    expect(await send(LIMIT, sandbox, fields)).toBe('simulated');
    expect(await send(100n, sandbox, fields)).toBe('limit_exceeded');
    expect(await send(100n)).toBe('completed');
  });

  it('is refused in a currency that the limit leaves out, and has none by a key without one', async () => {
    expect(await send(LIMIT)).toBe('completed');
    expect(await send(1n, live, { currency: 'EUR' })).toBe('limit_exceeded');
    expect((await postOne(database.db, { from: alice, to: bob, amount: LIMIT })).outcome).toBe(
      'completed',
    );
    expect(await used()).toBe(LIMIT);
  });

  it('counts for its own currency alone', async () => {
    const daily_limit = { XOF: `${LIMIT}`, EUR: '5000' };
    const { id } = await buildApiKey(database.db, { user: alice, daily_limit });
    expect(await send(LIMIT, id)).toBe('completed');
    expect(await send(5_000n, id, { currency: 'EUR' })).toBe('completed');
    expect(await send(1n, id, { currency: 'EUR' })).toBe('limit_exceeded');
  });

  it('is free again by a key whose limit has been taken away', async () => {
    await database.owner.raw('update api_keys set daily_limit = null where id = ?', [live]);
    const intent = await payIntent(database.db, alice, { environment: 'live' });
    const refund = await orderRefund(database.db, intent, { limited_key: live });
    expect(refund.outcome).toBe('created');
  });

  it('is not counted when it is a replay or refused for another reason', async () => {
    const first = request(60_000n);
    const [again] = (await post(database.db, [first, first])).slice(1);
    expect(again).toMatchObject({ outcome: 'completed', is_replay: true });
    expect((await post(database.db, [first]))[0]).toMatchObject({ is_replay: true });
    expect(await send(1n, live, { to_username: 'nobody-has-this' })).toBe('recipient_not_found');
    expect(await send(1n, live, { to: alice })).toBe('self_transfer');
    expect(await send(1n, live, { accept_before: '2020-01-01T00:00:00Z' })).toBe('lapsed');
    expect(await used()).toBe(60_000n);
  });

  it('refuses no other caller of its group, and each of the group counts for the next', async () => {
    const other = await buildUser(database.db, { funds: { live: { XOF: 900_000n } } });
    const group = [
      request(60_000n),
      buildTransferRequest({ from: other, to: bob, amount: 800_000n }),
      request(60_000n),
      request(40_000n),
      buildTransferRequest({ from: alice, to: bob, amount: 500_000n }),
      request(100n),
    ];
    const outcomes = (await post(database.db, group)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual([
      'completed',
      'completed',
      'limit_exceeded',
      'completed',
      'completed',
      'limit_exceeded',
    ]);
  });

  it('is not counted when its posting is undone', async () => {
    const session = await openSession(database.app_url);
    await session.query('begin');
    await session.query('select outcome from post_transfer_batch($1, $2)', [
      JSON.stringify([request(LIMIT)]),
      JSON.stringify(transferRefusals(ERROR_DOCS)),
    ]);
    await session.query('rollback');
    expect(await used()).toBe(0n);
    expect(await send(LIMIT)).toBe('completed');
  });

  it('of the limit, ten of 64 at the same time are carried out, in groups and alone', async () => {
    for (const [key, environment] of [
      [live, 'live'],
      [sandbox, 'sandbox'],
    ] as const) {
      const all = Array.from({ length: 64 }, () => request(10_000n, key, { environment }));
      const groups = [all.slice(0, 20), all.slice(20, 40), ...all.slice(40).map((one) => [one])];
      const results = await Promise.all(
        groups.map((group) => insist(() => post(database.db, group))),
      );
      const refused = results.flat().filter(({ outcome }) => outcome === 'limit_exceeded');
      expect({ environment, refused: refused.length }).toEqual({ environment, refused: 54 });
      expect(await used(key)).toBe(LIMIT);
    }
  });
});

describe('24 hours', () => {
  // The moves stay where they are while the time of what was counted is another: the books would not agree.
  afterEach(() =>
    database.owner.raw(
      `update transfers set limited_key = null; update payouts set limited_key = null; delete from key_spending`,
    ),
  );

  it('end for each amount by itself, at most a minute later', async () => {
    await send(60_000n);
    await wait(12 * 60);
    await send(40_000n);
    await wait(12 * 60 - 1);
    expect(await send(100n)).toBe('limit_exceeded');
    await wait(2);
    expect(await used()).toBe(40_000n);
    expect(await send(60_000n)).toBe('completed');
    expect(await send(100n)).toBe('limit_exceeded');
    const { rows } = await database.owner.raw(
      'select count(*)::int as count from key_spending where key_id = ?',
      [live],
    );
    // The row that has ended is gone.
    expect(rows).toEqual([{ count: 2 }]);
  });

  it('are over for a minute once its last moment is a day old', async () => {
    await database.owner.raw(
      `insert into key_spending values (?, 'XOF', '2030-01-01 00:00Z', 1000)`,
      [live],
    );
    const usedAt = async (at: string): Promise<unknown> => {
      const text = `select used_minor from key_limit(?, 'XOF', ?::timestamptz)`;
      const { rows } = await database.owner.raw(text, [live, at]);
      return (rows as { used_minor: bigint }[])[0]!.used_minor;
    };
    expect(await usedAt('2030-01-02 00:00:59.999999Z')).toBe(1_000n);
    expect(await usedAt('2030-01-02 00:01:00Z')).toBe(0n);
  });

  it('never hold more than the limit, whatever leaves and when', async () => {
    const operation = fc.record({
      kind: fc.constantFrom('transfer', 'group', 'payout'),
      amount: fc.integer({ min: 5, max: 600 }).map((whole) => whole * 100),
      minutes: fc.constantFrom(0, 0, 1, 7, 300, 700, 1_439, 1_441),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 4, maxLength: 12 }), async (operations) => {
        await database.owner.raw('delete from key_spending');
        const left: { at: number; amount: bigint }[] = [];
        let now = 0;
        for (const { kind, amount, minutes } of operations) {
          await wait(minutes);
          now += minutes;
          const before = await balanceOf(database.db, alice);
          const minor = BigInt(amount);
          if (kind === 'payout') {
            const fields = { environment: 'live', amount_minor: `${amount}` } as const;
            await orderPayout(database.db, alice, { ...fields, limited_key: live });
          } else {
            const count = kind === 'group' ? 3 : 1;
            await post(
              database.db,
              Array.from({ length: count }, () => request(minor)),
            );
          }
          // Measured by the wallet, not by the limit's own count.
          left.push({ at: now, amount: before - (await balanceOf(database.db, alice)) });
          const of_day = left.filter(({ at }) => at > now - 24 * 60);
          const sum = of_day.reduce((total, one) => total + one.amount, 0n);
          expect(sum).toBeLessThanOrEqual(LIMIT);
          expect(await used()).toBeGreaterThanOrEqual(sum);
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe('what else leaves', () => {
  it('counts a payout with its fee when it is ordered, also when it is given back', async () => {
    const limited_key = sandbox;
    const before = await balanceOf(database.db, alice, 'XOF', 'sandbox');
    const id = await orderedPayout(database.db, alice, { amount_minor: '50000', limited_key });
    const total = before - (await balanceOf(database.db, alice, 'XOF', 'sandbox'));
    expect(total).toBeGreaterThan(50_000n);
    expect(await used(sandbox)).toBe(total);
    await answerPayout(database.db, id, { status: 'failed' });
    expect(await used(sandbox)).toBe(total);
    const again = { amount_minor: '50000', limited_key };
    expect(await orderPayout(database.db, alice, again)).toMatchObject({
      outcome: 'key_limit',
      limit: { currency: 'XOF', used_minor: total },
    });
    expect((await orderPayout(database.db, alice, { amount_minor: '50000' })).outcome).toBe(
      'created',
    );
  });

  it('counts a refund, once for its key', async () => {
    const limited_key = sandbox;
    const intent = await payIntent(database.db, alice, { amount_minor: '300000' });
    const fields = { amount_minor: '60000', limited_key, idempotency_key: randomUUID() };
    expect((await orderRefund(database.db, intent, fields)).outcome).toBe('created');
    expect(await orderRefund(database.db, intent, fields)).toMatchObject({ is_replay: true });
    expect(await used(sandbox)).toBe(60_000n);
    const above = { limited_key, amount_minor: '40100' };
    expect(await orderRefund(database.db, intent, above)).toMatchObject({ outcome: 'key_limit' });
    expect(
      (await orderRefund(database.db, intent, { ...above, amount_minor: '40000' })).outcome,
    ).toBe('created');
  });

  it('counts no reversal of what was received', async () => {
    const { reference } = await postOne(database.db, { from: alice, to: bob, amount: 10_000n });
    const { id } = await buildApiKey(database.db, { user: bob, daily_limit: { XOF: '1' } });
    // It names no key, and could not: a reversal has no place for one.
    const back = buildReversalRequest({
      by: bob,
      transfer_reference: reference!,
      amount: 5_000n,
    });
    expect((await reverse(database.db, back)).outcome).toBe('reversed');
    expect(await used(id)).toBe(0n);
  });

  it('fails the items of a payout batch that are above it, and carries out the others', async () => {
    const items = [60_000, 60_000, 10_000].map((amount) =>
      buildItem('100', { amount_minor: String(amount) }),
    );
    const refusals = async (dry_run: boolean) => {
      const fields = { dry_run, limited_key: sandbox };
      const id = await orderedBatch(database.db, alice, items, fields);
      await createSteps(database.db).run(id);
      return (await itemsOfBatch(database.db, id)).map(({ refusal }) => refusal);
    };
    expect(await refusals(true)).toEqual([null, 'limit_exceeded', null]);
    expect(await used(sandbox)).toBe(0n);
    // They are ordered a few at a time, in any order.
    expect((await refusals(false)).filter((refusal) => refusal !== null)).toEqual([
      'limit_exceeded',
    ]);
    expect(await used(sandbox)).toBeGreaterThan(70_000n);
  });
});

describe('a batch of transfers', () => {
  async function run(mode: 'independent' | 'atomic', dry_run = false): Promise<(string | null)[]> {
    const item = (amount_minor: string) => ({
      to_username: bob.username,
      currency: 'XOF' as const,
      amount_minor,
      idempotency_key: null,
    });
    const prepared = prepareBatch({
      id: randomUUID(),
      user_id: alice.id,
      environment: 'live',
      items: ['60000', '60000', '40000'].map(item),
      mode,
      dry_run,
      idempotency_key: randomUUID(),
      request_id: randomUUID(),
      limited_key: live,
    });
    await createBatch(database.db, prepared.batch, prepared.items, 10);
    const { id } = prepared.batch;
    const refusals = JSON.stringify(transferRefusals(ERROR_DOCS));
    if (dry_run) await checkBatch(database.db, id);
    else await postBatchStep(database.db, id, makeTransferReferences(3), refusals);
    expect((await getBatch(database.db, id)).status).not.toBe('processing');
    const query = { batch_id: id, status: undefined, after: -1, limit: 10 };
    return (await listItems(database.db, query)).map(({ refusal }) => refusal);
  }

  it('fails the items above the limit and carries out the others; a dry run says so before', async () => {
    expect(await run('independent', true)).toEqual([null, 'limit_exceeded', null]);
    expect(await used()).toBe(0n);
    expect(await run('independent')).toEqual([null, 'limit_exceeded', null]);
    expect(await used()).toBe(LIMIT);
  });

  it('of the mode atomic counts nothing when one of its items is above it', async () => {
    expect(await run('atomic')).toEqual(['batch_refused', 'limit_exceeded', 'batch_refused']);
    expect(await used()).toBe(0n);
  });
});

describe('a key that replaces another', () => {
  it('has what is left of its limit, and both count together while both are valid', async () => {
    expect(await send(50_000n)).toBe('completed');
    const rotate = async (id: string): Promise<string> => {
      const make = () => makeApiKey('pay', 'live');
      const rotated = await rotateApiKey(
        database.operator,
        id,
        make,
        { overlap_seconds: 3_600 },
        { actor: ACTOR },
      );
      if (!rotated.ok) throw new Error(rotated.error);
      return rotated.id;
    };
    const second = await rotate(live);
    expect(await send(20_000n, second)).toBe('completed');
    expect(await send(20_000n, live)).toBe('completed');
    const third = await rotate(second);
    expect(await used(third)).toBe(90_000n);
    expect(await send(10_100n, third)).toBe('limit_exceeded');
    expect(await send(10_000n, third)).toBe('completed');
  });
});
