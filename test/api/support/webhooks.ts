// Webhooks as a merchant handles them, each answer held against the contract.

import type { Route } from '../../../api/route';
import type { HttpResponse } from '../../support/http';
import type { TestService } from '../../support/service';
import { waitFor } from '../../support/wait';
import { ask } from './contract';

/** Who asks: with this key, at this service. */
export interface Merchant {
  readonly service: TestService;
  readonly key: string;
}

export interface MadeEndpoint {
  readonly id: string;
  readonly secret: string;
}

export const SOME_URL = 'https://shop.example.com/webhooks';

export function call(
  { service, key }: Merchant,
  method: Route['method'],
  path: string,
  body?: unknown,
): Promise<HttpResponse> {
  return ask(service, method, path, { key, body, headers: { 'x-request-id': 'same' } });
}

/** What matters of an answer: all but its moment. */
export function essence({ status, text, headers }: HttpResponse) {
  return { status, text, names: Object.keys(headers).sort() };
}

export function postEndpoint(
  merchant: Merchant,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<HttpResponse> {
  return call(merchant, 'POST', '/webhook-endpoints', { url: SOME_URL, ...fields });
}

export async function makeEndpoint(
  merchant: Merchant,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<MadeEndpoint> {
  const { status, json } = await postEndpoint(merchant, fields);
  expect(status).toBe(201);
  return json;
}

export async function getEndpoint(merchant: Merchant, id: string): Promise<HttpResponse['json']> {
  return (await call(merchant, 'GET', `/webhook-endpoints/${id}`)).json;
}

export function patchEndpoint(
  merchant: Merchant,
  id: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<HttpResponse> {
  return call(merchant, 'PATCH', `/webhook-endpoints/${id}`, changes);
}

/** `query` with its question mark, or nothing. */
export async function listDeliveries(
  merchant: Merchant,
  query = '',
): Promise<HttpResponse['json'][]> {
  const { json } = await call(merchant, 'GET', `/webhook-deliveries${query}`);
  return json.webhook_deliveries;
}

/** The one delivery of an event to an endpoint, once it has this status. */
export function untilDelivery(
  merchant: Merchant,
  { event_id, endpoint_id }: { readonly event_id: string; readonly endpoint_id: string },
  status: string,
): Promise<HttpResponse['json']> {
  return waitFor(async () => {
    const query = `?event_id=${event_id}&endpoint_id=${endpoint_id}`;
    const [delivery] = await listDeliveries(merchant, query);
    return delivery?.status === status && delivery;
  });
}

export async function listAttempts(
  merchant: Merchant,
  id: string,
): Promise<HttpResponse['json'][]> {
  const { json } = await call(merchant, 'GET', `/webhook-deliveries/${id}/attempts`);
  return json.attempts;
}
