// Slips that somebody could make in the money paths, each with the tests that must fail. Not listed is
// what nobody can notice from outside.

export interface Slip {
  readonly id: string;
  readonly what: string;
  readonly file: string;
  /** Is once in the file. */
  readonly from: string;
  readonly to: string;
  /** One test of these files must fail. */
  readonly tests: readonly string[];
  /** Only tests whose title has this. */
  readonly title?: string;
}

const LEDGER = 'db/functions/ledger.sql';
const TRANSFERS = 'db/functions/transfers.sql';
const NOTIFICATIONS = 'db/functions/notifications.sql';
const INTENTS = 'db/functions/intents.sql';
const SUSPENSE = 'db/functions/suspense.sql';
const EVENTS = 'db/functions/events.sql';

const ENVIRONMENTS = ['test/db/environments.test.ts'];
const POSTINGS = ['test/db/post-transfers.test.ts'];
const FEES = ['test/db/fees.test.ts'];
const LOCKS = ['test/db/lock-order.test.ts'];
const INTENT_TESTS = ['test/db/intents.test.ts'];

type Row = readonly [
  id: string,
  what: string,
  file: string,
  from: string,
  to: string,
  tests: readonly string[],
  title?: string,
];

const ROWS: readonly Row[] = [
  // Locks
  [
    'L1',
    'accounts are locked in the opposite order',
    LEDGER,
    'order by a.id for no key update',
    'order by a.id desc for no key update',
    LOCKS,
  ],
  [
    'L2',
    'accounts are not locked',
    LEDGER,
    '  perform 1 from ledger_accounts a where a.id = any (account_ids) order by a.id for no key update;',
    '  perform 1;',
    LOCKS,
  ],
  [
    'L3',
    'a payment locks its wallet first',
    NOTIFICATIONS,
    '  perform lock_accounts(array[wallet, clearing, fees, suspense]);',
    '  perform lock_accounts(array[wallet]);\n  perform lock_accounts(array[clearing, fees, suspense]);',
    LOCKS,
  ],
  [
    'L4',
    'accepted suspense locks its wallet first',
    SUSPENSE,
    '  perform lock_accounts(array[held, wallet]);',
    '  perform lock_accounts(array[wallet]);\n  perform lock_accounts(array[held]);',
    LOCKS,
  ],
  [
    'L5',
    'an adjustment locks its wallet first',
    LEDGER,
    '  perform lock_accounts(array[source, wallet]);',
    '  perform lock_accounts(array[wallet]);\n  perform lock_accounts(array[source]);',
    LOCKS,
  ],
  [
    'L7',
    'a notification is not locked',
    NOTIFICATIONS,
    'where g.id = notification_id for update;',
    'where g.id = notification_id;',
    INTENT_TESTS,
  ],
  [
    'L8',
    'the key of a lost response is not waited for',
    'db/functions/idempotency.sql',
    '  perform pg_advisory_xact_lock(idempotency_lock(account, env, op, idem_key));\n  lapsed',
    '  lapsed',
    ['test/db/idempotency.test.ts'],
  ],

  // Deadlines
  [
    'D1',
    'a transfer is posted past its deadline',
    TRANSFERS,
    'if at > r.accept_before then',
    "if at > r.accept_before + interval '1 day' then",
    POSTINGS,
  ],
  [
    'D2',
    'an intent expires before its time',
    INTENTS,
    'if at < i.expires_at then',
    'if false then',
    INTENT_TESTS,
  ],
  [
    'D3',
    'a lapsed request is called pending',
    'db/idempotency.ts',
    "lapsed ? 'lapsed' : 'pending'",
    "lapsed ? 'pending' : 'pending'",
    ['test/db/idempotency.test.ts'],
  ],

  // Balances and amounts
  [
    'B1',
    'one unit more than the balance may be sent',
    TRANSFERS,
    'payer_balance < r.amount_minor',
    'payer_balance + 100 < r.amount_minor',
    POSTINGS,
  ],
  [
    'B2',
    'the whole balance may not be sent',
    TRANSFERS,
    'payer_balance < r.amount_minor',
    'payer_balance <= r.amount_minor',
    POSTINGS,
  ],
  [
    'B3',
    'a wallet may be overfilled by a transfer',
    TRANSFERS,
    'payee_balance + r.amount_minor - p.fee_minor > 999999999999999',
    'payee_balance + r.amount_minor - p.fee_minor > 9999999999999999',
    POSTINGS,
  ],
  [
    'B4',
    'a wallet may be overfilled by a payment',
    NOTIFICATIONS,
    'balance + i.amount_minor - fee > 999999999999999',
    'balance + i.amount_minor - fee > 9999999999999999',
    ['test/api/gateway-notifications.money.test.ts'],
    'full wallet',
  ],
  [
    'B8',
    'an amount that differs settles an intent',
    NOTIFICATIONS,
    'i.amount_minor = r.amount_minor and i.currency = r.currency',
    'i.currency = r.currency',
    INTENT_TESTS,
  ],
  [
    'B9',
    'a currency that differs settles an intent',
    NOTIFICATIONS,
    'i.amount_minor = r.amount_minor and i.currency = r.currency',
    'i.amount_minor = r.amount_minor',
    INTENT_TESTS,
  ],
  [
    'B11',
    'the balance after it is that before it',
    TRANSFERS,
    '        payer_balance := payer_balance - r.amount_minor;\n',
    '',
    POSTINGS,
  ],
  [
    'B12',
    'a later posting of a batch reads the balance before the batch',
    LEDGER,
    'm.balance_minor, m.version from moved m',
    'm.balance_minor, m.version + 1 from moved m',
    POSTINGS,
  ],

  // Fees
  [
    'F1',
    'the fee is not taken from the recipient',
    TRANSFERS,
    'row(p.payee_id, r.amount_minor - p.fee_minor)::ledger_leg',
    'row(p.payee_id, r.amount_minor)::ledger_leg',
    FEES,
  ],
  [
    'F2',
    'fees are rounded down',
    LEDGER,
    'round((amount::numeric * basis_points',
    'floor((amount::numeric * basis_points',
    FEES,
  ],
  ['F3', 'a fee may take all', LEDGER, 'least(amount - step_minor,', 'least(amount,', FEES],
  [
    'F4',
    'a payment has the fee of a transfer',
    NOTIFICATIONS,
    "where p.kind = 'payment_intent' and p.currency = i.currency",
    "where p.kind = 'transfer' and p.currency = i.currency",
    FEES.concat('test/db/intents.verify.test.ts', 'test/api/gateway-notifications.money.test.ts'),
  ],
  // Environments
  [
    'N3',
    'a notification by reference alone finds an intent of the other environment',
    NOTIFICATIONS,
    'where p.environment = env and p.gateway = from_gateway and intent is null and p.reference = ref',
    'where p.gateway = from_gateway and intent is null and p.reference = ref',
    ENVIRONMENTS,
  ],
  [
    'N4',
    'a notification by id finds an intent of the other environment',
    NOTIFICATIONS,
    'where p.environment = env and p.gateway = from_gateway and p.id = intent',
    'where p.gateway = from_gateway and p.id = intent',
    ENVIRONMENTS,
  ],
  [
    'N5',
    'a notification finds an intent of another gateway',
    NOTIFICATIONS,
    'where p.environment = env and p.gateway = from_gateway and p.id = intent',
    'where p.environment = env and p.id = intent',
    ENVIRONMENTS,
  ],
  [
    'R1',
    'a live event goes to sandbox endpoints',
    EVENTS,
    'w.user_id = i.user_id and w.environment = i.environment and',
    'w.user_id = i.user_id and',
    ENVIRONMENTS,
  ],
  [
    'R10',
    "an event goes to every merchant's endpoints",
    EVENTS,
    'w.user_id = i.user_id and w.environment = i.environment and',
    'w.environment = i.environment and',
    ENVIRONMENTS,
  ],
  [
    'N6',
    'the limit of endpoints is shared by the environments',
    'db/functions/webhook-endpoints.sql',
    'and w.environment = r.environment and',
    'and',
    ENVIRONMENTS,
  ],
];

export const SLIPS: readonly Slip[] = ROWS.map(([id, what, file, from, to, tests, title]) => ({
  ...{ id, what, file, from, to, tests },
  ...(title === undefined ? {} : { title }),
}));
