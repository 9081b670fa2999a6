// Sends deliveries again: one, or all of a period.

import type { Db } from '../db/connect';
import {
  findDelivery,
  resendDeliveries,
  type DeliveryView,
} from '../db/webhooks/webhook-deliveries';
import { findWebhookEndpoint } from '../db/webhooks/webhook-endpoints';
import {
  beginResend,
  findLastResend,
  findResend,
  type Resend,
} from '../db/webhooks/webhook-resends';
import { EVENT_TYPES, type EventType } from '../domain/event';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../domain/webhook';
import type { EndpointOwner } from './webhook-endpoints';

/** Only a deleted endpoint has discarded deliveries, and nothing can be sent to it. */
export const RESENT_STATUSES = DELIVERY_STATUSES.filter((status) => status !== 'discarded');
/** Everything that has not arrived. */
export const UNDELIVERED = RESENT_STATUSES.filter((status) => status !== 'delivered');

export interface RefusedResend {
  readonly ok: false;
  readonly error: 'not_found' | 'endpoint_not_found' | 'disabled';
}

export interface ResentDelivery {
  readonly ok: true;
  readonly delivery: DeliveryView;
}

/** Sends a delivery again at once, with a whole retry schedule when its own is over. */
export async function resendDelivery(
  db: Db,
  { user_id, environment }: EndpointOwner,
  id: string,
): Promise<ResentDelivery | RefusedResend> {
  const found = await findDelivery(db, user_id, environment, id);
  if (!found) return { ok: false, error: 'not_found' };
  const endpoint = await findWebhookEndpoint(db, user_id, environment, found.endpoint_id);
  if (!endpoint) return { ok: false, error: 'endpoint_not_found' };
  if (endpoint.status === 'disabled') return { ok: false, error: 'disabled' };
  await resendDeliveries(db, [found.id]);
  const delivery = await findDelivery(db, user_id, environment, id);
  return delivery ? { ok: true, delivery } : { ok: false, error: 'not_found' };
}

export interface ResendRange {
  /** All but delivered when left out. */
  readonly statuses?: readonly DeliveryStatus[] | undefined;
  /** All when left out. */
  readonly types?: readonly EventType[] | undefined;
  /** Deliveries that were created at this instant or later; from the first when left out. */
  readonly created_from?: string | undefined;
  /** The end of the range; never later than now. */
  readonly created_to?: string | undefined;
}

export interface BegunResend {
  readonly ok: true;
  readonly resend: Resend;
}

export interface RunningResend {
  readonly ok: false;
  readonly error: 'running';
  /** The one for which a new one has to wait. */
  readonly resend: Resend;
}

// The earliest and the latest instant that a request can name.
const FIRST = '0001-01-01T00:00:00.000000Z';
const LAST = '9999-12-31T23:59:59.999999Z';

/** Workers queue them page by page; the result says how far they have come. One at a time for an endpoint. */
export async function resendRange(
  db: Db,
  { user_id, environment }: EndpointOwner,
  endpoint_id: string,
  { statuses = UNDELIVERED, types = EVENT_TYPES, created_from, created_to }: ResendRange,
): Promise<BegunResend | RefusedResend | RunningResend> {
  const endpoint = await findWebhookEndpoint(db, user_id, environment, endpoint_id);
  if (!endpoint) return { ok: false, error: 'endpoint_not_found' };
  if (endpoint.status === 'disabled') return { ok: false, error: 'disabled' };
  const resend_id = await beginResend(db, {
    user_id,
    environment,
    endpoint_id: endpoint.id,
    statuses,
    types,
    created_from: created_from ?? FIRST,
    created_to: created_to ?? LAST,
  });
  if (resend_id === null) {
    const running = await findLastResend(db, user_id, environment, endpoint.id);
    return { ok: false, error: 'running', resend: running! };
  }
  const resend = await findResend(db, user_id, environment, resend_id);
  // Resends are never deleted.
  if (!resend) throw new Error(`the new resend ${resend_id} is missing`);
  return { ok: true, resend };
}
