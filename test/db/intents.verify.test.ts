import { randomUUID } from 'node:crypto';
import { createIntent, endIntent, type NewIntent } from '../../db/intents';
import { applyNotification, storeNotification } from '../../db/notifications';
import {
  acceptSuspense,
  beginAskingRefund,
  closeSuspense,
  orderSuspenseRefund,
  recordRefundAnswer,
} from '../../db/suspense';
import { verifyLedger, type Violation } from '../../db/verify';
import { renderJson } from '../../domain/json';
import type { PaymentNotification } from '../../domain/payment';
import { operatorOf, createTestDatabase, type TestDatabase } from '../support/database';
import { buildUser } from '../support/users';
import {
  FAILURE,
  buildNewIntent,
  notificationOf,
  openAtOnce,
  suspenseOf,
} from '../workflows/intents';

// I6 and I7: each defect is made as a superuser, with triggers and foreign keys switched off, in a
// database of its own, and must be named.

interface Seed {
  readonly database: TestDatabase;
  readonly succeeded: NewIntent;
  readonly failed: NewIntent;
  readonly expired: NewIntent;
  readonly open: NewIntent;
  /** Of a second payment that is held, of one that was accepted, and of one given back. */
  readonly held: string;
  readonly accepted: string;
  readonly refunded: string;
  readonly closed: string;
}

const PAY_URL = 'https://pay.example.com';

const databases: TestDatabase[] = [];

// Each test has one, and together they would take all the connections that Postgres has.
afterEach(async () => {
  await databases.pop()?.close();
});

async function seed(): Promise<Seed> {
  const database = await createTestDatabase();
  databases.push(database);
  const { db } = database;
  const merchant = await buildUser(db);
  const open = async (fields: Partial<NewIntent> = {}): Promise<NewIntent> => {
    const intent = buildNewIntent(merchant, 'sandbox', fields);
    await createIntent(db, intent);
    const checkout_url = `https://gateway.example.com/${intent.id}`;
    const checkout = { session_id: `cs_${intent.id}`, checkout_url, lapses_at: null };
    await openAtOnce(db, intent.id, checkout, renderJson({ ok: true }));
    return intent;
  };
  const apply = async (intent: NewIntent, fields: Partial<PaymentNotification> = {}) => {
    const notification = notificationOf(intent, fields);
    const stored = await storeNotification(db, 'sandbox', notification, Buffer.from('{}'));
    await applyNotification(db, stored.id, PAY_URL);
  };
  await database.owner.raw(
    `update fee_policies set basis_points = 100 where kind = 'payment_intent'`,
  );
  const succeeded = await open();
  await apply(succeeded);
  const failed = await open({ currency: 'EUR' });
  await apply(failed, { type: 'payment.failed', failure: FAILURE });
  const expired = await open({ expires_in_seconds: 0 });
  await endIntent(db, expired.id, 'expired', PAY_URL);
  await apply(await open({ amount_minor: '100' }));
  for (let n = 0; n < 5; n += 1) await apply(succeeded);
  await apply(succeeded, { intent_id: randomUUID(), reference: null });
  const [held, accepted, refunded, undone, closed] = await suspenseOf(database, succeeded);
  await acceptSuspense(database.operator, accepted!.id, 'tests');
  await refund(database, refunded!.id, 'succeeded');
  await refund(database, undone!.id, 'succeeded', 'failed');
  const closing = {
    reason: 'card gone',
    reference: 'wire 7',
    gateway_made_none: false,
    actor: 'tests',
  };
  await closeSuspense(database.operator, closed!.id, closing);
  return {
    database,
    succeeded,
    failed,
    expired,
    open: await open(),
    held: await referenceOf(database, held!.id),
    accepted: await referenceOf(database, accepted!.id),
    refunded: await referenceOf(database, refunded!.id),
    closed: await referenceOf(database, closed!.id),
  };
}

/** Ordered, and answered by the gateway with one state after the other. */
async function refund(
  { db, owner }: TestDatabase,
  item: string,
  ...answers: readonly ('succeeded' | 'failed')[]
): Promise<void> {
  await orderSuspenseRefund(operatorOf(db), item, 'tests');
  for (const status of answers) {
    await owner.raw('update suspense_refunds set notified_at = now() where item_id = ?', [item]);
    const [question] = await beginAskingRefund(db, item);
    await recordRefundAnswer(db, item, question!, {
      status,
      refund_id: `re_${item}`,
      detail: null,
    });
  }
}

async function referenceOf({ db }: TestDatabase, item: string): Promise<string> {
  const { rows } = await db.raw('select reference from suspense_items where id = ?', [item]);
  return (rows as { reference: string }[])[0]!.reference;
}

/** Each statement changes something, or the test tests nothing. */
async function damage({ database }: Seed, ...statements: string[]): Promise<Violation[]> {
  await database.owner.transaction(async (tx) => {
    await tx.raw('set local session_replication_role = replica');
    for (const sql of statements) {
      const { rowCount } = (await tx.raw(sql)) as { rowCount: number | null };
      expect(rowCount).not.toBe(0);
    }
    // The JSON text is another check's.
    await tx.raw(
      'update transactions t set json = transaction_json(t) where json <> transaction_json(t)',
    );
  });
  return verifyLedger(database.db);
}

const journalOf = (reference: string): string =>
  `(select id from ledger_transactions where reference = '${reference}')`;

describe('verifyLedger', () => {
  it('finds nothing after intents of every end and suspense of every kind', async () => {
    expect(await verifyLedger((await seed()).database.db)).toEqual([]);
  });
});

describe('verifyLedger: I6', () => {
  it('a succeeded intent whose payment was never posted', async () => {
    const seeded = await seed();
    const { reference } = seeded.succeeded;
    const found = await damage(
      seeded,
      `delete from ledger_entries where transaction_id = ${journalOf(reference)}`,
      `delete from ledger_transactions where reference = '${reference}'`,
    );
    expect(found).toContainEqual({
      invariant: 'I6',
      what: 'succeeded intent without its one payment in the journal, or the reverse',
      reference,
    });
  });

  it('an intent with a payment in the journal that has not succeeded', async () => {
    const seeded = await seed();
    const { id, reference } = seeded.succeeded;
    const found = await damage(
      seeded,
      `update payment_intents set status = 'canceled', canceled_at = now(), succeeded_at = null
        where id = '${id}'`,
    );
    for (const what of [
      'succeeded intent without its one payment in the journal, or the reverse',
      "succeeded intent without its one payment of the gateway's, or the reverse",
      'deposit that nobody paid',
    ]) {
      expect(found).toContainEqual({ invariant: 'I6', what, reference });
    }
    expect(found).toContainEqual(expect.objectContaining({ invariant: 'I7' }));
  });

  it('a payment that moved another amount', async () => {
    const seeded = await seed();
    const { reference } = seeded.succeeded;
    const found = await damage(
      seeded,
      `update ledger_entries set amount_minor = amount_minor + sign(amount_minor) * 100
        where transaction_id = ${journalOf(reference)} and abs(amount_minor) > 10000`,
    );
    expect(found).toContainEqual({
      invariant: 'I6',
      what: 'payment in the journal moved other figures than those of its intent',
      reference,
    });
  });

  it.each([
    ['is lost', 'delete from gateway_payments'],
    ['has another amount', 'update gateway_payments set amount_minor = amount_minor + 100'],
    ['is of another intent', 'update gateway_payments set intent_id = gen_random_uuid()'],
    ['is booked as suspense', `update gateway_payments set booked_as = 'suspense'`],
  ])("a succeeded intent whose payment of the gateway's %s", async (_, sql) => {
    const seeded = await seed();
    const { reference } = seeded.succeeded;
    expect(await damage(seeded, `${sql} where ledger_reference = '${reference}'`)).toContainEqual({
      invariant: 'I6',
      what: "succeeded intent without its one payment of the gateway's, or the reverse",
      reference,
    });
  });

  it.each([
    ['is missing', 'delete from transactions'],
    ['has another fee', 'update transactions set fee_minor = 0'],
    ['belongs to somebody else', 'update transactions set user_id = gen_random_uuid()'],
    ['is of another intent', `update transactions set related = gen_random_uuid()::text`],
    ['is another row than the intent names', 'update transactions set id = gen_random_uuid()'],
  ])('a succeeded intent whose deposit %s', async (_, sql) => {
    const seeded = await seed();
    const { reference } = seeded.succeeded;
    expect(await damage(seeded, `${sql} where reference = '${reference}'`)).toContainEqual({
      invariant: 'I6',
      what: 'succeeded intent is not shown as exactly one deposit with its figures',
      reference,
    });
  });

  it('a deposit that is shown twice', async () => {
    const seeded = await seed();
    const { reference } = seeded.succeeded;
    const found = await damage(
      seeded,
      `insert into transactions (user_id, environment, type, status, direction, currency,
         amount_minor, fee_minor, balance_after_minor, reference, related, ledger_transaction_id,
         created_at, json)
       select user_id, environment, type, status, direction, currency, amount_minor, fee_minor,
         balance_after_minor, reference, related, ledger_transaction_id, now(), ''
         from transactions where reference = '${reference}'`,
    );
    for (const what of [
      'succeeded intent is not shown as exactly one deposit with its figures',
      'deposit that nobody paid',
    ]) {
      expect(found).toContainEqual({ invariant: 'I6', what, reference });
    }
  });

  it('money that was told of and is nowhere', async () => {
    const seeded = await seed();
    const found = await damage(
      seeded,
      `update gateway_notifications
          set notification = notification || '{"provider_payment_id": "pay_lost"}',
              event_id = 'evt_lost'
        where id = (select min(id) from gateway_notifications)`,
    );
    expect(found).toEqual([
      { invariant: 'I6', what: 'payment that was notified and not booked', reference: 'evt_lost' },
    ]);
  });

  it('a notification that waits to be applied is no defect', async () => {
    const { database, open } = await seed();
    await storeNotification(database.db, 'sandbox', notificationOf(open), Buffer.from('{}'));
    expect(await verifyLedger(database.db)).toEqual([]);
  });

  it.each([
    ['without its item', 'delete from suspense_items'],
    ['whose item has another amount', 'update suspense_items set amount_minor = 100'],
    ['whose item is of another intent', 'update suspense_items set intent_id = null'],
  ])('suspense %s', async (_, sql) => {
    const seeded = await seed();
    const { held } = seeded;
    expect(await damage(seeded, `${sql} where reference = '${held}'`)).toContainEqual({
      invariant: 'I6',
      what: 'payment booked as suspense without its item, or the reverse',
      reference: held,
    });
  });

  it("a suspense item whose payment of the gateway's is lost", async () => {
    const seeded = await seed();
    const { held } = seeded;
    const found = await damage(
      seeded,
      `delete from gateway_payments where ledger_reference = '${held}'`,
    );
    expect(found).toContainEqual({
      invariant: 'I6',
      what: 'payment booked as suspense without its item, or the reverse',
      reference: held,
    });
  });

  it('a suspense item that the ledger does not know', async () => {
    const seeded = await seed();
    const { held } = seeded;
    const found = await damage(
      seeded,
      `update ledger_transactions set kind = 'adjustment' where reference = '${held}'`,
    );
    expect(found).toContainEqual({
      invariant: 'I6',
      what: 'suspense item without its one entry in the journal, or the reverse',
      reference: held,
    });
  });

  it.each([
    ['accepted', 'held'],
    ['refunded', 'held'],
    ['refunded', 'accepted'],
    ['held', 'refunded'],
    ['closed', 'held'],
  ] as const)('a suspense item that was %s and is called %s', async (was, called) => {
    const seeded = await seed();
    const found = await damage(
      seeded,
      `update suspense_items set status = '${called}',
         resolved_at = ${called === 'held' ? 'null' : 'now()'},
         closed_reason = null, closed_reference = null
        where reference = '${seeded[was]}'`,
    );
    expect(found).toContainEqual({
      invariant: 'I6',
      what: 'suspense item was resolved without the journal, or the reverse',
      reference: was === 'held' ? seeded.held : expect.any(String),
    });
    const isOpen = was === 'held' || called === 'held';
    const what = 'suspense account does not hold what its items wait for';
    expect(found.some((violation) => violation.what === what)).toBe(isOpen);
  });

  it.each([
    ['closed by hand and refunded by the gateway too', 'closed', `status = 'succeeded'`],
    ['refunded without an order', 'refunded', `status = 'failed'`],
  ] as const)('a suspense item that was %s', async (_, was, change) => {
    const seeded = await seed();
    const item = `(select id from suspense_items where reference = '${seeded[was]}')`;
    const found = await damage(
      seeded,
      `insert into suspense_refunds (item_id, number, ordered_by, status, refund_id, ended_at)
       values (${item}, 1, 'tests', 'failed', 're_late', now())
       on conflict (item_id, number) do update set ordered_by = excluded.ordered_by`,
      `update suspense_refunds set ${change} where item_id = ${item}`,
    );
    const what = 'suspense item was given back another way than it says, or twice';
    expect(found).toEqual([{ invariant: 'I6', what, reference: seeded[was] }]);
  });

  it('an accepted item whose deposit nobody can explain', async () => {
    const seeded = await seed();
    const found = await damage(
      seeded,
      `update suspense_items set user_id = gen_random_uuid()
        where reference = '${seeded.accepted}'`,
    );
    expect(found).toContainEqual({
      invariant: 'I6',
      what: 'deposit that nobody paid',
      reference: expect.stringMatching(/^SUS-/) as string,
    });
  });
});

describe('verifyLedger: I7', () => {
  it.each(['succeeded', 'failed', 'expired'] as const)(
    'an intent that %s and told nobody',
    async (status) => {
      const seeded = await seed();
      const { id, reference } = seeded[status];
      const found = await damage(seeded, `delete from events where intent_id = '${id}'`);
      expect(found).toContainEqual({
        invariant: 'I7',
        what: 'ended intent without its event, or the reverse',
        reference,
      });
      // The number is missing, too.
      expect(found).toContainEqual(
        expect.objectContaining({ what: 'events of an account are not numbered without gaps' }),
      );
    },
  );

  it('an event of another end than that of its intent', async () => {
    const seeded = await seed();
    const { id, reference } = seeded.failed;
    const found = await damage(
      seeded,
      `update events set type = 'payment.expired' where intent_id = '${id}'`,
    );
    const what = 'ended intent without its event, or the reverse';
    expect(found).toContainEqual({ invariant: 'I7', what, reference });
    // And the event itself has no intent that ended so.
    expect(found.filter((violation) => violation.what === what)).toHaveLength(2);
  });

  it('an event of an intent that has not ended', async () => {
    const seeded = await seed();
    const found = await damage(
      seeded,
      `update events set intent_id = '${seeded.open.id}' where intent_id = '${seeded.failed.id}'`,
    );
    const what = 'ended intent without its event, or the reverse';
    expect(found.filter((violation) => violation.what === what)).toHaveLength(2);
  });

  it('an intent with two events', async () => {
    const seeded = await seed();
    const { id, reference } = seeded.expired;
    await seeded.database.owner.raw('alter table events drop constraint events_intent_id_key');
    const found = await damage(
      seeded,
      `insert into events select gen_random_uuid(), user_id, environment, sequence + 100, type,
         intent_id, body, created_at from events where intent_id = '${id}'`,
    );
    expect(found).toContainEqual({
      invariant: 'I7',
      what: 'intent has more than one event',
      reference,
    });
  });

  it.each([
    ['has a gap', 'update events set sequence = sequence + 10 where sequence > 1'],
    ['begins late', 'update events set sequence = sequence + 10'],
    ['is behind its events', 'update event_sequences set last = last - 1'],
    ['is before its events', 'update event_sequences set last = last + 1'],
    ['is lost', 'delete from event_sequences'],
    [
      'is of an account without events',
      `insert into event_sequences values (gen_random_uuid(), 'live', 3)`,
    ],
  ])('a count of events that %s', async (_, sql) => {
    const found = await damage(await seed(), sql);
    expect(found).toContainEqual({
      invariant: 'I7',
      what: 'events of an account are not numbered without gaps',
      reference: expect.stringMatching(/^[0-9a-f-]{36}\/(sandbox|live)$/),
    });
  });

  it.each([
    ['is no JSON', `'{"id"'`],
    ['is empty', `''`],
    ['is null', `'null'`],
    ['has another status', `replace(body, '"status":"succeeded"', '"status":"failed"')`],
    ['has another amount', `replace(body, '"amount":5000.00', '"amount":5000.01')`],
    ['has another number', `replace(body, '"sequence":1,', '"sequence":2,')`],
    ['is of another intent', `replace(body, '"reference":"TRX-', '"reference":"TRX-0')`],
  ])('an event whose body %s', async (_, change) => {
    const seeded = await seed();
    const { id, reference } = seeded.succeeded;
    const changed = await damage(
      seeded,
      `update events set body = ${change} where intent_id = '${id}' and body <> ${change}`,
    );
    expect(changed).toEqual([
      { invariant: 'I7', what: 'event does not match its intent', reference },
    ]);
  });
});
