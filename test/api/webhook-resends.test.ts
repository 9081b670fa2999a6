// A range of deliveries is sent again: which ones are queued, how many so far, and what is refused. No worker runs here.

import { continueResend } from '../../db/webhooks/webhook-resends';
import { createTestDatabase, setUp } from '../support/database';
import type { HttpResponse } from '../support/http';
import { startTestService } from '../support/service';
import { addEvents } from '../support/webhooks';
import { deliveriesTo } from '../webhooks/deliveries';
import { buildAccount } from './support/accounts';
import { refusal } from './support/contract';
import { call, listDeliveries, createEndpoint, type Merchant } from './support/webhooks';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const account = setUp(() => buildAccount(database));
let merchant: Merchant;

beforeAll(() => {
  merchant = { service, key: account.sandbox };
});

/** An endpoint with a delivery of each of these statuses, in the order of their creation. */
async function buildEndpoint(statuses: readonly string[]): Promise<string> {
  const made = await createEndpoint(merchant);
  const endpoint = { ...made, user_id: account.id, environment: 'sandbox' } as const;
  await addEvents(database, [endpoint], statuses.length);
  await database.owner.raw(
    `update webhook_deliveries d
        set status = s.status,
            next_attempt_at = case when s.status = 'pending' then now() + interval '1 day' end,
            delivered_at = case when s.status = 'delivered' then now() end
       from (select x.id, (?::text[])[row_number() over (order by x.created_at)] as status
               from webhook_deliveries x where x.endpoint_id = ?) s
      where s.id = d.id`,
    [[...statuses], made.id],
  );
  return made.id;
}

const start = (id: string, body?: unknown): Promise<HttpResponse> =>
  call(merchant, 'POST', `/webhook-endpoints/${id}/resend`, body);

/** Queues all that there is to queue. */
async function finish(id: string): Promise<HttpResponse['json']> {
  while (await continueResend(database.db, 3));
  return (await call(merchant, 'GET', `/webhook-resends/${id}`)).json;
}

/** Which of them were queued, in the order of their creation. */
async function queuedAt(id: string): Promise<boolean[]> {
  return (await deliveriesTo({ database }, { id })).map(({ is_resend }) => is_resend);
}

it('queues everything that has not arrived, each once, and says how many', async () => {
  const statuses = ['pending', 'held', 'delivered', 'exhausted', 'exhausted'];
  const id = await buildEndpoint(statuses);
  const { status, json } = await start(id);
  expect(status).toBe(202);
  expect(json).toMatchObject({ ok: true, endpoint_id: id, status: 'running', queued: 0 });
  // An id is taken in capitals, too.
  const done = await finish(json.id.toUpperCase());
  const { completed_at } = done;
  expect(done).toEqual({ ...json, status: 'completed', queued: 4, completed_at });
  expect(completed_at >= done.created_at).toBe(true);
  expect(await queuedAt(id)).toEqual(statuses.map((one) => one !== 'delivered'));
});

it('with times includes created_from and excludes created_to', async () => {
  const id = await buildEndpoint(Array<string>(6).fill('exhausted'));
  const rows = await listDeliveries(merchant, `?endpoint_id=${id}`);
  const [created_to, , , created_from] = rows.map(({ created_at }) => created_at);
  // None is between, and none is in the future.
  for (const [range, queued] of [
    [{ created_from: created_to, created_to: created_from }, 0],
    [{ created_from: '9999-12-31' }, 0],
    [{ created_to: '2000-01-01' }, 0],
    [{ created_from, created_to }, 3],
  ] as const) {
    const { json } = await start(id, range);
    expect(await finish(json.id)).toMatchObject({ status: 'completed', queued });
  }
  expect(await queuedAt(id)).toEqual([false, false, true, true, true, false]);
});

it('is refused while another of the endpoint is running, which it names', async () => {
  const id = await buildEndpoint([]);
  const { json } = await start(id);
  const refused = await start(id);
  expect(refused).toMatchObject(refusal('webhook_resend_running'));
  expect(refused.json.error.message).toContain(json.id);
  await finish(json.id);
  expect((await start(id)).status).toBe(202);
});
