// Posting reversals of transfers: each once per key, never more than was sent, and every wallet to the unit,
// however many meet and wherever a session ends.

import { randomInt, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Client } from 'pg';
import type { PostedReversal } from '../../db/transfers/reversals';
import { freezeAccount } from '../../db/accounts/users';
import { isStoredReversal } from '../../domain/reversal';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import {
  connectAgain,
  createTestDatabase,
  openSession,
  untilSessionsWait,
  setUp,
} from '../support/database';
import { insist, postOne } from '../support/postings';
import { buildReversalRequest, reverse, type ReversalRequestOptions } from '../support/reversals';
import { ACTOR, buildUser, fund, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { setFees } from '../support/fees';

const FUNDS = 10_000_000n;
const SENT = 500_000n;
const FEE = 10_000n;

const database = setUp(createTestDatabase);
let sender: TestUser;
let recipient: TestUser;

beforeAll(async () => {
  await setFees(database.owner, { kinds: ['transfer'], currency: 'XOF', percent: 2 });
});

beforeEach(async () => {
  sender = await buildUser(database.db, { funds: { live: { XOF: FUNDS } } });
  recipient = await buildUser(database.db);
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

async function send(from = sender, to = recipient, amount = SENT): Promise<string> {
  return (await postOne(database.db, { from, to, amount })).reference!;
}

const post = (
  transfer_reference: string,
  options: Partial<ReversalRequestOptions> = {},
): Promise<PostedReversal> =>
  reverse(database.db, buildReversalRequest({ by: recipient, transfer_reference, ...options }));

/** The recipient's, until the session's transaction ends. */
const lockWallets = (session: Client): Promise<unknown> =>
  session.query('select from ledger_accounts where user_id = $1 for update', [recipient.id]);

const untilWaiting = (count: number): Promise<true> => untilSessionsWait(database, count);

const balances = async (): Promise<[bigint, bigint]> => [
  await balanceOf(database.db, sender),
  await balanceOf(database.db, recipient),
];

async function reversedOf(reference: string): Promise<bigint> {
  const { rows } = await database.owner.raw(
    'select reversed_minor from transfers where reference = ?',
    [reference],
  );
  return (rows as { reversed_minor: bigint }[])[0]!.reversed_minor;
}

const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe('post_reversal', () => {
  it('gives back all that is left, and not one unit more', async () => {
    await fund(database.db, recipient.id, 'live', 'XOF', FEE);
    const transfer = await send();
    expect(await post(transfer, { amount: 200_000n })).toEqual({
      outcome: 'reversed',
      left_minor: SENT,
    });
    expect(await post(transfer, { amount: 300_100n })).toEqual({
      outcome: 'reversal_exceeds_transfer',
      left_minor: 300_000n,
    });
    expect(await post(transfer)).toMatchObject({ outcome: 'reversed' });
    for (const amount of [null, 100n]) {
      expect(await post(transfer, { amount })).toEqual({
        outcome: 'reversal_exceeds_transfer',
        left_minor: 0n,
      });
    }
    expect(await balances()).toEqual([FUNDS, 0n]);
  });

  it.each<[string, () => Partial<ReversalRequestOptions>]>([
    ['its sender', () => ({ by: sender })],
    ['the other environment', () => ({ environment: 'sandbox' })],
    ['a transfer that never was', () => ({ transfer_reference: 'TRF-00000000000000000000' })],
  ])('finds no transfer for %s', async (_, options) => {
    const transfer = await send();
    const before = await balances();
    expect(await post(transfer, options())).toEqual({
      outcome: 'transfer_not_found',
      left_minor: null,
    });
    expect(await balances()).toEqual(before);
  });

  it('repeats the first outcome of a key, of whatever it is asked then', async () => {
    const [transfer, other] = [await send(), await send()];
    const key = randomUUID();
    expect(await post(transfer, { key, amount: 1_000n })).toMatchObject({ outcome: 'reversed' });
    expect(await post(transfer, { key, amount: 1_000n })).toMatchObject({ outcome: 'reversed' });
    expect(await post(other, { key })).toMatchObject({ outcome: 'reversed' });
    expect([await reversedOf(transfer), await reversedOf(other)]).toEqual([1_000n, 0n]);
  });

  it('lapsed writes nothing and leaves the key free', async () => {
    const transfer = await send();
    const key = randomUUID();
    const late = await post(transfer, { key, amount: 100n, accept_before: soon(-1) });
    expect(late).toMatchObject({ outcome: 'lapsed' });
    expect(await reversedOf(transfer)).toBe(0n);
    expect(await post(transfer, { key, amount: 100n })).toMatchObject({ outcome: 'reversed' });
  });

  it.each<[string, () => [sql: string, value: string]]>([
    [
      'its transfer',
      () => ['select from transfers where recipient_id = $1 for update', recipient.id],
    ],
    [
      'the recipient’s wallet',
      () => ['select from ledger_accounts where user_id = $1 for update', recipient.id],
    ],
    [
      'the sender’s wallet',
      () => ['select from ledger_accounts where user_id = $1 for update', sender.id],
    ],
  ])('lapses when %s was locked until it was too late', async (_, lockOf) => {
    const transfer = await send();
    const session = await openSession(database.owner_url);
    await session.query('begin');
    const [sql, value] = lockOf();
    await session.query(sql, [value]);
    const accept_before = soon(1_000);
    const posting = post(transfer, { amount: 100n, accept_before });
    await waitFor(async () => {
      const { rows } = await session.query<{ is_late: boolean }>(
        'select clock_timestamp() > $1::timestamptz as is_late',
        [accept_before],
      );
      return rows[0]!.is_late;
    });
    await session.query('rollback');
    expect(await posting).toMatchObject({ outcome: 'lapsed' });
    expect(await reversedOf(transfer)).toBe(0n);
  });

  it('refuses a recipient who was frozen while it waited for the wallet', async () => {
    const transfer = await send();
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await lockWallets(session);
    const freezing = freezeAccount(database.operator, recipient.id, 'test', ACTOR);
    await untilWaiting(1);
    const posting = post(transfer, { amount: 100n });
    await untilWaiting(2);
    await session.query('rollback');
    await freezing;
    expect(await posting).toMatchObject({ outcome: 'account_frozen' });
    expect(await reversedOf(transfer)).toBe(0n);
  });
});

describe('reversals at once', () => {
  it('of one transfer share what was sent', async () => {
    await fund(database.db, recipient.id, 'live', 'XOF', FUNDS);
    const transfer = await send();
    // All of them have begun before the first may go on.
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await lockWallets(session);
    const posting = Promise.all(
      Array.from({ length: 9 }, () => post(transfer, { amount: 150_000n })),
    );
    await untilWaiting(9);
    await session.query('rollback');
    const outcomes = await posting;
    expect(outcomes.filter(({ outcome }) => outcome === 'reversed')).toHaveLength(3);
    expect(await reversedOf(transfer)).toBe(450_000n);
  });

  it('of several transfers share the wallet', async () => {
    const transfers = [await send(), await send(), await send()];
    // Each of them costs the recipient the fee.
    const outcomes = await Promise.all(transfers.map((transfer) => post(transfer)));
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual([
      'insufficient_funds',
      'reversed',
      'reversed',
    ]);
    expect(await balances()).toEqual([FUNDS - SENT, 3n * (SENT - FEE) - 2n * SENT]);
  });
});

interface Wish {
  readonly which: number;
  /** Hundredths of what was sent; null stands for what is left. */
  readonly parts: number | null;
  /** Few, so that they come again. */
  readonly key: string;
}

const wishes: fc.Arbitrary<Wish> = fc.record({
  which: fc.nat(3),
  parts: fc.option(fc.integer({ min: 1, max: 60 })),
  key: fc.oneof(fc.uuid(), fc.constantFrom('k1', 'k2', 'k3')),
});

it('gives back no more than was sent, to the unit, though sessions are killed in the middle', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(wishes, { minLength: 60, maxLength: 60, size: 'max' }),
      async (load) => {
        const people = await Promise.all(
          [1, 2, 3].map(() => buildUser(database.db, { funds: { live: { XOF: 1_000_000n } } })),
        );
        const [a, b, c] = people as [TestUser, TestUser, TestUser];
        // There and back, and two from one.
        const routes = [
          { from: a, to: b },
          { from: b, to: a },
          { from: a, to: c },
          { from: c, to: b },
        ];
        const transfers = await Promise.all(
          routes.map(async ({ from, to }) => ({ from, to, reference: await send(from, to) })),
        );
        const before = await Promise.all(people.map((user) => balanceOf(database.db, user)));
        const requests = load.map(({ which, parts, key }) => {
          const { reference, to } = transfers[which]!;
          const amount = parts === null ? null : (SENT / 100n) * BigInt(parts);
          return buildReversalRequest({ by: to, transfer_reference: reference, amount, key });
        });
        const db = connectAgain(database, 8);
        let isDone = false;
        const killing = killSessions(() => isDone);
        const results = await Promise.all(
          requests.map((request) => insist(() => reverse(db, request))),
        );
        isDone = true;
        expect(await killing).toBeGreaterThan(0);
        const { rows } = await database.owner.raw(
          `select transfer_reference, user_id, idempotency_key as key, amount_minor from reversals
            where transfer_reference = any (?)`,
          [transfers.map(({ reference }) => reference)],
        );
        const made = rows as Made[];
        for (const { reference } of transfers) {
          const sum = sumOf(made.filter((one) => one.transfer_reference === reference));
          expect(sum).toBeLessThanOrEqual(SENT);
          expect(await reversedOf(reference)).toBe(sum);
        }
        const after = await Promise.all(people.map((user) => balanceOf(database.db, user)));
        expect(after).toEqual(
          people.map(({ id }, n) => {
            const out = made.filter(({ user_id }) => user_id === id);
            const mine = transfers.filter(({ from }) => from.id === id);
            const back = made.filter(({ transfer_reference: of }) =>
              mine.some(({ reference }) => reference === of),
            );
            return before[n]! - sumOf(out) + sumOf(back);
          }),
        );
        // One outcome of a key once it is stored, and one reversal of it at most.
        const stored = requests.flatMap(({ user_id, key }, n) => {
          const { outcome } = results[n]!;
          return isStoredReversal(outcome) ? [{ scope: `${user_id} ${key}`, outcome }] : [];
        });
        for (const scope of new Set(stored.map((one) => one.scope))) {
          const outcomes = stored.filter((one) => one.scope === scope);
          expect(new Set(outcomes.map(({ outcome }) => outcome)).size).toBe(1);
          const of_key = made.filter(({ user_id, key }) => `${user_id} ${key}` === scope);
          expect(of_key).toHaveLength(outcomes[0]!.outcome === 'reversed' ? 1 : 0);
        }
        await expectBooksHold(database.db);
      },
    ),
    { numRuns: 4 },
  );
});

interface Made {
  readonly transfer_reference: string;
  readonly user_id: string;
  readonly key: string;
  readonly amount_minor: bigint;
}

function sumOf(rows: readonly Made[]): bigint {
  return rows.reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
}

/** Ends sessions of the second pool one after another, and counts them. */
async function killSessions(isDone: () => boolean): Promise<number> {
  const session = await openSession(database.owner_url);
  let killed = 0;
  while (!isDone()) {
    const { rows } = await session.query<{ killed: string }>(
      `select count(pg_terminate_backend(pid)) as killed from (
         select pid from pg_stat_activity
          where datname = current_database() and application_name = 'test-again'
            and state = 'active'
          order by pid offset $1 limit 1) s`,
      [randomInt(4)],
    );
    killed += Number(rows[0]!.killed);
  }
  return killed;
}
