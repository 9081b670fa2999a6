// Disputes of paid links, through the sandbox gateway.

import type { DisputeCourse } from '../../../dev/simulators/gateway/courses';
import type { TestApi } from '../../support/api';
import type { HttpResponse } from '../../support/http';
import { waitFor } from '../../support/wait';
import { callApi } from './contract';

export interface DisputeOptions {
  readonly key?: string;
  /** `open` when left out. */
  readonly course?: DisputeCourse;
  /** Minor units, of a part. */
  readonly amount_minor?: string;
}

/** The customer's bank does it; the dispute as the API shows it then. */
export async function disputePayment(
  api: TestApi,
  payment_intent_id: string,
  { key = api.test_key, course = 'open', amount_minor }: DisputeOptions = {},
): Promise<HttpResponse['json']> {
  const before = await listDisputes(api, payment_intent_id, key);
  await act(api, payment_intent_id, { key, course, ...(amount_minor && { amount_minor }) });
  return waitFor(async () => {
    const now = await listDisputes(api, payment_intent_id, key);
    const isDone = course === 'open' ? now.length > before.length : now[0].status === course;
    return isDone && now[0];
  });
}

/** The bank does it; what comes of it is not waited for. */
export async function act(
  api: TestApi,
  payment_intent_id: string,
  { key = api.test_key, course = 'open', amount_minor }: DisputeOptions,
): Promise<void> {
  const { json } = await api.show(payment_intent_id, key);
  const answer = await fetch(`${json.checkout_url}/dispute`, {
    method: 'POST',
    body: new URLSearchParams({ course, ...(amount_minor && { amount_minor }) }),
    redirect: 'manual',
  });
  if (answer.status !== 303) throw new Error(`the bank's ${course} is refused: ${answer.status}`);
}

export async function listDisputes(
  { service, test_key }: TestApi,
  payment_intent_id: string,
  key = test_key,
): Promise<HttpResponse['json']> {
  const path = `/disputes?payment_intent_id=${payment_intent_id}`;
  return (await callApi(service, 'GET', path, { key })).json.disputes;
}
