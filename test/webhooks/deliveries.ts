// A fixture for tests of deliveries: a merchant, endpoints, and workers that deliver. Rows and workers
// are the real ones, and so is the HTTP.

import { startWebhookWorker } from '../../bin/webhook-worker';
import { loadConfig, type Config } from '../../config/load';
import { createMetrics } from '../../telemetry/metrics';
import type { DeliveryRunDependencies } from '../../webhooks/delivery/delivery-run';
import { createLeases } from '../../webhooks/delivery/leases';
import { DELIVERY_PACE, type DeliverySettings } from '../../webhooks/delivery/settings';
import { createWebhookSender, type WebhookSender } from '../../webhooks/send';
import { closeAfterFile } from '../support/cleanup';
import { connectAgain, createTestDatabase, type TestDatabase } from '../support/database';
import { buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import {
  addEvents,
  createTestEndpoint,
  testSealer,
  type TestEndpoint,
  type TestEndpointOptions,
} from '../support/webhooks';

export interface WebhookFixture {
  readonly database: TestDatabase;
  readonly merchant: TestUser;
  readonly createEndpoint: (
    url: string,
    options?: Partial<TestEndpointOptions>,
  ) => Promise<TestEndpoint>;
  /** Commits, as the end of an intent does. Returns the events' ids. */
  readonly publish: (endpoints: readonly TestEndpoint[], count?: number) => Promise<string[]>;
}

/** Has no worker: nothing is delivered yet. */
export async function buildFixture(): Promise<WebhookFixture> {
  const database = await createTestDatabase();
  const merchant = await buildUser(database.db);
  return {
    database,
    merchant,
    createEndpoint: (url, options) =>
      createTestEndpoint(database, { user_id: merchant.id, url, ...options }),
    publish: (endpoints, count) => addEvents(database, endpoints, count),
  };
}

const ADDRESSES = ['127.0.0.1'];

export interface TestDeliveryOptions {
  readonly webhooks?: Partial<Config['webhooks']>;
  readonly pace?: Partial<DeliverySettings['pace']>;
  /** Whether commits can notify it. */
  readonly is_listening?: boolean;
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
}

/** The webhook worker of a process of the service, with its own pace. */
export function startTestDeliveries(
  { database }: Pick<WebhookFixture, 'database'>,
  { webhooks, pace, is_listening = true, log = () => undefined }: TestDeliveryOptions = {},
): ReturnType<typeof startWebhookWorker> {
  const { app_url } = database;
  const standard = loadConfig(is_listening ? { DATABASE_URL: app_url } : {});
  const fast = { retry_seconds: Array<number>(9).fill(0.1), timeout_ms: 5_000, concurrency: 16 };
  const worker = startWebhookWorker(
    {
      db: connectAgain(database),
      config: { ...standard, webhooks: { ...standard.webhooks, ...fast, ...webhooks } },
      sealer: testSealer,
      webhook_policy: { allowed_addresses: ADDRESSES, ports: [443], own_hosts: [] },
      metrics: createMetrics(),
      log,
    },
    { ...DELIVERY_PACE, ...pace },
  );
  closeAfterFile(() => worker.stop());
  return worker;
}

/** For a run that only the test begins. */
export function runDependencies(
  { database: { db } }: Pick<WebhookFixture, 'database'>,
  deliveries: DeliverySettings,
): DeliveryRunDependencies {
  return {
    db,
    deliveries,
    sender: openSender(),
    sealer: testSealer,
    clock: { now: () => Date.now() },
    metrics: createMetrics(),
    leases: createLeases(db, deliveries.pace.lease_ms),
  };
}

function openSender(): WebhookSender {
  const sender = createWebhookSender({
    policy: { allowed_addresses: ADDRESSES, ports: [443], own_hosts: [] },
    max_per_origin: 64,
    max_per_account: 64,
    deadline_ms: 5_000,
  });
  closeAfterFile(() => sender.close());
  return sender;
}

export function deliverySettings(
  deliveries: Partial<Omit<DeliverySettings, 'pace'>> = {},
  pace: Partial<DeliverySettings['pace']> = {},
): DeliverySettings {
  return {
    retry_seconds: Array<number>(9).fill(0.1),
    timeout_ms: 5_000,
    concurrency: 16,
    disable_after_seconds: 432_000,
    ...deliveries,
    pace: { ...DELIVERY_PACE, ...pace },
  };
}

export interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly tries: number;
  readonly is_resend: boolean;
  /** Counts from now; null when none is planned. */
  readonly next_in_seconds: number | null;
}

/** Returns them in the order in which they were added. */
export async function deliveriesTo(
  { database: { owner } }: Pick<WebhookFixture, 'database'>,
  { id }: Pick<TestEndpoint, 'id'>,
): Promise<DeliveryRow[]> {
  const { rows } = await owner.raw(
    `select id, event_id, status, attempts, tries, is_resend,
            extract(epoch from next_attempt_at - clock_timestamp())::float8 as next_in_seconds
       from webhook_deliveries where endpoint_id = ? order by created_at`,
    [id],
  );
  return rows as DeliveryRow[];
}

/** How many deliveries there are of each status. */
export async function statusesAt(
  { database: { owner } }: Pick<WebhookFixture, 'database'>,
  { id }: Pick<TestEndpoint, 'id'>,
): Promise<Record<string, number>> {
  const { rows } = await owner.raw(
    'select status, count(*)::int from webhook_deliveries where endpoint_id = ? group by status',
    [id],
  );
  const counts = rows as readonly { readonly status: string; readonly count: number }[];
  return Object.fromEntries(counts.map(({ status, count }) => [status, count]));
}

/** Waits until all deliveries have this status. */
export async function untilAll(
  fixture: Pick<WebhookFixture, 'database'>,
  endpoint: Pick<TestEndpoint, 'id'>,
  status: string,
): Promise<void> {
  let last: Record<string, number> = {};
  try {
    await waitFor(async () => {
      last = await statusesAt(fixture, endpoint);
      return Object.keys(last).join(',') === status;
    });
  } catch {
    throw new Error(`not all ${status} but ${JSON.stringify(last)}`);
  }
}

export interface AttemptRow {
  readonly number: number;
  readonly trigger: string;
  readonly url: string;
  /** Epoch, ms. */
  readonly started: number;
  readonly duration_ms: number;
  readonly outcome: string;
  readonly status: number | null;
  readonly response_body: string | null;
  readonly response_truncated: boolean;
  readonly retry_after_seconds: number | null;
}

export async function attemptsOf(
  { database: { owner } }: Pick<WebhookFixture, 'database'>,
  delivery_id: string,
): Promise<AttemptRow[]> {
  const { rows } = await owner.raw(
    `select number, trigger, url, (extract(epoch from started_at) * 1000)::float8 as started,
            duration_ms, outcome, status, response_body, response_truncated, retry_after_seconds
       from webhook_attempts where delivery_id = ? order by number`,
    [delivery_id],
  );
  return rows as AttemptRow[];
}

export interface EndpointRow {
  readonly status: string;
  readonly disabled_reason: string | null;
  readonly consecutive_failures: number;
  readonly failing_since: string | null;
  readonly last_failure: unknown;
  readonly paused_seconds: number | null;
  /** Null without a delivery run. */
  readonly leased_until: string | null;
}

export async function endpointRow(
  { database: { owner } }: Pick<WebhookFixture, 'database'>,
  { id }: Pick<TestEndpoint, 'id'>,
): Promise<EndpointRow> {
  const { rows } = await owner.raw(
    `select w.status, w.disabled_reason, w.consecutive_failures, w.failing_since, w.last_failure,
            extract(epoch from w.paused_until - clock_timestamp())::float8 as paused_seconds,
            l.leased_until
       from webhook_endpoints w left join webhook_leases l on l.endpoint_id = w.id
      where w.id = ?`,
    [id],
  );
  return (rows as EndpointRow[])[0]!;
}

/** Waits until nothing is delivered to it. */
export async function untilNoRun(
  fixture: Pick<WebhookFixture, 'database'>,
  endpoint: Pick<TestEndpoint, 'id'>,
): Promise<void> {
  await waitFor(async () => (await endpointRow(fixture, endpoint)).leased_until === null);
}
