// Creates, changes and deletes webhook endpoints, rotates their secrets and sends test events.

import { randomUUID } from 'node:crypto';
import { changeWithAudit, type AuditEntry } from '../db/operators/audit';
import type { Db } from '../db/connect';
import { addTestEvent, renderSampleEvent } from '../db/webhooks/events';
import {
  createWebhookEndpoint,
  findWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
  type EndpointChanges,
  type EndpointView,
} from '../db/webhooks/webhook-endpoints';
import type { Environment } from '../domain/environment';
import { PAYMENT_EVENT_TYPES, type EventType } from '../domain/event';
import { instantOf, sampleFacts } from '../domain/sample-intent';
import { MAX_ENDPOINTS } from '../domain/webhook';
import type { Sealer } from '../secrets/seal';
import { makeWebhookSecret } from '../secrets/webhook-secret';
import {
  checkWebhookUrl,
  type UrlFault,
  type WebhookUrlPolicy,
  type WrongUrl,
} from '../webhooks/url';

export interface EndpointDependencies {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly policy: WebhookUrlPolicy;
  /** The author in the audit log when an operator does it; undefined when the merchant does. */
  readonly audit?: Audit | undefined;
}

/** The subject is the endpoint. */
export type Audit = Omit<AuditEntry, 'subject'>;

function entryFor(audit: Audit | undefined, endpoint_id: string): AuditEntry | undefined {
  return audit && { ...audit, subject: `webhook_endpoint/${endpoint_id}` };
}

export interface EndpointOwner {
  readonly user_id: string;
  readonly environment: Environment;
}

export interface EndpointFields {
  readonly url: string;
  /** All types when left out. */
  readonly types?: readonly EventType[] | undefined;
  readonly description?: string | null | undefined;
  readonly max_per_second?: number | null | undefined;
}

/** `fault` is one sentence for the person who gave the URL. */
export interface RefusedUrl {
  readonly ok: false;
  readonly error: 'invalid_url';
  readonly reason: UrlFault;
  readonly fault: string;
}

export interface Refused<Code extends 'limit' | 'not_found' | 'disabled'> {
  readonly ok: false;
  readonly error: Code;
}

function refusedUrl({ reason, fault }: WrongUrl): RefusedUrl {
  return { ok: false, error: 'invalid_url', reason, fault };
}

const NOT_FOUND = { ok: false, error: 'not_found' } as const;

/** The secret is returned here and never again. */
export interface CreatedEndpoint {
  readonly ok: true;
  readonly endpoint: EndpointView;
  readonly secret: string;
}

export async function createEndpoint(
  { db, sealer, policy, audit }: EndpointDependencies,
  owner: EndpointOwner,
  { url, types = PAYMENT_EVENT_TYPES, description = null, max_per_second = null }: EndpointFields,
): Promise<CreatedEndpoint | RefusedUrl | Refused<'limit'>> {
  const checked = checkWebhookUrl(url, policy);
  if (!checked.ok) return refusedUrl(checked);
  const id = randomUUID();
  const secret = makeWebhookSecret();
  const endpoint = { id, ...owner, url: checked.url, types, description, max_per_second };
  // Sealed with the endpoint's id, so that it cannot be moved to another endpoint.
  const sealed = sealer.seal(secret, id);
  const isCreated = await changeWithAudit(
    db,
    entryFor(audit, id),
    (tx) => createWebhookEndpoint(tx, endpoint, sealed, MAX_ENDPOINTS),
    (created) => created,
  );
  if (!isCreated) return { ok: false, error: 'limit' };
  const view = await findWebhookEndpoint(db, owner.user_id, owner.environment, id);
  // No other request knows the id yet, so none can have deleted it.
  if (!view) throw new Error(`the new webhook endpoint ${id} is missing`);
  return { ok: true, endpoint: view, secret };
}

export interface ChangedEndpoint {
  readonly ok: true;
  readonly endpoint: EndpointView;
}

/** Enabling releases the held deliveries, each with its whole retry schedule. */
export async function changeEndpoint(
  { db, policy, audit }: Pick<EndpointDependencies, 'db' | 'policy' | 'audit'>,
  owner: EndpointOwner,
  id: string,
  changes: Omit<EndpointChanges, 'status'> & { readonly status?: EndpointView['status'] },
): Promise<ChangedEndpoint | RefusedUrl | Refused<'not_found'>> {
  const { user_id, environment } = owner;
  if (!(await findWebhookEndpoint(db, user_id, environment, id))) return NOT_FOUND;
  let { url } = changes;
  if (url !== undefined) {
    const checked = checkWebhookUrl(url, policy);
    if (!checked.ok) return refusedUrl(checked);
    ({ url } = checked);
  }
  await changeWithAudit(db, entryFor(audit, id), (tx) =>
    updateWebhookEndpoint(tx, id, { ...changes, url }),
  );
  const endpoint = await findWebhookEndpoint(db, user_id, environment, id);
  return endpoint ? { ok: true, endpoint } : NOT_FOUND;
}

export interface DeletedEndpoint {
  readonly ok: true;
  readonly id: string;
}

/** Discards its pending deliveries. Finished ones stay in the lists. */
export async function deleteEndpoint(
  { db, audit }: Pick<EndpointDependencies, 'db' | 'audit'>,
  { user_id, environment }: EndpointOwner,
  id: string,
): Promise<DeletedEndpoint | Refused<'not_found'>> {
  const view = await findWebhookEndpoint(db, user_id, environment, id);
  if (!view) return NOT_FOUND;
  const is_there = await changeWithAudit(
    db,
    entryFor(audit, view.id),
    (tx) => updateWebhookEndpoint(tx, view.id, { status: 'deleted' }),
    (found) => found,
  );
  return is_there ? { ok: true, id: view.id } : NOT_FOUND;
}

/** A day, so that the merchant can give the new secret to all receivers. */
export const DEFAULT_OVERLAP_SECONDS = 86_400;
export const MAX_OVERLAP_SECONDS = 604_800;

export interface RotatedSecret {
  readonly ok: true;
  readonly id: string;
  /** Returned here and never again. */
  readonly secret: string;
  /** Both secrets sign until then; null without an overlap. */
  readonly previous_secret_until: string | null;
}

export async function rotateSecret(
  { db, sealer, audit }: Pick<EndpointDependencies, 'db' | 'sealer' | 'audit'>,
  { user_id, environment }: EndpointOwner,
  id: string,
  overlap_seconds: number = DEFAULT_OVERLAP_SECONDS,
): Promise<RotatedSecret | Refused<'not_found'>> {
  const view = await findWebhookEndpoint(db, user_id, environment, id);
  if (!view) return NOT_FOUND;
  const secret = makeWebhookSecret();
  const sealed = sealer.seal(secret, view.id);
  const until = await changeWithAudit(
    db,
    entryFor(audit, view.id),
    (tx) => rotateWebhookSecret(tx, view.id, sealed, overlap_seconds),
    (result) => result !== undefined,
  );
  if (until === undefined) return NOT_FOUND;
  const previous_secret_until = overlap_seconds > 0 ? until : null;
  return { ok: true, id: view.id, secret, previous_secret_until };
}

export interface SentTestEvent {
  readonly ok: true;
  readonly event_id: string;
  readonly delivery_id: string;
}

/**
 * Sends a sample event of this type to this endpoint alone, even if the endpoint has not subscribed
 * to the type. It has no number in the sequence of events, and says `"test": true`.
 */
export async function sendTestEvent(
  {
    db,
    pay_url_base,
    audit,
  }: Pick<EndpointDependencies, 'db' | 'audit'> & { readonly pay_url_base: string },
  { user_id, environment }: EndpointOwner,
  id: string,
  type: EventType = 'payment.succeeded',
): Promise<SentTestEvent | Refused<'not_found' | 'disabled'>> {
  const view = await findWebhookEndpoint(db, user_id, environment, id);
  if (!view) return NOT_FOUND;
  if (view.status === 'disabled') return { ok: false, error: 'disabled' };
  const event_id = randomUUID();
  const now_ms = Date.now();
  const body = await renderSampleEvent(db, {
    id: event_id,
    type,
    environment,
    created_at: instantOf(now_ms),
    facts: sampleFacts({ type, environment, now_ms, pay_url_base }),
    pay_url_base,
  });
  const delivery_id = await changeWithAudit(db, entryFor(audit, view.id), (tx) =>
    addTestEvent(tx, view.id, event_id, type, body),
  );
  return { ok: true, event_id, delivery_id };
}
