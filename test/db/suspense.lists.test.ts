// Money in suspense, of which a merchant can have as much as they like in the sandbox: live money is seen first,
// and the operators' pages and the gauges read no more than they show.

import { listSuspense, NEWEST_SUSPENSE, WAITING_SUSPENSE } from '../../db/suspense/suspense';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { countRowsRead, PLAN_MODES } from '../support/plans';
import { buildUser } from '../support/users';

const ROWS = 8_000;
const LIVE = 3;
const LIMIT = 25;

let database: TestDatabase;

/** Every second item of the sandbox waits; live money arrived in the middle of them. */
beforeAll(async () => {
  database = await createTestDatabase();
  const { id } = await buildUser(database.db);
  await database.owner.transaction(async (tx) => {
    await tx.raw('set local statement_timeout = 0');
    await tx.raw('set local session_replication_role = replica');
    await tx.raw(
      `insert into payment_intents (id, environment, user_id, status, short_code, reference, amount_minor,
         currency, metadata, gateway, checkout_url, idempotency_key, fingerprint, request_id, created_at,
         updated_at, expires_at, expired_at)
       select gen_random_uuid(), case when n between 4001 and 4000 + :live::integer then 'live' else 'sandbox' end,
              :user, 'expired', 'c' || n, 'TRX-' || n, 100, 'XOF', '{}', 'simulator',
              'https://pay.example/x', n::text, '{}', '-', at, at, at, at
         from generate_series(1, :rows::integer) n
        cross join lateral (select now() - n * interval '1 minute' as at) a`,
      { user: id, live: LIVE, rows: ROWS },
    );
    await tx.raw(
      `insert into suspense_items (reference, gateway, environment, provider_payment_id, intent_id, user_id,
         reason, currency, amount_minor, status, created_at, resolved_at)
       select p.reference, p.gateway, p.environment, p.reference, p.id, p.user_id, 'late', 'XOF', 100,
              s.status, p.created_at, case s.status when 'refunded' then p.created_at end
         from payment_intents p cross join lateral (
           select case when p.environment = 'live' or p.idempotency_key::integer % 2 = 1 then 'held'
                       else 'refunded' end as status) s`,
    );
    await tx.raw(
      `insert into suspense_refunds (item_id, number, status, refund_id, ordered_by, ended_at)
       select id, 1, 'succeeded', reference, 'tests', now() from suspense_items where status = 'refunded'`,
    );
  });
  for (const table of ['payment_intents', 'suspense_items', 'suspense_refunds', 'users']) {
    await database.owner.raw(`analyze ${table}`);
  }
});

it('of what waits, live money is shown first, and then the oldest', async () => {
  const items = await listSuspense(database.operator, false, LIMIT);
  const [live, rest] = [items.slice(0, LIVE), items.slice(LIVE)];
  expect(live.map(({ environment }) => environment)).toEqual(Array(LIVE).fill('live'));
  for (const part of [live, rest]) {
    const times = part.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort());
  }
  expect(rest).toHaveLength(LIMIT - LIVE);
  expect(rest[0]).toMatchObject({ environment: 'sandbox', status: 'held', is_closable: false });
});

it('of all, the newest are shown first, with what became of them', async () => {
  const items = await listSuspense(database.operator, true, LIMIT);
  const times = items.map(({ created_at }) => created_at);
  expect(times).toEqual([...times].sort().reverse());
  expect(items.map(({ refund }) => refund?.status)).toContain('succeeded');
});

it.each(
  [WAITING_SUSPENSE, NEWEST_SUSPENSE].flatMap((statement) =>
    PLAN_MODES.map((mode) => ({ name: statement.name, statement, mode })),
  ),
)('$name reads what it shows, with $mode', async ({ statement, mode }) => {
  // Each with its merchant, its intent and its order.
  const rows = await countRowsRead(database.operator, statement, [LIMIT], { mode });
  expect(rows).toBeLessThanOrEqual(4 * LIMIT);
});

it('the gauges count what waits without reading it for each environment and status', async () => {
  const { rows } = await database.owner.raw(
    `select prosrc as text from pg_proc where proname = 'take_readings'`,
  );
  const [statement] = rows as [{ text: string }];
  const waiting = ROWS / 2 + LIVE;
  const settings = ['seqscan', 'hashjoin', 'mergejoin'].map((name) => `enable_${name} = off`);
  for (const mode of PLAN_MODES) {
    const read = await countRowsRead(database.owner, statement, [], { mode, settings });
    expect(read).toBeGreaterThanOrEqual(waiting - LIVE);
    expect(read).toBeLessThan(1.5 * waiting);
  }
});
