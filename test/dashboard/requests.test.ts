// The log of an account's calls: real calls where they matter, rows of our own where there must be many.

import { randomUUID } from 'node:crypto';
import {
  insertAccessRows,
  listRequests,
  MAX_SCANNED,
  type AccessEntry,
} from '../../db/requests/access-log';
import { callApi } from '../api/support/contract';
import { request } from '../support/http';
import { buildApiKey, buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { expectPage, type VisitedPage } from './visitor';
import { useWorld } from './world';

const w = useWorld({ of_each: 'test' });

/** So many minutes ago; newer ones first. */
const rowOf = (key_id: string | null, age: number, fields: Partial<AccessEntry> = {}) =>
  ({
    id: randomUUID(),
    at: new Date(Date.now() - age * 60_000).toISOString(),
    ip: '203.0.113.7',
    key_id,
    method: 'GET',
    route: '/v1/wallets',
    status: 200,
    request_id: `age-${age}`,
    duration_ms: 1.25,
    ...fields,
  }) as AccessEntry;

const add = (...rows: readonly AccessEntry[]) => insertAccessRows(w.database.db, rows);
const newKey = (user: TestUser = w.user, environment: 'live' | 'sandbox' = 'sandbox') =>
  buildApiKey(w.database.db, { user, environment });
/** The request ids, as listed. */
const idsAt = async (query: string): Promise<string[]> =>
  idsOf(await w.visitor.open(`/requests${query}`));
const idsOf = ({ document }: VisitedPage): string[] =>
  document.querySelectorAll('tbody code.hint').map(({ textContent }) => textContent);

it('has a call that was just made, with what is known of it', async () => {
  const { key } = await newKey();
  const headers = { 'x-request-id': 'order-4711' };
  await callApi(w.service, 'GET', '/wallets', { key, headers });
  const row = await waitFor(async () =>
    (await w.visitor.open('/requests')).rows.find((text) => text.includes('order-4711')),
  );
  expect(row).toMatch(/GET \/\S*wallets.*200/);
  for (const text of [`…${key.slice(-4)}`, '127.0.0.1']) expect(row).toContain(text);
  expect(row).toMatch(/[\d.]+ ms/);
});

it('has a page for a refused call: why, what was asked and answered, and nothing that is personal', async () => {
  const { key } = await newKey();
  const body = { amount: 15_000, currency: 'XOF', customer_email: 'fatou@', desc: 'for Awa' };
  await request(w.service, 'POST', '/payment-intents?source=fatou@example.com', { key, body });
  const href = await waitFor(async () =>
    (await w.visitor.open('/requests')).document
      .querySelector('tbody a[href*="/requests/"]')
      ?.getAttribute('href'),
  );
  const page = await w.visitor.open(href);
  expectPage(page, 200, 'POST /api/public/v1/payment-intents?source=…');
  expectPage(page, 200, 'desc is not a known field. Did you mean description?');
  expect(page.document.querySelector('main a[href$="#invalid_request"]')).not.toBeNull();
  const texts = page.document.querySelectorAll('pre').map(({ textContent }) => textContent);
  // Its time is filled in before the check.
  const hidden = { customer_email: '…', desc: '…', expires_in: 86_400 };
  expect(JSON.parse(texts[0]!)).toEqual({ amount: 15_000, currency: 'XOF', ...hidden });
  expect(JSON.parse(texts[1]!)).toMatchObject({ error: { param: 'desc' } });
  expect(page.text).not.toContain('fatou@');
  expect((await (await w.signIn()).visitor.open(href)).status).toBe(404);
});

it('is filtered by status, method, key, name and time', async () => {
  const [key, other] = [await newKey(), await newKey()];
  await add(
    rowOf(key.id, 1, { request_id: 'a', status: 500 }),
    rowOf(key.id, 2, { request_id: 'b', status: 503, method: 'POST' }),
    rowOf(other.id, 3, { request_id: 'c', status: 404 }),
    rowOf(key.id, 120, { request_id: 'd' }),
  );
  const hour_ago = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16);
  for (const [query, ids] of [
    ['', 'abcd'],
    ['?status=5', 'ab'],
    ['?status=5&method=POST', 'b'],
    [`?key=${other.id}`, 'c'],
    ['?name=d', 'd'],
    [`?before=${hour_ago}`, 'd'],
    // A filter without meaning is left out, and no fault.
    ['?status=9&key=x&cursor=y&method=DROP', 'abcd'],
  ] as const) {
    expect([query, (await idsAt(query)).join('')]).toEqual([query, ids]);
  }
  const wrong = await w.visitor.open('/requests?before=yesterday');
  expectPage(wrong, 422, 'Write a date and a time.');
});

it('finds a call by its id, its key, and the names of what it made; its page names them and links there', async () => {
  const { key } = await newKey();
  const answer = await callApi(w.service, 'POST', '/payment-links', {
    key,
    body: { title: 'A book', amount: 500, currency: 'XOF' },
    headers: { 'idempotency-key': 'order-4711', 'sandbox-fault': 'slow=1' },
  });
  const { id, code } = answer.json as Readonly<Record<string, string>>;
  const request_id = String(answer.headers['x-request-id']);
  await callApi(w.service, 'GET', `/payment-links/${code}`, { key });
  const read = `GET /api/public/v1/payment-links/${code}`;
  await waitFor(async () => (await w.visitor.open('/requests')).text.includes(read));
  for (const [name, found] of [
    [request_id, 1],
    ['order-4711', 1],
    [id!, 2],
    [code!, 2],
    ['order-4712', 0],
  ] as const) {
    expect([name, (await idsAt(`?name=${name}`)).length]).toEqual([name, found]);
  }
  const list = await w.visitor.open('/requests?name=order-4711');
  const page = await w.visitor.open(list.link('POST /api/public/v1/payment-links'));
  for (const text of ['order-4711', 'slow=1', code!]) expect(page.text).toContain(text);
  expectPage(await w.visitor.open(page.link(id!)), 200, 'A book');
});

it('reads a limited number of rows for a page, and goes on from there', async () => {
  const [key, busy] = [await newKey(), await newKey()];
  // The one that is looked for is behind more rows than one page reads.
  await w.sql(`select make_access_day((now() at time zone 'UTC')::date - 1)`);
  await w.sql(
    `insert into access_entries (id, at, ip, key_id, method, route, status, request_id, duration_ms)
     select gen_random_uuid(), date_trunc('day', now()) - n * interval '1 second', '203.0.113.7',
            ?::uuid, 'GET', '/v1/wallets', 200, 'noise', 1 from generate_series(1, ?) n`,
    [busy.id, MAX_SCANNED + 1_000],
  );
  const midnight = new Date().setUTCHours(0, 0, 0, 0);
  const before = new Date(midnight - (MAX_SCANNED + 2_000) * 1_000).toISOString();
  const between = new Date(midnight - 500 * 1_000 - 1).toISOString();
  await add(
    rowOf(busy.id, 0, { at: before, request_id: 'wanted' }),
    // This key's few rows are all read, but not shown before those of the busy one are known.
    rowOf(key.id, 0, { at: before, request_id: 'quiet', status: 500 }),
    rowOf(key.id, 0, { at: between, request_id: 'between', status: 500 }),
  );
  let page = await w.visitor.open('/requests?name=wanted');
  expectPage(page, 200, 'Nothing since');
  for (let left = 4; idsOf(page).length === 0 && left > 0; left -= 1) {
    page = await w.visitor.open(page.link('Look further back'));
  }
  expect(idsOf(page)).toEqual(['wanted']);

  expect(await idsAt('?status=5')).toEqual(['between']);
  const { rows, searched_to } = await listRequests(w.database.db, {
    user_id: w.user.id,
    environment: 'sandbox',
    limit: 50,
    from: '2020-01-01',
    before: { at: new Date().toISOString(), id: randomUUID() },
    filters: { status_class: 5 },
  });
  expect(rows.map(({ request_id }) => request_id)).toEqual(['between']);
  expect(Date.parse(searched_to!.at)).toBeGreaterThan(Date.parse(before));
});

it('never has a row of another account, or of the other environment', async () => {
  const foreign = await newKey(await buildUser(w.database.db));
  const live = await newKey(w.user, 'live');
  await add(
    rowOf(foreign.id, 1, { request_id: 'foreign' }),
    rowOf(live.id, 1, { request_id: 'live' }),
    rowOf(null, 1, { request_id: 'nobody' }),
  );
  const of = ['name=foreign', 'name=live', 'name=nobody'];
  for (const query of ['', ...of, `key=${foreign.id}`, `key=${live.id}`]) {
    expect([query, await idsAt(`?${query}`)]).toEqual([query, []]);
  }
  await w.show('live');
  expect(await idsAt('')).toEqual(['live']);
});
