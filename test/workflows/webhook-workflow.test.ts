import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import fc from 'fast-check';
import { createEndpointWaker } from '../../temporal/webhook-endpoints';
import type { DeliveryReport, WebhookActivities } from '../../activities/webhooks/index';
import { webhookTaskQueue, webhookWorkflowId } from '../../domain/ids';
import { searchAttributes } from '../../workflows/messages';
import type { webhookEndpoint } from '../../workflows/webhook-endpoint';
import { connectTestTemporal, startTestWorker } from '../support/temporal';
import { waitFor } from '../support/wait';

// The worker would log every activity that fails on purpose.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'error' } },
});

/** Printed with a failure; the same seed makes the same moments. */
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000_007);
const FAR_MS = 3_600_000;

const IDLE: DeliveryReport = {
  state: 'idle',
  host: 'shop.example',
  environment: 'sandbox',
  username: 'ama',
  pending: 0,
  oldest_pending_at: null,
  next_in_ms: null,
  next_attempt_at: null,
  failing_since: null,
  last_failure: null,
};

type DeliverDue = (endpoint_id: string) => Promise<DeliveryReport>;
type EndpointHandle = WorkflowHandle<typeof webhookEndpoint>;

let temporal: Client;
let task_queue: string;
/** The script of `deliverDue`, by endpoint id. */
const scripts = new Map<string, DeliverDue>();

beforeAll(async () => {
  temporal = await connectTestTemporal();
  task_queue = webhookTaskQueue(`test-${randomBytes(8).toString('hex')}`);
  const activities: Pick<WebhookActivities, 'deliverDue'> = {
    deliverDue: (id) => scripts.get(id)!(id),
  };
  await startTestWorker({ task_queue, activities: { ...activities } });
});

async function wake(id: string): Promise<EndpointHandle> {
  await temporal.workflow.signalWithStart('webhookEndpoint', {
    workflowId: webhookWorkflowId(id),
    taskQueue: task_queue,
    args: [id],
    signal: 'deliveriesAdded',
    signalArgs: [],
  });
  return temporal.workflow.getHandle<typeof webhookEndpoint>(webhookWorkflowId(id));
}

/** Each run returns the next of these, the last one for ever; `begun` says how many began. */
function script(steps: readonly Partial<DeliveryReport>[]): { id: string; begun: () => number } {
  const id = randomUUID();
  let begun = 0;
  scripts.set(id, () => {
    begun += 1;
    return Promise.resolve({ ...IDLE, ...steps[Math.min(begun, steps.length) - 1] });
  });
  return { id, begun: () => begun };
}

async function timersOf(handle: EndpointHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  return events!.filter((event) => event.timerStartedEventAttributes).length;
}

describe('the workflow of an endpoint', () => {
  it('delivers once and ends when nothing is left', async () => {
    const { id, begun } = script([{}]);
    await (await wake(id)).result();
    expect(begun()).toBe(1);
  });

  it('delivers again when something is left, at the time at which it is due', async () => {
    const id = randomUUID();
    const moments: number[] = [];
    const waits = [300, 0, 500, null];
    scripts.set(id, () => {
      moments.push(performance.now());
      return Promise.resolve({ ...IDLE, next_in_ms: waits[moments.length - 1]! });
    });
    const handle = await wake(id);
    await handle.result();
    expect(moments).toHaveLength(4);
    for (const [at, wait] of [300, 0, 500].entries()) {
      expect(moments[at + 1]! - moments[at]!).toBeGreaterThanOrEqual(wait);
      expect(moments[at + 1]! - moments[at]!).toBeLessThan(wait + 10_000);
    }
    // A delivery that is due now has no timer: the server may fire one a second late.
    expect(await timersOf(handle)).toBe(2);
  });

  it('sleeps until then, and wakes early when something is added', async () => {
    const { id, begun } = script([{ state: 'waiting', pending: 1, next_in_ms: FAR_MS }, {}]);
    const handle = await wake(id);
    await waitFor(async () => begun() === 1 && (await timersOf(handle)) === 1);
    await wake(id);
    await handle.result();
    expect(begun()).toBe(2);
  });

  it('delivers once more for what is added during a delivery run', async () => {
    const id = randomUUID();
    const ends: (() => void)[] = [];
    scripts.set(id, async () => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return IDLE;
    });
    const handle = await wake(id);
    await waitFor(() => ends.length === 1);
    // Any number of signals is one more run.
    for (let n = 0; n < 5; n += 1) await wake(id);
    ends[0]!();
    await waitFor(() => ends.length === 2);
    ends[1]!();
    await handle.result();
    expect(ends).toHaveLength(2);
  });

  it('goes on when a delivery run fails, and shows the failure meanwhile', async () => {
    const id = randomUUID();
    let begun = 0;
    scripts.set(id, () => {
      begun += 1;
      return begun < 3 ? Promise.reject(new Error('no database')) : Promise.resolve(IDLE);
    });
    const handle = await wake(id);
    await waitFor(async () => {
      const { raw } = await handle.describe();
      return raw.pendingActivities?.[0]?.lastFailure?.message === 'no database';
    });
    await handle.result();
    expect(begun).toBe(3);
  });

  it('continues as new when its history is long, and loses no signal by it', async () => {
    const id = randomUUID();
    let begun = 0;
    let last_wake = 0;
    let last_begun = 0;
    const waking: Promise<unknown>[] = [];
    scripts.set(id, async () => {
      last_begun = performance.now();
      begun += 1;
      if (begun < 20) {
        last_wake = performance.now();
        // Comes with this run's end, whatever the workflow decides then.
        waking.push(wake(id));
        await delay(begun % 5);
      }
      // Half a megabyte each: the server suggests a new run at four.
      return { ...IDLE, url: 'x'.repeat(500_000), next_in_ms: begun < 20 ? 0 : null };
    });
    const handle = await wake(id);
    const first = await handle.describe();
    await waitFor(async () => {
      const { status } = await handle.describe();
      return status.name === 'COMPLETED' && last_begun > last_wake;
    });
    await Promise.all(waking);
    const last = await handle.describe();
    expect(begun).toBeGreaterThanOrEqual(20);
    expect(last.runId).not.toBe(first.runId);
    const old = temporal.workflow.getHandle(webhookWorkflowId(id), first.runId);
    expect((await old.describe()).status.name).toBe('CONTINUED_AS_NEW');
    expect(last.historyLength).toBeLessThan(200);
  });
});

/**
 * One life of an endpoint: how long its delivery runs take, what they leave, and when it is woken.
 */
interface Life {
  readonly runs: readonly { readonly takes_ms: number; readonly next_in_ms: number | null }[];
  readonly wakes_after_ms: readonly number[];
}

const aLife: fc.Arbitrary<Life> = fc.record({
  runs: fc.array(
    fc.record({
      takes_ms: fc.integer({ min: 0, max: 12 }),
      next_in_ms: fc.oneof(
        { weight: 3, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 }) },
        { weight: 1, arbitrary: fc.constant(FAR_MS) },
      ),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  wakes_after_ms: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 3 }),
});

describe('whenever an endpoint is woken', () => {
  it('a delivery run begins after that: during a run, at its end, in a sleep and without a workflow', async () => {
    const lives = fc.sample(aLife, { numRuns: 150, seed: SEED });
    // Several at once, so that tasks are late in many ways.
    for (let from = 0; from < lives.length; from += 10) {
      await Promise.all(lives.slice(from, from + 10).map(live));
    }
  });

  async function live({ runs, wakes_after_ms }: Life): Promise<void> {
    const id = randomUUID();
    let last_begun = 0;
    let begun = 0;
    scripts.set(id, async () => {
      last_begun = performance.now();
      const plan = runs[begun];
      begun += 1;
      await delay(plan?.takes_ms ?? 0);
      return { ...IDLE, next_in_ms: plan?.next_in_ms ?? null };
    });
    let last_wake = performance.now();
    await wake(id);
    for (const after_ms of wakes_after_ms) {
      await delay(after_ms);
      last_wake = performance.now();
      await wake(id);
    }
    await waitFor(() => last_begun > last_wake).catch(() => {
      throw new Error(
        `seed ${SEED}: no run after the last wake-up: ${JSON.stringify({ runs, wakes_after_ms })}`,
      );
    });
  }
});

describe('an endpoint that is woken many times at one moment', () => {
  it('gets two signals: the wake-ups after the first signal was sent are coalesced', async () => {
    const id = randomUUID();
    const failures: unknown[] = [];
    // No worker takes this queue: the signals stay to be counted.
    const waker = createEndpointWaker({
      temporal,
      task_queue: `test-${randomBytes(8).toString('hex')}`,
      onError: (_id, error) => failures.push(error),
    });
    for (let n = 0; n < 5; n += 1) waker.wake([id]);
    await waker.flush();
    const handle = temporal.workflow.getHandle(webhookWorkflowId(id));
    const signals = async (): Promise<number> => {
      const { events } = await handle.fetchHistory();
      return events!.filter((event) => event.workflowExecutionSignaledEventAttributes).length;
    };
    expect(await signals()).toBe(2);
    // A later wake-up is a signal again.
    waker.wake([id]);
    await waker.flush();
    expect(await signals()).toBe(3);
    expect(failures).toEqual([]);
    await handle.terminate();
  });
});

describe('what an operator sees of an endpoint', () => {
  const FAILING: Partial<DeliveryReport> = {
    state: 'failing',
    pending: 17,
    next_in_ms: FAR_MS,
    oldest_pending_at: '2026-11-21T10:00:00.000000Z',
    next_attempt_at: '2026-11-21T12:30:00.000000Z',
    failing_since: '2026-11-20T08:00:00.000000Z',
    last_failure: { at: '2026-11-21T11:00:00.000000Z', outcome: 'refused', status: 503 },
  };

  it('is its backlog, its oldest delivery, its last failure and the next attempt', async () => {
    const { id } = script([FAILING, {}]);
    const handle = await wake(id);
    const details = await waitFor(async () => {
      const { currentDetails = '' } = await handle.query<{ readonly currentDetails?: string }>(
        '__temporal_workflow_metadata',
      );
      return currentDetails !== '' && currentDetails;
    });
    expect(details.split('\n')).toEqual([
      '**failing**: shop.example of ama (sandbox)',
      '',
      '- backlog: 17',
      '- oldest pending: 2026-11-21T10:00:00.000000Z',
      '- last failure: 2026-11-21T11:00:00.000000Z refused (503)',
      '- failing since: 2026-11-20T08:00:00.000000Z',
      '- next attempt: 2026-11-21T12:30:00.000000Z',
    ]);
    await wake(id);
    await handle.result();
  });

  it('is found by its merchant and by its state', async () => {
    const username = `user-${randomBytes(6).toString('hex')}`;
    const { id } = script([
      { ...FAILING, username },
      { username, state: 'waiting', pending: 1, next_in_ms: FAR_MS },
      { username },
    ]);
    const handle = await wake(id);
    await untilFound(username, ['failing'], id);
    await wake(id);
    await untilFound(username, ['waiting'], id);
    await wake(id);
    await handle.result();
    await untilFound(username, ['idle'], id);
  });

  async function untilFound(username: string, states: string[], id: string): Promise<void> {
    await waitFor(async () => {
      const found = [];
      const query = `PaymentAccount = '${username}' and PaymentEnvironment = 'sandbox'`;
      for await (const { workflowId, typedSearchAttributes } of temporal.workflow.list({ query })) {
        expect(workflowId).toBe(webhookWorkflowId(id));
        found.push(typedSearchAttributes.get(searchAttributes.state));
      }
      return found.join() === states.join();
    });
  }
});
