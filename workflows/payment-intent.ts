// A payment intent from its creation to its end: opens the checkout, then follows what the gateway, the
// merchant or the clock makes of it. The database decides each step; losing a race there is a result like any
// other, and this workflow follows the status that it gets back. Expiries are the job of
// activities/expiries.ts: this workflow only looks at the row when the time is over.

import {
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { isRunning, type IntentStep } from '../domain/intent';
import type { NotificationActivities } from '../activities/notifications';
import type { IntentActivities } from '../activities/payment-intents';
import { requireIntentStart } from './intent-start';
import {
  awaitCheckoutUpdate,
  cancelUpdate,
  intentEndedSignal,
  notificationStoredSignal,
  renewUpdate,
  searchAttributes,
  type IntentStart,
} from './messages';
import { LONG_ACTIVITY, SHORT_LOCAL_ACTIVITY } from './options';

const local = proxyLocalActivities<IntentActivities & NotificationActivities>(SHORT_LOCAL_ACTIVITY);
const remote = proxyActivities<IntentActivities & NotificationActivities>(LONG_ACTIVITY);

/** How long the gateway may fail to open the checkout; a retry with the key resumes the intent. */
const ABANDON_AFTER_MS = 10 * 60_000;
const RETRY_PAUSE = { first_ms: 1_000, longest_ms: 30_000 };
/**
 * The pause from the expiry to the first look at the row, and between looks while it has not ended.
 */
const LOOK_PAUSE = { first_ms: 2_000, growth: 1.5, longest_ms: 15 * 60_000 };

/** Longer than any id of a notification: what is cut off here was none, and what is left is none. */
const MAX_ID_CHARACTERS = 32;
/** Temporal refuses a timer of thousands of years. */
const LONGEST_TIMER_MS = 400 * 86_400_000;

/**
 * What local activities did is recorded when their workflow task ends. A task that exceeds its timeout does
 * all of them again, so a backlog of notifications is done in so many at a time.
 */
const RECORDED_TOGETHER = 25;

export async function paymentIntent(start: IntentStart): Promise<IntentStep> {
  requireIntentStart(start);
  const intent = createIntent(start);
  await openCheckout(intent);
  await followUntilClosed(intent);
  // Notifications that arrived meanwhile are applied: late money has its place too.
  while (hasCommands(intent)) {
    await takeCommand(intent);
    if (hasCommands(intent) && isLong(intent)) await continueInNextRun(intent);
  }
  await condition(allHandlersFinished);
  return { status: intent.step.status };
}

interface Intent extends Required<Omit<IntentStart, 'continue_after_events' | 'carried'>> {
  readonly start: IntentStart;
  step: IntentStep;
  /** Attempts to open the checkout so far. */
  open_attempts: number;
  /** The time at which it gives up opening the checkout, in ms. */
  give_up_at: number;
  /** The time at which it looks at the row, in ms, and how long it waits after that. */
  next_look: number;
  look_pause_ms: number;
  /** A caller waits for the checkout: the next attempt need not wait for its pause. */
  is_awaited: boolean;
  /** Counts those of this run. */
  notifications: number;
  /** Both are taken one at a time, in the order of their arrival. */
  readonly commands: Command[];
}

/** A stored notification, by its id in the inbox, or what an update asks for. */
type Command = string | (() => Promise<void>);

/** Sets the handlers before the first await: a message that comes with the first task finds its handler. */
function createIntent(start: IntentStart): Intent {
  const { carried, give_up_after_ms = ABANDON_AFTER_MS } = start;
  const intent: Intent = {
    ...start,
    start,
    give_up_after_ms,
    step: { status: 'creating' },
    open_attempts: 0,
    give_up_at: Date.parse(carried?.give_up_at ?? '') || Infinity,
    next_look: Date.parse(start.expires_at) + LOOK_PAUSE.first_ms,
    look_pause_ms: LOOK_PAUSE.first_ms,
    is_awaited: false,
    notifications: 0,
    commands: [...(carried?.notifications ?? [])],
  };
  setHandler(notificationStoredSignal, (notification_id) => {
    // Anyone who reaches Temporal may send anything; the activity refuses what is no id.
    const id: unknown = notification_id;
    intent.commands.push(typeof id === 'string' ? id.slice(0, MAX_ID_CHARACTERS) : '');
  });
  setHandler(intentEndedSignal, () => {
    intent.commands.push(async () => follow(intent, await local.readIntent(intent.id)));
  });
  setHandler(awaitCheckoutUpdate, async () => {
    const before = intent.open_attempts;
    intent.is_awaited ||= intent.step.status === 'creating';
    // It is no command, so nothing else would let a long run see that it is long.
    if (isLong(intent)) intent.commands.push(() => Promise.resolve());
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

function hasCommands({ commands }: Intent): boolean {
  return commands.length > 0;
}

// Not an async function, because one more turn of promises between a command and what follows it would put
// the steps of saved histories into another order.
function takeCommand(intent: Intent): Promise<void> {
  const command = intent.commands.shift()!;
  return isUpdate(command) ? command() : applyNotification(intent, command);
}

async function applyNotification(intent: Intent, notification_id: string): Promise<void> {
  intent.notifications += 1;
  // A regular activity ends the workflow task.
  const is_last = intent.notifications % RECORDED_TOGETHER === 0;
  const status = await (is_last ? remote : local).applyNotification(notification_id);
  if (status !== null) follow(intent, { status });
}

async function openCheckout(intent: Intent): Promise<void> {
  const first = await local.openCheckout(intent.id);
  follow(intent, first.is_postponed ? await remote.openCheckout(intent.id) : first);
  countAttempt(intent);
  intent.give_up_at = Math.min(intent.give_up_at, Date.now() + intent.give_up_after_ms);
  for (let pause = RETRY_PAUSE.first_ms; intent.step.status === 'creating'; pause *= 2) {
    if (Date.now() >= intent.give_up_at || intent.step.fault === 'refused') {
      const { fault } = intent.step;
      // Callers that wait at this moment learn why.
      follow(intent, {
        ...(await remote.abandonIntent(intent.id)),
        ...(fault === undefined ? {} : { fault }),
      });
      return;
    }
    if (isLong(intent)) await continueInNextRun(intent);
    const summary = 'until the gateway is asked again for a checkout';
    await condition(() => intent.is_awaited, Math.min(pause, RETRY_PAUSE.longest_ms), { summary });
    follow(intent, await remote.openCheckout(intent.id));
    countAttempt(intent);
  }
}

function countAttempt(intent: Intent): void {
  intent.open_attempts += 1;
  intent.is_awaited = false;
}

async function followUntilClosed(intent: Intent): Promise<void> {
  while (isRunning(intent.step.status)) {
    if (isLong(intent)) await continueInNextRun(intent);
    const has_command = await condition(
      () => hasCommands(intent),
      Math.min(Math.max(0, intent.next_look - Date.now()), LONGEST_TIMER_MS),
      { summary: 'waits for the customer, until the link has expired' },
    );
    if (has_command) {
      await takeCommand(intent);
    } else {
      follow(intent, await local.readIntent(intent.id));
      intent.next_look = Date.now() + intent.look_pause_ms;
      intent.look_pause_ms = Math.min(
        Math.round(intent.look_pause_ms * LOOK_PAUSE.growth),
        LOOK_PAUSE.longest_ms,
      );
    }
  }
}

/**
 * Temporal bounds a run: 2,000 updates, 10,000 signals, some 50,000 events. It says so in time, at 1,800
 * updates or 4,096 events.
 */
function isLong({ start: { continue_after_events = Infinity } }: Intent): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength >= continue_after_events;
}

/**
 * Continues in a new run with an empty history, which begins by asking the row where the intent
 * stands. Callers of updates get their answers first. That comes to an end even if new ones never
 * cease: a run takes no more than 2,000, and a caller who comes then asks again
 * (temporal/payment-intents.ts). What notifications are left is carried. Returns instead when the
 * intent has ended meanwhile and none are left, or when a caller waits for the next attempt to
 * open the checkout.
 */
async function continueInNextRun(intent: Intent): Promise<void> {
  const { commands } = intent;
  for (;;) {
    await condition(() => commands.some(isUpdate) || intent.is_awaited || allHandlersFinished());
    const update = commands.find(isUpdate);
    if (update === undefined) break;
    commands.splice(commands.indexOf(update), 1);
    await update();
  }
  // No await from here on: an update that came before is answered by this run, and any other by the next.
  const is_over = !isRunning(intent.step.status) && !hasCommands(intent);
  if (is_over || !allHandlersFinished()) return;
  await continueAsNew<typeof paymentIntent>({
    ...intent.start,
    carried: {
      notifications: commands.filter((command) => typeof command === 'string'),
      give_up_at: new Date(intent.give_up_at).toISOString(),
    },
  });
}

function isUpdate(command: Command): command is () => Promise<void> {
  return typeof command !== 'string';
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
