// Reads a year as people, programs and the service itself do, by the functions that the service calls. Postgres itself
// counts the cost of each (pg_stat_statements), so that neither Node nor the machine's noise is in it.

import type { Client } from 'pg';
import { exportHistory } from '../../use-cases/transactions/export';
import { readToDo } from '../../db/people/attention';
import type { Db } from '../../db/connect';
import { findEvent, lastSequence, listEvents } from '../../db/webhooks/events';
import { readGauges } from '../../db/health/gauges';
import {
  listHistory,
  listHistoryOfReference,
  listRenderedHistory,
  type HistoryFilters,
} from '../../db/ledger/history';
import { findStoredResponse } from '../../db/requests/orders';
import { findKeptKey } from '../../db/requests/idempotency-keys';
import {
  findOperatorTransfer,
  listKeyOutcomes,
  listTransferEntries,
} from '../../db/transfers/operator-transfers';
import { countUndelivered, listOperatorEvents } from '../../db/webhooks/operator-webhooks';
import { findTransaction, listTransactions } from '../../db/ledger/transactions';
import { findTransfer } from '../../db/transfers/transfers';
import { listWalletDays, listWallets } from '../../db/ledger/wallets';
import { listAttempts, listLastAttempts } from '../../db/webhooks/webhook-attempts';
import { readBacklog } from '../../db/webhooks/webhook-backlog';
import {
  deliveriesOfEvent,
  findDelivery,
  listDeliveries,
  type DeliveryQuery,
} from '../../db/webhooks/webhook-deliveries';
import { findDueEndpoints } from '../../db/webhooks/webhook-delivery-runs';
import { readEndpointHealth } from '../../db/webhooks/webhook-health';
import type { IdempotencyScope } from '../../domain/idempotency';
import { DELIVERY_STATUSES } from '../../domain/webhook';
import { TRANSACTION_FILTERS, TRANSACTION_STATUSES } from '../../domain/transaction';
import { median, round } from './stats';
import type { Year } from './year-fill';

/** Rows of one year that lists ask for by their id. */
export interface Landmarks {
  readonly transfer: {
    readonly reference: string;
    readonly key: string;
    readonly sender_id: string;
  };
  readonly transaction_id: string;
  readonly event_id: string;
  readonly delivery_id: string;
  /** The middle of the year. */
  readonly middle: string;
  readonly middle_of_events: string;
  readonly middle_sequence: bigint;
}

export interface Subject {
  readonly db: Db;
  readonly owner: Client;
  readonly year: Year;
  readonly landmarks: Landmarks;
}

export async function findLandmarks(owner: Client, year: Year): Promise<Landmarks> {
  const pick = async <Row>(text: string): Promise<Row> => {
    const { rows } = await owner.query(text.replaceAll('?', `'${year.merchant_id}'`));
    return rows[0] as Row;
  };
  const MIDDLE = `(select now() - interval '180 days')`;
  const { id, reference, middle } = await pick<{ id: string; reference: string; middle: string }>(
    `select id, reference, to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as middle
       from transactions where user_id = ? and environment = 'live'
        and created_at < ${MIDDLE} and type = 'transfer_in' order by created_at desc limit 1`,
  );
  const transfer = await pick<{ reference: string; key: string; sender_id: string }>(
    `select reference, idempotency_key as key, sender_id from transfers where reference = '${reference}'`,
  );
  const event = await pick<{ event_id: string; sequence: string; at: string }>(
    `select id as event_id, sequence, to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
       from events where user_id = ? and environment = 'live'
        and sequence > (select last / 2 from event_sequences where user_id = ?)
      order by sequence limit 1`,
  );
  const delivery = await pick<{ id: string }>(
    `select id from webhook_deliveries where event_id = '${event.event_id}' limit 1`,
  );
  return {
    transfer,
    transaction_id: id,
    middle,
    event_id: event.event_id,
    delivery_id: delivery.id,
    middle_of_events: event.at,
    middle_sequence: BigInt(event.sequence),
  };
}

type List = (subject: Subject) => Promise<unknown>;

const LIMIT = 25;

const own = ({ year: { merchant_id: user_id } }: Subject) =>
  ({ user_id, environment: 'live', limit: LIMIT }) as const;

const page =
  (types?: Parameters<typeof listTransactions>[1]['types'], at?: 'middle'): List =>
  (of) =>
    listTransactions(of.db, { ...own(of), types, before: at && of.landmarks[at] });

const history =
  (
    filters: HistoryFilters,
    at?: 'middle',
    read: typeof listRenderedHistory | typeof listHistory = listRenderedHistory,
  ): List =>
  (of) =>
    read(of.db, { ...own(of), filters, before: at && of.landmarks[at] });

const events =
  (types?: Parameters<typeof listEvents>[1]['types'], at?: 'middle_sequence'): List =>
  (of) =>
    listEvents(of.db, { ...own(of), types, after: at ? of.landmarks[at] : 0n });

const deliveries =
  (filters: (of: Subject) => DeliveryQuery['filters'], at?: 'middle_of_events'): List =>
  (of) =>
    listDeliveries(of.db, { ...own(of), before: at && of.landmarks[at], filters: filters(of) });

const ofMerchant =
  (read: (db: Db, user_id: string, subject: Subject) => Promise<unknown>): List =>
  (subject) =>
    read(subject.db, subject.year.merchant_id, subject);

const scope = ({ landmarks }: Subject): IdempotencyScope => ({
  user_id: landmarks.transfer.sender_id,
  environment: 'live' as const,
  operation: 'transfer' as const,
  key: landmarks.transfer.key,
});

/** One list for each of these. */
const each = <Name>(
  names: readonly Name[],
  listsOf: (name: Name) => Readonly<Record<string, List>>,
): Readonly<Record<string, List>> => Object.assign({}, ...names.map(listsOf));

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

const TRANSACTIONS: Readonly<Record<string, List>> = {
  'first page': page(),
  'page in the middle': page(undefined, 'middle'),
  ...each(TRANSACTION_FILTERS, (type) => ({
    [`type=${type}`]: page(type === 'transfer' ? ['transfer_in', 'transfer_out'] : [type]),
  })),
  'type=adjustment, middle': page(['adjustment'], 'middle'),
  ...each(TRANSACTION_STATUSES, (status) => ({ [`status=${status}`]: history({ status }) })),
  'currency=USD': history({ currency: 'USD' }),
  'direction=out': history({ direction: 'out' }),
  'currency=USD direction=out, middle': history({ currency: 'USD', direction: 'out' }, 'middle'),
  'type=adjustment currency=EUR': history({ type: 'adjustment', currency: 'EUR' }),
  'type=transfer status=completed currency=EUR': history({
    type: 'transfer',
    status: 'completed',
    currency: 'EUR',
  }),
  'type=transfer_out status=reversed': history({ type: 'transfer_out', status: 'reversed' }),
  'created_from a minute ago': history({ created_from: daysAgo(1 / 1_440) }),
  'created_from a month ago': history({ created_from: daysAgo(30) }),
  reference: (of) =>
    listHistoryOfReference(
      of.db,
      { ...own(of), filters: {}, before: undefined },
      of.landmarks.transfer.reference,
    ),
  'by id': ({ db, year, landmarks }) =>
    findTransaction(db, year.merchant_id, 'live', landmarks.transaction_id),
};

const EVENTS: Readonly<Record<string, List>> = {
  'first page': events(),
  'page in the middle': events(undefined, 'middle_sequence'),
  'type=transfer.sent': events(['transfer.sent']),
  'type=transfer.sent, middle': events(['transfer.sent'], 'middle_sequence'),
  'type=payment.failed (none)': events(['payment.failed']),
  'by id': ({ db, year, landmarks }) => findEvent(db, year.merchant_id, 'live', landmarks.event_id),
};

const enabled = ({ year }: Subject) => ({ endpoint_id: year.endpoint_id });
const disabled = ({ year }: Subject) => ({ endpoint_id: year.disabled_endpoint_id });
const week = () => ({ created_from: daysAgo(40), created_to: daysAgo(33) });

/** These filters for the merchant, for an endpoint that is enabled, and for one that is not. */
const everywhere = (
  name: string,
  filters: DeliveryQuery['filters'],
): Readonly<Record<string, List>> => ({
  [name]: deliveries(() => filters),
  [`endpoint ${name}`]: deliveries((of) => ({ ...enabled(of), ...filters })),
  [`disabled endpoint ${name}`]: deliveries((of) => ({ ...disabled(of), ...filters })),
});

const DELIVERIES: Readonly<Record<string, List>> = {
  'first page': deliveries(() => ({})),
  'page in the middle': deliveries(() => ({}), 'middle_of_events'),
  ...each(DELIVERY_STATUSES, (status) => everywhere(`status=${status}`, { status })),
  ...each(['transfer.received', 'transfer.sent', 'payment.succeeded'] as const, (type) =>
    everywhere(`type=${type}`, { type }),
  ),
  ...each(
    [
      ['transfer.sent', 'delivered'],
      ['transfer.received', 'exhausted'],
      ['transfer.sent', 'exhausted'],
    ] as const,
    ([type, status]) => ({
      [`type=${type} status=${status}`]: deliveries(() => ({ type, status })),
    }),
  ),
  endpoint: deliveries(enabled),
  'endpoint, middle': deliveries(enabled, 'middle_of_events'),
  event: deliveries(({ landmarks }) => ({ event_id: landmarks.event_id })),
  'event and endpoint': deliveries((s) => ({ ...enabled(s), event_id: s.landmarks.event_id })),
  'created in a week': deliveries(week),
  'status=exhausted created in a week': deliveries(() => ({ status: 'exhausted', ...week() })),
  'type=payment.succeeded created in a week': deliveries(() => ({
    type: 'payment.succeeded',
    ...week(),
  })),
  'endpoint type=transfer.sent created in a week': deliveries((s) => ({
    ...enabled(s),
    type: 'transfer.sent',
    ...week(),
  })),
  'by id': ({ db, year, landmarks }) =>
    findDelivery(db, year.merchant_id, 'live', landmarks.delivery_id),
  'of an event': ({ db, landmarks }) => deliveriesOfEvent(db, landmarks.event_id, LIMIT),
  attempts: ({ db, landmarks: { delivery_id } }) =>
    listAttempts(db, { delivery_id, before: undefined, limit: LIMIT }),
  'last attempts': ({ db, landmarks }) => listLastAttempts(db, [landmarks.delivery_id], 3),
};

const PAGES: Readonly<Record<string, List>> = {
  wallets: ofMerchant((db, id) => listWallets(db, id, 'live')),
  'wallets, 30 days': ofMerchant((db, id) => listWalletDays(db, id, 'live', 30)),
  'overview, latest': history({}, undefined, listHistory),
  'overview, to do': ofMerchant((db, id) => readToDo(db, id, 'live')),
  'endpoints, health': ({ db, year }) =>
    readEndpointHealth(db, [year.endpoint_id, year.disabled_endpoint_id]),
  'operator, transfer': ({ db, landmarks }) =>
    findOperatorTransfer(db, landmarks.transfer.reference),
  'operator, entries of a transfer': ({ db, landmarks }) =>
    listTransferEntries(db, [landmarks.transfer.reference]),
  'operator, key': ({ db, landmarks }) =>
    listKeyOutcomes(db, landmarks.transfer.sender_id, landmarks.transfer.key),
  'operator, undelivered': (of) =>
    countUndelivered(of.db, { ...own(of), id: of.year.disabled_endpoint_id }),
  'operator, last sequence': ofMerchant((db, id) => lastSequence(db, id, 'live')),
  'operator, events': (of) =>
    listOperatorEvents(of.db, { ...own(of), after: of.landmarks.middle_sequence }),
};

const SERVICE: Readonly<Record<string, List>> = {
  'transfer by reference': ({ db, landmarks }) =>
    findTransfer(db, landmarks.transfer.sender_id, 'live', landmarks.transfer.reference),
  'idempotency key, asked for': (subject) => findKeptKey(subject.db, scope(subject)),
  'idempotency key, replay': (subject) => findStoredResponse(subject.db, scope(subject)),
  'idempotency key, unknown': (subject) =>
    findKeptKey(subject.db, { ...scope(subject), key: 'never used' }),
  'backlog of an endpoint': ({ db, year }) => readBacklog(db, year.endpoint_id),
  'backlog of a disabled endpoint': ({ db, year }) => readBacklog(db, year.disabled_endpoint_id),
  'due endpoints': ({ db }) => findDueEndpoints(db, 100),
  metrics: ({ db }) => readGauges(db, 0),
};

export const LISTS: readonly (readonly [name: string, read: List])[] = Object.entries({
  transactions: TRANSACTIONS,
  events: EVENTS,
  deliveries: DELIVERIES,
  pages: PAGES,
  service: SERVICE,
}).flatMap(([noun, lists]) =>
  Object.entries(lists).map(([list, read]) => [`${noun}: ${list}`, read] as const),
);

const WARM_UPS = 2;
const CALLS = 9;
/** A list that takes longer than this is not asked for again. */
const PATIENCE_MS = 2_000;

export async function measureList(subject: Subject, read: List): Promise<Cost> {
  const costs: Cost[] = [];
  for (let call = -WARM_UPS; call < CALLS; call += 1) {
    const cost = await measureCall(subject, () => read(subject));
    if (call >= 0 || cost.database_ms > PATIENCE_MS) costs.push(cost);
    if (cost.database_ms > PATIENCE_MS) break;
  }
  const middle = (field: keyof Cost): number => round(median(costs.map((cost) => cost[field])));
  return { database_ms: middle('database_ms'), pages: middle('pages'), rows: middle('rows') };
}

interface Cost {
  /** Planning and execution, in Postgres. */
  readonly database_ms: number;
  /** Pages of 8 kB that it looked at, found in memory or not. */
  readonly pages: number;
  readonly rows: number;
}

/** Measures one call by Postgres. The statements of functions are in those that called them. */
async function measureCall({ owner }: Subject, call: () => Promise<unknown>): Promise<Cost> {
  await owner.query('select pg_stat_statements_reset()');
  await call();
  const { rows } = await owner.query<Cost>(
    `select coalesce(sum(total_exec_time + total_plan_time), 0)::float8 as database_ms,
            coalesce(sum(shared_blks_hit + shared_blks_read + temp_blks_read), 0)::float8 as pages,
            coalesce(sum(rows), 0)::float8 as rows
       from pg_stat_statements s
      where s.dbid = (select oid from pg_database where datname = current_database())
        and s.query not like '%pg_stat_statements%'`,
  );
  return rows[0]!;
}

/** A month as a file, all types or one. */
export async function measureExport(subject: Subject, filters: HistoryFilters) {
  const { db, landmarks } = subject;
  const from = new Date(Date.parse(landmarks.middle) - 30 * 86_400_000).toISOString();
  const query = {
    ...own(subject),
    before: landmarks.middle,
    filters: { ...filters, created_from: from },
  };
  const onError = (error: Error): never => {
    throw error;
  };
  const start = performance.now();
  let lines = 0;
  const { database_ms } = await measureCall(subject, async () => {
    for await (const chunk of exportHistory(db, query, { onError })) {
      lines += String(chunk).split('\n').length - 1;
    }
  });
  const rows = lines - 1;
  return {
    rows,
    database_us_of_a_row: round((database_ms * 1_000) / rows),
    seconds: round((performance.now() - start) / 1_000),
  };
}
