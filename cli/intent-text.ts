// The parts of a payment intent as text for people.

import type {
  CheckoutSession,
  OperatorIntent,
  UnappliedNotification,
} from '../db/payment-intents/operator-intents';
import { presentTimelineEntry, type TimelineEntry } from '../domain/intent';
import { Decimal, withFields, type JsonText } from '../domain/json';
import { scanJson } from '../domain/json-source';
import { formatAmount } from '../domain/money';
import { table } from './table';
import type { WorkflowState } from './temporal';

export function amountText(amount_minor: bigint, currency: string): string {
  return `${formatAmount(amount_minor)} ${currency}`;
}

/** Adds to the API's fields those by which an operator finds the intent in other places. */
export function presentForOperator(intent: OperatorIntent): JsonText {
  const { username, gateway, idempotency_key, request_id } = intent;
  return withFields(intent, { username, gateway, idempotency_key, request_id });
}

export function describeIntent(intent: OperatorIntent): string {
  const { reference, status, amount_minor, fee_minor, tax_minor, currency, username, environment } =
    intent;
  const headline = ['reference', 'status', 'amount', 'fee', 'tax', 'net_amount', 'currency'];
  return [
    `${reference}: ${amountText(amount_minor, currency)} for ${username} (${environment}), ${status}`,
    '',
    table([
      ['fee', amountText(fee_minor, currency)],
      ['tax', amountText(tax_minor, currency)],
      ...fieldRows(presentForOperator(intent), headline),
    ]),
  ].join('\n');
}

/** The fields of a resource, as its text has them, without nulls and without those that are told elsewhere. */
export function fieldRows({ text }: JsonText, told: readonly string[]): string[][] {
  const { numbers } = scanJson(text);
  const fields = Object.entries(JSON.parse(text) as Readonly<Record<string, unknown>>);
  return fields
    .filter(([name, value]) => value !== null && !told.includes(name))
    .map(([name, value]) => [
      name,
      typeof value === 'string' ? value : (numbers.get(`/${name}`) ?? JSON.stringify(value)),
    ]);
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
