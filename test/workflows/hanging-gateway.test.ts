// A gateway that does not answer, and many payment intents that wait for it.

import { WORKER_SLOTS } from '../../bin/main-worker';
import { limitCalls } from '../../gateway/limit-calls';
import { noteSeen, waitFor } from '../support/wait';
import { fakeGateway } from './fake-gateway';
import { cancel, startIntentWorker, untilStatus } from './intents';

/** A tenth of what a process has. */
const ACTIVITIES = 50;
const CALLS = 20;
const INTENTS = 80;
/** On a machine that does other work, too. */
const WITHIN_MS = 60_000;

it('leaves activities for the other gateway', async () => {
  const sandbox = fakeGateway();
  const live = fakeGateway();
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  sandbox.onOpen = () => answered;
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
  await untilStatus(database, open, 'open', WITHIN_MS);
  try {
    const created = await Promise.all(Array.from({ length: INTENTS }, () => intents.create()));
    for (const intent of created) await intents.start(intent);
    // Each in its own task, and then as many activities as there are slots.
    await waitFor(() => {
      noteSeen('attempts, checkouts that hang', [attempts, sandbox.sessions.length]);
      return attempts > INTENTS + ACTIVITIES;
    }, WITHIN_MS);
    const other = await intents.create({ environment: 'live' });
    await intents.start(other);
    await untilStatus(database, other, 'open', WITHIN_MS);
    expect(await cancel(handle, open)).toEqual({ status: 'canceled' });
    expect(sandbox.sessions).toHaveLength(CALLS);
    answer();
    for (const intent of created) await untilStatus(database, intent, 'open', WITHIN_MS);
  } finally {
    answer();
  }
});
