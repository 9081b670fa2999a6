// POST /payment-intents/{id_or_code}/cancel: once, again, too late, and at the same moment as a payment.

import { randomBytes } from 'node:crypto';
import type { IntentStatus } from '../../domain/intent';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import type { HttpResponse } from '../support/http';
import { request } from '../support/http';
import { actAt, setFaults } from '../support/sandbox-gateway';
import { startTestApi, type TestApi } from '../support/api';
import { startTestService } from '../support/service';
import { waitFor } from '../support/wait';
import { expectContract, refusal } from './support/contract';
import {
  getIntent,
  getTimeline,
  intentBody,
  listIntents,
  postCancel,
  postIntent,
  waitForStatus,
} from './support/intents';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

afterEach(async () => {
  await setFaults(api.gateway, 'sandbox', {});
  await expectBooksHold(api.database.db);
});

const create = async (fields: object = {}): Promise<HttpResponse['json']> =>
  (await postIntent(api, intentBody('5000', { ...fields }))).json;

const balance = (): Promise<bigint> => balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox');

async function eventsOf(id: string): Promise<number> {
  const { rows } = await api.database.owner.raw(
    'select count(*)::int as count from events where intent_id = ?',
    [id],
  );
  return rows[0].count;
}

describe('an open intent', () => {
  it.each(['id', 'short_code'])('is cancelled by its %s', async (name) => {
    const intent = await create({ description: 'x' });
    const response = await postCancel(api, intent[name]);
    expect(response.status).toBe(200);
    const { canceled_at, updated_at } = response.json;
    expect(canceled_at).toBe(updated_at);
    expect(updated_at > intent.updated_at).toBe(true);
    expect(response.json).toEqual({ ...intent, status: 'canceled', canceled_at, updated_at });
    expect((await getIntent(api, intent.id)).text).toBe(response.text);
  });

  it('cannot be paid any more: its checkout is closed, and there is no event', async () => {
    const intent = await create();
    await postCancel(api, intent.id);
    expect((await actAt(intent.checkout_url, 'pay')).status).toBe(409);
    expect(await eventsOf(intent.id)).toBe(0);
  });

  it('with a live key is cancelled with a live key', async () => {
    const { json } = await postIntent(api, intentBody(), { key: api.live_key });
    expect(await postCancel(api, json.id)).toMatchObject(refusal('payment_intent_not_found'));
    expect((await postCancel(api, json.id, api.live_key)).json.status).toBe('canceled');
  });

  it('may be cancelled with a body, which is ignored', async () => {
    const intent = await create();
    for (const body of ['{', '{"reason":"x"}', '']) {
      const path = `/payment-intents/${intent.id}/cancel`;
      const response = await request(api.service, 'POST', path, { key: api.test_key, body });
      expectContract('POST', path, response);
      expect([response.status, response.json.status]).toEqual([200, 'canceled']);
    }
  });
});

describe('a cancelled intent', () => {
  it('answers 200 again, in the same bytes', async () => {
    const intent = await create();
    const first = await postCancel(api, intent.id);
    for (const name of [intent.id, intent.short_code]) {
      const again = await postCancel(api, name);
      expect([again.status, again.text]).toEqual([200, first.text]);
    }
    const kinds = (await getTimeline(api, intent.id)).json.timeline.map(
      ({ kind }: { kind: string }) => kind,
    );
    expect(kinds.filter((kind: string) => kind === 'canceled')).toHaveLength(1);
  });

  it('is cancelled once by many requests at once', async () => {
    const intent = await create();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => postCancel(api, intent.id)),
    );
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses[0]!.json.status).toBe('canceled');
  });

  it('is in the list of the cancelled', async () => {
    const intent = await create();
    await postCancel(api, intent.id);
    const { json } = await listIntents(api, '?status=canceled&limit=1');
    expect(json.payment_intents[0]).toMatchObject({ id: intent.id, status: 'canceled' });
  });
});

describe('an intent that is not open any more', () => {
  const failure = { code: 'declined', message: 'No.' };
  const WAYS: Readonly<Record<Exclude<IntentStatus, 'open' | 'canceled'>, () => Promise<object>>> =
    {
      async processing() {
        const intent = await create();
        await api.notify(intent, { type: 'payment.pending' });
        return intent;
      },
      async succeeded() {
        const intent = await create();
        await api.notify(intent);
        return intent;
      },
      async failed() {
        const intent = await create();
        await api.notify(intent, { type: 'payment.failed', failure });
        return intent;
      },
      expired: () => create({ expires_in: 3 }),
    };

  it.each(Object.entries(WAYS))(
    'because it is %s answers intent_not_cancelable, says why, and does not change',
    async (status, make) => {
      const intent = (await make()) as HttpResponse['json'];
      await waitForStatus(api, intent, status);
      const before = await getIntent(api, intent.id);
      for (const name of [intent.id, intent.short_code]) {
        const response = await postCancel(api, name);
        expect(response).toMatchObject(refusal('intent_not_cancelable'));
        expect(response.json.error.message).toContain(status);
      }
      expect((await getIntent(api, intent.id)).text).toBe(before.text);
    },
  );

  it('because it was paid, unknown to us yet: the cancellation finds the payment', async () => {
    const before = await balance();
    const intent = await create();
    const { owner } = api.database;
    const types = '(text, text, text, jsonb, bytea)';
    // The gateway is told to send the notification again later.
    await owner.raw(`alter function store_notification${types} rename to not_yet`);
    const failures = api.gateway.log.length;
    await actAt(intent.checkout_url, 'pay');
    await waitFor(() => api.gateway.log.length > failures);
    await owner.raw(`alter function not_yet${types} rename to store_notification`);
    const response = await postCancel(api, intent.id);
    expect(response).toMatchObject(refusal('intent_not_cancelable'));
    expect((await waitForStatus(api, intent, 'succeeded')).canceled_at).toBeNull();
    expect(await balance()).toBe(before + 500_000n);
  });
});

describe('a cancellation and a payment at the same moment', () => {
  it('end in one of the two, and the money is booked accordingly', async () => {
    const before = await balance();
    const intents = await Promise.all(Array.from({ length: 12 }, () => create()));
    const ends = await Promise.all(
      intents.map(async (intent, index) => {
        const paying = actAt(intent.checkout_url, 'pay');
        if (index % 2) await paying;
        const [{ status: cancelled }, { status: paid }] = await Promise.all([
          postCancel(api, intent.id),
          paying,
        ]);
        return { intent, cancelled, paid };
      }),
    );
    let succeeded = 0;
    for (const { intent, cancelled, paid } of ends) {
      const isPaid = paid === 303;
      expect(cancelled).toBe(isPaid ? 409 : 200);
      await waitForStatus(api, intent, isPaid ? 'succeeded' : 'canceled');
      if (isPaid) succeeded += 1;
    }
    expect(succeeded).toBeGreaterThanOrEqual(6);
    expect(await balance()).toBe(before + BigInt(succeeded) * 500_000n);
  });
});

describe('a gateway that cannot be reached', () => {
  it.each([
    ['answers 503', { fail: '5xx' }, 'gateway_error'],
    ['resets the connection', { fail: 'reset' }, 'gateway_error'],
  ] as const)('because it %s: 502, the intent stays open, and a retry cancels', async (...row) => {
    const [, fault, code] = row;
    const intent = await create();
    await setFaults(api.gateway, 'sandbox', { ...fault, only: 'close' });
    expect(await postCancel(api, intent.id)).toMatchObject(refusal(code));
    expect((await getIntent(api, intent.id)).json).toEqual(intent);
    await setFaults(api.gateway, 'sandbox', {});
    expect((await postCancel(api, intent.id)).json.status).toBe('canceled');
  });

  it('because it hangs: 504 in time, and a retry cancels', async () => {
    const { task_queue, gateway, pay_url_base } = api.service.config;
    const hasty = {
      test_key: api.test_key,
      service: await startTestService({
        database: api.database,
        overrides: {
          task_queue: `${task_queue}-hasty`,
          pay_url_base,
          gateway: { ...gateway, timeout_ms: 300 },
        },
      }),
    };
    const { json: intent } = await postIntent(hasty, intentBody());
    await setFaults(api.gateway, 'sandbox', { fail: 'hang', only: 'close' });
    expect(await postCancel(hasty, intent.id)).toMatchObject(refusal('gateway_timeout'));
    await setFaults(api.gateway, 'sandbox', {});
    expect((await postCancel(hasty, intent.id)).json.status).toBe('canceled');
  });

  it('because the environment has none any more: 502, and nothing is lost', async () => {
    const { task_queue, gateway, pay_url_base } = api.service.config;
    const other_queue = `${task_queue}-${randomBytes(4).toString('hex')}`;
    const overrides = { task_queue: other_queue, pay_url_base, gateway };
    const before = await startTestService({ database: api.database, overrides });
    const { json: intent } = await postIntent(
      { service: before, test_key: api.test_key },
      intentBody(),
    );
    await before.stop();
    const bare = await startTestService({
      database: api.database,
      overrides: { ...overrides, gateway: { ...gateway, simulator: undefined } },
    });
    const at = { service: bare, test_key: api.test_key };
    expect(await postCancel(at, intent.id)).toMatchObject(refusal('gateway_error'));
    expect((await getIntent(at, intent.id)).json.status).toBe('open');
    await bare.stop();
    const after = await startTestService({
      database: api.database,
      overrides: { task_queue: other_queue, pay_url_base, gateway },
    });
    await waitFor(async () => {
      const again = { service: after, test_key: api.test_key };
      return (await postCancel(again, intent.id)).status === 200;
    });
  });
});
