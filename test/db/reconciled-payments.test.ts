// A reconciliation reads few of a gateway's refunds in a long history: those of the time that it compares.

import { RECORDED_REFUNDS } from '../../db/reconciliation/reconciled-payments';
import { createTestDatabase, setUp } from '../support/database';
import { countRowsRead, PLAN_MODES } from '../support/plans';

const ROWS = 8_000;
const COMPARED = 10;

const database = setUp(createTestDatabase);

/** One of each minute, as a superuser who switches triggers and foreign keys off. */
beforeAll(async () => {
  await database.owner.transaction(async (tx) => {
    await tx.raw('set local statement_timeout = 0');
    await tx.raw('set local session_replication_role = replica');
    await tx.raw(
      `insert into refunds (id, reference, environment, user_id, intent_id, status, currency, amount_minor,
         metadata, gateway, provider_payment_id, gateway_refund_id, idempotency_key, request_id, created_at,
         updated_at)
       select gen_random_uuid(), 'RFD-' || n, 'live', gen_random_uuid(), gen_random_uuid(), 'succeeded', 'XOF',
              100, '{}', 'stripe', 'pay_' || n, 're_' || n, n::text, '-', at, at
         from generate_series(1, :rows::integer) n
        cross join lateral (select now() - (:rows::integer - n) * interval '1 minute' as at) a`,
      { rows: ROWS },
    );
    await tx.raw(
      `with added as (
         insert into suspense_items (reference, gateway, environment, provider_payment_id, reason, currency,
           amount_minor, status, created_at, resolved_at)
         select 'SUS-' || n, 'stripe', 'live', 'sus_' || n, 'late', 'XOF', 100, 'refunded', at, at
           from generate_series(1, :rows::integer) n
          cross join lateral (select now() - (:rows::integer - n) * interval '1 minute' as at) a
         returning *)
       insert into suspense_refunds (item_id, number, ordered_by, ordered_at, status, refund_id, ended_at)
       select id, 1, 'awa', created_at, 'succeeded', 're_' || reference, created_at from added`,
      { rows: ROWS },
    );
  });
  await database.owner.raw('analyze refunds, suspense_items, suspense_refunds');
});

it.each(PLAN_MODES)('reads the refunds of the time, with %s', async (mode) => {
  const [from, to] = [2 * COMPARED, COMPARED].map((ago) =>
    new Date(Date.now() - ago * 60_000).toISOString(),
  );
  const values = ['stripe', 'live', from, to, '', 1_000];
  const rows = await countRowsRead(database.db, RECORDED_REFUNDS, values, { mode });
  expect(rows).toBeGreaterThanOrEqual(3 * (COMPARED - 1));
  // A refund of a payment has its row, one of suspense its order and its item.
  expect(rows).toBeLessThan(5 * COMPARED);
});
