// Counts of everything that a request can leave behind, to compare: a refused request leaves nothing.

import type { Client } from '@temporalio/client';
import type { TestDatabase } from '../../support/database';

export interface Effects {
  readonly transfers: string;
  readonly keys: string;
  readonly journal: string;
  readonly entries: string;
}

export async function countEffects({ owner }: Pick<TestDatabase, 'owner'>): Promise<Effects> {
  const { rows } = await owner.raw(
    `select (select count(*) from transfers)::text as transfers,
            (select count(*) from idempotency_keys)::text as keys,
            (select count(*) from ledger_transactions)::text as journal,
            (select count(*) from ledger_entries)::text as entries`,
  );
  return rows[0];
}

/** Workflows ever started on this task queue, as far as Temporal's visibility knows by now. */
export async function countWorkflows(temporal: Client, task_queue: string): Promise<number> {
  const { count } = await temporal.workflow.count(`TaskQueue = "${task_queue}"`);
  return count;
}
