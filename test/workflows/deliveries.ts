// A fixture for tests of deliveries: a merchant, endpoints, and workers that deliver. Rows,
// workflow and activities are the real ones, and so is the HTTP.

import { randomBytes } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createMetrics } from '../../telemetry/metrics';
import { DELIVERY_PACE, type DeliverySettings } from '../../activities/webhooks/settings';
import { createActiveRuns } from '../../activities/webhooks/active-runs';
import { createEndpointWaker, type EndpointWaker } from '../../temporal/webhook-endpoints';
import { createWebhookActivities } from '../../activities/webhooks/index';
import { createLeases } from '../../activities/webhooks/leases';
import { loadConfig, type Config } from '../../config/load';
import { listen } from '../../db/listen';
import { DELIVERIES_CHANNEL } from '../../db/webhooks/webhook-delivery-runs';
import { webhookTaskQueue, webhookWorkflowId } from '../../domain/ids';
import type { webhookEndpoint } from '../../workflows/webhook-endpoint';
import { createWebhookSender, type WebhookSender } from '../../webhooks/send';
import { closeAfterFile } from '../support/cleanup';
import { connectAgain, createTestDatabase, type TestDatabase } from '../support/database';
import { buildUser, type TestUser } from '../support/users';
import { startTestService } from '../support/service';
import { connectTestTemporal, startTestWorker, type TestWorker } from '../support/temporal';
import { waitFor } from '../support/wait';
import {
  addEvents,
  createTestEndpoint,
  testSealer,
  type TestEndpoint,
  type TestEndpointOptions,
} from '../support/webhooks';

// Lines of each worker's start and end are left out.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'error' } },
});

export interface WebhookFixture {
  readonly database: TestDatabase;
  readonly temporal: Client;
  readonly merchant: TestUser;
  /** Belongs to the payment workers. */
  readonly task_queue: string;
  readonly waker: EndpointWaker;
  readonly createEndpoint: (
    url: string,
    options?: Partial<TestEndpointOptions>,
  ) => Promise<TestEndpoint>;
  /** Commits, then wakes the workflows, as the end of an intent does. Returns the events' ids. */
  readonly publish: (endpoints: readonly TestEndpoint[], count?: number) => Promise<string[]>;
}

/** Has no worker: nothing is delivered yet. */
export async function buildFixture(): Promise<WebhookFixture> {
  const database = await createTestDatabase();
  const temporal = await connectTestTemporal();
  const merchant = await buildUser(database.db);
  const task_queue = `test-${randomBytes(8).toString('hex')}`;
  const failures: unknown[] = [];
  const waker = createEndpointWaker({
    temporal,
    task_queue,
    onError: (_id, error) => failures.push(error),
  });
  closeAfterFile(async () => {
    await waker.flush();
    expect(failures).toEqual([]);
  });
  return {
    database,
    temporal,
    merchant,
    task_queue,
    waker,
    createEndpoint: (url, options) =>
      createTestEndpoint(database, { user_id: merchant.id, url, ...options }),
    async publish(endpoints, count) {
      const { ids, wake } = await addEvents(database, endpoints, count);
      waker.wake(wake);
      await waker.flush();
      return [...ids];
    },
  };
}

/** Runs a whole service, but no sweeper, which would deliver what a test wants to find lost. */
export async function startWebhookService(
  webhooks: Partial<Config['webhooks']> = {},
): Promise<WebhookFixture> {
  const fixture = await buildFixture();
  const { database, task_queue } = fixture;
  const standard = loadConfig({ WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1' }).webhooks;
  const config = { ...standard, sweep_seconds: 0, ...webhooks };
  await startTestService({ database, webhooks: true, overrides: { task_queue, webhooks: config } });
  return fixture;
}

export interface TestDeliveryOptions {
  readonly deliveries?: Partial<Omit<DeliverySettings, 'pace'>>;
  readonly pace?: Partial<DeliverySettings['pace']>;
  /** Whether commits can notify it. */
  readonly is_listening?: boolean;
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
}

/** The webhook worker of a process of the service, with its own pace and without a sweeper. */
export async function startTestDeliveries(
  { database, task_queue, waker }: WebhookFixture,
  { deliveries, pace, is_listening = true, log = () => undefined }: TestDeliveryOptions = {},
): Promise<TestWorker> {
  const active_runs = createActiveRuns((ids) => waker.wake(ids));
  const settings = deliverySettings(deliveries, pace);
  const worker = await startTestWorker({
    task_queue: webhookTaskQueue(task_queue),
    activities: {
      ...createWebhookActivities({
        db: connectAgain(database),
        active_runs,
        waker,
        sealer: testSealer,
        clock: { now: () => Date.now() },
        log,
        sender: openSender(),
        deliveries: settings,
        metrics: createMetrics(),
        leases: createLeases(database.db, settings.pace.lease_ms),
      }),
    },
  });
  if (is_listening) {
    const connected = new Promise<void>((resolve) => {
      const listener = listen({
        url: database.app_url,
        channels: { [DELIVERIES_CHANNEL]: (id) => active_runs.notify(id) },
        onConnected() {
          active_runs.notifyAll();
          resolve();
        },
      });
      closeAfterFile(() => listener.close());
    });
    await connected;
  }
  const stop = (): Promise<void> => {
    active_runs.stop();
    return worker.stop();
  };
  closeAfterFile(stop);
  return { ...worker, stop };
}

export function openSender(): WebhookSender {
  const sender = createWebhookSender({
    policy: { allowed_addresses: ['127.0.0.1'], ports: [443], own_hosts: [] },
    max_per_origin: 64,
    max_per_account: 64,
    deadline_ms: 5_000,
  });
  closeAfterFile(() => sender.close());
  return sender;
}

export function deliverySettings(
  deliveries: TestDeliveryOptions['deliveries'] = {},
  pace: TestDeliveryOptions['pace'] = {},
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

export function workflowOf(
  { temporal }: Pick<WebhookFixture, 'temporal'>,
  { id }: Pick<TestEndpoint, 'id'>,
): WorkflowHandle<typeof webhookEndpoint> {
  return temporal.workflow.getHandle<typeof webhookEndpoint>(webhookWorkflowId(id));
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
