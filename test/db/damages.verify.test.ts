// Postings, intents, refunds and reversals against what they are about: parties, amounts, accounts, events, and what
// the histories show of them. Each row is a damage that only a superuser can do, undone afterwards, and all that
// `ledger verify` finds then. That balances no longer follow is another check's.

import type { Knex } from 'knex';
import {
  beginAskingRefund,
  closeSuspense,
  orderSuspenseRefund,
  recordRefundAnswer,
} from '../../db/suspense/suspense';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import { verifyLedger, type Violation } from '../../db/verify/verify';
import { settleLossOf } from '../../use-cases/losses';
import { comparedInPieces, violationsIn } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import { disputeOf, rowOf, say } from '../support/disputes';
import { begin, notifyOfAttempt, openLink } from '../support/payment-attempts';
import { limitAccount } from '../support/limits';
import { buildPaymentLink } from '../support/payment-links';
import { buildItem, createSteps, orderedBatch } from '../support/payout-batches';
import { answerPayout, orderedPayout } from '../support/payouts';
import { buildTransferRequest, post, postOne } from '../support/postings';
import { decide, latestCase, removeRules, setRule } from '../support/risk';
import {
  accept,
  acceptIntent,
  answer,
  notice,
  openIntent,
  ordered,
  payIntent,
  receive,
} from '../support/refunds';
import { buildReversalRequest, reverse } from '../support/reversals';
import { buildApiKey, buildUser, fund } from '../support/users';
import { expireAtOnce, FAILURE, letExpire, notificationOf } from '../workflows/intents';
import { setFees } from '../support/fees';
import { buildTreasury } from '../support/treasury';
import { changeSetting } from '../../db/operators/settings';

const PAY_URL = 'https://pay.example.com';

const database = setUp(createTestDatabase);
/** References and ids by name, for the statements below: `:name`. */
const named: Record<string, string> = {};

beforeAll(async () => {
  const { db, owner, operator } = database;
  await setFees(owner, { percent: 10 });
  const funds = { live: { XOF: 1_000_000n, EUR: 1_000_000n }, sandbox: { XOF: 1_000_000n } };
  const alice = await buildUser(db, { funds });
  const bob = await buildUser(db, { funds });
  const carol = await buildUser(db);
  const link = await buildPaymentLink(database.db, alice);
  Object.assign(named, { alice: alice.id, bob: bob.id, carol: carol.id, link });
  const transfers = [
    buildTransferRequest({ from: alice, to: bob, amount: 100_000n }),
    buildTransferRequest({ from: alice, to: bob, amount: 100_000n, environment: 'sandbox' }),
  ];
  await post(db, transfers);
  named.transfer = transfers[0]!.reference;
  named.simulated = transfers[1]!.reference;
  const reversal = buildReversalRequest({
    by: bob,
    transfer_reference: named.transfer!,
    amount: 10_000n,
  });
  await reverse(db, reversal);
  named.reversal = reversal.reference;

  const intent = await payIntent(db, alice);
  named.payment = intent.reference;
  const live = { environment: 'live', customer_email: 'awa@example.com' } as const;
  const paid = await payIntent(db, alice, live);
  Object.assign(named, { receipt: paid.id, paid: paid.reference });
  const failed = await openIntent(db, alice, { currency: 'EUR' });
  const failure = notificationOf(failed, { type: 'payment.failed', failure: FAILURE });
  const told = await storeNotification(db, 'sandbox', failure, Buffer.from('{}'));
  await applyNotification(db, told.id, PAY_URL);
  const expired = await openIntent(db, alice);
  await letExpire(database, expired);
  await expireAtOnce(db, expired.id);
  const open = await openIntent(db, alice);
  // A notification that waits to be applied is no defect.
  await storeNotification(db, 'sandbox', notificationOf(open), Buffer.from('{}'));
  Object.assign(named, { failed: failed.reference, expired: expired.reference });
  Object.assign(named, { open: open.reference });
  const ended = await acceptIntent(database, alice, 300_000n);
  await answer(db, await ordered(db, ended), 'succeeded');
  named.ended = ended.reference;
  for (const [name, answers] of [
    ['reserved', []],
    ['made', ['succeeded']],
    ['returned', ['failed']],
    ['lost', ['failed', 'succeeded']],
  ] as const) {
    const id = await ordered(db, intent, { amount_minor: '50000' });
    for (const status of answers) {
      await notice(owner, id);
      await answer(db, id, status);
    }
    named[name] = await one(`select reference from refunds where id = '${id}'`);
  }
  await settleLossOf({ db: operator, actor: 'tests' }, named.lost!, 'the bank was slow');

  for (const [name, answers] of [
    ['disputed', ['open']],
    ['lostdispute', ['open', 'lost']],
    ['wondispute', ['open', 'won']],
  ] as const) {
    const dispute = await disputeOf(database, intent, { amount_minor: '20000', fee_minor: '1000' });
    for (const status of answers) await say(db, dispute, { status });
    named[name] = (await rowOf(database, dispute))!.reference;
  }

  await orderPayouts();
  await holdSome();
  await buildTreasury(database);
  const file = await one('select id from treasury_files');
  Object.assign(named, { file });
  await changeSetting(operator, 'treasury.post', { file, bank: null }, 'tests');

  const hold = async (): Promise<string> =>
    one(`select id from suspense_items where provider_payment_id = '${await receive(db, intent)}'`);
  const held = await hold();
  const accepted = await receive(db, intent);
  await accept(database, accepted, false);
  const giveBack = async (item: string, ...answers: ('succeeded' | 'failed')[]): Promise<void> => {
    await orderSuspenseRefund(operator, item, 'tests');
    for (const status of answers) {
      await owner.raw('update suspense_refunds set notified_at = now() where item_id = ?', [item]);
      const [question] = await beginAskingRefund(db, item);
      const reply = { status, refund_id: `re_${item}`, detail: null };
      await recordRefundAnswer(db, item, question!, reply);
    }
  };
  const refunded = await hold();
  await giveBack(refunded, 'succeeded');
  await giveBack(await hold(), 'succeeded', 'failed');
  const closed = await hold();
  await closeSuspense(operator, closed, {
    reason: 'card gone',
    reference: 'wire 7',
    unmade_order: null,
    gateway_refund: null,
    actor: 'tests',
  });
  const postingOf = (item: string): Promise<string> =>
    one(`select j.reference from ledger_transactions j join suspense_items s on s.reference = j.description
          where s.id::text = '${item}' or s.provider_payment_id = '${item}'`);
  named.held = await one(`select reference from suspense_items where id = '${held}'`);
  named.accepted = await postingOf(accepted);
  named.refunded = await postingOf(refunded);
  named.closed = await postingOf(closed);
  Object.assign(named, { refundeditem: refunded, closeditem: closed, helditem: held });
  named.accepteditem = await one(
    `select id from suspense_items where provider_payment_id = '${accepted}'`,
  );
  named.adjustment = await one(
    `select reference from transactions where user_id = '${alice.id}' and type = 'adjustment'
        and environment = 'live' and currency = 'XOF'`,
  );
  const erin = await buildUser(db);
  await limitAccount(database, erin, { balance: '5000' });
  await fund(db, erin.id, 'live', 'XOF', 100_000n);
  named.limited = await one(
    `select account_id::text from limit_days d join ledger_accounts a on a.id = d.account_id
      where a.user_id = '${erin.id}'`,
  );
});

/** A transfer that waits, one that came back, and one and a payment that were released. */
async function holdSome(): Promise<void> {
  const { db, owner, operator } = database;
  const eve = await buildUser(db, { funds: { live: { USD: 1_000_000n } } });
  const ivo = await buildUser(db);
  await setRule(operator, { currency: 'USD', above_minor: 100 });
  const sent = { from: eve, to: ivo, amount: 1_000n, currency: 'USD' } as const;
  await postOne(db, sent);
  named.heldcase = (await latestCase(db)).reference;
  await postOne(db, sent);
  named.refusedcase = (await latestCase(db)).reference;
  await decide(operator, named.refusedcase, 'refuse');
  await postOne(db, sent);
  await decide(operator, (await latestCase(db)).reference, 'release');
  await payIntent(db, eve, { currency: 'USD' });
  named.releasedcase = (await latestCase(db)).reference;
  await decide(operator, named.releasedcase, 'release');
  await removeRules(owner);
}

/** Payouts of a merchant with nothing else, and an attempt to pay by phone. */
async function orderPayouts(): Promise<void> {
  const { db, owner } = database;
  const dora = await buildUser(db, { funds: { sandbox: { XOF: 10_000_000n } } });
  await owner.raw(
    `insert into payout_settings (user_id, currency, approval_above_minor) values (?, 'XOF', 900000)`,
    [dora.id],
  );
  const daily_limit = { XOF: '5000000' };
  const key = await buildApiKey(db, { user: dora, environment: 'sandbox', daily_limit });
  const paid = await orderedPayout(db, dora, { limited_key: key.id });
  await answerPayout(db, paid, { status: 'sent' });
  await answerPayout(db, paid, { status: 'succeeded' });
  const bank = {
    destination_type: 'bank',
    phone: null,
    operator: null,
    account: 'SN080100',
  } as const;
  const banked = await orderedPayout(db, dora, { ...bank, bank_code: 'SN08', holder: 'Awa Diop' });
  const waiting = await orderedPayout(db, dora, { amount_minor: '1000000' });
  const failed = await orderedPayout(db, dora);
  await answerPayout(db, failed, { status: 'failed' });
  const batch = await orderedBatch(db, dora, [buildItem()], { limited_key: key.id });
  await createSteps(db).run(batch);
  const intent = await openLink(db, dora);
  const attempt = (await begin(db, intent)).id;
  await notifyOfAttempt(db, intent, attempt);
  const ids = {
    paidpayout: paid,
    bankpayout: banked,
    waitingpayout: waiting,
    failedpayout: failed,
  };
  Object.assign(named, ids, { batch, attempt, key: key.id });
  named.batchpayout = await one(`select id from payouts where batch_id = '${batch}'`);
}

async function one(sql: string): Promise<string> {
  const { rows } = await database.owner.raw(sql);
  return Object.values((rows as [Record<string, string>])[0])[0]!;
}

/** `:name` is a value of `named`. */
const filled = (sql: string): string =>
  sql.replaceAll(/(?<!:):([a-z]+)/g, (_, name: string) => `'${named[name]!}'`);

/** An account: `bob/EUR` is a wallet, `fees` one of the platform's. */
function account(table: string, name: string): string {
  const [owner = '', currency = 'XOF'] = name.split('/');
  const whose = ['alice', 'bob', 'carol'].includes(owner)
    ? `${table}.user_id = :${owner}`
    : `${table}.kind = '${owner}'`;
  return `${whose} and ${table}.currency = '${currency}'`;
}

function openCase(since: string): string {
  return `insert into risk_cases (reference, decision, status, subject_type, subject, user_id, reasons, created_at)
    select 'RSK-0', 'hold', 'held', 'account', username, id, '[{"source": "screening"}]', ${since} from users where id = :alice`;
}

/** `made/made` is what follows the reference of `made`. */
function journal(posting: string): string {
  const [name, step] = posting.split('/');
  const reference = step === undefined ? `:${name}` : `:${name} || '/${step}'`;
  return `select id from ledger_transactions where reference = ${reference}`;
}

/** The leg of one account is another amount, or another account's. */
const leg = (reference: string, name: string, change: string): string =>
  `update ledger_entries e set ${change} from ledger_accounts a
    where a.id = e.account_id and ${account('a', name)} and e.transaction_id in (${journal(reference)})`;

const become = (name: string): string =>
  `account_id = (select b.id from ledger_accounts b where ${account('b', name)} and b.environment = e.environment
     order by b.id limit 1),
   account_version = 1000, currency = '${name.split('/')[1] ?? 'XOF'}'`;

const more = (amount: number): string => `amount_minor = e.amount_minor + ${amount}`;

/** A leg that was not there. */
const added = (reference: string, name: string, amount: number): string =>
  `insert into ledger_entries select j.id, a.id, a.environment, a.currency, ${amount}, 0, 1000
     from ledger_transactions j join ledger_accounts a on a.environment = j.environment
    where j.id in (${journal(reference)}) and ${account('a', name)}`;

const without = (reference: string, name: string): string =>
  `delete from ledger_entries e using ledger_accounts a where a.id = e.account_id and ${account('a', name)}
      and e.transaction_id in (${journal(reference)})`;

const rows = (reference: string, change: string): string =>
  `update transactions set ${change} where reference = :${reference}`;

const again = (reference: string, change: string): string =>
  `insert into transactions select (jsonb_populate_record(h, '${change}'
       || jsonb_build_object('id', gen_random_uuid(), 'created_at', now()))).*
     from transactions h where reference = :${reference} limit 1`;

const TREASURY_ROW = 'treasury posting without its row and its accounts, or the reverse';
const SAFEGUARDING = 'safeguarding report does not add up';
const LEGS =
  'journal transaction is empty, half-written, does not balance, or moved money between other accounts than its kind does';
const SHOWN = 'entry of a wallet is not what its history shows, or the reverse';
const SIDES = 'transfer is not shown exactly once to each side with its figures';
const RESOLVED = 'suspense item was resolved without the journal, or the reverse';

const PAID = 'succeeded intent without its one payment in the journal, or the reverse';
const PAID_AT_GATEWAY = "succeeded intent without its one payment of the gateway's, or the reverse";
const DEPOSIT = 'succeeded intent is not shown as exactly one deposit with its figures';
const UNPAID = 'deposit that nobody paid';
const LINK = 'reusable link counts other payments than it has';
const SALES = 'sales of a day are not the sum of its succeeded intents';
const UNBOOKED = 'payment that was notified and not booked';
const ITEM = 'payment booked as suspense without its item, or the reverse';
const ENTRY = 'suspense item without its one entry in the journal, or the reverse';
const WAITING = 'suspense account does not hold what its items wait for';
const LOSS = 'gateway gave money away beyond the books, or took back what is settled as a loss';
const GIVEN_BACK = 'suspense item was given back without a refund, or is ordered to be and is not';
const EVENT = 'ended intent without its event, or the reverse';
const NUMBERS = 'events of an account are not numbered without gaps';
const BODY = 'event does not match its intent';
const RESERVED = 'refund without its one reservation in the journal, or the reverse';
const MADE = 'refund was made or given back without the journal, or the reverse';
const REFUND_LEGS = 'refund was made with other figures than its own';
const REFUND_SHOWN =
  'refund is not shown exactly once with its figures, and given back once if it failed';
const TOO_MUCH = 'more was refunded than was paid, or the intent says another sum';
const REVERSED = 'more of a transfer was reversed than it moved, or it says another sum';
const REVERSAL_SIDES = 'reversal is not shown exactly once to each side with its figures';

const HELD = 'account of open disputes does not hold what was taken for them';
const DISPUTE_MOVED = 'dispute moved other figures than its own, or the reverse';
const DISPUTE_SHOWN = 'history shows another account, currency or payment than that of the dispute';
const DISPUTE_EVENT = 'dispute without the event of its state, or the reverse';
const dispute = (change: string, name: string): string =>
  `update disputes set ${change} where reference = :${name}`;

const PAYOUT_TOLD = 'event is of no payout of its account, or tells another one';
const PAYOUT_ANSWERED =
  'payout without the response stored for its key, or with one that tells another, or the reverse';
const BATCH_ANSWERED =
  'payout batch without the response stored for its key, or with one that tells another, or the reverse';
const BATCH_ITEM = 'item of a payout batch is not as its payout, or one of the two is missing';
const PAYOUT_LOST = 'payout has lost another amount than its provider last told';
const CHARGED_ACCOUNT = 'account of fees or taxes does not hold what was taken for it';
const CHARGED = 'fee or tax is not what the rules of its moment say';
const MOMENT = 'row is of another moment than its posting';
const COUNTED = "day's counters are not the sum of the rows that they count";
const SPENDING = "key's spending is not what has left by it";
const ATTEMPT_PAID =
  "attempt to pay has succeeded without a payment of its gateway's, or the reverse";
const ATTEMPT_ANSWERED = 'attempt to pay is another one than the response stored for its key tells';
const REFUND_ANSWERED =
  'refund without the response stored for its key, or with one that tells another, or the reverse';
const REFUND_TOLD = 'event does not match its refund';
const payout = (change: string, name: string): string =>
  `update payouts set ${change} where id = :${name}`;
const earlier = `created_at = created_at - interval '40 days'`;

const intent = (change: string, name: string): string =>
  `update payment_intents set ${change} where reference = :${name}`;
const eventOf = (name: string): string =>
  `intent_id = (select id from payment_intents where reference = :${name})`;
const item = (change: string, name: string): string =>
  `update suspense_items set ${change} where id = :${name}item`;
const refund = (change: string, name: string): string =>
  `update refunds set ${change} where reference = :${name}`;
const refundEvent = (name: string): string =>
  `refund_id = (select id from refunds where reference = :${name})`;

const CASE = 'case is not as its transfer, payout or payment, or the reverse';
const CASE_MONEY = 'money of a case moved in or out more or less than once';
const HOLDS = 'account of holds does not hold what waits for a decision';

type Defect = readonly [
  what: string,
  sql: readonly string[],
  found: readonly string[],
  /** The first finding names it, and others may follow from the damage. Without it, `found` is all of them. */
  about?: string,
];

const DEFECTS: readonly Defect[] = [
  [
    'a case that is open, of a transfer that was refused',
    [
      `update risk_cases set status = 'held', decided_at = null, decided_by = null where reference = :refusedcase`,
    ],
    [CASE, CASE_MONEY],
  ],
  [
    'a transfer that is completed although its case is open',
    [
      `update transfers set status = 'completed', hold = null where hold ->> 'reference' = :heldcase`,
    ],
    [CASE, HOLDS],
    'heldcase',
  ],
  [
    'a payment that was never held',
    [`delete from risk_cases where reference = :releasedcase`],
    [CASE_MONEY],
  ],
  [
    'an account of holds with money that nothing waits for',
    [
      `update ledger_accounts set balance_minor = balance_minor + 1 where kind = 'holds' and currency = 'USD'`,
    ],
    [HOLDS, SAFEGUARDING],
  ],
  [
    'a case of another recipient',
    [`update risk_cases set recipient_id = user_id where reference = :heldcase`],
    [CASE],
    'heldcase',
  ],
  [
    'a case of another row of the history',
    [`update risk_cases set subject_id = uuidv7() where reference = :heldcase`],
    [CASE],
    'heldcase',
  ],
  [
    'a decision that one person made twice',
    [
      `update audit_log set details = details || '{"approval": 1, "requested_by": "Ada", "approved_by": "ada"}'
        where subject = 'risk/' || :refusedcase`,
    ],
    ['amount above the limit was decided by one operator'],
    'refusedcase',
  ],
  [
    'a decision that no row of the audit log has',
    [`update risk_cases set decided_by = 'olivia' where reference = :heldcase`],
    ['case that an operator decided has no row of the audit log'],
  ],
  [
    'an open case of an account whose wallets do not say so',
    [openCase('now()')],
    ['account with an open case is not held back, or one without is'],
  ],
  [
    'an account that sent while its case was open',
    [
      openCase(`now() - interval '1 day'`),
      'update ledger_accounts set is_questioned = true where user_id = :alice',
    ],
    ['account sent or received while its case was open'],
  ],
  [
    'a transfer of which a third wallet got a part',
    [leg('transfer', 'bob', more(-100)), added('transfer', 'carol', 100)],
    [LEGS, SHOWN],
  ],
  [
    'a transfer whose payee got less, and the fees more',
    [leg('transfer', 'bob', more(-100)), leg('transfer', 'fees', more(100))],
    [SHOWN],
  ],
  [
    'a transfer that moved less',
    [leg('transfer', 'bob', more(-100)), leg('transfer', 'alice', more(100))],
    [SHOWN],
  ],
  ['a transfer to the wallet of another user', [leg('transfer', 'bob', become('carol'))], [SHOWN]],
  [
    'a transfer from the wallet of another user',
    [leg('transfer', 'alice', become('carol'))],
    [SHOWN],
  ],
  [
    'a transfer between wallets of another currency',
    ['alice', 'bob', 'fees'].map((name) => leg('transfer', name, become(`${name}/EUR`))),
    [SHOWN],
  ],
  [
    'a transfer the other way round',
    [
      leg('transfer', 'alice', 'amount_minor = 90000'),
      leg('transfer', 'bob', 'amount_minor = -100000'),
    ],
    [SHOWN],
  ],
  [
    'a transfer without the leg of its fee',
    [without('transfer', 'fees'), leg('transfer', 'bob', more(10_000))],
    [SHOWN],
  ],
  [
    'a transfer whose fee went to another account',
    [leg('transfer', 'fees', become('operator'))],
    [LEGS],
  ],
  [
    'a transfer whose fee went to a wallet',
    [leg('transfer', 'fees', become('carol'))],
    [LEGS, SHOWN],
  ],
  [
    'a transfer that the journal has without entries',
    [`delete from ledger_entries where transaction_id in (${journal('transfer')})`],
    [LEGS, SHOWN],
  ],
  [
    'a second posting of a transfer',
    [
      `insert into ledger_transactions select gen_random_uuid(), 'TRF-SECOND', environment, kind, description, created_at
         from ledger_transactions where reference = :transfer`,
      `insert into ledger_entries select j.id, account_id, e.environment, currency, amount_minor,
              balance_after_minor, account_version + 1000
         from ledger_entries e, ledger_transactions j
        where e.transaction_id in (${journal('transfer')}) and j.reference = 'TRF-SECOND'`,
    ],
    ['completed transfer without its one journal transaction, or the reverse', SHOWN],
  ],
  [
    'a posting of a simulated transfer',
    [
      `insert into ledger_transactions (reference, environment, kind, created_at)
       select reference, environment, 'transfer', created_at from transfers where reference = :simulated`,
    ],
    [LEGS, 'completed transfer without its one journal transaction, or the reverse'],
  ],
  [
    'a transfer that one side does not see',
    [`delete from transactions where reference = :transfer and type = 'transfer_in'`],
    [SHOWN, SIDES],
  ],
  [
    'a transfer that a third user sees',
    [again('transfer', '{"user_id": "00000000-0000-4000-8000-000000000000"}')],
    [SHOWN],
  ],
  ['a transfer that a user sees twice', [again('transfer', '{}')], [SIDES]],
  [
    'a transfer that a history has with another balance after it',
    [rows('transfer', 'balance_after_minor = balance_after_minor + 1')],
    [SHOWN],
  ],
  [
    'a transfer that a history has of another journal transaction',
    [rows('transfer', 'ledger_transaction_id = gen_random_uuid()')],
    [SHOWN],
  ],
  [
    'a transfer that a history has as simulated',
    [rows('transfer', `status = 'simulated', ledger_transaction_id = null`)],
    [SHOWN],
  ],
  [
    'a simulated transfer that a history has as made',
    [rows('simulated', `status = 'completed', ledger_transaction_id = gen_random_uuid()`)],
    [SHOWN],
  ],
  [
    'a simulated transfer that a third user sees',
    [again('simulated', '{"user_id": "00000000-0000-4000-8000-000000000000"}')],
    ['history shows a simulated transfer that was never made'],
  ],
  [
    'a credit of another amount',
    [leg('adjustment', 'alice', more(100)), leg('adjustment', 'operator', more(-100))],
    [SHOWN],
  ],
  [
    'a credit from another account',
    [leg('adjustment', 'operator', become('gateway_clearing'))],
    [LEGS],
  ],
  [
    'a credit that its owner does not see',
    [`delete from transactions where reference = :adjustment`],
    [SHOWN],
  ],
  [
    'a credit that its owner sees twice',
    [again('adjustment', '{}')],
    ['credit by an operator is shown twice'],
  ],
  [
    'a credit that is shown as a deposit',
    [rows('adjustment', `type = 'deposit'`)],
    [SHOWN, 'deposit that nobody paid'],
  ],
  ['a reversal to a third wallet', [leg('reversal', 'alice', become('carol'))], [SHOWN]],
  [
    'a reversal of another amount',
    [leg('reversal', 'alice', more(100)), leg('reversal', 'bob', more(-100))],
    [SHOWN],
  ],
  [
    'a payment with another fee',
    [leg('payment', 'fees', more(100)), leg('payment', 'gateway_clearing', more(-100))],
    ['payment in the journal moved other figures than those of its intent'],
  ],
  ['a payment to the wallet of another user', [leg('payment', 'alice', become('bob'))], [SHOWN]],
  [
    'a payment without its receipt',
    [`delete from receipt_mails where intent_id = :receipt`],
    ['payment whose customer has no receipt to come, or the reverse'],
  ],
  [
    'a dispute that was taken into another account',
    [leg('disputed/1', 'disputes', become('refunds'))],
    [LEGS],
  ],
  ['a dispute that another wallet paid', [leg('disputed/1', 'alice', become('bob'))], [SHOWN]],
  [
    'a dispute of which more was taken than its row says',
    [dispute('taken_minor = taken_minor - 100', 'disputed')],
    [HELD, DISPUTE_MOVED],
  ],
  [
    'a dispute that was given back in part',
    [
      leg('wondispute/won', 'alice', more(-100)),
      leg('wondispute/won', 'disputes', more(100)),
      `update transactions set amount_minor = amount_minor - 100
        where reference = :wondispute and direction = 'in'`,
    ],
    [DISPUTE_MOVED],
  ],
  [
    'a dispute that was lost and still has its money',
    [
      dispute(
        `status = 'open', closed_at = null, fee_minor = 0, fee_taken_minor = 0`,
        'lostdispute',
      ),
    ],
    [DISPUTE_MOVED, HELD, DISPUTE_EVENT],
    'lostdispute',
  ],
  [
    'a dispute that there is not',
    [`delete from disputes where reference = :lostdispute`],
    [DISPUTE_MOVED, DISPUTE_SHOWN],
    'lostdispute',
  ],
  [
    'a dispute of the payment of another account',
    [dispute('user_id = :bob', 'wondispute')],
    [DISPUTE_SHOWN, DISPUTE_EVENT, "dispute is of another payment than one of its merchant's"],
    'wondispute',
  ],
  [
    'an event that says another amount of a dispute',
    [
      `update events set body = replace(body, '"amount":200', '"amount":201') where dispute_id =
         (select id from disputes where reference = :disputed)`,
    ],
    ['event does not match its dispute'],
  ],
  ['a reservation in another account', [leg('reserved', 'refunds', become('operator'))], [LEGS]],
  ['a reservation from another wallet', [leg('reserved', 'alice', become('bob'))], [SHOWN]],
  [
    'a refund that was made with another amount',
    [leg('made/made', 'refunds', more(-100)), leg('made/made', 'gateway_clearing', more(100))],
    ['refund was made with other figures than its own'],
  ],
  [
    'a refund that came back to another wallet',
    [leg('returned/returned', 'alice', become('bob'))],
    [SHOWN],
  ],
  [
    'a refund that came back from another account',
    [leg('returned/returned', 'refunds', become('fees'))],
    [LEGS],
  ],
  [
    'suspense in another account',
    [leg('held', 'suspense', become('refunds'))],
    [LEGS, 'suspense item without its one entry in the journal, or the reverse'],
  ],
  [
    'suspense that was accepted for another user',
    [leg('accepted', 'alice', become('bob'))],
    [SHOWN],
  ],
  [
    'suspense of which less was accepted',
    [leg('accepted', 'alice', more(-100)), leg('accepted', 'suspense', more(100))],
    [SHOWN, RESOLVED],
  ],
  [
    'suspense that was accepted in another currency',
    ['alice', 'suspense'].map((name) => leg('accepted', name, become(`${name}/EUR`))),
    [SHOWN, RESOLVED],
  ],
  [
    'suspense that was accepted twice in its history',
    [again('accepted', '{}')],
    ['credit by an operator is shown twice'],
  ],
  [
    'suspense that was closed at the expense of the gateway',
    [leg('closed', 'operator', become('gateway_clearing'))],
    [RESOLVED],
  ],
  [
    'suspense that was refunded at the expense of the operator',
    [leg('refunded', 'gateway_clearing', become('operator'))],
    [RESOLVED],
  ],
  [
    'a loss of another amount',
    [leg('loss', 'operator', more(-100)), leg('loss', 'gateway_clearing', more(100))],
    ['loss that is settled without the journal, or the reverse'],
  ],
  [
    'a loss of a refund that there is not',
    [`update ledger_transactions set description = 'RFD-NONE' where id in (${journal('loss')})`],
    ['loss that is settled without the journal, or the reverse'],
  ],
  ['a loss that a wallet bears', [leg('loss', 'operator', become('bob'))], [LEGS, SHOWN]],
  [
    'a movement of the treasury whose row says another amount',
    [
      `update treasury_postings set amount_minor = amount_minor + 100 where reference = 'FUND-ECOBANK'`,
    ],
    [TREASURY_ROW],
  ],
  [
    'a movement of the treasury without its row',
    [`delete from treasury_postings where reference = 'FUND-ECOBANK'`],
    [TREASURY_ROW],
  ],
  [
    'a file whose lines have other fees than were booked',
    ['update treasury_lines set fee_minor = fee_minor + 100 where posting is not null'],
    ['fees that a file booked are not those of its lines'],
  ],
  [
    'a settlement that no file booked',
    [
      `update treasury_lines set type = 'settlement', row_key = null, row_type = null, row_currency = null,
              row_minor = null, row_day = null where posting is not null and line = 2`,
    ],
    ['settlement that a file booked is not that of its line, or the reverse'],
  ],
  [
    'a line of a file with another amount than its row, of which no break tells',
    ['update treasury_lines set amount_minor = amount_minor + 100 where line = 2'],
    ['line of a file is another than its row, and no break says so'],
  ],
  [
    'an adjustment of a break of another environment',
    [
      `insert into treasury_breaks (file_id, kind, status, row_key, type, currency, difference_minor, action, reason, settled_by, settled_at)
       select id, 'missing_there', 'settled', 'none', 'payment', 'XOF', 100, 'adjust', 'test', 'test', now() from treasury_files limit 1`,
      `insert into treasury_postings (reference, kind, environment, provider, currency, amount_minor, actor, file_id, break_id, created_at)
       select 'ADJ-OTHER', 'break_adjusted', 'sandbox', 'any', 'XOF', 100, 'test', file_id, id, now()
         from treasury_breaks where row_key = 'none'`,
    ],
    ['adjustment is not that of its break', TREASURY_ROW],
  ],
  [
    'an account that the safeguarding report leaves out',
    [
      `update ledger_accounts set balance_minor = balance_minor + 100
        where kind = 'operator' and environment = 'live' and currency = 'EUR'`,
    ],
    [SAFEGUARDING],
  ],
  [
    'a succeeded intent whose payment was never posted',
    [
      `delete from ledger_entries where transaction_id in (${journal('paid')})`,
      `delete from ledger_transactions where reference = :paid`,
    ],
    [PAID],
    'paid',
  ],
  [
    'an intent with a payment in the journal that has not succeeded',
    [intent(`status = 'canceled', canceled_at = now(), succeeded_at = null`, 'paid')],
    [PAID, PAID_AT_GATEWAY, UNPAID, SALES, EVENT],
    'paid',
  ],
  ...[
    'delete from gateway_payments',
    'update gateway_payments set amount_minor = amount_minor + 100',
    'update gateway_payments set intent_id = gen_random_uuid()',
    `update gateway_payments set booked_as = 'suspense'`,
  ].map((sql): Defect => [
    `a succeeded intent after ${sql}`,
    [`${sql} where ledger_reference = :paid`],
    [PAID_AT_GATEWAY],
    'paid',
  ]),
  ...[
    'delete from transactions',
    'update transactions set fee_minor = 0',
    'update transactions set user_id = gen_random_uuid()',
    'update transactions set related = gen_random_uuid()::text',
    'update transactions set id = gen_random_uuid()',
  ].map((sql): Defect => [
    `a succeeded intent after ${sql}`,
    [`${sql} where reference = :paid`],
    [DEPOSIT],
    'paid',
  ]),
  ['a deposit that is shown twice', [again('paid', '{}')], [DEPOSIT, UNPAID], 'paid'],
  ...[
    'delete from payment_days',
    'update payment_days set payments = payments + 1',
    'update payment_days set amount_minor = amount_minor + 100',
    'update payment_days set day = day - 1',
  ].map((sql): Defect => [
    `sales after ${sql}`,
    [`${sql} where user_id = :alice and environment = 'live'`],
    [SALES],
  ]),
  ...['places = places + 1', 'payments = 1, places = 2', 'paid_minor = 100'].map(
    (change): Defect => [
      `a reusable link after ${change}`,
      [`update payment_links set ${change} where id = :link`],
      [LINK],
    ],
  ),
  [
    'money that was told of and is nowhere',
    [
      `update gateway_notifications set event_id = 'evt_lost',
              notification = notification || '{"provider_payment_id": "pay_lost"}'
        where id = (select min(id) from gateway_notifications)`,
    ],
    [UNBOOKED],
  ],
  [
    'suspense without its item',
    [`delete from suspense_items where id = :helditem`],
    [ITEM],
    'held',
  ],
  ['suspense whose item has another amount', [item('amount_minor = 100', 'held')], [ITEM], 'held'],
  ['suspense whose item is of another intent', [item('intent_id = null', 'held')], [ITEM], 'held'],
  [
    "a suspense item whose payment of the gateway's is lost",
    [`delete from gateway_payments where ledger_reference = :held`],
    [ITEM],
    'held',
  ],
  [
    'a suspense item that the ledger does not know',
    [`update ledger_transactions set kind = 'adjustment' where reference = :held`],
    [ENTRY],
    'held',
  ],
  ...(
    [
      ['accepted', 'held', [WAITING, UNPAID]],
      ['refunded', 'held', [WAITING, LOSS]],
      ['refunded', 'accepted', [LOSS]],
      ['held', 'refunded', [WAITING, GIVEN_BACK]],
      ['closed', 'held', [WAITING]],
    ] as const
  ).map(([was, called, others]): Defect => {
    const resolved_at = called === 'held' ? 'null' : 'now()';
    const change = `status = '${called}', resolved_at = ${resolved_at}, closed_reason = null,
       closed_reference = null`;
    return [
      `a suspense item that was ${was} and is called ${called}`,
      [item(change, was)],
      [RESOLVED, ...others],
    ];
  }),
  [
    'a suspense item that was refunded without a refund',
    [`update suspense_refunds set status = 'failed' where item_id = :refundeditem`],
    [GIVEN_BACK],
  ],
  [
    'a suspense item that was called refunding without an order',
    [item(`status = 'refunding'`, 'held')],
    [GIVEN_BACK],
    'held',
  ],
  [
    'a suspense item that was ordered to be refunded and closed',
    [`insert into suspense_refunds (item_id, number, ordered_by) values (:closeditem, 1, 'tests')`],
    [GIVEN_BACK],
  ],
  [
    'an accepted item whose deposit nobody can explain',
    [item('user_id = gen_random_uuid()', 'accepted')],
    [UNPAID, 'suspense item is not of the account and environment of its intent'],
  ],
  ...['paid', 'failed', 'expired'].map((name): Defect => [
    `an intent that is ${name} and told nobody`,
    [`delete from events where ${eventOf(name)}`],
    [EVENT, NUMBERS],
    name,
  ]),
  [
    'an event of another end than that of its intent',
    [`update events set type = 'payment.expired' where ${eventOf('failed')}`],
    [EVENT],
    'failed',
  ],
  [
    'an event of an intent that has not ended',
    [
      `update events set intent_id = (select id from payment_intents where reference = :open)
        where ${eventOf('failed')}`,
    ],
    [EVENT],
    'failed',
  ],
  [
    'an intent with two events',
    [
      'alter table events drop constraint events_intent_id_type_key',
      `insert into events select gen_random_uuid(), user_id, environment, sequence + 100, type,
         intent_id, body, created_at from events where ${eventOf('expired')}`,
    ],
    ['intent has more than one event', NUMBERS],
    'expired',
  ],
  ...[
    'update event_sequences set last = last - 1',
    'update event_sequences set last = last + 1',
    'delete from event_sequences',
    `insert into event_sequences values (gen_random_uuid(), 'live', 3)`,
  ].map((sql): Defect => [`numbers of events after ${sql}`, [sql], [NUMBERS]]),
  ...['', ' where sequence > 1'].map((which): Defect => [
    `numbers of events that begin late${which}`,
    [`update events set sequence = sequence + 100${which}`],
    [NUMBERS, BODY, REFUND_TOLD, 'event does not match its dispute', PAYOUT_TOLD],
  ]),
  ...[
    `'{"id"'`,
    `''`,
    `'null'`,
    `replace(body, '"status":"succeeded"', '"status":"failed"')`,
    `replace(body, '"amount":5000.00', '"amount":5000.01')`,
    `replace(body, '"sequence":1,', '"sequence":2,')`,
    `replace(body, '"reference":"TRX-', '"reference":"TRX-0')`,
  ].map((body): Defect => [
    `an event whose body is ${body}`,
    [`update events set body = ${body} where body <> ${body} and ${eventOf('paid')}`],
    [BODY],
    'paid',
  ]),
  [
    'a refund that nobody ordered',
    [`delete from refunds where reference = :reserved`],
    [RESERVED],
    'reserved',
  ],
  [
    'a refund whose reservation is of another kind',
    [`update ledger_transactions set kind = 'adjustment' where reference = :reserved`],
    [RESERVED],
    'reserved',
  ],
  [
    'a refund that is made and not in the journal',
    [refund(`status = 'succeeded', gateway_refund_id = 're_0'`, 'reserved')],
    [MADE],
    'reserved',
  ],
  [
    'a refund that is in the journal and not made',
    [refund(`status = 'pending'`, 'made')],
    [MADE],
    'made',
  ],
  [
    'a refund that was given back and is said to be made',
    [refund(`status = 'succeeded', failure = null`, 'returned')],
    [MADE],
    'returned',
  ],
  [
    'a refund of another amount than its entries',
    [refund('amount_minor = 40000', 'made')],
    [REFUND_LEGS],
    'made',
  ],
  [
    'a refund that waits for money which is not there',
    [
      `update ledger_accounts set balance_minor = balance_minor - 100
        where kind = 'refunds' and environment = 'sandbox' and currency = 'XOF'`,
    ],
    ['account of pending refunds does not hold what they wait for', SAFEGUARDING],
  ],
  [
    'refunds beyond what was paid',
    [`update gateway_payments set amount_minor = 10000 where ledger_reference = :payment`],
    [TOO_MUCH],
    'payment',
  ],
  [
    'refunds beyond what an operator accepted from suspense',
    [
      `update gateway_payments p set amount_minor = 250000 from ledger_transactions j
        where j.reference = :ended and p.ledger_reference = j.description`,
    ],
    [TOO_MUCH],
    'ended',
  ],
  [
    'a refund that its intent does not count',
    [intent('refunded_minor = refunded_minor - 50000', 'payment')],
    [TOO_MUCH],
    'payment',
  ],
  [
    'a refund that the history does not show',
    [`delete from transactions where reference = :made`],
    [REFUND_SHOWN],
    'made',
  ],
  [
    'a refund whose way back the history does not show',
    [`delete from transactions where reference = :returned and type = 'reversal'`],
    [REFUND_SHOWN],
    'returned',
  ],
  [
    'a refund in the history only',
    [rows('made', `reference = 'RFD-NOBODY'`)],
    ['history shows a refund that nobody ordered', SHOWN, REFUND_SHOWN],
  ],
  [
    'a refund of another payment',
    [refund(`provider_payment_id = 'pay_other'`, 'made')],
    ['refund is of another payment than that of its intent'],
    'made',
  ],
  [
    'a refund that is the same one of the gateway as another',
    [
      `update refunds set gateway_refund_id = (select gateway_refund_id from refunds
         where reference = :made) where reference = :reserved`,
    ],
    ['gateway made one refund for two'],
  ],
  [
    'a refund that ended without its event',
    [`delete from events where ${refundEvent('made')}`],
    ['ended refund without its event, or the reverse'],
    'made',
  ],
  [
    'a refund whose event says something else',
    [`update events set body = replace(body, '500.00', '500.01') where ${refundEvent('made')}`],
    ['event does not match its refund'],
    'made',
  ],
  [
    'a refund without the response of its key',
    [`delete from idempotency_keys where reference = :made`],
    [REFUND_ANSWERED],
    'made',
  ],
  [
    'a reversal that its transfer does not count',
    [`update transfers set reversed_minor = 0 where reference = :transfer`],
    [REVERSED],
    'transfer',
  ],
  [
    'a reversal of a transfer of others',
    [`update reversals set user_id = gen_random_uuid() where reference = :reversal`],
    ['reversal is of a transfer of other parties, or of none'],
    'reversal',
  ],
  [
    'a reversal that is not in the journal',
    [`update ledger_transactions set kind = 'adjustment' where reference = :reversal`],
    ['reversal without its one journal transaction, or the reverse'],
    'reversal',
  ],
  [
    'a reversal of other figures',
    [`update reversals set amount_minor = 9000 where reference = :reversal`],
    [REVERSAL_SIDES],
    'reversal',
  ],
  [
    'a reversal that one side does not see',
    [`delete from transactions where reference = :reversal and direction = 'in'`],
    [REVERSAL_SIDES],
    'reversal',
  ],
  [
    'a reversal that was never made',
    [`delete from reversals where reference = :reversal`],
    ['history shows a reversal that was never made'],
    'reversal',
  ],
  [
    'a paid payout to another phone',
    [payout(`phone = '+221770000999'`, 'paidpayout')],
    [PAYOUT_ANSWERED, PAYOUT_TOLD],
  ],
  [
    'a payout to another bank account',
    [payout(`account = 'SN08019X'`, 'bankpayout')],
    [PAYOUT_ANSWERED],
  ],
  ['a payout to another bank', [payout(`bank_code = 'SN09'`, 'bankpayout')], [PAYOUT_ANSWERED]],
  [
    'a payout of a batch to another phone',
    [payout(`phone = '+221770000999'`, 'batchpayout')],
    [BATCH_ITEM],
  ],
  [
    'an item of a batch for another bank',
    [`update payout_batch_items set bank_code = 'SN09' where batch_id = :batch`],
    [BATCH_ITEM],
  ],
  [
    'a payout batch that asks for another confirmation than was ordered',
    [`update payout_batches set confirm = not confirm where id = :batch`],
    [BATCH_ANSWERED],
  ],
  [
    'a payout without its response',
    [
      `delete from idempotency_keys where reference = (select reference from payouts where id = :paidpayout)`,
    ],
    [PAYOUT_ANSWERED],
  ],
  [
    'a payout that needs no approval any more',
    [payout('approvals_needed = 0', 'waitingpayout')],
    [PAYOUT_ANSWERED, PAYOUT_TOLD],
  ],
  [
    'a payout of a batch that was approved on its own',
    [payout('approvals_needed = 1', 'batchpayout')],
    [
      BATCH_ITEM,
      'payout went on without its approvals, or was approved by the person who ordered it',
    ],
  ],
  ['a paid payout that was never sent', [payout('sent_at = null', 'paidpayout')], [PAYOUT_TOLD]],
  [
    'a payout that ended at another time',
    [payout(`completed_at = completed_at - interval '40 days'`, 'paidpayout')],
    [PAYOUT_TOLD],
  ],
  [
    'a payout of 40 days earlier than its posting',
    [payout(earlier, 'paidpayout')],
    [PAYOUT_ANSWERED, PAYOUT_TOLD, MOMENT, SPENDING, CHARGED],
  ],
  [
    'a payout of a batch of 40 days earlier',
    [payout(earlier, 'batchpayout')],
    [MOMENT, SPENDING, CHARGED],
  ],
  [
    'a payout batch of 40 days earlier',
    [`update payout_batches set ${earlier} where id = :batch`],
    [BATCH_ANSWERED],
  ],
  [
    'a refund of 40 days earlier',
    [refund(earlier, 'made')],
    [REFUND_ANSWERED, REFUND_TOLD, MOMENT],
  ],
  ['a refund for another reason', [refund(`reason = 'other'`, 'reserved')], [REFUND_ANSWERED]],
  [
    'a dispute of 40 days earlier',
    [dispute(earlier, 'disputed')],
    ['event does not match its dispute'],
  ],
  [
    'a dispute that ended at another time',
    [dispute(`closed_at = closed_at - interval '40 days'`, 'lostdispute')],
    ['event does not match its dispute'],
  ],
  [
    'a transfer whose tax is another',
    [`update transfers set tax_minor = fee_minor where reference = :transfer`],
    [SIDES, CHARGED_ACCOUNT, CHARGED],
  ],
  [
    'an account of fees that holds more',
    [
      `update ledger_accounts set balance_minor = balance_minor + 100 where kind = 'taxes' and currency = 'XOF' and environment = 'live'`,
    ],
    [SAFEGUARDING, CHARGED_ACCOUNT],
  ],
  [
    'a transfer of 40 days earlier',
    [`update transfers set ${earlier} where reference = :transfer`],
    [MOMENT, CHARGED],
  ],
  [
    'a reversal of 40 days earlier',
    [`update reversals set ${earlier} where reference = :reversal`],
    [MOMENT],
  ],
  ['suspense of 40 days earlier', [item(earlier, 'held')], [MOMENT]],
  [
    'a payment that was notified 40 days earlier',
    [
      `update gateway_payments set booked_at = booked_at - interval '40 days' where ledger_reference = :paid`,
    ],
    [MOMENT, CHARGED],
  ],
  [
    'an intent that was paid on another day',
    [intent(`succeeded_at = succeeded_at - interval '40 days'`, 'paid')],
    [SALES, MOMENT],
  ],
  ['a history that shows a transfer 40 days earlier', [rows('transfer', earlier)], [MOMENT]],
  [
    'a payout whose loss is hidden',
    [
      `insert into payout_timeline (payout_id, source, kind, detail)
       values (:failedpayout, 'gateway', 'paid_after_end', '{"amount_minor": "500000"}')`,
    ],
    [PAYOUT_LOST],
  ],
  [
    'a payout with a loss that its provider has not told',
    [payout('lost_minor = 500000, contradicted_at = now()', 'failedpayout')],
    [PAYOUT_LOST, LOSS],
  ],
  [
    'an attempt to pay without its payment',
    [`update payment_attempts set provider_payment_id = 'pay_other' where id = :attempt`],
    [ATTEMPT_PAID],
  ],
  [
    'an attempt to pay that failed, and was paid',
    [
      `update payment_attempts set status = 'failed', failure = '{"code": "expired"}' where id = :attempt`,
    ],
    [ATTEMPT_PAID],
  ],
  [
    'an attempt to pay by another phone',
    [`update payment_attempts set phone = '+2250500000999' where id = :attempt`],
    [ATTEMPT_ANSWERED],
  ],
  [
    'a day that has counted more than its rows',
    [`update limit_days set in_minor = in_minor + 100 where account_id = :limited::bigint`],
    [COUNTED],
  ],
  [
    'a day that was forgotten',
    [`delete from limit_days where account_id = :limited::bigint`],
    [COUNTED],
  ],
  [
    'a wallet with a limit that counts nothing',
    [`update ledger_accounts set limited_at = null where id = :limited::bigint`],
    ['wallet has a limit, and nothing is counted for it', COUNTED],
  ],
  [
    'an item of suspense above a limit that has none',
    [
      `alter table suspense_items drop constraint suspense_items_limit`,
      `update suspense_items set reason = 'limit_exceeded' where reference = :held`,
    ],
    ['suspense item is above a limit and has none, or the reverse'],
  ],
  ['a key that has spent nothing', [`delete from key_spending where key_id = :key`], [SPENDING]],
  [
    'a key that has spent less',
    [`update key_spending set amount_minor = amount_minor - 100 where key_id = :key`],
    [SPENDING],
  ],
  [
    'a key that has spent more',
    [`update key_spending set amount_minor = amount_minor + 100 where key_id = :key`],
    [SPENDING],
  ],
  [
    'a key that has spent what another key did',
    [`update key_spending set key_id = gen_random_uuid() where key_id = :key`],
    [SPENDING],
  ],
  [
    'a reversal without the response of its key',
    [`delete from idempotency_keys where reference = :reversal`],
    ['reversal without the response stored for its key, or the reverse'],
    'reversal',
  ],
];

it('finds nothing before', async () => {
  expect(await verifyLedger(database.db)).toEqual([]);
});

it.each(DEFECTS.map((defect) => ({ what: defect[0], defect })))(
  'names $what',
  async ({ defect }) => {
    const [, statements, expected, about] = defect;
    named.loss = await one(`select reference from ledger_transactions where kind = 'loss'`);
    let found: Violation[] = [];
    let compared: Awaited<ReturnType<typeof comparedInPieces>> = { in_pieces: [], whole: [] };
    const undone = new Error('undone');
    const damaged = database.owner.transaction(async (tx: Knex.Transaction) => {
      await tx.raw('set local session_replication_role = replica');
      for (const sql of statements) {
        const { rowCount } = (await tx.raw(filled(sql).replaceAll('?', '\\?'))) as {
          rowCount: number | null;
        };
        expect(rowCount).not.toBe(0);
      }
      await tx.raw(
        'update transactions t set json = transaction_json(t) where json <> transaction_json(t)',
      );
      found = await violationsIn(tx);
      compared = await comparedInPieces(tx, found);
      throw undone;
    });
    await expect(damaged).rejects.toBe(undone);
    expect(compared.in_pieces).toEqual(compared.whole);
    const others = found.filter(({ invariant }) => invariant !== 'I1' && invariant !== 'I3');
    const whats = new Set(others.map(({ what }) => what));
    if (about === undefined) {
      expect([...whats].toSorted()).toEqual(expected.toSorted());
    } else {
      expect([...whats]).toEqual(expect.arrayContaining([...expected]));
      const first = others.filter(({ what }) => what === expected[0]);
      expect(first.map(({ reference }) => reference)).toContain(named[about]);
    }
  },
);
