// Reconciliations: their course and what they have found, written by their activities, read by operators.

import {
  KEPT_FINDINGS,
  MAX_FINDING_DETAIL,
  MAX_FINDING_REFERENCE,
  RECONCILIATION_CHECKS,
  type Finding,
  type ReconciliationCheck,
} from '../../domain/reconciliation';
import { columns, type RowOf } from '../columns';
import { call, calls, execute, lookUp, type Db } from '../connect';

/** Begins one for each run of a workflow; every other one that has no end is broken off. */
export const beginReconciliation = calls<(run_id: string) => bigint>('begin_reconciliation');

/** ISO 8601, by the database's clock. */
export interface CheckedTime {
  readonly from: string;
  readonly to: string;
}

const BEGIN_CHECK = {
  name: 'begin_reconciliation_check',
  text: `select checked_from as "from", checked_to as "to"
           from begin_reconciliation_check($1, $2, $3, $4)`,
};

export interface CheckToBegin {
  readonly id: bigint;
  readonly check: ReconciliationCheck;
  /** ISO 8601; null: where the last one that came to its end has ended, less the overlap. */
  readonly since: string | null;
  readonly overlap_seconds: number;
}

/** Undefined when the reconciliation is not there, or is over. */
export async function beginReconciliationCheck(
  db: Db,
  { id, check, since, overlap_seconds }: CheckToBegin,
): Promise<CheckedTime | undefined> {
  return (await execute<CheckedTime>(db, BEGIN_CHECK, [id, check, since, overlap_seconds]))[0];
}

/** Damaged books may have a finding for each row. */
const ADDED_TOGETHER = 500;

/** The same finding again changes nothing, unless it is repaired by now. */
export async function addReconciliationFindings(
  db: Db,
  id: bigint,
  check: ReconciliationCheck,
  findings: readonly Finding[],
): Promise<void> {
  const kept = findings.map(({ reference, detail, ...finding }) => ({
    ...finding,
    reference: Array.from(reference).slice(0, MAX_FINDING_REFERENCE).join('') || '?',
    detail: Array.from(detail).slice(0, MAX_FINDING_DETAIL).join(''),
  }));
  for (let at = 0; at < kept.length; at += ADDED_TOGETHER) {
    const some = JSON.stringify(kept.slice(at, at + ADDED_TOGETHER));
    await call(db, 'add_reconciliation_findings', [id, check, some, KEPT_FINDINGS]);
  }
}

export interface CheckEnd {
  readonly outcome: 'compared' | 'not_checked' | 'not_configured';
  readonly compared: number;
  /** Why it was not checked. */
  readonly why: string | null;
}

export async function endReconciliationCheck(
  db: Db,
  id: bigint,
  check: ReconciliationCheck,
  { outcome, compared, why }: CheckEnd,
): Promise<void> {
  await call(db, 'end_reconciliation_check', [id, check, outcome, compared, why]);
}

export const endReconciliation = calls<(id: bigint) => void>('end_reconciliation');

const RESULT = columns(`reconciliation_checks c:
  name status checked_from checked_to compared found repaired detail`);
export type CheckResult = RowOf<typeof RESULT>;

export interface Reconciliation {
  readonly id: bigint;
  readonly started_at: string;
  /** Null while it runs. */
  readonly ended_at: string | null;
  readonly is_broken_off: boolean;
  readonly checks: readonly CheckResult[];
}

interface ReconciliationRow extends Omit<Reconciliation, 'checks'> {
  readonly name: ReconciliationCheck | null;
}

const COLUMNS = `r.id, r.started_at, r.ended_at, r.is_broken_off, ${RESULT}`;
/** The order in which checks are made. */
const ORDER = `array_position(array[${RECONCILIATION_CHECKS.map((name) => `'${name}'`).join(', ')}], c.name)`;

/** Newest first. */
export async function listReconciliations(
  db: Db,
  { before, limit }: { readonly before?: bigint | undefined; readonly limit: number },
): Promise<Reconciliation[]> {
  const text = `select ${COLUMNS}
      from (select * from reconciliations x where $1::bigint is null or x.id < $1
             order by x.id desc limit $2) r
      left join reconciliation_checks c on c.reconciliation_id = r.id
     order by r.id desc, ${ORDER}`;
  const rows = await execute<ReconciliationRow>(db, { name: 'list_reconciliations', text }, [
    before ?? null,
    limit,
  ]);
  return gather(rows);
}

export async function findReconciliation(db: Db, id: bigint): Promise<Reconciliation | undefined> {
  const text = `select ${COLUMNS} from reconciliations r
      left join reconciliation_checks c on c.reconciliation_id = r.id
     where r.id = $1 order by ${ORDER}`;
  const statement = { name: 'find_reconciliation', text };
  return gather(await lookUp<ReconciliationRow>(db, statement, [id]))[0];
}

function gather(rows: readonly ReconciliationRow[]): Reconciliation[] {
  const found = new Map<bigint, Reconciliation & { checks: CheckResult[] }>();
  for (const { id, started_at, ended_at, is_broken_off, ...check } of rows) {
    const one = found.get(id) ?? { id, started_at, ended_at, is_broken_off, checks: [] };
    found.set(id, one);
    if (check.name !== null) one.checks.push(check as CheckResult);
  }
  return [...found.values()];
}

export interface StoredFinding extends Finding {
  readonly id: bigint;
  readonly check: ReconciliationCheck;
  readonly found_at: string;
}

/** Lists findings in the order in which they were found. */
export async function listFindings(
  db: Db,
  id: bigint,
  { after, limit }: { readonly after?: bigint | undefined; readonly limit: number },
): Promise<StoredFinding[]> {
  const text = `select f.id, f.check_name as check, f.kind, f.reference, f.detail, f.is_repaired, f.found_at
      from reconciliation_findings f
     where f.reconciliation_id = $1 and f.id > $2 order by f.id limit $3`;
  return execute(db, { name: 'list_reconciliation_findings', text }, [id, after ?? 0n, limit]);
}

/** The latest result of a check that has ended. */
export interface LatestCheck extends Pick<CheckResult, 'name' | 'found'> {
  /** False when it did not come to its end. */
  readonly is_checked: boolean;
  /** Seconds since it was last compared to its end; null when it never was. */
  readonly age_seconds: number | null;
}

/** Reads checks that were made at least once. */
export async function readLatestChecks(db: Db): Promise<LatestCheck[]> {
  const text = `select n.name, l.found, l.status <> 'not_checked' as is_checked,
        (select extract(epoch from now() - max(c.checked_to))::float8 from reconciliation_checks c
          where c.name = n.name and c.status in ('clean', 'found', 'not_configured')) as age_seconds
      from unnest($1::text[]) n (name)
     cross join lateral (
       select c.status, c.found from reconciliation_checks c
        where c.name = n.name and c.status <> 'running'
        order by c.reconciliation_id desc limit 1) l`;
  const statement = { name: 'latest_reconciliation_checks', text };
  return execute(db, statement, [[...RECONCILIATION_CHECKS]]);
}
