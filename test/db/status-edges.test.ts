// The changes of state that the code knows are those that the database allows.

import { INTENT_EDGES } from '../../domain/intent';
import { ATTEMPT_EDGES } from '../../domain/payment-attempt';
import { PAYOUT_EDGES } from '../../domain/payout';
import { REFUND_EDGES } from '../../domain/refund';
import { createTestDatabase, setUp } from '../support/database';

const KNOWN = {
  payment_intents: INTENT_EDGES,
  refunds: REFUND_EDGES,
  payouts: PAYOUT_EDGES,
  payment_attempts: ATTEMPT_EDGES,
};

const database = setUp(createTestDatabase);

it('are the same, table by table', async () => {
  const { rows } = await database.owner.raw(
    `select table_name || ': ' || from_status || ' → ' || to_status as edge from status_edges`,
  );
  const known = Object.entries(KNOWN).flatMap(([table, edges]) =>
    edges.map(({ from, to }) => `${table}: ${from} → ${to}`),
  );
  expect((rows as { edge: string }[]).map(({ edge }) => edge).sort()).toEqual(known.sort());
});

it.each(Object.keys(KNOWN))('%s refuses all others', async (table) => {
  const { rows } = await database.owner.raw(
    `select from pg_trigger
      where tgrelid = ?::regclass and tgname = ? and tgenabled = 'O'
        and tgfoid = 'check_status_edge'::regproc`,
    [table, `${table}_edges`],
  );
  expect(rows).toHaveLength(1);
});
