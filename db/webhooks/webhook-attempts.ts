// The attempts of deliveries: recorded as they end, with what they mean for the delivery and for
// its endpoint; listed for merchants and operators.

import type { EndpointFailure } from '../../domain/webhook';
import { columns, type Named, type RowOf } from '../columns';
import { callValue, lookUp, type Db } from '../connect';

/** One attempt to record. Recording the same number again changes nothing. */
export interface AttemptRecord extends Named<
  'webhook_attempts',
  `delivery_id number trigger url duration_ms outcome status response_body response_truncated
  retry_after_seconds`
> {
  /** How long ago it began; the database's clock turns it into a time. */
  readonly age_ms: number;
  /** The time until the next try; null when there is none. */
  readonly retry_ms: number | null;
}

/** Some attempts say this of their endpoint. */
export interface HealthRecord {
  /** The URL to which the attempts were made. */
  readonly url: string;
  /** Whether any of them arrived. */
  readonly has_arrived: boolean;
  /** How many failed since the last that arrived, or in all. */
  readonly failures: number;
  readonly pause_ms: number;
  readonly is_gone: boolean;
  readonly disable_after_seconds: number;
  /**
   * The time after which the endpoint is disabled begins anew after as many seconds without a
   * failure.
   */
  readonly quiet_seconds: number;
  readonly last_failure: Omit<EndpointFailure, 'at'> | null;
}

/** Returns the endpoint's status afterwards. */
export async function recordAttempts(
  db: Db,
  endpoint_id: string,
  attempts: readonly AttemptRecord[],
  health: HealthRecord | null,
): Promise<'enabled' | 'disabled'> {
  return callValue(db, 'record_attempts', [
    endpoint_id,
    JSON.stringify(attempts),
    health && JSON.stringify(health),
  ]);
}

const SUMMARY = columns(`webhook_attempts a:
  number trigger url started_at duration_ms outcome status retry_after_seconds`);
export type AttemptSummary = RowOf<typeof SUMMARY>;

const BODY = columns('webhook_attempts a: response_body response_truncated');
export type AttemptView = AttemptSummary & RowOf<typeof BODY>;

/**
 * No attempt of a delivery is older: months before are not searched. A day is left for a clock that was set
 * back.
 */
export const EARLIEST = "d.created_at - interval '1 day'";

export interface AttemptQuery {
  readonly delivery_id: string;
  /** Attempts with a lower number. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** Newest first; none of months that were dropped. */
export async function listAttempts(
  db: Db,
  { delivery_id, before, limit }: AttemptQuery,
): Promise<AttemptView[]> {
  const text = `select ${SUMMARY}, ${BODY} from webhook_attempts a
                 where a.delivery_id = $1 and a.number < coalesce($2::integer, 2147483647)
                   and a.recorded_at >= (select ${EARLIEST} from webhook_deliveries d where d.id = $1)
                 order by a.number desc limit $3`;
  const values = [delivery_id, before ?? null, limit];
  return lookUp<AttemptView>(db, { name: 'list_attempts', text }, values);
}

/** The last attempts of each of these deliveries, newest first, without the responses' bodies. */
export async function listLastAttempts(
  db: Db,
  delivery_ids: readonly string[],
  limit: number,
): Promise<(AttemptSummary & { readonly delivery_id: string })[]> {
  const text = `select l.* from unnest($1::uuid[]) w (delivery_id)
                  join webhook_deliveries d on d.id = w.delivery_id
                 cross join lateral (
                   select a.delivery_id, ${SUMMARY} from webhook_attempts a
                    where a.delivery_id = w.delivery_id and a.recorded_at >= ${EARLIEST}
                    order by a.number desc limit $2) l
                 order by l.delivery_id, l.number desc`;
  return lookUp(db, { name: 'list_last_attempts', text }, [delivery_ids, limit]);
}
