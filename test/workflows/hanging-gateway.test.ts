// A gateway that does not answer, and many payment intents that wait for it.

import { WORKER_SLOTS } from '../../bin/main-worker';
import { listMethods } from '../../use-cases/payment-attempts/methods';
import { openIntent } from '../../use-cases/payment-intents/open';
import type { CheckoutOutcome } from '../../domain/intent';
import type { Gateway } from '../../gateway/port';
import { limitCalls } from '../../gateway/limit-calls';
import { within } from '../../temporal/calls';
import { createCircuitBreaker } from '../../temporal/circuit-breaker';
import { createLocalResults } from '../../temporal/local-results';
import { createIntentWorkflows } from '../../temporal/payment-intents';
import { testMessages } from '../support/secrets';
import { noteSeen, waitFor } from '../support/wait';
import { fakeGateway, hang } from './fake-gateway';
import { cancel, intentWorkflows, startIntentWorker, untilStatus } from './intents';

/** A tenth of what a process has. */
const ACTIVITIES = 50;
const CALLS = 20;
const INTENTS = 80;
/** The machine does other work, too. */
const WITHIN_MS = 60_000;

it('leaves activities for the other gateway', async () => {
  const sandbox = fakeGateway();
  const live = fakeGateway();
  const answer = hang(sandbox, 'onOpen');
  let attempts = 0;
  const intents = await startIntentWorker({
    gateway: limitCalls(sandbox.gateway, CALLS),
    live_gateway: limitCalls({ ...live.gateway, environment: 'live' }, CALLS),
    tuner: {
      ...WORKER_SLOTS,
      activityTaskSlotSupplier: { type: 'fixed-size', numSlots: ACTIVITIES },
    },
    wrap: (real) => ({
      ...real,
      openCheckout(id) {
        attempts += 1;
        return real.openCheckout(id);
      },
    }),
  });
  const { database } = intents;
  const open = await intents.create({ environment: 'live' });
  const handle = await intents.start(open);
  await untilStatus(database, open, 'open');
  try {
    const created = await Promise.all(Array.from({ length: INTENTS }, () => intents.create()));
    for (const intent of created) await intents.start(intent);
    // Each in its own task, and then as many activities as there are slots.
    await waitFor(() => {
      noteSeen('attempts, checkouts that hang', [attempts, sandbox.sessions.length]);
      return attempts > INTENTS + ACTIVITIES && sandbox.sessions.length >= CALLS;
    });
    const other = await intents.create({ environment: 'live' });
    await intents.start(other);
    await untilStatus(database, other, 'open');
    expect(await cancel(handle, open)).toEqual({ status: 'canceled' });
    expect(sandbox.sessions).toHaveLength(CALLS);
    answer();
    for (const intent of created) await untilStatus(database, intent, 'open');
  } finally {
    answer();
  }
});

it('a caller whose checkout an activity opens in another process learns when it is open', async () => {
  const fake = fakeGateway();
  const answer = hang(fake, 'onOpen');
  const here = createLocalResults<CheckoutOutcome>();
  const intents = await startIntentWorker({
    gateway: fake.gateway,
    pending_checkouts: {
      // An outcome from an activity of another process stays there.
      publish(id, outcome) {
        if (outcome === 'elsewhere') here.publish(id, outcome);
      },
    },
  });
  const { database, temporal, worker } = intents;
  try {
    const before = await Promise.all(Array.from({ length: 16 }, () => intents.create()));
    for (const intent of before) await intents.start(intent);
    await waitFor(() => fake.sessions.length === before.length);
    const intent = await intents.create();
    const workflows = createIntentWorkflows({
      ...intentWorkflows(database.db, temporal, worker.task_queue),
      workflow_messages: testMessages,
    });
    const breaker = createCircuitBreaker(() => Promise.resolve(true));
    const response = openIntent(
      {
        db: database.db,
        log: () => undefined,
        pending_checkouts: here,
        breakers: { live: breaker, sandbox: breaker },
        intent_workflows: {
          ...workflows,
          // Its first task is done in this process.
          async start() {
            await intents.start(intent);
            return 'eager';
          },
        },
      },
      { intent, expires_at: intent.expires_at, username: 'u', deadline: Date.now() + 3_600_000 },
    );
    await waitFor(() => fake.sessions.length === before.length + 1);
    answer();
    const found = await within(WITHIN_MS, response);
    expect(found).toMatchObject({ status: 201, body: expect.stringContaining(intent.short_code) });
  } finally {
    answer();
  }
});

it('lets customers wait for its operators once, and not with each page', async () => {
  const { gateway } = fakeGateway();
  let asked = 0;
  const methods = (): Promise<never> => {
    asked += 1;
    return new Promise(() => undefined);
  };
  const phones = { methods } as unknown as NonNullable<Gateway['phones']>;
  const gateways = { live: [], sandbox: [{ ...gateway, phones }] };
  let given_up = 0;
  const log = (): void => void (given_up += 1);
  const list = () => listMethods({ gateways, log }, 'sandbox');
  expect(await list()).toEqual([]);
  expect(given_up).toBe(1);
  // It is asked again, and no caller waits until that is given up too.
  await waitFor(async () => (await list()) && asked > 1);
  expect(given_up).toBe(1);
});
