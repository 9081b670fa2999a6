// Merchants' webhook endpoints. Their secrets arrive here sealed, and no view shows them.

import type { Environment } from '../../domain/environment';
import type { EventType } from '../../domain/event';
import type { EndpointStatus } from '../../domain/webhook';
import { columns, type Named, type RowOf } from '../columns';
import { callValue, lookUp, type Db, type Tx } from '../connect';

export type NewEndpoint = Named<
  'webhook_endpoints',
  'id user_id environment url types description max_per_second'
>;

/** False when the account has `max_endpoints` in this environment already. */
export async function createWebhookEndpoint(
  db: Db | Tx,
  endpoint: NewEndpoint,
  sealed_secret: Buffer,
  max_endpoints: number,
): Promise<boolean> {
  const values = [JSON.stringify(endpoint), sealed_secret, max_endpoints];
  return callValue(db, 'create_webhook_endpoint', values);
}

/** Columns of webhook_endpoints as `w`. */
export const ENDPOINT = columns(`webhook_endpoints w:
  id url types description max_per_second disabled_reason consecutive_failures failing_since last_failure
  created_at updated_at`);

/** A merchant's endpoint in GET's answer. The secret is shown only once, when it is created. */
export interface EndpointView extends RowOf<typeof ENDPOINT> {
  readonly status: EndpointStatus;
  readonly previous_secret_until: string | null;
}

const VIEW = `select ${ENDPOINT}, w.status,
    case when w.previous_until > now() then
      case w.environment when 'sandbox' then sandbox_due(w.user_id, w.previous_until) else w.previous_until end
    end as previous_secret_until
  from webhook_endpoints w
 where w.user_id = $1 and w.environment = $2 and w.status <> 'deleted'`;

/** Finds an endpoint of this user only, and none that was deleted. */
export async function findWebhookEndpoint(
  db: Db,
  user_id: string,
  environment: Environment,
  id: string,
): Promise<EndpointView | undefined> {
  const statement = { name: 'find_webhook_endpoint', text: `${VIEW} and w.id = $3` };
  const [row] = await lookUp<EndpointView>(db, statement, [user_id, environment, id]);
  return row;
}

/** Newest first; there are never many. */
export async function listWebhookEndpoints(
  db: Db,
  user_id: string,
  environment: Environment,
): Promise<EndpointView[]> {
  const text = `${VIEW} order by w.created_at desc, w.id`;
  return lookUp<EndpointView>(db, { name: 'list_webhook_endpoints', text }, [user_id, environment]);
}

/** A field that is left out stays as it is; null removes a description or a rate limit. */
export interface EndpointChanges {
  readonly url?: string | undefined;
  readonly types?: readonly EventType[] | undefined;
  readonly description?: string | null | undefined;
  readonly max_per_second?: number | null | undefined;
  readonly status?: EndpointStatus | 'deleted' | undefined;
}

/**
 * Deliveries that wait are held, released or discarded in the same commit, as the status says. False when there is no
 * such endpoint.
 */
export async function updateWebhookEndpoint(
  db: Db | Tx,
  id: string,
  changes: EndpointChanges,
): Promise<boolean> {
  return callValue(db, 'update_webhook_endpoint', [id, JSON.stringify(changes)]);
}

/** Returns until when the old secret still signs; undefined for an endpoint that does not exist. */
export async function rotateWebhookSecret(
  db: Db | Tx,
  id: string,
  sealed_secret: Buffer,
  overlap_seconds: number,
): Promise<string | undefined> {
  const values = [id, sealed_secret, overlap_seconds];
  return (await callValue<string | null>(db, 'rotate_webhook_secret', values)) ?? undefined;
}
