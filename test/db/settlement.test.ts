import { randomUUID } from 'node:crypto';
import { connectDatabase, type Db } from '../../db/connect';
import { createIntent, renewCheckout, type NewIntent } from '../../db/payment-intents/intents';
import { findIntent } from '../../db/payment-intents/intent-views';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import type { PaymentNotification } from '../../domain/payment';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { closeAfterFile } from '../support/cleanup';
import { createTestDatabase, openSession, setUp, untilLocked } from '../support/database';
import { buildUser, fund } from '../support/users';
import { startProxy } from '../faults/support/proxy';
import {
  buildNewIntent,
  notificationOf,
  letExpire,
  openAtOnce,
  expireAtOnce,
  statusOf,
  suspenseOf,
} from '../workflows/intents';
import { setFees } from '../support/fees';

// A settlement locks accounts that all merchants share. It is one statement, so that no caller
// waits for the process that settles, or for the network between it and Postgres.

const PAY_URL = 'https://pay.example.com';

const database = setUp(createTestDatabase);
const merchant = setUp(() => buildUser(database.db));
const proxy = setUp(() => startProxy(database.app_url));
/** Connects through the proxy: a process whose connection stalls. */
let stalled: Db;

beforeAll(async () => {
  stalled = connectDatabase({ url: proxy.url, pool_size: 2, name: 'stalled' });
  closeAfterFile(() => proxy.close());
  closeAfterFile(() => stalled.destroy());
});

afterEach(async () => {
  await setFees(database.owner);
  await expectBooksHold(database.db);
});

async function open(fields: Partial<NewIntent> = {}): Promise<NewIntent> {
  const intent = buildNewIntent(merchant, 'sandbox', fields);
  await createIntent(database.db, intent);
  await openAtOnce(database.db, intent.id, {
    session_id: `cs_${intent.id}`,
    checkout_url: `https://gateway.example.com/${intent.id}`,
    lapses_at: null,
  });
  return intent;
}

async function store(intent: NewIntent, fields: Partial<PaymentNotification> = {}) {
  const notification = notificationOf(intent, fields);
  const { id } = await storeNotification(database.db, 'sandbox', notification, Buffer.from('{}'));
  return id;
}

async function settle(intent: NewIntent, fields: Partial<PaymentNotification> = {}, db?: Db) {
  return applyNotification(db ?? database.db, await store(intent, fields), PAY_URL);
}

/** Another merchant is paid in the same currency, which takes the same accounts for clearing and fees. */
async function settleAnother(): Promise<string> {
  const other = await buildUser(database.db);
  const intent = buildNewIntent(other, 'sandbox');
  await createIntent(database.db, intent);
  const checkout_url = 'https://gateway.example.com/another';
  await openAtOnce(database.db, intent.id, { session_id: 'cs', checkout_url, lapses_at: null });
  return (await settle(intent)).outcome;
}

async function eventBody({ id }: NewIntent): Promise<Record<string, unknown>> {
  const { rows } = await database.owner.raw('select body from events where intent_id = ?', [id]);
  const [{ body }] = rows as [{ body: string }];
  return JSON.parse(body) as Record<string, unknown>;
}

/** Returns the intent as GET shows it now. */
async function shown({ id }: NewIntent): Promise<unknown> {
  const scope = { user_id: merchant.id, environment: 'sandbox', pay_url_base: PAY_URL } as const;
  return JSON.parse((await findIntent(database.db, scope, { id }))!.json);
}

async function setFee(): Promise<void> {
  await setFees(database.owner, { kinds: ['payment_intent'], percent: 1.5 });
}

describe('a connection that stalls while an intent is settled', () => {
  it('before it holds no lock: another merchant is paid meanwhile', async () => {
    await setFee();
    const intent = await open();
    const id = await store(intent);
    const held = proxy.holdNext('apply_stored_notification');
    const settling = applyNotification(stalled, id, PAY_URL);
    await held.arrived;
    expect(await settleAnother()).toBe('succeeded');
    // Even this intent can be settled by another process.
    expect(await applyNotification(database.db, id, PAY_URL)).toMatchObject({
      outcome: 'succeeded',
    });
    held.release();
    expect(await settling).toMatchObject({ outcome: 'succeeded', status: 'succeeded' });
    expect(await balanceOf(database.db, merchant, 'XOF', 'sandbox')).toBeGreaterThan(0n);
  });

  it('before an expiry holds no lock', async () => {
    const intent = await open();
    await letExpire(database, intent);
    const held = proxy.holdNext('expire_intents');
    const ending = expireAtOnce(stalled, intent.id);
    await held.arrived;
    expect(await settle(intent)).toMatchObject({ outcome: 'succeeded' });
    held.release();
    expect(await ending).toBe(false);
  });

  it('and loses the answer: it is settled, and a repetition has the first outcome', async () => {
    const before = await balanceOf(database.db, merchant, 'XOF', 'sandbox');
    const intent = await open();
    const id = await store(intent);
    proxy.loseAnswerIf((statement) => statement.includes('apply_stored_notification'));
    await expect(applyNotification(stalled, id, PAY_URL)).rejects.toThrow(/connection/i);
    proxy.loseAnswerIf(() => false);
    // Nothing was to follow that only this process could have sent.
    expect(await statusOf(database, intent)).toBe('succeeded');
    expect(await settleAnother()).toBe('succeeded');
    const again = { outcome: 'succeeded', intent_id: intent.id, status: 'succeeded' };
    expect(await applyNotification(database.db, id, PAY_URL)).toEqual(again);
    expect(await balanceOf(database.db, merchant, 'XOF', 'sandbox')).toBe(before + 500_000n);
  });
});

describe('the locks of a settlement', () => {
  let holder: Awaited<ReturnType<typeof openSession>> | undefined;

  // Also after a failure: the next test's settlement must not wait for this one's locks.
  afterEach(async () => {
    await holder?.query('rollback');
    holder = undefined;
  });

  async function lockAccounts(kinds: readonly string[]): Promise<void> {
    holder = await openSession(database.owner_url);
    await holder.query('begin');
    await holder.query(
      `select from ledger_accounts where user_id is null and kind = any ($1) order by id for update`,
      [kinds],
    );
  }

  it('are not those of fees and suspense when neither is used', async () => {
    await lockAccounts(['fees', 'suspense']);
    expect(await settle(await open())).toMatchObject({ outcome: 'succeeded' });
  });

  it('are not those of suspense when there is a fee', async () => {
    await setFee();
    await lockAccounts(['suspense']);
    const intent = await open();
    expect(await settle(intent)).toMatchObject({ outcome: 'succeeded' });
    expect(await shown(intent)).toMatchObject({ fee: 75, net_amount: 4_925 });
  });

  it('are taken again, in order, when the wallet fills up while they are waited for', async () => {
    const full = await buildUser(database.db);
    const intent = buildNewIntent(full, 'sandbox', { currency: 'EUR', amount_minor: '1000' });
    await createIntent(database.db, intent);
    const checkout_url = 'https://gateway.example.com/full';
    await openAtOnce(database.db, intent.id, { session_id: 'cs', checkout_url, lapses_at: null });
    const balance = await balanceOf(database.db, full, 'EUR', 'sandbox');
    await fund(database.db, full.id, 'sandbox', 'EUR', 999_999_999_998_000n - balance);
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query(
      `select post_adjustment($1, $2, 'sandbox', 'EUR', 'sandbox_source', 1500, 'fills it up')`,
      [`ADJ-${randomUUID()}`, full.id],
    );
    const settling = settle(intent);
    await untilLocked(database, 'apply_stored_notification');
    await session.query('commit');
    expect(await settling).toMatchObject({ outcome: 'suspense', status: 'open' });
    expect(await suspenseOf(database, intent)).toMatchObject([{ reason: 'limit_exceeded' }]);
  });
});

describe('the event of an end', () => {
  it('of a payment shows the intent as it is then', async () => {
    const intent = await open();
    const held = proxy.holdNext('apply_stored_notification');
    const ending = settle(intent, {}, stalled);
    await held.arrived;
    const checkout_url = 'https://gateway.example.com/the-next-session';
    const next = { session_id: 'cs_next', checkout_url, lapses_at: null };
    await renewCheckout(database.db, intent.id, 2, next);
    held.release();
    await ending;
    const { data } = await eventBody(intent);
    expect(data).toEqual(await shown(intent));
    expect(data).toMatchObject({ checkout_url });
  });
});
