// GET /payment-intents: filters and their combinations, and a cursor that neither skips nor repeats.

import fc from 'fast-check';
import { CURRENCIES, type Currency } from '../../domain/currency';
import { INTENT_STATUSES, type IntentStatus } from '../../domain/intent';
import { expectBooksHold } from '../support/books';
import { buildApiKey, buildUser } from '../support/users';
import { startTestApi, type TestApi } from '../support/api';
import { refusal } from './support/contract';
import {
  getIntent,
  intentBody,
  listIntents,
  postCancel,
  postIntent,
  waitForStatus,
} from './support/intents';

let api: TestApi;

interface Row {
  readonly id: string;
  readonly status: IntentStatus;
  readonly currency: Currency;
  readonly reference: string;
  readonly customer_email: string | null;
  readonly created_at: string;
}

/** Newest first. */
let rows: readonly Row[];

const EMAILS = [undefined, 'awa@example.com', 'Awa@example.com', 'moussa@example.com'];

beforeAll(async () => {
  api = await startTestApi();
  // Each combination of status, currency and email, several at a time.
  const specs = INTENT_STATUSES.flatMap((status) =>
    CURRENCIES.flatMap((currency) =>
      EMAILS.slice(0, status === 'open' ? 4 : 2).map((customer_email) => ({
        status,
        currency,
        customer_email,
      })),
    ),
  );
  const made = await Promise.all(specs.map(make));
  rows = made.sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
});

interface Spec {
  readonly status: IntentStatus;
  readonly currency: Currency;
  readonly customer_email: string | undefined;
}

async function make({ status, currency, customer_email }: Spec): Promise<Row> {
  const expires_in = status === 'expired' ? 3 : 86_400;
  const body = intentBody('100', { currency, customer_email, expires_in });
  const { json: intent } = await postIntent(api, body);
  const failure = { code: 'declined', message: 'No.' };
  if (status === 'canceled') await postCancel(api, intent.id);
  if (status === 'succeeded') await api.notify(intent);
  if (status === 'failed') await api.notify(intent, { type: 'payment.failed', failure });
  if (status === 'processing') await api.notify(intent, { type: 'payment.pending' });
  return waitForStatus(api, intent, status);
}

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

async function page(query: string, key?: string) {
  const { json } = await listIntents(api, query, key);
  return json as {
    payment_intents: Row[];
    next_cursor: string | null;
    has_more: boolean;
  };
}

async function idsOf(query: string, key?: string): Promise<string[]> {
  return (await page(query, key)).payment_intents.map(({ id }) => id);
}

const ids = (of: readonly Row[]): string[] => of.map(({ id }) => id);

describe('the list', () => {
  it('is newest first, 25 at a time by default', async () => {
    const first = await page('');
    expect(ids(first.payment_intents)).toEqual(ids(rows.slice(0, 25)));
    expect(first.has_more).toBe(true);
    expect(first.next_cursor).toBe(rows[24]!.created_at);
  });

  it('shows each intent as GET by its id does', async () => {
    for (const row of (await page('?limit=5')).payment_intents) {
      expect((await getIntent(api, row.id)).json).toEqual({ ok: true, ...row });
    }
  });

  it.each([1, 2, 7, 25, 100])('in pages of %i shows every row once', async (limit) => {
    const seen: string[] = [];
    let query = `?limit=${limit}`;
    for (;;) {
      const { payment_intents, next_cursor, has_more } = await page(query);
      expect(payment_intents.length).toBeLessThanOrEqual(limit);
      seen.push(...ids(payment_intents));
      expect(has_more).toBe(next_cursor !== null);
      if (next_cursor === null) break;
      expect(payment_intents).toHaveLength(limit);
      expect(next_cursor).toBe(payment_intents.at(-1)!.created_at);
      query = `?limit=${limit}&cursor=${encodeURIComponent(next_cursor)}`;
    }
    expect(seen).toEqual(ids(rows));
  });

  it('ends without a cursor when the last page is exactly full', async () => {
    const all = await page(`?limit=${rows.length}`);
    expect([all.payment_intents.length, all.next_cursor, all.has_more]).toEqual([
      rows.length,
      null,
      false,
    ]);
    const short = await page(`?limit=${rows.length - 1}`);
    expect([short.has_more, short.next_cursor]).toEqual([true, rows.at(-2)!.created_at]);
  });

  it('is empty before the first intent, and for a merchant who has none', async () => {
    const before = await page('?cursor=2000-01-01T00:00:00Z');
    expect(before).toMatchObject({ payment_intents: [], next_cursor: null, has_more: false });
    const user = await buildUser(api.database.db);
    const { key } = await buildApiKey(api.database.db, { user, environment: 'sandbox' });
    expect(await page('', key)).toMatchObject({ payment_intents: [], next_cursor: null });
  });

  it('shows nothing of the other environment', async () => {
    expect(await idsOf('?limit=100', api.live_key)).toEqual([]);
    const { json } = await postIntent(api, intentBody(), { key: api.live_key });
    expect(await idsOf('?limit=100', api.live_key)).toEqual([json.id]);
    expect(await idsOf('?limit=100')).not.toContain(json.id);
  });
});

describe('the cursor', () => {
  it('keeps its place while rows are added and rows change', async () => {
    const user = await buildUser(api.database.db);
    const { key } = await buildApiKey(api.database.db, { user, environment: 'sandbox' });
    const add = async () => (await postIntent(api, intentBody(), { key })).json as Row;
    const old: Row[] = [];
    for (let index = 0; index < 9; index += 1) old.unshift(await add());
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const found = await page(`?limit=2${after}`, key);
      seen.push(...ids(found.payment_intents));
      cursor = found.next_cursor;
      // Newer rows appear above, and one below changes: neither moves the cursor.
      await Promise.all([add(), add()]);
      await postCancel(api, old.at(-1)!.id, key);
    } while (cursor !== null);
    expect(seen).toEqual(ids(old));
  });

  it('is unique: rows created at once have different times', async () => {
    const user = await buildUser(api.database.db);
    const { key } = await buildApiKey(api.database.db, { user, environment: 'sandbox' });
    await Promise.all(Array.from({ length: 20 }, () => postIntent(api, intentBody(), { key })));
    const { payment_intents } = await page('?limit=100', key);
    expect(new Set(payment_intents.map(({ created_at }) => created_at)).size).toBe(20);
    const one_by_one: string[] = [];
    for (let cursor = ''; ;) {
      const found = await page(`?limit=1${cursor}`, key);
      one_by_one.push(...ids(found.payment_intents));
      if (found.next_cursor === null) break;
      cursor = `&cursor=${found.next_cursor}`;
    }
    expect(one_by_one).toEqual(ids(payment_intents));
  });

  it('may be any instant, in any zone, also with a plus sign that became a space', async () => {
    const { created_at } = rows[4]!;
    const expected = ids(rows.slice(5, 8));
    const shifted = new Date(Date.parse(created_at) + 3_600_000).toISOString().slice(0, 19);
    const micros = created_at.slice(19, 26);
    for (const cursor of [
      created_at,
      encodeURIComponent(created_at),
      created_at.replace('Z', '%2B00:00'),
      `${shifted}${micros}%2B01:00`,
      `${shifted}${micros}+01:00`,
      `${created_at.slice(0, -1)}000Z`,
    ]) {
      expect(await idsOf(`?limit=3&cursor=${cursor}`)).toEqual(expected);
    }
  });

  it.each([
    '',
    'x',
    'yesterday',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01 00:00',
    '1767225600',
    '0000-01-01T00:00:00Z',
    '10000-01-01T00:00:00Z',
    "2026-01-01'--",
    '2026-01-01T00:00:00Z%00',
    '9'.repeat(41),
  ])('%s is refused, as it is in created_from and created_to', async (instant) => {
    for (const name of ['cursor', 'created_from', 'created_to']) {
      expect(await listIntents(api, `?${name}=${instant}`)).toMatchObject(
        refusal('invalid_request', name),
      );
    }
  });
});

describe('limit', () => {
  it.each(['0', '-1', '101', '1.5', '1e1', 'x', '', '%205', '99999999999999999999'])(
    '%s is refused',
    async (limit) => {
      expect(await listIntents(api, `?limit=${limit}`)).toMatchObject(
        refusal('invalid_request', 'limit'),
      );
    },
  );
});

interface Filters {
  readonly status?: IntentStatus | undefined;
  readonly currency?: Currency | undefined;
  readonly reference?: string | undefined;
  readonly customer_email?: string | undefined;
  readonly created_from?: string | undefined;
  readonly created_to?: string | undefined;
}

/** What the filters mean, applied to the rows in memory. */
function expected(filters: Filters): string[] {
  const { created_from, created_to, ...same } = filters;
  return ids(
    rows.filter(
      (row) =>
        Object.entries(same).every(
          ([name, value]) => value === undefined || row[name as keyof Row] === value,
        ) &&
        (created_from === undefined || row.created_at >= created_from) &&
        (created_to === undefined || row.created_at < created_to),
    ),
  );
}

function queryOf(filters: Filters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams([...given, ['limit', '100']] as [string, string][]);
  return `?${query.toString()}`;
}

describe('a filter', () => {
  it.each(INTENT_STATUSES)('status=%s', async (status) => {
    const found = await idsOf(queryOf({ status }));
    expect(found).toEqual(expected({ status }));
    expect(found.length).toBeGreaterThanOrEqual(6);
  });

  it.each(CURRENCIES)('currency=%s', async (currency) => {
    expect(await idsOf(queryOf({ currency }))).toEqual(expected({ currency }));
  });

  it('reference finds the intent that has it, in exactly this spelling', async () => {
    const { reference, id } = rows[7]!;
    expect(await idsOf(queryOf({ reference }))).toEqual([id]);
    expect(await idsOf(queryOf({ reference: reference.toLowerCase() }))).toEqual([]);
    expect(await idsOf(queryOf({ reference: reference.slice(0, -1) }))).toEqual([]);
    expect(await idsOf(queryOf({ reference: 'TRX-%' }))).toEqual([]);
  });

  it('reference finds no intent of another user', async () => {
    const user = await buildUser(api.database.db);
    const { key } = await buildApiKey(api.database.db, { user, environment: 'sandbox' });
    const { reference } = rows[0]!;
    expect(await idsOf(queryOf({ reference }), key)).toEqual([]);
    expect(await idsOf(queryOf({ reference }), api.live_key)).toEqual([]);
  });

  it('customer_email is compared exactly as it was given', async () => {
    for (const customer_email of ['awa@example.com', 'Awa@example.com', 'moussa@example.com']) {
      const found = await idsOf(queryOf({ customer_email }));
      expect(found).toEqual(expected({ customer_email }));
      expect(found.length).toBeGreaterThanOrEqual(3);
    }
    for (const customer_email of ['awa', '%@example.com', "' or 1=1 --", 'nobody@example.com']) {
      expect(await idsOf(queryOf({ customer_email }))).toEqual([]);
    }
  });

  it('created_from is inclusive, created_to is exclusive', async () => {
    const { created_at } = rows[10]!;
    expect(await idsOf(queryOf({ created_from: created_at }))).toEqual(ids(rows.slice(0, 11)));
    expect(await idsOf(queryOf({ created_to: created_at }))).toEqual(ids(rows.slice(11)));
    const [newer, older] = [rows[3]!.created_at, rows[9]!.created_at];
    expect(await idsOf(queryOf({ created_from: older, created_to: newer }))).toEqual(
      ids(rows.slice(4, 10)),
    );
    expect(await idsOf(queryOf({ created_from: newer, created_to: older }))).toEqual([]);
  });

  it('of time may be a date', async () => {
    expect(await idsOf(queryOf({ created_from: '2020-01-01' }))).toHaveLength(rows.length);
    expect(await idsOf(queryOf({ created_to: '2020-01-01' }))).toEqual([]);
    expect(await idsOf(queryOf({ created_from: '9999-12-31' }))).toEqual([]);
  });

  it.each([
    ['status', 'creating'],
    ['status', 'abandoned'],
    ['status', 'paid'],
    ['status', 'OPEN'],
    ['status', ''],
    ['currency', 'xof'],
    ['currency', 'GBP'],
    ['reference', ''],
    ['reference', 'x'.repeat(65)],
    ['customer_email', ''],
    ['customer_email', 'x'.repeat(255)],
  ])('%s=%s is refused', async (name, value) => {
    expect(await listIntents(api, `?${name}=${value}`)).toMatchObject(
      refusal('invalid_request', name),
    );
  });

  it.each([
    ...['merchant_id', 'user_id', 'environment', 'page', 'Status', 'status[]', 'starting_after'],
    ...['customer_phone', 'metadata', 'created', '__proto__', 'constructor'],
  ])('that is unknown is refused: %s', async (name) => {
    expect(await listIntents(api, `?${name}=1`)).toMatchObject(refusal('invalid_request', name));
  });

  it('given twice is refused', async () => {
    for (const name of ['status=open&status', 'limit=5&limit', 'currency=EUR&currency']) {
      const [value] = name.split('&')[0]!.split('=').slice(1);
      expect(await listIntents(api, `?${name}=${value}`)).toMatchObject(
        refusal('invalid_request', name.split('=')[0]),
      );
    }
  });

  it('with a NUL is refused without an error', async () => {
    for (const name of ['reference', 'customer_email', 'status', 'currency', 'cursor']) {
      expect(await listIntents(api, `?${name}=a%00b`)).toMatchObject(
        refusal('invalid_request', name),
      );
    }
  });
});

describe('filters together', () => {
  it('all apply, in every combination, on every page', async () => {
    const moments = fc.constantFrom(...rows.map(({ created_at }) => created_at));
    // No value half of the time; otherwise most combinations would find nothing.
    const optional = <T>(arbitrary: fc.Arbitrary<T>) =>
      fc.option(arbitrary, { nil: undefined, freq: 2 });
    const references = fc.constantFrom(...rows.map(({ reference }) => reference));
    const filters: fc.Arbitrary<Filters> = fc.record({
      status: optional(fc.constantFrom(...INTENT_STATUSES)),
      currency: optional(fc.constantFrom(...CURRENCIES)),
      customer_email: optional(fc.constantFrom('awa@example.com', 'moussa@example.com')),
      reference: fc.oneof(
        { weight: 9, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: references },
      ),
      created_from: optional(moments),
      created_to: optional(moments),
    });
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 6 }), async (given, limit) => {
        const seen: string[] = [];
        const base = queryOf(given).replace('limit=100', `limit=${limit}`);
        for (let cursor = ''; ;) {
          const found = await page(base + cursor);
          seen.push(...ids(found.payment_intents));
          if (found.next_cursor === null) break;
          cursor = `&cursor=${found.next_cursor}`;
        }
        expect(seen).toEqual(expected(given));
      }),
      { numRuns: 40 },
    );
  });
});
