import type { Client } from '@temporalio/client';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { createTestDatabase } from '../support/database';
import { insist, type HttpResponse } from '../support/http';
import { pickTestPort } from '../support/ports';
import { actAt, listPayments, setFaults } from '../support/sandbox-gateway';
import { createSurely, gatewayConfig, startTestApi, type TestApi } from '../support/api';
import { connectTestTemporal } from '../support/temporal';
import {
  cancel,
  eventsOf,
  handleOf,
  statusOf,
  suspenseOf,
  untilApplied,
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

  // Its other faults: payment-intent-checkout.test.ts.
  it('with a gateway that is silent after it has closed is a fault, and the intent stays open', async () => {
    const { json: intent } = await api.create();
    await setFaults(api.gateway, 'sandbox', { only: 'close', answer_after_timeout: true });
    const answer = await api.cancel(intent.id);
    expect([answer.status, answer.json.error.code]).toEqual([504, 'gateway_timeout']);
    expect(await statusOf(api.database, intent)).toBe('open');
    await setFaults(api.gateway, 'sandbox', {});
    expect((await api.cancel(intent.id)).json.status).toBe('canceled');
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
});
