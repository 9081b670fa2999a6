// Slips that somebody could make in the money paths, each with the tests that must fail. Not listed is
// what nobody can notice from outside.

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

const LEDGER = 'db/functions/ledger.sql';
const TRANSFERS = 'db/functions/transfers.sql';
const NOTIFICATIONS = 'db/functions/notifications.sql';
const INTENTS = 'db/functions/intents.sql';
const SUSPENSE = 'db/functions/suspense.sql';
const PAYMENT_REFUNDS = 'db/functions/refunds.sql';
const OPERATORS = 'db/functions/operators.sql';
const EVENTS = 'db/functions/events.sql';
const RUNS = 'db/functions/webhook-delivery-runs.sql';
const ATTEMPTS = 'db/functions/webhook-attempts.sql';

const MONEY = 'domain/money.ts';
const WEBHOOK = 'domain/webhook.ts';

const MONEY_TESTS = ['test/domain/money.test.ts'];
const RULES = ['test/domain/webhook.test.ts'];
const MESSAGES = ['test/secrets/workflow-messages.test.ts'];
const ADDRESSES = ['test/webhooks/addresses.test.ts'];
const ENVIRONMENTS = ['test/db/environments.test.ts'];
const POSTINGS = ['test/db/post-transfers.test.ts'];
const BATCHES = ['test/db/post-transfer-batch.test.ts'];
const FEES = ['test/db/fees.test.ts'];
const LOCKS = ['test/db/lock-order.test.ts'];
const FROZEN = ['test/db/frozen-accounts.test.ts'];
const REFUNDS = ['test/workflows/suspense-refund.test.ts'];
const INTENT_TESTS = ['test/db/intents.test.ts'];
const REFERENCES = ['test/db/references.verify.test.ts'];
const RUN_TESTS = ['test/db/webhook-delivery-runs.test.ts'];

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
  [
    'M2',
    'a currency without decimals has decimals',
    MONEY,
    'EXPONENTS[currency] === 0 &&',
    'EXPONENTS[currency] === 1 &&',
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
    'M6',
    'amounts below one have no zero before the point',
    MONEY,
    'padStart(SCALE + 1',
    'padStart(SCALE',
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
  ['H1', 'the first retry is left out', WEBHOOK, 'schedule[tries - 1]', 'schedule[tries]', RULES],
  [
    'H2',
    'a receiver brings its retry forward',
    WEBHOOK,
    'Math.max(wait, askedFor',
    'Math.min(wait, askedFor',
    RULES,
  ],
  [
    'H3',
    'a receiver puts a retry off for ever',
    WEBHOOK,
    'Math.min(Math.max(retry_after_seconds ?? 0, 0), MAX_RETRY_AFTER_SECONDS)',
    'Math.max(retry_after_seconds ?? 0, 0)',
    RULES,
  ],
  [
    'H4',
    'a receiver that is not found is gone',
    WEBHOOK,
    'status === 410',
    'status === 404',
    RULES,
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
    'what nobody has signed is posted',
    'secrets/workflow-messages.ts',
    'if (!signer.isSigned(fields, signature)) return undefined;',
    '',
    MESSAGES,
  ],
  [
    'S5',
    'the order to cancel one intent cancels any',
    'secrets/workflow-messages.ts',
    'fields.intent_id === intent_id && ',
    '',
    MESSAGES,
  ],
  [
    'S6',
    'an order to cancel is valid for ever',
    'secrets/workflow-messages.ts',
    ' && fields.valid_until! >= Date.now()',
    '',
    MESSAGES,
  ],
  [
    'S7',
    'what is signed for one purpose is signed for all',
    'secrets/signature.ts',
    'deriveKey(key, label)',
    "deriveKey(key, '')",
    ['test/secrets/signature.test.ts', ...MESSAGES],
  ],
  [
    'S8',
    'a sealed secret may be moved to another row',
    'secrets/seal.ts',
    'decipher.setAAD(Buffer.from(context));',
    "decipher.setAAD(Buffer.from(''));",
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
    'S11',
    'a key with a wrong checksum costs a query',
    'secrets/api-key.ts',
    'checksum(text.slice(0, -6)) === match[4]',
    "match[4] !== ''",
    ['test/secrets/api-key.test.ts'],
  ],
  [
    'S12',
    'any password of an earlier version is right',
    'secrets/password.ts',
    'return timingSafeEqual(known, derived)',
    'return known.length === derived.length',
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
    'return mayDo(account.role, access, environment)',
    "return mayDo('owner', access, environment)",
    ['test/dashboard/access.test.ts'],
  ],
  [
    'P3',
    'a form of the sandbox works in live',
    'dashboard/form-check.ts',
    'if (shown === `${account.user_id}/${environment}`) return undefined;',
    'if (shown.startsWith(account.user_id)) return undefined;',
    ['test/dashboard/sign-in.test.ts'],
  ],
  [
    'P4',
    'an operator approves what he requested',
    'db/functions/approvals.sql',
    'when operator_person(actor) = operator_person(a.requested_by)',
    'when actor is null',
    ['test/db/approvals.test.ts'],
  ],
  [
    'P5',
    'the page of mails answers to any name',
    'dashboard/mails/mails.tsx',
    '!isLocalHost(ctx.headers.host, ownNames(config))',
    "ctx.headers.host === ''",
    ['test/dashboard/mails.test.ts'],
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
    'P7',
    'the dashboard is served at every origin',
    'dashboard/origin.ts',
    'if (!isPage) return next();',
    "if (!isPage || ctx.path !== '') return next();",
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
    'common passwords are taken',
    'use-cases/new-password.ts',
    'await isCommonPassword(password)',
    'await isCommonPassword(names.join())',
    ['test/dashboard/passwords.test.ts'],
  ],
  [
    'P11',
    'two first sign-ins make two keys',
    'db/functions/users.sql',
    "(options ->> 'user_id')::uuid for no key update;",
    "(options ->> 'user_id')::uuid;",
    ['test/dashboard/sign-in-races.test.ts'],
  ],
  [
    'P12',
    'a form that was carried out is called unavailable',
    'dashboard/router.ts',
    '      logFault(log, ctx, error);\n    });',
    '      throw error;\n    });',
    ['test/dashboard/keys.test.ts'],
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
    'isPublicAddress(ip) && !isAmong(ip, own())',
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
    'L5',
    'an adjustment locks its wallet first',
    LEDGER,
    '  perform lock_accounts(array[source, wallet]);',
    '  perform lock_accounts(array[wallet]);\n  perform lock_accounts(array[source]);',
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
    'L9',
    'a payment locks its wallet first, among operations of every kind',
    NOTIFICATIONS,
    '  perform lock_accounts(array[wallet, clearing,',
    '  perform lock_accounts(array[wallet]);\n  perform lock_accounts(array[wallet, clearing,',
    ['test/invariants/ledger.test.ts'],
    'parallel operations of every kind',
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
    'when at > p.accept_before then',
    "when at > p.accept_before + interval '1 day' then",
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
    'balances[payer] < p.amount_minor',
    'balances[payer] + 100 < p.amount_minor',
    POSTINGS,
  ],
  [
    'B2',
    'the whole balance may not be sent',
    TRANSFERS,
    'balances[payer] < p.amount_minor',
    'balances[payer] <= p.amount_minor',
    POSTINGS,
  ],
  [
    'B3',
    'a wallet may be overfilled by a transfer',
    TRANSFERS,
    'balances[payee] + p.amount_minor - p.fee_minor > 999999999999999',
    'balances[payee] + p.amount_minor - p.fee_minor > 9999999999999999',
    POSTINGS,
  ],
  [
    'B4',
    'a wallet may be overfilled by a payment',
    NOTIFICATIONS,
    'limit_minor constant bigint := 999999999999999;',
    'limit_minor constant bigint := 9999999999999999;',
    ['test/api/gateway-notifications.money.test.ts'],
    'full wallet',
  ],
  [
    'B5',
    'the sandbox moves money',
    TRANSFERS,
    "    if outcome = 'completed' then",
    "    if outcome in ('completed', 'simulated') then",
    POSTINGS,
  ],
  [
    'B6',
    'a sandbox transfer completes',
    TRANSFERS,
    "when p.environment = 'live' then 'completed'",
    "when true then 'completed'",
    POSTINGS,
  ],
  [
    'B7',
    'money may be sent to oneself',
    TRANSFERS,
    "when p.recipient_id = p.sender_id then 'self_transfer'",
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
    '      balances[payer] := balances[payer] - p.amount_minor;\n',
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
    '      versions[payee] := versions[payee] + 1;\n',
    '',
    POSTINGS,
  ],

  [
    'B13',
    "another credit's reference passes for a repetition",
    OPERATORS,
    ' and e.amount_minor = amount\n',
    '\n',
    ['test/db/credits.test.ts'],
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
    'when frozen[payer] then',
    'when false then',
    FROZEN,
  ],
  [
    'B16',
    'a posting that does not ask takes from a frozen wallet',
    LEDGER,
    'if takes_from_frozen then',
    'if false then',
    FROZEN,
  ],
  [
    'B20',
    'a transfer that was decided wrongly takes from a frozen wallet',
    TRANSFERS,
    '      if frozen[payer] then',
    '      if false then',
    FROZEN,
  ],
  [
    'B17',
    'the application may credit wallets',
    'db/grants.ts',
    "    'create_intent(jsonb)',",
    "    'create_intent(jsonb)',\n    'credit_wallet(text,uuid,text,text,text,bigint,text,text)',",
    ['test/db/roles.test.ts'],
  ],
  [
    'B18',
    'an operator decides about an own account',
    'db/functions/approvals.sql',
    'm.user_id = account and m.login_id::text = operator_person(actor)',
    'm.user_id = account and m.login_id::text = actor',
    ['test/db/own-accounts.test.ts'],
  ],

  // Fees
  [
    'F1',
    'the fee is not taken from the recipient',
    TRANSFERS,
    '(d.payee_id, d.amount_minor - d.fee_minor,',
    '(d.payee_id, d.amount_minor,',
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
  [
    'F5',
    'the fee is of another currency',
    TRANSFERS,
    "f.kind = 'transfer' and f.currency = q.currency",
    "f.kind = 'transfer' and f.currency = 'XOF'",
    FEES,
  ],

  // Replay
  [
    'R2',
    'a replay posts again',
    TRANSFERS,
    '    if answer > 0 then',
    '    if false then',
    POSTINGS,
  ],
  [
    'R3',
    'a refusal is not kept',
    TRANSFERS,
    "and x.operation = 'transfer' and x.key = d.key",
    "and x.operation = 'transfer' and x.key = d.key and x.status = 200",
    POSTINGS,
  ],
  [
    'R14',
    'a key that comes twice in a batch is forgotten in between',
    TRANSFERS,
    '    answered[first_with_key[i]] := i;\n',
    '',
    POSTINGS,
  ],
  [
    'R15',
    'a percent sign of a response is taken for a place',
    'domain/transfer.ts',
    ".replaceAll('%', '%%')",
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
    "  if i.status <> 'creating' then\n    return i.status;\n  end if;\n",
    '',
    INTENT_TESTS,
  ],
  [
    'R7',
    'suspense is accepted twice',
    SUSPENSE,
    "if s.status <> 'held' or s.user_id is null then",
    'if s.user_id is null then',
    ['test/workflows/payment-intent-notifications.test.ts'],
    'accepted once',
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
    '::transfer_posting order by q.position)',
    '::transfer_posting order by q.position desc)',
    POSTINGS,
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
  [
    'N7',
    'a stored response is found in the other environment',
    'db/functions/authenticate.sql',
    'i.user_id = authenticate_call.user_id and i.environment = authenticate_call.environment',
    'i.user_id = authenticate_call.user_id',
    ENVIRONMENTS,
  ],
  [
    'N8',
    "a delivery is compared with its endpoint's environment by nobody",
    'db/verify-references.ts',
    'and w.environment = d.environment',
    '',
    REFERENCES,
  ],
  [
    'N9',
    "a payment is compared with its intent's environment by nobody",
    'db/verify-references.ts',
    'and i.gateway = p.gateway and i.environment = p.environment',
    'and i.gateway = p.gateway',
    REFERENCES,
  ],
  [
    'N10',
    'a live key is made without an approved identity check',
    'db/functions/users.sql',
    "(options ->> 'environment' = 'sandbox' or u.kyc_status = 'approved')",
    "(options ->> 'environment' is not null)",
    ['test/db/api-keys.test.ts'],
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
    "case r.status when 'pending' then 'refunds' else 'gateway_clearing' end",
    "'refunds'",
    ['test/db/refunds.test.ts'],
  ],
  [
    'Q3',
    'an answer to an earlier question counts',
    PAYMENT_REFUNDS,
    'if r.asks <> asked then',
    'if false then',
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
    'N11',
    "another account's transfer is shown",
    'db/transfers.ts',
    'and $1 in (t.sender_id, t.recipient_id)',
    'and $1 is not null',
    ENVIRONMENTS,
  ],

  // What customers see
  [
    'CS1',
    'a picture may have a second header',
    'use-cases/logo-thread.mjs',
    '[IHDR, IEND].every(({ length }) => length === 1)',
    '[IHDR, IEND].every(({ length }) => length > 0)',
    ['test/use-cases/logos.test.ts'],
  ],
  [
    'CS2',
    'two pictures of one merchant are read at a time',
    'use-cases/logos.ts',
    'if (reading.has(owner))',
    "if (reading.has(''))",
    ['test/use-cases/logos.test.ts'],
  ],
  [
    'CS3',
    'a public name may turn the text around',
    'domain/public-profile.ts',
    'return INVISIBLE.test(line) || STACKED.test(line) ? undefined : line;',
    'return STACKED.test(line) ? undefined : line;',
    ['test/domain/public-profile.test.ts'],
  ],

  // Deliveries
  [
    'A5',
    'the recorder swallows the error of its write',
    'activities/webhooks/attempt-recorder.ts',
    'await writeBatch(batch).catch(fail);',
    'await writeBatch(batch).catch(() => undefined);',
    ['test/workflows/webhook-recording.test.ts'],
  ],
  [
    'W2',
    'a lease is taken before it is over',
    RUNS,
    'or l.leased_until <= clock_timestamp()',
    'or true',
    RUN_TESTS,
  ],
  [
    'W3',
    'a lease is renewed by anybody',
    RUNS,
    'where l.endpoint_id = held.endpoint_id and l.token = held.token',
    'where l.endpoint_id = held.endpoint_id',
    RUN_TESTS,
  ],
  [
    'W4',
    'an attempt to the address before counts for the present one',
    ATTEMPTS,
    'where x.id = endpoint and x.url = h.url',
    'where x.id = endpoint',
    ['test/db/webhook-attempts.test.ts'],
  ],
];

export const SLIPS: readonly Slip[] = ROWS.map(([id, what, file, from, to, tests, title]) => ({
  ...{ id, what, file, from, to, tests },
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
