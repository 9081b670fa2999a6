// Lists of an account with many rows, beside many accounts with one: how little of them they read.

import { randomUUID } from 'node:crypto';
import { COUNT_LIMIT, READ_TO_DO, readToDo } from '../../db/people/attention';
import { MAX_SCANNED, requestsStatement, type RequestQuery } from '../../db/requests/access-log';
import { LIST_EVENTS } from '../../db/webhooks/events';
import { intentsStatement, type IntentQuery } from '../../db/payment-intents/intent-views';
import { listPayouts, payoutsStatement, type PayoutQuery } from '../../db/payouts/payouts';
import { listRefunds, refundsStatement, type RefundQuery } from '../../db/refunds/refunds';
import { EVENT_TYPES } from '../../domain/event';
import { NIL_UUID } from '../../domain/ids';
import { createTestDatabase, setUp } from '../support/database';
import { countRowsRead, LOOK_UP_PLAN, PLAN_MODES } from '../support/plans';
import { buildApiKey, buildUser } from '../support/users';

const ROWS = 8_000;

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));

describe('events of one type', () => {
  beforeAll(async () => {
    await database.owner.transaction(async (tx) => {
      await tx.raw('set local statement_timeout = 0');
      await tx.raw(
        `insert into events (id, user_id, environment, sequence, type, transfer_reference, body, created_at)
       select gen_random_uuid(), :user, 'sandbox', n, 'transfer.received', 'TRF-' || n, '{}', now()
         from generate_series(1, :rows::integer) n
       union all
       select gen_random_uuid(), gen_random_uuid(), 'sandbox', 1, 'transfer.received', 'TRF-' || n, '{}',
              now()
         from generate_series(1, :rows::integer) n`,
        { user: merchant.id, rows: ROWS },
      );
    });
    await database.owner.raw('analyze events');
  });

  it.each(EVENT_TYPES)('%s: reads a few rows more than a page', async (type) => {
    const values = [merchant.id, 'sandbox', '0', [type], 25];
    expect(await countRowsRead(database.db, LIST_EVENTS, values, LOOK_UP_PLAN)).toBeLessThan(200);
  });
});

describe('payment intents', () => {
  beforeAll(async () => {
    await database.owner.transaction(async (tx) => {
      await tx.raw('set local statement_timeout = 0');
      await tx.raw('set local session_replication_role = replica');
      await tx.raw(
        `insert into payment_intents (id, environment, user_id, status, short_code, reference,
           amount_minor, currency, customer_email, metadata, gateway, checkout_url, idempotency_key,
           fingerprint, request_id, created_at, updated_at, expires_at, expired_at)
         select gen_random_uuid(), 'sandbox', case when n <= :rows::integer then :user::uuid
                                                   else gen_random_uuid() end,
                'expired', 'c' || n, 'TRX-' || n, 100, 'XOF', 'customer@example.com', '{}', 'simulator',
                'https://pay.example/x', n::text, '{}', '-', at, at, at, at
           from generate_series(1, :rows::integer * 2) n
          cross join lateral (select now() - n * interval '1 minute' as at) a`,
        { user: merchant.id, rows: ROWS },
      );
    });
    await database.owner.raw('analyze payment_intents');
  });

  it.each<IntentQuery['filters']>([
    {},
    { status: 'expired' },
    { currency: 'EUR' },
    { currency: 'EUR', created_from: '2000-01-01', created_to: '2100-01-01' },
    { customer_email: 'nobody@example.com', status: 'expired', created_from: '2000-01-01' },
  ])('%j: reads a few rows more than a page', async (filters) => {
    const { statement, values } = intentsStatement({
      user_id: merchant.id,
      environment: 'sandbox',
      pay_url_base: 'https://pay.example.com',
      before: undefined,
      limit: 25,
      filters,
    });
    expect(await countRowsRead(database.db, statement, values, LOOK_UP_PLAN)).toBeLessThan(200);
  });
});

describe('what waits for a merchant', () => {
  it('is counted without a look at the links of others that end soon', async () => {
    const own = await createTestDatabase();
    const [large, small] = [await buildUser(own.db), await buildUser(own.db)];
    await own.owner.transaction(async (tx) => {
      await tx.raw('set local session_replication_role = replica');
      await tx.raw(
        `insert into payment_intents (id, environment, user_id, status, short_code, reference, amount_minor,
           currency, metadata, gateway, checkout_url, idempotency_key, fingerprint, request_id, created_at,
           updated_at, expires_at)
         select gen_random_uuid(), 'sandbox', case when n > 3 then :large::uuid else :small::uuid end, 'open',
                'c' || n, 'TRX-' || n, 100, 'XOF', '{}', 'simulator', 'https://pay.example/x', n::text, '{}', '-',
                at, at, now() + interval '1 hour'
           from generate_series(1, :rows::integer) n
          cross join lateral (select now() - n * interval '1 minute' as at) a`,
        { large: large.id, small: small.id, rows: ROWS },
      );
    });
    await own.owner.raw('analyze');
    const values = [small.id, 'sandbox'];
    expect(await countRowsRead(own.db, READ_TO_DO, values, LOOK_UP_PLAN)).toBeLessThan(50);
    expect(await readToDo(own.db, small.id, 'sandbox')).toMatchObject({
      ending_links: 3,
      has_payment: false,
    });
    expect(await readToDo(own.db, large.id, 'sandbox')).toMatchObject({
      ending_links: COUNT_LIMIT,
    });
  });
});

describe('refunds', () => {
  const QUIET = 3;
  /** A hundredth of the refunds is of this payment; each other one has a payment of its own. */
  const PAYMENT = randomUUID();

  /** All of the merchant's succeeded in XOF; but three in each other status and currency, the oldest. */
  beforeAll(async () => {
    await database.owner.transaction(async (tx) => {
      await tx.raw('set local statement_timeout = 0');
      await tx.raw('set local session_replication_role = replica');
      await tx.raw(
        `insert into refunds (id, reference, environment, user_id, intent_id, status, currency, amount_minor,
           metadata, gateway, provider_payment_id, gateway_refund_id, failure, idempotency_key, request_id,
           created_at, updated_at)
         select gen_random_uuid(), 'RFD-' || n, 'sandbox',
                case when n <= :rows::integer then :user::uuid else gen_random_uuid() end,
                case when n % 100 = 1 then :payment::uuid else gen_random_uuid() end, k.status,
                k.currency, 100, '{}', 'simulator', 'pay-' || n, 'refund-' || n,
                case k.status when 'failed' then '{}'::jsonb end, n::text, '-', at, at
           from generate_series(1, :rows::integer * 2) n
          cross join lateral (select now() - n * interval '1 minute' as at) a
          cross join lateral (
            select case when n = :rows::integer - 1 then 'failed' else 'succeeded' end as status,
                   case when n > :rows::integer - :quiet::integer and n <= :rows::integer then 'USD'
                        else 'XOF' end as currency) k`,
        { user: merchant.id, payment: PAYMENT, quiet: QUIET, rows: ROWS },
      );
    });
    await database.owner.raw('analyze refunds');
  });

  const query = (filters: RefundQuery['filters']): RefundQuery => ({
    user_id: merchant.id,
    environment: 'sandbox',
    before: undefined,
    limit: 25,
    filters,
  });
  const PERIOD = { created_from: '2000-01-01', created_to: '2100-01-01' };

  const CASES: readonly (readonly [filters: RefundQuery['filters'], found: number])[] = [
    [{}, 25],
    [{ status: 'succeeded' }, 25],
    [{ status: 'failed' }, 1],
    [{ currency: 'USD' }, 3],
    [{ currency: 'EUR' }, 0],
    [{ status: 'succeeded', currency: 'USD' }, 2],
    [{ status: 'failed', ...PERIOD }, 1],
    [{ payment_intent_id: PAYMENT }, 25],
    [{ payment_intent_id: NIL_UUID, status: 'succeeded' }, 0],
  ];

  it.each(CASES)('%j finds %i, newest first', async (filters, count) => {
    const found = await listRefunds(database.db, query(filters));
    expect(found).toHaveLength(count);
    const times = found.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort().reverse());
  });

  it.each(CASES.flatMap(([filters]) => PLAN_MODES.map((mode) => ({ filters, mode }))))(
    '$filters: reads a few rows more than a page, with $mode',
    async ({ filters, mode }) => {
      const { statement, values } = refundsStatement(query(filters));
      expect(await countRowsRead(database.db, statement, values, { mode })).toBeLessThan(250);
    },
  );
});

describe('the payouts of an account with many', () => {
  beforeAll(async () => {
    await database.owner.transaction(async (tx) => {
      await tx.raw('set local statement_timeout = 0; set local session_replication_role = replica');
      await tx.raw(
        `insert into payouts (id, reference, environment, user_id, status, currency, amount_minor, fee_minor,
           destination_type, phone, name_check, confirm, provider, failure, approvals_needed, metadata,
           transaction_id, queue_seconds, idempotency_key, request_id, created_at, updated_at, completed_at,
           expires_at)
         select gen_random_uuid(), 'PYT-' || n, 'sandbox',
                case when n <= :rows::integer then :user::uuid else gen_random_uuid() end, k.status, 'XOF', 100, 0,
                'mobile_money', '+221770000100', 'off', false, 'simulator',
                case k.status when 'failed' then '{}'::jsonb end, 0, '{}', gen_random_uuid(), 1, n::text, '-', at,
                at, at, at
           from generate_series(1, :rows::integer * 2) n
          cross join lateral (select now() - n * interval '1 minute' as at) a
          cross join lateral (
            select case when n = :rows::integer - 1 then 'failed' else 'succeeded' end as status) k`,
        { user: merchant.id, rows: ROWS },
      );
    });
    await database.owner.raw('analyze payouts');
  });

  const CASES: readonly (readonly [PayoutQuery['filters'], number])[] = [
    [{}, 25],
    [{ status: 'failed' }, 1],
    [{ currency: 'EUR' }, 0],
    [{ reference: 'PYT-7' }, 1],
    [{ batch_id: NIL_UUID }, 0],
  ];

  it.each(
    CASES.flatMap(([filters, count]) => PLAN_MODES.map((mode) => ({ filters, count, mode }))),
  )(
    '$filters: finds $count and reads a few rows more than a page, with $mode',
    async ({ filters, count, mode }) => {
      const owner = { user_id: merchant.id, environment: 'sandbox', before: undefined } as const;
      const query = { ...owner, limit: 25, filters };
      expect(await listPayouts(database.db, query)).toHaveLength(count);
      const { statement, values } = payoutsStatement(query);
      expect(await countRowsRead(database.db, statement, values, { mode })).toBeLessThan(250);
    },
  );
});

describe('requests of 30 days', () => {
  const REQUESTS = 8 * MAX_SCANNED;
  const DAY_MS = 24 * 60 * 60 * 1_000;

  beforeAll(async () => {
    const options = { user: merchant, environment: 'sandbox' } as const;
    const busy = await buildApiKey(database.db, options);
    const quiet = await buildApiKey(database.db, options);
    await database.owner.transaction(async (tx) => {
      await tx.raw('set local statement_timeout = 0');
      await tx.raw(`select make_access_day((now() at time zone 'UTC')::date - n)
                      from generate_series(0, 30) n`);
      await tx.raw(
        `insert into access_entries (id, at, ip, key_id, method, route, status, request_id, duration_ms)
         select gen_random_uuid(), now() - n * interval '30 days' / :rows::integer, '203.0.113.7',
                case when n % 1000 = 0 then :quiet::uuid else :busy::uuid end, 'GET', '/v1/wallets', 200,
                'noise', 1
           from generate_series(1, :rows::integer) n`,
        { busy: busy.id, quiet: quiet.id, rows: REQUESTS },
      );
    });
    await database.owner.raw('analyze access_entries');
  });

  const FILTERS: readonly RequestQuery['filters'][] = [
    {},
    { status_class: 5 },
    { method: 'POST', name: 'wanted' },
    { key_id: NIL_UUID },
  ];

  it.each(FILTERS.flatMap((filters) => PLAN_MODES.map((mode) => ({ filters, mode }))))(
    '$filters: reads no more than it may for a page, with $mode',
    async ({ filters, mode }) => {
      const [from, at] = [-30, 1].map((days) => new Date(Date.now() + days * DAY_MS).toISOString());
      const scope = { user_id: merchant.id, environment: 'sandbox', limit: 50 } as const;
      const place = { from: from!, before: { at: at!, id: NIL_UUID } };
      const { statement, values } = requestsStatement({ ...scope, ...place, filters });
      // The last of the rows read is looked for, the page is chosen, and the last is compared.
      const most = 4 * MAX_SCANNED;
      expect(most).toBeLessThan(REQUESTS);
      expect(await countRowsRead(database.db, statement, values, { mode })).toBeLessThan(most);
    },
  );
});
