// Payment intents as a merchant handles them, each answer held against the contract.

import { randomUUID } from 'node:crypto';
import type { Environment } from '../../../domain/environment';
import type { TestDatabase } from '../../support/database';
import type { Answer, RequestOptions } from '../../support/http';
import { callGateway, type TestGateway } from '../../support/sandbox-gateway';
import type { Shop } from '../../support/shop';
import { waitFor } from '../../support/wait';
import { ask } from './contract';

type Caller = Pick<Shop, 'service' | 'test_key'>;

/** 5000 XOF; `amount` is its source text, as it stands in the body. */
export function intentBody(
  amount = '5000',
  fields: Readonly<Record<string, unknown>> = {},
): string {
  const rest = JSON.stringify({ currency: 'XOF', ...fields });
  return `{"amount":${amount},${rest.slice(1)}`;
}

/** With the test key and a fresh Idempotency-Key unless the options say otherwise. */
export function postIntent(
  { service, test_key }: Caller,
  body: unknown,
  options: RequestOptions = {},
): Promise<Answer> {
  const idempotency_key = randomUUID();
  return ask(service, 'POST', '/payment-intents', {
    key: test_key,
    idempotency_key,
    body,
    ...options,
  });
}

export function getIntent({ service, test_key }: Caller, name: string, key = test_key) {
  return ask(service, 'GET', `/payment-intents/${name}`, { key });
}

export function postCancel({ service, test_key }: Caller, name: string, key = test_key) {
  return ask(service, 'POST', `/payment-intents/${name}/cancel`, { key });
}

export function getTimeline({ service, test_key }: Caller, name: string, key = test_key) {
  return ask(service, 'GET', `/payment-intents/${name}/timeline`, { key });
}

/** `query` with its question mark, or nothing. */
export function listIntents({ service, test_key }: Caller, query = '', key = test_key) {
  return ask(service, 'GET', `/payment-intents${query}`, { key });
}

export function untilStatus(
  shop: Caller,
  { id }: { readonly id: string },
  status: string,
  key = shop.test_key,
): Promise<Answer['json']> {
  return waitFor(async () => {
    const { json } = await getIntent(shop, id, key);
    return json.status === status && json;
  });
}

/** Rows of any state, those that nobody is shown included. */
export async function countRows({ owner }: Pick<TestDatabase, 'owner'>): Promise<number> {
  const { rows } = await owner.raw('select count(*)::int as count from payment_intents');
  return rows[0].count;
}

/** Whether an answer is that of an earlier request. */
export function isReplay({ headers }: Pick<Answer, 'headers'>): boolean {
  return headers['idempotent-replayed'] === 'true';
}

/** The journal of the gateway knows each checkout that was ever opened. */
export async function findSession(
  gateway: TestGateway,
  environment: Environment,
  session_id: string,
): Promise<Answer['json']> {
  const answer = await callGateway(gateway, environment, 'GET', `/checkouts/${session_id}`);
  return answer.json();
}
