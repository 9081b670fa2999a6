// Payouts as tests of their workflow see them: the simulated operator over HTTP, its adapter, and a worker that
// asks it.

import { randomBytes } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { getPayout, type StoredPayout, type NewPayout } from '../../db/payouts/payouts';
import { pursuitWorkflowId } from '../../domain/ids';
import type { PayoutProvider } from '../../gateway/payout-port';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { orderedPayout } from '../support/payouts';
import { connectTestTemporal, startTestWorker, type TestWorker } from '../support/temporal';
import { buildUser, type TestUser } from '../support/users';
import { noteSeen, waitFor } from '../support/wait';
import { createTestActivities, testPursuer, type PaymentActivities } from './intents';

/** In minor units: what a merchant of these tests begins with, and what one payout takes. */
export const START = 10_000_000n;
export const TOTAL = 500_000n;

export interface PayoutWorker {
  readonly database: TestDatabase;
  readonly temporal: Client;
  readonly worker: TestWorker;
  readonly real: PaymentActivities;
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** With START in the sandbox. */
  merchant(): Promise<TestUser>;
  order(merchant: TestUser, fields?: Partial<NewPayout>): Promise<string>;
  wake(id: string): Promise<WorkflowHandle>;
  /** One question, without its workflow. */
  ask(id: string): Promise<StoredPayout>;
  /** Wakes it again and again, as its provider's callbacks would, until `is_done`. */
  until(id: string, is_done: (payout: StoredPayout) => boolean): Promise<StoredPayout>;
}

export async function startPayoutWorker(
  providers: readonly PayoutProvider[],
): Promise<PayoutWorker> {
  const database = await createTestDatabase();
  const temporal = await connectTestTemporal();
  const task_queue = `test-${randomBytes(8).toString('hex')}`;
  const log: Readonly<Record<string, unknown>>[] = [];
  const real = await createTestActivities(database, {
    gateway: undefined,
    task_queue,
    payout_providers: { live: [], sandbox: providers },
    log: (entry) => log.push(entry),
  });
  const worker = await startTestWorker({ task_queue, activities: real });
  const pursue = testPursuer(database.db, temporal, task_queue);
  const wake = async (id: string): Promise<WorkflowHandle> => {
    await pursue('payout', [id]);
    return temporal.workflow.getHandle(pursuitWorkflowId('payout', 'sandbox', id));
  };
  return {
    database,
    temporal,
    worker,
    real,
    log,
    merchant: () => buildUser(database.db, { funds: { sandbox: { XOF: START } } }),
    order: (merchant, fields = {}) => orderedPayout(database.db, merchant, fields),
    wake,
    async ask(id) {
      await real.askOnce('payout', id);
      return getPayout(database.db, id);
    },
    async until(id, is_done) {
      let asked = -1;
      return waitFor(async () => {
        const payout = await getPayout(database.db, id);
        noteSeen('payout', payout.json);
        if (is_done(payout)) return payout;
        // One question at a time: a workflow that is woken all the time has a long history.
        const { rows } = await database.owner.raw('select asks from payouts where id = ?', [id]);
        const { asks } = (rows as [{ asks: number }])[0];
        if (asks !== asked) await wake(id);
        asked = asks;
        return undefined;
      });
    },
  };
}
