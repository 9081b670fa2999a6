// A merchant's calls for payment intents, each response checked against the contract.

import { randomUUID } from 'node:crypto';
import type { Session } from '../../../dev/simulators/gateway/records';
import type { TestDatabase } from '../../support/database';
import type { HttpResponse, RequestOptions } from '../../support/http';
import type { TestApi } from '../../support/api';
import { recordsIn } from '../../support/sandbox-gateway';
import { waitFor } from '../../support/wait';
import { callApi, refusal } from './contract';

type Caller = Pick<TestApi, 'service' | 'test_key'>;

/** 5000 XOF by default; `amount` is the source text in the body. */
export function intentBody(
  amount = '5000',
  fields: Readonly<Record<string, unknown>> = {},
): string {
  const rest = JSON.stringify({ currency: 'XOF', ...fields });
  return `{"amount":${amount},${rest.slice(1)}`;
}

/** Uses the test key and a fresh Idempotency-Key unless the options say otherwise. */
export function postIntent(
  { service, test_key }: Caller,
  body: unknown,
  options: RequestOptions = {},
): Promise<HttpResponse> {
  const idempotency_key = randomUUID();
  return callApi(service, 'POST', '/payment-intents', {
    key: test_key,
    idempotency_key,
    body,
    ...options,
  });
}

export function getIntent({ service, test_key }: Caller, name: string, key = test_key) {
  return callApi(service, 'GET', `/payment-intents/${name}`, { key });
}

export function postCancel({ service, test_key }: Caller, name: string, key = test_key) {
  return callApi(service, 'POST', `/payment-intents/${name}/cancel`, { key });
}

export function getTimeline({ service, test_key }: Caller, name: string, key = test_key) {
  return callApi(service, 'GET', `/payment-intents/${name}/timeline`, { key });
}

/** `query` is empty or begins with a question mark. */
export function listIntents({ service, test_key }: Caller, query = '', key = test_key) {
  return callApi(service, 'GET', `/payment-intents${query}`, { key });
}

export function waitForStatus(
  api: Caller,
  { id }: { readonly id: string },
  status: string,
  key = api.test_key,
): Promise<HttpResponse['json']> {
  return waitFor(async () => {
    const { json } = await getIntent(api, id, key);
    return json.status === status && json;
  });
}

/** Rows of any state, those that the API does not show included. */
export async function countRows({ owner }: Pick<TestDatabase, 'owner'>): Promise<number> {
  const { rows } = await owner.raw('select count(*)::int as count from payment_intents');
  return rows[0].count;
}

/** True for the stored response of an earlier request. */
export function isReplay({ headers }: Pick<HttpResponse, 'headers'>): boolean {
  return headers['idempotent-replayed'] === 'true';
}

/** Every checkout that was ever opened, in order. */
export function readCheckouts({ gateway }: Pick<TestApi, 'gateway'>): Session[] {
  return recordsIn(gateway.file, 'session');
}

/** Created, and shown alike by the creation, by id and by short code. */
export async function expectCreated(
  api: Caller,
  sending: Promise<HttpResponse>,
): Promise<HttpResponse['json']> {
  const response = await sending;
  expect([response.status, response.text]).toEqual([201, expect.any(String)]);
  const { id, short_code } = response.json;
  expect((await getIntent(api, id)).text).toBe(response.text);
  expect((await getIntent(api, short_code)).text).toBe(response.text);
  return response.json;
}

/** Refused without a trace: no row, no checkout. */
export async function expectRefused(
  api: TestApi,
  send: () => Promise<HttpResponse>,
  param?: string,
): Promise<HttpResponse> {
  const [before, checkouts] = [await countRows(api.database), readCheckouts(api)];
  const response = await send();
  expect(response).toMatchObject(refusal('invalid_request', param));
  expect(await countRows(api.database)).toBe(before);
  expect(readCheckouts(api)).toEqual(checkouts);
  return response;
}
