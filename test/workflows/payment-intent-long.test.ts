import type { Client } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { getIntent, type NewIntent } from '../../db/payment-intents/intents';
import { storeNotification } from '../../db/suspense/notifications';
import { GatewayError } from '../../domain/gateway-error';
import { intentWorkflowId } from '../../domain/ids';
import { createIntentWorkflows } from '../../temporal/payment-intents';
import {
  awaitCheckoutUpdate,
  notificationStoredSignal,
  renewUpdate,
  searchAttributes,
} from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { testMessages } from '../support/secrets';
import { MAX_UPDATES, startTestWorker } from '../support/temporal';
import { waitFor } from '../support/wait';
import { fakeGateway } from './fake-gateway';
import {
  cancel,
  eventsOf,
  FAILURE,
  intentWorkflows,
  notificationOf,
  outcomesOf,
  startIntentWorker,
  statusOf,
  untilApplied,
  untilStatus,
  type IntentHandle,
  type IntentWorker,
} from './intents';
import { keepHistory } from './saved-histories';

// An intent's workflow lives as long as the intent, however many messages it gets (docs/decisions/workflows.md). Temporal
// bounds one run; the next one goes on.

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'error' } },
});

/** More than one run may have. */
const UPDATES = MAX_UPDATES + 50;
/** INTENT_SIGNALS=12000 sends more than one run takes. */
const SIGNALS = Number(process.env['INTENT_SIGNALS'] ?? 200);
/** Temporal has so many at a time, of the 10,000 that one run may have. */
const WAVE = 1_000;
const ASKED_WITHIN_MS = 60_000;
jest.setTimeout(240_000 + SIGNALS * 30);
/** Temporal refuses an eleventh update while ten are under way. */
const AT_ONCE = 8;

async function send(count: number, one: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const sender = async (): Promise<void> => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
}

/** An intent of three seconds, opened at once. */
async function overSoon(
  { database }: IntentWorker,
  { id }: NewIntent,
): Promise<{ readonly expires_at: string }> {
  await database.owner.raw(
    `update payment_intents set expires_at = created_at + interval '3 seconds' where id = ?`,
    [id],
  );
  return getIntent(database.db, id);
}

interface Run {
  readonly id: string;
  /** Temporal held back its first task for so long. */
  readonly held_back_ms: number;
}

async function runsOf(temporal: Client, { id }: { readonly id: string }): Promise<Run[]> {
  const id_of_all = intentWorkflowId('sandbox', id);
  const runs: Run[] = [];
  let { runId: run_id } = await temporal.workflow.getHandle(id_of_all).describe();
  while (run_id) {
    const { events } = await temporal.workflow.getHandle(id_of_all, run_id).fetchHistory();
    const { continuedExecutionRunId, firstWorkflowTaskBackoff } =
      events![0]!.workflowExecutionStartedEventAttributes!;
    const { seconds, nanos } = firstWorkflowTaskBackoff ?? {};
    const held_back_ms = Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1_000_000;
    runs.unshift({ id: run_id, held_back_ms });
    run_id = continuedExecutionRunId ?? '';
  }
  return runs;
}

/** Counts markers, which local activities leave, between the ends of two workflow tasks. */
async function mostRecordedTogether(
  temporal: Client,
  { id }: { readonly id: string },
  run_id: string,
): Promise<number> {
  const run = temporal.workflow.getHandle(intentWorkflowId('sandbox', id), run_id);
  const { events } = await run.fetchHistory();
  let [most, together] = [0, 0];
  for (const { workflowTaskCompletedEventAttributes, markerRecordedEventAttributes } of events!) {
    if (workflowTaskCompletedEventAttributes) together = 0;
    if (markerRecordedEventAttributes) together += 1;
    most = Math.max(most, together);
  }
  return most;
}

async function storeFailure({ database }: IntentWorker, intent: NewIntent): Promise<string> {
  const failed = notificationOf(intent, { type: 'payment.failed', final: false, failure: FAILURE });
  const { id } = await storeNotification(database.db, 'fake', failed, Buffer.from('{}'));
  return id;
}

// All side by side: Temporal makes each of them wait between its runs.

describe('an intent that gets more messages than a run may have', () => {
  it.concurrent(
    `answers ${UPDATES} updates, takes ${SIGNALS} signals, and is cancelled by the next update`,
    async () => {
      const intents = await startIntentWorker({ gateway: fakeGateway().gateway });
      const { create, start, database, temporal } = intents;
      const intent = await create();
      const handle = await start(intent);
      await untilStatus(database, intent, 'open');
      const started_at = Date.now();
      const workflows = createIntentWorkflows({
        ...intentWorkflows(database.db, temporal, intents.worker.task_queue),
        workflow_messages: testMessages,
      });
      const name = { environment: 'sandbox', id: intent.id } as const;
      const ask = async (): Promise<void> => {
        const answer = await workflows.awaitCheckout(name, Date.now() + ASKED_WITHIN_MS);
        expect(answer).toEqual({ status: 'open' });
      };
      await send(UPDATES, ask);
      const notification_id = await storeFailure(intents, intent);
      for (let sent = 0; sent < SIGNALS; sent += WAVE) {
        await send(Math.min(WAVE, SIGNALS - sent), () =>
          handleOfAnyRun(temporal, intent).signal(notificationStoredSignal, notification_id),
        );
        await ask();
      }
      const canceled = await workflows.cancel(name, Date.now() + ASKED_WITHIN_MS);
      expect(canceled).toEqual({ status: 'canceled' });
      expect(await handle.result()).toEqual({ status: 'canceled' });
      const runs = await runsOf(temporal, intent);
      expect(runs.length).toBeGreaterThan(UPDATES / MAX_UPDATES);
      // A run as long as Temporal suggests lasts longer than the second that is to lie between two beginnings.
      expect(runs.filter(({ held_back_ms }) => held_back_ms > 0)).toEqual([]);
      const seconds = (Date.now() - started_at) / 1_000;
      process.stderr.write(
        `long intent: ${JSON.stringify({ UPDATES, SIGNALS, runs: runs.length, seconds })}\n`,
      );
    },
  );

  const ENDS: Readonly<
    Record<string, (intents: IntentWorker, intent: NewIntent) => Promise<unknown>>
  > = {
    succeeded: ({ notify }, intent) => notify(intent),
    // Its time was over at the beginning; each run has taken over that the gateway did not answer.
    expired: async () => undefined,
  };

  it.concurrent.each(Object.keys(ENDS))(
    '%s after several runs, with nothing lost on the way',
    async (end) => {
      const fake = fakeGateway();
      const intents = await startIntentWorker({ gateway: fake.gateway });
      const { create, start, database, temporal } = intents;
      const intent = await create();
      if (end === 'expired') {
        fake.onClose = () =>
          Promise.reject(new GatewayError('unreachable', 'as the test wants it'));
      }
      const { expires_at } = end === 'expired' ? await overSoon(intents, intent) : intent;
      const handle = await start({ ...intent, expires_at }, { continue_after_events: 80 });
      await untilStatus(database, intent, 'open');
      // Messages come in bursts: a run is followed by the next when it has answered all of them.
      for (let burst = 0; burst < 10; burst += 1) {
        await send(12, async (n) => {
          const asked = handleOfAnyRun(temporal, intent);
          if (n % 3 === 0) {
            expect(await asked.executeUpdate(renewUpdate)).toEqual({ status: 'open' });
          } else {
            await asked.signal(notificationStoredSignal, await storeFailure(intents, intent));
          }
        });
      }
      // An end by the clock or by an update does not wait for notifications that came before it.
      expect(await untilApplied(database, intent, 80)).toEqual(Array(80).fill('attempt_failed'));
      fake.onClose = async () => undefined;
      await ENDS[end]!(intents, intent);
      expect(await handle.result()).toEqual({ status: end });
      expect(await eventsOf(database, intent)).toEqual([`payment.${end}`]);
      const runs = await runsOf(temporal, intent);
      expect(runs.length).toBeGreaterThan(2);
      await expectBooksHold(database.db);
      if (end !== 'succeeded') return;
      const id = intentWorkflowId('sandbox', intent.id);
      const second = temporal.workflow.getHandle(id, runs[1]!.id);
      keepHistory('payment-intent-continued-again', await second.fetchHistory());
    },
  );

  it.concurrent(
    'applies signals that came while no worker ran, over as many runs as it takes',
    async () => {
      const intents = await startIntentWorker({ gateway: fakeGateway().gateway });
      const { create, start, database, temporal, worker, real, notify } = intents;
      const intent = await create();
      const handle = await start(intent, { continue_after_events: 300 });
      await untilStatus(database, intent, 'open');
      await worker.stop();
      await send(200, async () => {
        const id = await storeFailure(intents, intent);
        await handleOfAnyRun(temporal, intent).signal(notificationStoredSignal, id);
      });
      expect(await outcomesOf(database, intent)).toEqual(Array(200).fill(null));
      await startTestWorker({ task_queue: worker.task_queue, activities: { ...real } });
      expect(await untilApplied(database, intent, 200)).toEqual(Array(200).fill('attempt_failed'));
      await notify(intent);
      expect(await handle.result()).toEqual({ status: 'succeeded' });
      const runs = await runsOf(temporal, intent);
      for (const { id } of runs) {
        // A task that exceeded its timeout would do them all again.
        const recorded_together = await mostRecordedTogether(temporal, intent, id);
        expect({ recorded_together, is_few: recorded_together <= 30 }).toEqual({
          recorded_together,
          is_few: true,
        });
      }
      expect(runs.length).toBeGreaterThan(1);
      await expectBooksHold(database.db);
    },
  );

  it.concurrent(
    'applies those that came before its end was known in further runs, too',
    async () => {
      const intents = await startIntentWorker({ gateway: fakeGateway().gateway });
      const { create, start, database, temporal, worker, real, notify } = intents;
      const intent = await create();
      const handle = await start(intent, { continue_after_events: 100 });
      await untilStatus(database, intent, 'open');
      await worker.stop();
      await notify(intent);
      await send(200, async () => {
        const id = await storeFailure(intents, intent);
        await handleOfAnyRun(temporal, intent).signal(notificationStoredSignal, id);
      });
      await startTestWorker({ task_queue: worker.task_queue, activities: { ...real } });
      expect(await handle.result()).toEqual({ status: 'succeeded' });
      expect(await outcomesOf(database, intent)).toEqual([
        'succeeded',
        ...Array(200).fill('stale'),
      ]);
      // The first run has the signals.
      const [, ...runs] = await runsOf(temporal, intent);
      const lengths = await Promise.all(
        runs.map(async ({ id }) => {
          const run = temporal.workflow.getHandle(intentWorkflowId('sandbox', intent.id), id);
          return (await run.describe()).historyLength;
        }),
      );
      expect(lengths.length).toBeGreaterThan(1);
      expect(lengths.filter((length) => length > 180)).toEqual([]);
    },
  );

  it.concurrent('is found by operators in each run as in the first', async () => {
    const { create, start, database, temporal } = await startIntentWorker({
      gateway: fakeGateway().gateway,
    });
    const intent = await create();
    await start(intent, { continue_after_events: 10 });
    await untilStatus(database, intent, 'open');
    // Each in a run of its own, and only a few: Temporal holds back the first task after a run of less than
    // a second, unless an update asks for it, and such pauses add up (docs/decisions/workflows.md).
    for (let asked = 0; asked < 4; asked += 1) {
      await handleOfAnyRun(temporal, intent).executeUpdate(renewUpdate);
    }
    const handle = handleOfAnyRun(temporal, intent);
    const { typedSearchAttributes } = await handle.describe();
    expect(typedSearchAttributes.get(searchAttributes.state)).toBe('open');
    expect((await runsOf(temporal, intent)).length).toBeGreaterThan(2);
    const shown = await waitFor(async () => {
      // A query that came before the first task is answered while that task's first step is under way.
      const metadata = await handle.query<{ readonly currentDetails?: string }>(
        '__temporal_workflow_metadata',
      );
      return metadata.currentDetails || undefined;
    });
    expect(shown).toBe(`**open**, expires ${intent.expires_at}`);
    await cancel(handle, intent);
  });
});

describe('an intent whose checkout does not open', () => {
  it.concurrent(
    'gives up after its time, although its callers ask through several runs',
    async () => {
      const fake = fakeGateway();
      fake.fault = new GatewayError('unreachable', 'as the test wants it');
      const { create, start, database, temporal } = await startIntentWorker({
        gateway: fake.gateway,
      });
      const intent = await create();
      const handle = await start(intent, { give_up_after_ms: 10_000, continue_after_events: 25 });
      const ask = (): Promise<unknown> =>
        handleOfAnyRun(temporal, intent)
          .executeUpdate(awaitCheckoutUpdate)
          .catch((error: unknown) => error);
      while ((await statusOf(database, intent)) === 'creating') {
        await Promise.all([ask(), ask(), ask()]);
      }
      expect(await handle.result()).toMatchObject({ status: 'abandoned' });
      expect((await runsOf(temporal, intent)).length).toBeGreaterThan(1);
      expect((await getIntent(database.db, intent.id)).status).toBe('abandoned');
    },
  );
});

function handleOfAnyRun(temporal: Client, { id }: { readonly id: string }): IntentHandle {
  return temporal.workflow.getHandle(intentWorkflowId('sandbox', id));
}
