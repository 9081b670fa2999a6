// I14: whatever one row says of another is of the same account and environment. Each defect is made
// as a superuser, with triggers and foreign keys switched off, and must be named.

import { rotateApiKey } from '../../db/keys/api-keys';
import { createIntent } from '../../db/payment-intents/intents';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import { verifyLedger, type Violation } from '../../db/verify/verify';
import { beginResend } from '../../db/webhooks/webhook-resends';
import { makeApiKey } from '../../secrets/api-key';
import { createTestDatabase, setUp } from '../support/database';
import { begin } from '../support/payment-attempts';
import { buildPaymentLink, ofLink } from '../support/payment-links';
import { buildApiKey, buildUser, ownerOf } from '../support/users';
import { createTestEndpoint } from '../support/webhooks';
import { buildNewIntent, notificationOf, openAtOnce } from '../workflows/intents';

const PAY_URL = 'https://pay.example.com';

const database = setUp(createTestDatabase);

/** A merchant with a payment, money in suspense, a delivery, a resend and a rotated key. */
beforeAll(async () => {
  const { db } = database;
  const user = await buildUser(db);
  const environment = 'sandbox';
  const endpoint = await createTestEndpoint(database, {
    user_id: user.id,
    environment,
    url: 'https://shop.example/hooks',
  });
  const link = await buildPaymentLink(db, user);
  const intent = buildNewIntent(user, 'sandbox', ofLink(link));
  await createIntent(db, intent);
  const checkout = { session_id: intent.id, checkout_url: PAY_URL, lapses_at: null };
  await openAtOnce(db, intent.id, checkout);
  await begin(db, intent);
  for (let paid = 0; paid < 2; paid += 1) {
    const notification = notificationOf(intent);
    const { id } = await storeNotification(db, 'sandbox', notification, Buffer.from('{}'));
    await applyNotification(db, id, PAY_URL);
  }
  await beginResend(db, {
    user_id: user.id,
    environment,
    endpoint_id: endpoint.id,
    statuses: ['exhausted'],
    types: ['payment.failed'],
    created_from: '2026-01-01T00:00:00Z',
    created_to: '2026-01-02T00:00:00Z',
  });
  const { id } = await buildApiKey(db, { user, environment });
  await rotateApiKey(
    db,
    id,
    () => makeApiKey('pay', environment),
    { overlap_seconds: 0 },
    {
      user_id: user.id,
      login_id: await ownerOf(database, user),
    },
  );
});

/** The violations while the rows are so; then the rows are as before. */
async function violationsWith(...statements: string[]): Promise<Violation[]> {
  let found: Violation[] = [];
  const undone = new Error('undone');
  await database.owner
    .transaction(async (tx) => {
      await tx.raw('set local session_replication_role = replica');
      for (const sql of statements) {
        const { rowCount } = (await tx.raw(sql)) as { rowCount: number | null };
        expect([sql, rowCount]).not.toEqual([sql, 0]);
      }
      found = await verifyInside(tx);
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return found;
}

/** verifyLedger opens a transaction of its own, which could not see ours. */
async function verifyInside(tx: unknown): Promise<Violation[]> {
  const inside = Object.assign((() => undefined) as never, {
    transaction: (body: (inner: unknown) => Promise<Violation[]>) => body(tx),
  });
  return verifyLedger(inside);
}

it('finds nothing when everything is of one account and environment', async () => {
  expect(await verifyLedger(database.db)).toEqual([]);
});

const MOVED = {
  environment: `environment = 'live'`,
  account: `user_id = gen_random_uuid()`,
  gateway: `gateway = 'another'`,
} as const;

type Defect = readonly [what: string, table: string, moved: readonly (keyof typeof MOVED)[]];

/** Keys are the columns that refer to another row. */
const DEFECTS: Readonly<Record<string, Defect>> = {
  'api_keys.replaced_by': [
    'key was replaced by one of another account or environment',
    'api_keys where replaced_by is not null',
    ['environment', 'account'],
  ],
  'idempotency_keys.reference': [
    'intent without the response stored for its key, or the reverse',
    'idempotency_keys',
    ['environment', 'account'],
  ],
  'payment_intents.payment_link_id': [
    'payment is by a reusable link of another account, environment or currency',
    'payment_links',
    ['environment', 'account'],
  ],
  'payment_attempts.intent_id': [
    'attempt to pay is of another account or environment than its intent',
    'payment_attempts',
    ['environment', 'account'],
  ],
  'gateway_notifications.intent_id': [
    'notification was applied to an intent of another gateway or environment',
    'gateway_notifications',
    ['environment', 'gateway'],
  ],
  'gateway_payments.intent_id': [
    "gateway's payment is of an intent of another gateway or environment",
    `gateway_payments where booked_as = 'suspense'`,
    ['environment', 'gateway'],
  ],
  'suspense_items.intent_id': [
    'suspense item is not of the account and environment of its intent',
    'suspense_items',
    ['environment', 'account'],
  ],
  'webhook_deliveries.event_id': [
    'delivery is not of the account, environment and type of its event',
    'webhook_deliveries',
    ['environment', 'account'],
  ],
  'webhook_deliveries.endpoint_id': [
    'delivery goes to an endpoint of another account or environment',
    'webhook_deliveries',
    ['environment', 'account'],
  ],
  'webhook_resends.endpoint_id': [
    'resend is of an endpoint of another account or environment',
    'webhook_resends',
    ['environment', 'account'],
  ],
};

const MOVES = Object.entries(DEFECTS).flatMap(([column, [what, rows, moved]]) =>
  moved.map((name) => [column, name, what, rows] as const),
);

it.each(MOVES)('finds %s that leads to another %s', async (_column, name, what, rows) => {
  const [table = '', condition = 'true'] = rows.split(' where ');
  const found = await violationsWith(`update ${table} set ${MOVED[name]} where ${condition}`);
  expect(found).toContainEqual({ invariant: 'I14', what, reference: expect.any(String) });
});

it('finds a delivery of another type than its event', async () => {
  const found = await violationsWith(`update webhook_deliveries set type = 'payment.failed'`);
  const [what] = DEFECTS['webhook_deliveries.event_id']!;
  expect(found).toEqual([{ invariant: 'I14', what, reference: expect.any(String) }]);
});

it.each([
  [
    'a user whose wallets are not held',
    `alter table users disable trigger users_hold_wallets;
     update users set frozen_at = now(), frozen_reason = 'x'`,
    6,
  ],
  [
    'wallets whose user gives no reason to hold them',
    `update ledger_accounts set held_by = 'account_frozen' where user_id is not null`,
    6,
  ],
])('finds %s', async (_, statement, count) => {
  const what = 'wallet is held, and its user gives no reason, or the reverse';
  const found = await violationsWith(statement);
  expect(found).toEqual(
    Array.from({ length: count }, () => ({
      invariant: 'I14',
      what,
      reference: expect.any(String),
    })),
  );
});

// Their environments are compared by a foreign key, or by a check that compares more than that.
const ELSEWHERE = [
  'disputes.intent_id',
  'events.dispute_id',
  'events.intent_id',
  'events.payout_id',
  'events.refund_id',
  'ledger_entries.account_id',
  'ledger_entries.transaction_id',
  'payment_intents.transaction_id',
  'payouts.batch_id',
  'payouts.transaction_id',
  'refunds.intent_id',
  'reversals.sender_id',
  'risk_cases.recipient_id',
  'risk_cases.subject_id',
  'transactions.ledger_transaction_id',
  'transfers.batch_id',
  'transfers.recipient_id',
  'transfers.sender_id',
  'treasury_postings.break_id',
  // People belong to no environment.
  'activities.login_id',
  'api_keys.login_id',
  'payout_batches.ordered_by',
  'payout_batches.rejected_by',
  'payouts.ordered_by',
  'sessions.login_id',
];

it('knows every column that leads from an environment to another row', async () => {
  const { rows } = await database.owner.raw(
    `select c.table_name || '.' || c.column_name as name
       from information_schema.columns c
       join information_schema.columns e on e.table_name = c.table_name
            and e.table_schema = c.table_schema and e.column_name = 'environment'
       join pg_tables t on t.tablename = c.table_name and t.schemaname = c.table_schema
      where c.table_schema = 'public' and c.column_name not in ('user_id', 'public_id')
        and (c.column_name ~ '_id$|_by$') and c.data_type in ('uuid', 'bigint')
      order by 1`,
  );
  const named = (rows as { name: string }[]).map(({ name }) => name);
  const known = [...Object.keys(DEFECTS), ...ELSEWHERE];
  // A new one needs a check in db/verify/verify-references.ts, and its defect here.
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});
