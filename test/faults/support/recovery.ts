// Does the service come back by itself, and does it leave anything open behind?

import { Client, Connection } from '@temporalio/client';
import {
  searchAttributes,
  WORKFLOW_TASK_TIMEOUT_MS,
  WORKFLOW_TYPES,
} from '../../../workflows/messages';
import { isRunning, type StoredIntentStatus } from '../../../domain/intent';
import { waitFor } from '../../support/wait';
import { perform, recordOf, type CallOptions, type OperationRecord } from './caller';
import type { System } from './cluster';
import { plainTransfer } from './operations';
import type { FundedUser } from './users';

/** Each process makes its first transfer within this time after everything runs again. */
const RECOVERY_LIMIT_MS = 10_000;
/** A task lost with its process is given to another after 5 s; several may be lost in a row. */
const WORKFLOWS_LIMIT_MS = 40_000;

/** Returns the slowest process' time, in ms. */
export async function awaitFreshTransfers(
  { apis, slowness }: Pick<System, 'apis' | 'slowness'>,
  users: readonly FundedUser[],
  records: OperationRecord[],
  options: Pick<CallOptions, 'client'>,
): Promise<number> {
  const [from, to] = users as [FundedUser, FundedUser];
  const limit_ms = RECOVERY_LIMIT_MS * slowness;
  const times = apis.map(async (api) => {
    const started = Date.now();
    const key = `fresh-${api.name}-${records.length}`;
    const record = recordOf(plainTransfer({ key, from, to }));
    records.push(record);
    const give_up_at = started + limit_ms;
    await perform(record, { ...options, apis: [api], give_up_at });
    return Date.now() - started;
  });
  const slowest = Math.max(...(await Promise.all(times)));
  expect(slowest).toBeLessThanOrEqual(limit_ms);
  return slowest;
}

type TemporalOf = Pick<System, 'temporal_address' | 'temporal_namespace'>;

/** The sweep comes again every two seconds, for ever. */
const SWEEP = 'sweepNotifications';
const INTENT = 'paymentIntent';

export interface WorkflowCounts {
  readonly completed: number;
  readonly open: number;
  /** Failed, timed out, terminated, cancelled. */
  readonly broken: number;
  /**
   * Runs of intents that the sweep ended because their history did not fit: the next run completed, or there was
   * none because the intent had ended.
   */
  readonly replaced: number;
}

/** Waits until no workflow is open, and tells how they ended. */
export function awaitNoOpenWorkflow({
  db,
  ...cluster
}: TemporalOf & Pick<System, 'slowness'> & Partial<Pick<System, 'db'>>): Promise<WorkflowCounts> {
  return withTemporal(cluster, async ({ workflow }) => {
    const count = async (query: string): Promise<number> => (await workflow.count(query)).count;
    const ours = `WorkflowType != '${SWEEP}'`;
    const isBroken = `ExecutionStatus in ('Failed', 'TimedOut', 'Terminated', 'Canceled')`;
    // Counts follow the workflows at a short distance, and not together: they are right once they add up.
    let counts: Omit<WorkflowCounts, 'replaced'> | undefined;
    await waitFor(async () => {
      const completed = await count(`${ours} and ExecutionStatus = 'Completed'`);
      const broken = await count(`${ours} and ${isBroken}`);
      const open = (await count(ours)) - completed - broken;
      const broken_sweeps = await count(`WorkflowType = '${SWEEP}' and ${isBroken}`);
      counts = { completed, open, broken: broken + broken_sweeps };
      return open === 0;
    }, WORKFLOWS_LIMIT_MS * cluster.slowness);
    let replaced = 0;
    const ended = `WorkflowType = '${INTENT}' and ExecutionStatus = 'Terminated'`;
    for await (const { workflowId } of workflow.list({ query: ended })) {
      // The latest run counts: one that was ended and not replaced is still broken.
      const { status } = await workflow.getHandle(workflowId).describe();
      if (status.name === 'COMPLETED' || (db && (await hasEnded(db, workflowId)))) replaced += 1;
    }
    return { ...counts!, broken: counts!.broken - replaced, replaced };
  });
}

/** The intent that the workflow is named after. */
async function hasEnded(db: System['db'], workflow_id: string): Promise<boolean> {
  const { rows } = (await db.raw('select status from payment_intents where id = ?', [
    workflow_id.split('/').at(-1)!,
  ])) as { rows: { status: StoredIntentStatus }[] };
  return rows[0] !== undefined && !isRunning(rows[0].status);
}

/** Transfers whose first task was lost with its process, by what became of them. */
export function countLostTransfers(
  cluster: TemporalOf,
  since: string,
): Promise<{ readonly completed_by_another: number; readonly lapsed: number }> {
  return withTemporal(cluster, async ({ workflow }) => {
    const count = async (state: string): Promise<number> => {
      const query = `WorkflowType = '${WORKFLOW_TYPES.transfers}' and StartTime >= '${since}'
        and ExecutionDuration >= '${WORKFLOW_TASK_TIMEOUT_MS}ms' and ${searchAttributes.state.name} = '${state}'`;
      return (await workflow.count(query)).count;
    };
    return { completed_by_another: await count('completed'), lapsed: await count('lapsed') };
  });
}

/** A client of our own, for as long as the work takes. */
export async function withTemporal<T>(
  { temporal_address, temporal_namespace }: TemporalOf,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ address: temporal_address });
  try {
    return await work(new Client({ connection, namespace: temporal_namespace }));
  } finally {
    await connection.close();
  }
}

/** Waits until the database's own clock has passed a moment of ours by a margin. */
export async function awaitDatabaseClock(
  { db }: Pick<System, 'db'>,
  after_ms: number,
): Promise<void> {
  const moment = new Date(after_ms).toISOString();
  await waitFor(async () => {
    const { rows } = (await db.raw('select clock_timestamp() > ? as passed', [moment])) as {
      rows: { passed: boolean }[];
    };
    return rows[0]!.passed;
  }, 30_000);
}
