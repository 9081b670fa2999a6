// Checks for tests of payment intents, and a worker for those that need a gateway of their own: rows, workflows and
// activities are the real ones, only the HTTP in front is not there.

import { randomBytes, randomUUID } from 'node:crypto';
import { WithStartWorkflowOperation, type Client, type WorkflowHandle } from '@temporalio/client';
import { createMetrics } from '../../telemetry/metrics';
import { createLocalResults } from '../../temporal/local-results';
import {
  createIntentEndTeller,
  createIntentRestarter,
  createIntentStarter,
  type IntentWorkflowOptions,
} from '../../temporal/payment-intents';
import { createIdentityCheckWaker } from '../../temporal/identity-checks';
import { createNotificationDelivery } from '../../temporal/notifications';
import { createPursuer, type Pursue } from '../../temporal/pursuits';
import { createRunningWorkflows } from '../../temporal/running-workflows';
import { createExpiryJob, endCutOff, type ExpiryDependencies } from '../../activities/expiries';
import { createActivities, type ActivityDependencies } from '../../activities/index';
import { repeat } from '../../bin/repeat';
import type { Db } from '../../db/connect';
import { findPursued } from '../../db/pursuits';
import { expireIntents } from '../../db/payment-intents/expiries';
import {
  createIntent,
  findIntentToRun,
  getIntent,
  openIntent,
  type CreatedIntent,
  type NewIntent,
  type OpenedCheckout,
} from '../../db/payment-intents/intents';
import { storeNotification } from '../../db/suspense/notifications';
import { orderSuspenseRefund, type SuspenseItem } from '../../db/suspense/suspense';
import { intentWorkflowId } from '../../domain/ids';
import type { IntentStep, StoredIntentStatus } from '../../domain/intent';
import type { PaymentNotification } from '../../domain/payment';
import type { Gateway } from '../../gateway/port';
import { makeIntentReference, makeShortCode } from '../../secrets/random';
import { cancelUpdate, WORKFLOW_TYPES, type IntentStart } from '../../workflows/messages';
import { closeAfterFile } from '../support/cleanup';
import { operatorOf, createTestDatabase, type TestDatabase } from '../support/database';
import type { HttpResponse } from '../support/http';
import { buildUser, type TestUser } from '../support/users';
import { ERROR_DOCS } from '../support/postings';
import type { TestApi } from '../support/api';
import { TEST_SECRETS_KEY, testMessages } from '../support/secrets';
import { createSealer } from '../../secrets/seal';
import { createVoices } from '../../use-cases/risk/voices';
import {
  connectTestTemporal,
  startTestWorker,
  type TestWorker,
  type TestWorkerOptions,
} from '../support/temporal';
import { waitFor } from '../support/wait';

export type Intent = HttpResponse['json'];
type PaymentIntent = (start: IntentStart) => Promise<IntentStep>;
export type IntentHandle = WorkflowHandle<PaymentIntent>;
type IntentToStart = Pick<NewIntent, 'id'> & Pick<CreatedIntent, 'expires_at'>;

export const FAILURE = { code: 'card_declined', message: 'The card was declined.' } as const;

export function handleOf(
  temporal: Client,
  { id, environment = 'sandbox' }: { readonly id: string; readonly environment?: string },
): IntentHandle {
  return temporal.workflow.getHandle(intentWorkflowId(environment as 'sandbox', id));
}

/** Waits until an intent is shown with a status. */
export async function untilShown(api: TestApi, { id }: Intent, status: string): Promise<Intent> {
  return waitFor(async () => {
    const { json } = await api.show(id);
    return json.status === status && json;
  });
}

export function cancel(
  handle: WorkflowHandle,
  { id }: { readonly id: string },
): Promise<IntentStep> {
  return handle.executeUpdate(cancelUpdate, { args: [testMessages.sealCancellation(id)] });
}

export async function statusOf(
  { owner }: TestDatabase,
  { id }: { readonly id: string },
): Promise<StoredIntentStatus | undefined> {
  const { rows } = await owner.raw('select status from payment_intents where id = ?', [id]);
  return (rows as { status: StoredIntentStatus }[])[0]?.status;
}

export async function untilStatus(
  database: TestDatabase,
  intent: { readonly id: string },
  status: StoredIntentStatus,
): Promise<void> {
  await waitFor(async () => (await statusOf(database, intent)) === status);
}

/** Types of the events of an intent: one at most, if all is well. */
export async function eventsOf(
  { owner }: TestDatabase,
  { id }: { readonly id: string },
): Promise<string[]> {
  const { rows } = await owner.raw('select type from events where intent_id = ?', [id]);
  return (rows as { type: string }[]).map(({ type }) => type);
}

export async function suspenseOf(
  { owner }: TestDatabase,
  { id }: { readonly id: string },
): Promise<Pick<SuspenseItem, 'id' | 'reason' | 'status' | 'currency' | 'amount_minor'>[]> {
  const { rows } = await owner.raw(
    `select id, reason, status, currency, amount_minor from suspense_items
      where intent_id = ? order by created_at`,
    [id],
  );
  return rows as Pick<SuspenseItem, 'id' | 'reason' | 'status' | 'currency' | 'amount_minor'>[];
}

export async function orderRefund({ db }: Pick<TestDatabase, 'db'>, item: string): Promise<void> {
  await orderSuspenseRefund(operatorOf(db), item, 'tests');
}

/** Outcomes of the inbox, in the order in which they came in; null while one waits. */
export async function outcomesOf(
  { owner }: TestDatabase,
  { id }: { readonly id: string },
): Promise<(string | null)[]> {
  const { rows } = await owner.raw(
    `select outcome from gateway_notifications
      where intent_id = ? or notification ->> 'intent_id' = ? order by id`,
    [id, id],
  );
  return (rows as { outcome: string | null }[]).map(({ outcome }) => outcome);
}

/** Waits until the inbox has so many of an intent's notifications, all applied. */
export async function untilApplied(
  database: TestDatabase,
  intent: { readonly id: string },
  count: number,
): Promise<(string | null)[]> {
  return waitFor(async () => {
    const outcomes = await outcomesOf(database, intent);
    return outcomes.length >= count && !outcomes.includes(null) && outcomes;
  });
}

const PAY_URL = 'https://pay.example.com';

/** Opens an intent's checkout without a workflow and a gateway. Returns the body of the response, if it is opened. */
export async function openAtOnce(
  db: Db,
  id: string,
  checkout: OpenedCheckout,
): Promise<string | null> {
  return openIntent(db, await getIntent(db, id), checkout, PAY_URL);
}

/** Ends its time now. */
export async function letExpire(
  { owner }: Pick<TestDatabase, 'owner'>,
  { id }: Pick<NewIntent, 'id'>,
  ago = '0 minutes',
): Promise<void> {
  await owner.raw(
    'update payment_intents set expires_at = clock_timestamp() - ?::interval where id = ?',
    [ago, id],
  );
}

/** Ends the time of its checkout sessions now. */
export async function letLapse(
  { owner }: Pick<TestDatabase, 'owner'>,
  { id }: { readonly id: string },
): Promise<void> {
  await owner.raw(
    'update checkout_sessions set lapses_at = clock_timestamp() where intent_id = ?',
    [id],
  );
}

/** Ends an intent that has expired, as the job does once its session is closed. False when it is not ended. */
export async function expireAtOnce(db: Db, id: string): Promise<boolean> {
  const ended = await expireIntents(db, [await getIntent(db, id)], PAY_URL);
  return ended.length === 1;
}

/** How the workflows of a database's intents are reached, and started when they are lost. */
export function intentWorkflows(db: Db, client: Client, task_queue: string): IntentWorkflowOptions {
  return { client, task_queue, findIntent: (id) => findIntentToRun(db, id) };
}

/** Starts and wakes what follows the refunds, payouts and attempts of a database. */
export function testPursuer(db: Db, client: Client, task_queue: string): Pursue {
  return createPursuer({
    client,
    task_queue,
    findPursued: (kind, ids) => findPursued(db, kind, ids),
  });
}

export type PaymentActivities = ReturnType<typeof createActivities>;

export interface TestActivitiesOptions extends Partial<ActivityDependencies> {
  /** Takes the sandbox's payments; undefined stands for none configured. */
  readonly gateway: Gateway | undefined;
  readonly task_queue?: string;
}

/** Everything that a worker of payments does, for the sandbox. */
export async function createTestActivities(
  { db }: TestDatabase,
  { gateway, task_queue = 'no-worker', ...more }: TestActivitiesOptions,
): Promise<PaymentActivities> {
  const temporal = await connectTestTemporal();
  const workflows = intentWorkflows(db, temporal, task_queue);
  return createActivities({
    db,
    workflow_messages: testMessages,
    metrics: createMetrics(),
    gateways: { live: [], sandbox: gateway ? [gateway] : [] },
    pay_url_base: PAY_URL,
    error_docs_url: ERROR_DOCS,
    log: () => undefined,
    sealer: createSealer([TEST_SECRETS_KEY]),
    startBatch: () => Promise.resolve(false),
    startPayoutBatch: () => Promise.resolve(),
    startMail: undefined,
    sendMail: undefined,
    wakeMail: () => undefined,
    dashboard_url: 'https://pay.example.com/dashboard',
    wakeIdentityCheck: createIdentityCheckWaker(temporal, task_queue),
    local_transfers: createLocalResults(),
    pending_checkouts: createLocalResults(),
    pursue: testPursuer(db, temporal, task_queue),
    tellIntentEnded: createIntentEndTeller(temporal),
    payout_providers: { live: [], sandbox: [] },
    voices: createVoices([]),
    deliverNotification: createNotificationDelivery(workflows),
    startIntent: createIntentStarter(temporal, task_queue),
    restartIntent: createIntentRestarter(workflows),
    patient_db: db,
    running_workflows: createRunningWorkflows(temporal, task_queue),
    reconcile_grace_ms: 300_000,
    ...more,
  });
}

export interface IntentWorker {
  readonly database: TestDatabase;
  readonly temporal: Client;
  readonly merchant: TestUser;
  readonly worker: TestWorker;
  /** The activities as they are, for tests that wrap them. */
  readonly real: PaymentActivities;
  /** 5000 XOF in the sandbox for an hour unless the fields say otherwise. */
  readonly create: (
    fields?: Partial<NewIntent>,
  ) => Promise<NewIntent & Pick<CreatedIntent, 'expires_at'>>;
  readonly start: (intent: IntentToStart, options?: Partial<IntentStart>) => Promise<IntentHandle>;
  readonly withStart: (intent: IntentToStart) => WithStartWorkflowOperation<PaymentIntent>;
  /** Sends it to the inbox, and to the workflow that applies it; returns the id in the inbox. */
  readonly notify: (intent: NewIntent, fields?: Partial<PaymentNotification>) => Promise<string>;
}

export interface IntentWorkerOptions extends Pick<
  TestWorkerOptions,
  'max_cached_workflows' | 'tuner'
> {
  readonly gateway: Gateway | undefined;
  /** None by default. */
  readonly live_gateway?: Gateway;
  readonly wrap?: (real: PaymentActivities) => PaymentActivities;
  readonly log?: ActivityDependencies['log'];
  readonly pending_checkouts?: ActivityDependencies['pending_checkouts'];
}

export async function startIntentWorker({
  gateway,
  live_gateway,
  wrap = (real) => real,
  log = () => undefined,
  pending_checkouts = createLocalResults(),
  ...options
}: IntentWorkerOptions): Promise<IntentWorker> {
  const database = await createTestDatabase();
  const temporal = await connectTestTemporal();
  const merchant = await buildUser(database.db);
  const task_queue = `test-${randomBytes(8).toString('hex')}`;
  const deliver = createNotificationDelivery(intentWorkflows(database.db, temporal, task_queue));
  const gateways = {
    live: live_gateway ? [live_gateway] : [],
    sandbox: gateway ? [gateway] : [],
  };
  const shared = { gateways, task_queue, log, pending_checkouts };
  const real = await createTestActivities(database, { gateway, ...shared });
  const activities = { ...wrap(real) };
  const startOptions = ({ id, expires_at }: IntentToStart, more: Partial<IntentStart> = {}) => ({
    workflowId: intentWorkflowId('sandbox', id),
    taskQueue: task_queue,
    args: [{ id, expires_at, ...more }] as [IntentStart],
  });
  const worker = await startTestWorker({ task_queue, activities, ...options });
  if (gateway) expireSoon({ database, gateway, log });
  return {
    database,
    temporal,
    merchant,
    worker,
    real,
    async create(fields = {}) {
      const intent = buildNewIntent(merchant, gateway?.name ?? 'sandbox', fields);
      const { expires_at } = await createIntent(database.db, intent);
      return { ...intent, expires_at };
    },
    start: (intent, more = {}) =>
      temporal.workflow.start<PaymentIntent>(
        WORKFLOW_TYPES.paymentIntent,
        startOptions(intent, more),
      ),
    withStart: (intent) =>
      new WithStartWorkflowOperation<PaymentIntent>(WORKFLOW_TYPES.paymentIntent, {
        ...startOptions(intent),
        workflowIdConflictPolicy: 'FAIL',
      }),
    async notify(intent, fields = {}) {
      const notification = notificationOf(intent, fields);
      const stored = await storeNotification(
        database.db,
        gateway?.name ?? 'sandbox',
        notification,
        Buffer.from('{}'),
      );
      if (stored.outcome === null) {
        await deliver({ ...stored, gateway: gateway?.name ?? 'sandbox', environment: 'sandbox' });
      }
      return stored.id;
    },
  };
}

export interface ExpiryOptions {
  readonly database: Pick<TestDatabase, 'db'>;
  readonly gateway: Gateway;
  readonly log?: ExpiryDependencies['log'];
}

function expiryDependencies({
  database,
  gateway,
  log = () => undefined,
}: ExpiryOptions): ExpiryDependencies {
  return {
    db: database.db,
    gateways: { live: [], sandbox: [gateway] },
    voices: createVoices([]),
    pay_url_base: PAY_URL,
    metrics: createMetrics(),
    tellIntentEnded: () => Promise.resolve(),
    log,
  };
}

/** One turn of the job, at one gateway of the sandbox. */
export function expiryTurn(options: ExpiryOptions) {
  return createExpiryJob(expiryDependencies(options), options.gateway);
}

/** One turn of the job for all other intents. */
export function cutOffTurn(options: ExpiryOptions): Promise<void> {
  return endCutOff(expiryDependencies(options), new AbortController().signal);
}

/** Runs the job until the end of the file, more often than a process does. */
export function expireSoon(options: ExpiryOptions): void {
  const job = repeat({ turn: expiryTurn(options), pause_ms: 200, onError: () => undefined });
  closeAfterFile(() => job.stop());
}

export function buildNewIntent(
  merchant: TestUser,
  gateway: string,
  fields: Partial<NewIntent> = {},
): NewIntent {
  return {
    id: randomUUID(),
    environment: 'sandbox',
    user_id: merchant.id,
    short_code: makeShortCode(),
    reference: makeIntentReference(),
    amount_minor: '500000',
    currency: 'XOF',
    country: null,
    description: null,
    customer_email: null,
    customer_phone: null,
    metadata: {},
    return_url: null,
    cancel_url: null,
    gateway,
    expires_in_seconds: 3_600,
    idempotency_key: randomUUID(),
    fingerprint: {},
    request_id: randomUUID(),
    payment_link_id: null,
    quantity: null,
    collected: null,
    ...fields,
  };
}

/** A succeeded payment of the intent's own amount unless the fields say otherwise. */
export function notificationOf(
  intent: NewIntent,
  fields: Partial<PaymentNotification> = {},
): PaymentNotification {
  return {
    event_id: `evt_${randomUUID()}`,
    environment: intent.environment,
    type: 'payment.succeeded',
    final: true,
    intent_id: intent.id,
    reference: intent.reference,
    provider_payment_id: `pay_${randomUUID()}`,
    amount_minor: intent.amount_minor,
    currency: intent.currency,
    failure: null,
    occurred_at: new Date().toISOString(),
    ...fields,
  };
}
