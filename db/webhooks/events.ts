// Events for merchants, stored as the bytes that were rendered when they happened.

import type { Environment } from '../../domain/environment';
import { EVENT_TYPES, type EventType } from '../../domain/event';
import type { SampleFacts } from '../../domain/sample-intent';
import { columns, type Named } from '../columns';
import { calls, execute, lookUp, type Db, type Tx } from '../connect';

/** Its sequence is 0 for a test event, its body the JSON text that is delivered. */
const EVENT = 'id sequence type body created_at';

export type StoredEvent = Named<'events', typeof EVENT>;

export interface EventQuery {
  readonly user_id: string;
  readonly environment: Environment;
  /** Events with a greater sequence than this; 0 for all. */
  readonly after: bigint;
  readonly types?: readonly EventType[] | undefined;
  readonly limit: number;
}

// The account's counter is locked until the commit, so a client that sees a sequence can see all
// lower ones: one that remembers the last one misses nothing. One scan of the index events_by_type per type,
// each in order. Only that index has this order: by the sequence alone, a plan that is made for any account
// reads all events of one that has millions, and none of the type.
const OF_TYPE = '(x.user_id, x.environment, x.type, x.sequence)';
const ofType = (sequence: string): string => `($1::uuid, $2::text, wanted.type, ${sequence})`;

export const LIST_EVENTS = {
  name: 'list_events',
  text: `select ${columns(`events e: ${EVENT}`)}
           from unnest($4::text[]) wanted (type)
          cross join lateral (
            select ${columns(`events x: ${EVENT}`)} from events x
             where ${OF_TYPE} > ${ofType('$3::bigint')}
               and ${OF_TYPE} <= ${ofType('9223372036854775807')} and x.sequence > 0
             order by x.user_id, x.environment, x.type, x.sequence limit $5) e
          order by e.sequence limit $5`,
};

/**
 * Lists events in the order in which they happened, without test events, which have no place in it.
 */
export async function listEvents(db: Db, query: EventQuery): Promise<StoredEvent[]> {
  const { user_id, environment, after, types = EVENT_TYPES, limit } = query;
  return lookUp<StoredEvent>(db, LIST_EVENTS, [
    user_id,
    environment,
    after.toString(),
    types,
    limit,
  ]);
}

const FIND = {
  name: 'find_event',
  text: `select ${columns(`events e: ${EVENT}`)} from events e
          where e.id = $3 and e.user_id = $1 and e.environment = $2`,
};

/** Finds an event of this user only; test events too. */
export async function findEvent(
  db: Db,
  user_id: string,
  environment: Environment,
  id: string,
): Promise<StoredEvent | undefined> {
  const [row] = await lookUp<StoredEvent>(db, FIND, [user_id, environment, id]);
  return row;
}

export interface SampleEvent {
  readonly id: string;
  readonly type: EventType;
  readonly environment: Environment;
  readonly created_at: string;
  readonly facts: SampleFacts;
  readonly pay_url_base: string;
}

const RENDER_SAMPLE = {
  name: 'render_sample_event',
  text: `select e.body::text as body
           from event_json($1, $2, $3, $4, 0, sample_json($2, $5::jsonb, $6)) e`,
};

/** The body of an event that tries an endpoint: as of a real one, but for its sequence, which is 0. */
export async function renderSampleEvent(
  db: Db | Tx,
  { id, type, environment, created_at, facts, pay_url_base }: SampleEvent,
): Promise<string> {
  const values = [id, type, created_at, environment, JSON.stringify(facts), pay_url_base];
  const [row] = await execute<{ readonly body: string }>(db, RENDER_SAMPLE, values);
  return row!.body;
}

/** Adds an event for this endpoint only, whatever types it chose. Returns the id of its delivery. */
export const addTestEvent =
  calls<(endpoint_id: string, event_id: string, type: EventType, body: string) => string>(
    'add_test_event',
  );

/** The sequence of the account's last event; 0 before its first. */
export async function lastSequence(
  db: Db,
  user_id: string,
  environment: Environment,
): Promise<bigint> {
  const text = `select coalesce(max(e.sequence), 0) as last from events e
                 where e.user_id = $1 and e.environment = $2 and e.sequence > 0`;
  const statement = { name: 'last_sequence', text };
  const [row] = await execute<{ last: bigint }>(db, statement, [user_id, environment]);
  return row!.last;
}
