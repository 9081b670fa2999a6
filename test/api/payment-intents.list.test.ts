// GET /payment-intents: filters and their combinations, and a cursor that neither skips nor repeats.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { CURRENCIES, type Currency } from '../../domain/currency';
import { INTENT_STATUSES, type IntentStatus } from '../../domain/intent';
import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import { insist } from '../support/http';
import { buildApiKey, buildUser } from '../support/users';
import { startTestApi } from '../support/api';
import { intentBody, listIntents, postCancel, postIntent, waitForStatus } from './support/intents';

const api = setUp(startTestApi);

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

const EMAILS = [undefined, 'awa@example.com', 'awa@example.com', 'moussa@example.com'];

beforeAll(async () => {
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
  const options = { idempotency_key: randomUUID() };
  const { json: intent } = await insist(() => postIntent(api, body, options));
  const failure = { code: 'declined', message: 'No.' };
  if (status === 'canceled') await insist(() => postCancel(api, intent.id));
  const notify = (fields = {}) => insist(() => api.notify(intent, fields));
  if (status === 'succeeded') await notify();
  if (status === 'failed') await notify({ type: 'payment.failed', failure });
  if (status === 'processing') await notify({ type: 'payment.pending' });
  return waitForStatus(api, intent, status);
}

afterEach(() => expectBooksHold(api.database.db));

async function page(query: string, key?: string) {
  const { json } = await insist(() => listIntents(api, query, key));
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
});

interface Filters {
  readonly status?: IntentStatus | undefined;
  readonly currency?: Currency | undefined;
  readonly reference?: string | undefined;
  readonly customer_email?: string | undefined;
  readonly created_from?: string | undefined;
  readonly created_to?: string | undefined;
}

/** Applies the filters to the rows in memory. */
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
  it('reference finds the intent that has it, in small letters too', async () => {
    const { reference, id } = rows[7]!;
    expect(await idsOf(queryOf({ reference }))).toEqual([id]);
    expect(await idsOf(queryOf({ reference: reference.toLowerCase() }))).toEqual([id]);
    expect(await idsOf(queryOf({ reference: `TRX-${'0'.repeat(20)}` }))).toEqual([]);
  });

  it('customer_email is compared in the one form of an address', async () => {
    for (const customer_email of ['awa@example.com', 'moussa@example.com']) {
      const found = await idsOf(queryOf({ customer_email }));
      expect(found).toEqual(expected({ customer_email }));
      expect(found.length).toBeGreaterThanOrEqual(3);
      expect(await idsOf(queryOf({ customer_email: customer_email.toUpperCase() }))).toEqual(found);
    }
    for (const customer_email of ['%@example.com', 'nobody@example.com']) {
      expect(await idsOf(queryOf({ customer_email }))).toEqual([]);
    }
  });

  it('customer_email may have a plus sign, escaped or not', async () => {
    const user = await buildUser(api.database.db);
    const { key } = await buildApiKey(api.database.db, { user, environment: 'sandbox' });
    for (const [customer_email, ...escaped] of [
      ['awa+shop@example.com', 'awa%2Bshop%40example.com', '%20awa+shop@example.com%20'],
      ['+lead.q1@example.com', '%2Blead.q1@example.com'],
    ] as const) {
      const body = intentBody('100', { customer_email });
      const { id } = (await postIntent(api, body, { key })).json;
      for (const written of [customer_email, ...escaped]) {
        expect(await idsOf(`?customer_email=${written}`, key)).toEqual([id]);
      }
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
