// A payment intent from its creation to its end: opens the checkout, then waits for the gateway, the
// merchant or the clock: the first one decides. The database decides each step; losing a race there is
// a result like any other, and this workflow follows the status that it gets back.

import {
  allHandlersFinished,
  condition,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { isRunning, type IntentStep } from '../domain/intent';
import type { NotificationActivities } from '../activities/notifications';
import type { IntentActivities } from '../activities/payment-intents';
import {
  awaitCheckoutUpdate,
  cancelUpdate,
  notificationStoredSignal,
  renewUpdate,
  searchAttributes,
  type IntentStart,
} from './messages';
import { LONG_ACTIVITY, SHORT_LOCAL_ACTIVITY } from './options';

const local = proxyLocalActivities<IntentActivities & NotificationActivities>(SHORT_LOCAL_ACTIVITY);
const remote = proxyActivities<IntentActivities>(LONG_ACTIVITY);

/** How long the gateway may fail to open the checkout; a retry with the key resumes the intent. */
const ABANDON_AFTER_MS = 10 * 60_000;
const RETRY_PAUSE = { first_ms: 1_000, longest_ms: 30_000 };
/** Between queries to a gateway that reports a payment as pending, or that is unreachable. */
const EXPIRY_PAUSE = { first_ms: 2_000, longest_ms: 15 * 60_000 };

export async function paymentIntent(start: IntentStart): Promise<IntentStep> {
  const intent = createIntent(start);
  await openCheckout(intent);
  await followUntilClosed(intent);
  // Notifications that arrived meanwhile are applied: late money has its place too.
  while (intent.commands.length > 0) await intent.commands.shift()!();
  await condition(allHandlersFinished);
  return { status: intent.step.status };
}

interface Intent extends Required<IntentStart> {
  step: IntentStep;
  /** Attempts to open the checkout so far. */
  open_attempts: number;
  /** A caller waits for the checkout: the next attempt need not wait for its pause. */
  is_awaited: boolean;
  /** Queued commands, taken one at a time, in the order of their arrival. */
  readonly commands: (() => Promise<void>)[];
}

/** Sets the handlers before the first await: a message that comes with the first task finds its handler. */
function createIntent(start: IntentStart): Intent {
  const intent: Intent = {
    give_up_after_ms: ABANDON_AFTER_MS,
    ...start,
    step: { status: 'creating' },
    open_attempts: 0,
    is_awaited: false,
    commands: [],
  };
  setHandler(notificationStoredSignal, (notification_id) => {
    intent.commands.push(async () => {
      const status = await local.applyNotification(notification_id);
      if (status !== null) follow(intent, { status });
    });
  });
  setHandler(awaitCheckoutUpdate, async () => {
    const before = intent.open_attempts;
    intent.is_awaited = true;
    await condition(() => intent.step.status !== 'creating' || intent.open_attempts > before);
    return intent.step;
  });
  setHandler(cancelUpdate, (order) => enqueue(intent, () => remote.cancelIntent(intent.id, order)));
  setHandler(renewUpdate, () => enqueue(intent, () => remote.renewCheckout(intent.id)));
  return intent;
}

function enqueue(intent: Intent, take: () => Promise<IntentStep>): Promise<IntentStep> {
  return new Promise((resolve, reject) => {
    intent.commands.push(async () => {
      try {
        follow(intent, await take());
        resolve(intent.step);
      } catch (error) {
        reject(error as Error);
      }
    });
  });
}

async function openCheckout(intent: Intent): Promise<void> {
  follow(intent, await local.openCheckout(intent.id));
  intent.open_attempts += 1;
  const give_up_at = Date.now() + intent.give_up_after_ms;
  for (let pause = RETRY_PAUSE.first_ms; intent.step.status === 'creating'; pause *= 2) {
    if (Date.now() >= give_up_at || intent.step.fault === 'refused') {
      const { fault } = intent.step;
      // Callers that wait at this moment learn why.
      follow(intent, {
        ...(await remote.abandonIntent(intent.id)),
        ...(fault === undefined ? {} : { fault }),
      });
      return;
    }
    intent.is_awaited = false;
    await condition(() => intent.is_awaited, Math.min(pause, RETRY_PAUSE.longest_ms));
    follow(intent, await remote.openCheckout(intent.id));
    intent.open_attempts += 1;
  }
}

async function followUntilClosed(intent: Intent): Promise<void> {
  let next_expiry = Date.parse(intent.expires_at);
  let pause = EXPIRY_PAUSE.first_ms;
  while (isRunning(intent.step.status)) {
    const has_command = await condition(
      () => intent.commands.length > 0,
      Math.max(0, next_expiry - Date.now()),
    );
    if (has_command) {
      await intent.commands.shift()!();
    } else {
      follow(intent, await remote.expireIntent(intent.id));
      const { early_ms } = intent.step;
      next_expiry = Date.now() + (early_ms ?? pause);
      if (early_ms === undefined) pause = Math.min(pause * 2, EXPIRY_PAUSE.longest_ms);
    }
  }
}

function follow(intent: Intent, next: IntentStep): void {
  if (next.status !== intent.step.status) {
    upsertSearchAttributes([{ key: searchAttributes.state, value: next.status }]);
  }
  intent.step = next;
  setCurrentDetails(describe(next, intent.expires_at));
}

function describe({ status, fault }: IntentStep, expires_at: string): string {
  const trouble = fault === undefined ? '' : `; the gateway: **${fault}**`;
  return `**${status}**, expires ${expires_at}${trouble}`;
}
