// Where everything changes: an entry of the journal first, then its notifications, then what follows by itself. A
// decision and its entry are made without waiting in between, so of two simultaneous calls one comes first. No call is
// answered and no notification sent before the journal has flushed to disk.

import { renderJson } from '../../../domain/json';
import { amountJson } from '../../../domain/money';
import { majorText } from '../../../gateway/fields';
import { CHARGE_UPDATED } from '../../../gateway/sandbox/notification';
import { PAYOUT_UPDATED } from '../../../gateway/sandbox/payouts';
import { newId, shownStatus, takeStep, type Durations } from './courses';
import type { Journal } from './journal';
import type { Notifier } from './notifier';
import type { AnyRecord, Payout } from './records';
import type { Entry, Notification, Store } from './store';

export interface DeskParts {
  readonly store: Store;
  readonly journal: Journal<Entry>;
  readonly notifier: Notifier;
  readonly durations: Durations;
}

export interface Desk extends DeskParts {
  /** Records what has become of these. */
  change(...records: readonly AnyRecord[]): void;
  /** Takes a step and records it; undefined where it does not fit the state. */
  step<R extends AnyRecord>(record: R, step: string): R | undefined;
  enter(entry: Entry): void;
  /** Continues what was under way or undelivered when the previous process ended. */
  resume(): void;
  stop(): void;
}

export function createDesk(parts: DeskParts): Desk {
  const { store, journal, notifier, durations } = parts;
  const timers = new Set<NodeJS.Timeout>();
  let is_stopped = false;

  const enter = (entry: Entry): void => {
    store.apply(entry);
    journal.append(entry);
  };
  const change = (...records: readonly AnyRecord[]): void => {
    const notifications = records.flatMap(noticesOf);
    enter({ records, notifications });
    const follow = (): void => {
      for (const notification of notifications) notifier.send(notification);
      for (const record of records) continueLater(record);
    };
    // A caller that waits for a response learns of a failure, and so does the journal's `onFailure`.
    journal.flushed().then(follow, () => undefined);
  };
  const continueLater = ({ kind, id, next }: AnyRecord): void => {
    if (next === null || is_stopped) return;
    const take = (): void => {
      timers.delete(timer);
      const record = store.get(kind, id)!;
      // Something else may have happened to it in the meantime.
      if (record.next?.at === next.at) change(takeStep(record, next.step, durations)!);
    };
    const timer = setTimeout(take, Math.max(0, Date.parse(next.at) - Date.now()));
    timers.add(timer);
  };

  return {
    ...parts,
    enter,
    change,
    step(record, step) {
      const taken = takeStep(record, step, durations);
      if (taken) change(taken);
      return taken;
    },
    resume() {
      for (const notification of store.undelivered()) notifier.send(notification);
      for (const record of store.waiting()) continueLater(record);
    },
    stop() {
      is_stopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** The notifications of where a record has just come to: one, but for the test values without or with two. */
function noticesOf(record: AnyRecord): Notification[] {
  const copies = record.is_quiet ? 0 : (COPIES[record.outcome] ?? 1);
  if (copies === 0) return [];
  const event_id = newId('evt');
  return [{ event_id, environment: record.environment, body: noticeOf(event_id, record), copies }];
}

/** A lost notification stays lost until the service asks. */
const COPIES: Readonly<Record<string, number>> = {
  no_callback: 0,
  lost_paid: 0,
  lost_not_paid: 0,
  two_callbacks: 2,
  pay_notify_twice: 2,
};

function noticeOf(event_id: string, record: AnyRecord): string {
  const { environment, id } = record;
  switch (record.kind) {
    case 'payment': {
      const status = shownStatus(record);
      return renderJson({
        event_id,
        type: `payment.${status}`,
        intent_id: record.intent_id,
        reference: record.reference,
        amount: amountJson(BigInt(record.amount_minor)),
        currency: record.currency,
        environment,
        provider_payment_id: id,
        // Only failures have these.
        final: status === 'failed' ? record.status === 'refused' : undefined,
        failure: record.failure === null ? undefined : { ...record.failure },
        occurred_at: record.changed_at,
      });
    }
    case 'refund': {
      const { provider_payment_id, reference } = record;
      const refund = { provider_payment_id, refund_id: id, reference };
      return renderJson({ event_id, type: 'refund.updated', environment, ...refund });
    }
    case 'dispute':
      return renderJson({ event_id, type: 'dispute.updated', environment, dispute_id: id });
    case 'charge':
      return renderJson({
        event_id,
        type: CHARGE_UPDATED,
        environment,
        charge_id: record.charge_id,
      });
    case 'payout':
      return payoutNotice(event_id, record, BigInt(record.amount_minor));
    case 'session':
      throw new Error('Nothing is told of sessions.');
  }
}

export function payoutNotice(event_id: string, payout: Payout, amount_minor: bigint): string {
  const { environment, payout_id, id, currency } = payout;
  return renderJson({
    event_id,
    type: PAYOUT_UPDATED,
    environment,
    payout_id,
    provider_payment_id: id,
    status: shownStatus(payout),
    amount: majorText(amount_minor, currency),
    currency,
  });
}
