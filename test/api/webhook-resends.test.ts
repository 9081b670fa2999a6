// Workers resend a range of deliveries: which ones, how many so far, and what is refused.

import { continueResend } from '../../db/webhooks/webhook-resends';
import { createTestDatabase, setUp } from '../support/database';
import { type HttpResponse } from '../support/http';
import { startTestService } from '../support/service';
import { waitFor } from '../support/wait';
import {
  beginTestResend,
  addEvents,
  startReceiver,
  type TestEndpoint,
  type TestReceiver,
} from '../support/webhooks';
import { buildAccount, type Account } from './support/accounts';
import { refusal } from './support/contract';
import {
  call,
  listDeliveries,
  createEndpoint,
  patchEndpoint,
  type Merchant,
} from './support/webhooks';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database, webhooks: true }));
let account: Account;
let merchant: Merchant;
let receiver: TestReceiver;

beforeEach(async () => {
  account = await buildAccount(database);
  merchant = { service, key: account.sandbox };
  receiver = await startReceiver();
});

afterEach(() => receiver.shut());

async function listenWith(count: number): Promise<{ endpoint: TestEndpoint; ids: string[] }> {
  const made = await createEndpoint(merchant, { url: receiver.url });
  const endpoint = { ...made, user_id: account.id, environment: 'sandbox' } as const;
  // Nothing is sent before `setStatus` opens it.
  await patchEndpoint(merchant, endpoint.id, { status: 'disabled' });
  return { endpoint, ids: await addEvents(database, [endpoint], count) };
}

/** Repeats the statuses over all deliveries to the endpoint, in the order of their creation. */
async function setStatus(endpoint_id: string, statuses: readonly string[]): Promise<void> {
  await database.owner.raw(
    `update webhook_deliveries d
        set status = s.status, tries = 3, attempts = 0,
            next_attempt_at = case when s.status = 'pending' then now() + interval '1 day' end,
            delivered_at = case when s.status = 'delivered' then now() end
       from (select x.id, (?::text[])[1 + (row_number() over (order by x.created_at) - 1) % ?] as status
               from webhook_deliveries x where x.endpoint_id = ?) s
      where s.id = d.id`,
    [[...statuses], statuses.length, endpoint_id],
  );
  await database.owner.raw(
    `update webhook_endpoints set status = 'enabled', disabled_reason = null where id = ?`,
    [endpoint_id],
  );
}

const start = (id: string, body?: unknown): Promise<HttpResponse> =>
  call(merchant, 'POST', `/webhook-endpoints/${id}/resend`, body);

async function waitForCompletion(id: string): Promise<HttpResponse['json']> {
  return waitFor(async () => {
    const { json } = await call(merchant, 'GET', `/webhook-resends/${id}`);
    return json.status === 'completed' && json;
  });
}

describe('POST /webhook-endpoints/{id}/resend', () => {
  it('sends everything that has not arrived, each once, and says how many', async () => {
    const { endpoint, ids } = await listenWith(20);
    await setStatus(endpoint.id, ['pending', 'held', 'delivered', 'exhausted']);
    const response = await start(endpoint.id);
    expect(response).toMatchObject({ status: 202, json: { ok: true, endpoint_id: endpoint.id } });
    const done = await waitForCompletion(response.json.id);
    expect(done).toMatchObject({ status: 'completed', queued: 15 });
    expect(done.completed_at >= done.created_at).toBe(true);
    await waitFor(async () => {
      const rows = await listDeliveries(merchant, '?status=delivered');
      return rows.length === 20;
    });
    const wanted = ids.filter((_, index) => index % 4 !== 2);
    expect(receiver.counts()).toEqual(new Map(wanted.map((id) => [id, 1])));
  });

  it('with times includes created_from and excludes created_to', async () => {
    const { endpoint, ids } = await listenWith(6);
    await setStatus(endpoint.id, ['exhausted']);
    const rows = await listDeliveries(merchant, `?endpoint_id=${endpoint.id}`);
    const [created_to, , , created_from] = rows.map(({ created_at }) => created_at);
    const { json } = await start(endpoint.id, { created_from, created_to });
    expect((await waitForCompletion(json.id)).queued).toBe(3);
    await waitFor(() => receiver.received.length >= 3);
    expect(new Set(receiver.counts().keys())).toEqual(
      new Set(rows.slice(1, 4).map(({ event_id }) => event_id)),
    );
    expect(ids).toHaveLength(6);
    // None is between, and none is in the future.
    for (const range of [
      { created_from: created_to, created_to: created_from },
      { created_from: '9999-12-31' },
      { created_to: '2000-01-01' },
    ]) {
      const empty = await start(endpoint.id, range);
      expect((await waitForCompletion(empty.json.id)).queued).toBe(0);
    }
  });

  it('is refused while another of the endpoint is running, which it names', async () => {
    // No worker is at it.
    const own = await createTestDatabase();
    const { id: user_id, sandbox } = await buildAccount(own);
    const without_worker = { service: await startTestService({ database: own }), key: sandbox };
    const made = await createEndpoint(without_worker, { url: receiver.url });
    const endpoint = { ...made, user_id, environment: 'sandbox' } as const;
    const running = await beginTestResend(own.db, endpoint, ['pending']);
    const again = () => call(without_worker, 'POST', `/webhook-endpoints/${endpoint.id}/resend`);
    const refused = await again();
    expect(refused).toMatchObject(refusal('webhook_resend_running'));
    expect(refused.json.error.message).toContain(running);
    expect(await continueResend(own.db, 100)).toBe(true);
    expect((await again()).status).toBe(202);
  });
});

describe('GET /webhook-resends/{id}', () => {
  it('answers the same as the start did, and accepts an id in capitals', async () => {
    const { id } = await createEndpoint(merchant, { url: receiver.url });
    const { json } = await start(id);
    const done = await waitForCompletion(json.id);
    expect(done).toEqual({ ...json, status: 'completed', completed_at: done.completed_at });
    const shouted = await call(merchant, 'GET', `/webhook-resends/${json.id.toUpperCase()}`);
    expect(shouted.json).toEqual(done);
  });
});
