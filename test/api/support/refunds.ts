// Paid links and their refunds, through the API and the sandbox gateway.

import { randomUUID } from 'node:crypto';
import type { RefundCourse } from '../../../dev/simulators/gateway/courses';
import type { TestApi } from '../../support/api';
import { actAt } from '../../support/sandbox-gateway';
import type { HttpResponse, RequestOptions } from '../../support/http';
import { waitFor } from '../../support/wait';
import { callApi } from './contract';
import { waitForStatus } from './intents';

/** A link of 5000 XOF that a customer has paid, unless the fields say otherwise. */
export async function payLink(
  api: TestApi,
  {
    key = api.test_key,
    refunds,
    delay_ms = 200,
    ...fields
  }: {
    readonly key?: string;
    /** How refunds of it go; at once when left out. */
    readonly refunds?: RefundCourse;
    readonly delay_ms?: number;
    readonly [field: string]: unknown;
  } = {},
): Promise<HttpResponse['json']> {
  const { json: intent } = await api.create(fields, { key });
  await actAt(intent.checkout_url, 'pay', { delay_ms, ...(refunds ? { refunds } : {}) });
  return waitForStatus(api, intent, 'succeeded', key);
}

/** Uses the test key and a fresh Idempotency-Key unless the options say otherwise. */
export function postRefund(
  { service, test_key }: Pick<TestApi, 'service' | 'test_key'>,
  link: string,
  body?: unknown,
  options: RequestOptions = {},
): Promise<HttpResponse> {
  return callApi(service, 'POST', `/payment-intents/${link}/refunds`, {
    key: test_key,
    idempotency_key: randomUUID(),
    ...(body === undefined ? {} : { body }),
    ...options,
  });
}

export function getRefund(
  { service, test_key }: Pick<TestApi, 'service' | 'test_key'>,
  id: string,
  key = test_key,
): Promise<HttpResponse> {
  return callApi(service, 'GET', `/refunds/${id}`, { key });
}

export function untilRefund(
  api: TestApi,
  { id }: HttpResponse['json'],
  status: string,
  key = api.test_key,
): Promise<HttpResponse['json']> {
  return waitFor(async () => {
    const { json } = await getRefund(api, id, key);
    return json.status === status && json;
  });
}
