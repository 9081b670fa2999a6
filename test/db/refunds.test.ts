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
} from '../../db/refunds/refunds';
import { findPursued, listStalled } from '../../db/pursuits';
import { verifyLedger } from '../../db/verify/verify';
import type { RefundStatus } from '../../domain/refund';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { disputeOf, say } from '../support/disputes';
import { settleLoss } from '../support/losses';
import {
  createTestDatabase,
  openSession,
  pastLock,
  untilSessionsWait,
  whileUncommitted,
  type TestDatabase,
} from '../support/database';
import {
  accept,
  acceptIntent,
  askedLongAgo,
  answer,
  notice,
  openIntent,
  order,
  ordered,
  payIntent,
  receive,
} from '../support/refunds';
import { buildUser, type TestUser } from '../support/users';
import { freezeAccount } from '../../db/accounts/users';
import type { ApprovalNeeded } from '../../use-cases/approvals';
import { failUnmadeRefund, type EndedRefund } from '../../use-cases/refunds/by-operator';

let database: TestDatabase;
let merchant: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
});

beforeEach(async () => {
  merchant = await buildUser(database.db);
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

function wallet(): Promise<bigint> {
  return balanceOf(database.db, merchant, 'XOF', 'sandbox');
}

async function refunded({ id }: Pick<NewIntent, 'id'>): Promise<bigint> {
  const { rows } = await database.owner.raw(
    'select refunded_minor from payment_intents where id = ?',
    [id],
  );
  return (rows as { refunded_minor: bigint }[])[0]!.refunded_minor;
}

/** The amounts that a refund has moved, by kind of account. */
async function moved(id: string): Promise<Record<string, bigint>> {
  const { rows } = await database.owner.raw(
    `select a.kind, sum(e.amount_minor)::bigint as moved from refunds r
       join ledger_transactions t on t.reference = r.reference or t.description = r.reference
       join ledger_entries e on e.transaction_id = t.id
       join ledger_accounts a on a.id = e.account_id
      where r.id = ? group by a.kind having sum(e.amount_minor) <> 0`,
    [id],
  );
  return Object.fromEntries(
    (rows as { kind: string; moved: bigint }[]).map((row) => [row.kind, row.moved]),
  );
}

async function eventsOf(id: string): Promise<string[]> {
  const { rows } = await database.owner.raw(
    'select type from events where refund_id = ? order by sequence',
    [id],
  );
  return (rows as { type: string }[]).map(({ type }) => type);
}

describe('the order of a refund', () => {
  it('finds no payment of another account, nor of the other environment', async () => {
    const { db } = database;
    const intent = await payIntent(db, merchant);
    const stranger = await buildUser(db);
    await expect(order(db, intent, { user_id: stranger.id })).rejects.toThrow('no rows');
    await expect(order(db, intent, { environment: 'live' })).rejects.toThrow('no rows');
    expect(await refunded(intent)).toBe(0n);
  });

  it('is kept back by a dispute of what ended the intent alone, not of its other payments', async () => {
    const { db } = database;
    const intent = await payIntent(db, merchant);
    const settled = (await disputeOf(database, intent)).state.provider_payment_id;
    const second = await receive(db, intent);
    await accept(database, second, false);
    await say(db, await disputeOf(database, intent, { provider_payment_id: second }));
    expect(await order(db, intent, { amount_minor: '100' })).toMatchObject({ outcome: 'created' });
    await say(db, await disputeOf(database, intent, { provider_payment_id: settled }));
    expect(await order(db, intent, { amount_minor: '100' })).toMatchObject({
      outcome: 'payment_disputed',
    });
  });
});

describe('the edges of a refund', () => {
  it('are enforced, and no end is without its event', async () => {
    const id = await ordered(database.db, await payIntent(database.db, merchant));
    const set = (status: string) =>
      database.owner.raw(
        `update refunds set status = ?, gateway_refund_id = 're', failure = null where id = ?`,
        [status, id],
      );
    await expect(set('succeeded')).rejects.toThrow('has no event for its end');
    await answer(database.db, id, 'failed');
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
    const id = await ordered(database.db, await payIntent(database.db, merchant));
    for (const one of answers) {
      await notice(database.owner, id);
      await answer(database.db, id, one);
    }
    expect((await getRefund(database.db, id)).status).toBe(status);
    expect(await moved(id)).toEqual(money);
    expect(await eventsOf(id)).toEqual(events.map((one) => `refund.${one}`));
    // It is asked about until it has ended, here and at the gateway.
    const is_asked = status === 'pending' || (status === 'failed' && answers.at(-1) === 'pending');
    expect(await beginAskingPaymentRefund(database.db, id)).toEqual(
      is_asked ? expect.anything() : undefined,
    );
  });

  it('locks its payment before the refund, and no payment beside it', async () => {
    const { db } = database;
    const [intent, beside] = [await payIntent(db, merchant), await payIntent(db, merchant)];
    const id = await ordered(db, intent);
    const of = (one: NewIntent) => (session: Client) =>
      session.query('select from payment_intents where id = $1 for update', [one.id]);
    expect(await pastLock(database, of(beside), () => answer(db, id, 'pending'))).toBe('pending');
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await of(intent)(session);
    const answered = answer(db, id, 'succeeded');
    await untilSessionsWait(database, 1);
    await session.query('select from refunds where id = $1 for update nowait', [id]);
    await session.query('commit');
    expect(await answered).toBe('succeeded');
  });

  it('is not that it could not be asked, once it has ended', async () => {
    const { db } = database;
    const id = await ordered(db, await payIntent(db, merchant));
    await answer(db, id, 'succeeded', { detail: 'made' });
    const fault = { fault: 'out of date', nothing_done: true };
    await recordPaymentRefundFault(db, id, { asks: 1 }, fault);
    const { rows } = await database.owner.raw('select detail from refunds where id = ?', [id]);
    expect(rows).toEqual([{ detail: 'made' }]);
  });

  it('of another refund stands with the one that was asked about alone', async () => {
    const { db } = database;
    const intent = await payIntent(db, merchant);
    const part = { amount_minor: '100000' };
    const [id, beside] = [await ordered(db, intent, part), await ordered(db, intent, part)];
    for (const one of [id, beside]) await answer(db, one, 'pending');
    await answer(db, id, 'failed', { refund_id: 're_of_another' });
    const { rows } = await database.owner.raw(
      'select id from refunds where intent_id = ? and detail is not null',
      [intent.id],
    );
    expect(rows).toEqual([{ id }]);
  });

  it('is dropped when somebody has asked again since', async () => {
    const id = await ordered(database.db, await payIntent(database.db, merchant));
    const first = (await beginAskingPaymentRefund(database.db, id))!;
    const second = (await beginAskingPaymentRefund(database.db, id))!;
    expect([first.asks, second.asks]).toEqual([1, 2]);
    const reply = { status: 'failed', refund_id: null, detail: 'no' } as const;
    const failed = { ...reply, failure: { code: 'refund_refused', message: 'no' } } as const;
    const refund = await getRefund(database.db, id);
    const late = await recordPaymentRefundAnswer(database.db, refund.id, first, failed);
    expect(late).toBe('pending');
    const fault = { fault: 'out of date', nothing_done: true };
    await recordPaymentRefundFault(database.db, id, first, fault);
    const { rows } = await database.owner.raw('select detail from refunds where id = ?', [id]);
    expect(rows).toEqual([{ detail: null }]);
    const made = { status: 'succeeded', refund_id: 're_1', detail: null, failure: null } as const;
    const answered = await recordPaymentRefundAnswer(database.db, refund.id, second, made);
    expect(answered).toBe('succeeded');
  });

  it('is later than a question that is not committed yet: the order of that one may exist', async () => {
    const id = await ordered(database.db, await payIntent(database.db, merchant));
    const ask = await whileUncommitted(
      database,
      (session) =>
        session.query(
          `update refunds r set asks = 1, asked_at = x.at, send_begun_at = x.at
             from (select clock_timestamp() + interval '1 minute' as at) x where r.id = $1`,
          [id],
        ),
      () => beginAskingPaymentRefund(database.db, id),
    );
    expect(ask).toMatchObject({ asks: 2, may_exist: true });
  });

  it('is not asked about a refund that has ended, until it notifies', async () => {
    const intent = await payIntent(database.db, merchant);
    const id = await ordered(database.db, intent);
    await answer(database.db, id, 'succeeded');
    expect(await beginAskingPaymentRefund(database.db, id)).toBeUndefined();
    const { provider_payment_id } = await getRefund(database.db, id);
    const about = {
      ...({ environment: 'sandbox', provider_payment_id } as const),
      refund_id: 'another',
      reference: null,
    };
    expect(await notePaymentRefundNotice(database.db, 'sandbox', about)).toEqual([]);
    const ours = { ...about, refund_id: `re_${id}` };
    expect(await notePaymentRefundNotice(database.db, 'stripe', ours)).toEqual([]);
    const live = { ...ours, environment: 'live' } as const;
    expect(await notePaymentRefundNotice(database.db, 'sandbox', live)).toEqual([]);
    expect(await notePaymentRefundNotice(database.db, 'sandbox', ours)).toEqual([id]);
    expect((await beginAskingPaymentRefund(database.db, id))?.gateway_refund_id).toBe(`re_${id}`);
  });

  it('is asked about one refund, when the notice says which of many it is about', async () => {
    const { db } = database;
    const intent = await payIntent(db, merchant);
    const ids = await Promise.all(
      [1, 2, 3].map((part) => ordered(db, intent, { amount_minor: `${part}00` })),
    );
    const { provider_payment_id, reference } = await getRefund(db, ids[1]!);
    const about = { environment: 'sandbox', provider_payment_id, refund_id: 're_x' } as const;
    const named = (by: string | null) =>
      notePaymentRefundNotice(db, 'sandbox', { ...about, reference: by });
    expect(await named(reference)).toEqual([ids[1]]);
    expect(await named('RFD-OF-ANOTHER-SERVICE')).toEqual([]);
    expect((await named(null)).sort()).toEqual([...ids].sort());
  });

  it('leaves a refund pending when the wallet is too full to take its money back', async () => {
    const id = await ordered(database.db, await payIntent(database.db, merchant));
    await fillWallet();
    expect(await answer(database.db, id, 'failed', { detail: 'the card is gone' })).toBe('pending');
    const { rows } = await database.owner.raw('select detail from refunds where id = ?', [id]);
    expect(rows[0].detail).toBe(
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
    const refund = await getRefund(database.db, id);
    const by = { db: database.operator, actor: 'awa' };
    return failUnmadeRefund(by, refund, { reason: REASON, gateway_refund });
  }

  it('ends it: the merchant has the money and the event, once', async () => {
    const intent = await payIntent(database.db, merchant);
    const id = await ordered(database.db, intent, { amount_minor: '120000' });
    const answers = await Promise.all([fail(id), fail(id), fail(id)]);
    const again = { ok: false, error: 'failed' };
    expect(answers.sort((one, other) => Number(other.ok) - Number(one.ok))).toEqual([
      { ok: true },
      again,
      again,
    ]);
    const { status, failure } = await getRefund(database.db, id);
    expect([status, failure]).toEqual(['failed', { code: 'refund_refused', message: REASON }]);
    expect([await wallet(), await refunded(intent), await moved(id)]).toEqual([500_000n, 0n, {}]);
    expect(await eventsOf(id)).toEqual(['refund.failed']);
    const { rows } = await database.owner.raw(
      `select actor, action, details from audit_log where subject = 'refund/' || ?`,
      [id],
    );
    expect(rows).toEqual([
      {
        actor: 'awa',
        action: 'refunds.fail',
        details: expect.objectContaining({ amount: '1200.00', reason: REASON }),
      },
    ]);
  });

  it.each(['succeeded', 'failed'] as const)('changes nothing of one that has %s', async (end) => {
    const id = await ordered(database.db, await payIntent(database.db, merchant));
    await answer(database.db, id, end);
    const { asked_for_ms: _, ...before } = await getRefund(database.db, id);
    expect(await fail(id)).toEqual({ ok: false, error: end });
    expect(await getRefund(database.db, id)).toMatchObject(before);
    expect(await eventsOf(id)).toEqual([`refund.${end}`]);
  });

  it('has nobody order it again, and learns when the gateway has made it all the same', async () => {
    const { db, owner } = database;
    const id = await ordered(db, await payIntent(db, merchant));
    const under_way = (await beginAskingPaymentRefund(db, id))!;
    expect(await fail(id)).toMatchObject({ ok: true });
    await notice(owner, id);
    expect(await beginAskingPaymentRefund(db, id)).toBeUndefined();
    const made = {
      status: 'succeeded',
      refund_id: 're_late',
      detail: null,
      failure: null,
    } as const;
    const refund = await getRefund(db, id);
    expect(await recordPaymentRefundAnswer(db, refund.id, under_way, made)).toBe('failed');
    expect(await wallet()).toBe(500_000n);
    expect(await verifyLedger(db)).toEqual([
      expect.objectContaining({ invariant: 'I17', reference: refund.reference }),
    ]);
    await settleLoss(database, refund.reference);
  });

  it('learns of it by a notice, when the answer was lost, and it is not ordered again', async () => {
    const { db } = database;
    const id = await ordered(db, await payIntent(db, merchant));
    await beginAskingPaymentRefund(db, id);
    expect(await fail(id)).toMatchObject({ ok: true });
    const { provider_payment_id, reference } = await getRefund(db, id);
    const about = { environment: 'sandbox', provider_payment_id, refund_id: 're_lost' } as const;
    const noted = (by: string | null) =>
      notePaymentRefundNotice(db, 'sandbox', { ...about, reference: by });
    expect(await noted(null)).toEqual([]);
    expect(await noted(reference)).toEqual([id]);
    expect(await beginAskingPaymentRefund(db, id)).toMatchObject({ gateway_refund_id: 're_lost' });
    expect(await answer(db, id, 'succeeded', { refund_id: 're_lost' })).toBe('failed');
    expect(await verifyLedger(db)).toEqual([
      expect.objectContaining({ invariant: 'I17', reference }),
    ]);
    await settleLoss(database, reference);
  });

  it('goes on asking about one that the gateway is about to make all the same', async () => {
    const { db } = database;
    const id = await ordered(db, await payIntent(db, merchant));
    const under_way = (await beginAskingPaymentRefund(db, id))!;
    expect(await fail(id)).toMatchObject({ ok: true });
    const late = {
      status: 'pending',
      refund_id: 're_late',
      detail: 'slow',
      failure: null,
    } as const;
    await recordPaymentRefundAnswer(db, id, under_way, late);
    expect(await answer(db, id, 'pending', { refund_id: 're_late' })).toBe('failed');
    expect(await answer(db, id, 'failed', { refund_id: 're_late' })).toBe('failed');
    expect(await beginAskingPaymentRefund(db, id)).toBeUndefined();
    expect(await wallet()).toBe(500_000n);
  });

  it('has to name a refund that the gateway has, and it is not asked about any more', async () => {
    const { db, owner } = database;
    const id = await ordered(db, await payIntent(db, merchant));
    await answer(db, id, 'pending', { refund_id: 're_1' });
    await notice(owner, id);
    for (const named of [null, 're_2']) {
      expect(await fail(id, named)).toEqual({ ok: false, error: 'at_gateway' });
    }
    expect(await wallet()).toBe(0n);
    expect(await fail(id, 're_1')).toMatchObject({ ok: true });
    expect((await getRefund(db, id)).failure).toEqual({ code: 'refund_failed', message: REASON });
    expect(await beginAskingPaymentRefund(db, id)).toBeUndefined();
  });

  it('is told nothing new by a question from before that finds it pending still', async () => {
    const { db, owner } = database;
    const id = await ordered(db, await payIntent(db, merchant));
    await answer(db, id, 'pending', { refund_id: 're_1' });
    const under_way = (await beginAskingPaymentRefund(db, id))!;
    expect(await fail(id, 're_1')).toMatchObject({ ok: true });
    const refund = await getRefund(db, id);
    const pending = {
      status: 'pending',
      refund_id: 're_1',
      detail: 'slow',
      failure: null,
    } as const;
    expect(await recordPaymentRefundAnswer(db, refund.id, under_way, pending)).toBe('failed');
    expect(await beginAskingPaymentRefund(db, id)).toBeUndefined();
    // An answer of the gateway after a notice counts.
    await notice(owner, id);
    expect(await answer(db, id, 'pending', { refund_id: 're_1' })).toBe('failed');
    expect(await beginAskingPaymentRefund(db, id)).toMatchObject({ gateway_refund_id: 're_1' });
    expect(await answer(db, id, 'failed', { refund_id: 're_1' })).toBe('failed');
  });

  it('is told when the wallet is too full, and nothing is done', async () => {
    const id = await ordered(database.db, await payIntent(database.db, merchant));
    const { asked_for_ms: _, ...before } = await getRefund(database.db, id);
    await fillWallet();
    expect(await fail(id)).toEqual({ ok: false, error: 'balance_limit' });
    expect(await getRefund(database.db, id)).toMatchObject(before);
  });
});

describe('an intent that an operator ended with another amount', () => {
  it.each([300_000n, 800_000n])(
    'gives back the %s minor units that arrived, of the payment that brought them',
    async (arrived) => {
      const { db } = database;
      const intent = await acceptIntent(database, merchant, arrived);
      expect(await order(db, intent, { amount_minor: `${arrived + 100n}` })).toMatchObject({
        outcome: 'refund_exceeds_payment',
        left_minor: arrived,
      });
      // A second payment adds nothing, neither while it is held nor as a deposit.
      const second = await receive(db, intent);
      const part = await ordered(db, intent, { amount_minor: '100000' });
      await accept(database, second, false);
      const rest = await ordered(db, intent);
      expect(await order(db, intent)).toMatchObject({
        outcome: 'refund_exceeds_payment',
        left_minor: 0n,
      });
      expect((await getRefund(db, rest)).amount_minor).toBe(arrived - 100_000n);
      expect((await getRefund(db, rest)).provider_payment_id).not.toBe(second);
      expect(await wallet()).toBe(500_000n);
      await answer(db, part, 'succeeded');
      await answer(db, rest, 'failed');
      expect([await refunded(intent), await wallet()]).toEqual([100_000n, 400_000n + arrived]);
    },
  );

  it('and one that was paid after a wrong amount gives back the payment that ended it', async () => {
    const { db } = database;
    const intent = await openIntent(db, merchant);
    await accept(database, await receive(db, intent, 300_000n), false);
    expect(await order(db, intent)).toMatchObject({
      outcome: 'payment_intent_not_refundable',
      intent_status: 'open',
    });
    const right = await receive(db, intent);
    const { amount_minor, provider_payment_id } = await getRefund(db, await ordered(db, intent));
    expect([amount_minor, provider_payment_id]).toEqual([500_000n, right]);
  });
});

describe('a frozen account', () => {
  it('refunds nothing, and gets back what its pending refunds fail to give', async () => {
    const intent = await payIntent(database.db, merchant);
    const id = await ordered(database.db, intent, { amount_minor: '100000' });
    await freezeAccount(database.operator, merchant.id, 'tests', 'test');
    expect(await order(database.db, intent)).toMatchObject({ outcome: 'account_frozen' });
    expect(await refunded(intent)).toBe(100_000n);
    await answer(database.db, id, 'failed');
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
        const { db, owner } = database;
        merchant = await buildUser(db);
        const intents = [
          await payIntent(db, merchant),
          await acceptIntent(database, merchant, 300_000n),
        ];
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
            const { outcome } = await order(db, intents[at]!, { id, amount_minor });
            const fits = asked <= left && left > 0n;
            expect(outcome).toBe(fits ? 'created' : 'refund_exceeds_payment');
            if (fits) model[at]!.set(id, { amount: asked, status: 'pending' });
          } else {
            const id = ids[which % ids.length]!;
            const one = model[at]!.get(id)!;
            if (kind === 'again') await notice(owner, id);
            const now = await answer(db, id, status);
            if (now === undefined) continue;
            // A failed refund stays so: the money is the merchant's again.
            if (one.status === 'failed' && status === 'succeeded') {
              await owner.raw(`update refunds set gateway_status = 'failed' where id = ?`, [id]);
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
        expect(await wallet()).toBe(800_000n - out);
        await expectBooksHold(db);
      }),
      { numRuns: 25 },
    );
  });
});

describe('many at once', () => {
  it('never give back more than was paid, nor deadlock with answers and payments', async () => {
    const intents = await Promise.all(
      Array.from({ length: 4 }, () => payIntent(database.db, merchant)),
    );
    const outcomes = await Promise.all(
      intents.flatMap((intent) =>
        Array.from({ length: 6 }, async (_, n) => {
          const id = randomUUID();
          const { outcome } = await order(database.db, intent, { id, amount_minor: '200000' });
          if (outcome === 'created') {
            await answer(database.db, id, n % 2 === 0 ? 'succeeded' : 'failed');
          }
          return outcome;
        }).concat(payIntent(database.db, merchant).then(() => 'created' as const)),
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
    const id = await ordered(database.db, await payIntent(database.db, merchant));
    expect(await stalled({ ...NEVER, ordered_ms: 0 }, id)).toBe(true);
    expect(await stalled({ ...AT_ONCE, ordered_ms: 1e9 }, id)).toBe(false);
    await beginAskingPaymentRefund(database.db, id);
    expect(await stalled({ ...NEVER, asked_ms: 0 }, id)).toBe(true);
    expect(await stalled({ ...AT_ONCE, asked_ms: 1e9 }, id)).toBe(false);
    await answer(database.db, id, 'pending');
    expect(await stalled({ ...NEVER, pending_ms: 0 }, id)).toBe(true);
    await answer(database.db, id, 'succeeded');
    expect(await stalled(AT_ONCE, id)).toBe(false);
    await notice(database.owner, id);
    expect(await stalled({ ...NEVER, notified_ms: 0 }, id)).toBe(true);
    const [refund] = await findPursued(database.db, 'refund', [id]);
    expect(refund).toMatchObject({ id, username: merchant.username, amount_minor: '500000' });
    await answer(database.db, id, 'succeeded');
  });

  it('are looked at in turns, those about which the gateway says nothing too', async () => {
    const intent = await payIntent(database.db, merchant);
    const ids: string[] = [];
    for (const amount_minor of ['100', '200', '300']) {
      ids.push(await ordered(database.db, intent, { amount_minor }));
    }
    const next = async (): Promise<string> => {
      const found = await listStalled(database.db, 'refund', 1_000, AT_ONCE);
      const id = found.find((one) => ids.includes(one))!;
      await beginAskingPaymentRefund(database.db, id);
      return id;
    };
    expect([await next(), await next(), await next(), await next()]).toEqual([...ids, ids[0]]);
    for (const id of ids) await answer(database.db, id, 'succeeded');
  });
});
