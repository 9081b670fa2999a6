// Payment intents as merchants read them: one, a list, and the timeline of one.

import type { Currency } from '../../domain/currency';
import type { IntentStatus, TimelineEntry } from '../../domain/intent';
import { columns, type Row, type RowOf } from '../columns';
import { execute, lookUp, type Db, type BoundStatement, type Statement } from '../connect';
import { byColumn, filterSql, type ListQuery, type Owner } from '../list-filters';
import { EARLIEST } from '../webhooks/webhook-attempts';
import { readEmail } from '../../domain/email';

const SHOWN = columns(`payment_intents v:
  id environment short_code reference amount_minor fee_minor tax_minor refunded_minor currency country description
  customer_email customer_phone metadata last_payment_error transaction_id created_at updated_at
  succeeded_at failed_at expired_at canceled_at return_url cancel_url settled_minor received_minor
  payment_link_id quantity collected`);
/** Columns of payment_intents as `v`. */
export const INTENT_COLUMNS = `${SHOWN}, v.status, v.checkout_url,
  shown_due(v.expires_at, v.clock_seconds) as expires_at`;

/** A row in any status. */
export type IntentColumns = RowOf<typeof SHOWN> &
  Pick<Row<'payment_intents'>, 'status' | 'checkout_url' | 'expires_at'>;

/** The row that every answer and event shows. */
export interface IntentView extends Omit<IntentColumns, 'status' | 'checkout_url'> {
  readonly status: IntentStatus;
  readonly checkout_url: string;
  /** The JSON text of what GET /payment-intents/{id} returns (intent_json in SQL). */
  readonly json: string;
}

/** Adds what GET returns; `base` is the parameter with the address of the pay pages. */
export const shownIntentColumns = (base: string): string =>
  `${INTENT_COLUMNS}, (select s.body::text from intent_json(v, ${base}) s) as json`;

/** The owner of the intents, and where their pay pages are. */
export interface IntentScope extends Owner {
  readonly pay_url_base: string;
}

export type IntentName = { readonly id: string } | { readonly short_code: string };

/** The caller's own, once its checkout is open. */
export async function findIntent(
  db: Db,
  { user_id, environment, pay_url_base }: IntentScope,
  name: IntentName,
): Promise<IntentView | undefined> {
  const column = 'id' in name ? 'id' : 'short_code';
  const text = `select ${shownIntentColumns('$4')} from payment_intents v
                 where v.${column} = $3 and v.user_id = $1 and v.environment = $2
                   and v.status not in ('creating', 'abandoned')`;
  const given = 'id' in name ? name.id : name.short_code;
  const values = [user_id, environment, given, pay_url_base];
  const rows = await lookUp<IntentView>(db, { name: `find_intent_by_${column}`, text }, values);
  return rows[0];
}

export type IntentQuery = IntentScope &
  ListQuery<{
    status: IntentStatus;
    currency: Currency;
    reference: string;
    customer_email: string;
  }>;

const FILTERS = {
  status: 'v.status = ?',
  currency: 'v.currency = ?',
  reference: 'v.reference = ?',
  customer_email: 'v.customer_email = ?',
  created_from: 'v.created_at >= ?::timestamptz',
  created_to: 'v.created_at < ?::timestamptz',
} as const;

/** Newest first. */
export async function listIntents(db: Db, query: IntentQuery): Promise<IntentView[]> {
  const { customer_email, ...rest } = query.filters;
  // Addresses are stored in this form.
  const address = customer_email && (readEmail(customer_email) ?? customer_email);
  const filters = { ...rest, customer_email: address };
  const { statement, values } = intentsStatement({ ...query, filters });
  return lookUp<IntentView>(db, statement, values);
}

/** Each has an index of its own; the first that is given is used, and the others are looked at row by row. */
const BY = ['customer_email', 'status', 'currency'] as const;

export function intentsStatement(query: IntentQuery): BoundStatement {
  const { user_id, environment, pay_url_base, before = 'infinity', filters, limit } = query;
  const by =
    filters.reference === undefined ? BY.find((one) => filters[one] !== undefined) : undefined;
  if (by !== undefined) return selectByColumn(query, by);
  const values: unknown[] = [user_id, environment, before, pay_url_base];
  const { given, conditions } = filterSql(FILTERS, filters, values);
  values.push(limit);
  const text = `select ${shownIntentColumns('$4')} from payment_intents v
                 where v.user_id = $1 and v.environment = $2
                   and v.created_at < $3::timestamptz
                   and v.status not in ('creating', 'abandoned')${conditions}
                 order by v.created_at desc limit $${values.length}`;
  return { statement: { name: `list_intents_${given}`, text }, values };
}

function selectByColumn(
  { user_id, environment, pay_url_base, before = 'infinity', filters, limit }: IntentQuery,
  by: (typeof BY)[number],
): BoundStatement {
  const { created_from = '-infinity', created_to = 'infinity' } = filters;
  const values: unknown[] = [user_id, environment, before, filters[by], created_from, created_to];
  const { customer_email, status, currency } = filters;
  const rest = { customer_email, status, currency, [by]: undefined };
  const { given, conditions } = filterSql(FILTERS, rest, values);
  const base = `$${values.push(pay_url_base)}`;
  values.push(limit);
  const { condition, order } = byColumn('v', by, by === 'customer_email');
  const text = `select ${shownIntentColumns(base)} from payment_intents v
                 where ${condition} and v.${by} is not null
                   and v.status not in ('creating', 'abandoned')${conditions}
                 order by ${order} limit $${values.length}`;
  return { statement: { name: `list_intents_by_${by}_${given}`, text }, values };
}

// Resending an event again and again does not make the timeline endless.
const MAX_ATTEMPTS_SHOWN = 500;

// Its history is in a table of its own; delivery attempts are read from where they were recorded.
/** `$1` is the intent, or what the column of `events` names. */
export const timeline = (name: string, own: string, of = 'intent_id'): Statement => ({
  name,
  text: `select at, source, kind, detail from (
           ${own}
           union all
           (select a.started_at, null, 'webhook', 'attempt', jsonb_build_object(
                    'event_id', d.event_id, 'endpoint_id', d.endpoint_id, 'number', a.number,
                    'outcome', a.outcome, 'status', a.status)
              from events e
              join webhook_deliveries d on d.event_id = e.id
              join webhook_attempts a on a.delivery_id = d.id and a.recorded_at >= ${EARLIEST}
             where e.${of} = $1
             order by a.started_at limit ${MAX_ATTEMPTS_SHOWN})
         ) entry
         order by at, id`,
});

const OF_INTENT = `select t.at, t.id, t.source, t.kind, t.detail from intent_timeline t
                    where t.intent_id = $1`;

const TIMELINE = timeline('list_timeline', OF_INTENT);

/** Lists the timeline in the order in which it happened. */
export async function listTimeline(db: Db, intent_id: string): Promise<TimelineEntry[]> {
  return execute<TimelineEntry>(db, TIMELINE, [intent_id]);
}

const END_OF_TIMELINE = timeline(
  'list_end_of_timeline',
  `(${OF_INTENT} order by t.id desc limit $2)`,
);

/**
 * Lists as listTimeline does, but only the last `limit` of the intent's own events: a page for
 * people has a length.
 */
export async function listEndOfTimeline(
  db: Db,
  intent_id: string,
  limit: number,
): Promise<TimelineEntry[]> {
  return execute<TimelineEntry>(db, END_OF_TIMELINE, [intent_id, limit]);
}
