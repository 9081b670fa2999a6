import type { Client } from '@temporalio/client';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { createTestDatabase } from '../support/database';
import { insist, request, type HttpResponse } from '../support/http';
import { pickTestPort } from '../support/ports';
import {
  actAt,
  listPayments,
  setFaults,
  startNotificationReceiver,
} from '../support/sandbox-gateway';
import { createSurely, gatewayConfig, startTestApi, type TestApi } from '../support/api';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import {
  cancel,
  eventsOf,
  handleOf,
  statusOf,
  suspenseOf,
  untilApplied,
  untilShown,
  type Intent,
} from './intents';

let api: TestApi;
let temporal: Client;

beforeAll(async () => {
  const port = await pickTestPort();
  const config = gatewayConfig({ url: `http://127.0.0.1:${port}` });
  api = await startTestApi({
    database: await createTestDatabase(),
    gateway: { port },
    overrides: { gateway: { ...config, timeout_ms: 2_000 } },
  });
  temporal = await connectTestTemporal();
});

beforeEach(() => setFaults(api.gateway, 'sandbox', {}));

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

const cancelSurely = (name: string): Promise<HttpResponse> => insist(() => api.cancel(name));

const balance = (): Promise<bigint> => balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox');

describe('the cancellation of an intent', () => {
  it('closes its checkout, ends its workflow, and tells no webhook', async () => {
    const { json: intent } = await api.create();
    const canceled = await api.cancel(intent.id);
    expect(canceled.status).toBe(200);
    expect(canceled.json).toMatchObject({ ok: true, id: intent.id, status: 'canceled' });
    expect(canceled.json.canceled_at).toBe(canceled.json.updated_at);
    expect((await actAt(intent.checkout_url, 'pay')).status).toBe(409);
    expect(await eventsOf(api.database, intent)).toEqual([]);
    const handle = handleOf(temporal, intent);
    expect(await handle.result()).toEqual({ status: 'canceled' });
  });

  it('repeated answers the same, by id and by code, at once and afterwards', async () => {
    const { json: intent } = await api.create();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => cancelSurely(n % 2 ? intent.id : intent.short_code)),
    );
    answers.push(await cancelSurely(intent.id));
    // Only what is about the request differs, and that is in the headers.
    const [first] = answers.map(({ status, text }) => ({ status, text }));
    expect(first!.status).toBe(200);
    expect(answers).toEqual(answers.map(() => expect.objectContaining(first!) as unknown));
  });

  it.each([
    ['down', { fail: '5xx' }, 502, 'gateway_error'],
    ['resetting', { fail: 'reset' }, 502, 'gateway_error'],
    ['silent', { fail: 'hang' }, 504, 'gateway_timeout'],
    ['silent after it has closed', { answer_after_timeout: true }, 504, 'gateway_timeout'],
  ] as const)('with the gateway %s is a fault, and the intent stays open', async (...row) => {
    const [, faults, status, code] = row;
    const { json: intent } = await api.create();
    await setFaults(api.gateway, 'sandbox', { only: 'close', ...faults });
    const answer = await api.cancel(intent.id);
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    expect(await statusOf(api.database, intent)).toBe('open');
    await setFaults(api.gateway, 'sandbox', {});
    expect((await api.cancel(intent.id)).json.status).toBe('canceled');
  });

  it.each([
    ['pay', 'succeeded'],
    ['decline', 'failed'],
  ] as const)('of what has ended by %s is refused and changes nothing', async (action, status) => {
    const { json: intent } = await api.create();
    await actAt(intent.checkout_url, action);
    const ended = await untilShown(api, intent, status);
    const answer = await api.cancel(intent.id);
    expect([answer.status, answer.json.error.code]).toEqual([409, 'intent_not_cancelable']);
    expect(answer.json.error.message).toContain(status);
    expect((await api.show(intent.id)).json).toEqual(ended);
  });

  it('of what is being paid is refused', async () => {
    const { json: intent } = await api.create();
    await actAt(intent.checkout_url, 'pay_slowly', { delay_ms: 60_000 });
    await untilShown(api, intent, 'processing');
    expect((await api.cancel(intent.id)).json.error.code).toBe('intent_not_cancelable');
    await handleOf(temporal, intent).terminate('end of the test');
  });

  it('finds the payment that the gateway has not told of yet', async () => {
    const receiver = await startNotificationReceiver();
    receiver.answerWith(503);
    const silent = await startTestApi({ gateway: { notification_url: receiver.url } });
    const [paid, pending, declined] = await Promise.all([
      silent.create(),
      silent.create(),
      silent.create(),
    ]);
    await actAt(paid.json.checkout_url, 'pay');
    await actAt(pending.json.checkout_url, 'pay_slowly', { delay_ms: 60_000 });
    await actAt(declined.json.checkout_url, 'decline');
    for (const [intent, status] of [
      [paid.json, 'succeeded'],
      [pending.json, 'processing'],
      [declined.json, 'failed'],
    ] as const) {
      const answer = await silent.cancel(intent.id);
      expect([answer.status, answer.json.error.code]).toEqual([409, 'intent_not_cancelable']);
      expect((await silent.show(intent.id)).json.status).toBe(status);
    }
    expect(await balanceOf(silent.database.db, silent.merchant, 'XOF', 'sandbox')).toBe(500_000n);
    await expectBooksHold(silent.database.db);
    await handleOf(temporal, pending.json).terminate('end of the test');
  });

  it('asked of the workflow itself, while it ends, is answered with how it ended', async () => {
    const { json: intent } = await api.create();
    const handle = handleOf(temporal, intent);
    const [, ...steps] = await Promise.all([
      api.notify(intent),
      ...Array.from({ length: 4 }, () =>
        cancel(handle, intent).catch((error: unknown) => {
          // It ended before it was asked.
          expect(String(error)).toContain('NotFound');
          return undefined;
        }),
      ),
    ]);
    const { status } = await handle.result();
    expect(['succeeded', 'canceled']).toContain(status);
    for (const step of steps) if (step) expect(step.status).toBe(status);
    await untilApplied(api.database, intent, 1);
  });
});

describe('a cancellation against a payment', () => {
  async function create(): Promise<Intent> {
    const { status, json } = await createSurely(api);
    expect(status).toBe(201);
    return json;
  }

  /** Ten at a time: more only wait for each other. */
  async function inBatches<T>(count: number, run: (n: number) => Promise<T>): Promise<T[]> {
    const results: T[] = [];
    for (let n = 0; n < count; n += 10) {
      const batch = Array.from({ length: 10 }, (_, k) => run(n + k));
      results.push(...(await Promise.all(batch)));
    }
    return results;
  }

  it('has exactly one outcome, and the money is somewhere', async () => {
    const before = await balance();
    const outcomes = await inBatches(40, async (n) => {
      const intent = await create();
      // The customer presses the button at the moment of the merchant's click, a little sooner or
      // later; the gateway's own decision and its notification race with ours.
      const pay = async (): Promise<boolean> =>
        (await actAt(intent.checkout_url, 'pay')).status === 303;
      const cancel = async (): Promise<number> => (await cancelSurely(intent.id)).status;
      const [isPaid, canceled] =
        n % 2 === 0
          ? await Promise.all([pay(), cancel()])
          : await Promise.all([cancel(), pay()]).then(([c, p]) => [p, c] as const);
      const { status } = await handleOf(temporal, intent).result();
      return { intent, isPaid, canceled, status };
    });
    let credited = 0n;
    for (const { intent, isPaid, canceled, status } of outcomes) {
      // The gateway closes before we end, so that a cancelled intent was not paid, ever.
      expect([status, canceled]).toEqual(isPaid ? ['succeeded', 409] : ['canceled', 200]);
      expect(await eventsOf(api.database, intent)).toEqual(isPaid ? ['payment.succeeded'] : []);
      expect(await suspenseOf(api.database, intent)).toEqual([]);
      if (isPaid) credited += 500_000n;
    }
    expect(await balance()).toBe(before + credited);
    const { payments } = await listPayments(api.gateway, 'sandbox');
    const ids = new Set(outcomes.map(({ intent }) => intent.id));
    const paid = payments.filter(({ intent_id }) => ids.has(intent_id));
    expect(BigInt(paid.length) * 500_000n).toBe(credited);
  });

  it('that comes by a notification of its own never loses the money', async () => {
    const before = await balance();
    const outcomes = await inBatches(30, async (n) => {
      const intent = await create();
      // The gateway's API knows nothing of it: only the row decides who was first.
      const race = [() => api.cancel(intent.id), () => api.notify(intent)];
      if (n % 2) race.reverse();
      await Promise.all(race.map((step) => step()));
      await handleOf(temporal, intent).result();
      await untilApplied(api.database, intent, 1);
      return intent;
    });
    let credited = 0n;
    for (const intent of outcomes) {
      const status = await statusOf(api.database, intent);
      const held = await suspenseOf(api.database, intent);
      if (status === 'succeeded') credited += 500_000n;
      expect([status, held.map(({ reason }) => reason)]).toEqual(
        status === 'succeeded' ? ['succeeded', []] : ['canceled', ['late']],
      );
    }
    expect(await balance()).toBe(before + credited);
  });

  it('is seen in the list under its one status', async () => {
    const { json: intent } = await api.create();
    await Promise.all([api.cancel(intent.id), api.notify(intent)]);
    await untilApplied(api.database, intent, 1);
    const listed = await waitFor(async () => {
      const found: string[] = [];
      for (const status of ['open', 'succeeded', 'canceled']) {
        const path = `/payment-intents?status=${status}&reference=${intent.reference}`;
        const { json } = await request(api.service, 'GET', path, { key: api.test_key });
        if (json.payment_intents.length > 0) found.push(status);
      }
      return !found.includes('open') && found;
    });
    expect(listed).toHaveLength(1);
  });
});
