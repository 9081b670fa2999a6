// The parts of a payment intent as text for people.

import type {
  CheckoutSession,
  OperatorIntent,
  UnappliedNotification,
} from '../db/payment-intents/operator-intents';
import { presentTimelineEntry, type TimelineEntry } from '../domain/intent';
import { Decimal, type JsonValue } from '../domain/json';
import { formatAmount } from '../domain/money';
import { table } from './table';
import type { WorkflowState } from './temporal';

export function amountText(amount_minor: bigint, currency: string): string {
  return `${formatAmount(amount_minor)} ${currency}`;
}

/** Leaves out null fields and those of the headline. */
export function describeIntent(intent: OperatorIntent, shown: Record<string, JsonValue>): string {
  const { reference, status, amount_minor, fee_minor, currency, username, environment } = intent;
  const {
    reference: _r,
    status: _s,
    amount: _a,
    fee: _f,
    net_amount: _n,
    currency: _c,
    ...rest
  } = shown;
  const rows = Object.entries(rest).flatMap(([name, value]) =>
    value === null ? [] : [[name, fieldText(value)]],
  );
  return [
    `${reference}: ${amountText(amount_minor, currency)} for ${username} (${environment}), ${status}`,
    '',
    table([['fee', amountText(fee_minor, currency)], ...rows]),
  ].join('\n');
}

export function fieldText(value: JsonValue): string {
  if (value instanceof Decimal) return value.text;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function describeSessions(sessions: readonly CheckoutSession[]): string {
  if (sessions.length === 0) return 'No checkout session yet.';
  return table([
    ['SESSION', 'NUMBER', 'OPENED', 'LAPSES'],
    ...sessions.map((session) => [
      session.session_id,
      String(session.number),
      session.opened_at,
      session.lapses_at ?? 'never',
    ]),
  ]);
}

export function describeTimeline(timeline: readonly TimelineEntry[]): string {
  const rows = timeline.map((entry) => [
    entry.at,
    entry.source,
    entry.kind,
    Object.entries(presentTimelineEntry(entry).detail)
      .map(([name, value]) => `${name}=${value instanceof Decimal ? value.text : value}`)
      .join(' '),
  ]);
  return table([['AT', 'SOURCE', 'WHAT', 'DETAIL'], ...rows]);
}

export function describeUnapplied(notifications: readonly UnappliedNotification[]): string {
  return table([
    ['NOT APPLIED YET', 'TYPE', 'RECEIVED', 'TRIES', 'ERROR'],
    ...notifications.map(({ event_id, type, received_at, tries, last_error }) => [
      event_id,
      type,
      received_at,
      String(tries),
      last_error ?? '',
    ]),
  ]);
}

export function describeWorkflow({
  id,
  state,
  current_details,
  url,
  fault,
}: WorkflowState): string {
  const trouble = {
    unreachable: 'Temporal cannot be reached',
    not_found: 'Temporal has no such workflow',
  };
  const what = fault === null ? state! : trouble[fault];
  return [
    `Workflow ${id}: ${what}`,
    ...[url, current_details].filter((line) => line !== null),
  ].join('\n');
}
