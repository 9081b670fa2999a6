// The judge of the fault experiments, on what a long one can leave: it ends with a verdict.

import { findOrderFaults } from '../faults/support/order-checks';

type Judged = Parameters<typeof findOrderFaults>[0];

const NOTHING = {
  intents: [],
  listed: [],
  payments: [],
  accounts: [],
  paid_out: [],
} as Judged['books'];

it('judges an order whose customer never had a turn', () => {
  const record = {
    order: { key: 'order-1', merchant: { id: 'm' }, environment: 'sandbox' },
    attempts: [
      { status: 503, text: '{"error":{"code":"unavailable"}}', headers: {}, api: 'a', at: 0 },
    ],
    cancels: [],
    acts: [{ action: 'pay', tries: [] }],
  } as unknown as Judged['orders'][number];
  const judged = {
    orders: [record],
    books: NOTHING,
    answers: new Map(),
    healed_at: 0,
    expiry_limit_ms: 0,
  };
  expect(findOrderFaults(judged)).toContainEqual(expect.stringContaining('no link after 1 tries'));
});
