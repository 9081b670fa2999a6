// Disputes over HTTP, opened and ended by the sandbox gateway: what a merchant sees of them.

import { listTroubledDisputes } from '../../db/disputes/disputes';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import type { HttpResponse } from '../support/http';
import { deliverSigned } from '../support/notifications';
import { setFaults } from '../support/sandbox-gateway';
import { waitFor } from '../support/wait';
import { startReceiver, type TestReceiver } from '../support/webhooks';
import { callApi, refusal } from './support/contract';
import { act, disputePayment, listDisputes } from './support/disputes';
import { payLink, postRefund } from './support/refunds';

const api = setUp(() => startTestApi({ webhooks: true }));

afterEach(async () => {
  await setFaults(api.gateway, 'sandbox', {});
  await expectBooksHold(api.database.db);
});

type Json = HttpResponse['json'];

const wallet = (): Promise<bigint> => balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox');
const get = (path: string): Promise<HttpResponse> =>
  callApi(api.service, 'GET', path, { key: api.test_key });

/** In the order in which they happened. */
async function historyOf(reference: string): Promise<string[]> {
  const { json } = await get(`/transactions?reference=${reference}`);
  const rows = (json.transactions as Json[]).toReversed();
  return rows.map(({ type, direction, amount }: Json) => `${type} ${direction} ${amount}`);
}

describe('a dispute', () => {
  it('takes its amount at once, and is told, listed and shown', async () => {
    const receiver: TestReceiver = await startReceiver();
    await callApi(api.service, 'POST', '/webhook-endpoints', {
      key: api.test_key,
      body: { url: receiver.url, types: ['dispute.opened', 'dispute.lost'] },
    });
    const link = await payLink(api);
    const before = await wallet();
    const opened = await disputePayment(api, link.id);
    expect(opened).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      reference: expect.stringMatching(/^DSP-[0-9A-HJKMNP-TV-Z]{20}$/),
      payment_intent_id: link.id,
      amount: 5000,
      currency: 'XOF',
      fee: 0,
      status: 'open',
      reason: 'product_not_received',
      evidence_due_by: expect.any(String),
      owed_amount: 0,
      environment: 'sandbox',
      created_at: expect.any(String),
      closed_at: null,
    });
    expect(await wallet()).toBe(before - 500_000n);
    await payLink(api, { amount: 20_000 });
    const lost = await disputePayment(api, link.id, { course: 'lost' });
    expect(lost).toEqual({ ...opened, status: 'lost', fee: 10_000, closed_at: expect.any(String) });
    expect(await wallet()).toBe(before - 500_000n + 2_000_000n - 1_000_000n);
    expect((await get(`/disputes/${opened.id}`)).json).toEqual({ ok: true, ...lost });
    expect(await historyOf(opened.reference)).toEqual(['dispute out 5000', 'dispute out 10000']);
    const events = await waitFor(() => receiver.received.length >= 2 && receiver.received);
    expect(events.map(({ body }) => [JSON.parse(body).type, JSON.parse(body).data])).toEqual([
      ['dispute.opened', opened],
      ['dispute.lost', lost],
    ]);
    await receiver.shut();
  });

  it('brings back what it took when it is won', async () => {
    const link = await payLink(api);
    const before = await wallet();
    const part = await disputePayment(api, link.id, { amount_minor: '200000' });
    expect(await wallet()).toBe(before - 200_000n);
    expect(await postRefund(api, link.id)).toMatchObject(refusal('payment_disputed'));
    const won = await disputePayment(api, link.id, { course: 'won' });
    expect(won).toMatchObject({ id: part.id, amount: 2000, fee: 0, owed_amount: 0 });
    expect(await wallet()).toBe(before);
    expect(await historyOf(part.reference)).toEqual(['dispute out 2000', 'reversal in 2000']);
  });

  it('is asked about again when the gateway does not answer, and then told as it is', async () => {
    const link = await payLink(api);
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'find' });
    await act(api, link.id, { course: 'open' });
    await act(api, link.id, { course: 'won' });
    const troubled = await waitFor(async () => {
      const all = await listTroubledDisputes(api.database.operator, 100);
      return all.find(({ problem }) => problem.includes('returned 503'));
    });
    expect(troubled).toMatchObject({ gateway: 'sandbox', environment: 'sandbox' });
    expect(await listDisputes(api, link.id)).toEqual([]);
    await setFaults(api.gateway, 'sandbox', {});
    await api.database.owner.raw('update dispute_notices set next_try_at = now()');
    const [dispute] = await waitFor(async () => {
      const found = await listDisputes(api, link.id);
      return found.length > 0 && found;
    });
    expect(dispute).toMatchObject({ status: 'won' });
  });

  it('that the gateway does not know is left to operators', async () => {
    const about = { event_id: 'evt_1', environment: 'sandbox', dispute_id: 'dp_nobody' };
    const text = JSON.stringify({ ...about, type: 'dispute.updated' });
    expect((await deliverSigned(api, text, 'sandbox')).status).toBe(200);
    await waitFor(async () => {
      const all = await listTroubledDisputes(api.database.operator, 100);
      return all.some(({ dispute_id, problem }) => dispute_id === 'dp_nobody' && problem !== null);
    });
  });
});

describe('GET /disputes', () => {
  it('lists by status, currency and time', async () => {
    const link = await payLink(api);
    const { id, created_at } = await disputePayment(api, link.id);
    const listed = async (query: string): Promise<string[]> =>
      (await get(`/disputes?limit=1&${query}`)).json.disputes.map((one: Json) => one.id);
    expect(await listed('status=open')).toEqual([id]);
    expect(await listed('currency=EUR')).toEqual([]);
    expect(await listed(`created_from=${created_at}`)).toEqual([id]);
    expect(await listed(`created_to=${created_at}`)).not.toEqual([id]);
    const page = (await get('/disputes?limit=1')).json;
    expect(page).toMatchObject({ has_more: true, next_cursor: created_at });
    expect(await listed(`cursor=${page.next_cursor}`)).not.toEqual([id]);
  });
});
