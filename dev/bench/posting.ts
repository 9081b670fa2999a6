// `npm run bench:posting`: what posting a transfer costs Postgres, by the size of the batch, and among accounts
// that have an endpoint for the events of their transfers or keys with a daily limit, in turns. The connection's processor time (from
// /proc, so on Linux only), its time without waiting for the disk, and the write-ahead log.

import { randomUUID } from 'node:crypto';
import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '../../db/schema/migrate';
import { transferRefusals, type TransferRequest } from '../../domain/transfer';
import { pickPort } from '../embedded/ports';
import { startPostgres } from '../embedded/postgres';
import { fingerprintFields } from '../../secrets/hash';
import { makeTransferReference } from '../../secrets/random';
import { median, round } from './stats';

const DOCS = 'https://pay.example.com/docs/errors';
const USERS = 100;
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
/** The transfers of one turn, by the size of a batch. */
const TRANSFERS: Readonly<Record<number, number>> = { 1: 600, 8: 1_600, 64: 2_560, 500: 3_000 };
const FUNDS = 10n ** 12n;

/** `events`: both sides of each transfer have an endpoint that names its events. `limited`: keys have a daily limit. */
const WAYS = ['plain', 'events', 'limited'] as const;
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
    await report(owner, { plain: users, events: listening, limited });
  } finally {
    await owner.end();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface User {
  readonly id: string;
  readonly username: string;
  readonly limited_key?: string;
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

async function report(owner: Client, users: Readonly<Record<Way, readonly User[]>>): Promise<void> {
  const costs: Record<string, Cost[]> = {};
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    for (const size of Object.keys(TRANSFERS).map(Number)) {
      for (const accounts of [USERS, 2]) {
        for (const way of WAYS) {
          const cost = await measure(owner, users[way].slice(0, accounts), size);
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
  line([]);
  await reportSizes(owner, line);
}

async function measure(owner: Client, users: readonly User[], size: number): Promise<Cost> {
  const { rows } = await owner.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]!.pid;
  const count = TRANSFERS[size]!;
  const calls = Array.from({ length: Math.ceil(count / size) }, () =>
    posting(Array.from({ length: size }, () => buildRequest(users))),
  );
  await owner.query(calls.pop()!);
  const wal = await walPosition(owner);
  const processor = processorMs(pid);
  const start = performance.now();
  for (const call of calls) await owner.query(call);
  const us = (performance.now() - start) * 1_000;
  const transfers = calls.length * size;
  return {
    processor_us: ((processorMs(pid) - processor) * 1_000) / transfers,
    us: us / transfers,
    wal_bytes: Number((await walPosition(owner)) - wal) / transfers,
  };
}

function buildRequest(users: readonly User[]): TransferRequest {
  const from = Math.floor(Math.random() * users.length);
  const to = (from + 1 + Math.floor(Math.random() * (users.length - 1))) % users.length;
  const fields = { to_username: users[to]!.username, currency: 'EUR', amount: '100' } as const;
  const { limited_key } = users[from]!;
  return {
    reference: makeTransferReference(),
    environment: 'live',
    sender_id: users[from]!.id,
    sender_username: users[from]!.username,
    key: randomUUID(),
    fingerprint: fingerprintFields(fields),
    request_id: randomUUID(),
    accept_before: new Date(Date.now() + 600_000).toISOString(),
    to_username: fields.to_username,
    currency: 'EUR',
    amount_minor: fields.amount,
    ...(limited_key !== undefined && { limited_key }),
  };
}

async function walPosition(owner: Client): Promise<bigint> {
  const { rows } = await owner.query<{ at: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as at`,
  );
  return BigInt(rows[0]!.at);
}

/** User and system time of a process: fields 14 and 15, in ticks of 10 ms. */
function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Each transfer's disk space: bytes of each table and index, over all transfers that were posted. */
async function reportSizes(
  owner: Client,
  line: (cells: readonly unknown[]) => void,
): Promise<void> {
  await owner.query(
    'vacuum full transfers, transactions, ledger_transactions, ledger_entries, idempotency_keys',
  );
  const { rows } = await owner.query<{ table: string; name: string; bytes: string }>(
    `select t.relname as table, r.relname as name,
            round(pg_relation_size(r.oid)::numeric / (select count(*) from transfers), 1) as bytes
       from pg_class t
       join pg_class r on r.oid = t.oid
         or r.oid in (select i.indexrelid from pg_index i where i.indrelid = t.oid)
      where t.relname in ('transfers', 'transactions', 'ledger_transactions', 'ledger_entries',
                          'idempotency_keys')
      order by 1, r.relkind desc, 2`,
  );
  line(['table', 'table or index', 'bytes of a transfer']);
  for (const row of rows) line([row.table, row.name, row.bytes]);
}

void main();
