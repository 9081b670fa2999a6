// Maker and checker in the database: above a limit no operator moves money alone, whichever
// function they call, and what two operators want happens once.

import { randomUUID } from 'node:crypto';
import {
  approveRequest,
  findApproval,
  rejectRequest,
  requestApproval,
  type ApprovalRequest,
} from '../../db/operators/approvals';
import { migrate } from '../../db/schema/migrate';
import { creditWallet, type Credit } from '../../db/ledger/wallets';
import { makeAdjustmentReference } from '../../secrets/random';
import { getPayout } from '../../db/payouts/payouts';
import { getRefund, refundRequestRow, type StoredRefund } from '../../db/refunds/refunds';
import { acceptSuspense, orderSuspenseRefund } from '../../db/suspense/suspense';
import type { NewIntent } from '../../db/payment-intents/intents';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import type { PaymentNotification } from '../../domain/payment';
import type { RefundStatus } from '../../domain/refund';
import type { ApprovalNeeded } from '../../use-cases/approvals';
import { grantOperator, operatorName } from '../../use-cases/operators';
import { failUnmadeRefund } from '../../use-cases/refunds/by-operator';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, openSession, setUp, whileUncommitted } from '../support/database';
import { orderedPayout, payoutInDoubt } from '../support/payouts';
import { ERROR_DOCS } from '../support/postings';
import {
  answer,
  buildNewRefund,
  notice,
  openIntent,
  ordered,
  payIntent,
  receive,
} from '../support/refunds';
import { readStack } from '../support/stack';
import { buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { buildSuspense } from '../dashboard/operators';
import { notificationOf } from '../workflows/intents';

const PAY_URL_BASE = 'https://pay.example.com';
const APPROVAL_REQUIRED = { code: 'AP001' };
const NOT_POSSIBLE = { outcome: 'not_possible', approval: null };

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));

beforeAll(() => limit({ XOF: 100_000n, EUR: 0n, USD: null }));

afterEach(() => expectBooksHold(database.db));

const approve = (id: string, actor: string) =>
  approveRequest(database.operator, id, actor, PAY_URL_BASE);
const reject = (id: string) => rejectRequest(database.operator, id, 'no', 'binta');
const ask = (wanted: ApprovalRequest, actor = 'awa') =>
  requestApproval(database.operator, wanted, actor);
const creditBy = (credit: Credit) => creditWallet(database.operator, credit, 'awa');

function limit(approval_above: Readonly<Record<string, bigint | null>>): Promise<string[]> {
  const { app_role, operator_role } = readStack();
  return migrate({ owner_url: database.owner_url, app_role, operator_role, approval_above });
}

function creditOf(amount_minor: bigint, fields: Partial<Credit> = {}): Credit {
  return {
    reference: makeAdjustmentReference(),
    user_id: merchant.id,
    environment: 'live',
    currency: 'XOF',
    source: 'operator',
    amount_minor,
    reason: 'a test',
    ...fields,
  };
}

function requestOf({ amount_minor, ...credit }: Credit): ApprovalRequest {
  const given = { ...credit, amount_minor: amount_minor.toString() };
  return { action: 'wallets.credit', arguments: given, reason: 'the bank was late' };
}

async function request(credit: Credit, actor = 'awa'): Promise<string> {
  const { outcome, approval } = await ask(requestOf(credit), actor);
  expect(outcome).toBe('requested');
  return approval!;
}

const postingsOf = async ({ reference }: Credit): Promise<number> =>
  (await database.owner('ledger_transactions').where({ reference })).length;

/** Makes requests older than they may be. */
const expire = (...ids: string[]): Promise<unknown> =>
  database.owner.raw(
    `update approvals set requested_at = requested_at - interval '8 days',
            expires_at = expires_at - interval '8 days' where id = any (?)`,
    [ids],
  );

async function auditRow(reference: string): Promise<Record<string, unknown>> {
  const { rows } = await database.owner.raw(
    `select actor, action, details from audit_log where details ->> 'reference' = ?`,
    [reference],
  );
  expect(rows).toHaveLength(1);
  return (rows as Record<string, unknown>[])[0]!;
}

describe('the limit', () => {
  it('holds for a credit of more, and for no smaller one', async () => {
    const large = creditOf(100_100n);
    expect(await creditBy(creditOf(100_000n))).toMatchObject({ outcome: 'credited' });
    await expect(creditBy(large)).rejects.toMatchObject(APPROVAL_REQUIRED);
    expect(await postingsOf(large)).toBe(0);
  });

  it('of zero holds for every amount, and without one none needs a second operator', async () => {
    const cent = creditBy(creditOf(1n, { currency: 'EUR' }));
    await expect(cent).rejects.toMatchObject(APPROVAL_REQUIRED);
    const dollars = creditOf(999_999_900n, { currency: 'USD' });
    expect(await creditBy(dollars)).toMatchObject({ outcome: 'credited' });
    const asked = await ask(requestOf(creditOf(1n, { currency: 'USD' })));
    expect(asked).toEqual({ outcome: 'not_needed', approval: null });
  });

  it('stays as it is when a migration says nothing about it', async () => {
    const { app_role, operator_role } = readStack();
    await migrate({ owner_url: database.owner_url, app_role, operator_role });
    await expect(creditBy(creditOf(100_100n))).rejects.toMatchObject(APPROVAL_REQUIRED);
  });
});

describe('an approval', () => {
  it('credits in its own transaction, and names both operators in one row', async () => {
    const credit = creditOf(500_000n);
    const id = await request(credit);
    expect(await postingsOf(credit)).toBe(0);
    expect(await approve(id, 'moussa')).toBe('approved');
    expect(await postingsOf(credit)).toBe(1);
    expect(await auditRow(credit.reference)).toMatchObject({
      actor: 'moussa',
      action: 'wallets.credit',
      details: { approval: id, requested_by: 'awa', approved_by: 'moussa', amount: '5000.00' },
    });
  });

  it('takes effect once, when two operators approve at the same moment', async () => {
    const credit = creditOf(500_000n);
    const id = await request(credit);
    const actors = ['moussa', 'binta', 'moussa', 'ibou'];
    const answers = await Promise.all(actors.map((actor) => approve(id, actor)));
    expect(answers).toEqual(Array(4).fill('approved'));
    expect(await postingsOf(credit)).toBe(1);
    await auditRow(credit.reference);
  });

  it('is all or nothing: a session that dies before its commit has approved nothing', async () => {
    const credit = creditOf(500_000n);
    const id = await request(credit);
    const session = await openSession(database.operator_url);
    await session.query('begin');
    await session.query('select * from approve_request_with($1, null, $2)', [id, 'moussa']);
    const { rows } = await session.query('select pg_backend_pid() as pid');
    const [{ pid }] = rows as [{ pid: number }];
    await database.owner.raw('select pg_terminate_backend(?)', [pid]);
    const sessions = () => database.owner('pg_stat_activity').where({ pid });
    await waitFor(async () => (await sessions()).length === 0);
    expect(await postingsOf(credit)).toBe(0);
    expect(await approve(id, 'moussa')).toBe('approved');
    expect(await postingsOf(credit)).toBe(1);
  });

  it('is refused when it is no longer possible, and the request goes on waiting', async () => {
    const credit = creditOf(500_000n);
    const id = await request(credit);
    await limit({ XOF: null });
    await creditBy(credit);
    await limit({ XOF: 100_000n });
    await expect(approve(id, 'moussa')).rejects.toMatchObject({ code: '23514' });
    expect(await postingsOf(credit)).toBe(1);
    expect(await database.owner('approvals').where({ id }).pluck('status')).toEqual(['waiting']);
  });

  it('comes too late once the request has expired', async () => {
    const credit = creditOf(500_000n);
    const id = await request(credit);
    await expire(id);
    expect(await approve(id, 'moussa')).toBe('expired');
    expect(await postingsOf(credit)).toBe(0);
    // And may be requested again.
    expect(await request(credit)).not.toBe(id);
  });

  it('is not given to what an operator has requested who is none any more', async () => {
    const operator = await buildUser(database.db);
    const root = { db: database.operator, actor: 'root' };
    await grantOperator(root, operator.username, true);
    const [theirs, other] = [creditOf(200_000n), creditOf(200_000n)];
    const id = await request(theirs, operatorName(operator.email));
    const waiting = await request(other);
    await grantOperator(root, operator.username, false);
    expect(await approve(id, 'kofi')).toBe('rejected');
    expect(await postingsOf(theirs)).toBe(0);
    expect(await approve(waiting, 'kofi')).toBe('approved');
  });

  it('is not given to an unknown request', async () => {
    expect(await approve(randomUUID(), 'moussa')).toBe('not_found');
  });
});

describe('the end of a refund that was never made', () => {
  async function pending(): Promise<StoredRefund> {
    const id = await ordered(database.db, await payIntent(database.db, merchant));
    return getRefund(database.db, id);
  }
  const closed = { reason: 'the account is closed', gateway_refund: null };
  const end = (refund: StoredRefund, actor: string) =>
    failUnmadeRefund({ db: database.operator, actor }, refund, closed);
  const wallet = () => balanceOf(database.db, merchant, 'XOF', 'sandbox');

  it('above the limit is approved by another operator, with its event', async () => {
    const refund = await pending();
    const before = await wallet();
    const first = await end(refund, 'awa');
    expect(first).toMatchObject({ ok: false, error: 'approval_required' });
    expect(await end(refund, 'binta')).toEqual(first);
    const { approval } = first as ApprovalNeeded;
    expect([(await getRefund(database.db, refund.id)).status, await wallet()]).toEqual([
      'pending',
      before,
    ]);
    expect(await approve(approval, 'awa')).toBe('same_person');
    expect(await approve(approval, 'binta')).toBe('approved');
    expect(await wallet()).toBe(before + refund.amount_minor);
    expect(await getRefund(database.db, refund.id)).toMatchObject({
      status: 'failed',
      failure: { message: 'the account is closed' },
    });
    expect(await auditRow(refund.reference)).toMatchObject({
      actor: 'binta',
      action: 'refunds.fail',
      details: expect.objectContaining({ requested_by: 'awa', approved_by: 'binta' }),
    });
  });

  it.each<RefundStatus>(['succeeded', 'pending'])(
    'is not possible any more once the gateway says that it is %s',
    async (status) => {
      const refund = await pending();
      const { approval } = (await end(refund, 'awa')) as ApprovalNeeded;
      await answer(database.db, refund.id, status);
      const before = await wallet();
      await expect(approve(approval, 'binta')).rejects.toMatchObject({ code: '23514' });
      expect(await wallet()).toBe(before);
      await answer(database.db, refund.id, 'succeeded');
    },
  );

  it('can be requested of a refund with as much metadata as there may be', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`name-${n}`.padEnd(40, 'x'), '"'.repeat(500)]),
    );
    const paid = await payIntent(database.db, merchant);
    const refund = await getRefund(database.db, await ordered(database.db, paid, { metadata }));
    expect(await end(refund, 'awa')).toMatchObject({ error: 'approval_required' });
    const { approval } = (await end(refund, 'binta')) as ApprovalNeeded;
    const done = await approve(approval, 'binta');
    expect(done).toBe('approved');
  });
});

describe('a request', () => {
  it('that is repeated is the same, and another about the same has to wait', async () => {
    const credit = creditOf(500_000n);
    const id = await request(credit);
    const again = await ask(requestOf(credit), 'binta');
    expect(again).toEqual({ outcome: 'waiting', approval: id });
    const other = requestOf({ ...credit, amount_minor: 600_000n });
    expect(await ask(other, 'binta')).toEqual({ outcome: 'other_waiting', approval: id });
    const about = { arguments: { item: await buildSuspense(database, merchant) }, reason: '' };
    const { approval } = await ask({ ...about, action: 'suspense.accept' });
    const refund = await ask({ ...about, action: 'suspense.refund' }, 'binta');
    expect(refund).toEqual({ outcome: 'other_waiting', approval });
  });

  it('that has expired makes place for one about the same, and nothing else ends with it', async () => {
    const [credit, beside] = [creditOf(500_000n), creditOf(500_000n)];
    const rejected = await request(credit);
    const other = await request(beside);
    expect(await reject(rejected)).toBe('rejected');
    const expired = await request(credit);
    await expire(rejected, other, expired);
    const id = await request(credit);
    expect(await ask(requestOf(credit), 'awa')).toEqual({ outcome: 'waiting', approval: id });
    const statuses = await database
      .owner('approvals')
      .whereIn('subject', [`credit/${credit.reference}`, `credit/${beside.reference}`]);
    expect(Object.fromEntries(statuses.map((one) => [one.id, one.status]))).toEqual({
      [rejected]: 'rejected',
      [other]: 'waiting',
      [expired]: 'expired',
      [id]: 'waiting',
    });
  });

  it.each([
    ['approved', 'approve_request_with($1, null, $2)', (id: string) => reject(id)],
    ['rejected', `reject_request($1, '', $2)`, (id: string) => approve(id, 'binta')],
  ] as const)('that is being %s waits for that', async (status, decision, second) => {
    const id = await request(creditOf(500_000n));
    const decided = await whileUncommitted(
      database,
      (session) => session.query(`select ${decision}`, [id, 'moussa']),
      () => second(id),
    );
    expect(decided).toBe(status);
  });

  it('is made once by many at the same moment', async () => {
    const credit = creditOf(500_000n);
    const made = await Promise.all(Array.from({ length: 6 }, () => ask(requestOf(credit), 'awa')));
    expect(new Set(made.map(({ approval }) => approval)).size).toBe(1);
    expect(made.filter(({ outcome }) => outcome === 'requested')).toHaveLength(1);
  });
});

describe('what is requested', () => {
  type Given = ApprovalRequest['arguments'];
  /** Makes the thing of this account that an action is about: its subject, and the arguments. */
  type Build = (of: TestUser) => Promise<readonly [subject: string, given: Given]>;

  const item = async (of: TestUser, more: Given = {}) => {
    const id = await buildSuspense(database, of);
    return [`suspense/${id}`, { item: id, ...more }] as const;
  };
  const closing = { reason: 'gone', payment_reference: 'wire', unmade_order: null };
  const paid = (of: TestUser = merchant) => payIntent(database.db, of);
  const refundOf = (intent: NewIntent, amount_minor: string | null = null) => {
    const order = refundRequestRow(buildNewRefund(intent, { amount_minor }), ERROR_DOCS);
    return [`refund/${intent.reference}`, JSON.parse(JSON.stringify(order)) as Given] as const;
  };
  /** The end of a refund of which the gateway has said this. */
  async function endOf(of: TestUser, ...said: RefundStatus[]) {
    const id = await ordered(database.db, await paid(of));
    for (const status of said) {
      await notice(database.owner, id);
      await answer(database.db, id, status);
    }
    const { reference } = await getRefund(database.db, id);
    const failure = { code: 'refund_failed', message: 'the account is closed' };
    return [reference, { refund: id, gateway_refund: null, failure }] as const;
  }
  const lossOf = async (of: TestUser) => {
    const [reference] = await endOf(of, 'failed', 'succeeded');
    return [`loss/${reference}`, { reference, amount_minor: '500000', reason: 'a test' }] as const;
  };
  async function payoutOf(of: TestUser, build: (of: TestUser) => Promise<string>) {
    await paid(of);
    const payout = await build(of);
    const { reference } = await getPayout(database.db, payout);
    const given = { payout, is_paid: true, provider_payment: null, reason: 'paid' };
    return [`payout/${reference}`, given] as const;
  }
  const inDoubt = (of: TestUser) => payoutInDoubt(database, of);
  const creditFor = (of: TestUser) => {
    const credit = creditOf(500_000n, { user_id: of.id });
    return Promise.resolve([`credit/${credit.reference}`, requestOf(credit).arguments] as const);
  };
  const refundEnd: Build = async (of) => {
    const [reference, given] = await endOf(of);
    return [`refund/${reference}`, given];
  };

  const askFor = (action: ApprovalRequest['action'], given: Given) =>
    ask({ action, arguments: given, reason: 'a test' });

  it.each<[ApprovalRequest['action'], Build]>([
    ['wallets.credit', creditFor],
    ['suspense.accept', (of) => item(of)],
    ['suspense.refund', (of) => item(of)],
    ['suspense.close', (of) => item(of, closing)],
    ['refunds.create', async (of) => refundOf(await paid(of))],
    ['refunds.fail', refundEnd],
    ['payouts.settle', (of) => payoutOf(of, inDoubt)],
    ['losses.settle', (of) => lossOf(of)],
  ])('is about the thing that it names, whatever is beside it: %s', async (action, build) => {
    const [one, other] = [await buildUser(database.db), await buildUser(database.db)];
    const things = [await build(one), await build(other)] as const;
    const approvals = await Promise.all(
      things.map(async ([subject, given], n) => {
        const { outcome, approval } = await askFor(action, given);
        expect(outcome).toBe('requested');
        const { username } = [one, other][n]!;
        expect(await findApproval(database.db, approval!)).toMatchObject({ subject, username });
        return approval!;
      }),
    );
    // Who approves has an account, and not this one.
    for (const [n, { email }] of [other, one].entries()) {
      const done = await approve(approvals[n]!, email);
      expect(done).toBe('approved');
    }
  });

  /** The end of an intent by what was held of it. */
  async function heldOf(fields: Partial<PaymentNotification>, is_paid = false): Promise<Given> {
    const intent = await openIntent(database.db, merchant);
    const payment = notificationOf(intent, { amount_minor: '499900', ...fields });
    const { id } = await storeNotification(database.db, 'sandbox', payment, Buffer.from('{}'));
    await applyNotification(database.db, id, PAY_URL_BASE);
    if (is_paid) await receive(database.db, intent);
    const { provider_payment_id } = payment;
    const [held] = await database.owner('suspense_items').where({ provider_payment_id });
    return { item: (held as { id: string }).id, closes_intent: true };
  }

  const usedCredit = async () => {
    const credit = creditOf(100n);
    await creditBy(credit);
    return requestOf({ ...credit, amount_minor: 500_000n }).arguments;
  };
  const refundOfNothing = async () => {
    const intent = await paid();
    await ordered(database.db, intent);
    return refundOf(intent)[1];
  };
  const refundingItem = async () => {
    const [, given] = await item(merchant);
    await limit({ XOF: null });
    await orderSuspenseRefund(database.operator, given.item, 'awa');
    await limit({ XOF: 100_000n });
    return given;
  };
  const itemOfNobody = async () => {
    const { item: of_nobody } = await heldOf({ intent_id: randomUUID(), reference: null });
    return { item: of_nobody! };
  };
  const unaskedPayout = async () =>
    (await payoutOf(merchant, (of) => orderedPayout(database.db, of)))[1];

  it.each<[string, ApprovalRequest['action'], () => Promise<Given>]>([
    ['a credit with a reference that is used', 'wallets.credit', usedCredit],
    ['a refund of what is refunded', 'refunds.create', refundOfNothing],
    ['a refund of too much', 'refunds.create', async () => refundOf(await paid(), '500100')[1]],
    ['the end of an ended one', 'refunds.fail', async () => (await endOf(merchant, 'failed'))[1]],
    ['the end of a made one', 'refunds.fail', async () => (await endOf(merchant, 'pending'))[1]],
    ['a payout that its provider was not asked about', 'payouts.settle', unaskedPayout],
    ['an item that is being refunded', 'suspense.accept', refundingItem],
    ['an item of nobody', 'suspense.accept', itemOfNobody],
    ['the end of an intent that has ended', 'suspense.accept', () => heldOf({}, true)],
    ['the end of one by another currency', 'suspense.accept', () => heldOf({ currency: 'EUR' })],
  ])('must be possible: %s', async (_, action, build) => {
    expect(await askFor(action, await build())).toEqual(NOT_POSSIBLE);
  });

  it.each([
    ['is being refunded', refundingItem],
    ['is of nobody', itemOfNobody],
  ])('is no matter where an item cannot be accepted, because it %s', async (_, build) => {
    const { item: id } = await build();
    const accepted = acceptSuspense(database.operator, id as string, 'awa');
    await expect(accepted).rejects.toThrow('cannot be accepted');
  });

  it('is the loss that there is, and no other amount', async () => {
    const [, given] = await lossOf(merchant);
    expect(await askFor('losses.settle', { ...given, amount_minor: '400000' })).toEqual(
      NOT_POSSIBLE,
    );
    const { approval } = await askFor('losses.settle', given);
    await approve(approval!, 'binta');
  });
});

describe('the same person', () => {
  it.each(['awa', 'AWA', 'Awa'])('does not approve as %s what awa requested', async (name) => {
    const id = await request(creditOf(500_000n));
    expect(await approve(id, name)).toBe('same_person');
  });

  it('does not approve by another of their names: e-mail address, username, form of the address', async () => {
    const operator = await buildUser(database.db);
    const email = `o'neil.${operator.username}@example.com`;
    await database.owner.raw(
      `update logins set email = ? where id = (select login_id from memberships where user_id = ?)`,
      [email, operator.id],
    );
    const names = [operatorName(email), operator.username];
    expect(names[0]).not.toBe(email);
    // The form of an address means an operator only.
    const { rows } = await database.owner.raw('select operator_person(?) as person', [names[0]!]);
    expect(rows).toEqual([{ person: names[0] }]);
    await grantOperator({ db: database.operator, actor: 'root' }, operator.username, true);
    for (const requested_by of names) {
      const id = await request(creditOf(500_000n), requested_by);
      for (const name of names) {
        expect(await approve(id, name)).toBe('same_person');
      }
    }
  });

  it('cannot be written as both, even by the owner of the schema', async () => {
    const id = await request(creditOf(500_000n));
    const both = database.owner.raw(
      `update approvals set status = 'approved', decided_by = 'Awa', decided_at = now() where id = ?`,
      [id],
    );
    await expect(both).rejects.toMatchObject({ constraint: 'approvals_two_operators' });
  });
});

describe('the name of an operator', () => {
  it.each([
    'awa@example.com',
    "o'neil@example.com",
    'élodie@exemple.sn',
    '💸@example.com',
    `${'long'.repeat(20)}@example.com`,
    '_x@example.com',
  ])('is the same in code and database: %s', async (email) => {
    const { rows } = await database.owner.raw('select operator_name(?) as name', [email]);
    expect(rows).toEqual([{ name: operatorName(email) }]);
    expect(operatorName(email)).toMatch(/^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/);
  });
});
