// Migrations in steps, for tables that grow for ever: no statement of the service waits for one, and one that is killed goes
// on where it was.
//
//   -- step: the column
//   alter table transfers add column if not exists purpose text;
//   -- step: its index
//   create index concurrently if not exists transfers_by_purpose on transfers (purpose);
//   -- step: the rows of before
//   with batch as (select reference from transfers where reference > coalesce(:after, '') order by reference limit 5000),
//        done as (update transfers t set purpose = 'other' from batch b where t.reference = b.reference returning t.reference)
//   select max(reference) as reached from done
//
// A step is one statement, committed with the file's row of progress in one transaction. One with `concurrently` runs
// outside of a transaction, and may run twice. One with `:after` (text; null at first) is a batch: it is repeated, each
// time with what the one before returned as `reached`, until that is null.

import type { Knex } from 'knex';
import type { SchemaFile } from './schema-files';

const STEP = /^-- step: .*$/m;
const CONCURRENTLY = /\bconcurrently\b/i;
const BATCH = /:after\b/;
const INDEX = /create (?:unique )?index concurrently if not exists (\w+)/i;

/** Longest that a step waits for a table, in ms: the service's statements wait behind it. */
const LOCK_TIMEOUT_MS = 1_000;

export function hasSteps({ sql }: SchemaFile): boolean {
  return STEP.test(sql);
}

/**
 * Carries out the steps that are left. The caller sees to it that no other process does so at the same time.
 *
 * @param retried tries a step again whose table is in use
 */
export async function runSteps(
  db: Knex,
  { name, sql }: SchemaFile,
  retried: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<void> {
  await db.raw(
    `create table if not exists schema_steps (name text primary key, done integer not null, reached text)`,
  );
  await db.raw('insert into schema_steps values (?, 0) on conflict do nothing', [name]);
  const steps = sql.split(STEP).slice(1);
  for (;;) {
    const { done, reached } = await readProgress(db, name);
    const step = steps[done];
    if (step === undefined) return;
    if (CONCURRENTLY.test(step)) {
      await runConcurrently(db, step);
      await noteProgress(db, name, done + 1, null);
      continue;
    }
    await retried(() =>
      db.transaction(async (tx) => {
        await tx.raw(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
        const { rows } = (await tx.raw(step.replaceAll('?', '\\?'), { after: reached })) as {
          rows: { reached: string | null }[];
        };
        const next = BATCH.test(step) ? rows[0]!.reached : null;
        await noteProgress(tx, name, next === null ? done + 1 : done, next);
      }),
    );
  }
}

/** It waits for every transaction that began before it, and none waits for it. */
async function runConcurrently(db: Knex, step: string): Promise<void> {
  const [{ lock_timeout }] = (await db.raw('show lock_timeout')).rows;
  await db.raw('set lock_timeout = 0');
  const index = INDEX.exec(step)?.[1];
  if (index !== undefined) {
    // A build that was killed leaves an index behind that is written and never read.
    const { rows } = await db.raw(
      `select from pg_index where indexrelid = to_regclass(?) and not indisvalid`,
      [index],
    );
    if (rows.length > 0) await db.raw(`drop index concurrently "${index}"`);
  }
  await db.raw(step.replaceAll('?', '\\?'));
  await db.raw(`set lock_timeout = '${lock_timeout}'`);
}

async function readProgress(
  db: Knex,
  name: string,
): Promise<{ readonly done: number; readonly reached: string | null }> {
  const { rows } = await db.raw('select done, reached from schema_steps where name = ?', [name]);
  return rows[0];
}

async function noteProgress(
  db: Knex,
  name: string,
  done: number,
  reached: string | null,
): Promise<void> {
  await db.raw('update schema_steps set done = ?, reached = ? where name = ?', [
    done,
    reached,
    name,
  ]);
}
