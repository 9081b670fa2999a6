// `npm run bench:months [-- --months 6 --transfers N --accounts A --memory 16MB --compression pglz]`: what a posting and
// a page of a history cost in each of several months, on a server whose memory is as small beside its data as that
// of a busy service. Transfers are posted by the service's own function, in groups of 64 between random accounts.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { connectDatabase, execute, type Db } from '../../db/connect';
import { listHistory } from '../../db/ledger/history';
import { transactionsStatement, type TransactionQuery } from '../../db/ledger/transactions';
import { migrate } from '../../db/schema/migrate';
import { postTransfers } from '../../db/transfers/transfers';
import { pickPort } from '../embedded/ports';
import { startPostgres } from '../embedded/postgres';
import { timeOf } from './processor';
import { round } from './stats';
import { buildTransfer, DOCS, type User } from './transfers';

const GROUP = 64;
const FUNDS = 10n ** 12n;
const READS = 1_000;
/** Groups between two checkpoints. */
const CHECKPOINT_EVERY = 80;

interface MonthCost {
  readonly month: number;
  /** For one transfer. */
  readonly processor_us: number;
  readonly wal_bytes: number;
  /** For one page of 25, by the name of the list. */
  readonly pages_us: Readonly<Record<string, number>>;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      months: { type: 'string', default: '6' },
      transfers: { type: 'string', default: '100000' },
      accounts: { type: 'string', default: '20000' },
      memory: { type: 'string', default: '16MB' },
      compression: { type: 'string', default: 'off' },
    },
  });
  const directory = mkdtempSync(join(tmpdir(), 'payment-bench-'));
  const settings = {
    shared_buffers: values.memory,
    // Made after so many transfers, below: after a time, a slower month would write more pages whole.
    checkpoint_timeout: '1h',
    max_wal_size: '8GB',
    wal_compression: values.compression,
    // Processor time of one process is all of it.
    max_parallel_workers_per_gather: 0,
    synchronous_commit: 'off',
  };
  const port = await pickPort(15_435);
  const log_file = join(directory, 'postgres.log');
  const postgres = await startPostgres({ directory, port, log_file, settings });
  const url = postgres.superuser_url('postgres');
  const owner = new Client({ connectionString: url });
  let db: Db | undefined;
  try {
    await owner.connect();
    await owner.query('create role payments_app login');
    await migrate({ owner_url: url, app_role: 'payments_app' });
    const users = await openAccounts(owner, Number(values.accounts));
    db = connectDatabase({ url, pool_size: 1, name: 'bench', is_patient: true });
    const costs: MonthCost[] = [];
    for (let month = 1; month <= Number(values.months); month += 1) {
      const cost = { month, ...(await post(db, owner, users, Number(values.transfers))) };
      const pages_us = await read(db, users[0]!);
      costs.push({ ...cost, pages_us });
      process.stdout.write(`${JSON.stringify(costs.at(-1))}\n`);
    }
    await measureDrop(db, owner, transfersOf(values.transfers));
    const [first, last] = [costs[0]!, costs.at(-1)!];
    process.stdout.write(
      `last month to first: processor ${round(last.processor_us / first.processor_us)}, ` +
        `WAL ${round(last.wal_bytes / first.wal_bytes)}\n`,
    );
  } finally {
    await db?.destroy();
    await owner.end();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const transfersOf = (text: string): number => Math.ceil(Number(text) / GROUP) * GROUP;

/** The cost to delete the histories of the first month, and to make their place free, for each transfer. */
async function measureDrop(db: Db, owner: Client, transfers: number): Promise<void> {
  const pid = (await owner.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;
  const { rows } = await owner.query<{ id: string }>(
    'select id from transactions order by id offset $1 limit 1',
    [2 * transfers],
  );
  const before = { ms: timeOf(pid), wal: await walOf(db) };
  const note = async (what: string): Promise<void> => {
    const processor_us = round(((timeOf(pid) - before.ms) * 1_000) / transfers);
    const wal_bytes = round(((await walOf(db)) - before.wal) / transfers);
    process.stdout.write(`${JSON.stringify({ what, processor_us, wal_bytes })}\n`);
  };
  await owner.query('delete from transactions where id < $1', [rows[0]!.id]);
  await note('deleted');
  await owner.query('vacuum transactions');
  await note('deleted and vacuumed');
}

async function openAccounts(owner: Client, count: number): Promise<User[]> {
  const { rows } = await owner.query<User>(
    `insert into users (username, email, password_hash, country, kyc_status)
     select 'customer-' || n, n || '@example.com', '-', 'SN', 'approved' from generate_series(1, $1::int) n
     returning id, username`,
    [count],
  );
  await owner.query(
    `select post_adjustment('ADJ-' || gen_random_uuid(), u.id, 'live', 'EUR', 'operator', $1, 'bench') from users u`,
    [FUNDS],
  );
  await owner.query('vacuum analyze');
  return rows;
}

async function post(db: Db, owner: Client, users: readonly User[], transfers: number) {
  const pid = await pidOf(db);
  const groups = Math.ceil(transfers / GROUP);
  const before = { ms: timeOf(pid), wal: await walOf(db) };
  for (let group = 0; group < groups; group += 1) {
    if (group % CHECKPOINT_EVERY === 0) await owner.query('checkpoint');
    // One in ten is of the same account, as of a busy merchant.
    const requests = Array.from({ length: GROUP }, (_, n) => {
      const [one, other] = n % 10 === 0 ? [users[0]!, draw(users, 1)] : drawTwo(users);
      return { ...buildTransfer(one, other, 'EUR'), key: randomUUID() };
    });
    const results = await postTransfers(db, requests, DOCS);
    const refused = results.find(({ outcome }) => outcome !== 'completed');
    if (refused) throw new Error(`a transfer was ${refused.outcome}`);
  }
  return {
    processor_us: round(((timeOf(pid) - before.ms) * 1_000) / (groups * GROUP)),
    wal_bytes: round(((await walOf(db)) - before.wal) / (groups * GROUP)),
  };
}

function draw(users: readonly User[], from: number): User {
  return users[from + Math.floor(Math.random() * (users.length - from))]!;
}

function drawTwo(users: readonly User[]): readonly [User, User] {
  const one = draw(users, 0);
  for (;;) {
    const other = draw(users, 0);
    if (other !== one) return [one, other];
  }
}

/** Pages of an account with many rows, and of one with few. */
async function read(db: Db, { id: user_id }: User) {
  const pid = await pidOf(db);
  const owner = { user_id, environment: 'live' as const, before: undefined, limit: 25 };
  const [small] = await execute<{ id: string }>(
    db,
    { name: 'small_account', text: `select id from users where username = 'customer-7'` },
    [],
  );
  // Planned once, as a look-up of one caller is.
  await db.raw('set plan_cache_mode = force_generic_plan');
  const page = (query: Partial<TransactionQuery>) => {
    const { statement, values } = transactionsStatement({ ...owner, types: undefined, ...query });
    return execute(
      db,
      statement,
      values.map((value) => [value]),
    );
  };
  const lists = {
    newest: () => page({}),
    'newest of a small account': () => page({ user_id: small!.id }),
    'of a type': () => page({ types: ['transfer_in'] }),
    'of a type that is rare': () => page({ types: ['refund'] }),
    'of a currency': () => listHistory(db, { ...owner, filters: { currency: 'EUR' } }),
  };
  const costs: Record<string, number> = {};
  for (const [name, list] of Object.entries(lists)) {
    for (let n = 0; n < 20; n += 1) await list();
    const before = timeOf(pid);
    for (let n = 0; n < READS; n += 1) await list();
    costs[name] = round(((timeOf(pid) - before) * 1_000) / READS);
  }
  await db.raw('set plan_cache_mode = auto');
  return costs;
}

async function pidOf(db: Db): Promise<number> {
  const text = 'select pg_backend_pid() as pid';
  return (await execute<{ pid: number }>(db, { name: 'pid_of_month', text }, []))[0]!.pid;
}

async function walOf(db: Db): Promise<number> {
  const text = `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as at`;
  return (await execute<{ at: number }>(db, { name: 'wal_of_month', text }, []))[0]!.at;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
