// How many rows a statement looks at, by the plan that Postgres makes.

import { randomUUID } from 'node:crypto';
import { execute, type Db, type Tx } from '../../db/connect';

/** Made for these values, or once for all values, as that of a statement that is sent again and again. */
export const PLAN_MODES = ['force_custom_plan', 'force_generic_plan'] as const;
export type PlanMode = (typeof PLAN_MODES)[number];

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Plan[];
}

export interface PlanOptions {
  readonly mode: PlanMode;
  /** Those of the connections on which it is sent that the pool's do not have. */
  readonly settings?: readonly string[];
  /** Runs once the statement has its plan, which may be made for much less than it then finds. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** How a look-up is planned (db/connect.ts). */
export const LOOK_UP_PLAN = {
  mode: 'force_generic_plan',
  settings: ['enable_seqscan = off'],
} as const satisfies PlanOptions;

export async function countRowsRead(
  db: Db,
  { text }: { readonly text: string },
  values: readonly unknown[],
  { mode, settings = [], meanwhile }: PlanOptions,
): Promise<number> {
  const name = `planned_${randomUUID().replaceAll('-', '')}`;
  return db.transaction(async (tx) => {
    await tx.raw(`set local plan_cache_mode = ${mode}`);
    for (const setting of settings) await tx.raw(`set local ${setting}`);
    await execute(tx, { name: `prepare_${name}`, text: `prepare ${name} as ${text}` }, []);
    const given = values.length === 0 ? '' : ` (${values.map(literal).join(', ')})`;
    const statement = {
      name: `explain_${name}`,
      text: `explain (analyze, format json) execute ${name}${given}`,
    };
    if (meanwhile) {
      await execute(tx, { name: `plan_${name}`, text: `explain execute ${name}${given}` }, []);
      await meanwhile();
    }
    const [row] = await execute<{ 'QUERY PLAN': [{ Plan: Plan }] }>(tx, statement, []);
    return readBy(row!['QUERY PLAN'][0].Plan);
  });
}

/** Words, numbers and lists of words: nothing in them has to be escaped. */
function literal(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `'{${value.map((one) => JSON.stringify(one)).join(',')}}'`;
  return `'${typeof value === 'string' ? value : JSON.stringify(value)}'`;
}

/** Rows that the leaves of a plan looked at, also in vain, and pairs of rows that a join compared in vain. */
function readBy(plan: Plan): number {
  const { Plans = [], 'Actual Rows': rows, 'Actual Loops': loops } = plan;
  const removed =
    (plan['Rows Removed by Filter'] ?? 0) +
    (plan['Rows Removed by Join Filter'] ?? 0) +
    (plan['Rows Removed by Index Recheck'] ?? 0);
  const own = (Plans.length === 0 ? rows : 0) + removed;
  return own * loops + Plans.reduce((sum, inner) => sum + readBy(inner), 0);
}

/** Rows of the tables that `run` reads in this transaction, also within functions: each row as often as it is read. */
export async function countTableReads(
  tx: Tx,
  tables: readonly string[],
  run: () => PromiseLike<unknown>,
): Promise<Record<string, number>> {
  // Postgres counts per session, and collects what was counted from time to time.
  const count = async (): Promise<Map<string, number>> => {
    const { rows } = (await tx.raw(
      `select relname, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as read
         from pg_stat_xact_user_tables where relname = any (?)`,
      [[...tables]],
    )) as { rows: { relname: string; read: number }[] };
    return new Map(rows.map(({ relname, read }) => [relname, read]));
  };
  const before = await count();
  await run();
  const after = await count();
  return Object.fromEntries(
    tables.map((table) => [table, (after.get(table) ?? 0) - (before.get(table) ?? 0)]),
  );
}
