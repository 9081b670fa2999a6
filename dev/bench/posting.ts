// `npm run bench:posting`: what posting a transfer costs Postgres, by the size of the batch, and among accounts that have
// an endpoint for the events of their transfers, keys with a daily limit, all limits of accounts, or twenty rules of risk,
// in turns. The connection's processor time (from /proc, so on Linux only), its time without waiting for the disk, and the
// write-ahead log.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '../../db/schema/migrate';
import { transferRefusals, type TransferRequest } from '../../domain/transfer';
import { pickPort } from '../embedded/ports';
import { startPostgres } from '../embedded/postgres';
import { createGuards, type Guards } from './guards';
import { timeOf } from './processor';
import { median, round } from './stats';
import { buildTransfer, DOCS, type User } from './transfers';

const USERS = 100;
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
/** The transfers of one turn, by the size of a batch. */
const TRANSFERS: Readonly<Record<number, number>> = { 1: 600, 8: 1_600, 64: 2_560, 500: 3_000 };
const FUNDS = 10n ** 12n;

/** `events`: both sides of each transfer have an endpoint that names its events. `limited`: keys have a daily limit.
 * `tiers`: both sides have all limits. `watched`: twenty rules of risk look at each. */
const WAYS = ['plain', 'events', 'limited', 'tiers', 'watched'] as const;
type Way = (typeof WAYS)[number];

const posting = (requests: readonly TransferRequest[]) => ({
  name: 'post',
  text: 'select * from post_transfer_batch($1, $2)',
  values: [JSON.stringify(requests), JSON.stringify(transferRefusals(DOCS))],
});

/** The cost of one transfer. */
interface Cost {
  readonly processor_us: number;
  readonly us: number;
  readonly wal_bytes: number;
}

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'payment-bench-'));
  const log_file = join(directory, 'postgres.log');
  const port = await pickPort(15_433);
  // No checkpoint within a turn, and so no pages written whole.
  const settings = { max_wal_size: '8GB', checkpoint_timeout: '1h' };
  const postgres = await startPostgres({ directory, port, log_file, settings });
  const owner = new Client({ connectionString: postgres.superuser_url('postgres') });
  try {
    await owner.connect();
    await owner.query(`create role payments_app login`);
    await migrate({ owner_url: postgres.superuser_url('postgres'), app_role: 'payments_app' });
    const users = await makeUsers(owner, 'bench');
    const listening = await makeUsers(owner, 'listening');
    await owner.query(
      `insert into webhook_endpoints (id, user_id, environment, url, types, sealed_secret)
       select gen_random_uuid(), u.id, 'live', 'https://shop.example/webhooks',
              array['transfer.received', 'transfer.sent'], '-'
         from users u where u.username like 'listening-%'`,
    );
    const limited = await limitKeys(owner, await makeUsers(owner, 'limited'));
    const tiers = await makeUsers(owner, 'tiers');
    const guards = createGuards(owner, 'EUR');
    await guards.limit(tiers);
    await report(owner, guards, {
      plain: users,
      events: listening,
      limited,
      tiers,
      watched: users,
    });
  } finally {
    await owner.end();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A limit that is not reached. */
async function limitKeys(owner: Client, users: readonly User[]): Promise<User[]> {
  const { rows } = await owner.query<User>(
    `with made as (
       insert into api_keys (user_id, environment, key_hash, key_prefix, last_four, scopes, daily_limit)
       select id, 'live', sha256(id::text::bytea), '-', '----', '{transfers:write}', '{"EUR": "1000000000000"}'
         from unnest($1::uuid[]) id
       returning id, user_id)
     select u.id, u.username, m.id as limited_key from made m join users u on u.id = m.user_id`,
    [users.map(({ id }) => id)],
  );
  return rows;
}

async function makeUsers(owner: Client, name: string): Promise<User[]> {
  await owner.query('set synchronous_commit = off');
  const { rows } = await owner.query<User>(
    `insert into users (username, email, password_hash, country, kyc_status)
     select $2::text || '-' || n, $2::text || n || '@example.com', '-', 'SN', 'approved'
       from generate_series(1, $1) n
     returning id, username`,
    [USERS, name],
  );
  for (const { id } of rows) {
    for (const currency of ['XOF', 'EUR']) {
      await owner.query(`select post_adjustment($1, $2, 'live', $3, 'operator', $4, 'bench')`, [
        `ADJ-${randomUUID()}`,
        id,
        currency,
        FUNDS,
      ]);
    }
  }
  return rows;
}

async function report(
  owner: Client,
  guards: Guards,
  users: Readonly<Record<Way, readonly User[]>>,
): Promise<void> {
  const costs: Record<string, Cost[]> = {};
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    for (const size of Object.keys(TRANSFERS).map(Number)) {
      for (const accounts of [USERS, 2]) {
        for (const way of WAYS) {
          if (way === 'watched') await guards.watch(true);
          const cost = await measure(owner, users[way].slice(0, accounts), size);
          if (way === 'watched') await guards.watch(false);
          (costs[`${size}\t${accounts}\t${way}`] ??= []).push(cost);
        }
      }
    }
  }
  const line = (cells: readonly unknown[]): void =>
    void process.stdout.write(`${cells.join('\t')}\n`);
  line(['batch', 'accounts', 'way', 'processor µs', 'µs', 'WAL bytes']);
  for (const [what, of] of Object.entries(costs)) {
    const middle = (name: keyof Cost): number => round(median(of.map((cost) => cost[name])));
    line([
      what,
      Math.round(middle('processor_us')),
      Math.round(middle('us')),
      Math.round(middle('wal_bytes')),
    ]);
  }
}

async function measure(owner: Client, users: readonly User[], size: number): Promise<Cost> {
  const { rows } = await owner.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]!.pid;
  const count = TRANSFERS[size]!;
  const calls = Array.from({ length: Math.ceil(count / size) }, () =>
    posting(Array.from({ length: size }, () => randomTransfer(users))),
  );
  await owner.query(calls.pop()!);
  const wal = await walPosition(owner);
  const processor = timeOf(pid);
  const start = performance.now();
  for (const call of calls) await owner.query(call);
  const us = (performance.now() - start) * 1_000;
  const transfers = calls.length * size;
  return {
    processor_us: ((timeOf(pid) - processor) * 1_000) / transfers,
    us: us / transfers,
    wal_bytes: Number((await walPosition(owner)) - wal) / transfers,
  };
}

/** Between two of them, at random. */
function randomTransfer(users: readonly User[]): TransferRequest {
  const from = Math.floor(Math.random() * users.length);
  const to = (from + 1 + Math.floor(Math.random() * (users.length - 1))) % users.length;
  return buildTransfer(users[from]!, users[to]!, 'EUR');
}

async function walPosition(owner: Client): Promise<bigint> {
  const { rows } = await owner.query<{ at: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as at`,
  );
  return BigInt(rows[0]!.at);
}

void main();
