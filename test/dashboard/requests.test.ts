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
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { buildApiKey, buildUser, type TestKey, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { signInOwner } from './accounts';
import type { VisitedPage, Visitor } from './visitor';

let database: TestDatabase;
let service: TestService;
let visitor: Visitor;
let user: TestUser;
let key: TestKey;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  ({ visitor, user } = await signInOwner(service, database));
  key = await buildApiKey(database.db, { user, environment: 'sandbox' });
});

const MINUTE_MS = 60_000;

/** So many minutes ago; newer ones first. */
function rowOf(
  key_id: string,
  age: number,
  fields: Readonly<Record<string, unknown>> = {},
): AccessEntry {
  const at = new Date(Date.now() - age * MINUTE_MS).toISOString();
  return {
    id: randomUUID(),
    at,
    ip: '203.0.113.7',
    key_id,
    method: 'GET',
    route: '/v1/wallets',
    status: 200,
    request_id: `age-${age}`,
    duration_ms: 1.25,
    ...fields,
  } as AccessEntry;
}

async function add(rows: readonly AccessEntry[]): Promise<void> {
  await insertAccessRows(database.db, rows);
}

/** The request ids, as listed. */
function idsOf({ document }: VisitedPage): string[] {
  return document.querySelectorAll('tbody code.hint').map(({ textContent }) => textContent);
}

function linkOf({ document }: VisitedPage, text: string): string | undefined {
  const links = document.querySelectorAll('.pager a');
  return links.find(({ textContent }) => textContent === text)?.getAttribute('href');
}

async function newAccount(): Promise<{ user: TestUser; key: TestKey; visitor: Visitor }> {
  const member = await signInOwner(service, database);
  return {
    ...member,
    key: await buildApiKey(database.db, { user: member.user, environment: 'sandbox' }),
  };
}

describe('the request log', () => {
  it('has a call that was just made, with what is known of it', async () => {
    const headers = { 'x-request-id': 'order-4711' };
    await callApi(service, 'GET', '/wallets', { key: key.key, headers });
    const page = await waitFor(async () => {
      const now = await visitor.open('/requests');
      return now.text.includes('order-4711') ? now : undefined;
    });
    const row = page.document
      .querySelectorAll('tbody tr')
      .find(({ text }) => text.includes('order-4711'))!.structuredText;
    expect(row).toMatch(/GET \/\S*wallets/);
    expect(row).toContain('200');
    expect(row).toContain(`…${key.key.slice(-4)}`);
    expect(row).toContain('127.0.0.1');
    expect(row).toMatch(/[\d.]+ ms/);
  });

  it('has a page for a refused call: why, what was asked and answered, and nothing that is personal', async () => {
    const own = await newAccount();
    const body = { amount: 15_000, currency: 'XOF', customer_email: 'fatou@', desc: 'for Awa' };
    const options = { key: own.key.key, body };
    await request(service, 'POST', '/payment-intents?source=fatou@example.com', options);
    const list = await waitFor(async () => {
      const now = await own.visitor.open('/requests');
      return now.text.includes('invalid_request') ? now : undefined;
    });
    const href = list.document.querySelector('tbody a[href*="/requests/"]')!.getAttribute('href')!;
    const path = href.replace('/dashboard', '');
    const page = await own.visitor.open(path);
    const shown = page.document.querySelector('main')!.structuredText;
    expect(shown).toContain('POST /api/public/v1/payment-intents?source=…');
    expect(shown).toContain('desc is not a known field. Did you mean description?');
    expect(page.document.querySelector('main a[href$="#invalid_request"]')).not.toBeNull();
    const texts = page.document.querySelectorAll('pre').map(({ textContent }) => textContent);
    expect(JSON.parse(texts[0]!)).toEqual({
      amount: 15_000,
      currency: 'XOF',
      customer_email: '…',
      desc: '…',
      // Filled in before the check.
      expires_in: 86_400,
    });
    expect(JSON.parse(texts[1]!)).toMatchObject({ error: { param: 'desc' } });
    expect(page.text).not.toContain('fatou@');
    expect((await visitor.open(path)).status).toBe(404);
  });

  it('is filtered by status, method, key, request id and time', async () => {
    const own = await newAccount();
    const other = await buildApiKey(database.db, { user: own.user, environment: 'sandbox' });
    await add([
      rowOf(own.key.id, 1, { request_id: 'a', status: 500 }),
      rowOf(own.key.id, 2, { request_id: 'b', status: 503, method: 'POST' }),
      rowOf(other.id, 3, { request_id: 'c', status: 404 }),
      rowOf(own.key.id, 120, { request_id: 'd' }),
    ]);
    const ids = async (query: string): Promise<string[]> =>
      idsOf(await own.visitor.open(`/requests?${query}`));
    expect(await ids('')).toEqual(['a', 'b', 'c', 'd']);
    expect(await ids('status=5')).toEqual(['a', 'b']);
    expect(await ids('status=5&method=POST')).toEqual(['b']);
    expect(await ids(`key=${other.id}`)).toEqual(['c']);
    expect(await ids('request_id=d')).toEqual(['d']);
    const hour_ago = new Date(Date.now() - 60 * MINUTE_MS).toISOString().slice(0, 16);
    expect(await ids(`before=${hour_ago}`)).toEqual(['d']);
    const wrong = await own.visitor.open('/requests?before=yesterday');
    expect([wrong.status, wrong.text]).toEqual([
      422,
      expect.stringContaining('Write a date and a time.'),
    ]);
    // A filter without meaning is left out, and no fault.
    expect((await ids('status=9&key=x&cursor=y&method=DROP')).length).toBe(4);
  });

  it('reads a limited number of rows for a page, and goes on from there', async () => {
    const own = await newAccount();
    const busy = await buildApiKey(database.db, { user: own.user, environment: 'sandbox' });
    // The one that is looked for is behind more rows than one page reads.
    await database.owner.raw(`select make_access_day((now() at time zone 'UTC')::date - 1)`);
    await database.owner.raw(
      `insert into access_entries (id, at, ip, key_id, method, route, status, request_id, duration_ms)
       select gen_random_uuid(), date_trunc('day', now()) - n * interval '1 second', '203.0.113.7',
              ?::uuid, 'GET', '/v1/wallets', 200, 'noise', 1 from generate_series(1, ?) n`,
      [busy.id, MAX_SCANNED + 1_000],
    );
    const midnight = new Date().setUTCHours(0, 0, 0, 0);
    const before = new Date(midnight - (MAX_SCANNED + 2_000) * 1_000).toISOString();
    const between = new Date(midnight - 500 * 1_000 - 1).toISOString();
    await add([
      rowOf(busy.id, 0, { at: before, request_id: 'wanted' }),
      // This key's few rows are all read, but not shown before those of the busy one are known.
      rowOf(own.key.id, 0, { at: before, request_id: 'quiet', status: 500 }),
      rowOf(own.key.id, 0, { at: between, request_id: 'between', status: 500 }),
    ]);
    let page = await own.visitor.open('/requests?request_id=wanted');
    expect([idsOf(page), page.text]).toEqual([[], expect.stringContaining('Nothing since')]);
    page = await own.visitor.open(linkOf(page, 'Look further back')!);
    for (let left = 3; idsOf(page).length === 0 && left > 0; left -= 1) {
      page = await own.visitor.open(linkOf(page, 'Look further back')!);
    }
    expect(idsOf(page)).toEqual(['wanted']);

    page = await own.visitor.open('/requests?status=5');
    expect(idsOf(page)).toEqual(['between']);
    const { rows, searched_to } = await listRequests(database.db, {
      user_id: own.user.id,
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
    const other = await buildUser(database.db);
    const foreign = await buildApiKey(database.db, { user: other, environment: 'sandbox' });
    const live = await buildApiKey(database.db, { user, environment: 'live' });
    await add([
      rowOf(foreign.id, 1, { request_id: 'foreign' }),
      rowOf(live.id, 1, { request_id: 'live' }),
      { ...rowOf(foreign.id, 1, { request_id: 'nobody' }), key_id: null },
    ]);
    for (const query of [
      '',
      '?request_id=foreign',
      '?request_id=live',
      '?request_id=nobody',
      `?key=${foreign.id}`,
      `?key=${live.id}`,
    ]) {
      const page = await visitor.open(`/requests${query}`);
      expect([query, page.status]).toEqual([query, 200]);
      for (const id of ['foreign', 'live', 'nobody']) expect(idsOf(page)).not.toContain(id);
    }
    await visitor.submit('/environment', { environment: 'live' });
    expect(idsOf(await visitor.open('/requests'))).toContain('live');
    await visitor.submit('/environment', { environment: 'sandbox' });
  });
});
