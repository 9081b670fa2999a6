// Operators' decisions about money look at what they decide about under the locks that they hold when they act:
// what another session, the gateway or a question to it changes meanwhile counts, and no customer is paid twice.

import type { Client } from 'pg';
import { approveRequest } from '../../db/operators/approvals';
import { recordPaymentRefundAnswer } from '../../db/refunds/refunds';
import {
  acceptForIntent,
  acceptSuspense,
  beginAskingRefund,
  findSuspense,
  listSuspense,
  orderSuspenseRefund,
  recordRefundAnswer,
  recordRefundFault,
  type Closing,
  type RefundQuestion,
} from '../../db/suspense/suspense';
import { listLosses } from '../../db/suspense/losses';
import type { NewIntent } from '../../db/payment-intents/intents';
import { MAX_REFUNDS } from '../../domain/intent';
import { approveDecision, type ApprovalNeeded } from '../../use-cases/approvals';
import { failUnmadeRefund, refundPayment } from '../../use-cases/refunds/by-operator';
import { closeItem } from '../../use-cases/suspense';
import { buildSuspense } from '../dashboard/operators';
import { expectBooksHold } from '../support/books';
import { settleLoss } from '../support/losses';
import { limitOperators, pastLock, whileUncommitted } from '../support/database';
import { askedLongAgo, openIntent, setUpRefunds } from '../support/refunds';
import { ERROR_DOCS } from '../support/postings';

const PAY_URL = 'https://pay.example.com';
const APPROVAL_REQUIRED = { code: 'AP001' };

const world = setUpRefunds();
const { database, merchant, pay, receive, order, ordered, answer } = world;

const limit = (above: bigint | null) => limitOperators(database, above);

beforeEach(() => limit(null));

afterEach(() => expectBooksHold(database.db));

/** Returns the answer of `second`, which begins before the statement is committed. */
const whileOpen = <Result>(
  [text, values]: readonly [string, unknown[]],
  second: () => Promise<Result>,
): Promise<Result> => whileUncommitted(database, (session) => session.query(text, values), second);

/** The statement that closes it. */
function closing(item: string): readonly [string, unknown[]] {
  const given = { item, reason: 'gone', payment_reference: 'wire', unmade_order: 1 };
  return [`select close_suspense($1, 'awa')`, [JSON.stringify(given)]];
}

describe('the closing of an item whose refund is under way', () => {
  const close = (id: string, fields: Partial<Closing> = {}) =>
    closeItem({ db: database.operator }, id, {
      reason: 'the card is gone',
      reference: `wire ${id}`,
      actor: 'awa',
      unmade_order: 1,
      gateway_refund: null,
      ...fields,
    });

  async function refunding(): Promise<string> {
    const item = await buildSuspense(database, merchant);
    await orderSuspenseRefund(database.operator, item, 'awa');
    return item;
  }

  /** Records the answer to a question that is long over. */
  async function said(item: string, status: 'pending' | 'failed', id: string): Promise<void> {
    const [question] = await beginAskingRefund(database.db, item);
    const words = { status, refund_id: id, detail: null };
    await recordRefundAnswer(database.db, item, question!, words);
    await askedLongAgo(database, item);
  }

  it.each<readonly [string, 'pending' | null, Partial<Closing>, string]>([
    ['nobody has looked', null, { unmade_order: null }, 'refunding'],
    ['the gateway has made none', null, {}, 'closed'],
    ['the gateway has it', 'pending', {}, 'at_gateway'],
    ['the gateway has another', 'pending', { gateway_refund: 're_other' }, 'at_gateway'],
    ['nobody has looked, and it is named', 'pending', { unmade_order: null }, 'refunding'],
    ['the gateway will never make the one it has', 'pending', { gateway_refund: 're_1' }, 'closed'],
  ])('%s, gateway: %s', async (_, gateway, fields, wanted) => {
    const item = await refunding();
    if (gateway !== null) await said(item, gateway, 're_1');
    const closed = await close(item, fields);
    expect(closed.ok ? closed.item.status : closed.error).toBe(wanted);
    const status = wanted === 'closed' ? 'closed' : 'refunding';
    expect((await findSuspense(database.db, item))!.status).toBe(status);
  });

  it('is of a refund whose questions follow one another: the order of the one before may exist', async () => {
    const item = await refunding();
    const asked = `update suspense_refunds r set asks = 1, asked_at = x.at, send_begun_at = x.at
                     from (select clock_timestamp() + interval '1 minute' as at) x where r.item_id = $1`;
    const questions = await whileOpen([asked, [item]], () => beginAskingRefund(database.db, item));
    expect(questions).toMatchObject([{ asks: 2, may_exist: true }]);
  });

  it('means the order that the operator has looked for, and no later one', async () => {
    const item = await refunding();
    await said(item, 'failed', 're_1');
    await orderSuspenseRefund(database.operator, item, 'binta');
    expect(await close(item)).toEqual({ ok: false, error: 'refunding' });
    // The one before has ended: a question about it, and how it ended, are no matter.
    const asked = 'update suspense_refunds set asked_at = now() where item_id = ? and number = 1';
    await database.owner.raw(asked, [item]);
    expect(await close(item, { unmade_order: 2 })).toMatchObject({ ok: true });
    const { rows } = await database.owner.raw(
      `select number from suspense_refunds where item_id = ? and detail like 'ended by an operator%'`,
      [item],
    );
    expect(rows).toEqual([{ number: 2 }]);
  });

  it('waits for a question that begins at that moment, and no question begins after it', async () => {
    const item = await refunding();
    const asked = { ok: false, error: 'gateway_is_asked' };
    const ask = 'select from begin_asking_refund($1)';
    expect(await whileOpen([ask, [item]], () => close(item))).toEqual(asked);
    expect(await close(item)).toEqual(asked);
    await askedLongAgo(database, item);
    const questions = await whileOpen(closing(item), () => beginAskingRefund(database.db, item));
    expect(questions).toEqual([]);
    expect((await findSuspense(database.db, item))!.status).toBe('closed');
  });

  it.each<readonly [string, (item: string) => Promise<unknown>, string]>([
    ['the gateway got it', (item) => said(item, 'pending', 're_777'), 'no_longer_possible'],
    ['it is being asked', (item) => beginAskingRefund(database.db, item), 'gateway_is_asked'],
    [
      'another was ordered',
      async (item) => {
        await said(item, 'failed', 're_1');
        await limit(null);
        await orderSuspenseRefund(database.operator, item, 'binta');
      },
      'no_longer_possible',
    ],
  ])('is not approved once %s, and the request waits', async (_, meanwhile, error) => {
    const item = await refunding();
    await limit(100_000n);
    const { approval } = (await close(item)) as ApprovalNeeded;
    await meanwhile(item);
    const by = { db: database.operator, actor: 'binta', pay_url_base: PAY_URL };
    const approving = { ...by, pursue: () => Promise.resolve() };
    expect(await approveDecision(approving, approval)).toEqual({ ok: false, error });
    expect((await findSuspense(database.db, item))!.status).toBe('refunding');
    const statuses = database.owner('approvals').where({ id: approval }).pluck('status');
    expect(await statuses).toEqual(['waiting']);
  });
});

describe('the end of a refund that was never made', () => {
  const closed = { reason: 'the account is closed', gateway_refund: null };
  const fail = (id: string) =>
    failUnmadeRefund({ db: database.operator, actor: 'awa' }, { id }, closed);

  it('waits for a question that begins at that moment, whatever becomes of its answer', async () => {
    const { db } = database;
    const id = await ordered(await pay());
    const asked = { ok: false, error: 'gateway_is_asked' };
    const ask = 'select from begin_asking_payment_refund($1)';
    expect(await whileOpen([ask, [id]], () => fail(id))).toEqual(asked);
    expect(await fail(id)).toEqual(asked);
    const made = { status: 'succeeded', refund_id: 're_1', detail: null, failure: null } as const;
    const question = { asks: 1, gateway_refund_id: null };
    await recordPaymentRefundAnswer(db, id, question, made);
    expect(await fail(id)).toEqual({ ok: false, error: 'succeeded' });
  });

  it('needs a second person for its own amount, whatever other refunds there are', async () => {
    const small = await ordered(await pay(), { amount_minor: '50000' });
    await ordered(await pay());
    await limit(100_000n);
    expect(await fail(small)).toMatchObject({ ok: true });
  });
});

describe('a refund that an operator orders', () => {
  const refund = (intent: NewIntent, amount_minor: string | null, key: string) =>
    refundPayment(
      { db: database.operator, actor: 'awa', error_docs_url: ERROR_DOCS },
      {
        environment: 'sandbox',
        user_id: merchant.id,
        intent_id: intent.id,
        currency: 'XOF',
        reason: null,
        amount_minor,
        idempotency_key: key,
      },
    );

  it('without an amount counts as what is left, as it is under the lock', async () => {
    const intent = await pay();
    await limit(200_000n);
    expect(await refund(intent, null, 'whole')).toMatchObject({ error: 'approval_required' });
    await database.owner.raw('delete from approvals');
    // 1000.00 are left, and then 5000.00 again.
    const large = await ordered(intent, { amount_minor: '400000' });
    const failure = { code: 'refund_failed', message: 'the card is gone' };
    const fails = { refund: large, gateway_refund: null, failure };
    const rest = await whileOpen(
      [`select fail_refund_as($1, 'binta', '{}')`, [JSON.stringify(fails)]],
      () => refund(intent, null, 'rest'),
    );
    expect(rest).toMatchObject({ error: 'approval_required' });
    expect(await refund(intent, '200000', 'part')).toMatchObject({ ok: true });
  });

  it('is the same when it is repeated without an amount, however much is left by then', async () => {
    const intent = await pay();
    await ordered(intent, { amount_minor: '100000' });
    const first = await refund(intent, null, 'rest');
    expect(first).toMatchObject({ ok: true, is_replay: false });
    expect(await refund(intent, null, 'rest')).toEqual({ ...first, is_replay: true });
    expect(await refund(intent, '400000', 'rest')).toEqual({ ok: false, error: 'key_reused' });
    const refused = { ok: false, error: 'refund_exceeds_payment' };
    expect(await refund(intent, null, 'more')).toEqual(refused);
    const on_record = database.owner('audit_log').where({ action: 'refunds.create' });
    expect(
      await on_record.whereJsonSupersetOf('details', { payment_intent: intent.id }),
    ).toHaveLength(1);
  });

  it('is approved with the amount that was left when it was requested', async () => {
    const { operator } = database;
    const intent = await pay();
    await limit(0n);
    const part = await ordered(intent, { amount_minor: '100000' });
    const first = (await refund(intent, null, 'rest')) as ApprovalNeeded;
    expect(first).toMatchObject({ error: 'approval_required' });
    await answer(part, 'failed');
    expect(await refund(intent, null, 'rest')).toEqual(first);
    await approveRequest(operator, first.approval, 'binta', PAY_URL);
    const made = database.owner('refunds').where({ intent_id: intent.id, status: 'pending' });
    expect(await made.pluck('amount_minor')).toEqual([400_000n]);
    expect(await refund(intent, null, 'rest')).toMatchObject({ ok: true, is_replay: true });
  });
});

describe('a decision about an item', () => {
  it.each<[string, (id: string) => Promise<unknown>]>([
    ['its acceptance', (id) => acceptForIntent(database.operator, id, 'awa', PAY_URL)],
    ['its acceptance as a deposit', (id) => acceptSuspense(database.operator, id, 'awa')],
    ['its refund', (id) => orderSuspenseRefund(database.operator, id, 'awa')],
  ])('that is held only by the time that it is locked counts its amount: %s', async (_, decide) => {
    const { db, operator } = database;
    const intent = await openIntent(db, merchant);
    const payment = await receive(intent, 499_900n);
    const items = await listSuspense(db, false);
    const { id } = items.find((one) => one.provider_payment_id === payment)!;
    await orderSuspenseRefund(operator, id, 'awa');
    const [question] = await beginAskingRefund(db, id);
    await limit(100_000n);
    const failed = `select record_refund_answer($1, $2, $3, 'failed', null, 'no')`;
    const decided = whileOpen([failed, [id, question!.number, question!.asks]], () => decide(id));
    await expect(decided).rejects.toMatchObject(APPROVAL_REQUIRED);
    expect((await findSuspense(db, id))!.status).toBe('held');
  });
});

/** Two that are being refunded. */
async function orderedItems(): Promise<readonly [string, string]> {
  const [one, other] = [
    await buildSuspense(database, merchant),
    await buildSuspense(database, merchant),
  ];
  for (const id of [one, other]) await orderSuspenseRefund(database.operator, id, 'awa');
  return [one, other];
}

describe('what another session decides meanwhile about an item', () => {
  it.each<[string, string, (id: string) => Promise<unknown>, object]>([
    [
      'its acceptance',
      'select accept_suspense($1)',
      // The lock of the decision itself, without that of the operator's call around it.
      (id) => database.owner.raw('select accept_suspense(?)', [id]),
      { message: expect.stringContaining('it is accepted') },
    ],
    [
      'its order',
      `select add_refund_order($1, 'awa')`,
      (id) => database.owner.raw(`select is_new from add_refund_order(?, 'binta')`, [id]),
      { rows: [{ is_new: false }] },
    ],
  ])('is seen: %s', async (_, first, second, wanted) => {
    const id = await buildSuspense(database, merchant);
    const answered = await whileOpen([first, [id]], () => second(id)).catch(
      (error: Error) => error,
    );
    expect(answered).toMatchObject(wanted);
  });

  it('stands against an answer that comes late', async () => {
    const { db } = database;
    const [item] = await orderedItems();
    const [{ asks, number }] = (await beginAskingRefund(db, item)) as [RefundQuestion];
    const answers = (status: 'succeeded' | 'failed') => () =>
      recordRefundAnswer(db, item, { asks, number }, { status, refund_id: 're_1', detail: null });
    const asksAgain = 'select from begin_asking_refund($1)';
    expect(await whileOpen([asksAgain, [item]], answers('failed'))).toBe('refunding');
    await askedLongAgo(database, item);
    await database.owner.raw('update suspense_refunds set asks = 1 where item_id = ?', [item]);
    const answered = await whileOpen(closing(item), answers('succeeded'));
    expect(answered).toBe('closed');
    // It left twice, and is known as a loss.
    const [loss] = await listLosses(db);
    await settleLoss(database, loss!.reference);
  });

  it('is asked about by its own questions, and only while they can change it', async () => {
    const { db, owner } = database;
    const [item, beside] = await orderedItems();
    await owner.raw(
      `update suspense_refunds set asked_at = now() + interval '1 day', send_begun_at = now()
        where item_id = ?`,
      [beside],
    );
    const [question] = (await beginAskingRefund(db, item)) as [RefundQuestion];
    expect(question).toMatchObject({ number: 1, may_exist: false });
    const { rows } = await owner.raw(
      'select asked_at < now() as is_now from suspense_refunds where item_id = ?',
      [item],
    );
    expect(rows).toEqual([{ is_now: true }]);
    const failed = { status: 'failed', refund_id: null, detail: 'no' } as const;
    await recordRefundAnswer(db, item, question, failed);
    // Without an id, a question would order it.
    await owner.raw('update suspense_refunds set notified_at = now() where item_id = ?', [item]);
    expect(await beginAskingRefund(db, item)).toEqual([]);
    await owner.raw(
      `update suspense_refunds set notified_at = null, refund_id = 're_1' where item_id = ?`,
      [item],
    );
    expect(await beginAskingRefund(db, item)).toEqual([]);
    await orderSuspenseRefund(database.operator, item, 'awa');
    const [second] = (await beginAskingRefund(db, item)) as [RefundQuestion];
    expect(second.number).toBe(2);
    const made = { status: 'succeeded', refund_id: 're_2', detail: null } as const;
    const pending = { ...made, status: 'pending' } as const;
    await recordRefundAnswer(db, item, second, pending);
    const fault = (asks: number, words: string) =>
      recordRefundFault(db, item, { number: 2, asks }, { fault: words, nothing_done: false });
    await fault(second.asks, 'silent');
    await fault(second.asks - 1, 'late');
    const details = 'select detail from suspense_refunds where item_id = ? order by number';
    expect((await owner.raw(details, [item])).rows).toEqual([
      { detail: 'no' },
      { detail: 'silent' },
    ]);
    await recordRefundAnswer(db, item, second, { ...made, refund_id: 're_of_another' });
    expect((await owner.raw(details, [item])).rows[0]).toEqual({ detail: 'no' });
    await recordRefundAnswer(db, item, second, made);
    await fault(second.asks, 'after its end');
    const { rows: orders } = await owner.raw(
      'select number, status, refund_id, detail from suspense_refunds where item_id = ? order by number',
      [item],
    );
    expect(orders).toEqual([
      { number: 1, status: 'failed', refund_id: 're_1', detail: 'no' },
      { number: 2, status: 'succeeded', refund_id: 're_2', detail: null },
    ]);
  });

  it('is seen by the closing, which counts its own amount and waits for no other item', async () => {
    const { db, operator } = database;
    const [, beside] = await orderedItems();
    const intent = await openIntent(db, merchant, { amount_minor: '10000' });
    const payment = await receive(intent, 5_000n);
    const items = await listSuspense(db, false);
    const { id } = items.find((one) => one.provider_payment_id === payment)!;
    await limit(100_000n);
    const about = { reason: 'gone', reference: 'wire', unmade_order: null, gateway_refund: null };
    const close = () => closeItem({ db: operator }, id, { ...about, actor: 'awa' });
    const ordered = `select add_refund_order($1, 'awa')`;
    expect(await whileOpen([ordered, [id]], close)).toEqual({ ok: false, error: 'refunding' });
    await database.owner.raw('delete from suspense_refunds where item_id = ?', [id]);
    await database.owner.raw(`update suspense_items set status = 'held' where id = ?`, [id]);
    const lock = (session: Client) =>
      session.query('select from suspense_refunds where item_id = $1 for update', [beside]);
    expect(await pastLock(database, lock, close)).toMatchObject({ ok: true });
  });

  it('keeps no question about another item waiting', async () => {
    const ids = await orderedItems();
    const lock = (session: Client) =>
      session.query('select from suspense_refunds where item_id = $1 for update', [ids[0]]);
    const asks = () => beginAskingRefund(database.db, ids[1]);
    const [question] = await pastLock(database, lock, asks);
    expect(question).toMatchObject({ asks: 1 });
    await beginAskingRefund(database.db, ids[0]);
    await recordRefundFault(database.db, ids[1], question!, { fault: 'no', nothing_done: false });
    const { rows } = await database.owner.raw(
      'select item_id from suspense_refunds where item_id = any(?) and detail is not null',
      [[...ids]],
    );
    expect(rows).toEqual([{ item_id: ids[1] }]);
  });
});

describe('the refunds of one payment', () => {
  it('are bounded, failed ones included, also when the last are ordered at once', async () => {
    const intent = await pay();
    const part = () => order(intent, { amount_minor: '100' });
    const failed = await ordered(intent, { amount_minor: '100' });
    await answer(failed, 'failed');
    for (let count = 2; count < MAX_REFUNDS; count += 1) await part();
    const last = await Promise.all([part(), part(), part()]);
    expect(last.map(({ outcome }) => outcome).sort()).toEqual([
      'created',
      'too_many_refunds',
      'too_many_refunds',
    ]);
  });
});
