// A merchant's calls for webhooks, each response checked against the contract.

import type { Route } from '../../../api/route';
import type { HttpResponse } from '../../support/http';
import type { TestService } from '../../support/service';
import { waitFor } from '../../support/wait';
import { callApi } from './contract';

/** Calls this service with this key. */
export interface Merchant {
  readonly service: TestService;
  readonly key: string;
}

export interface CreatedEndpoint {
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
  return callApi(service, method, path, { key, body, headers: { 'x-request-id': 'same' } });
}

/** Two responses must be equal in all of this, which is everything except their time. */
export function essence({ status, text, headers }: HttpResponse) {
  return { status, text, names: Object.keys(headers).sort() };
}

export function postEndpoint(
  merchant: Merchant,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<HttpResponse> {
  return call(merchant, 'POST', '/webhook-endpoints', { url: SOME_URL, ...fields });
}

export async function createEndpoint(
  merchant: Merchant,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<CreatedEndpoint> {
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

/** `query` is empty or begins with a question mark. */
export async function listDeliveries(
  merchant: Merchant,
  query = '',
): Promise<HttpResponse['json'][]> {
  const { json } = await call(merchant, 'GET', `/webhook-deliveries${query}`);
  return json.webhook_deliveries;
}

/** The one delivery of an event to an endpoint, once it has this status. */
export function waitForDelivery(
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
