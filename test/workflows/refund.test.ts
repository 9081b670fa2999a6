// Refunds of payments, with a gateway whose every answer is the test's: what is booked is what the gateway
// says, an outcome that is not known is asked for again, and nothing is asked that no merchant has ordered.

import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { NewIntent } from '../../db/payment-intents/intents';
import {
  beginAskingPaymentRefund,
  getRefund,
  notePaymentRefundNotice,
} from '../../db/refunds/refunds';
import { listStalled } from '../../db/pursuits';
import { GatewayError } from '../../domain/gateway-error';
import { pursuitWorkflowId } from '../../domain/ids';
import type { RefundState } from '../../domain/payment';
import type { RefundRequest } from '../../gateway/port';
import { failUnmadeRefund } from '../../use-cases/refunds/by-operator';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { settleLoss } from '../support/losses';
import { askedLongAgo, ordered, payIntent } from '../support/refunds';
import { buildUser, fund } from '../support/users';
import { waitFor } from '../support/wait';
import { fakeGateway } from './fake-gateway';
import { startIntentWorker, testPursuer, type IntentWorker } from './intents';

const fake = fakeGateway();
const log: Readonly<Record<string, unknown>>[] = [];
let worker: IntentWorker;
/** The gateway's refunds by id, as the test changes them. */
const refunds = new Map<string, RefundState>();
const asked: RefundRequest[] = [];

beforeAll(async () => {
  worker = await startIntentWorker({ gateway: fake.gateway, log: (entry) => log.push(entry) });
});

beforeEach(() => {
  asked.length = 0;
  log.length = 0;
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

function pay(): Promise<NewIntent> {
  return payIntent(worker.database.db, worker.merchant, {}, 'fake');
}

async function wake(id: string): Promise<WorkflowHandle> {
  const { temporal, worker: running, database } = worker;
  await testPursuer(database.db, temporal, running.task_queue)('refund', [id]);
  return temporal.workflow.getHandle(pursuitWorkflowId('refund', 'sandbox', id));
}

interface Followed {
  readonly id: string;
  readonly handle: WorkflowHandle;
}

async function refund(amount_minor: string | null = null): Promise<Followed> {
  const id = await ordered(worker.database.db, await pay(), { amount_minor });
  return { id, handle: await wake(id) };
}

async function rowOf(id: string): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await worker.database.owner.raw('select * from refunds where id = ?', [id]);
  return rows[0];
}

function until(id: string, fields: Readonly<Record<string, unknown>>): Promise<unknown> {
  return waitFor(async () => {
    const row = await rowOf(id);
    return Object.entries(fields).every(([name, value]) => row[name] === value);
  });
}

/** Notifies of this refund, as the gateway would. */
async function notice(id: string): Promise<string[]> {
  const { provider_payment_id } = await getRefund(worker.database.db, id);
  const refund_id = `re of refund/${id}`;
  return notePaymentRefundNotice(worker.database.db, 'fake', {
    environment: 'sandbox',
    provider_payment_id,
    refund_id,
    reference: null,
  });
}

function wallet(): Promise<bigint> {
  return balanceOf(worker.database.db, worker.merchant, 'XOF', 'sandbox');
}

describe('a refund', () => {
  it('is asked for with a key and a reference of its own, and ends with the gateway', async () => {
    const { id, handle } = await refund('120000');
    expect(await handle.result()).toBe('succeeded');
    const { reference, provider_payment_id } = await getRefund(worker.database.db, id);
    expect(asked).toEqual([
      {
        provider_payment_id,
        amount: 120_000n,
        currency: 'XOF',
        idempotency_key: `refund/${id}`,
        reference,
        is_whole: false,
        may_exist: false,
      },
    ]);
  });

  it('that fails gives the money back with the reason', async () => {
    willMake('failed');
    const before = await wallet();
    const { id, handle } = await refund();
    expect(await handle.result()).toBe('failed');
    expect((await getRefund(worker.database.db, id)).failure).toEqual({
      code: 'refund_failed',
      message: 'the card is gone',
    });
    expect(await wallet()).toBe(before + 500_000n);
  });

  it('that the gateway refuses fails at once', async () => {
    willFailWith(new GatewayError('refused', 'this payment cannot be refunded'));
    const { id, handle } = await refund();
    expect(await handle.result()).toBe('failed');
    expect((await getRefund(worker.database.db, id)).failure).toEqual({
      code: 'refund_refused',
      message: 'this payment cannot be refunded',
    });
  });

  it('that an operator has ended is not asked for again, and its workflow ends', async () => {
    willFailWith(new GatewayError('refused', 'no such account', { is_about_access: true }));
    const { db, operator } = worker.database;
    const id = await ordered(db, await pay());
    await beginAskingPaymentRefund(db, id);
    const handle = await wake(id);
    await until(id, { detail: 'The gateway does not take the order again: no such account' });
    const by = { db: operator, actor: 'awa' };
    // Its workflow asks again and again.
    await waitFor(async () => {
      await askedLongAgo(worker.database, id);
      const why = { reason: 'the account is closed', gateway_refund: null };
      return (await failUnmadeRefund(by, await getRefund(db, id), why)).ok;
    });
    await wake(id);
    expect(await handle.result()).toBe('failed');
    const questions = asked.length;
    await notice(id);
    expect(await (await wake(id)).result()).toBe('failed');
    expect(asked).toHaveLength(questions);
  });

  it('that was refused is not asked for again after a notice of another refund of its payment', async () => {
    const { db } = worker.database;
    const id = await ordered(db, await pay(), {});
    const { provider_payment_id } = await getRefund(db, id);
    fake.onRefund = async (_key, request) => {
      asked.push(request);
      const about = { environment: 'sandbox', provider_payment_id, refund_id: 're_other' } as const;
      const noted = await notePaymentRefundNotice(db, 'fake', { ...about, reference: null });
      expect(noted).toEqual([id]);
      throw new GatewayError('refused', 'the key is revoked', { is_about_access: true });
    };
    expect(await (await wake(id)).result()).toBe('failed');
    const after = { ordered_ms: 600_000, asked_ms: 600_000, pending_ms: 600_000, notified_ms: 0 };
    expect(await listStalled(db, 'refund', 100, after)).not.toContain(id);
    expect(await beginAskingPaymentRefund(db, id)).toBeUndefined();
    expect(await (await wake(id)).result()).toBe('failed');
    expect(asked).toHaveLength(1);
  });

  it('whose outcome is not known is asked for again with the same key, and says that it may exist', async () => {
    willFailWith(
      new GatewayError('timeout', 'no response'),
      new GatewayError('unreachable', 'connection reset'),
    );
    const { id, handle } = await refund();
    await until(id, { status: 'pending', detail: 'no response' });
    expect(await handle.result()).toBe('succeeded');
    expect(asked.map(({ may_exist }) => may_exist)).toEqual([false, true, true]);
    expect(new Set(asked.map(({ idempotency_key }) => idempotency_key))).toEqual(
      new Set([`refund/${id}`]),
    );
  });

  it.each([
    ['for want of access', 'the key is revoked', { is_about_access: true }],
    ['of the refund, which may count the one on its way', 'the amount is too large', {}],
  ])(
    'is not failed by a refusal %s after a question whose answer was lost',
    async (_, words, more) => {
      const refusal = new GatewayError('refused', words, more);
      willFailWith(new GatewayError('timeout', 'no response'), refusal);
      const { id, handle } = await refund();
      const detail = `The gateway does not take the order again: ${words}`;
      await until(id, { status: 'pending', detail });
      expect(await handle.result()).toBe('succeeded');
    },
  );

  it('is not failed by a refusal that does not say that nothing was done', async () => {
    willFailWith(new GatewayError('refused', 'not now', { outcome: 'unknown' }));
    const { handle } = await refund();
    expect(await handle.result()).toBe('succeeded');
  });

  it('that was made and comes back is given back, by a workflow that starts again', async () => {
    const { id, handle } = await refund();
    expect(await handle.result()).toBe('succeeded');
    const before = await wallet();
    refunds.set(`re of refund/${id}`, stateOf('failed', `re of refund/${id}`));
    await notice(id);
    expect(await (await wake(id)).result()).toBe('failed');
    expect(await wallet()).toBe(before + 500_000n);
  });

  it('that was made and comes back to a full wallet is given back when there is room', async () => {
    const { db } = worker.database;
    const rich = await buildUser(db);
    const [paid, other] = [
      await payIntent(db, rich, {}, 'fake'),
      await payIntent(db, rich, {}, 'fake'),
    ];
    const id = await ordered(db, paid);
    expect(await (await wake(id)).result()).toBe('succeeded');
    await fund(db, rich.id, 'sandbox', 'XOF', 999_999_999_999_900n - 500_000n);
    refunds.set(`re of refund/${id}`, stateOf('failed', `re of refund/${id}`));
    await notice(id);
    expect(await (await wake(id)).result()).toBe('succeeded');
    expect((await rowOf(id))['detail']).toMatch(/^It failed, and the wallet is too full/);
    await ordered(db, other);
    await worker.database.owner.raw(
      `update refunds set notified_at = notified_at - interval '1 minute' where id = ?`,
      [id],
    );
    await worker.real.sweepNotifications();
    await until(id, { status: 'failed' });
    expect(await balanceOf(db, rich, 'XOF', 'sandbox')).toBe(999_999_999_999_900n);
  });
});

describe('the gateway says that it has made a refund which had failed', () => {
  it('is told to operators, and the books name it', async () => {
    willFailWith(new GatewayError('refused', 'unknown payment'));
    const { id, handle } = await refund();
    expect(await handle.result()).toBe('failed');
    const { owner } = worker.database;
    await owner.raw(
      `update refunds set gateway_refund_id = ?, notified_at = clock_timestamp() where id = ?`,
      [`re of refund/${id}`, id],
    );
    refunds.set(`re of refund/${id}`, stateOf('succeeded', `re of refund/${id}`));
    expect(await (await wake(id)).result()).toBe('failed');
    expect(log).toContainEqual(
      expect.objectContaining({ part: 'refunds', error: expect.stringContaining('has made') }),
    );
    await expect(expectBooksHold(worker.database.db)).rejects.toThrow('gateway gave money away');
    await settleLoss(worker.database, (await getRefund(worker.database.db, id)).reference);
  });
});

it('has a key for each refund, and none is used twice', async () => {
  const intent = await pay();
  const ids = await Promise.all(
    [1, 2, 3].map(() =>
      ordered(worker.database.db, intent, { amount_minor: '100000', id: randomUUID() }),
    ),
  );
  const handles = await Promise.all(ids.map(wake));
  expect(await Promise.all(handles.map((handle) => handle.result()))).toEqual(
    Array(3).fill('succeeded'),
  );
  expect(new Set(asked.map(({ idempotency_key }) => idempotency_key)).size).toBe(3);
});
