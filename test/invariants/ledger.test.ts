import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import type { Client } from 'pg';
import { expectBooksHold } from '../support/books';
import { connectAgain, createTestDatabase, openSession, setUp } from '../support/database';
import { buildUser, type TestUser } from '../support/users';
import { insist, post } from '../support/postings';
import { listWallets } from '../../db/ledger/wallets';
import { forEach } from '../../domain/limit';
import type { TransferRequest, TransferResult } from '../../domain/transfer';
import { commands, requestOf, wishes } from './ledger-commands';
import { createModel, PEOPLE, type Person } from './ledger-model';
import { operations, run, setScene, type Operation, type Refunds, type Scene } from './operations';
import { setFees } from '../support/fees';

/** Some operations choose from what others have left, so they cannot all begin at the same moment. */
const AT_ONCE = 24;

// A failure prints its seed and path: `fc.assert(…, { seed, path })` plays it again.

const database = setUp(createTestDatabase);

async function createPeople(funds = 0n): Promise<Readonly<Record<Person, TestUser>>> {
  const live = funds === 0n ? {} : { XOF: funds * 100n, EUR: funds, USD: funds };
  const made = await Promise.all(
    PEOPLE.map(async (name) => [name, await buildUser(database.db, { funds: { live } })]),
  );
  return Object.fromEntries(made) as Record<Person, TestUser>;
}

async function totalOf(users: Readonly<Record<Person, TestUser>>): Promise<bigint> {
  const wallets = await Promise.all(
    Object.values(users).map(({ id }) => listWallets(database.db, id, 'live')),
  );
  return wallets.flat().reduce((sum, { balance_minor }) => sum + balance_minor, 0n);
}

async function feesTotal(): Promise<bigint> {
  const { rows } = await database.db.raw(
    `select coalesce(sum(balance_minor), 0)::bigint as total from ledger_accounts where kind = 'fees'`,
  );
  return (rows as { total: bigint }[])[0]!.total;
}

describe('the ledger', () => {
  it('does what the model does, in any sequence: I1, I2, I3 and I5 after each step', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands(commands, { maxCommands: 40, size: 'max' }),
        async (sequence) => {
          await setFees(database.owner);
          const real = {
            db: database.db,
            owner: database.owner,
            users: await createPeople(),
            bodies: new Map<string, string>(),
          };
          await fc.asyncModelRun(() => ({ model: createModel(), real }), sequence);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('keeps every invariant under parallel operations of every kind', async () => {
    await setFees(database.owner, { percent: 1.5, fixed_minor: 100 });
    // All loads share it: one also decides about what an earlier one has left.
    const refunds: Refunds = new Map();
    const details = await fc.check(
      fc.asyncProperty(
        fc.array(operations, { minLength: 150, maxLength: 200, size: 'max' }),
        async (load) => {
          const scene = await setScene(database, await createPeople(300n), refunds);
          const pools = [database.db, connectAgain(database)] as const;
          const failures: string[] = [];
          await forEach([...load.entries()], AT_ONCE, async ([index, operation]) => {
            await run(pools[index % 2]!, scene, operation).catch((error: unknown) =>
              failures.push(`${operation.kind}: ${(error as Error).stack}`),
            );
          });
          await pools[1].destroy();
          // One shows its kind: a deadlock names its statement, and the others are mostly of the same cause.
          expect(failures.slice(0, 2)).toEqual([]);
          await expectBooksHold(database.db);
          expect(await paymentsOf(scene)).toEqual(scene.paid);
          const requests = scene.transferred.map(([request]) => request);
          const results = scene.transferred.map(([, result]) => result);
          expectOneResponsePerKey(requests, results);
        },
      ),
      { numRuns: 8, endOnFailure: true },
    );
    expectSuccess(details);
    await expectEverythingHappened();
    await setFees(database.owner);
  });

  it('has one effect per key though sessions are killed in the middle', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(wishes, { minLength: 80, maxLength: 80, size: 'max' }),
        async (load) => {
          const users = await createPeople(1_000n);
          const before = (await totalOf(users)) + (await feesTotal());
          const db = connectAgain(database, 8);
          const session = await openSession(database.owner_url);
          const requests = load.map((wish) => requestOf(wish, users));
          let isDone = false;
          const killing = killSessions(session, () => isDone);
          const outcomes = await Promise.all(
            requests.map((request) => insist(() => post(db, [request]))),
          );
          isDone = true;
          expect(await killing).toBeGreaterThan(0);
          await expectBooksHold(database.db);
          expect((await totalOf(users)) + (await feesTotal())).toBe(before);
          expectOneResponsePerKey(requests, outcomes.flat());
        },
      ),
      { numRuns: 5 },
    );
  });
});

/** A race is not found again by a smaller load: no shrinking, and the load itself is not printed. */
function expectSuccess({ failed, seed, errorInstance }: fc.RunDetails<[Operation[]]>): void {
  if (!failed) return;
  const { message } = errorInstance as Error;
  throw new Error(`With the seed ${seed}: ${message}`, { cause: errorInstance });
}

/** The books' record of the payments that the gateway told of. */
async function paymentsOf({ paid }: Scene): Promise<Map<string, bigint>> {
  const { rows } = await database.owner.raw(
    `select provider_payment_id as id, amount_minor as amount from gateway_payments
      where provider_payment_id = any (?)`,
    [[...paid.keys()]],
  );
  const booked = new Map(
    (rows as { id: string; amount: bigint }[]).map((row) => [row.id, row.amount]),
  );
  return new Map([...paid.keys()].map((id) => [id, booked.get(id)!]));
}

/** Every end that an operation can have was reached, or nothing was raced. */
async function expectEverythingHappened(): Promise<void> {
  const { rows } = await database.owner.raw(
    `select 'intent ' || status as what from payment_intents
     union select 'suspense ' || status from suspense_items
     union select 'refund ' || status from suspense_refunds
     union select 'dispute ' || status from disputes
     union select 'notification ' || outcome from gateway_notifications
     union select 'transfer ' || status from transfers
     union select 'posting ' || kind from ledger_transactions
     union select 'fee' from ledger_accounts where kind = 'fees' and balance_minor > 0`,
  );
  const happened = new Set((rows as { what: string }[]).map(({ what }) => what));
  expect({ missing: EVERYTHING.filter((what) => !happened.has(what)) }).toEqual({ missing: [] });
}

const EVERYTHING = [
  ...['succeeded', 'failed', 'expired', 'canceled'].map((end) => `intent ${end}`),
  ...['accepted', 'refunded', 'closed'].map((end) => `suspense ${end}`),
  ...['succeeded', 'failed'].map((end) => `refund ${end}`),
  ...['won', 'lost'].map((status) => `dispute ${status}`),
  ...['succeeded', 'failed', 'attempt_failed', 'suspense', 'stale'].map((o) => `notification ${o}`),
  ...['completed', 'simulated'].map((status) => `transfer ${status}`),
  ...[
    'transfer',
    'reversal',
    'adjustment',
    'payment',
    'suspense',
    'refund',
    'dispute_taken',
    'dispute_won',
    'dispute_lost',
  ].map((kind) => `posting ${kind}`),
  'fee',
];

/** Ends sessions of this database's pools one after another, and counts them. */
async function killSessions(session: Client, isDone: () => boolean): Promise<number> {
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

function expectOneResponsePerKey(
  requests: readonly TransferRequest[],
  results: readonly TransferResult[],
): void {
  const bodies = new Map<string, Set<string>>();
  for (const [index, { response }] of results.entries()) {
    if (!response) continue;
    const { sender_id, environment, key } = requests[index]!;
    const scope = `${sender_id}/${environment}/${key}`;
    bodies.set(scope, (bodies.get(scope) ?? new Set()).add(response.body));
  }
  for (const texts of bodies.values()) expect(texts.size).toBe(1);
}
