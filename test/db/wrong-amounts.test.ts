// Money that is not what an intent asked for: it is told on the intent, and an operator may end the intent
// with it. The whole of it is random, and what must always hold is checked after each story.

import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { approveRequest, requestApproval } from '../../db/operators/approvals';
import { createIntent, getIntent, type NewIntent } from '../../db/payment-intents/intents';
import { findIntent } from '../../db/payment-intents/intent-views';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import { acceptForIntent, listSuspense, type SuspenseItem } from '../../db/suspense/suspense';
import type { PaymentNotification } from '../../domain/payment';
import { acceptItem } from '../../use-cases/suspense';
import { auditOf } from '../support/audit';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { createTestDatabase, limitOperators, setUp, whileUncommitted } from '../support/database';
import { buildUser } from '../support/users';
import {
  buildNewIntent,
  expireAtOnce,
  FAILURE,
  notificationOf,
  letExpire,
  openAtOnce,
} from '../workflows/intents';
import { setFees } from '../support/fees';

const PAY_URL = 'https://pay.example.com';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));

afterEach(async () => {
  await limitOperators(database, null);
  await setFees(database.owner);
  await expectBooksHold(database.db);
});

/** 5000 XOF. */
async function open(fields: Partial<NewIntent> = {}): Promise<NewIntent> {
  const intent = buildNewIntent(merchant, 'sandbox', fields);
  await createIntent(database.db, intent);
  const checkout_url = `https://gateway.example.com/${intent.id}`;
  const checkout = { session_id: `cs_${intent.id}`, checkout_url, lapses_at: null };
  await openAtOnce(database.db, intent.id, checkout);
  return intent;
}

async function receive(
  intent: NewIntent,
  amount_minor: bigint,
  fields: Partial<PaymentNotification> = {},
): Promise<string> {
  const notification = notificationOf(intent, { amount_minor: `${amount_minor}`, ...fields });
  const { id } = await storeNotification(database.db, 'sandbox', notification, Buffer.from('{}'));
  return (await applyNotification(database.db, id, PAY_URL)).outcome;
}

/** Oldest first. */
async function itemsOf({ id }: NewIntent): Promise<SuspenseItem[]> {
  const newest_first = await listSuspense(database.db, true);
  return newest_first.filter(({ intent_id }) => intent_id === id).reverse();
}

const closingBy = (actor: string) => ({
  db: database.operator,
  actor,
  closes_intent: { pay_url_base: PAY_URL },
});

async function shown({ id }: NewIntent): Promise<Record<string, unknown>> {
  const scope = { user_id: merchant.id, environment: 'sandbox', pay_url_base: PAY_URL } as const;
  const view = await findIntent(database.db, scope, { id });
  return JSON.parse(view!.json) as Record<string, unknown>;
}

describe('an intent that got another amount', () => {
  it('says so, and how much has arrived', async () => {
    const intent = await open();
    expect(await shown(intent)).toMatchObject({ amount_received: null, last_payment_error: null });
    expect(await receive(intent, 499_900n)).toBe('suspense');
    expect(await shown(intent)).toMatchObject({
      status: 'open',
      amount: 5_000,
      amount_received: 4_999,
      last_payment_error: {
        code: 'amount_mismatch',
        message: '4999.00 XOF arrived instead of 5000.00 XOF.',
      },
    });
    // Another currency is told, and is not counted.
    await receive(intent, 700n, { currency: 'EUR' });
    expect(await shown(intent)).toMatchObject({
      amount_received: 4_999,
      last_payment_error: {
        code: 'currency_mismatch',
        message: '7.00 EUR arrived instead of 5000.00 XOF.',
      },
    });
    // The right amount after all, and once more when it is too late for any.
    expect(await receive(intent, 500_000n)).toBe('succeeded');
    expect(await shown(intent)).toMatchObject({
      status: 'succeeded',
      amount_received: 9_999,
      net_amount: 5_000,
      last_payment_error: null,
    });
    await receive(intent, 500_000n);
    expect(await shown(intent)).toMatchObject({ amount_received: 14_999, net_amount: 5_000 });
  });

  it('is told by its event what had arrived with it', async () => {
    const intent = await open();
    await receive(intent, 100n);
    await receive(intent, 500_000n);
    expect(await eventOf(intent)).toMatchObject({ data: await shown(intent) });
  });
});

async function eventOf({ id }: NewIntent): Promise<Record<string, unknown>> {
  const { rows } = await database.owner.raw('select body from events where intent_id = ?', [id]);
  expect(rows).toHaveLength(1);
  return JSON.parse(rows[0].body as string) as Record<string, unknown>;
}

const historyOf = ({ id }: NewIntent): Promise<unknown[]> =>
  database
    .owner('transactions')
    .where({ related: id })
    .select('id', 'reference', 'type', 'amount_minor', 'fee_minor', 'description');

describe('accepting an item for its intent', () => {
  it.each([499_900n, 500_100n])(
    'ends the intent with %s minor units: ledger, history, event and answers agree',
    async (amount_minor) => {
      // Operators' decisions bear no fee.
      await setFees(database.owner, { percent: 1 });
      const intent = await open({ description: 'Order 1042' });
      await receive(intent, amount_minor);
      const before = await balanceOf(database.db, merchant, 'XOF', 'sandbox');
      const [item] = await itemsOf(intent);
      expect(item!.is_closable).toBe(true);
      const accepted = await acceptItem(closingBy('awa'), item!.id);
      expect(accepted).toMatchObject({ ok: true, reference: intent.reference });
      const view = await shown(intent);
      const amount = Number(amount_minor) / 100;
      expect(view).toMatchObject({
        status: 'succeeded',
        amount: 5_000,
        amount_received: amount,
        net_amount: amount,
        fee: 0,
        last_payment_error: null,
        transaction_id: expect.any(String),
        succeeded_at: expect.any(String),
      });
      expect(await eventOf(intent)).toMatchObject({ type: 'payment.succeeded', data: view });
      expect(await historyOf(intent)).toEqual([
        {
          id: view['transaction_id'],
          reference: intent.reference,
          type: 'deposit',
          amount_minor,
          fee_minor: 0n,
          description: 'Order 1042',
        },
      ]);
      const balance = await balanceOf(database.db, merchant, 'XOF', 'sandbox');
      expect(balance - before).toBe(amount_minor);
      expect(await acceptItem(closingBy('awa'), item!.id)).toEqual({
        ok: false,
        error: 'accepted',
      });
      // A payment that comes now is too late for it.
      expect(await receive(intent, 500_000n)).toBe('suspense');
      expect(await itemsOf(intent)).toMatchObject([{}, { reason: 'second_payment' }]);
    },
  );

  it('leaves a row in the audit log that names the intent', async () => {
    const intent = await open();
    await receive(intent, 100n);
    const [item] = await itemsOf(intent);
    await acceptItem(closingBy('awa'), item!.id);
    const details = { closes_intent: intent.id, reference: intent.reference };
    expect(await auditOf(database, `suspense/${item!.id}`)).toEqual([
      { actor: 'awa', action: 'suspense.accept', details: expect.objectContaining(details) },
    ]);
  });

  it('is refused when the intent has ended, or has another currency: nothing moves', async () => {
    const [expired, other] = [await open(), await open()];
    await letExpire(database, expired);
    await expireAtOnce(database.db, expired.id);
    await receive(expired, 500_000n);
    await receive(other, 700n, { currency: 'EUR' });
    for (const intent of [expired, other]) {
      const [item] = await itemsOf(intent);
      expect(item!.is_closable).toBe(false);
      expect(await acceptItem(closingBy('awa'), item!.id)).toEqual({
        ok: false,
        error: 'not_closable',
      });
      expect((await itemsOf(intent))[0]!.status).toBe('held');
    }
  });

  it('tells of the intent as it is when it has changed meanwhile', async () => {
    const intent = await open();
    await receive(intent, 100n);
    const [item] = await itemsOf(intent);
    await whileUncommitted(
      database,
      (session) =>
        session.query("update payment_intents set description = 'changed' where id = $1", [
          intent.id,
        ]),
      () => acceptForIntent(database.operator, item!.id, 'awa', PAY_URL),
    );
    expect((await eventOf(intent))['data']).toEqual(await shown(intent));
    expect(await shown(intent)).toMatchObject({ status: 'succeeded', description: 'changed' });
  });

  it('above the limit waits for a second operator, who ends the intent, once', async () => {
    await limitOperators(database, 0n);
    const intent = await open();
    await receive(intent, 100n);
    const [item] = await itemsOf(intent);
    const asked = await acceptItem(closingBy('awa'), item!.id);
    expect(asked).toMatchObject({ ok: false, error: 'approval_required' });
    const { approval } = asked as { approval: string };
    expect((await shown(intent))['status']).toBe('open');
    // The same item without its intent is another decision.
    const plain = { action: 'suspense.accept', arguments: { item: item!.id }, reason: '' } as const;
    expect((await requestApproval(database.operator, plain, 'awa')).outcome).toBe('other_waiting');
    const outcomes = await Promise.all(
      ['moussa', 'fatou', 'awa'].map((name) =>
        approveRequest(database.operator, approval, name, PAY_URL),
      ),
    );
    expect(outcomes.filter((one) => one === 'approved').length).toBeGreaterThan(0);
    expect(await shown(intent)).toMatchObject({ status: 'succeeded', amount_received: 1 });
    expect((await eventOf(intent))['data']).toEqual(await shown(intent));
    expect(await historyOf(intent)).toHaveLength(1);
  });

  it('that was approved too late does nothing, and goes on waiting', async () => {
    await limitOperators(database, 0n);
    const intent = await open();
    await receive(intent, 100n);
    const [item] = await itemsOf(intent);
    const asked = (await acceptItem(closingBy('awa'), item!.id)) as { approval: string };
    await receive(intent, 500_000n);
    await expect(
      approveRequest(database.operator, asked.approval, 'moussa', PAY_URL),
    ).rejects.toMatchObject({ code: '23514' });
    expect((await itemsOf(intent))[0]!.status).toBe('held');
  });
});

describe('against everything else that may happen to the intent', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constant('paid' as const),
        amount: fc.constantFrom(500_000n, 499_900n, 100n),
      }),
      fc.record({ kind: fc.constant('failed' as const), amount: fc.constant(500_000n) }),
      fc.record({
        kind: fc.constantFrom('closing' as const, 'plain' as const),
        amount: fc.constant(0n),
      }),
      fc.record({ kind: fc.constant('expired' as const), amount: fc.constant(0n) }),
    ),
    { minLength: 2, maxLength: 8 },
  );

  it('one end, one event, and every unit is in the wallet or held', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (story) => {
        const intent = await open();
        await letExpire(database, intent);
        const before = await balanceOf(database.db, merchant, 'XOF', 'sandbox');
        await receive(intent, 200n);
        const act = async ({ kind, amount }: (typeof story)[number]): Promise<void> => {
          if (kind === 'paid') await receive(intent, amount);
          else if (kind === 'failed') {
            await receive(intent, amount, { type: 'payment.failed', failure: FAILURE });
          } else if (kind === 'expired') await expireAtOnce(database.db, intent.id);
          else {
            const held = (await itemsOf(intent)).find(({ status }) => status === 'held');
            const closing = closingBy(`awa-${randomUUID()}`);
            const { closes_intent, ...plain } = closing;
            if (held)
              await acceptItem(kind === 'closing' ? { ...plain, closes_intent } : plain, held.id);
          }
        };
        // All act at once, as far as the pool allows: the locks decide.
        await Promise.all(story.map(act));
        const { status, received_minor } = await getIntent(database.db, intent.id);
        const items = await itemsOf(intent);
        const sumOf = (list: readonly SuspenseItem[]): bigint =>
          list.reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
        const paid =
          200n + story.reduce((sum, { kind, amount }) => sum + (kind === 'paid' ? amount : 0n), 0n);
        expect(received_minor).toBe(paid);
        const credited = (await balanceOf(database.db, merchant, 'XOF', 'sandbox')) - before;
        expect(credited + sumOf(items.filter((one) => one.status === 'held'))).toBe(paid);
        const told = database.owner('events').where({ intent_id: intent.id }).pluck('type');
        const ended = ['succeeded', 'failed', 'expired'].includes(status);
        expect(await told).toEqual(ended ? [`payment.${status}`] : []);
      }),
      { numRuns: 25 },
    );
  });
});
