// Operators' lists and look-ups across all accounts, in a long history: how little of it is read.

import {
  INTENTS_OF_CUSTOMER,
  listIntentsOfCustomer,
} from '../../db/payment-intents/operator-intents';
import { auditStatement, type AuditFilters } from '../../db/operators/audit';
import {
  operatorRefundsStatement,
  operatorRefundStatement,
} from '../../db/refunds/operator-refunds';
import { FAILING_ENDPOINTS } from '../../db/operators/operators';
import { FOUND_BY_AMOUNT } from '../../db/operators/search';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { countRowsRead, PLAN_MODES } from '../support/plans';
import { buildUser, type TestUser } from '../support/users';

const ROWS = 8_000;
const LIMIT = 25;
/** A command sends a statement once. */
const plan = { mode: 'force_custom_plan' } as const;

let database: TestDatabase;

/** Acts as a superuser, with triggers and foreign keys switched off. */
async function insert(sql: string, values: Record<string, string | number>): Promise<void> {
  await database.owner.transaction(async (tx) => {
    await tx.raw('set local statement_timeout = 0');
    await tx.raw('set local session_replication_role = replica');
    await tx.raw(sql, values);
  });
}

describe('refunds', () => {
  let large: TestUser;
  let small: TestUser;

  beforeAll(async () => {
    database = await createTestDatabase();
    large = await buildUser(database.db);
    small = await buildUser(database.db);
    await insert(
      `with added as (
         insert into payment_intents (id, environment, user_id, status, short_code, reference, amount_minor,
           currency, metadata, gateway, checkout_url, idempotency_key, fingerprint, request_id, created_at,
           updated_at, expires_at, expired_at)
         select gen_random_uuid(), 'live', case when n > 10 then :large::uuid else :small::uuid end, 'expired',
                'c' || n, 'TRX-' || n, 100, 'XOF', '{}', 'simulator', 'https://pay.example/x', n::text, '{}',
                '-', at, at, at, at
           from generate_series(1, :rows::integer) n
          cross join lateral (select now() - n * interval '1 minute' as at) a
         returning *)
       insert into refunds (id, reference, environment, user_id, intent_id, status, currency, amount_minor,
         metadata, gateway, provider_payment_id, gateway_refund_id, idempotency_key, request_id, created_at,
         updated_at)
       select gen_random_uuid(), 'RFD-' || substr(reference, 5), environment, user_id, id,
              case when idempotency_key = '5' then 'pending' else 'succeeded' end, currency, 100, '{}', gateway,
              'pay_' || idempotency_key, 're_' || idempotency_key, idempotency_key, '-', created_at, created_at
         from added`,
      { large: large.id, small: small.id, rows: ROWS },
    );
    await database.owner.raw('analyze refunds, payment_intents');
  });

  it.each(PLAN_MODES)(
    'of payments, those of a customer are found by the address, with %s',
    async (mode) => {
      const address = 'aminata@example.com';
      await insert(
        `update payment_intents set customer_email = case when idempotency_key in ('5', '50') then :address
         else 'customer-' || idempotency_key || '@example.com' end where customer_email is null`,
        { address },
      );
      await database.owner.raw('analyze payment_intents');
      const pay_url_base = 'https://pay.example.com';
      const values = [address, LIMIT, pay_url_base];
      const rows = await countRowsRead(database.db, INTENTS_OF_CUSTOMER, values, { mode });
      // Two payments, each with its account.
      expect(rows).toBeLessThan(10);
      expect(
        await listIntentsOfCustomer(database.operator, address, { limit: LIMIT, pay_url_base }),
      ).toHaveLength(2);
    },
  );

  it.each(PLAN_MODES)('what has an amount is found by it, in any noun, with %s', async (mode) => {
    await insert(
      `update payment_intents set amount_minor = 77700 where idempotency_key in ('7', '70')`,
      {},
    );
    await database.owner.raw('analyze payment_intents');
    const rows = await countRowsRead(database.db, FOUND_BY_AMOUNT, [77_700, LIMIT], { mode });
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThan(20);
    const common = await countRowsRead(database.db, FOUND_BY_AMOUNT, [100, LIMIT], { mode });
    expect(common).toBeLessThanOrEqual(10 * LIMIT);
  });

  it.each([
    ['all', {}],
    ['those of one environment', { environment: 'live' }],
    ['those that wait', { status: 'pending' }],
    ['those that succeeded', { status: 'succeeded' }],
  ] as const)('a page of %s reads a few rows more than it shows', async (_, filters) => {
    const { statement, values } = operatorRefundsStatement(filters, LIMIT);
    // A refund, its account and its payment each.
    const rows = await countRowsRead(database.db, statement, values, plan);
    expect(rows).toBeLessThanOrEqual(4 * LIMIT);
    expect(rows).toBeGreaterThan(0);
  });

  it.each([
    ['many', () => large],
    ['few', () => small],
  ])(
    'a page of those of an account with %s reads a few rows more than it shows',
    async (_, user) => {
      const { statement, values } = operatorRefundsStatement({ user_id: user().id }, LIMIT);
      expect(await countRowsRead(database.db, statement, values, plan)).toBeLessThanOrEqual(
        4 * LIMIT,
      );
    },
  );

  it.each(['id', 'reference'])('one is looked up by its %s', async (column) => {
    const { rows } = await database.owner.raw(`select ${column} as name from refunds limit 1`);
    const [{ name }] = rows as [{ name: string }];
    const statement = operatorRefundStatement(name);
    expect(await countRowsRead(database.db, statement, [name], plan)).toBeLessThan(10);
  });
});

describe('the audit log', () => {
  beforeAll(async () => {
    database = await createTestDatabase();
    await insert(
      `insert into audit_log (id, at, actor, database_role, action, subject, details)
       select n, now() - (:rows::integer - n) * interval '1 minute', 'awa', 'postgres', 'keys.create',
              case n % 2 when 0 then 'key/' || n else 'user/' || name end, jsonb_build_object('username', name)
         from generate_series(1, :rows::integer) n
        cross join lateral (select case when n <= 10 then 'few' else 'many' end as name) u`,
      { rows: ROWS },
    );
    // Autovacuum does this by and by.
    await database.owner.raw(`select brin_summarize_new_values('audit_log_at')`);
    await database.owner.raw('analyze audit_log');
  });

  const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

  it.each<[string, AuditFilters]>([
    ['all', {}],
    ['those about a user with many', { username: 'many' }],
    ['those about a user with few, long ago', { username: 'few' }],
    ['those about a user with none', { username: 'none' }],
    ['those about a user before one', { username: 'many', before: 4_000n }],
    ['those from an instant on', { since: ago(5_000) }],
  ])('a page of %s reads a few rows more than it shows', async (_, filters) => {
    const { statement, values } = auditStatement(filters, LIMIT);
    const rows = await countRowsRead(database.db, statement, values.map(String), plan);
    expect(rows).toBeLessThanOrEqual(3 * LIMIT);
  });

  it('a page of those from an instant on that are fewer reads those of one range of blocks', async () => {
    const { statement, values } = auditStatement({ since: ago(5) }, LIMIT);
    expect(await countRowsRead(database.db, statement, values, plan)).toBeLessThan(ROWS / 4);
  });
});

describe('endpoints that fail', () => {
  const WAITING = 5;

  beforeAll(async () => {
    database = await createTestDatabase();
    const merchant = await buildUser(database.db);
    // Two of one account. Much waits for the one that does not fail.
    await insert(
      `with endpoints as (
         insert into webhook_endpoints (id, user_id, environment, url, types, sealed_secret,
           consecutive_failures, failing_since)
         select gen_random_uuid(), :merchant, 'live', 'https://shop.example', '{payment.succeeded}', '', n,
                case n when 1 then now() end
           from generate_series(0, 1) n
         returning *)
       insert into webhook_deliveries (event_id, endpoint_id, user_id, environment, type, status, created_at,
         delivered_at)
       select gen_random_uuid(), id, user_id, environment, 'payment.succeeded', 'held',
              now() - n * interval '1 minute' - consecutive_failures * interval '1 second', null
         from endpoints
        cross join lateral generate_series(1, case consecutive_failures when 1 then :waiting::integer
                                                                  else :rows::integer end) n
       union all
       select gen_random_uuid(), md5('endpoint ' || n % 1000)::uuid, md5('account ' || n % 1000)::uuid, 'live',
              'payment.succeeded', 'delivered', now() + n * interval '1 second', now()
         from generate_series(1, 3 * :rows::integer) n`,
      { merchant: merchant.id, waiting: WAITING, rows: ROWS },
    );
    await database.owner.raw('analyze webhook_endpoints, webhook_deliveries');
  });

  it.each(PLAN_MODES)('are counted without what waits for others, with %s', async (mode) => {
    const rows = await countRowsRead(database.db, FAILING_ENDPOINTS, [LIMIT], { mode });
    // Its deliveries, and two rows of each other table.
    expect(rows).toBeGreaterThan(WAITING);
    expect(rows).toBeLessThan(4 * WAITING);
  });
});
