// A third party's answer to an order that was made before may prove that it was carried out, and never that it was not:
// payouts, attempts to pay by phone, refunds, and refunds of money in suspense.

import {
  beginAskingAttempt,
  beginChargingAgain,
  noteAttemptNotice,
  recordAttemptAnswer,
} from '../../db/payment-attempts/payment-attempts';
import type { NewIntent } from '../../db/payment-intents/intents';
import {
  beginAskingPayout,
  beginSendingAgain,
  cancelPayout,
  notePayoutNotice,
  recordPayoutAnswer,
  recordPayoutFault,
} from '../../db/payouts/payouts';
import {
  beginAskingPaymentRefund,
  getRefund,
  notePaymentRefundNotice,
  recordPaymentRefundAnswer,
  recordPaymentRefundFault,
} from '../../db/refunds/refunds';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import {
  beginAskingRefund,
  listSuspense,
  noteRefundNotice,
  recordRefundAnswer,
  recordRefundFault,
} from '../../db/suspense/suspense';
import type { PaymentNotification } from '../../domain/payment';
import type { PayoutState } from '../../domain/payout';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { begin, openLink } from '../support/payment-attempts';
import { answerPayout, BY, noticeOfPayout, orderedPayout } from '../support/payouts';
import { openIntent, ordered, payIntent, receive } from '../support/refunds';
import { buildUser, type TestUser } from '../support/users';
import { notificationOf, orderRefund } from '../workflows/intents';

let database: TestDatabase;
let merchant: TestUser;
const START = 10_000_000n;

beforeAll(async () => {
  database = await createTestDatabase();
});

beforeEach(async () => {
  merchant = await buildUser(database.db, { funds: { sandbox: { XOF: START } } });
});

afterEach(() => expectBooksHold(database.db));

const rowOf = async (table: string, id: string): Promise<Record<string, unknown>> =>
  (await database.owner(table).where(table === 'suspense_refunds' ? { item_id: id } : { id }))[0];

const left = (): Promise<bigint> => balanceOf(database.db, merchant, 'XOF', 'sandbox');

const IDEMPOTENT = { idempotent_by_id: true, not_found_is_final_after_s: null };
const FAILURE = { code: 'rejected', message: 'The float is empty.', provider_code: 'E1' } as const;

describe('a payout', () => {
  const PROVIDER = { environment: 'sandbox', name: 'sandbox' } as const;
  const failed = (id: string): PayoutState => {
    return { status: 'failed', provider_payment_id: `po_${id}`, failure: FAILURE };
  };

  /** Asked for, without an answer. */
  async function asked(): Promise<string> {
    const id = await orderedPayout(database.db, merchant);
    const { asks } = (await beginAskingPayout(database.db, id))!;
    await recordPayoutFault(database.db, id, asks, 'no answer', false);
    return id;
  }

  it.each(['failed', 'canceled'] as const)(
    'that is ordered once more and %s stays in doubt, until the provider is looked at',
    async (status) => {
      const { db } = database;
      const id = await asked();
      const { asks } = (await beginAskingPayout(db, id))!;
      expect(await beginSendingAgain(db, id, asks, IDEMPOTENT)).toBe(true);
      const answer = await recordPayoutAnswer(db, id, asks, { ...failed(id), status });
      expect(answer).toMatchObject({ status: 'pending', stage: 'unknown' });
      // The refusal gave no id by which the provider would have the payout: it is ordered again.
      expect(await rowOf('payouts', id)).toMatchObject({
        provider_payment_id: null,
        detail: 'The provider does not take the order again: The float is empty.',
      });
      expect(await left()).toBe(START - 500_000n);
      expect(await answerPayout(db, id, { ...failed(id), status })).toMatchObject({
        action: 'find',
        status,
      });
      expect(await left()).toBe(START);
    },
  );

  it('that is ordered once more and sent is paid', async () => {
    const id = await asked();
    const { asks } = (await beginAskingPayout(database.db, id))!;
    await beginSendingAgain(database.db, id, asks, IDEMPOTENT);
    const sent = { status: 'sent', provider_payment_id: 'po_1' } as const;
    const answer = await recordPayoutAnswer(database.db, id, asks, sent);
    expect(answer).toMatchObject({ status: 'pending', stage: 'sent' });
  });

  it('of which the second order had nothing done is in doubt because of the first', async () => {
    const id = await asked();
    const { asks } = (await beginAskingPayout(database.db, id))!;
    await beginSendingAgain(database.db, id, asks, IDEMPOTENT);
    await recordPayoutFault(database.db, id, asks, 'not taken', true);
    expect(await rowOf('payouts', id)).toMatchObject({ stage: 'unknown' });
    // Nor does a look that had nothing done.
    const look = (await beginAskingPayout(database.db, id))!;
    await recordPayoutFault(database.db, id, look.asks, 'not asked', true);
    expect(await rowOf('payouts', id)).toMatchObject({ stage: 'unknown' });
  });

  it.each(['sent', 'queued'] as const)(
    'that is %s and that the provider has then never seen is in doubt, and not ordered again',
    async (status) => {
      const id = await orderedPayout(database.db, merchant);
      await answerPayout(database.db, id, { status });
      const { action, asks } = (await beginAskingPayout(database.db, id))!;
      expect(action).toBe('find');
      expect(await beginSendingAgain(database.db, id, asks, IDEMPOTENT)).toBe(false);
      expect(await rowOf('payouts', id)).toMatchObject({ status: 'pending', stage: 'unknown' });
      expect(await cancelPayout(database.db, id, BY)).toBe('payout_not_cancelable');
    },
  );

  it('of which the provider speaks as of another payment is in doubt, and books nothing', async () => {
    const id = await orderedPayout(database.db, merchant);
    await answerPayout(database.db, id, { status: 'sent' });
    for (const status of ['succeeded', 'failed', 'sent'] as const) {
      const other = { ...failed(id), status, provider_payment_id: 'po_other' };
      expect(await answerPayout(database.db, id, other)).toMatchObject({
        status: 'pending',
        stage: 'unknown',
      });
    }
    expect(await rowOf('payouts', id)).toMatchObject({
      provider_payment_id: `po_${id}`,
      detail: 'The provider says sent of another payment: po_other.',
    });
    expect(await answerPayout(database.db, id, { status: 'succeeded' })).toMatchObject({
      status: 'succeeded',
    });
    // Money that came back of another payment is not this merchant's.
    await noticeOfPayout(database, id);
    const back = {
      status: 'returned',
      provider_payment_id: 'po_other',
      returned: 500_000n,
    } as const;
    expect(await answerPayout(database.db, id, back)).toMatchObject({ status: 'succeeded' });
    expect(await left()).toBe(START - 500_000n);
    expect((await rowOf('payouts', id))['notified_at']).not.toBeNull();
  });

  it.each(['before', 'after'] as const)(
    'of which a notice comes %s the fault that nothing was done is looked for, and not sent anew',
    async (when) => {
      const { db } = database;
      const id = await orderedPayout(db, merchant);
      const { asks } = (await beginAskingPayout(db, id))!;
      if (when === 'before') await notePayoutNotice(db, PROVIDER, id);
      await recordPayoutFault(db, id, asks, 'not taken', true);
      if (when === 'after') await notePayoutNotice(db, PROVIDER, id);
      expect(await rowOf('payouts', id)).toMatchObject({ stage: 'unknown' });
      expect(await cancelPayout(db, id, BY)).toBe('payout_not_cancelable');
      expect(await beginAskingPayout(db, id)).toMatchObject({ action: 'find' });
    },
  );

  it('of which a notice comes while the provider is asked is asked about once more', async () => {
    const { db } = database;
    const id = await orderedPayout(db, merchant);
    await answerPayout(db, id, { status: 'succeeded' });
    await noticeOfPayout(database, id);
    const { asks } = (await beginAskingPayout(db, id))!;
    await notePayoutNotice(db, PROVIDER, id);
    const paid = { status: 'succeeded', provider_payment_id: `po_${id}` } as const;
    await recordPayoutAnswer(db, id, asks, paid);
    const { action, asks: next } = (await beginAskingPayout(db, id))!;
    expect(action).toBe('find');
    await recordPayoutAnswer(db, id, next, paid);
    expect(await beginAskingPayout(db, id)).toBeUndefined();
  });

  it('that fails without a reason has failed all the same', async () => {
    const id = await orderedPayout(database.db, merchant);
    await answerPayout(database.db, id, { status: 'failed', failure: undefined as never });
    expect(await rowOf('payouts', id)).toMatchObject({
      status: 'failed',
      failure: { code: 'unspecified', provider_code: null },
    });
  });
});

describe('an attempt', () => {
  let link: NewIntent;
  let phones = 0;

  beforeEach(async () => {
    link = await openLink(database.db, merchant);
  });

  /** Begun, and asked for so often. */
  async function asked(times = 1): Promise<string> {
    const phone = `+22507${String((phones += 1)).padStart(8, '0')}`;
    const { id } = await begin(database.db, link, { phone });
    for (let asks = 1; asks <= times; asks += 1) {
      await beginAskingAttempt(database.db, id);
      await recordAttemptAnswer(database.db, id, asks, { fault: 'no answer' });
    }
    return id;
  }

  /** The inbox's outcome for a failure that question `asks` has brought. */
  async function fail(
    id: string,
    asks: number,
    fields: Partial<PaymentNotification> = {},
  ): Promise<string> {
    const failed = { type: 'payment.failed', final: false, failure: FAILURE } as const;
    const notification = notificationOf(link, { attempt_id: id, asks, ...failed, ...fields });
    const stored = await storeNotification(database.db, 'sandbox', notification, Buffer.from('{}'));
    return (await applyNotification(database.db, stored.id, 'https://pay.example')).outcome;
  }

  const waiting = (provider_payment_id: string) => {
    return { status: 'waiting', provider_payment_id, next_step: null } as const;
  };

  it('that is refused when the phone is rung once more waits for its end, and is looked for then', async () => {
    const id = await asked();
    await beginAskingAttempt(database.db, id);
    expect(await beginChargingAgain(database.db, id, 2, IDEMPOTENT)).toBe(true);
    expect(await fail(id, 2)).toBe('stale');
    expect(await rowOf('payment_attempts', id)).toMatchObject({ status: 'waiting' });
    // Nor does a look that had nothing done.
    await beginAskingAttempt(database.db, id);
    expect(await fail(id, 3, { nothing_done: true })).toBe('stale');
    expect(await fail(id, 3, { failure: { ...FAILURE, code: 'expired' } })).toBe('attempt_failed');
    expect(await rowOf('payment_attempts', id)).toMatchObject({
      status: 'failed',
      look_until: expect.any(String),
    });
  });

  it('that a look finds failed has failed', async () => {
    const id = await asked();
    await beginAskingAttempt(database.db, id);
    await beginChargingAgain(database.db, id, 2, IDEMPOTENT);
    await beginAskingAttempt(database.db, id);
    expect(await fail(id, 3)).toBe('attempt_failed');
  });

  it('that the gateway has given an id is not rung for again when it was never seen', async () => {
    const id = await asked();
    await beginAskingAttempt(database.db, id);
    await recordAttemptAnswer(database.db, id, 2, waiting('ch_1'));
    await beginAskingAttempt(database.db, id);
    expect(await beginChargingAgain(database.db, id, 3, IDEMPOTENT)).toBe(false);
  });

  it('is not rung for again when what was never seen is not final yet', async () => {
    const id = await asked();
    await beginAskingAttempt(database.db, id);
    const promises = { idempotent_by_id: false, not_found_is_final_after_s: 60 };
    expect(await beginChargingAgain(database.db, id, 2, promises)).toBe(false);
    const never = { ...promises, not_found_is_final_after_s: null };
    expect(await beginChargingAgain(database.db, id, 2, never)).toBe(false);
    const [row] = await database
      .owner('payment_attempts')
      .where({ id })
      .update({ charge_asked_at: new Date(Date.now() - 75_000) })
      .returning('id');
    expect(row).toEqual({ id });
    expect(await beginChargingAgain(database.db, id, 2, promises)).toBe(true);
  });

  it('of which the gateway speaks as of another payment got no answer', async () => {
    const id = await asked();
    await beginAskingAttempt(database.db, id);
    await recordAttemptAnswer(database.db, id, 2, waiting('ch_1'));
    await beginAskingAttempt(database.db, id);
    await recordAttemptAnswer(database.db, id, 3, waiting('ch_2'));
    expect(await rowOf('payment_attempts', id)).toMatchObject({
      provider_payment_id: 'ch_1',
      detail: 'The gateway speaks of another payment: ch_2.',
    });
  });

  it('of which a notice comes before the fault that nobody was rung waits, and is looked for', async () => {
    const id = await asked(0);
    await beginAskingAttempt(database.db, id);
    await noteAttemptNotice(database.db, { environment: 'sandbox', name: 'sandbox' }, id);
    expect(await fail(id, 1, { nothing_done: true })).toBe('stale');
    expect(await rowOf('payment_attempts', id)).toMatchObject({ status: 'waiting' });
    expect(await beginAskingAttempt(database.db, id)).toMatchObject({ action: 'find' });
  });
});

interface RefundKind {
  readonly table: 'refunds' | 'suspense_refunds';
  /** The column with the gateway's id of it. */
  readonly known: 'gateway_refund_id' | 'refund_id';
  order(): Promise<{ readonly id: string; readonly payment: string; readonly reference: string }>;
  ask(id: string): Promise<{ readonly asks: number; readonly may_exist: boolean }>;
  answer(
    id: string,
    asks: number,
    status: 'failed' | 'succeeded',
    refund: string | null,
  ): Promise<unknown>;
  fault(id: string, asks: number, nothing_done: boolean): Promise<void>;
  readonly notice: typeof noteRefundNotice;
}

const PAYMENT_REFUND: RefundKind = {
  table: 'refunds',
  known: 'gateway_refund_id',
  async order() {
    const id = await ordered(database.db, await payIntent(database.db, merchant));
    const { provider_payment_id: payment, reference } = await getRefund(database.db, id);
    return { id, payment, reference };
  },
  ask: async (id) => (await beginAskingPaymentRefund(database.db, id))!,
  answer(id, asks, status, refund_id) {
    const failure =
      status === 'failed' ? ({ code: 'refund_refused', message: 'no' } as const) : null;
    const reply = { status, refund_id, detail: 'no', failure };
    return recordPaymentRefundAnswer(database.db, id, { asks }, reply);
  },
  fault: (id, asks, nothing_done) =>
    recordPaymentRefundFault(database.db, id, { asks }, { fault: 'no answer', nothing_done }),
  notice: notePaymentRefundNotice,
};

const SUSPENSE_REFUND: RefundKind = {
  table: 'suspense_refunds',
  known: 'refund_id',
  async order() {
    const payment = await receive(database.db, await openIntent(database.db, merchant), 100n);
    const items = await listSuspense(database.db, false);
    const item = items.find((one) => one.provider_payment_id === payment)!;
    await orderRefund(database, item.id);
    return { id: item.id, payment, reference: `${item.reference}/1` };
  },
  ask: async (id) => (await beginAskingRefund(database.db, id))[0]!,
  answer: (id, asks, status, refund_id) =>
    recordRefundAnswer(database.db, id, { number: 1, asks }, { status, refund_id, detail: 'no' }),
  fault: (id, asks, nothing_done) =>
    recordRefundFault(database.db, id, { number: 1, asks }, { fault: 'no answer', nothing_done }),
  notice: noteRefundNotice,
};

describe.each([
  ['a payment', PAYMENT_REFUND],
  ['money in suspense', SUSPENSE_REFUND],
])('a refund of %s', (_of, kind) => {
  const row = (id: string) => rowOf(kind.table, id);
  const isOpen = async (id: string): Promise<boolean> =>
    ['pending', 'ordered'].includes((await row(id))['status'] as string);
  const notice = (payment: string, refund_id: string, reference: string | null) =>
    kind.notice(database.db, 'sandbox', {
      environment: 'sandbox',
      provider_payment_id: payment,
      refund_id,
      reference,
    });

  it('that is refused at its first order has failed', async () => {
    const { id } = await kind.order();
    const { asks, may_exist } = await kind.ask(id);
    expect(may_exist).toBe(false);
    await kind.answer(id, asks, 'failed', null);
    expect(await row(id)).toMatchObject({ status: 'failed' });
  });

  it('that is refused when it is ordered once more stays in doubt', async () => {
    const { id } = await kind.order();
    await kind.fault(id, (await kind.ask(id)).asks, false);
    const { asks, may_exist } = await kind.ask(id);
    expect(may_exist).toBe(true);
    await kind.answer(id, asks, 'failed', null);
    expect(await isOpen(id)).toBe(true);
    expect(await row(id)).toMatchObject({
      detail: 'The gateway does not take the order again: no',
    });
    // Nor does a second order of which nothing was done make the first one undone.
    await kind.fault(id, (await kind.ask(id)).asks, true);
    expect(await kind.ask(id)).toMatchObject({ may_exist: true });
  });

  it('that has failed at the gateway, as its second order says, fails by a look at it', async () => {
    const { id } = await kind.order();
    await kind.ask(id);
    const { asks } = await kind.ask(id);
    await kind.answer(id, asks, 'failed', 're_1');
    expect(await isOpen(id)).toBe(true);
    expect(await row(id)).toMatchObject({ [kind.known]: 're_1' });
    await kind.answer(id, (await kind.ask(id)).asks, 'failed', 're_1');
    expect(await row(id)).toMatchObject({ status: 'failed' });
  });

  it('that is ordered once more and made has succeeded', async () => {
    const { id } = await kind.order();
    await kind.ask(id);
    await kind.answer(id, (await kind.ask(id)).asks, 'succeeded', 're_1');
    expect(await row(id)).toMatchObject({ status: 'succeeded' });
  });

  it('of which nothing was done is ordered as if for the first time', async () => {
    const { id } = await kind.order();
    await kind.fault(id, (await kind.ask(id)).asks, true);
    const { asks, may_exist } = await kind.ask(id);
    expect(may_exist).toBe(false);
    await kind.answer(id, asks, 'failed', null);
    expect(await row(id)).toMatchObject({ status: 'failed' });
  });

  it('of which a notice comes before the fault that nothing was done may exist', async () => {
    const { id, payment, reference } = await kind.order();
    const { asks } = await kind.ask(id);
    expect(await notice(payment, 're_1', reference)).toEqual([id]);
    await kind.fault(id, asks, true);
    expect(await kind.ask(id)).toMatchObject({ may_exist: true });
  });

  it('of which the gateway speaks as of another one got no answer', async () => {
    const { id } = await kind.order();
    await kind.ask(id);
    await database
      .owner(kind.table)
      .where(await row(id))
      .update({ [kind.known]: 're_1' });
    await kind.answer(id, (await kind.ask(id)).asks, 'failed', 're_2');
    expect(await isOpen(id)).toBe(true);
    expect(await row(id)).toMatchObject({
      [kind.known]: 're_1',
      detail: 'The gateway says failed of another refund: re_2.',
    });
  });

  it('that has ended without the gateway’s id is found by our reference, and asked about', async () => {
    const { id, payment, reference } = await kind.order();
    await kind.answer(id, (await kind.ask(id)).asks, 'failed', null);
    expect(await notice(payment, 're_1', null)).toEqual([]);
    expect(await notice(payment, 're_1', 'RFD-ANOTHER')).toEqual([]);
    expect(await notice(payment, 're_1', reference)).toEqual([id]);
    expect(await row(id)).toMatchObject({ [kind.known]: 're_1' });
    expect((await kind.ask(id)).asks).toBe(2);
  });
});
