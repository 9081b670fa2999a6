// Payouts as tests of their workflow see them: the simulated operator over HTTP, its adapter with moments at which a
// process dies, and a worker that follows them.

import { randomBytes } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { findPayoutToFollow, getPayout, type StoredPayout } from '../../db/payouts/payouts';
import { payoutWorkflowId } from '../../domain/ids';
import type { NewPayout } from '../../domain/payout';
import type { PayoutProvider } from '../../gateway/payout-port';
import { createPayoutWaker } from '../../temporal/payouts';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { orderedPayout } from '../support/payouts';
import { connectTestTemporal, startTestWorker, type TestWorker } from '../support/temporal';
import { buildUser, type TestUser } from '../support/users';
import { noteSeen, waitFor } from '../support/wait';
import { createTestActivities, type PaymentActivities } from './intents';

/** In minor units: what a merchant of these tests begins with, and what one payout takes. */
export const START = 10_000_000n;
export const TOTAL = 500_000n;

/** Dies once at each moment that it is told for a payout. */
export interface Deaths {
  readonly at: Map<string, Moment>;
}

/** What was the last thing that a process did before it died. */
export const MOMENTS = ['reserved', 'begun', 'asked', 'recorded', 'settled'] as const;
export type Moment = (typeof MOMENTS)[number];

class Death extends Error {}

/** True once. */
function diesAt({ at }: Deaths, id: string, moment: Moment): boolean {
  return at.get(id) === moment && at.delete(id);
}

/** The provider of a process that dies before it asks for a payout, or before it reads the answer. */
export function mortal(provider: PayoutProvider, deaths: Deaths): PayoutProvider {
  return {
    ...provider,
    async send(order) {
      if (diesAt(deaths, order.id, 'begun')) throw new Death('before it asked');
      // Also what the provider does with an answer that is lost happens before the death.
      const answer = await provider.send(order).catch((error: unknown) => ({ error }));
      if (diesAt(deaths, order.id, 'asked')) throw new Death('before it read the answer');
      if ('error' in answer) throw answer.error;
      return answer;
    },
  };
}

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
  /** Wakes it again and again, as its provider's callbacks would, until `is_done`. */
  until(id: string, is_done: (payout: StoredPayout) => boolean): Promise<StoredPayout>;
}

export async function startPayoutWorker(
  providers: readonly PayoutProvider[],
  deaths: Deaths = { at: new Map() },
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
  const activities: PaymentActivities = {
    ...real,
    async followPayout(id) {
      const progress = await real.followPayout(id);
      const dies =
        progress.waits_for === null
          ? diesAt(deaths, id, 'settled')
          : progress.stage !== 'queued' && diesAt(deaths, id, 'recorded');
      if (dies) throw new Death('before Temporal knew');
      return progress;
    },
  };
  const worker = await startTestWorker({ task_queue, activities });
  const wakePayout = createPayoutWaker(temporal, task_queue);
  const wake = async (id: string): Promise<WorkflowHandle> => {
    const payout = (await findPayoutToFollow(database.db, id))!;
    await wakePayout(payout);
    return temporal.workflow.getHandle(payoutWorkflowId(payout.environment, id));
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
