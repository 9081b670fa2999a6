// A year dumped and restored by Postgres' own programs, which have to be of the server's version or newer: those
// of the folder PG_BIN, or of the path.

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { EmbeddedPostgres } from '../embedded/postgres';
import { round } from './stats';

export interface DumpReport {
  /** Of the database that is dumped. */
  readonly database_mb: number;
  readonly dump_seconds: number;
  readonly dump_mb: number;
  readonly restore_seconds: number;
  readonly restored_mb: number;
  /** Rows of all tables, and the ledger's newest seal, are the same. */
  readonly is_same: boolean;
}

const run = promisify(execFile);
const JOBS = 2;

/** Why there is no report, when there is none. The database is replaced by its restored copy. */
export async function measureDump(
  postgres: EmbeddedPostgres,
  folder: string,
  log: (text: string) => void,
): Promise<DumpReport | string> {
  const version = await read<string>(postgres, 'postgres', `current_setting('server_version_num')`);
  const dump = program('pg_dump');
  const found = await run(dump, ['--version']).then(
    ({ stdout }) => /\d+/.exec(stdout)?.[0] ?? '0',
    () => '0',
  );
  const server = Math.floor(Number(version) / 10_000);
  if (Number(found) < server) return `pg_dump is ${found}, the server ${server}: set PG_BIN`;
  const before = await describeDatabase(postgres);
  const database_mb = await megabytesOf(postgres);
  const into = mkdtempSync(join(folder, 'dump-'));
  try {
    const files = join(into, 'year');
    const options = ['--format=directory', `--jobs=${JOBS}`, '--compress=gzip:1'];
    const dump_seconds = await timed(() =>
      run(dump, [...options, `--file=${files}`, postgres.superuser_url('year')]),
    );
    const dump_mb = megabytesIn(files);
    log(`dumped: ${dump_mb} MB in ${dump_seconds} s`);
    await execute(postgres, 'drop database year');
    await execute(postgres, 'create database year');
    const restore_seconds = await timed(() =>
      run(program('pg_restore'), [
        ...[
          `--jobs=${JOBS}`,
          '--exit-on-error',
          `--dbname=${postgres.superuser_url('year')}`,
          files,
        ],
      ]),
    );
    const is_same = (await describeDatabase(postgres)) === before;
    const restored_mb = await megabytesOf(postgres);
    return { database_mb, dump_seconds, dump_mb, restore_seconds, restored_mb, is_same };
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
}

function program(name: string): string {
  const folder = process.env['PG_BIN'];
  return folder ? join(folder, name) : name;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return round((performance.now() - start) / 1_000);
}

const COUNTED = [
  ...['users', 'ledger_accounts', 'ledger_transactions', 'ledger_entries', 'transactions'],
  ...['transfers', 'idempotency_keys', 'events', 'webhook_deliveries', 'webhook_attempts'],
];

async function describeDatabase(postgres: EmbeddedPostgres): Promise<string> {
  const counts: string[] = [];
  for (const table of COUNTED) {
    counts.push(await read<string>(postgres, 'year', `(select count(*) from ${table})`));
  }
  const seal = `(select encode(hash, 'hex') from ledger_seals order by id desc limit 1)`;
  return [...counts, await read<string>(postgres, 'year', seal)].join(' ');
}

async function megabytesOf(postgres: EmbeddedPostgres): Promise<number> {
  return Math.round(
    Number(await read<string>(postgres, 'postgres', `pg_database_size('year')`)) / 2 ** 20,
  );
}

function megabytesIn(folder: string): number {
  const bytes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  return Math.round(bytes.reduce((sum, one) => sum + one, 0) / 2 ** 20);
}

async function read<Value>(
  postgres: EmbeddedPostgres,
  database: string,
  expression: string,
): Promise<Value> {
  const client = new Client({ connectionString: postgres.superuser_url(database) });
  await client.connect();
  try {
    const { rows } = await client.query<{ value: Value }>(`select ${expression} as value`);
    return rows[0]!.value;
  } finally {
    await client.end();
  }
}

async function execute(postgres: EmbeddedPostgres, text: string): Promise<void> {
  const client = new Client({ connectionString: postgres.superuser_url('postgres') });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
