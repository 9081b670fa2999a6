// Refunds of payments, and of money in suspense, at a gateway whose every answer is the test's: what is booked is what
// the gateway says, an outcome that is not known is asked for again, and nothing is asked that nobody has ordered. Their
// workflow: pursuits.test.ts.

import {
  beginAskingPaymentRefund,
  getRefund,
  notePaymentRefundNotice,
} from '../../db/refunds/refunds';
import {
  acceptSuspense,
  beginAskingRefund,
  closeSuspense,
  findSuspense,
  getSuspense,
  listSuspense,
  noteRefundNotice,
  recordRefundAnswer,
  type SuspenseItem,
} from '../../db/suspense/suspense';
import { listStalled } from '../../db/pursuits';
import { verifyLedger } from '../../db/verify/verify';
import { GatewayError } from '../../domain/gateway-error';
import type { RefundState } from '../../domain/payment';
import type { Progress } from '../../domain/pursuit';
import type { RefundRequest } from '../../gateway/port';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, operatorOf, setUp } from '../support/database';
import { settleLoss } from '../support/losses';
import { askedLongAgo, ordered, payIntent, receive } from '../support/refunds';
import { buildUser, fund } from '../support/users';
import { fakeGateway } from './fake-gateway';
import { createTestActivities, orderRefund } from './intents';

type KindName = 'refund' | 'suspense-refund';

const fake = fakeGateway();
const log: Readonly<Record<string, unknown>>[] = [];
/** The gateway's refunds by id, as the test changes them. */
const refunds = new Map<string, RefundState>();
const asked: RefundRequest[] = [];

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));
const activities = setUp(() =>
  createTestActivities(database, { gateway: fake.gateway, log: (entry) => log.push(entry) }),
);

beforeEach(() => {
  asked.length = 0;
  log.length = 0;
  willMake('succeeded');
  fake.onFindRefund = async (id) => refunds.get(id)!;
});

afterEach(() => expectBooksHold(database.db));

function stateOf(status: RefundState['status'], refund_id: string): RefundState {
  if (status === 'failed') return { status, refund_id, reason: 'the card is gone' };
  return status === 'pending'
    ? { status, refund_id, detail: 'the bank is slow' }
    : { status, refund_id };
}

/** How the next refunds begin. A repeated key is the same refund. */
function willMake(status: RefundState['status']): void {
  fake.onRefund = async (key, request) => {
    asked.push(request);
    const refund_id = `re of ${key}`;
    if (!refunds.has(refund_id)) refunds.set(refund_id, stateOf(status, refund_id));
    return refunds.get(refund_id)!;
  };
}

/** The next calls fail like this, one after the other; then it goes on as before. */
function willFailWith(...errors: GatewayError[]): void {
  const then = fake.onRefund;
  fake.onRefund = async (key, request) => {
    const error = errors.shift();
    if (error === undefined) return then(key, request);
    asked.push(request);
    throw error;
  };
}

const keys = (): string[] => asked.map(({ idempotency_key }) => idempotency_key);

/** One question, without its workflow. */
const ask = (kind: KindName, id: string): Promise<Progress> => activities.askOnce(kind, id);

const askStatus = async (kind: KindName, id: string): Promise<string> =>
  (await ask(kind, id)).status;

/** Only a notice tells that they are to be asked about. */
const noticed = (kind: KindName): Promise<string[]> => {
  const long = { ordered_ms: 600_000, asked_ms: 600_000, pending_ms: 600_000 };
  return listStalled(database.db, kind, 100, { ...long, notified_ms: 0 });
};

const pay = () => payIntent(database.db, merchant, {}, 'fake');

/** A second payment of an intent: held. */
async function hold(): Promise<string> {
  const intent = await pay();
  const second = await receive(database.db, intent);
  const items = await listSuspense(database.db, false);
  return items.find(({ provider_payment_id }) => provider_payment_id === second)!.id;
}

async function orderedOfItem(): Promise<string> {
  const item = await hold();
  await orderRefund(database, item);
  return item;
}

const itemOf = async (id: string): Promise<SuspenseItem> => (await findSuspense(database.db, id))!;

/** The amounts that the item has moved between suspense and other accounts, in minor units. */
async function moved(item: string): Promise<Record<string, bigint>> {
  const { rows } = await database.owner.raw(
    `select a.kind, sum(e.amount_minor)::bigint as moved from ledger_transactions t
       join ledger_entries e on e.transaction_id = t.id
       join ledger_accounts a on a.id = e.account_id
      where t.kind = 'refund' and t.description = ? group by a.kind`,
    [(await itemOf(item)).reference],
  );
  return Object.fromEntries(
    (rows as { kind: string; moved: bigint }[]).map((row) => [row.kind, row.moved]),
  );
}

interface Kind {
  readonly kind: KindName;
  readonly order: () => Promise<string>;
  readonly ends: { readonly made: string; readonly failed: string };
  readonly waits: string;
  /** The gateway's payment, and how the question names the refund. */
  readonly of: (id: string) => Promise<{ readonly payment: string; readonly reference: string }>;
  /** Why it has failed, as it is kept. */
  readonly failure: (id: string) => Promise<unknown>;
  /** The money that is not the merchant's, or not in suspense, any more. */
  readonly gone: (id: string) => Promise<bigint>;
  readonly is_whole: boolean;
  readonly note: typeof notePaymentRefundNotice;
}

const KINDS: readonly Kind[] = [
  {
    kind: 'refund',
    order: async () => ordered(database.db, await pay()),
    ends: { made: 'succeeded', failed: 'failed' },
    waits: 'pending',
    async of(id) {
      const { provider_payment_id: payment, reference } = await getRefund(database.db, id);
      return { payment, reference };
    },
    failure: async (id) => (await getRefund(database.db, id)).failure?.message,
    async gone(id) {
      const { intent_id } = await getRefund(database.db, id);
      const { rows } = await database.owner.raw(
        `select coalesce(sum(amount_minor), 0)::bigint as gone from refunds
          where intent_id = ? and status <> 'failed'`,
        [intent_id],
      );
      return (rows as [{ gone: bigint }])[0].gone;
    },
    is_whole: false,
    note: notePaymentRefundNotice,
  },
  {
    kind: 'suspense-refund',
    order: orderedOfItem,
    ends: { made: 'refunded', failed: 'held' },
    waits: 'refunding',
    async of(id) {
      const item = await getSuspense(database.db, id);
      return { payment: item.provider_payment_id, reference: `${item.reference}/1` };
    },
    failure: async (id) => (await itemOf(id)).refund!.detail,
    gone: async (id) => (await moved(id))['gateway_clearing'] ?? 0n,
    is_whole: true,
    note: noteRefundNotice,
  },
];

describe.each(KINDS)('a $kind', (one) => {
  const { kind, order, ends, waits } = one;
  const idOf = (id: string) => `re of refund/${id}`;

  /** Notifies of it, as the gateway would. */
  async function notice(id: string): Promise<void> {
    const { payment: provider_payment_id } = await one.of(id);
    const about = { environment: 'sandbox', provider_payment_id, reference: null } as const;
    expect(await one.note(database.db, 'fake', { ...about, refund_id: idOf(id) })).toEqual([id]);
  }

  it('is asked for with a key and a reference of its own, and ends with the gateway', async () => {
    const id = await order();
    expect(await ask(kind, id)).toMatchObject({ status: ends.made, pause_ms: null });
    const { payment, reference } = await one.of(id);
    expect(asked).toEqual([
      {
        provider_payment_id: payment,
        amount: 500_000n,
        currency: 'XOF',
        idempotency_key: `refund/${id}`,
        reference,
        is_whole: one.is_whole,
        may_exist: false,
      },
    ]);
    expect(await askStatus(kind, id)).toBe(ends.made);
    expect(asked).toHaveLength(1);
    expect(log).toEqual([]);
  });

  it('that is pending is read until the gateway has made it, and not asked for again', async () => {
    willMake('pending');
    const id = await order();
    const before = await one.gone(id);
    expect(await ask(kind, id)).toMatchObject({ status: waits, waits_for: 'the refund' });
    expect(await one.gone(id)).toBe(before);
    refunds.set(idOf(id), stateOf('succeeded', idOf(id)));
    await notice(id);
    expect(await askStatus(kind, id)).toBe(ends.made);
    expect(await one.gone(id)).toBe(500_000n);
    expect(asked).toHaveLength(1);
  });

  it('that fails is given back with the reason', async () => {
    willMake('failed');
    const id = await order();
    expect(await ask(kind, id)).toMatchObject({ status: ends.failed, pause_ms: null });
    expect(await one.failure(id)).toBe('the card is gone');
    expect(await one.gone(id)).toBe(0n);
    expect(log).toEqual([]);
  });

  it.each([
    ['of it', new GatewayError('refused', 'the payment is disputed')],
    ['for want of access', new GatewayError('refused', 'no such key', { is_about_access: true })],
  ])('fails at once by a refusal %s in answer to the first question', async (_, error) => {
    willFailWith(error);
    const id = await order();
    expect(await askStatus(kind, id)).toBe(ends.failed);
    expect(await one.failure(id)).toBe(error.message);
    expect(await one.gone(id)).toBe(0n);
    expect(asked).toHaveLength(1);
  });

  it('whose outcome is not known is asked for again with the same key, and says that it may exist', async () => {
    willFailWith(
      new GatewayError('timeout', 'no response'),
      new GatewayError('unreachable', 'connection reset'),
    );
    const id = await order();
    for (const status of [waits, waits, ends.made]) expect(await askStatus(kind, id)).toBe(status);
    expect(asked.map(({ may_exist }) => may_exist)).toEqual([false, true, true]);
    expect(keys()).toEqual(Array(3).fill(`refund/${id}`));
  });

  const LOST = new GatewayError('timeout', 'no response');

  it.each<[string, GatewayError[]]>([
    [
      'for want of access after a lost answer',
      [LOST, new GatewayError('refused', 'the key is revoked', { is_about_access: true })],
    ],
    [
      'of it after a lost answer: it may count the one on its way',
      [LOST, new GatewayError('refused', 'the amount is too large')],
    ],
    [
      'that does not say that nothing was done',
      [new GatewayError('refused', 'not now', { outcome: 'unknown' })],
    ],
  ])('is not failed by a refusal %s', async (_, errors) => {
    willFailWith(...errors);
    const id = await order();
    for (const _error of errors) expect(await askStatus(kind, id)).toBe(waits);
    expect(await askStatus(kind, id)).toBe(ends.made);
  });

  it('is waited for at a gateway that cannot be asked', async () => {
    willFailWith(new GatewayError('unreachable', 'away', { outcome: 'not_done' }));
    const id = await order();
    expect(await ask(kind, id)).toMatchObject({ status: waits, waits_for: 'the gateway' });
    expect(await askStatus(kind, id)).toBe(ends.made);
    expect(asked.map(({ may_exist }) => may_exist)).toEqual([false, false]);
  });

  it('that was made and comes back is given back, although its gateway was away at first', async () => {
    const id = await order();
    expect(await askStatus(kind, id)).toBe(ends.made);
    await notice(id);
    expect(await noticed(kind)).toContain(id);
    fake.onFindRefund = () => Promise.reject(new GatewayError('unreachable', 'away'));
    expect(await askStatus(kind, id)).toBe(ends.made);
    fake.onFindRefund = async (refund_id) => stateOf('failed', refund_id);
    expect(await askStatus(kind, id)).toBe(ends.failed);
    expect(await one.gone(id)).toBe(0n);
    expect(await noticed(kind)).not.toContain(id);
  });
});

describe('a refund of a payment', () => {
  it('that was refused is not asked for again after a notice of another refund of its payment', async () => {
    const { db } = database;
    const id = await ordered(db, await pay());
    const { provider_payment_id } = await getRefund(db, id);
    fake.onRefund = async (_key, request) => {
      asked.push(request);
      const about = { environment: 'sandbox', provider_payment_id, refund_id: 're_other' } as const;
      const noted = await notePaymentRefundNotice(db, 'fake', { ...about, reference: null });
      expect(noted).toEqual([id]);
      throw new GatewayError('refused', 'the key is revoked', { is_about_access: true });
    };
    expect(await askStatus('refund', id)).toBe('failed');
    expect(await noticed('refund')).not.toContain(id);
    expect(await beginAskingPaymentRefund(db, id)).toBeUndefined();
    expect(await askStatus('refund', id)).toBe('failed');
    expect(asked).toHaveLength(1);
  });

  it('that was made and comes back to a full wallet is given back when there is room', async () => {
    const { db, owner } = database;
    const rich = await buildUser(db);
    const [paid, other] = [
      await payIntent(db, rich, {}, 'fake'),
      await payIntent(db, rich, {}, 'fake'),
    ];
    const id = await ordered(db, paid);
    expect(await askStatus('refund', id)).toBe('succeeded');
    await fund(db, rich.id, 'sandbox', 'XOF', 999_999_999_999_900n - 500_000n);
    const refund_id = `re of refund/${id}`;
    refunds.set(refund_id, stateOf('failed', refund_id));
    const { provider_payment_id } = await getRefund(db, id);
    const about = {
      environment: 'sandbox',
      provider_payment_id,
      refund_id,
      reference: null,
    } as const;
    await notePaymentRefundNotice(db, 'fake', about);
    expect(await askStatus('refund', id)).toBe('succeeded');
    const { rows } = await owner.raw('select detail from refunds where id = ?', [id]);
    expect(rows).toEqual([
      { detail: expect.stringMatching(/^It failed, and the wallet is too full/) },
    ]);
    await ordered(db, other);
    // It is still to be asked about.
    expect(await askStatus('refund', id)).toBe('failed');
    expect(await balanceOf(db, rich, 'XOF', 'sandbox')).toBe(999_999_999_999_900n);
  });

  it('that had failed and that the gateway has made is told to operators, and the books name it', async () => {
    willFailWith(new GatewayError('refused', 'unknown payment'));
    const id = await ordered(database.db, await pay());
    expect(await askStatus('refund', id)).toBe('failed');
    const refund_id = `re of refund/${id}`;
    const tell = (status: RefundState['status']): Promise<unknown> => {
      refunds.set(refund_id, stateOf(status, refund_id));
      return database.owner.raw(
        `update refunds set gateway_refund_id = ?, notified_at = clock_timestamp() where id = ?`,
        [refund_id, id],
      );
    };
    await tell('pending');
    expect(await ask('refund', id)).toMatchObject({ status: 'failed', waits_for: 'the refund' });
    await tell('succeeded');
    expect(await ask('refund', id)).toMatchObject({ status: 'failed', pause_ms: null });
    expect(log.map(({ error }) => error)).toEqual([
      expect.stringContaining('is about to make'),
      expect.stringContaining('has made'),
    ]);
    await expect(expectBooksHold(database.db)).rejects.toThrow('gateway gave money away');
    await settleLoss(database, (await getRefund(database.db, id)).reference);
  });
});

/** A notice that does not say of which order it is. */
const OF_NONE = { environment: 'sandbox', reference: null } as const;

describe('a refund of money in suspense', () => {
  it('that nobody has ordered is not asked for and changes nothing, whatever the item', async () => {
    const item = await hold();
    const before = await itemOf(item);
    expect(await askStatus('suspense-refund', item)).toBe('held');
    expect(await itemOf(item)).toEqual(before);
    await acceptSuspense(database.operator, item, 'test');
    expect(await askStatus('suspense-refund', item)).toBe('accepted');
    const error = 'no operator has ordered this refund';
    expect(log).toEqual(Array(2).fill({ part: 'suspense', item_id: item, error }));
    expect(asked).toEqual([]);
  });

  it('that is under way keeps its item from being accepted, and is booked once it is made', async () => {
    const item = await orderedOfItem();
    const accepting = acceptSuspense(database.operator, item, 'test');
    await expect(accepting).rejects.toThrow('cannot be accepted');
    await ask('suspense-refund', item);
    expect(await moved(item)).toEqual({ suspense: -500_000n, gateway_clearing: 500_000n });
  });

  it('that fails leaves the item to the next order, which is another refund', async () => {
    willMake('failed');
    const item = await orderedOfItem();
    await ask('suspense-refund', item);
    expect(await itemOf(item)).toMatchObject({ refund: { number: 1, status: 'failed' } });
    willMake('succeeded');
    await orderRefund(database, item);
    expect(await askStatus('suspense-refund', item)).toBe('refunded');
    expect(keys()).toEqual([`refund/${item}`, `refund/${item}/2`]);
    expect(await itemOf(item)).toMatchObject({ refund: { number: 2, status: 'succeeded' } });
  });

  it('that fails after it was made is undone in the books, and the item waits for a decision again', async () => {
    const item = await orderedOfItem();
    await ask('suspense-refund', item);
    const { provider_payment_id, refund } = await itemOf(item);
    const refund_id = refund!.refund_id!;
    refunds.set(refund_id, stateOf('failed', refund_id));
    await noteRefundNotice(database.db, 'fake', { ...OF_NONE, provider_payment_id, refund_id });
    expect(await askStatus('suspense-refund', item)).toBe('held');
    const held = await itemOf(item);
    expect(held).toMatchObject({ status: 'held', resolved_at: null, refund: { status: 'failed' } });
    expect(await moved(item)).toEqual({ suspense: 0n, gateway_clearing: 0n });
    const { rows } = await database.owner.raw(
      `select kind, detail ->> 'detail' as detail from intent_timeline
        where intent_id = ? and kind like 'suspense_%' order by id`,
      [held.intent_id],
    );
    expect(rows).toEqual([
      { kind: 'suspense_refunded', detail: null },
      { kind: 'suspense_refund_failed', detail: 'the card is gone' },
    ]);
    await acceptSuspense(database.operator, item, 'test');
  });

  it('that several operators order at once is one', async () => {
    const item = await hold();
    await Promise.all(Array.from({ length: 4 }, () => orderRefund(database, item)));
    expect(await itemOf(item)).toMatchObject({ status: 'refunding', refund: { number: 1 } });
  });
});

describe('an answer about money in suspense', () => {
  it('that repeats how an earlier order failed leaves the later one alone', async () => {
    const { db } = database;
    const item = await orderedOfItem();
    const answer = { status: 'failed', refund_id: 're_1', detail: 'closed account' } as const;
    const [first] = await beginAskingRefund(db, item);
    expect(await recordRefundAnswer(db, item, first!, answer)).toBe('held');
    await orderRefund(database, item);
    // The gateway tells of the first again.
    const { provider_payment_id } = await itemOf(item);
    const about = { ...OF_NONE, provider_payment_id, refund_id: 're_1' };
    expect(await noteRefundNotice(db, 'fake', about)).not.toEqual([]);
    // The open one first: its question may be the order itself, and is sent soon or never.
    const questions = await beginAskingRefund(db, item);
    expect(questions.map(({ number }) => number)).toEqual([2, 1]);
    expect(await recordRefundAnswer(db, item, questions[1]!, answer)).toBe('refunding');
    expect(await itemOf(item)).toMatchObject({ refund: { number: 2, status: 'ordered' } });
  });

  it('that is out of date changes nothing', async () => {
    const { db } = database;
    const item = await orderedOfItem();
    const [first] = await beginAskingRefund(db, item);
    const [second] = await beginAskingRefund(db, item);
    const answer = { refund_id: 're_1', detail: null };
    // The last two by a process that was frozen since it had asked first.
    for (const [question, status] of [
      [second!, 'pending'],
      [first!, 'succeeded'],
      [first!, 'failed'],
    ] as const) {
      expect(await recordRefundAnswer(db, item, question, { ...answer, status })).toBe('refunding');
    }
    expect(await moved(item)).toEqual({});
  });

  /** It is asked about, for longer than any question takes: its process stands still. */
  async function askedOnceOfItem() {
    const item = await orderedOfItem();
    const [question] = await beginAskingRefund(database.db, item);
    const { provider_payment_id } = await itemOf(item);
    const about = { ...OF_NONE, provider_payment_id };
    const close = async (unmade_order: number | null) => {
      await askedLongAgo(database, item);
      const why = { reason: 'paid by wire', reference: `wire ${item}`, actor: 'tests' };
      const order = { ...why, unmade_order, gateway_refund: null };
      return closeSuspense(operatorOf(database.db), item, order);
    };
    return { item, question: question!, about, close };
  }

  it('to an order that an operator has ended is recorded, and the books say that both paid', async () => {
    const { db } = database;
    const { item, question, close } = await askedOnceOfItem();
    expect(await close(null)).toBe('refunding');
    expect((await itemOf(item)).status).toBe('refunding');
    expect(await close(1)).toBe('done');
    const answer = { status: 'succeeded', refund_id: 're_1', detail: null } as const;
    expect(await recordRefundAnswer(db, item, question, answer)).toBe('closed');
    expect(await moved(item)).toEqual({ suspense: -500_000n, operator: 500_000n });
    const { reference } = await itemOf(item);
    expect(await verifyLedger(db)).toEqual([
      {
        invariant: 'I17',
        what: 'gateway gave money away beyond the books, or took back what is settled as a loss',
        reference,
        is_loss: true,
      },
    ]);
    await settleLoss(database, reference);
  });

  it('is not asked for again after a notice about an order that an operator has ended', async () => {
    const { db } = database;
    const { item, about, close } = await askedOnceOfItem();
    // The notice is of another refund of this payment, made in the gateway's dashboard.
    expect(await noteRefundNotice(db, 'fake', { ...about, refund_id: 're_other' })).toEqual([item]);
    await close(1);
    expect(await noticed('suspense-refund')).not.toContain(item);
    expect(await beginAskingRefund(db, item)).toEqual([]);
    await ask('suspense-refund', item);
    expect(asked).toEqual([]);
  });

  it('is asked for about such an order when the gateway had begun a refund for it', async () => {
    const { db } = database;
    const { item, question, about, close } = await askedOnceOfItem();
    await close(1);
    const pending = { status: 'pending', refund_id: 're_1', detail: 'the bank is slow' } as const;
    expect(await recordRefundAnswer(db, item, question, pending)).toBe('closed');
    const tell = async (status: RefundState['status']): Promise<Progress> => {
      refunds.set('re_1', stateOf(status, 're_1'));
      expect(await noteRefundNotice(db, 'fake', { ...about, refund_id: 're_1' })).toEqual([item]);
      return ask('suspense-refund', item);
    };
    expect(await tell('pending')).toMatchObject({ status: 'closed', waits_for: 'the refund' });
    expect(await tell('succeeded')).toMatchObject({ status: 'closed', pause_ms: null });
    expect(asked).toEqual([]);
    expect(await verifyLedger(db)).toMatchObject([{ is_loss: true }]);
    await settleLoss(database, (await itemOf(item)).reference);
  });
});
