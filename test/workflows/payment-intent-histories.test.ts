import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { lateNotificationWorkflowId } from '../../domain/ids';
import { GatewayError } from '../../domain/gateway-error';
import { INTENT_EDGES, type IntentCause, type IntentStep } from '../../domain/intent';
import type { Action } from '../../dev/simulators/gateway/courses';
import { uuidOf } from '../../secrets/hash';
import { createIntentEndTeller } from '../../temporal/payment-intents';
import { awaitCheckoutUpdate, searchAttributes, type IntentStart } from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { actAt, setFaults } from '../support/sandbox-gateway';
import { startTestApi, type TestApi } from '../support/api';
import { connectTestTemporal, startTestWorker } from '../support/temporal';
import { waitFor } from '../support/wait';
import { fakeGateway } from './fake-gateway';
import {
  cancel,
  eventsOf,
  FAILURE,
  handleOf,
  letExpire,
  startIntentWorker,
  untilApplied,
  untilShown,
  untilStatus,
  type Intent,
  type IntentHandle,
} from './intents';
import { keepHistory } from './saved-histories';

// Each edge of the table happens by its cause, through the whole service: HTTP, Temporal, Postgres and the gateway. What
// the rows went through is noted by a trigger of the test's own, what the workflows did by their histories.

/** A plain story has no more: every event is a write of the server. */
const MAX_EVENTS = 30;

let api: TestApi;
let temporal: Client;

beforeAll(async () => {
  api = await startTestApi();
  temporal = await connectTestTemporal();
  await api.database.owner.raw(`
    create table seen_edges (id bigint generated always as identity, intent_id uuid, edge text);
    create function note_edge() returns trigger language plpgsql security definer as $$
    begin
      insert into public.seen_edges (intent_id, edge)
      values (new.id, old.status || ' → ' || new.status);
      return null;
    end $$;
    create trigger note_edges after update on payment_intents
      for each row when (old.status <> new.status) execute function note_edge();`);
});

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

async function create(fields = {}): Promise<Intent> {
  const { status, json } = await api.create(fields);
  expect(status).toBe(201);
  return json;
}

/** A customer does this at the checkout. */
async function act(action: Action, options = {}): Promise<Intent> {
  const intent = await create();
  await actAt(intent.checkout_url, action, options);
  return intent;
}

interface Story {
  readonly causes: readonly IntentCause[];
  readonly tell: () => Promise<Intent>;
}

const SLOWLY = { delay_ms: 300 };

/** Plain stories, each to its end. */
const STORIES: Readonly<Record<string, Story>> = {
  succeeded: { causes: ['checkout_opened', 'payment_succeeded'], tell: () => act('pay') },
  failed: { causes: ['checkout_opened', 'payment_failed'], tell: () => act('decline') },
  'declined-then-paid': {
    causes: ['checkout_opened', 'payment_succeeded'],
    async tell() {
      const intent = await act('decline_retry');
      await untilApplied(api.database, intent, 1);
      await actAt(intent.checkout_url, 'pay');
      const paid = await untilShown(api, intent, 'succeeded');
      expect(paid.last_payment_error).toBeNull();
      return intent;
    },
  },
  'pending-then-paid': {
    causes: ['checkout_opened', 'payment_pending', 'payment_succeeded'],
    tell: () => act('pay_slowly', SLOWLY),
  },
  'pending-then-failed': {
    causes: ['checkout_opened', 'payment_pending', 'payment_failed'],
    tell: () => act('decline_slowly', SLOWLY),
  },
  'pending-then-expired': {
    causes: ['checkout_opened', 'payment_pending', 'expired'],
    async tell() {
      const intent = await create();
      await api.notify(intent, { type: 'payment.pending' });
      await untilShown(api, intent, 'processing');
      await letExpire(api.database, intent);
      await untilShown(api, intent, 'expired');
      // As when the clock of its sandbox was moved: its workflow would look at its end only.
      await createIntentEndTeller(temporal)({ environment: 'sandbox', id: intent.id });
      return intent;
    },
  },
  expired: { causes: ['checkout_opened', 'expired'], tell: () => create({ expires_in: 3 }) },
  canceled: {
    causes: ['checkout_opened', 'canceled'],
    async tell() {
      const intent = await create();
      const { status, json } = await api.cancel(intent.id);
      expect(status).toBe(200);
      expect(json).toMatchObject({ status: 'canceled', canceled_at: json.updated_at });
      expect((await actAt(intent.checkout_url, 'pay')).status).toBe(409);
      expect(await eventsOf(api.database, intent)).toEqual([]);
      return intent;
    },
  },
  'notified-twice': {
    causes: ['checkout_opened', 'payment_succeeded'],
    tell: () => act('pay_notify_twice'),
  },
};

/** The others go the same way through the workflow. */
const KEPT = ['declined-then-paid', 'canceled', 'notified-twice'];

/** The edges over which these causes lead, one after the other. */
function edgesOf(causes: readonly IntentCause[]): string[] {
  let status = 'creating';
  return causes.map((cause) => {
    const { from, to } = INTENT_EDGES.find((one) => one.from === status && one.cause === cause)!;
    status = to;
    return `${from} → ${to}`;
  });
}

async function seenEdges({ id }: { readonly id: string }): Promise<string[]> {
  const { rows } = await api.database.owner.raw(
    'select edge from seen_edges where intent_id = ? order by id',
    [id],
  );
  return (rows as { edge: string }[]).map(({ edge }) => edge);
}

async function detailsOf(handle: IntentHandle): Promise<string> {
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

const attributesOf = async (handle: IntentHandle) =>
  (await handle.describe()).typedSearchAttributes;

describe('an edge of an intent happens by its cause', () => {
  it.each(Object.entries(STORIES))(
    `and its workflow says so, in at most ${MAX_EVENTS} events: %s`,
    async (name, { causes, tell }) => {
      const intent = await tell();
      const handle = handleOf(temporal, intent);
      const { status } = await handle.result();
      expect(await seenEdges(intent)).toEqual(edgesOf(causes));
      expect(edgesOf(causes).at(-1)).toContain(`→ ${status}`);
      expect((await attributesOf(handle)).get(searchAttributes.state)).toBe(status);
      expect(await detailsOf(handle)).toContain(`**${status}**`);
      const history = await handle.fetchHistory();
      expect(history.events!.length).toBeLessThanOrEqual(MAX_EVENTS);
      if (KEPT.includes(name)) keepHistory(`payment-intent-${name}`, history);
    },
  );

  const ABANDONED = ['gateway_unavailable', 'repeated', 'checkout_opened'] as const;

  // Ten minutes are the workflow's own limit. The same workflow is started in the place of the API's, on the same row,
  // with the limit as an argument: the time is another, the way the same.
  it('the gateway is away for too long: whoever waits learns why, and the key resumes it', async () => {
    const idempotency_key = randomUUID();
    const id = uuidOf(`sandbox/${api.merchant.id}/payment_intent/${idempotency_key}`);
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'open' });
    expect((await api.create({}, { idempotency_key })).status).toBe(502);
    await handleOf(temporal, { id }).terminate('replaced by one with a shorter limit');
    const { rows } = await api.database.db.raw(
      'select expires_at, short_code, reference from payment_intents where id = ?',
      [id],
    );
    const [{ expires_at, ...names }] = rows as [Pick<IntentStart, 'expires_at'>];
    const handle = await temporal.workflow.start<(start: IntentStart) => Promise<IntentStep>>(
      'paymentIntent',
      {
        workflowId: `intent/sandbox/${id}`,
        taskQueue: api.service.config.task_queue,
        args: [{ id, expires_at, give_up_after_ms: 500 }],
      },
    );
    const ask = () => handle.executeUpdate(awaitCheckoutUpdate);
    for (const step of await Promise.all([ask(), ask()])) expect(step.fault).toBe('unreachable');
    expect(await handle.result()).toEqual({ status: 'abandoned' });
    expect((await api.show(id)).status).toBe(404);
    keepHistory('payment-intent-abandoned', await handle.fetchHistory());
    await setFaults(api.gateway, 'sandbox', {});
    const { json: resumed, text, status } = await api.create({}, { idempotency_key });
    expect(status).toBe(201);
    expect(resumed).toMatchObject(names);
    // Its life begins when it is seen.
    expect(Date.parse(resumed.expires_at) - Date.parse(resumed.created_at)).toBe(86_400_000);
    expect((await api.create({}, { idempotency_key })).text).toBe(text);
    expect(await seenEdges({ id })).toEqual(edgesOf(ABANDONED));
  });

  it('and all of them have happened here', () => {
    const told = [...Object.values(STORIES).map(({ causes }) => causes), ABANDONED].flatMap(
      edgesOf,
    );
    const all = INTENT_EDGES.map(({ from, to }) => `${from} → ${to}`);
    expect([...new Set(told)].sort()).toEqual(all.sort());
  });

  it('of what is beside it is short, too', async () => {
    const intent = await act('pay');
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

async function lateNotification(intent: Intent): Promise<WorkflowHandle> {
  await handleOf(temporal, intent).result();
  await api.notify(intent);
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
    // The checkout is handed over before its workflow has said so.
    await waitFor(async () => (await attributesOf(handle)).get(searchAttributes.state) === 'open');
    const shown = await handle.describe();
    const { username } = api.merchant;
    expect(shown.type).toBe('paymentIntent');
    expect(shown.workflowId).toBe(`intent/sandbox/${intent.id}`);
    expect(await shown.staticSummary()).toBe(`${intent.reference} · 1 234.50 EUR · ${username}`);
    const details = await shown.staticDetails();
    for (const text of ['1 234.50 EUR', username, 'sandbox', intent.reference, intent.expires_at]) {
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

describe('a worker that has forgotten', () => {
  it('replays: many intents, a cache for one, and every step from the history', async () => {
    const {
      database,
      create: make,
      start,
      notify,
    } = await startIntentWorker({
      gateway: fakeGateway().gateway,
      max_cached_workflows: 1,
    });
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
    const fake = fakeGateway();
    const intents = await startIntentWorker({ gateway: fake.gateway });
    const { database, create: make, start, notify, worker, real } = intents;
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
    fake.onOpen = () => Promise.reject(new GatewayError('unreachable', 'as the test wants it'));
    const creating = await make();
    const waiting = await start(creating);
    await waitFor(async () => (await waiting.describe()).historyLength > 5);
    await worker.stop();

    // Things happen while there is no worker.
    fake.onOpen = async () => undefined;
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
  });
});

it('looks again when the row has not ended, whatever its own clock says', async () => {
  const fake = fakeGateway();
  const { create: make, start, database } = await startIntentWorker({ gateway: fake.gateway });
  const intent = await make({ expires_in_seconds: 2 });
  // Temporal's clock seems to be hours ahead.
  const handle = await start(intent, { expires_at: new Date(0).toISOString() });
  await untilStatus(database, intent, 'open');
  expect(await handle.result()).toEqual({ status: 'expired' });
  // The gateway was not asked before the time.
  expect(fake.closed).toEqual([`cs_${intent.id}_1`]);
  keepHistory('payment-intent-early', await handle.fetchHistory());
});
