// Slips that a developer could make in the money paths, each with the tests that must fail. Slips
// without an effect outside are not listed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

export interface Slip {
  readonly id: string;
  readonly what: string;
  readonly file: string;
  /** Is once in the file: slips.test.ts says when it is not. */
  readonly from: string;
  readonly to: string;
  /** One test of these files must fail. */
  readonly tests: readonly string[];
  /** Only tests whose title has this. */
  readonly title?: string;
}

const LEDGER = 'db/ledger/ledger.sql';
const FEE_RULES = 'db/ledger/fees.sql';
const FEE_INVOICES = 'db/ledger/fee-invoices.sql';
const TRANSFERS = 'db/transfers/transfers.sql';
const NOTIFICATIONS = 'db/suspense/notifications.sql';
const INTENTS = 'db/payment-intents/intents.sql';
const SUSPENSE = 'db/suspense/suspense.sql';
const PAYMENT_REFUNDS = 'db/refunds/refunds.sql';
const PAYOUTS = 'db/payouts/payouts.sql';
const PAYOUT_TESTS = ['test/db/payouts.test.ts'];
const DAILY_LIMITS = 'db/keys/daily-limits.sql';
const DAILY_LIMIT_TESTS = ['test/db/daily-limits.test.ts'];
const DISPUTES = 'db/disputes/disputes.sql';
const TREASURY = 'db/treasury/treasury.sql';
const TREASURY_FILES = 'db/treasury/files.sql';
const FILE_TESTS = ['test/use-cases/treasury-files.test.ts'];
const REVERSALS = 'db/transfers/reversals.sql';
const OPERATORS = 'db/operators/operators.sql';
const EVENTS = 'db/webhooks/events.sql';
const ATTEMPTS = 'db/webhooks/webhook-attempts.sql';

const MONEY = 'domain/money.ts';

const MONEY_TESTS = ['test/domain/money.test.ts'];
const MESSAGES = ['test/secrets/workflow-messages.test.ts'];
const ADDRESSES = ['test/webhooks/addresses.test.ts'];
const ENVIRONMENTS = ['test/db/environments.test.ts'];
const POSTINGS = ['test/db/post-transfers.test.ts'];
const BATCHES = ['test/db/post-transfer-batch.test.ts'];
const FEES = [
  'test/db/fees.test.ts',
  'test/db/fee-rules.test.ts',
  'test/db/fee-invoices.test.ts',
  'test/invariants/fees.test.ts',
];
const LOCKS = ['test/db/lock-order.test.ts'];
const FROZEN = ['test/db/frozen-accounts.test.ts'];
const REFUNDS = ['test/workflows/refund.test.ts'];
const DISPUTE_TESTS = ['test/db/disputes.test.ts'];
const INTENT_TESTS = ['test/db/intents.test.ts'];
const REFERENCES = ['test/db/references.verify.test.ts'];

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
  // Rules, which need no server
  [
    'M1',
    'a third decimal is dropped',
    MONEY,
    'fraction.length > SCALE',
    'fraction.length > SCALE + 1',
    MONEY_TESTS,
  ],
  ['M3', 'amounts have no bound', MONEY, 'amount > MAX_MINOR', 'amount < 0n', MONEY_TESTS],
  ['M4', 'nothing is an amount', MONEY, 'amount === 0n', 'amount < 0n', MONEY_TESTS],
  [
    'M5',
    'tenths are read as hundredths',
    MONEY,
    'fraction.padEnd(SCALE',
    'fraction.padStart(SCALE',
    MONEY_TESTS,
  ],
  [
    'M7',
    'a body that lacks a field is the same body',
    'domain/idempotency.ts',
    '[...Object.keys(first), ...Object.keys(second)]',
    'Object.keys(first)',
    ['test/domain/idempotency.test.ts'],
  ],
  [
    'M8',
    'a refusal may become another outcome later',
    'domain/transfer.ts',
    "  'insufficient_funds',\n  'recipient_not_found',\n]);",
    "  'recipient_not_found',\n]);",
    ['test/domain/transfer.test.ts'],
  ],
  [
    'M9',
    'a phone number stands in the id of a workflow',
    'domain/ids.ts',
    ' && !PHONE.test(key)',
    '',
    ['test/domain/ids.test.ts'],
  ],

  // Signatures and secrets
  [
    'S1',
    'the signature is compared in part',
    'secrets/gateway-signature.ts',
    'timingSafeEqual(given, digest(raw, secret))',
    'timingSafeEqual(given.subarray(0, 31), digest(raw, secret).subarray(0, 31))',
    ['test/secrets/gateway-signature.test.ts'],
  ],
  [
    'S2',
    'a signature may have other characters behind it',
    'secrets/gateway-signature.ts',
    '/^[0-9a-f]{64}$/',
    '/^[0-9a-f]{64}/',
    ['test/secrets/gateway-signature.test.ts'],
  ],
  [
    'S3',
    'only the first secret is tried',
    'secrets/gateway-signature.ts',
    'for (const secret of secrets)',
    'for (const secret of secrets.slice(0, 1))',
    ['test/secrets/gateway-signature.test.ts'],
  ],
  [
    'G3',
    "a test event under Stripe's live secret is taken for money",
    'gateway/stripe/notifications.ts',
    "event.livemode !== (environment === 'live')",
    "event.livemode && environment !== 'live'",
    ['test/gateway/stripe.notifications.test.ts'],
  ],
  [
    'G4',
    'an old event of Stripe is taken',
    'gateway/stripe/notifications.ts',
    'const TOLERANCE_SECONDS = 300;',
    'const TOLERANCE_SECONDS = 300_000;',
    ['test/gateway/stripe.notifications.test.ts'],
  ],
  [
    'S4',
    'what a history shows of a transfer may be changed',
    'secrets/workflow-messages.ts',
    'string => JSON.stringify(shown)',
    'string => typeof shown',
    MESSAGES,
  ],
  [
    'S5',
    'the order to cancel one intent cancels any',
    'secrets/workflow-messages.ts',
    'opened.shown.intent_id === intent_id && ',
    '',
    MESSAGES,
  ],
  [
    'S6',
    'an order to cancel is valid for ever',
    'secrets/workflow-messages.ts',
    ' && opened.shown.valid_until >= Date.now()',
    '',
    MESSAGES,
  ],
  [
    'S7',
    'what is sealed for one purpose is sealed for all',
    'secrets/cipher.ts',
    'deriveKey(key, label, ',
    "deriveKey(key, '', ",
    ['test/secrets/cipher.test.ts'],
  ],
  [
    'S8',
    'a sealed secret may be moved to another row',
    'secrets/seal.ts',
    'cipher.encrypt(Buffer.from(text), context)',
    "cipher.encrypt(Buffer.from(text), '')",
    ['test/secrets/seal.test.ts'],
  ],
  [
    'S9',
    'during a rotation webhooks are signed with the new secret only',
    'secrets/webhook-secret.ts',
    "'x-service-signature': serviceSignature(body, previous_secret)",
    "'x-service-signature': serviceSignature(body, secret)",
    ['test/secrets/webhook-secret.test.ts'],
  ],
  [
    'S10',
    'a webhook is not signed with its time',
    'secrets/webhook-secret.ts',
    '`${id}.${timestamp}.`',
    '`${id}..`',
    ['test/secrets/webhook-secret.test.ts'],
  ],
  [
    'S12',
    'any password is right for a hash that is broken',
    'secrets/password.ts',
    '.catch(() => false)',
    '.catch(() => true)',
    ['test/secrets/password.test.ts'],
  ],

  // The dashboard
  [
    'P1',
    'a form needs no token',
    'dashboard/form-check.ts',
    "if (!isSameText(form.get(TOKEN_FIELD) ?? '', formToken(formSecret(ctx)))) return",
    "if (form.get(TOKEN_FIELD) === 'never') return",
    ['test/dashboard/sign-in.test.ts'],
  ],
  [
    'P2',
    'every member may do everything',
    'dashboard/access.ts',
    'if (!mayDo(account.role, access, environment))',
    "if (!mayDo('owner', access, environment))",
    ['test/dashboard/access.test.ts'],
  ],
  [
    'P3',
    'a form of the sandbox works in live',
    'dashboard/form-check.ts',
    'if (shown === shownOf(session)) return undefined;',
    'if (shown.startsWith(session.account.user_id)) return undefined;',
    ['test/dashboard/sign-in.test.ts'],
  ],
  [
    'P4',
    'an operator approves what he requested',
    'db/operators/approvals.sql',
    'when operator_person(actor) = operator_person(a.requested_by)',
    'when actor is null',
    ['test/db/approvals.test.ts'],
  ],
  [
    'P6',
    'the API is served at the dashboard’s own origin too',
    'dashboard/origin.ts',
    'if (isPage) return next();',
    "if (isPage || ctx.path !== '/') return next();",
    ['test/dashboard/origin.test.ts'],
  ],
  [
    'P8',
    'a form of another origin is taken',
    'dashboard/form-check.ts',
    'return header === new URL(dashboard_url).origin;',
    "return header !== '';",
    ['test/dashboard/origin.test.ts'],
  ],
  [
    'P9',
    'another session reads the key of a second factor that waits',
    'use-cases/second-factor.ts',
    '`${contextOf(login_id)}/${session_id}`',
    '`${contextOf(login_id)}/${session_id.length}`',
    ['test/dashboard/second-factor.test.ts'],
  ],

  [
    'P10',
    'a draft that was carried out is carried out again by its next key',
    'dashboard/drafts.ts',
    'if (stored.status < 300) {',
    'if (stored.status < 200) {',
    ['test/dashboard/drafts.test.ts'],
  ],
  [
    'P11',
    'another browser’s link fills in a form',
    'dashboard/kept.ts',
    'return `kept/${visitorOf(ctx)}`;',
    'return `kept/${visitorOf(ctx).length}`;',
    ['test/dashboard/drafts.test.ts'],
  ],

  // Where webhooks go
  [
    'W1',
    'a webhook may go to a private address',
    'webhooks/addresses.ts',
    "'10.0.0.0/8'",
    "'10.0.0.0/32'",
    ADDRESSES,
  ],
  [
    'W5',
    'a webhook may go to this machine',
    'webhooks/addresses.ts',
    'isPublicAddress(ip) && !isOwn(ip)',
    'isPublicAddress(ip)',
    ADDRESSES,
  ],
  [
    'W6',
    'a webhook may go out unencrypted',
    'webhooks/url.ts',
    "!(url.protocol === 'http:' && is_exempt)",
    "url.protocol !== 'http:'",
    ['test/webhooks/url.test.ts'],
  ],
  [
    'W7',
    'a webhook may go to this service by its name',
    'webhooks/url.ts',
    'own_hosts.has(host)',
    'own_hosts.size < 0',
    ['test/webhooks/url.test.ts', 'test/webhooks/own-hosts.test.ts'],
  ],

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
    '  perform lock_accounts(array[wallet, clearing,',
    '  perform lock_accounts(array[wallet]);\n  perform lock_accounts(array[wallet, clearing,',
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
    'L6',
    'keys are not locked',
    TRANSFERS,
    'unnest(locks) lock where lock is not null',
    'unnest(locks) lock where false',
    POSTINGS,
  ],
  [
    'L13',
    'histories are not locked',
    TRANSFERS,
    'having count(*) >= greatest(2,',
    'having count(*) >= greatest(2000,',
    BATCHES,
    'waits for the histories',
  ],
  [
    'L8',
    'the key of a lost response is not waited for',
    'db/requests/idempotency.sql',
    '  perform pg_advisory_xact_lock(idempotency_lock(account, env, op, idem_key));\n  lapsed',
    '  lapsed',
    ['test/db/idempotency.test.ts'],
  ],

  // Deadlines
  [
    'D1',
    'a transfer is posted past its deadline',
    TRANSFERS,
    'when at > o.accept_before or',
    "when at > o.accept_before + interval '1 day' or",
    POSTINGS,
  ],
  [
    'D4',
    'a transfer that was given up is posted',
    TRANSFERS,
    ' or i = any (given_up) then',
    ' then',
    ['test/db/idempotency.test.ts'],
  ],
  [
    'D2',
    'an intent expires before its time',
    INTENTS,
    "i.status not in ('open', 'processing') or at < i.expires_at",
    "i.status not in ('open', 'processing')",
    INTENT_TESTS,
  ],
  [
    'D3',
    'a lapsed request is called pending',
    'db/requests/orders.ts',
    "lapsed ? 'lapsed' : 'pending'",
    "lapsed ? 'pending' : 'pending'",
    ['test/db/idempotency.test.ts'],
  ],

  // Balances and amounts
  [
    'B1',
    'one unit more than the balance may be sent',
    TRANSFERS,
    'payer.balance_minor < o.debit_minor',
    'payer.balance_minor + 100 < o.debit_minor',
    POSTINGS,
  ],
  [
    'K1',
    'each transfer has the whole limit of its key',
    DAILY_LIMITS,
    'amount > coalesce(l.limit_minor, 0) - l.used_minor',
    'amount > coalesce(l.limit_minor, 0)',
    DAILY_LIMIT_TESTS,
  ],
  [
    'K2',
    'sandbox transfers of one key are decided side by side',
    TRANSFERS,
    ' or (o.limited_key is not null and x.id = o.payer_id)',
    '',
    DAILY_LIMIT_TESTS,
    'at the same time',
  ],
  [
    'K3',
    'a refund is not counted by the limit of the key',
    PAYMENT_REFUNDS,
    'count_key_spending(r.limited_key,',
    'count_key_spending(null,',
    DAILY_LIMIT_TESTS,
  ],
  [
    'K4',
    'the fee of a payout is not counted by the limit of the key',
    PAYOUTS,
    'count_key_spending(p.limited_key, p.currency, total)',
    'count_key_spending(p.limited_key, p.currency, p.amount_minor)',
    DAILY_LIMIT_TESTS,
  ],
  [
    'B3',
    'a wallet may be overfilled by a transfer',
    TRANSFERS,
    'payee.balance_minor + o.credit_minor > 999999999999999',
    'payee.balance_minor + o.credit_minor > 9999999999999999',
    POSTINGS,
  ],
  [
    'B4',
    'a wallet may be overfilled by a payment',
    NOTIFICATIONS,
    'limit_minor constant bigint := 999999999999999;',
    'limit_minor constant bigint := 9999999999999999;',
    ['test/db/settlement.test.ts'],
    'wallet fills up',
  ],
  [
    'B5',
    'the sandbox moves money',
    TRANSFERS,
    "    if d.outcome = 'completed' then",
    "    if d.outcome in ('completed', 'simulated') then",
    POSTINGS,
  ],
  [
    'B6',
    'a sandbox transfer completes',
    TRANSFERS,
    "when o.environment = 'live' then 'completed'",
    "when true then 'completed'",
    POSTINGS,
  ],
  [
    'B7',
    'money may be sent to oneself',
    TRANSFERS,
    "when o.recipient_id = o.sender_id then 'self_transfer'",
    "when false then 'self_transfer'",
    POSTINGS,
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
    'B10',
    'an adjustment may debit a wallet',
    LEDGER,
    "not in ('operator', 'sandbox_source') or amount <= 0",
    "not in ('operator', 'sandbox_source')",
    ['test/db/credits.test.ts'],
  ],
  [
    'B11',
    'the balance after it is that before it',
    TRANSFERS,
    '      payer.balance_minor := payer.balance_minor - o.debit_minor;\n',
    '',
    POSTINGS,
  ],
  [
    'B12',
    'an entry has the version after its own',
    LEDGER,
    'm.balance_minor, m.version from moved m',
    'm.balance_minor, m.version + 1 from moved m',
    POSTINGS,
  ],
  [
    'B19',
    'a later posting of a batch has the version of the one before it',
    TRANSFERS,
    '      payee.version := payee.version + 1;\n',
    '',
    BATCHES,
  ],

  [
    'B14',
    'a credit leaves no audit row',
    OPERATORS,
    "perform add_audit_row(actor, 'wallets.credit', ",
    "perform concat(actor, 'wallets.credit', ",
    ['test/db/credits.test.ts'],
  ],
  [
    'B15',
    'a frozen account sends money',
    TRANSFERS,
    'when payer.held_by is not null then',
    'when false then',
    FROZEN,
  ],
  [
    'B16',
    'a posting that does not ask takes from a frozen wallet',
    LEDGER,
    'if takes_from_held then',
    'if false then',
    FROZEN,
  ],
  [
    'B20',
    'a transfer that was decided wrongly takes from a frozen wallet',
    TRANSFERS,
    '      if payer.held_by is not null then',
    '      if false then',
    FROZEN,
  ],
  [
    'B17',
    'the application may credit wallets',
    'db/schema/grants.ts',
    "    'create_intent(jsonb)',",
    "    'create_intent(jsonb)',\n    'credit_wallet(text,uuid,text,text,text,bigint,text,text)',",
    ['test/db/roles.test.ts'],
  ],
  [
    'B18',
    'an operator decides about an own account',
    'db/operators/approvals.sql',
    'm.user_id = account and m.login_id::text = operator_person(actor)',
    'm.user_id = account and m.login_id::text = actor',
    ['test/db/own-accounts.test.ts'],
  ],

  // Fees
  [
    'F1',
    'the fee is not taken from the recipient',
    TRANSFERS,
    '(d.payee_id, d.credit_minor,',
    '(d.payee_id, d.amount_minor,',
    FEES,
  ],
  [
    'F2',
    'fees are rounded down',
    FEE_RULES,
    'round((of_minor * r.percent',
    'floor((of_minor * r.percent',
    FEES,
  ],
  [
    'F3',
    'a fee may take all',
    FEE_RULES,
    'least(f.minor + t.minor, amount - m.step_minor)',
    'least(f.minor + t.minor, amount)',
    FEES,
  ],
  [
    'F6',
    'what the payer bears is not asked of the wallet',
    TRANSFERS,
    'when payer.balance_minor < o.debit_minor then',
    'when payer.balance_minor < o.amount_minor then',
    FEES,
  ],
  [
    'F7',
    'a posting may have the fee of another moment',
    FEE_RULES,
    'if at >= holds_until then',
    'if false then',
    FEES,
  ],
  [
    'F8',
    'rules change while postings read them',
    FEE_RULES,
    '  perform pg_advisory_xact_lock(16, 1);',
    '',
    FEES,
  ],
  [
    'F9',
    'the number of an invoice is not locked',
    FEE_INVOICES,
    "perform pg_advisory_xact_lock(17, case env when 'live' then 1 else 2 end);",
    '',
    FEES,
  ],
  [
    'F10',
    'an invoice begins before the last one has ended',
    FEE_INVOICES,
    'order by x.period_to desc limit 1',
    'order by x.period_to limit 1',
    FEES,
  ],
  [
    'F4',
    'a payment has the fee of a transfer',
    NOTIFICATIONS,
    "from fee_of('payment_intent', i.currency",
    "from fee_of('transfer', i.currency",
    FEES.concat('test/db/damages.verify.test.ts', 'test/api/gateway-notifications.money.test.ts'),
  ],
  [
    'F5',
    'the fee is of another currency',
    TRANSFERS,
    "fee_of('transfer', q.currency, q.amount_minor",
    "fee_of('transfer', 'XOF', q.amount_minor",
    FEES,
  ],

  // Replay
  [
    'R2',
    'a replay posts again',
    TRANSFERS,
    '    if answered[first_with_key[i]] > 0 then',
    '    if false then',
    POSTINGS,
  ],
  [
    'R3',
    'a refusal is not kept',
    TRANSFERS,
    "and x.operation = 'transfer' and x.key = q.key",
    "and x.operation = 'transfer' and x.key = q.key and x.status = 200",
    POSTINGS,
  ],
  [
    'R14',
    'a key that comes twice in a batch is forgotten in between',
    TRANSFERS,
    '    answered[first_with_key[i]] := i;\n',
    '',
    BATCHES,
  ],
  [
    'R4',
    'an applied notification is applied again',
    NOTIFICATIONS,
    '  if n.outcome is not null then',
    '  if false then',
    INTENT_TESTS,
  ],
  [
    'R5',
    'one payment under two events is booked twice',
    NOTIFICATIONS,
    'p.environment = n.environment and p.provider_payment_id = r.provider_payment_id)',
    'p.environment = n.environment and p.provider_payment_id = r.provider_payment_id and false)',
    INTENT_TESTS,
  ],
  [
    'R6',
    'a session is opened twice for one intent',
    INTENTS,
    "if i.status <> 'creating' or i.created_at <> began or",
    'if i.created_at <> began or',
    INTENT_TESTS,
  ],
  [
    'R7',
    'suspense is accepted twice',
    SUSPENSE,
    "if s.status <> 'held' or s.user_id is null then",
    'if s.user_id is null then',
    ['test/db/decisions.test.ts'],
  ],
  [
    'R8',
    'a repeated answer about one order ends the next one',
    SUSPENSE,
    "answer in ('succeeded', 'failed') and answer <> r.status",
    "answer in ('succeeded', 'failed')",
    REFUNDS,
  ],
  [
    'R11',
    'an answer counts although the gateway was asked again since',
    SUSPENSE,
    'if r.asks <> asked then',
    'if false then',
    REFUNDS,
  ],
  [
    'R12',
    'an order to refund is made though one is under way',
    SUSPENSE,
    "is_new := status = 'held';",
    "is_new := status in ('held', 'refunding');",
    REFUNDS,
  ],
  [
    'R13',
    'a refund that failed later stays booked',
    SUSPENSE,
    "answer = 'failed' and s.status = 'refunded' and s.refund_id = r.refund_id",
    "answer = 'failed' and s.status = 'refunded' and false",
    REFUNDS,
  ],
  [
    'R9',
    'an ended intent is paid',
    NOTIFICATIONS,
    "    elsif i.status not in ('open', 'processing') then\n      outcome := 'suspense';",
    "    elsif i.status not in ('open', 'processing', 'canceled') then\n      outcome := 'suspense';",
    INTENT_TESTS,
  ],

  // Order
  [
    'O1',
    'an event is numbered by its account alone',
    EVENTS,
    's.user_id = account and s.environment = env for update',
    "s.user_id = account and s.environment = 'live' for update",
    ['test/db/webhook-deliveries.added.test.ts'],
  ],
  [
    'O2',
    'two entries of one history have one time',
    LEDGER,
    "max(a.last_posted_at) + interval '1 microsecond'",
    'max(a.last_posted_at)',
    ['test/db/transactions.test.ts'],
  ],
  [
    'O5',
    'a row whose moment is taken is left out of the history',
    TRANSFERS,
    'waiting := waiting - shown;',
    'waiting := 0;',
    BATCHES,
  ],
  [
    'O3',
    'results are returned in another order than the requests',
    TRANSFERS,
    'array_agg(o order by o.position)',
    'array_agg(o order by o.position desc)',
    BATCHES,
  ],

  // Environments
  [
    'N5',
    'a notification finds an intent of another gateway',
    NOTIFICATIONS,
    'return exists (select from payment_attempts a where a.intent_id = intent and a.gateway = at_gateway);',
    'return true;',
    ENVIRONMENTS,
  ],
  [
    'N7',
    'a stored response is found in the other environment',
    'db/keys/authenticate.sql',
    'i.user_id = authenticate_call.user_id and i.environment = authenticate_call.environment',
    'i.user_id = authenticate_call.user_id',
    ENVIRONMENTS,
  ],
  [
    'N8',
    "a delivery is compared with its endpoint's environment by nobody",
    'db/verify/verify-references.ts',
    'and w.environment = d.environment',
    '',
    REFERENCES,
  ],
  [
    'N9',
    "a payment is compared with its intent's environment by nobody",
    'db/verify/verify-references.ts',
    'on i.id = p.intent_id and i.environment = p.environment',
    'on i.id = p.intent_id',
    REFERENCES,
  ],
  [
    'N10',
    'a live key is made without an approved identity check',
    'db/accounts/users.sql',
    "(options ->> 'environment' = 'sandbox' or u.kyc_status = 'approved')",
    "(options ->> 'environment' is not null)",
    ['test/db/api-keys.test.ts'],
  ],
  [
    'PO1',
    'a payout that is being sent still counts as not asked for',
    PAYOUTS,
    `stage = case action when 'send' then 'unknown' else x.stage end,`,
    'stage = x.stage,',
    PAYOUT_TESTS,
  ],
  [
    'PO2',
    'an answer to an earlier question about a payout counts',
    PAYOUTS,
    `  if p.asks = asked then
    if told`,
    `  if p.asks >= asked then
    if told`,
    PAYOUT_TESTS,
  ],
  [
    'PO3',
    'what had succeeded fails',
    PAYOUTS,
    `                          when 'failed' then p.amount_minor when 'canceled' then p.amount_minor else 0 end;`,
    '                          else 0 end;',
    PAYOUT_TESTS,
  ],
  [
    'PO5',
    'the person who ordered a payout approves it',
    PAYOUTS,
    `    when p.ordered_by = login then 'approval_by_creator' end;
  if outcome is null then
    outcome := 'done';
    insert into payout_approvals`,
    `    end;
  if outcome is null then
    outcome := 'done';
    insert into payout_approvals`,
    PAYOUT_TESTS,
  ],
  [
    'PO6',
    'orders of one account at once each have the whole limit',
    PAYOUTS,
    `  perform lock_payout_limits(p.user_id, p.environment, p.currency);
`,
    '',
    PAYOUT_TESTS,
  ],
  [
    'PO9',
    'a payout is sent without the name that it requires',
    PAYOUTS,
    `       (p.name_check = 'require' and p.name_match is distinct from 'match')
       or exists`,
    '       exists',
    PAYOUT_TESTS,
  ],
  [
    'DP1',
    'an answer to an earlier question about a dispute counts',
    DISPUTES,
    'if n.asks is distinct from asked then',
    'if n.asks is null then',
    DISPUTE_TESTS,
  ],
  [
    'DP2',
    'the fee of a lost dispute is taken though the wallet has nothing left',
    DISPUTES,
    'fee := least(balance - taken, d.fee_minor - d.fee_taken_minor);',
    'fee := d.fee_minor - d.fee_taken_minor;',
    DISPUTE_TESTS,
  ],
  [
    'DP3',
    'what is taken for a dispute that was lost waits for the bank for ever',
    DISPUTES,
    "return case d.status when 'open' then",
    'return case when true then',
    DISPUTE_TESTS,
  ],
  [
    'DP4',
    'a dispute locks accounts in the order in which it needs them',
    DISPUTES,
    `,
    clearing_account(d.environment, d.currency, d.gateway)])`,
    '])',
    LOCKS,
  ],
  [
    'DP5',
    'a held wallet gives nothing for a dispute',
    LEDGER,
    " and post_entries.kind <> 'dispute_taken'",
    '',
    DISPUTE_TESTS,
  ],
  [
    'DP7',
    'a notice that comes while the gateway is asked is forgotten',
    DISPUTES,
    'when x.noted_at > x.asked_at then clock_timestamp()',
    'when false then clock_timestamp()',
    DISPUTE_TESTS,
  ],
  [
    'TR1',
    'a line that an earlier file had counts again',
    TREASURY_FILES,
    'where n.nth > (select count(*)',
    'where n.nth > (select 0 * count(*)',
    FILE_TESTS,
  ],
  [
    'TR2',
    'a row of ours is in the files twice',
    TREASURY_FILES,
    'select distinct on (o.row_key) o.* from found o order by o.row_key,',
    'select o.* from found o order by o.row_key,',
    FILE_TESTS,
  ],
  [
    'TR3',
    'two imports of one file at once are compared side by side',
    TREASURY_FILES,
    'perform lock_treasury_files(of_account);',
    '',
    FILE_TESTS,
  ],
  [
    'TR4',
    'fees are withdrawn that are not there',
    TREASURY,
    "if t.kind in ('fees_withdrawn', 'taxes_paid')",
    "if t.kind in ('taxes_paid')",
    ['test/cli/treasury.test.ts'],
  ],
  [
    'TR5',
    'the fee of a line is booked each time its file is posted',
    TREASURY,
    'and f.bank is null and l.posting is null',
    'and f.bank is null',
    ['test/cli/treasury.test.ts'],
  ],
  [
    'TR6',
    'a break that is settled is settled again',
    TREASURY,
    "c.refusal := case when b.status <> 'open' then 'break_settled'",
    "c.refusal := case when b.status = 'resolved' then 'break_settled'",
    FILE_TESTS,
  ],
  [
    'TR7',
    'the report does not wait for postings under way',
    'db/treasury/safeguarding.sql',
    'while exists (select from posting_transactions() p where p = any (seen)) loop',
    'while false loop',
    ['test/db/safeguarding.test.ts'],
  ],
  [
    'TR8',
    'a payment is booked at another provider than its own',
    NOTIFICATIONS,
    'clearing_account(n.environment, i.currency, n.gateway)',
    "clearing_account(n.environment, i.currency, 'sandbox')",
    FILE_TESTS,
  ],
  [
    'Q1',
    'more is refunded than was paid',
    PAYMENT_REFUNDS,
    'if amount > left_minor or left_minor = 0 then',
    'if left_minor = 0 then',
    ['test/db/refunds.test.ts'],
  ],
  [
    'Q2',
    'a refund that was made and comes back takes the money of pending ones',
    PAYMENT_REFUNDS,
    'else clearing_account(r.environment, r.currency, r.gateway) end',
    "else system_account(r.environment, r.currency, 'refunds') end",
    ['test/db/refunds.test.ts'],
  ],
  [
    'Q3',
    'an answer to an earlier question counts',
    PAYMENT_REFUNDS,
    'if r.asks <> asked',
    'if false',
    ['test/db/refunds.test.ts'],
  ],
  [
    'Q4',
    'what can be refunded is what was asked for, not what an operator accepted',
    PAYMENT_REFUNDS,
    'left_minor := paid.amount_minor - i.refunded_minor;',
    'left_minor := i.amount_minor - i.refunded_minor;',
    ['test/db/refunds.test.ts'],
  ],
  [
    'V1',
    'more is reversed than was sent',
    REVERSALS,
    'when amount > left_minor or left_minor = 0 then',
    'when left_minor = 0 then',
    ['test/db/reversals.test.ts'],
    'gives back all that is left',
  ],
  [
    'V2',
    'the sender takes a transfer back',
    REVERSALS,
    'and x.recipient_id = r.user_id',
    'and r.user_id in (x.recipient_id, x.sender_id)',
    ['test/db/reversals.test.ts'],
    'finds no transfer for its sender',
  ],
  [
    'V3',
    'a reversal that waited for a lock is posted past its deadline',
    REVERSALS,
    'at := clock_timestamp();',
    'at := transaction_timestamp();',
    ['test/db/reversals.test.ts'],
    'was locked until it was too late',
  ],
  [
    'N11',
    "another account's transfer is shown",
    'db/transfers/transfers.ts',
    'and $1 in (t.sender_id, t.recipient_id)',
    'and $1 is not null',
    POSTINGS,
  ],

  // Deliveries
  [
    'W4',
    'an attempt to the address before counts for the present one',
    ATTEMPTS,
    'where x.id = endpoint and x.url = h.url',
    'where x.id = endpoint',
    ['test/db/webhook-attempts.test.ts'],
  ],
  [
    'X1',
    'an archive is not compared with its checksums',
    'db/archives/verify.ts',
    'reading.sha256 !== file.sha256',
    'false',
    ['test/db/archives/faults.test.ts'],
  ],
  [
    'X2',
    'an archive whose entries do not balance holds',
    'db/archives/verify.ts',
    'if (sum !== 0n)',
    'if (sum < 0n)',
    ['test/db/archives/faults.test.ts'],
  ],
  [
    'Y1',
    'a workflow that cannot go on is not replaced by the new one',
    'temporal/payment-intents.ts',
    "workflowIdConflictPolicy: 'TERMINATE_EXISTING'",
    "workflowIdConflictPolicy: 'USE_EXISTING'",
    ['test/workflows/payment-intent-broken.test.ts'],
  ],
  [
    'Y4',
    'a caller gets the bytes of an attempt that was too late',
    'db/payment-intents/intents.sql',
    "i.status <> 'creating' or i.created_at <> began",
    "i.status = 'creating' and i.created_at <> began",
    ['test/workflows/payment-intent-checkout.test.ts'],
  ],
  [
    'Y14',
    "Stripe's word that a key is of another request counts as its word that there is no refund",
    'gateway/stripe/refunds.ts',
    'if (isOfAnotherRequest(error)) throwUnknown(error);',
    '',
    ['test/gateway/stripe.checkout.test.ts'],
  ],
  [
    'Y15',
    'a refund that comes back to a full wallet is forgotten',
    'db/refunds/refunds.sql',
    "notified_at = case x.status when 'succeeded' then clock_timestamp() else x.notified_at end",
    'notified_at = x.notified_at',
    ['test/workflows/refund.test.ts'],
  ],
  [
    'Y17',
    'an operator gives a refund back that the gateway has made',
    'db/refunds/refunds.sql',
    "outcome := case when r.status <> 'pending' then r.status",
    "outcome := case when r.status = 'failed' then r.status",
    ['test/db/refunds.test.ts'],
  ],
  [
    'Y18',
    'an operator ends by mistake what the gateway is about to make',
    'db/refunds/refunds.sql',
    "when is_unmade(r, failing ->> 'gateway_refund') then 'done' else 'at_gateway' end",
    "else 'done' end",
    ['test/db/refunds.test.ts'],
  ],
  [
    'Y19',
    'orders of one account count their unknown names at once',
    'db/accounts/accounts.sql',
    "  perform pg_advisory_xact_lock(idempotency_lock(account, env, 'unknown_recipient', ''));\n",
    '',
    ['test/db/unknown-recipients.test.ts'],
  ],
];

export const SLIPS: readonly Slip[] = ROWS.map(([id, what, file, from, to, tests, title]) => ({
  id,
  what,
  file,
  from,
  to,
  tests,
  ...(title === undefined ? {} : { title }),
}));

/** @throws Error for a slip that the sources have outgrown. */
export function expectOnce({ id, file, from }: Pick<Slip, 'id' | 'file' | 'from'>): void {
  const found = readFileSync(join(ROOT, file), 'utf8').split(from).length - 1;
  if (found === 1) return;
  throw new Error(
    `${id}: “${from}” is ${found} times in ${file}, and must be there once. ` +
      'Follow the change in test/mutants/slips.ts.',
  );
}
