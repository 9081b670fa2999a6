// A reconciliation of the tests: ordered as an operator orders it, carried out by the real service. The next test has the
// same service, gateway and database only where the last reconciliation has found nothing: a defect is not undone.

import type { Client } from '@temporalio/client';
import {
  findReconciliation,
  listFindings,
  type CheckResult,
  type StoredFinding,
} from '../../db/reconciliation/reconciliations';
import { pursuitWorkflowId } from '../../domain/ids';
import type { PursuitKind } from '../../domain/pursuit';
import type { ReconciliationCheck } from '../../domain/reconciliation';
import { createReconciliationStarter } from '../../temporal/reconciliations';
import type { ReconciliationOrder } from '../../workflows/messages';
import type { ReconciliationResult } from '../../workflows/reconciliation';
import { startTestApi, type TestApi, type TestApiOptions } from '../support/api';
import { balanceOf } from '../support/balances';
import type { TestDatabase } from '../support/database';
import { connectTestTemporal } from '../support/temporal';
import { noteSeen, waitFor } from '../support/wait';
import { handleOf } from '../workflows/intents';

export interface Outcome {
  readonly id: bigint;
  readonly checks: Readonly<Record<ReconciliationCheck, CheckResult>>;
  readonly findings: readonly Shown[];
}

/** Leaves out the order in which they were found. */
export type Shown = Omit<StoredFinding, 'id' | 'found_at'>;

export interface Reconciled {
  readonly database: Pick<TestDatabase, 'db'>;
  readonly temporal: Client;
  readonly task_queue: string;
}

/**
 * Started before the first test, and anew after one that ends with a finding. Nothing counts as under way unless the
 * options say otherwise.
 */
export function eachReconciled(options?: () => Promise<TestApiOptions>) {
  let api: TestApi;
  let temporal: Client;
  let is_usual = true;
  let is_clean = false;
  const start = async (more: TestApiOptions): Promise<void> => {
    api = await startTestApi(more);
  };
  const stop = async (): Promise<void> => {
    await api.service.stop();
    await api.gateway.stop();
    await api.database.close();
  };
  beforeAll(async () => {
    temporal = await connectTestTemporal();
  });
  beforeEach(async () => {
    if (is_clean) return;
    is_usual = true;
    await start({ overrides: { reconcile_grace_ms: 0 }, ...(await options?.()) });
  });
  afterEach(async () => {
    if (!is_clean) await stop();
  });
  afterAll(async () => {
    if (is_clean) await stop();
  });
  return {
    api: () => api,
    temporal: () => temporal,
    /** The same with other settings. */
    restart: async (more: TestApiOptions): Promise<void> => {
      is_usual = is_clean = false;
      await stop();
      await start(more);
    },
    run: async (order?: ReconciliationOrder): Promise<Outcome> => {
      is_clean = false;
      const { task_queue } = api.service.config;
      const outcome = await reconcile({ database: api.database, temporal, task_queue }, order);
      is_clean = is_usual && outcome.findings.length === 0;
      return outcome;
    },
    /** Changes rows as a superuser, with triggers and foreign keys switched off. */
    damage: async (sql: string, values: readonly unknown[] = []): Promise<void> => {
      is_clean = false;
      await api.database.owner.transaction(async (tx) => {
        await tx.raw('set local session_replication_role = replica');
        const { rowCount } = (await tx.raw(sql, values as never)) as { rowCount: number | null };
        expect(rowCount).toBeGreaterThan(0);
      });
    },
    wallet: (): Promise<bigint> => balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox'),
    /** Shown so by the API, and its workflow is over: without grace what runs in between is a finding. */
    untilIntent: async (id: string, status: string): Promise<void> => {
      await waitFor(async () => (await api.show(id)).json.status === status);
      await handleOf(temporal, { id }).result();
    },
    /** Over, with its workflow. */
    pursued: (kind: PursuitKind, id: string): Promise<unknown> =>
      temporal.workflow.getHandle(pursuitWorkflowId(kind, 'sandbox', id)).result(),
  };
}

/** Everything since the beginning unless the order says otherwise. */
export async function reconcile(
  { database: { db }, temporal, task_queue }: Reconciled,
  order: ReconciliationOrder = { since: '2000-01-01T00:00:00Z' },
): Promise<Outcome> {
  const handle = await createReconciliationStarter(temporal, task_queue)(order);
  if (!handle) throw new Error('another reconciliation runs');
  await waitFor(async () => {
    const { status, raw } = await handle.describe();
    noteSeen(
      'steps that fail',
      raw.pendingActivities?.map(({ activityType, lastFailure }) => [
        activityType?.name,
        lastFailure?.message,
        lastFailure?.stackTrace,
      ]),
    );
    return status.name !== 'RUNNING';
  });
  const { id } = (await handle.result()) as ReconciliationResult;
  return readOutcome(db, BigInt(id));
}

export async function readOutcome(db: TestDatabase['db'], id: bigint): Promise<Outcome> {
  const found = (await findReconciliation(db, id))!;
  const findings = await listFindings(db, id, { limit: 1_000 });
  return {
    id,
    checks: Object.fromEntries(found.checks.map((one) => [one.name, one])) as Outcome['checks'],
    findings: findings.map(({ id: _id, found_at: _at, ...shown }) => shown),
  };
}

/** Each check with its status, and everything that was found. */
export function summary({ checks, findings }: Outcome) {
  const statuses = Object.values(checks).map(({ name, status }) => [name, status]);
  return { ...Object.fromEntries(statuses), findings };
}

/** The summary of one that has found nothing. */
export const CLEAN = {
  books: 'clean',
  losses: 'clean',
  gateway_live: 'clean',
  gateway_sandbox: 'clean',
  events: 'clean',
  workflows: 'clean',
  findings: [],
};
