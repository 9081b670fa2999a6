// The database's records of webhooks of one experiment: events, their deliveries, every attempt.

import type { Environment } from '../../../domain/environment';
import type { AttemptOutcome } from '../../../domain/webhook';
import type { System } from './cluster';

export interface DeliveryKept {
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly body: string;
  /** Epoch, ms. */
  readonly added_at: number;
  /** Ordered by number. */
  readonly made: readonly AttemptKept[];
}

export interface AttemptKept {
  readonly number: number;
  readonly outcome: AttemptOutcome;
  readonly status: number | null;
  /** Epoch, ms. */
  readonly began: number;
  readonly ended: number;
}

export interface EventKept {
  readonly id: string;
  readonly user_id: string;
  readonly environment: Environment;
  readonly sequence: number;
  readonly type: string;
  readonly has_delivery: boolean;
}

export interface EndedIntent {
  readonly id: string;
  readonly status: string;
  readonly event_ids: readonly string[];
  readonly types: readonly string[];
}

export interface HookBooks {
  readonly deliveries: readonly DeliveryKept[];
  readonly events: readonly EventKept[];
  readonly ended: readonly EndedIntent[];
}

export async function readHookBooks(
  { db }: Pick<System, 'db'>,
  endpoint_ids: readonly string[],
  user_ids: readonly string[],
): Promise<HookBooks> {
  const read = async <Row>(sql: string): Promise<Row[]> =>
    ((await db.raw(sql, { endpoint_ids, user_ids })) as { rows: Row[] }).rows;
  return {
    deliveries: await read<DeliveryKept>(
      `select d.id, d.endpoint_id, d.event_id, d.status, d.attempts, e.body,
              extract(epoch from d.created_at)::float8 * 1000 as added_at,
              coalesce(m.made, '[]') as made
         from webhook_deliveries d
         join events e on e.id = d.event_id
         left join (
           select a.delivery_id, json_agg(json_build_object(
                    'number', a.number, 'outcome', a.outcome, 'status', a.status,
                    'began', extract(epoch from a.started_at)::float8 * 1000,
                    'ended', extract(epoch from a.started_at)::float8 * 1000 + a.duration_ms)
                    order by a.number) as made
             from webhook_attempts a join webhook_deliveries x on x.id = a.delivery_id
            where x.endpoint_id = any(:endpoint_ids)
            group by a.delivery_id) m on m.delivery_id = d.id
        where d.endpoint_id = any(:endpoint_ids)`,
    ),
    events: await read<EventKept>(
      `select e.id, e.user_id, e.environment, e.sequence::integer, e.type,
              exists (select from webhook_deliveries d where d.event_id = e.id) as has_delivery
         from events e where e.user_id = any(:user_ids)`,
    ),
    ended: await read<EndedIntent>(
      `select i.id, i.status, array_remove(array_agg(e.id), null) as event_ids,
              array_remove(array_agg(e.type), null) as types
         from payment_intents i left join events e on e.intent_id = i.id
        where i.user_id = any(:user_ids)
          and i.status in ('succeeded', 'failed', 'expired', 'canceled')
        group by i.id, i.status`,
    ),
  };
}

export interface BacklogKept {
  /** Not delivered yet, for any reason. */
  readonly left: number;
  /** Ordered by their numbers. */
  readonly statuses: string;
  /** Milliseconds until the last of them may be tried by the waits and pauses that were planned. */
  readonly asked_ms: number;
}

export async function readBacklogOf(
  { db }: Pick<System, 'db'>,
  endpoint_ids: readonly string[],
): Promise<BacklogKept> {
  const { rows } = (await db.raw(
    `select coalesce(sum(n), 0)::integer as left,
            coalesce(string_agg(n || ' ' || status, ', '), 'none') as statuses,
            greatest(0, coalesce(max(asked), 0))::float8 as asked_ms
       from (select d.status, count(*) as n,
                    max(extract(epoch from greatest(d.next_attempt_at, w.paused_until)
                      - clock_timestamp()) * 1000) as asked
               from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
              where d.endpoint_id = any(:endpoint_ids) and d.status <> 'delivered'
              group by d.status) s`,
    { endpoint_ids },
  )) as { rows: BacklogKept[] };
  return rows[0]!;
}
