// Very many requests at once, all of them noted as one operation each.

import { CURRENCIES } from '../../../domain/currency';
import { isFinal, perform, recordOf, type Attempt, type OperationRecord } from './caller';
import type { ExperimentContext } from './experiment';
import type { Operation } from './operations';

/** One caller per operation, who retries until there is a final response. */
export async function storm(
  { client, cluster }: ExperimentContext,
  operations: readonly Operation[],
): Promise<OperationRecord[]> {
  const records = operations.map(recordOf);
  const give_up_at = Date.now() + 60_000;
  await Promise.all(
    records.map((record) => perform(record, { client, apis: cluster.apis, give_up_at })),
  );
  return records;
}

/** Callers who shared one key are one operation with many responses. */
export function mergeRecords(records: readonly OperationRecord[]): OperationRecord {
  const winner = records.find(({ final }) => final !== undefined) ?? records[0]!;
  return {
    operation: winner.operation,
    // They do not know of each other's requests.
    asked: [],
    attempts: records.flatMap(({ attempts }) => attempts),
    final: winner.final,
    is_abandoned: false,
  };
}

export function finalTexts(records: readonly OperationRecord[]): Set<string> {
  const attempts: Attempt[] = records.flatMap((record) => record.attempts);
  return new Set(attempts.filter(isFinal).map(({ text }) => text));
}

export function countStatuses(
  records: readonly OperationRecord[],
): Map<number | undefined, number> {
  const counts = new Map<number | undefined, number>();
  for (const { attempts } of records) {
    const status = attempts.at(-1)?.status;
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return counts;
}

export const NO_FUNDS = Object.fromEntries(CURRENCIES.map((name) => [name, 0n])) as Record<
  (typeof CURRENCIES)[number],
  bigint
>;
