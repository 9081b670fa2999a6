import type { Client } from '@temporalio/client';
import { INTENT_EDGES, type IntentCause } from '../../domain/intent';
import { uuidOf } from '../../secrets/hash';
import type { IntentStep } from '../../domain/intent';
import type { IntentStart } from '../../workflows/messages';
import { expectBooksHold } from '../support/books';
import { actAt, setFaults } from '../support/sandbox-gateway';
import { startTestApi, type TestApi } from '../support/api';
import { connectTestTemporal } from '../support/temporal';
import {
  eventsOf,
  FAILURE,
  handleOf,
  letExpire,
  suspenseOf,
  untilApplied,
  untilShown,
  untilStatus,
  type Intent,
} from './intents';

// Each edge of the table happens by its cause, through the whole service: HTTP, Temporal, Postgres
// and the gateway. What the rows went through is noted by a trigger of the test's own.

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

async function waysOf({ id }: { readonly id: string }): Promise<string[]> {
  const { rows } = await api.database.owner.raw(
    'select edge from seen_edges where intent_id = ? order by id',
    [id],
  );
  return (rows as { edge: string }[]).map(({ edge }) => edge);
}

async function open(fields = {}): Promise<Intent> {
  return (await api.create(fields)).json;
}

async function takeTime(action: 'pay_slowly' | 'decline_slowly'): Promise<Intent> {
  const intent = await open();
  await actAt(intent.checkout_url, action, { delay_ms: 300 });
  return intent;
}

/** Each story's causes, and the edges that it leads over. */
const STORIES: readonly {
  readonly title: string;
  readonly causes: readonly IntentCause[];
  readonly edges: readonly string[];
  readonly tell: () => Promise<{ readonly id: string }>;
}[] = [
  {
    title: 'a customer pays',
    causes: ['checkout_opened', 'payment_succeeded'],
    edges: ['creating → open', 'open → succeeded'],
    async tell() {
      const intent = await open();
      await actAt(intent.checkout_url, 'pay');
      return untilShown(api, intent, 'succeeded');
    },
  },
  {
    title: 'a customer is declined for good',
    causes: ['checkout_opened', 'payment_failed'],
    edges: ['creating → open', 'open → failed'],
    async tell() {
      const intent = await open();
      await actAt(intent.checkout_url, 'decline');
      return untilShown(api, intent, 'failed');
    },
  },
  {
    title: 'a customer is declined, tries again and pays',
    causes: ['checkout_opened', 'payment_succeeded'],
    edges: ['creating → open', 'open → succeeded'],
    async tell() {
      const intent = await open();
      await actAt(intent.checkout_url, 'decline_retry');
      await actAt(intent.checkout_url, 'pay');
      const paid = await untilShown(api, intent, 'succeeded');
      expect(paid.last_payment_error).toBeNull();
      return paid;
    },
  },
  {
    title: 'a payment takes its time',
    causes: ['checkout_opened', 'payment_pending', 'payment_succeeded'],
    edges: ['creating → open', 'open → processing', 'processing → succeeded'],
    tell: async () => untilShown(api, await takeTime('pay_slowly'), 'succeeded'),
  },
  {
    title: 'a payment takes its time and is refused',
    causes: ['checkout_opened', 'payment_pending', 'payment_failed'],
    edges: ['creating → open', 'open → processing', 'processing → failed'],
    tell: async () => untilShown(api, await takeTime('decline_slowly'), 'failed'),
  },
  {
    title: 'nobody pays',
    causes: ['checkout_opened', 'expired'],
    edges: ['creating → open', 'open → expired'],
    tell: async () => untilShown(api, await open({ expires_in: 3 }), 'expired'),
  },
  {
    title: 'a payment was called pending and is unknown when it is asked for',
    causes: ['checkout_opened', 'payment_pending', 'expired'],
    edges: ['creating → open', 'open → processing', 'processing → expired'],
    async tell() {
      const intent = await open();
      await api.notify(intent, { type: 'payment.pending' });
      await untilShown(api, intent, 'processing');
      await letExpire(api.database, intent);
      return untilShown(api, intent, 'expired');
    },
  },
  {
    title: 'the merchant cancels',
    causes: ['checkout_opened', 'canceled'],
    edges: ['creating → open', 'open → canceled'],
    async tell() {
      const intent = await open();
      await api.cancel(intent.id);
      return intent;
    },
  },
  {
    title: 'the gateway is away for too long, and the merchant asks again',
    causes: ['gateway_unavailable', 'repeated', 'checkout_opened'],
    edges: ['creating → abandoned', 'abandoned → creating', 'creating → open'],
    async tell() {
      const idempotency_key = 'away-for-long';
      const id = uuidOf(`sandbox/${api.merchant.id}/payment_intent/${idempotency_key}`);
      await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'open' });
      const refused = await api.create({}, { idempotency_key });
      expect(refused.status).toBe(502);
      await handleOf(temporal, { id }).terminate('replaced by one with a shorter limit');
      const args: [IntentStart] = [
        { id, expires_at: new Date(Date.now() + 86_400_000).toISOString(), give_up_after_ms: 1 },
      ];
      await temporal.workflow.start<(start: IntentStart) => Promise<IntentStep>>('paymentIntent', {
        workflowId: `intent/sandbox/${id}`,
        taskQueue: api.service.config.task_queue,
        args,
      });
      await untilStatus(api.database, { id }, 'abandoned');
      await handleOf(temporal, { id }).result();
      await setFaults(api.gateway, 'sandbox', {});
      expect((await api.create({}, { idempotency_key })).status).toBe(201);
      return { id };
    },
  },
];

describe('an edge of an intent happens by its cause', () => {
  it.each(STORIES)('$title', async ({ causes, edges, tell }) => {
    const intent = await tell();
    expect(await waysOf(intent)).toEqual(edges);
    const causesOf = edges.map(
      (edge) => INTENT_EDGES.find(({ from, to }) => `${from} → ${to}` === edge)?.cause,
    );
    expect(causesOf).toEqual(causes);
    await expectBooksHold(api.database.db);
  });

  it('and all of them have happened here', () => {
    const told = new Set(STORIES.flatMap(({ edges }) => edges));
    expect([...told].sort()).toEqual(INTENT_EDGES.map(({ from, to }) => `${from} → ${to}`).sort());
  });
});

describe.each([
  ['succeeded', { type: 'payment.succeeded' }],
  ['failed', { type: 'payment.failed', failure: FAILURE }],
  ['expired', undefined],
  ['canceled', undefined],
] as const)('an intent that %s, whatever comes', (status, ending) => {
  it('stays so: its workflow is over, and each notification is applied by one of its own', async () => {
    const intent = await open(status === 'expired' ? { expires_in: 3 } : {});
    if (status === 'canceled') await api.cancel(intent.id);
    if (ending) await api.notify(intent, ending);
    const ended = await untilShown(api, intent, status);
    await handleOf(temporal, intent).result();
    await api.notify(intent, { type: 'payment.pending' });
    await api.notify(intent, { type: 'payment.failed', failure: FAILURE });
    await api.notify(intent, { type: 'payment.failed', final: false, failure: FAILURE });
    await api.notify(intent);
    await untilApplied(api.database, intent, ending ? 5 : 4);
    const { amount_received = null, ...rest } = ended as { amount_received?: number | null };
    // The money that came all the same is told.
    const unchanged = {
      ...rest,
      amount_received: (amount_received ?? 0) + 5000,
      updated_at: expect.any(String) as string,
    };
    expect((await api.show(intent.id)).json).toEqual(unchanged);
    const cancel = await api.cancel(intent.id);
    expect(cancel.status).toBe(status === 'canceled' ? 200 : 409);
    expect((await api.show(intent.id)).json).toEqual(unchanged);
    const reason = status === 'succeeded' ? 'second_payment' : 'late';
    expect((await suspenseOf(api.database, intent)).map((item) => item.reason)).toEqual([reason]);
    const events = await eventsOf(api.database, intent);
    expect(events).toEqual(status === 'canceled' ? [] : [`payment.${status}`]);
    await expectBooksHold(api.database.db);
  });
});
