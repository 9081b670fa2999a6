// Refunds of money in suspense, with a gateway whose every answer is the test's: what is booked is what
// the gateway says, and nothing is asked that no operator has ordered.

import { expectBooksHold } from '../support/books';
import { operatorOf } from '../support/database';
import type { WorkflowHandle } from '@temporalio/client';
import {
  acceptSuspense,
  beginAskingRefund,
  closeSuspense,
  findSuspense,
  noteRefundNotice,
  recordRefundAnswer,
  type SuspenseItem,
} from '../../db/suspense/suspense';
import { listStalled } from '../../db/pursuits';
import { verifyLedger } from '../../db/verify/verify';
import { settleLoss } from '../support/losses';
import { GatewayError } from '../../domain/gateway-error';
import { pursuitWorkflowId } from '../../domain/ids';
import type { RefundState } from '../../domain/payment';
import { waitFor } from '../support/wait';
import { fakeGateway } from './fake-gateway';
import {
  orderRefund,
  startIntentWorker,
  suspenseOf,
  testPursuer,
  untilApplied,
  type IntentWorker,
} from './intents';
import { askedLongAgo } from '../support/refunds';

const fake = fakeGateway();
let worker: IntentWorker;
/** The gateway's refunds by id, as the test changes them. */
const refunds = new Map<string, RefundState>();
/** Idempotency keys of refunds that were asked for. */
const asked: string[] = [];

beforeAll(async () => {
  worker = await startIntentWorker({ gateway: fake.gateway });
});

beforeEach(() => {
  asked.length = 0;
  willMake('succeeded');
  fake.onFindRefund = async (id) => refunds.get(id)!;
});

afterEach(async () => {
  await expectBooksHold(worker.database.db);
});

function stateOf(status: RefundState['status'], refund_id: string): RefundState {
  if (status === 'failed') return { status, refund_id, reason: 'the card is gone' };
  return status === 'pending'
    ? { status, refund_id, detail: 'the bank is slow' }
    : { status, refund_id };
}

/** How the next refunds begin. */
function willMake(status: RefundState['status']): void {
  fake.onRefund = async (key) => {
    asked.push(key);
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
    asked.push(key);
    throw error;
  };
}

/** A second payment of an intent: held. */
async function hold(): Promise<string> {
  const intent = await worker.create();
  const handle = await worker.start(intent);
  await worker.notify(intent);
  await handle.result();
  await worker.notify(intent);
  await untilApplied(worker.database, intent, 2);
  const [item] = await suspenseOf(worker.database, intent);
  return item!.id;
}

async function wake(item: string): Promise<WorkflowHandle> {
  const { temporal, worker: running, database } = worker;
  await testPursuer(database.db, temporal, running.task_queue)('suspense-refund', [item]);
  return temporal.workflow.getHandle(pursuitWorkflowId('suspense-refund', 'sandbox', item));
}

async function refund(item: string): Promise<WorkflowHandle> {
  await orderRefund(worker.database, item);
  return wake(item);
}

async function itemOf(id: string): Promise<SuspenseItem> {
  return (await findSuspense(worker.database.db, id))!;
}

/** Waits until the item and its latest order are in these states. */
async function until(id: string, status: string, order: string): Promise<SuspenseItem> {
  return waitFor(async () => {
    const item = await itemOf(id);
    return item.status === status && item.refund?.status === order && item;
  });
}

const HOUR = 3_600_000;
/** Only a notice tells that it is to be asked about. */
const STALLED = { ordered_ms: HOUR, asked_ms: HOUR, pending_ms: HOUR, notified_ms: 0 };

/** A notice that does not say of which order it is. */
const OF_NONE = { environment: 'sandbox', reference: null } as const;

/** Notifies of the item's refund, as the gateway would. */
async function notice(item: SuspenseItem): Promise<string[]> {
  return noteRefundNotice(worker.database.db, 'fake', {
    environment: 'sandbox',
    provider_payment_id: item.provider_payment_id,
    refund_id: item.refund!.refund_id!,
    reference: null,
  });
}

/** The amounts that the item has moved between suspense and other accounts, in minor units. */
async function moved({ reference }: SuspenseItem): Promise<Record<string, bigint>> {
  const { rows } = await worker.database.owner.raw(
    `select a.kind, sum(e.amount_minor)::bigint as moved from ledger_transactions t
       join ledger_entries e on e.transaction_id = t.id
       join ledger_accounts a on a.id = e.account_id
      where t.kind = 'refund' and t.description = ? group by a.kind`,
    [reference],
  );
  return Object.fromEntries(
    (rows as { kind: string; moved: bigint }[]).map((row) => [row.kind, row.moved]),
  );
}

describe('a workflow that nobody has ordered', () => {
  it('asks the gateway for nothing and changes nothing, for any item', async () => {
    const item = await hold();
    const before = await itemOf(item);
    expect(await (await wake(item)).result()).toBe('held');
    expect(await itemOf(item)).toEqual(before);
    await acceptSuspense(worker.database.operator, item, 'test');
    expect(await (await wake(item)).result()).toBe('accepted');
    expect(asked).toEqual([]);
  });
});

describe('a pending refund', () => {
  it('is not booked until the gateway has made it, which a notice has asked at once', async () => {
    willMake('pending');
    const item = await hold();
    const handle = await refund(item);
    const pending = await until(item, 'refunding', 'pending');
    expect(pending.refund).toMatchObject({
      refund_id: `re of refund/${item}`,
      detail: 'the bank is slow',
    });
    expect(await moved(pending)).toEqual({});
    await expect(acceptSuspense(worker.database.operator, item, 'test')).rejects.toThrow(
      'cannot be accepted',
    );
    refunds.set(`re of refund/${item}`, stateOf('succeeded', `re of refund/${item}`));
    expect(await notice(pending)).toEqual([item]);
    await wake(item);
    expect(await handle.result()).toBe('refunded');
    const refunded = await itemOf(item);
    expect(refunded).toMatchObject({ status: 'refunded', refund: { status: 'succeeded' } });
    expect(await moved(refunded)).toEqual({ suspense: -500_000n, gateway_clearing: 500_000n });
    // Read, and not asked for again.
    expect(asked).toEqual([`refund/${item}`]);
  });

  it('that fails leaves the item held with the reason, and the next order is another refund', async () => {
    willMake('pending');
    const item = await hold();
    const handle = await refund(item);
    const pending = await until(item, 'refunding', 'pending');
    refunds.set(`re of refund/${item}`, stateOf('failed', `re of refund/${item}`));
    await notice(pending);
    await wake(item);
    expect(await handle.result()).toBe('held');
    const failed = await itemOf(item);
    expect(failed).toMatchObject({
      status: 'held',
      refund: { number: 1, status: 'failed', detail: 'the card is gone' },
    });
    expect(await moved(failed)).toEqual({});
    willMake('succeeded');
    expect(await (await refund(item)).result()).toBe('refunded');
    expect(asked).toEqual([`refund/${item}`, `refund/${item}/2`]);
    expect(await itemOf(item)).toMatchObject({ refund: { number: 2, status: 'succeeded' } });
  });
});

describe('a refund that fails after it was made', () => {
  it('is undone in the books, and the item waits for a decision again', async () => {
    const item = await hold();
    expect(await (await refund(item)).result()).toBe('refunded');
    const refunded = await itemOf(item);
    const { refund_id } = refunded.refund!;
    refunds.set(refund_id!, stateOf('failed', refund_id!));
    expect(await notice(refunded)).toEqual([item]);
    expect(await (await wake(item)).result()).toBe('held');
    const held = await itemOf(item);
    expect(held).toMatchObject({
      status: 'held',
      resolved_at: null,
      refund: { status: 'failed', detail: 'the card is gone' },
    });
    expect(await moved(held)).toEqual({ suspense: 0n, gateway_clearing: 0n });
    const { rows } = await worker.database.owner.raw(
      `select kind, detail ->> 'detail' as detail from intent_timeline
        where intent_id = ? and kind like 'suspense_%' order by id`,
      [held.intent_id],
    );
    expect(rows).toEqual([
      { kind: 'suspense_refunded', detail: null },
      { kind: 'suspense_refund_failed', detail: 'the card is gone' },
    ]);
    await acceptSuspense(worker.database.operator, item, 'test');
  });

  it('is not forgotten when its notice came while the gateway was away', async () => {
    const item = await hold();
    await (await refund(item)).result();
    const refunded = await itemOf(item);
    const { refund_id } = refunded.refund!;
    await notice(refunded);
    const stalled = () => listStalled(worker.database.db, 'suspense-refund', 10, STALLED);
    expect(await stalled()).toEqual([item]);
    let calls = 0;
    fake.onFindRefund = async () => {
      calls += 1;
      if (calls === 1) throw new GatewayError('unreachable', 'away');
      return stateOf('failed', refund_id!);
    };
    expect(await (await wake(item)).result()).toBe('held');
    expect(await stalled()).toEqual([]);
  });
});

describe('an unknown outcome', () => {
  it('is not taken for a failure when the key is revoked meanwhile', async () => {
    const revoked = () => new GatewayError('refused', 'unknown key', { is_about_access: true });
    willFailWith(new GatewayError('timeout', 'no answer'), revoked());
    const item = await hold();
    const handle = await refund(item);
    // Asked twice, and nothing is decided: then the key is back.
    expect(await handle.result()).toBe('refunded');
    expect(asked).toEqual(Array(3).fill(`refund/${item}`));
  });
});

describe('a refusal', () => {
  it.each([
    ['of the refund', new GatewayError('refused', 'the payment is disputed')],
    [
      'for want of access',
      new GatewayError('refused', 'no such payment', { is_about_access: true }),
    ],
  ])('%s in answer to the first question leaves the item held', async (_, error) => {
    willFailWith(error);
    const item = await hold();
    expect(await (await refund(item)).result()).toBe('held');
    const held = await itemOf(item);
    expect(held.refund).toMatchObject({ status: 'failed', detail: error.message, refund_id: null });
    expect([asked.length, await moved(held)]).toEqual([1, {}]);
  });

  it('of the refund after an unknown outcome says nothing of what was asked for before', async () => {
    willFailWith(
      new GatewayError('timeout', 'no answer'),
      new GatewayError('refused', 'the payment is disputed'),
    );
    const item = await hold();
    expect(await (await refund(item)).result()).toBe('refunded');
    expect(asked).toEqual(Array(3).fill(`refund/${item}`));
  });
});

describe('an order', () => {
  it('that several operators give at once is one', async () => {
    const item = await hold();
    await Promise.all(Array.from({ length: 4 }, () => orderRefund(worker.database, item)));
    expect(await itemOf(item)).toMatchObject({ status: 'refunding', refund: { number: 1 } });
  });
});

describe('an answer', () => {
  it('that repeats how an earlier order failed leaves the later one alone', async () => {
    const { db } = worker.database;
    const item = await hold();
    const answer = { status: 'failed', refund_id: 're_1', detail: 'closed account' } as const;
    await orderRefund(worker.database, item);
    const [first] = await beginAskingRefund(db, item);
    expect(await recordRefundAnswer(db, item, first!, answer)).toBe('held');
    await orderRefund(worker.database, item);
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
    const { db } = worker.database;
    const item = await hold();
    await orderRefund(worker.database, item);
    const [first] = await beginAskingRefund(db, item);
    const [second] = await beginAskingRefund(db, item);
    const answer = { refund_id: 're_1', detail: null };
    expect(await recordRefundAnswer(db, item, second!, { ...answer, status: 'pending' })).toBe(
      'refunding',
    );
    // A process that was frozen since it had asked first.
    for (const status of ['succeeded', 'failed'] as const) {
      expect(await recordRefundAnswer(db, item, first!, { ...answer, status })).toBe('refunding');
    }
    expect(await moved(await itemOf(item))).toEqual({});
  });

  it('to an order that an operator has ended is recorded, and the books say that both paid', async () => {
    const { db } = worker.database;
    const item = await hold();
    await orderRefund(worker.database, item);
    const [question] = await beginAskingRefund(db, item);
    // Longer than any question takes: its process stands still.
    await askedLongAgo(worker.database, item);
    const closing = { reason: 'paid by wire', reference: 'wire 7', actor: 'tests' };
    const close = (unmade_order: number | null) =>
      closeSuspense(operatorOf(db), item, { ...closing, unmade_order, gateway_refund: null });
    expect(await close(null)).toBe('refunding');
    expect((await itemOf(item)).status).toBe('refunding');
    expect(await close(1)).toBe('done');
    const answer = { status: 'succeeded', refund_id: 're_1', detail: null } as const;
    expect(await recordRefundAnswer(db, item, question!, answer)).toBe('closed');
    const closed = await itemOf(item);
    expect(await moved(closed)).toEqual({ suspense: -500_000n, operator: 500_000n });
    expect(await verifyLedger(db)).toEqual([
      {
        invariant: 'I17',
        what: 'gateway gave money away beyond the books, or took back what is settled as a loss',
        reference: closed.reference,
        is_loss: true,
      },
    ]);
    await settleLoss(worker.database, (await itemOf(item)).reference);
  });
});

describe('an order that an operator has ended', () => {
  async function closedWhileAsking() {
    const { db } = worker.database;
    const item = await hold();
    await orderRefund(worker.database, item);
    const [question] = await beginAskingRefund(db, item);
    // The notice is of another refund of this payment, made in the gateway's dashboard.
    const { provider_payment_id } = await itemOf(item);
    const about = { ...OF_NONE, provider_payment_id, refund_id: 're_other' };
    expect(await noteRefundNotice(db, 'fake', about)).toEqual([item]);
    await askedLongAgo(worker.database, item);
    const closing = { reason: 'paid by wire', reference: 'wire 8', actor: 'tests' };
    const made_none = { ...closing, unmade_order: 1, gateway_refund: null };
    await closeSuspense(operatorOf(db), item, made_none);
    return { item, question: question!, about };
  }

  it('is not asked about again after a notice, because that would order the refund', async () => {
    const { db } = worker.database;
    const { item } = await closedWhileAsking();
    expect(await listStalled(db, 'suspense-refund', 100, STALLED)).not.toContain(item);
    expect(await beginAskingRefund(db, item)).toEqual([]);
    await (await wake(item)).result();
    expect(asked).toEqual([]);
  });

  it('is asked about when the gateway had begun a refund for it, and the books say that both paid', async () => {
    const { db } = worker.database;
    const { item, question, about } = await closedWhileAsking();
    const pending = { status: 'pending', refund_id: 're_1', detail: 'the bank is slow' } as const;
    expect(await recordRefundAnswer(db, item, question, pending)).toBe('closed');
    refunds.set('re_1', stateOf('succeeded', 're_1'));
    expect(await noteRefundNotice(db, 'fake', { ...about, refund_id: 're_1' })).toEqual([item]);
    await (await wake(item)).result();
    expect(asked).toEqual([]);
    expect(await verifyLedger(db)).toMatchObject([{ is_loss: true }]);
    await settleLoss(worker.database, (await itemOf(item)).reference);
  });
});
