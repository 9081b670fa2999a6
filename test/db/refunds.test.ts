// Refunds in the database: the cap, the reservation, and what each answer of a gateway books.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Client } from 'pg';
import type { NewIntent } from '../../db/payment-intents/intents';
import {
  beginAskingPaymentRefund,
  getRefund,
  notePaymentRefundNotice,
  recordPaymentRefundAnswer,
  recordPaymentRefundFault,
  type RefundAsk,
} from '../../db/refunds/refunds';
import { findPursued, listStalled } from '../../db/pursuits';
import { verifyLedger } from '../../db/verify/verify';
import type { RefundStatus } from '../../domain/refund';
import { auditOf } from '../support/audit';
import { expectBooksHold } from '../support/books';
import { disputeOf, say } from '../support/disputes';
import { settleLoss } from '../support/losses';
import { openSession, pastLock, untilSessionsWait, whileUncommitted } from '../support/database';
import { movedBy } from '../support/postings';
import { accept, acceptIntent, askedLongAgo, openIntent, setUpRefunds } from '../support/refunds';
import { buildUser } from '../support/users';
import { freezeAccount } from '../../db/accounts/users';
import type { ApprovalNeeded } from '../../use-cases/approvals';
import { failUnmadeRefund, type EndedRefund } from '../../use-cases/refunds/by-operator';

const world = setUpRefunds();
const { database, merchant, pay, wallet, receive, order, ordered, refund, answer, notice } = world;

afterEach(() => expectBooksHold(database.db));

const get = (id: string) => getRefund(database.db, id);
const ask = (id: string) => beginAskingPaymentRefund(database.db, id);
const NOTHING_TOLD = { refund_id: null, detail: null, failure: null };
const recordAnswer = (
  id: string,
  asked: Pick<RefundAsk, 'asks'>,
  status: RefundStatus,
  more = {},
) => recordPaymentRefundAnswer(database.db, id, asked, { ...NOTHING_TOLD, status, ...more });
const recordFault = (id: string, asked: Pick<RefundAsk, 'asks'>) =>
  recordPaymentRefundFault(database.db, id, asked, { fault: 'out of date', nothing_done: true });
const disputed = (intent: NewIntent, fields: Parameters<typeof disputeOf>[2] = {}) =>
  disputeOf(database, intent, fields);

const detailOf = async (id: string): Promise<unknown> =>
  (await database.owner('refunds').where({ id }).first('detail')).detail;

const refunded = async ({ id }: Pick<NewIntent, 'id'>): Promise<bigint> =>
  (await database.owner('payment_intents').where({ id }).first('refunded_minor')).refunded_minor;

const moved = async (id: string) => movedBy(database, (await get(id)).reference);

const eventsOf = (refund_id: string): Promise<string[]> =>
  database.owner('events').where({ refund_id }).orderBy('sequence').pluck('type');

/** The gateway notifies of what it names in this way. */
const noticed = async (id: string, by: object, gateway = 'sandbox'): Promise<string[]> => {
  const { provider_payment_id } = await get(id);
  const about = { refund_id: 're_x', reference: null, environment: 'sandbox', ...by } as const;
  return notePaymentRefundNotice(database.db, gateway, { provider_payment_id, ...about });
};

/** The books have it as the money that the gateway gave twice, until it is settled. */
async function settle(id: string): Promise<void> {
  const { reference } = await get(id);
  expect(await verifyLedger(database.db)).toEqual([
    expect.objectContaining({ invariant: 'I17', reference }),
  ]);
  await settleLoss(database, reference);
}

describe('the order of a refund', () => {
  it('finds no payment of another account, nor of the other environment', async () => {
    const intent = await pay();
    const stranger = await buildUser(database.db);
    await expect(order(intent, { user_id: stranger.id })).rejects.toThrow('no rows');
    await expect(order(intent, { environment: 'live' })).rejects.toThrow('no rows');
    expect(await refunded(intent)).toBe(0n);
  });

  it('is kept back by a dispute of what ended the intent alone, not of its other payments', async () => {
    const intent = await pay();
    const settled = (await disputed(intent)).state.provider_payment_id;
    const second = await receive(intent);
    await accept(database, second, false);
    await say(database.db, await disputed(intent, { provider_payment_id: second }));
    expect(await order(intent, { amount_minor: '100' })).toMatchObject({ outcome: 'created' });
    await say(database.db, await disputed(intent, { provider_payment_id: settled }));
    expect(await order(intent, { amount_minor: '100' })).toMatchObject({
      outcome: 'payment_disputed',
    });
  });
});

describe('the edges of a refund', () => {
  it('are enforced, and no end is without its event', async () => {
    const id = await refund();
    const set = (status: string) =>
      database.owner.raw(
        `update refunds set status = ?, gateway_refund_id = 're', failure = null where id = ?`,
        [status, id],
      );
    await expect(set('succeeded')).rejects.toThrow('has no event for its end');
    await answer(id, 'failed');
    await expect(set('pending')).rejects.toThrow('cannot go from failed to pending');
  });
});

describe('what a gateway says', () => {
  it.each<[RefundStatus[], RefundStatus, Record<string, bigint>, string[]]>([
    [[], 'pending', { wallet: -500_000n, refunds: 500_000n }, []],
    [['pending', 'pending'], 'pending', { wallet: -500_000n, refunds: 500_000n }, []],
    [['succeeded'], 'succeeded', { wallet: -500_000n, gateway_clearing: 500_000n }, ['succeeded']],
    [
      ['pending', 'succeeded', 'succeeded', 'pending'],
      'succeeded',
      { wallet: -500_000n, gateway_clearing: 500_000n },
      ['succeeded'],
    ],
    [['failed'], 'failed', {}, ['failed']],
    [['pending', 'failed', 'failed'], 'failed', {}, ['failed']],
    [['succeeded', 'failed'], 'failed', {}, ['succeeded', 'failed']],
    [['succeeded', 'failed', 'pending'], 'failed', {}, ['succeeded', 'failed']],
  ])('%p makes it %s', async (answers, status, money, events) => {
    const id = await refund();
    for (const one of answers) {
      await notice(id);
      await answer(id, one);
    }
    expect((await get(id)).status).toBe(status);
    expect(await moved(id)).toEqual(money);
    expect(await eventsOf(id)).toEqual(events.map((one) => `refund.${one}`));
    // It is asked about until it has ended, here and at the gateway.
    const is_asked = status === 'pending' || (status === 'failed' && answers.at(-1) === 'pending');
    expect(await ask(id)).toEqual(is_asked ? expect.anything() : undefined);
  });

  it('locks its payment before the refund, and no payment beside it', async () => {
    const [intent, beside] = [await pay(), await pay()];
    const id = await ordered(intent);
    const of = (one: NewIntent) => (session: Client) =>
      session.query('select from payment_intents where id = $1 for update', [one.id]);
    expect(await pastLock(database, of(beside), () => answer(id, 'pending'))).toBe('pending');
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await of(intent)(session);
    const answered = answer(id, 'succeeded');
    await untilSessionsWait(database, 1);
    await session.query('select from refunds where id = $1 for update nowait', [id]);
    await session.query('commit');
    expect(await answered).toBe('succeeded');
  });

  it('is not that it could not be asked, once it has ended', async () => {
    const id = await refund();
    await answer(id, 'succeeded', { detail: 'made' });
    await recordFault(id, { asks: 1 });
    expect(await detailOf(id)).toBe('made');
  });

  it('of another refund stands with the one that was asked about alone', async () => {
    const intent = await pay();
    const part = { amount_minor: '100000' };
    const [id, beside] = [await ordered(intent, part), await ordered(intent, part)];
    for (const one of [id, beside]) await answer(one, 'pending');
    await answer(id, 'failed', { refund_id: 're_of_another' });
    const told = database.owner('refunds').where({ intent_id: intent.id }).whereNotNull('detail');
    expect(await told.pluck('id')).toEqual([id]);
  });

  it('is dropped when somebody has asked again since', async () => {
    const id = await refund();
    const first = (await ask(id))!;
    const second = (await ask(id))!;
    expect([first.asks, second.asks]).toEqual([1, 2]);
    const failed = { detail: 'no', failure: { code: 'refund_refused', message: 'no' } };
    expect(await recordAnswer(id, first, 'failed', failed)).toBe('pending');
    await recordFault(id, first);
    expect(await detailOf(id)).toBeNull();
    expect(await recordAnswer(id, second, 'succeeded', { refund_id: 're_1' })).toBe('succeeded');
  });

  it('is later than a question that is not committed yet: the order of that one may exist', async () => {
    const id = await refund();
    const asked = await whileUncommitted(
      database,
      (session) =>
        session.query(
          `update refunds r set asks = 1, asked_at = x.at, send_begun_at = x.at
             from (select clock_timestamp() + interval '1 minute' as at) x where r.id = $1`,
          [id],
        ),
      () => ask(id),
    );
    expect(asked).toMatchObject({ asks: 2, may_exist: true });
  });

  it('is not asked about a refund that has ended, until it notifies', async () => {
    const intent = await pay();
    const id = await ordered(intent);
    await answer(id, 'succeeded');
    expect(await ask(id)).toBeUndefined();
    expect(await noticed(id, { refund_id: 'another' })).toEqual([]);
    const ours = { refund_id: `re_${id}` };
    expect(await noticed(id, ours, 'stripe')).toEqual([]);
    expect(await noticed(id, { ...ours, environment: 'live' })).toEqual([]);
    expect(await noticed(id, ours)).toEqual([id]);
    expect((await ask(id))?.gateway_refund_id).toBe(`re_${id}`);
  });

  it('is asked about one refund, when the notice says which of many it is about', async () => {
    const intent = await pay();
    const ids = await Promise.all(
      [1, 2, 3].map((part) => ordered(intent, { amount_minor: `${part}00` })),
    );
    const named = (reference: string | null) => noticed(ids[1]!, { reference });
    expect(await named((await get(ids[1]!)).reference)).toEqual([ids[1]]);
    expect(await named('RFD-OF-ANOTHER-SERVICE')).toEqual([]);
    expect((await named(null)).sort()).toEqual([...ids].sort());
  });

  it('leaves a refund pending when the wallet is too full to take its money back', async () => {
    const id = await refund();
    await fillWallet();
    expect(await answer(id, 'failed', { detail: 'the card is gone' })).toBe('pending');
    expect(await detailOf(id)).toBe(
      'It failed, and the wallet is too full to take it back: the card is gone',
    );
  });
});

async function fillWallet(): Promise<void> {
  await database.owner.raw(
    `select post_adjustment('ADJ-' || upper(replace(?, '-', '')), ?, 'sandbox', 'XOF',
       'sandbox_source', 999999999999900, 'full')`,
    [randomUUID(), merchant.id],
  );
}

describe('an operator who has found that the gateway made none', () => {
  const REASON = 'the account there is closed';

  async function fail(
    id: string,
    gateway_refund: string | null = null,
  ): Promise<EndedRefund | ApprovalNeeded> {
    await askedLongAgo(database, id);
    const refund = await get(id);
    const by = { db: database.operator, actor: 'awa' };
    return failUnmadeRefund(by, refund, { reason: REASON, gateway_refund });
  }

  it('ends it: the merchant has the money and the event, once', async () => {
    const intent = await pay();
    const id = await ordered(intent, { amount_minor: '120000' });
    const answers = await Promise.all([fail(id), fail(id), fail(id)]);
    const again = { ok: false, error: 'failed' };
    expect(answers.sort((one, other) => Number(other.ok) - Number(one.ok))).toEqual([
      { ok: true },
      again,
      again,
    ]);
    const { status, failure } = await get(id);
    expect([status, failure]).toEqual(['failed', { code: 'refund_refused', message: REASON }]);
    expect([await wallet(), await refunded(intent), await moved(id)]).toEqual([500_000n, 0n, {}]);
    expect(await eventsOf(id)).toEqual(['refund.failed']);
    const details = expect.objectContaining({ amount: '1200.00', reason: REASON });
    expect(await auditOf(database, `refund/${id}`)).toEqual([
      { actor: 'awa', action: 'refunds.fail', details },
    ]);
  });

  it.each(['succeeded', 'failed'] as const)('changes nothing of one that has %s', async (end) => {
    const id = await refund();
    await answer(id, end);
    const { asked_for_ms: _, ...before } = await get(id);
    expect(await fail(id)).toEqual({ ok: false, error: end });
    expect(await get(id)).toMatchObject(before);
    expect(await eventsOf(id)).toEqual([`refund.${end}`]);
  });

  it('has nobody order it again, and learns when the gateway has made it all the same', async () => {
    const id = await refund();
    const under_way = (await ask(id))!;
    expect(await fail(id)).toMatchObject({ ok: true });
    await notice(id);
    expect(await ask(id)).toBeUndefined();
    const made = { refund_id: 're_late' };
    expect(await recordAnswer(id, under_way, 'succeeded', made)).toBe('failed');
    expect(await wallet()).toBe(500_000n);
    await settle(id);
  });

  it('learns of it by a notice, when the answer was lost, and it is not ordered again', async () => {
    const id = await refund();
    await ask(id);
    expect(await fail(id)).toMatchObject({ ok: true });
    const named = (reference: string | null) => noticed(id, { refund_id: 're_lost', reference });
    expect(await named(null)).toEqual([]);
    expect(await named((await get(id)).reference)).toEqual([id]);
    expect(await ask(id)).toMatchObject({ gateway_refund_id: 're_lost' });
    expect(await answer(id, 'succeeded', { refund_id: 're_lost' })).toBe('failed');
    await settle(id);
  });

  it('goes on asking about one that the gateway is about to make all the same', async () => {
    const id = await refund();
    const under_way = (await ask(id))!;
    expect(await fail(id)).toMatchObject({ ok: true });
    await recordAnswer(id, under_way, 'pending', { refund_id: 're_late', detail: 'slow' });
    expect(await answer(id, 'pending', { refund_id: 're_late' })).toBe('failed');
    expect(await answer(id, 'failed', { refund_id: 're_late' })).toBe('failed');
    expect(await ask(id)).toBeUndefined();
    expect(await wallet()).toBe(500_000n);
  });

  it('has to name a refund that the gateway has, and it is not asked about any more', async () => {
    const id = await refund();
    await answer(id, 'pending', { refund_id: 're_1' });
    await notice(id);
    for (const named of [null, 're_2']) {
      expect(await fail(id, named)).toEqual({ ok: false, error: 'at_gateway' });
    }
    expect(await wallet()).toBe(0n);
    expect(await fail(id, 're_1')).toMatchObject({ ok: true });
    expect((await get(id)).failure).toEqual({ code: 'refund_failed', message: REASON });
    expect(await ask(id)).toBeUndefined();
  });

  it('is told nothing new by a question from before that finds it pending still', async () => {
    const id = await refund();
    await answer(id, 'pending', { refund_id: 're_1' });
    const under_way = (await ask(id))!;
    expect(await fail(id, 're_1')).toMatchObject({ ok: true });
    const pending = { refund_id: 're_1', detail: 'slow' };
    expect(await recordAnswer(id, under_way, 'pending', pending)).toBe('failed');
    expect(await ask(id)).toBeUndefined();
    // An answer of the gateway after a notice counts.
    await notice(id);
    expect(await answer(id, 'pending', pending)).toBe('failed');
    expect(await detailOf(id)).toBe('slow');
    expect(await ask(id)).toMatchObject({ gateway_refund_id: 're_1' });
    expect(await answer(id, 'failed', { refund_id: 're_1' })).toBe('failed');
  });

  it('learns by a question from before that the gateway has made the one that it had', async () => {
    const id = await refund();
    await answer(id, 'pending', { refund_id: 're_1' });
    const under_way = (await ask(id))!;
    expect(await fail(id, 're_1')).toMatchObject({ ok: true });
    await recordAnswer(id, under_way, 'succeeded', { refund_id: 're_1' });
    await settle(id);
  });

  it('is told when the wallet is too full, and nothing is done', async () => {
    const id = await refund();
    const { asked_for_ms: _, ...before } = await get(id);
    await fillWallet();
    expect(await fail(id)).toEqual({ ok: false, error: 'limit_exceeded' });
    expect(await get(id)).toMatchObject(before);
  });
});

describe('an intent that an operator ended with another amount', () => {
  it.each([300_000n, 800_000n])(
    'gives back the %s minor units that arrived, of the payment that brought them',
    async (arrived) => {
      const intent = await acceptIntent(database, merchant, arrived);
      expect(await order(intent, { amount_minor: `${arrived + 100n}` })).toMatchObject({
        outcome: 'refund_exceeds_payment',
        left_minor: arrived,
      });
      // A second payment adds nothing, neither while it is held nor as a deposit.
      const second = await receive(intent);
      const part = await ordered(intent, { amount_minor: '100000' });
      await accept(database, second, false);
      const rest = await ordered(intent);
      expect(await order(intent)).toMatchObject({
        outcome: 'refund_exceeds_payment',
        left_minor: 0n,
      });
      expect((await get(rest)).amount_minor).toBe(arrived - 100_000n);
      expect((await get(rest)).provider_payment_id).not.toBe(second);
      expect(await wallet()).toBe(500_000n);
      await answer(part, 'succeeded');
      await answer(rest, 'failed');
      expect([await refunded(intent), await wallet()]).toEqual([100_000n, 400_000n + arrived]);
    },
  );

  it('and one that was paid after a wrong amount gives back the payment that ended it', async () => {
    const intent = await openIntent(database.db, merchant);
    await accept(database, await receive(intent, 300_000n), false);
    expect(await order(intent)).toMatchObject({
      outcome: 'payment_intent_not_refundable',
      intent_status: 'open',
    });
    const right = await receive(intent);
    const { amount_minor, provider_payment_id } = await get(await ordered(intent));
    expect([amount_minor, provider_payment_id]).toEqual([500_000n, right]);
  });
});

describe('a frozen account', () => {
  it('refunds nothing, and gets back what its pending refunds fail to give', async () => {
    const intent = await pay();
    const id = await ordered(intent, { amount_minor: '100000' });
    await freezeAccount(database.operator, merchant.id, 'tests', 'test');
    expect(await order(intent)).toMatchObject({ outcome: 'account_frozen' });
    expect(await refunded(intent)).toBe(100_000n);
    await answer(id, 'failed');
    expect([await refunded(intent), await wallet()]).toEqual([0n, 500_000n]);
  });
});

describe('any refunds of any payments, with any answers', () => {
  interface Step {
    readonly kind: 'order' | 'answer' | 'again';
    readonly which: number;
    readonly amount: number | null;
    readonly status: RefundStatus;
  }
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom('order', 'order', 'answer', 'answer', 'again'),
    which: fc.nat(20),
    amount: fc.option(fc.integer({ min: 1, max: 60 }), { freq: 3 }),
    status: fc.constantFrom('pending', 'succeeded', 'succeeded', 'failed'),
  });

  it('give back no more than was paid, and every unit is somewhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const payer = await buildUser(database.db);
        const intents = [await pay({}, payer), await acceptIntent(database, payer, 300_000n)];
        const paid = [500_000n, 300_000n];
        const model = intents.map(() => new Map<string, { amount: bigint; status: string }>());
        const sum = (at: number, ...statuses: string[]): bigint =>
          [...model[at]!.values()]
            .filter(({ status }) => statuses.includes(status))
            .reduce((total, { amount }) => total + amount, 0n);
        for (const { kind, which, amount, status } of steps) {
          const at = which % 2;
          const ids = [...model[at]!.keys()];
          if (kind === 'order' || ids.length === 0) {
            const left = paid[at]! - sum(at, 'pending', 'succeeded');
            const asked = amount === null ? left : BigInt(amount) * 10_000n;
            const id = randomUUID();
            const amount_minor = amount === null ? null : String(asked);
            const { outcome } = await order(intents[at]!, { id, amount_minor });
            const fits = asked <= left && left > 0n;
            expect(outcome).toBe(fits ? 'created' : 'refund_exceeds_payment');
            if (fits) model[at]!.set(id, { amount: asked, status: 'pending' });
          } else {
            const id = ids[which % ids.length]!;
            const one = model[at]!.get(id)!;
            if (kind === 'again') await notice(id);
            const now = await answer(id, status);
            if (now === undefined) continue;
            // A failed refund stays so: the money is the merchant's again.
            if (one.status === 'failed' && status === 'succeeded') {
              await database.owner('refunds').where({ id }).update({ gateway_status: 'failed' });
            } else if (status !== 'pending' && one.status !== 'failed') {
              if (one.status === 'pending' || status === 'failed') one.status = status;
            }
            expect(now).toBe(one.status);
          }
        }
        for (const [at, intent] of intents.entries()) {
          expect(await refunded(intent)).toBe(sum(at, 'pending', 'succeeded'));
        }
        const out = [0, 1].reduce((total, at) => total + sum(at, 'pending', 'succeeded'), 0n);
        expect(await wallet(payer)).toBe(800_000n - out);
        await expectBooksHold(database.db);
      }),
      { numRuns: 25 },
    );
  });
});

describe('many at once', () => {
  it('never give back more than was paid, nor deadlock with answers and payments', async () => {
    const intents = await Promise.all(Array.from({ length: 4 }, () => pay()));
    const outcomes = await Promise.all(
      intents.flatMap((intent) =>
        Array.from({ length: 6 }, async (_, n) => {
          const id = randomUUID();
          const { outcome } = await order(intent, { id, amount_minor: '200000' });
          if (outcome === 'created') {
            await answer(id, n % 2 === 0 ? 'succeeded' : 'failed');
          }
          return outcome;
        }).concat(pay().then(() => 'created' as const)),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'created').length).toBeGreaterThan(11);
    for (const intent of intents) expect(await refunded(intent)).toBeLessThanOrEqual(500_000n);
    await expectBooksHold(database.db);
  });
});

describe('refunds that nobody follows', () => {
  const AT_ONCE = { ordered_ms: 0, asked_ms: 0, pending_ms: 0, notified_ms: 0 };
  const NEVER = { ordered_ms: 1e9, asked_ms: 1e9, pending_ms: 1e9, notified_ms: 1e9 };
  const stalled = async (after: typeof AT_ONCE, id: string): Promise<boolean> =>
    (await listStalled(database.db, 'refund', 1_000, after)).includes(id);

  it('are found by how long nobody has asked, each kind by its own time', async () => {
    const id = await refund();
    expect(await stalled({ ...NEVER, ordered_ms: 0 }, id)).toBe(true);
    expect(await stalled({ ...AT_ONCE, ordered_ms: 1e9 }, id)).toBe(false);
    await ask(id);
    expect(await stalled({ ...NEVER, asked_ms: 0 }, id)).toBe(true);
    expect(await stalled({ ...AT_ONCE, asked_ms: 1e9 }, id)).toBe(false);
    await answer(id, 'pending');
    expect(await stalled({ ...NEVER, pending_ms: 0 }, id)).toBe(true);
    await answer(id, 'succeeded');
    expect(await stalled(AT_ONCE, id)).toBe(false);
    await notice(id);
    expect(await stalled({ ...NEVER, notified_ms: 0 }, id)).toBe(true);
    const [found] = await findPursued(database.db, 'refund', [id]);
    expect(found).toMatchObject({ id, username: merchant.username, amount_minor: '500000' });
    await answer(id, 'succeeded');
  });

  it('are looked at in turns, those about which the gateway says nothing too', async () => {
    const intent = await pay();
    const ids: string[] = [];
    for (const amount_minor of ['100', '200', '300']) {
      ids.push(await ordered(intent, { amount_minor }));
    }
    const next = async (): Promise<string> => {
      const found = await listStalled(database.db, 'refund', 1_000, AT_ONCE);
      const id = found.find((one) => ids.includes(one))!;
      await ask(id);
      return id;
    };
    expect([await next(), await next(), await next(), await next()]).toEqual([...ids, ids[0]]);
    for (const id of ids) await answer(id, 'succeeded');
  });
});
