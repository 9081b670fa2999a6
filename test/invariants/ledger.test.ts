import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import {
  connectAgain,
  createTestDatabase,
  openSession,
  type TestDatabase,
} from '../support/database';
import { buildUser, type TestUser } from '../support/users';
import { post } from '../support/postings';
import type { Db } from '../../db/connect';
import { isDatabaseUnavailable } from '../../db/errors';
import { verifyLedger } from '../../db/verify';
import { listWallets } from '../../db/wallets';
import type { TransferRequest, TransferResult } from '../../domain/transfer';
import { commands, requestOf, wishes } from './ledger-commands';
import { createModel, PEOPLE, type Person } from './ledger-model';

// A failure prints its seed and path: `fc.assert(…, { seed, path })` plays it again.
jest.setTimeout(120_000);

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

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
          await database.owner.raw('update fee_policies set basis_points = 0, fixed_minor = 0');
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
    await fc.assert(
      fc.asyncProperty(
        fc.array(wishes, { minLength: 60, maxLength: 120, size: 'max' }),
        async (load) => {
          const users = await createPeople(300n);
          const before = (await totalOf(users)) + (await feesTotal());
          const pools = [database.db, connectAgain(database, 5)];
          const requests = load.map((wish) => requestOf(wish, users));
          const outcomes = await Promise.all(
            requests.map((request, index) => post(pools[index % 2]!, [request])),
          );
          expect(await verifyLedger(database.db)).toEqual([]);
          // Nobody's money came from nowhere or went away.
          expect((await totalOf(users)) + (await feesTotal())).toBe(before);
          expectOneResponsePerKey(requests, outcomes.flat());
        },
      ),
      { numRuns: 8 },
    );
  });

  it('has one effect per key though sessions are killed in the middle', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(wishes, { minLength: 80, maxLength: 80, size: 'max' }),
        async (load) => {
          const users = await createPeople(1_000n);
          const before = (await totalOf(users)) + (await feesTotal());
          const db = connectAgain(database, 8);
          const requests = load.map((wish) => requestOf(wish, users));
          let isDone = false;
          const killing = killSessions(() => isDone);
          const outcomes = await Promise.all(
            requests.map((request) => postUntilAnswered(db, request)),
          );
          isDone = true;
          expect(await killing).toBeGreaterThan(0);
          expect(await verifyLedger(database.db)).toEqual([]);
          expect((await totalOf(users)) + (await feesTotal())).toBe(before);
          expectOneResponsePerKey(requests, outcomes);
        },
      ),
      { numRuns: 5 },
    );
  });
});

/** As the workflow does: an error tells nothing, so the same request is posted again. */
async function postUntilAnswered(db: Db, request: TransferRequest): Promise<TransferResult> {
  for (;;) {
    try {
      const [result] = await post(db, [request]);
      return result!;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
    }
  }
}

/** Ends sessions of the application's pools one after another, and counts them. */
async function killSessions(isDone: () => boolean): Promise<number> {
  const session = await openSession(database.owner_url);
  let killed = 0;
  while (!isDone()) {
    const { rows } = await session.query<{ killed: string }>(
      `select count(pg_terminate_backend(pid)) as killed from (
         select pid from pg_stat_activity
          where application_name = 'test-again' and state = 'active'
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
