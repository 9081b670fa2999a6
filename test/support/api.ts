// The API of tests: the real service with the sandbox gateway beside it, and a merchant with keys.
// Notifications come from the gateway when a customer acts on its pages, or by hand, signed as the
// gateway signs.

import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/load';
import type { Environment } from '../../domain/environment';
import { createTestDatabase, type TestDatabase } from './database';
import { insist, request, type HttpResponse } from './http';
import { deliverSigned, notificationOf, type Fields } from './notifications';
import { buildApiKey, buildUser, type TestUser } from './users';
import { pickTestPort } from './ports';
import {
  GATEWAY_SECRETS,
  startTestGateway,
  type RunningGateway,
  type TestGatewayOptions,
} from './sandbox-gateway';
import { startTestService, type TestService } from './service';

export interface TestApi {
  readonly database: TestDatabase;
  readonly service: TestService;
  readonly gateway: RunningGateway;
  readonly merchant: TestUser;
  readonly live_key: string;
  readonly test_key: string;
  readonly notification_url: string;
  /** POST /payment-intents: 5000 XOF in the sandbox unless the fields say otherwise. */
  create(
    fields?: Readonly<Record<string, unknown>>,
    options?: { readonly key?: string; readonly idempotency_key?: string },
  ): Promise<HttpResponse>;
  /** GET /payment-intents/{id_or_code}. */
  show(id_or_code: string, key?: string): Promise<HttpResponse>;
  cancel(id_or_code: string, key?: string): Promise<HttpResponse>;
  /** A second process of the same installation, with other settings where they are given. */
  beside(overrides?: Partial<Config>): Promise<TestService>;
  /** A notification by hand, about an intent as it was created. */
  notify(
    intent: HttpResponse['json'],
    fields?: Readonly<Record<string, unknown>>,
  ): Promise<HttpResponse>;
}

/** Creates an intent, and asks again with the same key while the machine is too busy. */
export function createSurely(
  { create }: Pick<TestApi, 'create'>,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<HttpResponse> {
  const idempotency_key = randomUUID();
  return insist(() => create(fields, { idempotency_key }));
}

export interface TestApiOptions {
  readonly database?: TestDatabase;
  readonly overrides?: Partial<Config>;
  readonly gateway?: Partial<TestGatewayOptions>;
  /** Whether the service also delivers webhooks. */
  readonly webhooks?: boolean;
}

const UNLIMITED = { requests_per_minute: 1_000_000, writes_per_minute: 1_000_000 };

export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const database = options.database ?? (await createTestDatabase());
  const port = await pickTestPort();
  const origin = `http://127.0.0.1:${port}`;
  const notification_url = `${origin}/internal/gateway/notifications`;
  const gateway = await startTestGateway({ notification_url, ...options.gateway });
  const service = await startTestService({
    database,
    webhooks: options.webhooks ?? false,
    overrides: {
      port,
      public_url: origin,
      pay_url_base: origin,
      gateway: gatewayConfig(gateway),
      ...options.overrides,
    },
  });
  const merchant = await buildUser(database.db);
  const keyOf = async (environment: Environment): Promise<string> =>
    (await buildApiKey(database.db, { user: merchant, environment, ...UNLIMITED })).key;
  const [live_key, test_key] = [await keyOf('live'), await keyOf('sandbox')];
  return {
    database,
    service,
    gateway,
    merchant,
    live_key,
    test_key,
    notification_url,
    create: (fields = {}, { key = test_key, idempotency_key = randomUUID() } = {}) =>
      request(service, 'POST', '/payment-intents', {
        key,
        idempotency_key,
        body: { amount: 5000, currency: 'XOF', ...fields },
      }),
    show: (id_or_code, key = test_key) =>
      request(service, 'GET', `/payment-intents/${id_or_code}`, { key }),
    cancel: (id_or_code, key = test_key) =>
      request(service, 'POST', `/payment-intents/${id_or_code}/cancel`, { key }),
    beside: (overrides = {}) => {
      const { task_queue, gateway: same_gateway, pay_url_base } = service.config;
      const same = { task_queue, gateway: same_gateway, pay_url_base };
      return startTestService({ database, overrides: { ...same, ...overrides } });
    },
    notify: (intent, fields = {}) => sendNotification(notification_url, intent, fields),
  };
}

export function gatewayConfig({ url }: { readonly url: string }): Config['gateway'] {
  return {
    notification_path: '/internal/gateway/notifications',
    timeout_ms: 5_000,
    chosen: { live: undefined, sandbox: undefined },
    simulator: { url, secrets: GATEWAY_SECRETS },
    simulator_process: {
      host: '127.0.0.1',
      port: 0,
      file: '',
      public_url: undefined,
      notification_url: '',
    },
    stripe: undefined,
    pawapay: undefined,
    modules: { paths: [], env: {} },
  };
}

/** Signed by the gateway of the intent's environment, also when the fields name another. */
export function sendNotification(
  notification_url: string,
  intent: HttpResponse['json'],
  fields: Fields = {},
): Promise<HttpResponse> {
  const body = JSON.stringify(notificationOf(intent, fields));
  return deliverSigned({ notification_url }, body, intent.environment);
}
