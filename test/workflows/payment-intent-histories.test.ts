import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { lateNotificationWorkflowId, pursuitWorkflowId } from '../../domain/ids';
import { sha256Hex } from '../../secrets/hash';
import { searchAttributes, WORKFLOW_TYPES } from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import {
  actAt,
  adapterOf,
  GATEWAY_SECRETS,
  setFaults,
  startTestGateway,
} from '../support/sandbox-gateway';
import { startTestApi, type TestApi } from '../support/api';
import { connectTestTemporal, startTestWorker } from '../support/temporal';
import { textOf } from '../support/text-of';
import { waitFor } from '../support/wait';
import {
  cancel,
  eventsOf,
  FAILURE,
  handleOf,
  orderRefund,
  startIntentWorker,
  suspenseOf,
  untilApplied,
  untilShown,
  untilStatus,
  type Intent,
  type IntentHandle,
} from './intents';
import { keepHistory } from './saved-histories';

/** A plain story has no more: every event is a write of the server. */
const MAX_EVENTS = 30;

let api: TestApi;
let temporal: Client;

beforeAll(async () => {
  api = await startTestApi();
  temporal = await connectTestTemporal();
});

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

async function create(fields = {}): Promise<Intent> {
  const { status, json } = await api.create(fields);
  expect(status).toBe(201);
  return json;
}

/** Plain stories, each to its end. */
const STORIES: Readonly<Record<string, () => Promise<Intent>>> = {
  async succeeded() {
    const intent = await create();
    await actAt(intent.checkout_url, 'pay');
    return intent;
  },
  async failed() {
    const intent = await create();
    await actAt(intent.checkout_url, 'decline');
    return intent;
  },
  async 'declined-then-paid'() {
    const intent = await create();
    await actAt(intent.checkout_url, 'decline_retry');
    await untilApplied(api.database, intent, 1);
    await actAt(intent.checkout_url, 'pay');
    return intent;
  },
  async 'pending-then-paid'() {
    const intent = await create();
    await actAt(intent.checkout_url, 'pay_slowly', { delay_ms: 300 });
    return intent;
  },
  async 'pending-then-failed'() {
    const intent = await create();
    await actAt(intent.checkout_url, 'decline_slowly', { delay_ms: 300 });
    return intent;
  },
  expired: () => create({ expires_in: 3 }),
  async canceled() {
    const intent = await create();
    expect((await api.cancel(intent.id)).status).toBe(200);
    return intent;
  },
  async 'notified-twice'() {
    const intent = await create();
    await actAt(intent.checkout_url, 'pay_notify_twice');
    return intent;
  },
};

describe('the history of an intent', () => {
  it.each(Object.entries(STORIES))(`has at most ${MAX_EVENTS} events: %s`, async (name, tell) => {
    const handle = handleOf(temporal, await tell());
    await handle.result();
    const history = await handle.fetchHistory();
    expect(history.events!.length).toBeLessThanOrEqual(MAX_EVENTS);
    keepHistory(`payment-intent-${name}`, history);
  });

  it('of what is beside it is short, too', async () => {
    const intent = await create();
    await actAt(intent.checkout_url, 'pay');
    const late = await lateNotification(intent);
    const sweep = await temporal.workflow.start('sweepNotifications', {
      workflowId: `sweep-${randomUUID()}`,
      taskQueue: api.service.config.task_queue,
    });
    await sweep.result();
    for (const [name, handle] of [
      ['late-notification', late],
      ['sweep-notifications', sweep],
    ] as const) {
      const history = await handle.fetchHistory();
      expect(history.events!.length).toBeLessThanOrEqual(13);
      keepHistory(name, history);
    }
  });
});

async function lateNotification(intent: Intent, fields = {}): Promise<WorkflowHandle> {
  await handleOf(temporal, intent).result();
  await api.notify(intent, fields);
  const { rows } = await api.database.owner.raw(
    `select max(id)::text as id from gateway_notifications where notification ->> 'intent_id' = ?`,
    [intent.id],
  );
  const [{ id }] = rows as [{ id: string }];
  const { task_queue } = api.service.config;
  const handle = temporal.workflow.getHandle(lateNotificationWorkflowId('sandbox', task_queue, id));
  await handle.result();
  return handle;
}

describe('an intent in Temporal’s UI', () => {
  async function detailsOf(handle: IntentHandle): Promise<string> {
    const metadata = await handle.query<{ currentDetails?: string }>(
      '__temporal_workflow_metadata',
    );
    return metadata.currentDetails ?? '';
  }

  const attributesOf = async (handle: IntentHandle) =>
    (await handle.describe()).typedSearchAttributes;

  /** Found by an operator who filters. */
  const untilFound = (query: string, { id }: Intent): Promise<boolean> =>
    waitFor(async () => {
      for await (const { workflowId } of temporal.workflow.list({ query })) {
        if (workflowId === `intent/sandbox/${id}`) return true;
      }
      return false;
    });

  it('says what it is about', async () => {
    const intent = await create({ amount: 1234.5, currency: 'EUR' });
    const handle = handleOf(temporal, intent);
    const shown = await handle.describe();
    const { username } = api.merchant;
    expect(shown.type).toBe('paymentIntent');
    expect(shown.workflowId).toBe(`intent/sandbox/${intent.id}`);
    expect(await shown.staticSummary()).toBe(`1234.50 EUR · ${username} · ${intent.reference}`);
    const details = await shown.staticDetails();
    for (const text of ['1234.50 EUR', username, 'sandbox', intent.reference, intent.expires_at]) {
      expect(details).toContain(text);
    }
    // A reader of the code could pay, or read what the customer reads.
    expect(details).not.toContain(intent.short_code);
    const found = await attributesOf(handle);
    expect(found.get(searchAttributes.environment)).toBe('sandbox');
    expect(found.get(searchAttributes.account)).toBe(username);
    expect(found.get(searchAttributes.currency)).toBe('EUR');
    expect(found.get(searchAttributes.reference)).toBe(intent.reference);
    expect(found.get(searchAttributes.amount)).toBe(1234.5);
    // Temporal keeps milliseconds.
    expect(found.get(searchAttributes.expires_at)).toEqual(new Date(intent.expires_at));
    await untilFound(
      `PaymentAmount > 1234 and PaymentAmount < 1235 and PaymentCurrency = 'EUR'
        and PaymentAccount = '${username}' and PaymentExpiresAt > '${intent.created_at}'`,
      intent,
    );
    expect(await detailsOf(handle)).toBe(`**open**, expires ${intent.expires_at}`);
    await api.cancel(intent.id);
  });

  it.each([
    ['open', async () => undefined],
    ['processing', (intent: Intent) => api.notify(intent, { type: 'payment.pending' })],
    ['succeeded', (intent: Intent) => api.notify(intent)],
    ['failed', (intent: Intent) => api.notify(intent, { type: 'payment.failed' })],
    ['canceled', (intent: Intent) => api.cancel(intent.id)],
    ['expired', async () => undefined],
  ] as const)('is found as %s, and says so', async (status, lead) => {
    const intent = await create(status === 'expired' ? { expires_in: 3 } : {});
    await lead(intent);
    await untilShown(api, intent, status);
    const query = `PaymentState = '${status}' and PaymentReference = '${intent.reference}'`;
    await untilFound(query, intent);
    const handle = handleOf(temporal, intent);
    expect((await attributesOf(handle)).get(searchAttributes.state)).toBe(status);
    expect(await detailsOf(handle)).toContain(`**${status}**`);
  });

  it('is found as creating while the gateway is away, and says why', async () => {
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'open' });
    await api.create({ amount: 77_777 });
    const query = `PaymentState = 'creating' and PaymentAmount = 77777
      and PaymentAccount = '${api.merchant.username}'`;
    const workflowId = await waitFor(async () => {
      for await (const found of temporal.workflow.list({ query })) return found.workflowId;
      return undefined;
    });
    const handle = temporal.workflow.getHandle(workflowId) as IntentHandle;
    await waitFor(async () => (await detailsOf(handle)).includes('the gateway: **unreachable**'));
    await setFaults(api.gateway, 'sandbox', {});
    await waitFor(async () => (await detailsOf(handle)).startsWith('**open**'));
  });
});

describe('what is in histories', () => {
  it('L1: no e-mail, phone, text, metadata, secret, key or address of a payment', async () => {
    const word = (name: string): string => `canary-${name}-${randomUUID()}`;
    const canaries = {
      customer_email: `${word('email')}@example.com`,
      customer_phone: '+221709998877',
      description: word('description'),
      metadata: { [`m${randomUUID().slice(0, 8)}`]: word('metadata') },
    };
    const idempotency_key = word('idempotency');
    const failure = { code: word('code'), message: word('message') };
    const made = async (key: string = randomUUID()): Promise<Intent> =>
      (await api.create(canaries, { idempotency_key: key })).json;
    const [paid, failing, canceled, retried] = await Promise.all([
      made(idempotency_key),
      made(),
      made(),
      made(),
    ]);
    await actAt(paid.checkout_url, 'pay');
    await api.notify(failing, { type: 'payment.failed', failure });
    await api.cancel(canceled.id);
    await api.notify(retried, { type: 'payment.failed', final: false, failure });
    await api.notify(retried);
    const handles: WorkflowHandle[] = [paid, failing, canceled, retried].map((intent) =>
      handleOf(temporal, intent),
    );
    await Promise.all(handles.map((handle) => handle.result()));
    handles.push(await lateNotification(canceled));
    const [item] = await suspenseOf(api.database, canceled);
    await orderRefund(api.database, item!.id);
    const refund = await temporal.workflow.start(WORKFLOW_TYPES.pursue, {
      workflowId: pursuitWorkflowId('suspense-refund', 'sandbox', item!.id),
      taskQueue: api.service.config.task_queue,
      args: ['suspense-refund', item!.id],
    });
    // The gateway does not know this payment. Its words are for operators, in the database.
    expect(await refund.result()).toBe('held');
    handles.push(refund);
    const secrets = [
      ...Object.values(canaries).flatMap((value) =>
        typeof value === 'string' ? [value] : [...Object.keys(value), ...Object.values(value)],
      ),
      idempotency_key,
      failure.code,
      failure.message,
      api.test_key,
      api.live_key,
      sha256Hex(api.test_key),
      api.merchant.email,
      ...GATEWAY_SECRETS.sandbox,
      ...GATEWAY_SECRETS.live,
      // A reader of the address may pay.
      paid.checkout_url,
      paid.checkout_url.split('/').at(-1),
    ];
    for (const handle of handles) {
      // The description has the search attributes.
      const { raw } = await handle.describe();
      const text = textOf(await handle.fetchHistory()) + textOf(raw);
      for (const secret of secrets) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/(pay|sk)_(live|test)_/);
    }
    // The search itself works.
    expect(textOf(await handles[0]!.fetchHistory())).toContain(paid.id);
  });
});

describe('a worker that has forgotten', () => {
  async function openWith(max_cached_workflows: number) {
    const gateway = await startTestGateway({ notification_url: 'http://127.0.0.1:9/nowhere' });
    const adapter = adapterOf(gateway, 'sandbox');
    return { ...(await startIntentWorker({ gateway: adapter, max_cached_workflows })), gateway };
  }

  it('replays: many intents, a cache for one, and every step from the history', async () => {
    const { database, create: make, start, notify } = await openWith(1);
    const intents = await Promise.all(Array.from({ length: 8 }, () => make()));
    const handles = await Promise.all(intents.map((intent) => start(intent)));
    await Promise.all(intents.map((intent) => untilStatus(database, intent, 'open')));
    for (const fields of [
      { type: 'payment.failed', final: false, failure: FAILURE },
      { type: 'payment.pending' },
      { type: 'payment.succeeded' },
    ] as const) {
      await Promise.all(intents.map((intent) => notify(intent, fields)));
    }
    for (const [n, handle] of handles.entries()) {
      expect(await handle.result()).toEqual({ status: 'succeeded' });
      expect(await eventsOf(database, intents[n]!)).toEqual(['payment.succeeded']);
    }
    await expectBooksHold(database.db);
  });

  it('goes on after a restart from each state: open, processing, creating, past its expiry', async () => {
    const shopkeeper = await openWith(100);
    const { database, create: make, start, notify, worker, real, gateway } = shopkeeper;
    const [open, processing, expiring, canceled] = await Promise.all([
      make(),
      make(),
      make({ expires_in_seconds: 2 }),
      make(),
    ]);
    const handles = await Promise.all([open, processing, expiring, canceled].map((i) => start(i)));
    await Promise.all([open, expiring, canceled].map((i) => untilStatus(database, i, 'open')));
    await untilStatus(database, processing, 'open');
    await notify(processing, { type: 'payment.pending' });
    await untilStatus(database, processing, 'processing');
    await setFaults(gateway, 'sandbox', { fail: '5xx', only: 'open' });
    const creating = await make();
    const waiting = await start(creating);
    await waitFor(async () => (await waiting.describe()).historyLength > 5);
    await worker.stop();

    // Things happen while there is no worker.
    await setFaults(gateway, 'sandbox', {});
    await notify(open);
    await notify(processing);
    const canceling = cancel(handles[3]!, canceled);
    await startTestWorker({ task_queue: worker.task_queue, activities: { ...real } });
    expect(await handles[0]!.result()).toEqual({ status: 'succeeded' });
    expect(await handles[1]!.result()).toEqual({ status: 'succeeded' });
    expect(await handles[2]!.result()).toEqual({ status: 'expired' });
    expect(await canceling).toEqual({ status: 'canceled' });
    await untilStatus(database, creating, 'open');
    await notify(creating, { type: 'payment.failed', failure: FAILURE });
    expect(await waiting.result()).toEqual({ status: 'failed' });
    await expectBooksHold(database.db);
    keepHistory('payment-intent-restarted', await handles[1]!.fetchHistory());
  });
});
