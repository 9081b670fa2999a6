import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { listIntents } from '../../db/payment-intents/intent-views';
import type { Faults } from '../../dev/simulators/gateway/faults';
import { uuidOf } from '../../secrets/hash';
import { expectBooksHold } from '../support/books';
import { createTestDatabase } from '../support/database';
import type { HttpResponse } from '../support/http';
import { request } from '../support/http';
import { pickTestPort } from '../support/ports';
import { adapterOf, checkoutRequest, recordsIn, setFaults } from '../support/sandbox-gateway';
import { gatewayConfig, startTestApi, type TestApi } from '../support/api';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { eventsOf, handleOf, statusOf, untilStatus } from './intents';
import { keepHistory } from './saved-histories';

/** Short, so that a gateway that is silent does not hold up the tests. */
const TIMEOUT_MS = 3_000;

let api: TestApi;
let temporal: Client;

beforeAll(async () => {
  const port = await pickTestPort();
  const config = gatewayConfig({ url: `http://127.0.0.1:${port}` });
  api = await startTestApi({
    database: await createTestDatabase(),
    gateway: { port },
    overrides: { gateway: { ...config, timeout_ms: TIMEOUT_MS } },
  });
  temporal = await connectTestTemporal();
});

beforeEach(() => setFaults(api.gateway, 'sandbox', {}));

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

/** One key is one intent: its id is known before it is asked for. */
const idOf = (key: string): string => uuidOf(`sandbox/${api.merchant.id}/payment_intent/${key}`);

async function rowOf(id: string): Promise<{ short_code: string; reference: string }> {
  const { rows } = await api.database.owner.raw(
    'select short_code, reference from payment_intents where id = ?',
    [id],
  );
  return (rows as { short_code: string; reference: string }[])[0]!;
}

async function expectInvisible(id: string): Promise<void> {
  const { short_code, reference } = await rowOf(id);
  for (const name of [id, short_code]) {
    const shown = await api.show(name);
    expect([shown.status, shown.json.error.code]).toEqual([404, 'payment_intent_not_found']);
    expect((await api.cancel(name)).status).toBe(404);
    const path = `/payment-intents/${name}/timeline`;
    expect((await request(api.service, 'GET', path, { key: api.test_key })).status).toBe(404);
  }
  const path = `/payment-intents?reference=${reference}`;
  const listed = await request(api.service, 'GET', path, { key: api.test_key });
  expect(listed.json.payment_intents).toEqual([]);
  const page = await request(api.service, 'GET', `${api.service.origin}/p/${short_code}`);
  expect(page.status).toBe(404);
  expect(await eventsOf(api.database, { id })).toEqual([]);
}

/** Every session that the gateway ever opened for an intent, by its journal. */
function sessionsAtGateway(id: string): number {
  return recordsIn(api.gateway.file, 'session').filter(({ intent_id }) => intent_id === id).length;
}

async function expectOneOfEach(id: string, answer: HttpResponse): Promise<void> {
  expect(answer.status).toBe(201);
  expect(answer.json).toMatchObject({ id, status: 'open' });
  expect((await api.show(id)).text).toBe(answer.text);
  expect(sessionsAtGateway(id)).toBe(1);
  const rows = await listIntents(api.database.db, {
    user_id: api.merchant.id,
    environment: 'sandbox',
    pay_url_base: '',
    before: undefined,
    limit: 1_000,
    filters: {},
  });
  expect(rows.filter((row) => row.id === id)).toHaveLength(1);
}

describe('opening a checkout', () => {
  it.each([
    ['does its work and resets', { fail: 'reset', after_work: true }, 502, 'gateway_error'],
    ['answers after the timeout', { answer_after_timeout: true }, 504, 'gateway_timeout'],
  ] as const satisfies readonly (readonly [string, Partial<Faults>, number, string])[])(
    'that %s: nothing is seen, and a retry with the key gets it when the gateway is back',
    async (_, faults, status, code) => {
      const idempotency_key = randomUUID();
      const id = idOf(idempotency_key);
      await setFaults(api.gateway, 'sandbox', { only: 'open', ...faults });
      const failed = await api.create({}, { idempotency_key });
      expect([failed.status, failed.json.error.code]).toEqual([status, code]);
      expect(failed.json.error.retryable).toBe(true);
      expect(await statusOf(api.database, { id })).toBe('creating');
      await expectInvisible(id);
      // While the gateway is still so, a retry is told so.
      const again = await api.create({}, { idempotency_key });
      expect([again.status, again.json.error.code]).toEqual([status, code]);

      await setFaults(api.gateway, 'sandbox', {});
      const opened = await waitFor(async () => {
        const answer = await api.create({}, { idempotency_key });
        return answer.status === 201 && answer;
      });
      await expectOneOfEach(id, opened);
      const runs: string[] = [];
      const query = `WorkflowId = 'intent/sandbox/${id}'`;
      await waitFor(async () => {
        runs.length = 0;
        for await (const { runId } of temporal.workflow.list({ query })) runs.push(runId);
        return runs.length > 0;
      });
      expect(runs).toHaveLength(1);
      const history = await handleOf(temporal, { id }).fetchHistory();
      if (status === 504) keepHistory('payment-intent-opened-late-504', history);
    },
  );

  it('goes on by itself: the gateway comes back, and nobody asks again', async () => {
    const idempotency_key = randomUUID();
    const id = idOf(idempotency_key);
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'open', calls: 1 });
    expect((await api.create({}, { idempotency_key })).status).toBe(502);
    await untilStatus(api.database, { id }, 'open');
    expect((await api.create({}, { idempotency_key })).status).toBe(201);
  });

  it('of another body with the key is refused while the first one waits', async () => {
    const idempotency_key = randomUUID();
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'open' });
    await api.create({}, { idempotency_key });
    const other = await api.create({ amount: 6000 }, { idempotency_key });
    expect([other.status, other.json.error.code]).toEqual([422, 'idempotency_key_reuse']);
    await handleOf(temporal, { id: idOf(idempotency_key) }).terminate('end of the test');
  });
});

it('answers 502 when the gateway refuses it, ends the workflow at once, and is seen nowhere', async () => {
  const idempotency_key = randomUUID();
  const id = idOf(idempotency_key);
  // The gateway has a session of this intent already, with another amount.
  await adapterOf(api.gateway, 'sandbox').openCheckout(checkoutRequest({ intent_id: id }));
  // It is refused again with the same words, however soon the key is repeated.
  for (let n = 0; n < 5; n += 1) {
    const { status, json } = await api.create({ amount: 7000 }, { idempotency_key });
    const { code, message } = json.error;
    expect([status, code]).toEqual([502, 'gateway_error']);
    expect(message).toBe('The payment gateway refused this payment.');
  }
  const handle = handleOf(temporal, { id });
  expect(await handle.result()).toEqual({ status: 'abandoned' });
  expect(await statusOf(api.database, { id })).toBe('abandoned');
  await expectInvisible(id);
  keepHistory('payment-intent-refused', await handle.fetchHistory());
});
