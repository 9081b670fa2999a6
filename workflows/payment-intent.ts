// A payment intent from its creation to its end: opens the checkout, then waits for whatever comes
// first, the gateway, the merchant or the clock. The database decides each step; losing a race there
// is a result like any other, and this workflow follows the status that it is told.

import {
  allHandlersFinished,
  condition,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { isTerminal, type StoredIntentStatus } from '../domain/intent';
import type { IntentActivities, IntentStep } from '../activities/payment-intents';
import {
  awaitOpening,
  cancelIntent,
  gatewayNotified,
  renewCheckout,
  searchAttributes,
  type IntentStart,
} from './messages';

const DATABASE_RETRY = { initialInterval: '50ms', backoffCoefficient: 2, maximumInterval: '1s' };

// Longer than an adapter's own deadline: a gateway's fault comes back as a result.
const quick = proxyLocalActivities<IntentActivities>({
  startToCloseTimeout: '10s',
  retry: DATABASE_RETRY,
});
// A process that dies in the middle is replaced within seconds, not after the time that it had.
const steady = proxyActivities<IntentActivities>({
  startToCloseTimeout: '20s',
  heartbeatTimeout: '5s',
  retry: { ...DATABASE_RETRY, maximumInterval: '5s' },
});

/** An opening that the gateway keeps failing is given up after this; a retry with the key resumes it. */
const GIVE_UP_AFTER_MS = 10 * 60_000;
const OPENING_PAUSE = { first_ms: 1_000, longest_ms: 30_000 };
/** Between asking the gateway about a payment that it calls pending, or that it cannot be asked about. */
const EXPIRY_PAUSE = { first_ms: 2_000, longest_ms: 15 * 60_000 };

export async function paymentIntent(start: IntentStart): Promise<IntentStep> {
  const { id, expires_at, give_up_after_ms = GIVE_UP_AFTER_MS } = start;
  let step: IntentStep = { status: 'creating' };
  let tries = 0;
  let is_asked_again = false;
  const commands: (() => Promise<void>)[] = [];

  /** One step at a time, in the order in which they were asked for. */
  const inTurn = (take: () => Promise<IntentStep>): Promise<IntentStep> =>
    new Promise((resolve, reject) => {
      commands.push(async () => {
        try {
          follow(await take());
          resolve(step);
        } catch (error) {
          reject(error as Error);
        }
      });
    });
  const follow = (next: IntentStep): void => {
    if (next.status !== step.status) {
      upsertSearchAttributes([{ key: searchAttributes.state, value: next.status }]);
    }
    step = next;
    setCurrentDetails(describe(next, expires_at));
  };

  // Before the first await: a message that comes with the first task finds its handler.
  setHandler(gatewayNotified, (notification_id) => {
    commands.push(async () => {
      const status = await quick.applyNotification(notification_id);
      if (status !== null) follow({ status });
    });
  });
  setHandler(awaitOpening, async () => {
    const before = tries;
    is_asked_again = true;
    await condition(() => step.status !== 'creating' || tries > before);
    return step;
  });
  setHandler(cancelIntent, () => inTurn(() => steady.cancelIntent(id)));
  setHandler(renewCheckout, () => inTurn(() => steady.renewCheckout(id)));

  follow(await quick.openCheckout(id));
  tries += 1;
  const give_up_at = Date.now() + give_up_after_ms;
  for (let pause = OPENING_PAUSE.first_ms; step.status === 'creating'; pause *= 2) {
    if (Date.now() >= give_up_at || step.fault === 'refused') {
      const { fault } = step;
      // Whoever asks at this moment is told why.
      follow({ ...(await steady.abandonIntent(id)), ...(fault === undefined ? {} : { fault }) });
      break;
    }
    is_asked_again = false;
    await condition(() => is_asked_again, Math.min(pause, OPENING_PAUSE.longest_ms));
    follow(await steady.openCheckout(id));
    tries += 1;
  }

  let next_look = Date.parse(expires_at);
  let pause = EXPIRY_PAUSE.first_ms;
  while (isOpen(step.status)) {
    const is_asked = await condition(
      () => commands.length > 0,
      Math.max(0, next_look - Date.now()),
    );
    if (is_asked) {
      await commands.shift()!();
    } else {
      follow(await steady.expireIntent(id));
      next_look = Date.now() + (step.early_ms ?? pause);
      if (step.early_ms === undefined) pause = Math.min(pause * 2, EXPIRY_PAUSE.longest_ms);
    }
  }
  // What came in meanwhile is applied all the same: late money has its place too.
  while (commands.length > 0) await commands.shift()!();
  await condition(allHandlersFinished);
  return { status: step.status };
}

function isOpen(status: StoredIntentStatus): boolean {
  return status !== 'abandoned' && !isTerminal(status);
}

function describe({ status, fault }: IntentStep, expires_at: string): string {
  const trouble = fault === undefined ? '' : `; the gateway: **${fault}**`;
  return `**${status}**, expires ${expires_at}${trouble}`;
}

/** For a notification that no running intent can take: late, unknown, or of an intent that is over. */
export async function lateNotification(
  notification_id: string,
): Promise<StoredIntentStatus | null> {
  return quick.applyNotification(notification_id);
}

/** Run by a schedule: hands over again what was stored and not applied. */
export async function sweepNotifications(): Promise<number> {
  return steady.sweepNotifications();
}

/** Asked for by an operator; goes on until the gateway and the ledger have both done it. */
export async function suspenseRefund(item_id: string): Promise<string> {
  return steady.refundSuspense(item_id);
}
