// `npm run bench:year [-- --transactions N] [--deliveries M] [--folder DIR] [--parts P,…]
// [--json]`: a year of a busy merchant,
// 10 million transfers and 5 million deliveries if not said otherwise. What reading it costs, list by list,
// beside the same of a merchant with 10,000 transfers; the whole of `ledger verify`; and what each row keeps on
// the disk. With `--folder` the database stays there, and is used again by the next run.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { connectDatabase } from '../../db/connect';
import { sealLedger } from '../../db/ledger/ledger-seals';
import { migrate } from '../../db/schema/migrate';
import { verifyLedger } from '../../db/verify/verify';
import { pickPort } from '../embedded/ports';
import { startPostgres, type EmbeddedPostgres } from '../embedded/postgres';
import { timesOf } from './processor';
import { round } from './stats';
import { fillYear, type Year, type YearSize } from './year-fill';
import { findLandmarks, LISTS, measureExport, measureList, type Subject } from './year-lists';
import { readSizes } from './year-sizes';

const SMALL: YearSize = { transactions: 10_000, deliveries: 5_000 };
const DATABASES = ['small', 'year'] as const;
type Name = (typeof DATABASES)[number];

const PARTS = ['lists', 'exports', 'verify'] as const;
type Part = (typeof PARTS)[number];

const log = (text: string): void =>
  void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);

const MEMORY = { shared_buffers: '1GB' };
// One processor, and no write-ahead log for what can be written again.
const FILL_SETTINGS = {
  ...MEMORY,
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_wal_size: '2GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  max_parallel_maintenance_workers: 0,
  max_parallel_workers_per_gather: 0,
};
const SETTINGS = {
  ...MEMORY,
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
  max_wal_size: '2GB',
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      transactions: { type: 'string', default: '10000000' },
      deliveries: { type: 'string', default: '5000000' },
      folder: { type: 'string' },
      parts: { type: 'string', default: PARTS.join() },
      json: { type: 'boolean' },
    },
  });
  const size: YearSize = {
    transactions: readCount(values.transactions),
    deliveries: readCount(values.deliveries),
  };
  const kept = values.folder;
  const folder = kept ? resolve(kept) : mkdtempSync(join(tmpdir(), 'payment-bench-'));
  mkdirSync(folder, { recursive: true });
  let postgres: EmbeddedPostgres | undefined;
  const close = async (): Promise<void> => {
    await postgres?.stop();
    if (!kept) rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void close().finally(() => process.exit(130)));
  }
  const start = async (settings: Readonly<Record<string, string | number>>): Promise<void> => {
    await postgres?.stop();
    const port = await pickPort(15_434);
    const log_file = join(folder, 'postgres.log');
    postgres = await startPostgres({ directory: folder, port, log_file, settings });
    log(`Postgres on port ${port}, in ${folder}`);
  };
  try {
    await start(FILL_SETTINGS);
    const began = performance.now();
    const years = await fill(postgres!, size);
    const fill_seconds = years.is_new ? since(began) : null;
    await start(SETTINGS);
    const parts = values.parts.split(',');
    const report = { fill_seconds, ...(await measure(postgres!, years, parts)) };
    process.stdout.write(`${values.json ? JSON.stringify(report) : describe(report).join('\n')}\n`);
  } finally {
    await close();
  }
}

type Years = Readonly<Record<Name, Year>> & { readonly is_new: boolean };

async function fill(postgres: EmbeddedPostgres, size: YearSize): Promise<Years> {
  const found = await query<{ name: Name; year: string | null }>(
    postgres.superuser_url('postgres'),
    `select datname as name, shobj_description(oid, 'pg_database') as year from pg_database
      where datname = any ($1)`,
    [DATABASES],
  );
  const years: Partial<Record<Name, Year>> = {};
  let is_new = false;
  for (const name of DATABASES) {
    const year = found.find((one) => one.name === name)?.year;
    if (year) {
      years[name] = JSON.parse(year) as Year;
      await upgrade(postgres, name);
    } else {
      is_new = true;
      years[name] = await make(postgres, name, name === 'small' ? SMALL : size);
    }
  }
  return { ...(years as Record<Name, Year>), is_new };
}

/** A database that was filled in whole says so in its own comment. */
async function make(postgres: EmbeddedPostgres, name: Name, size: YearSize): Promise<Year> {
  const url = postgres.superuser_url('postgres');
  await query(url, `drop database if exists ${name}`);
  await query(url, `create database ${name}`);
  const roles = await query(url, `select from pg_roles where rolname = 'payments_app'`);
  if (roles.length === 0) await query(url, 'create role payments_app login');
  await upgrade(postgres, name);
  const owner = await openOwner(postgres, name);
  try {
    const year = await fillYear(owner, size, (text) => log(`${name}: ${text}`));
    await owner.query('create extension pg_stat_statements');
    await owner.query(`comment on database ${name} is '${JSON.stringify(year)}'`);
    return year;
  } finally {
    await owner.end();
  }
}

async function upgrade(postgres: EmbeddedPostgres, name: Name): Promise<void> {
  await migrate({ owner_url: postgres.superuser_url(name), app_role: 'payments_app' });
}

async function openOwner(postgres: EmbeddedPostgres, name: Name): Promise<Client> {
  const owner = new Client({ connectionString: postgres.superuser_url(name) });
  await owner.connect();
  return owner;
}

async function query<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function measure(postgres: EmbeddedPostgres, years: Years, parts: readonly string[]) {
  const subjects = {} as Record<Name, Subject>;
  for (const name of DATABASES) {
    const owner = await openOwner(postgres, name);
    const db = connectDatabase({
      url: postgres.superuser_url(name),
      pool_size: 1,
      name: `bench-${name}`,
      is_patient: true,
      statement_timeout_ms: 600_000,
    });
    const year = years[name];
    subjects[name] = { owner, db, year, landmarks: await findLandmarks(owner, year) };
  }
  const { small, year } = subjects;
  const part = async <Report>(name: Part, work: () => Promise<Report>) => {
    if (!parts.includes(name)) return undefined;
    const report = await work();
    log(JSON.stringify(report));
    return report;
  };
  try {
    const sizes = await readSizes(year.owner, years.year);
    log(JSON.stringify(sizes));
    const { transactions, deliveries } = years.year;
    return {
      transactions,
      deliveries,
      sizes,
      lists: await part('lists', () => measureLists(small, year)),
      exports: await part('exports', () => measureExports(small, year)),
      verify: await part('verify', async () => ({
        small: await measureVerify(small, postgres),
        year: await measureVerify(year, postgres),
      })),
    };
  } finally {
    for (const { db, owner } of Object.values(subjects)) {
      await db.destroy();
      await owner.end();
    }
  }
}

async function measureLists(small: Subject, year: Subject) {
  const reports = [];
  for (const [list, read] of LISTS) {
    const of_small = await measureList(small, read);
    const of_year = await measureList(year, read);
    const report = {
      list,
      small_ms: of_small.database_ms,
      year_ms: of_year.database_ms,
      ratio: round(of_year.database_ms / of_small.database_ms),
      small_pages: of_small.pages,
      year_pages: of_year.pages,
      year_rows: of_year.rows,
    };
    reports.push(report);
    log(Object.values(report).join('\t'));
  }
  return reports;
}

async function measureExports(small: Subject, year: Subject) {
  const both = async (filters: Parameters<typeof measureExport>[1]) => ({
    small: await measureExport(small, filters),
    year: await measureExport(year, filters),
  });
  return { 'a month': await both({}), 'a month, in USD': await both({ currency: 'USD' }) };
}

const MEMORY_LOOK_MS = 200;

/** Processor time of Postgres, which does nothing else, and of this process, with the largest of its memory. */
async function measureVerify({ db, owner, year }: Subject, { pid }: EmbeddedPostgres) {
  const began = performance.now();
  const sealed = Number(await sealLedger(db));
  const seal_seconds = since(began);
  log(`${sealed} entries sealed in ${seal_seconds} s`);
  const { rows: accounts } = await owner.query<{ entries: number }>(
    'select sum(version)::float8 as entries from ledger_accounts',
  );
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, MEMORY_LOOK_MS);
  const own = process.cpuUsage();
  const processor = timesOf({ postgres: pid });
  const start = performance.now();
  try {
    const violations = await verifyLedger(db, undefined, {
      is_modest: true,
      onCheck: () => log(`verify ${year.transactions}`),
    });
    for (const one of violations.slice(0, 10)) log(JSON.stringify(one));
    const { user, system } = process.cpuUsage(own);
    return {
      entries: accounts[0]!.entries,
      sealed,
      seal_seconds,
      violations: violations.length,
      seconds: since(start),
      database_processor_seconds: round(
        (timesOf({ postgres: pid })['postgres']! - processor['postgres']!) / 1_000,
      ),
      own_processor_seconds: round((user + system) / 1e6),
      memory_before_mb: Math.round(before / 2 ** 20),
      memory_peak_mb: Math.round(peak / 2 ** 20),
    };
  } finally {
    clearInterval(timer);
  }
}

function since(start: number): number {
  return round((performance.now() - start) / 1_000);
}

function describe(report: Awaited<ReturnType<typeof measure>>): string[] {
  const { sizes, lists = [], exports, verify } = report;
  return [
    `${report.transactions} transfers, ${report.deliveries} deliveries`,
    '',
    'table or index\trows\tMB\tbytes of a row',
    ...sizes.relations.map((one) => Object.values(one).join('\t')),
    `${sizes.bytes_of_transfer} bytes of a transfer, ${sizes.bytes_of_delivery} of a delivery`,
    '',
    'list\tsmall ms\tyear ms\tratio\tsmall pages\tyear pages\trows',
    ...lists.map((list) => Object.values(list).join('\t')),
    '',
    JSON.stringify({ exports, verify }),
  ];
}

function readCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1_000) return count;
  throw new Error(`${text} is less than 1,000`);
}

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}
