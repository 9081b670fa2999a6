// A Postgres of a measurement's own, which is thrown away with it, and accounts with money in it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '../../db/schema/migrate';
import { pickPort } from '../embedded/ports';
import { startPostgres } from '../embedded/postgres';
import type { User } from './transfers';

const FUNDS = 10n ** 12n;

/** `owner` is a connection of the superuser, and `url` leads to the same. */
export async function onPostgres(
  settings: Readonly<Record<string, string | number>>,
  work: (owner: Client, url: string) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'payment-bench-'));
  const log_file = join(directory, 'postgres.log');
  const port = await pickPort(15_433);
  const postgres = await startPostgres({ directory, port, log_file, settings });
  const url = postgres.superuser_url('postgres');
  const owner = new Client({ connectionString: url });
  try {
    await owner.connect();
    await owner.query('create role payments_app login');
    await migrate({ owner_url: url, app_role: 'payments_app' });
    await work(owner, url);
  } finally {
    await owner.end();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** So many, which are called `<name>-1` and so on, each with francs. */
export async function openAccounts(owner: Client, name: string, count: number): Promise<User[]> {
  const { rows } = await owner.query<User>(
    `insert into users (username, email, password_hash, country, kyc_status)
     select $2::text || '-' || n, $2::text || n || '@example.com', '-', 'SN', 'approved'
       from generate_series(1, $1::int) n
     returning id, username`,
    [count, name],
  );
  await owner.query(
    `select post_adjustment('ADJ-' || gen_random_uuid(), id, 'live', 'XOF', 'operator', $1, 'bench')
       from unnest($2::uuid[]) id`,
    [FUNDS, rows.map(({ id }) => id)],
  );
  return rows;
}
