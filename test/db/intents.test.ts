import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import {
  abandonIntent,
  beginCheckoutRenewal,
  createIntent,
  cancelIntent,
  endCheckoutRenewal,
  findIntentByCode,
  getIntent,
  isCheckoutRenewing,
  renewCheckout,
  restartIntent,
  type NewIntent,
} from '../../db/payment-intents/intents';
import {
  abandonLostIntents,
  claimDueIntents,
  expireIntents,
} from '../../db/payment-intents/expiries';
import { findIntent, listIntents } from '../../db/payment-intents/intent-views';
import {
  applyNotification,
  claimWaitingNotifications,
  noteNotificationError,
  storeNotification,
} from '../../db/suspense/notifications';
import { acceptSuspense } from '../../db/suspense/suspense';
import { beginAskingAttempt } from '../../db/payment-attempts/payment-attempts';
import { INTENT_EDGES, isTerminal, type StoredIntentStatus } from '../../domain/intent';
import type { PaymentNotification } from '../../domain/payment';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { readState } from '../api/support/notifications';
import {
  createTestDatabase,
  openSession,
  pastLock,
  setUp,
  whileUncommitted,
  untilLocked,
} from '../support/database';
import { begin } from '../support/payment-attempts';
import { buildUser } from '../support/users';
import {
  eventsOf,
  FAILURE,
  buildNewIntent,
  notificationOf,
  letExpire,
  openAtOnce,
  expireAtOnce,
  statusOf,
  suspenseOf,
} from '../workflows/intents';

const STATUSES = [
  'creating',
  'abandoned',
  'open',
  'processing',
  'succeeded',
  'failed',
  'expired',
  'canceled',
] as const satisfies readonly StoredIntentStatus[];
const TERMINAL = STATUSES.filter(isTerminal);
const PAY_URL = 'https://pay.example.com';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));

afterEach(async () => {
  await expectBooksHold(database.db);
});

async function create(fields: Partial<NewIntent> = {}): Promise<NewIntent> {
  const intent = buildNewIntent(merchant, 'sandbox', fields);
  await createIntent(database.db, intent);
  return intent;
}

async function open(fields: Partial<NewIntent> = {}): Promise<NewIntent> {
  const intent = await create(fields);
  await openAtOnce(database.db, intent.id, checkoutOf(intent));
  return intent;
}

const checkoutOf = ({ id }: NewIntent, number = 1) => ({
  session_id: `cs_${id}_${number}`,
  checkout_url: `https://gateway.example.com/${id}/${number}`,
  lapses_at: null,
});

async function apply(intent: NewIntent, fields: Partial<PaymentNotification> = {}) {
  const notification = notificationOf(intent, fields);
  const { id } = await storeNotification(database.db, 'sandbox', notification, Buffer.from('{}'));
  return applyNotification(database.db, id, PAY_URL);
}

async function findAttempt(id: string): Promise<{ readonly status: string }> {
  const { rows } = await database.owner.raw('select status from payment_attempts where id = ?', [
    id,
  ]);
  return (rows as [{ readonly status: string }])[0];
}

/** An intent in each status, by the functions that lead there. */
const REACH: Readonly<Record<StoredIntentStatus, () => Promise<NewIntent>>> = {
  creating: create,
  abandoned: async () => {
    const intent = await create();
    await abandonIntent(database.db, intent.id);
    return intent;
  },
  open,
  processing: async () => {
    const intent = await open();
    await apply(intent, { type: 'payment.pending' });
    return intent;
  },
  succeeded: async () => {
    const intent = await open();
    await apply(intent);
    return intent;
  },
  failed: async () => {
    const intent = await open();
    await apply(intent, { type: 'payment.failed', failure: FAILURE });
    return intent;
  },
  expired: async () => {
    const intent = await open();
    await letExpire(database, intent);
    await expireAtOnce(database.db, intent.id);
    return intent;
  },
  canceled: async () => {
    const intent = await open();
    await cancelIntent(database.db, intent.id);
    return intent;
  },
};

describe('the edges of an intent', () => {
  it('begin in creating and end in the terminal states', () => {
    for (const status of STATUSES) {
      const leaving = INTENT_EDGES.filter(({ from }) => from === status);
      expect(leaving.length === 0).toBe(isTerminal(status));
      const coming = INTENT_EDGES.filter(({ to }) => to === status);
      expect(coming.length).toBeGreaterThan(0);
    }
  });

  const allowed = new Set(INTENT_EDGES.map(({ from, to }) => `${from} → ${to}`));
  const refused = STATUSES.flatMap((from) =>
    STATUSES.filter((to) => to !== from && !allowed.has(`${from} → ${to}`)).map(
      (to) => [from, to] as const,
    ),
  );

  it.each(refused)('have none from %s to %s: refused even to the owner', async (from, to) => {
    const intent = await REACH[from]();
    expect(await statusOf(database, intent)).toBe(from);
    await expect(
      database.owner.raw('update payment_intents set status = ? where id = ?', [to, intent.id]),
    ).rejects.toMatchObject({ code: '23514', message: expect.stringContaining('cannot go from') });
    expect(await statusOf(database, intent)).toBe(from);
  });

  it('cannot be gone to an end without its event', async () => {
    const intent = await open();
    await expect(
      database.owner.raw(
        `update payment_intents set status = 'failed', failed_at = now() where id = ?`,
        [intent.id],
      ),
    ).rejects.toThrow('has no event for its end');
    expect(await statusOf(database, intent)).toBe('open');
  });
});

const ANY_NOTIFICATION = [
  ['payment.succeeded', { type: 'payment.succeeded' }, 'suspense'],
  ['payment.failed', { type: 'payment.failed', failure: FAILURE }, 'stale'],
  ['a failed attempt', { type: 'payment.failed', final: false, failure: FAILURE }, 'stale'],
  ['payment.pending', { type: 'payment.pending' }, 'stale'],
] as const satisfies readonly (readonly [string, Partial<PaymentNotification>, string])[];

describe.each(TERMINAL)('an intent that is %s', (status) => {
  it.each(ANY_NOTIFICATION)('stays so after %s', async (_, fields, outcome) => {
    const intent = await REACH[status]();
    const before = await getIntent(database.db, intent.id);
    const balance = await balanceOf(database.db, merchant, 'XOF', 'sandbox');
    const events = await eventsOf(database, intent);
    expect(await apply(intent, fields)).toEqual({
      outcome,
      intent_id: intent.id,
      status,
    });
    // Money that comes all the same is told on the intent, and nothing else changes.
    const told = outcome === 'suspense' && {
      received_minor: (before.received_minor ?? 0n) + before.amount_minor,
      updated_at: expect.any(String) as string,
    };
    expect(await getIntent(database.db, intent.id)).toEqual({
      ...before,
      ...told,
      remaining_ms: expect.any(Number),
    });
    expect(await balanceOf(database.db, merchant, 'XOF', 'sandbox')).toBe(balance);
    expect(await eventsOf(database, intent)).toEqual(events);
    const items = await suspenseOf(database, intent);
    const reason = status === 'succeeded' ? 'second_payment' : 'late';
    expect(items.map((item) => item.reason)).toEqual(outcome === 'suspense' ? [reason] : []);
  });

  it('stays so whatever else is asked', async () => {
    const intent = await REACH[status]();
    const before = await getIntent(database.db, intent.id);
    expect(await expireAtOnce(database.db, intent.id)).toBe(false);
    expect(await cancelIntent(database.db, intent.id)).toBe(status);
    expect(await openAtOnce(database.db, intent.id, checkoutOf(intent))).toBeNull();
    expect(await abandonIntent(database.db, intent.id)).toBe(status);
    expect(await createIntent(database.db, intent)).toMatchObject({ status, is_new: false });
    expect(await renewCheckout(database.db, intent.id, 2, checkoutOf(intent, 2))).toBe(status);
    const { session_id, session_number, ...row } = await getIntent(database.db, intent.id);
    expect(row).toMatchObject({ status, checkout_url: before.checkout_url });
    expect(row.updated_at).toBe(before.updated_at);
    expect(session_number).toBe(2);
    expect(session_id).toBe(`cs_${intent.id}_2`);
  });
});

describe('an intent whose checkout is not open', () => {
  it.each(['creating', 'abandoned'] as const)('is seen by nobody: %s', async (status) => {
    const intent = await REACH[status]();
    const { db } = database;
    const { id, short_code } = intent;
    const scope = { user_id: merchant.id, environment: 'sandbox', pay_url_base: PAY_URL } as const;
    expect(await findIntent(db, scope, { id })).toBeUndefined();
    expect(await findIntent(db, scope, { short_code })).toBeUndefined();
    expect(await findIntentByCode(db, short_code)).toBeUndefined();
    const query = { ...scope, limit: 1_000, before: undefined };
    const rows = await listIntents(db, { ...query, filters: {} });
    expect(rows.map((row) => row.id)).not.toContain(id);
    const filters = { reference: intent.reference };
    expect(await listIntents(db, { ...query, filters })).toEqual([]);
  });

  it('is taken up again by its key, as if it began now', async () => {
    const intent = await REACH.abandoned();
    const before = await getIntent(database.db, intent.id);
    const again = await createIntent(database.db, {
      ...intent,
      reference: 'TRX-00000000000000000000',
      short_code: '1111111111',
      request_id: 'the second',
    });
    expect(again).toMatchObject({
      status: 'creating',
      is_new: false,
      reference: intent.reference,
      short_code: intent.short_code,
    });
    const after = await getIntent(database.db, intent.id);
    expect(after.request_id).toBe('the second');
    expect(after.created_at > before.created_at).toBe(true);
    expect(after.expires_at).toBe(again.expires_at);
    expect(after.expires_at > before.expires_at).toBe(true);
  });

  it('stays abandoned when the key comes with another body', async () => {
    const intent = await REACH.abandoned();
    const again = await createIntent(database.db, { ...intent, fingerprint: { amount: '1' } });
    expect(again).toMatchObject({ status: 'abandoned', is_new: false, fingerprint: {} });
    expect(await statusOf(database, intent)).toBe('abandoned');
  });
});

describe('what another session changes meanwhile', () => {
  const changed = (sql: string) => async (intent: NewIntent, second: () => Promise<unknown>) =>
    whileUncommitted(database, (session) => session.query(sql, [intent.id]), second);
  const whileAbandoned = changed('select abandon_intent($1)');
  const whileCanceled = changed('select cancel_intent($1)');
  const whilePaid = changed(`update payment_intents set status = 'processing' where id = $1`);

  it('is seen before a checkout opens', async () => {
    const intent = await create();
    const opens = () => openAtOnce(database.db, intent.id, checkoutOf(intent));
    expect(await whileAbandoned(intent, opens)).toBeNull();
  });

  it('is seen before another checkout replaces it', async () => {
    const intent = await open();
    const renews = () => renewCheckout(database.db, intent.id, 2, checkoutOf(intent, 2));
    expect(await whileCanceled(intent, renews)).toBe('canceled');
  });

  it('is seen by a cancellation', async () => {
    const intent = await open();
    const cancels = () => cancelIntent(database.db, intent.id);
    expect(await whilePaid(intent, cancels)).toBe('processing');
  });

  it('keeps the end of no other intent waiting', async () => {
    const [locked, beside] = [await REACH.open(), await REACH.open()];
    for (const intent of [locked, beside]) await letExpire(database, intent);
    const row = 'select from payment_intents where id = $1 for update';
    const lock = (session: Client) => session.query(row, [locked.id]);
    const ended = await pastLock(database, lock, () =>
      expireIntents(database.db, [locked, beside], PAY_URL),
    );
    expect(ended).toEqual([beside.id]);
  });

  it('keeps no sweep waiting', async () => {
    const intent = await create();
    await letExpire(database, intent, '20 minutes');
    const row = 'select from payment_intents where id = $1 for update';
    const lock = (session: Client) => session.query(row, [intent.id]);
    await pastLock(database, lock, () => abandonLostIntents(database.db));
    expect(await statusOf(database, intent)).toBe('creating');
    await openAtOnce(database.db, intent.id, checkoutOf(intent));
  });
});

describe('one intent', () => {
  it('is begun again, not another, and only when it has expired unopened', async () => {
    const [lost, beside, opened, young] = [
      await create(),
      await create(),
      await open(),
      await create(),
    ];
    for (const intent of [lost, beside, opened]) await letExpire(database, intent);
    const startOf = async ({ id }: NewIntent) => (await getIntent(database.db, id)).created_at;
    const before = await Promise.all([lost, beside, opened, young].map(startOf));
    for (const { id } of [lost, opened, young]) await restartIntent(database.db, id);
    const after = await Promise.all([lost, beside, opened, young].map(startOf));
    expect(after.map((start, i) => start === before[i])).toEqual([false, true, true, true]);
  });

  it('has its next checkout asked for once, until that is answered and has cooled down', async () => {
    const { db, owner } = database;
    const [intent, beside] = [await open(), await open()];
    const begin = ({ id }: NewIntent) => beginCheckoutRenewal(db, id, 60_000);
    for (const one of [beside, intent]) expect(await begin(one)).toMatchObject({ is_first: true });
    expect(await begin(intent)).toMatchObject({ is_first: false, is_asking: true });
    await endCheckoutRenewal(db, intent.id);
    expect(await begin(intent)).toMatchObject({ is_first: false, is_asking: false });
    expect(await isCheckoutRenewing(db, beside.id)).toBe(true);
    await owner.raw('update checkout_renewals set retry_at = now() where intent_id = ?', [
      intent.id,
    ]);
    expect(await begin(intent)).toMatchObject({ is_first: true, is_asking: true });
    expect(await begin(beside)).toMatchObject({ is_first: false });
  });

  it('gets another checkout, not the one beside it', async () => {
    const [intent, beside] = [await open(), await open()];
    await renewCheckout(database.db, intent.id, 2, checkoutOf(intent, 2));
    const urls = [intent, beside].map(
      async ({ id }) => (await getIntent(database.db, id)).checkout_url,
    );
    expect(await Promise.all(urls)).toEqual([
      checkoutOf(intent, 2).checkout_url,
      checkoutOf(beside).checkout_url,
    ]);
  });
});

describe('what has expired', () => {
  it('is taken by one process at a time, at its own gateway and environment, when it is due', async () => {
    const { db, owner } = database;
    const gateway = { name: `gateway-${randomUUID()}`, environment: 'sandbox' } as const;
    const make = async (name: string, fields: Partial<NewIntent> = {}, is_open = true) => {
      const intent = buildNewIntent(merchant, name, fields);
      await createIntent(db, intent);
      if (is_open) await openAtOnce(db, intent.id, checkoutOf(intent));
      await letExpire(database, intent);
      return intent;
    };
    const due = await make(gateway.name);
    const locked = await make(gateway.name);
    const paused = await make(gateway.name);
    await owner.raw(
      `update payment_intents set next_check_at = now() + interval '1 hour' where id = ?`,
      [paused.id],
    );
    const others = await Promise.all([
      make(gateway.name, {}, false),
      make('another'),
      make(gateway.name, { environment: 'live' }),
    ]);
    const row = 'select from payment_intents where id = $1 for update';
    const claims = await pastLock(
      database,
      (session) => session.query(row, [locked.id]),
      () => claimDueIntents(db, gateway, 100),
    );
    expect(claims.map(({ id }) => id)).toEqual([due.id]);
    const ids = [due, locked, paused, ...others].map(({ id }) => id);
    const { rows } = await owner.raw(
      'select id from payment_intents where id = any(?) and checks > 0',
      [ids],
    );
    expect(rows).toEqual([{ id: due.id }]);
    expect((await claimDueIntents(db, gateway, 100)).map(({ id }) => id)).toEqual([locked.id]);
  });
});

describe('the end of an intent', () => {
  it("never comes early by the database's clock", async () => {
    const intent = await open({ expires_in_seconds: 60 });
    expect(await expireAtOnce(database.db, intent.id)).toBe(false);
    expect(await statusOf(database, intent)).toBe('open');
    expect(await eventsOf(database, intent)).toEqual([]);
  });

  it('is not made by cancelling what is being paid', async () => {
    const intent = await REACH.processing();
    expect(await cancelIntent(database.db, intent.id)).toBe('processing');
  });

  it('by a cancellation waits for a payment under way in another session', async () => {
    const intent = await open();
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query('select from payment_intents where id = $1 for update', [intent.id]);
    const ending = cancelIntent(database.db, intent.id);
    // Here the payment is undone, and the end comes.
    await session.query('rollback');
    expect(await ending).toBe('canceled');
    expect(await apply(intent)).toMatchObject({ outcome: 'suspense', status: 'canceled' });
  });
});

describe('a notification', () => {
  it('is stored once per event, whatever else it says the second time', async () => {
    const intent = await open();
    const event_id = `evt_${randomUUID()}`;
    const store = (fields: Partial<PaymentNotification>) =>
      storeNotification(
        database.db,
        'sandbox',
        notificationOf(intent, { event_id, ...fields }),
        Buffer.from('{}'),
      );
    const first = await store({ type: 'payment.pending' });
    const second = await store({ type: 'payment.succeeded' });
    expect(first.is_new).toBe(true);
    expect(second).toEqual({ ...first, is_new: false });
    expect(await applyNotification(database.db, first.id, PAY_URL)).toMatchObject({
      outcome: 'processing',
    });
    expect(await applyNotification(database.db, first.id, PAY_URL)).toMatchObject({
      outcome: 'processing',
      status: 'processing',
    });
  });

  const NOTIFIED: [string, Partial<PaymentNotification>, string][] = [
    ['paid', {}, 'succeeded'],
    ['pending', { type: 'payment.pending' }, 'processing'],
    ['refused', { type: 'payment.failed', final: false, failure: FAILURE }, 'attempt_failed'],
    ['failed', { type: 'payment.failed', failure: FAILURE }, 'failed'],
    ['paid with another amount', { amount_minor: '100' }, 'suspense'],
    ['paid, of an unknown intent', { intent_id: randomUUID(), reference: null }, 'suspense'],
  ];

  it.each(NOTIFIED)(
    'that was applied changes nothing when it is applied again: %s',
    async (...one) => {
      const [, fields, outcome] = one;
      const intent = await open();
      const { id } = await storeNotification(
        database.db,
        'sandbox',
        notificationOf(intent, fields),
        Buffer.from('{}'),
      );
      const first = await applyNotification(database.db, id, PAY_URL);
      expect(first.outcome).toBe(outcome);
      const before = await readState(database);
      const again = await applyNotification(database.db, id, PAY_URL);
      expect(again).toEqual(first);
      expect(await readState(database)).toBe(before);
    },
  );

  it.each(NOTIFIED)(
    'that is being applied is not applied by another session: %s',
    async (...one) => {
      const [, fields, outcome] = one;
      const intent = await open();
      const { id } = await storeNotification(
        database.db,
        'sandbox',
        notificationOf(intent, fields),
        Buffer.from('{}'),
      );
      // Holds the notification, as a worker does that was stopped between its look and its change.
      const session = await openSession(database.owner_url);
      await session.query('begin');
      await session.query('select from gateway_notifications where id = $1 for update', [id]);
      const applying = applyNotification(database.db, id, PAY_URL);
      await untilLocked(database, 'apply_stored_notification');
      await session.query(
        `update gateway_notifications set outcome = 'stale', applied_at = now() where id = $1`,
        [id],
      );
      const before = await readState(database);
      await session.query('commit');
      expect(await applying).toMatchObject({ outcome: 'stale' });
      expect(await readState(database)).toBe(before);
      // The books want each payment that was notified booked.
      await database.owner.raw(
        'update gateway_notifications set outcome = null, applied_at = null where id = ?',
        [id],
      );
      expect((await applyNotification(database.db, id, PAY_URL)).outcome).toBe(outcome);
    },
  );

  it('of one payment under two events books once, at the same moment too', async () => {
    const intent = await open();
    const before = await balanceOf(database.db, merchant, 'XOF', 'sandbox');
    const provider_payment_id = `pay_${randomUUID()}`;
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => apply(intent, { provider_payment_id })),
    );
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
      'duplicate',
      'duplicate',
      'duplicate',
      'duplicate',
      'succeeded',
    ]);
    expect(await balanceOf(database.db, merchant, 'XOF', 'sandbox')).toBe(before + 500_000n);
  });

  it.each([
    ['amount', { amount_minor: '499900' }],
    ['currency', { currency: 'EUR' }],
  ] as const)('of a failure with another %s changes nothing', async (_, fields) => {
    const intent = await open();
    const failed = { type: 'payment.failed', failure: FAILURE, ...fields } as const;
    expect(await apply(intent, failed)).toMatchObject({ outcome: 'mismatch', status: 'open' });
    const pending = { type: 'payment.pending', ...fields } as const;
    expect(await apply(intent, pending)).toMatchObject({ outcome: 'mismatch', status: 'open' });
  });

  it.each([
    ['an unknown id', { intent_id: randomUUID(), reference: null }],
    ['an id that is none of ours', { intent_id: 'order-17', reference: null }],
    ["another intent's reference", { reference: 'TRX-00000000000000000000' }],
  ] as const)('of a failure with %s is nobody’s', async (_, fields) => {
    const intent = await open();
    const failed = { type: 'payment.failed', failure: FAILURE, ...fields } as const;
    expect(await apply(intent, failed)).toEqual({
      outcome: 'unknown_intent',
      intent_id: null,
      status: null,
    });
    expect(await statusOf(database, intent)).toBe('open');
  });

  it.each([
    ['another amount', { amount_minor: '499900' }, 'amount'],
    ['another currency', { currency: 'EUR' }, 'currency'],
    ['another amount and currency', { amount_minor: '150', currency: 'USD' }, 'currency'],
  ] as const)('of a payment with %s holds it, and the right one is still taken', async (...row) => {
    const [, fields, reason] = row;
    const before = await balanceOf(database.db, merchant, 'XOF', 'sandbox');
    const intent = await open();
    expect(await apply(intent, fields)).toMatchObject({ outcome: 'suspense', status: 'open' });
    const { amount_minor = '500000', currency = 'XOF' } = fields as Partial<PaymentNotification>;
    expect(await suspenseOf(database, intent)).toEqual([
      {
        id: expect.any(String),
        reason,
        status: 'held',
        currency,
        amount_minor: BigInt(amount_minor),
      },
    ]);
    expect(await balanceOf(database.db, merchant, 'XOF', 'sandbox')).toBe(before);
    expect(await apply(intent)).toMatchObject({ outcome: 'succeeded' });
    expect(await balanceOf(database.db, merchant, 'XOF', 'sandbox')).toBe(before + 500_000n);
  });

  it.each([
    ['an unknown id', { intent_id: randomUUID() }],
    ['an unknown id and no reference', { intent_id: randomUUID(), reference: null }],
    ['a name that is none of ours', { intent_id: 'order-17', reference: null }],
    ['an unknown reference', { intent_id: null, reference: 'TRX-00000000000000000000' }],
    ["another intent's reference", { reference: 'TRX-00000000000000000000' }],
  ] as const)('of a payment with %s holds it for nobody', async (_, fields) => {
    const before = await balanceOf(database.db, merchant, 'XOF', 'sandbox');
    const intent = await open();
    const provider_payment_id = `pay_${randomUUID()}`;
    const applied = await apply(intent, { provider_payment_id, ...fields });
    expect(applied).toMatchObject({ outcome: 'suspense', intent_id: null });
    const { rows } = await database.owner.raw(
      `select id, reason, environment, amount_minor, intent_id, status
         from suspense_items where provider_payment_id = ?`,
      [provider_payment_id],
    );
    const [item] = rows as { readonly id: string }[];
    expect(item).toMatchObject({
      reason: 'unknown_intent',
      environment: 'sandbox',
      amount_minor: 500_000n,
      intent_id: null,
      status: 'held',
    });
    expect(await balanceOf(database.db, merchant, 'XOF', 'sandbox')).toBe(before);
    expect(await statusOf(database, intent)).toBe('open');
    // No merchant can be said to own it.
    await expect(acceptSuspense(database.operator, item!.id, 'test')).rejects.toThrow(
      'cannot be accepted',
    );
  });

  it.each<[string, Partial<PaymentNotification>, string]>([
    ['of another gateway', {}, 'other'],
    ['of another gateway, by reference', { intent_id: null }, 'other'],
    ['of the other environment', { environment: 'live' }, 'sandbox'],
    ['of the other environment, by reference', { environment: 'live', intent_id: null }, 'sandbox'],
  ])('%s is about no intent', async (_, fields, gateway) => {
    const failed = { type: 'payment.failed', failure: FAILURE, ...fields } as const;
    const notification = notificationOf(await open(), failed);
    const stored = await storeNotification(database.db, gateway, notification, Buffer.from('{}'));
    expect(stored).toMatchObject({ intent_id: null });
    const applied = await applyNotification(database.db, stored.id, PAY_URL);
    expect(applied).toMatchObject({ outcome: 'unknown_intent' });
  });

  it('of a gateway at which a customer has tried to pay by phone is about that intent alone', async () => {
    const { db } = database;
    const [tried, beside] = [await open(), await open()];
    const { id: attempt_id } = await begin(db, tried, { gateway: 'phones' });
    const about = async (intent: NewIntent, gateway: string, fields = {}) => {
      const failed = { type: 'payment.failed', final: false, failure: FAILURE, ...fields } as const;
      const told = notificationOf(intent, failed);
      const { id } = await storeNotification(db, gateway, told, Buffer.from('{}'));
      return (await applyNotification(db, id, PAY_URL)).outcome;
    };
    expect(await about(beside, 'phones')).toBe('unknown_intent');
    expect(await about(tried, 'another')).toBe('unknown_intent');
    const asked = { attempt_id, asks: (await beginAskingAttempt(db, attempt_id))!.asks };
    // The attempt is none of the gateway's that has the checkout.
    expect(await about(tried, 'sandbox', asked)).toBe('attempt_failed');
    expect((await findAttempt(attempt_id)).status).toBe('waiting');
    // Another question is begun: the answer to the one before counts no more.
    const outcome = await whileUncommitted(
      database,
      (session) =>
        session.query('update payment_attempts set asks = asks + 1 where id = $1', [attempt_id]),
      () => about(tried, 'phones', asked),
    );
    expect(outcome).toBe('stale');
    expect((await getIntent(db, beside.id)).last_payment_error).toBeNull();
    await cancelIntent(db, beside.id);
  });

  it('of a payment finds no intent that is not open yet, and sees one that ends meanwhile', async () => {
    expect(await apply(await create())).toMatchObject({ outcome: 'suspense', intent_id: null });
    const intent = await open();
    const applied = await whileUncommitted(
      database,
      (session) => session.query('select cancel_intent($1)', [intent.id]),
      () => apply(intent),
    );
    expect(applied).toMatchObject({ outcome: 'suspense', status: 'canceled' });
  });

  it('is another one, and its payment another one, at another gateway or in the other environment', async () => {
    const { db } = database;
    const names = { event_id: `evt_${randomUUID()}`, provider_payment_id: `pay_${randomUUID()}` };
    const places = [
      ['sandbox', 'sandbox'],
      ['other', 'sandbox'],
      ['sandbox', 'live'],
    ] as const;
    const store = async ([gateway, environment]: (typeof places)[number]) => {
      const intent = buildNewIntent(merchant, gateway, { environment });
      const about = notificationOf(intent, { ...names, intent_id: null, reference: null });
      return storeNotification(db, gateway, about, Buffer.from('{}'));
    };
    const stored = await Promise.all(places.map(store));
    expect(new Set(stored.map(({ id }) => id)).size).toBe(3);
    const again = await Promise.all(places.map(store));
    expect(again.map(({ id, is_new }) => ({ id, is_new }))).toEqual(
      stored.map(({ id }) => ({ id, is_new: false })),
    );
    for (const { id } of stored) {
      expect(await applyNotification(db, id, PAY_URL)).toMatchObject({ outcome: 'suspense' });
    }
  });

  it('that waits is taken by one sweep at a time, and after a pause; what was applied is not', async () => {
    const { db, owner } = database;
    const [waiting, tried, applied, young] = (await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const about = notificationOf(await open(), { type: 'payment.pending' });
        return (await storeNotification(db, 'sandbox', about, Buffer.from('{}'))).id;
      }),
    )) as [string, string, string, string];
    await applyNotification(db, applied, PAY_URL);
    const old = `update gateway_notifications set received_at = now() - interval '1 hour'`;
    await owner.raw(`${old} where id = any(?::bigint[])`, [[waiting, tried, applied]]);
    const next = 'update gateway_notifications set next_try_at = now() + ?::interval where id = ?';
    await owner.raw(next, ['1 minute', tried]);
    const claim = async () => {
      const claimed = await claimWaitingNotifications(db, 60_000, 100);
      return claimed
        .map(({ id }) => id)
        .filter((id) => [waiting, tried, applied, young].includes(id));
    };
    const row = 'select from gateway_notifications where id = $1 for update';
    expect(await pastLock(database, (session) => session.query(row, [waiting]), claim)).toEqual([]);
    expect(await claim()).toEqual([waiting]);
    expect(await claim()).toEqual([]);
    await owner.raw(next, ['-1 minute', waiting]);
    expect(await claim()).toEqual([waiting]);
    for (const id of [waiting, applied]) await noteNotificationError(db, id, 'broken');
    const { rows } = await owner.raw(
      'select id::text from gateway_notifications where last_error is not null',
    );
    expect(rows).toEqual([{ id: waiting }]);
    for (const id of [waiting, tried, young]) await applyNotification(db, id, PAY_URL);
  });

  it('finds its intent by reference alone', async () => {
    const intent = await open();
    expect(await apply(intent, { intent_id: null })).toMatchObject({
      outcome: 'succeeded',
      intent_id: intent.id,
    });
  });
});
