// All postings lock the accounts that they touch by ascending id, so that no two of them can wait for
// each other: a posting that waits for an account holds none with a higher id.

import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { createIntent } from '../../db/payment-intents/intents';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import {
  acceptSuspense,
  beginAskingRefund,
  closeSuspense,
  recordRefundAnswer,
} from '../../db/suspense/suspense';
import type { DisputeState } from '../../domain/dispute';
import type { PaymentNotification } from '../../domain/payment';
import { expectBooksHold } from '../support/books';
import {
  createTestDatabase,
  openSession,
  pastLock,
  setUp,
  untilSessionsWait,
} from '../support/database';
import { disputeOf, say } from '../support/disputes';
import { buildTransferRequest, post, postOne } from '../support/postings';
import { payIntent } from '../support/refunds';
import { buildReversalRequest, reverse } from '../support/reversals';
import { buildUser, fund, type TestUser } from '../support/users';
import {
  buildNewIntent,
  notificationOf,
  openAtOnce,
  orderRefund,
  suspenseOf,
} from '../workflows/intents';
import { setFees } from '../support/fees';

const PAY_URL = 'https://pay.example.com';
const FUNDS = { live: { XOF: 1_000_000n, EUR: 1_000_000n } };

const database = setUp(createTestDatabase);
/** The names follow the order of the wallets. */
let first: TestUser;
let second: TestUser;
let third: TestUser;
let stranger: TestUser;

beforeAll(async () => {
  // Only fees touch the account of fees.
  await setFees(database.owner, { percent: 1 });
  first = await buildUser(database.db, { funds: FUNDS });
  second = await buildUser(database.db, { funds: FUNDS });
  third = await buildUser(database.db, { funds: FUNDS });
  stranger = await buildUser(database.db);
});

type Work = () => Promise<unknown>;

const transfer =
  (from: () => TestUser, to: () => TestUser): (() => Promise<Work>) =>
  async () =>
  () =>
    postOne(database.db, { from: from(), to: to(), amount: 10_000n });

const reversal =
  (from: () => TestUser, to: () => TestUser): (() => Promise<Work>) =>
  async () => {
    const { reference } = await postOne(database.db, { from: from(), to: to(), amount: 10_000n });
    const request = buildReversalRequest({ by: to(), transfer_reference: reference! });
    return () => reverse(database.db, request);
  };

/** Applies one notification of an open intent. */
async function notified(fields: Partial<PaymentNotification> = {}): Promise<Work> {
  const intent = buildNewIntent(second, 'sandbox', { environment: 'live' });
  await createIntent(database.db, intent);
  const checkout = { session_id: intent.id, checkout_url: PAY_URL, lapses_at: null };
  await openAtOnce(database.db, intent.id, checkout);
  const paid = notificationOf(intent, fields);
  const { id } = await storeNotification(database.db, 'sandbox', paid, Buffer.from('{}'));
  return () => applyNotification(database.db, id, PAY_URL);
}

async function heldItem(): Promise<string> {
  const intent = buildNewIntent(second, 'sandbox', { environment: 'live' });
  await createIntent(database.db, intent);
  const checkout = { session_id: intent.id, checkout_url: PAY_URL, lapses_at: null };
  await openAtOnce(database.db, intent.id, checkout);
  const paid = notificationOf(intent, { amount_minor: '100' });
  const { id } = await storeNotification(database.db, 'sandbox', paid, Buffer.from('{}'));
  await applyNotification(database.db, id, PAY_URL);
  return (await suspenseOf(database, intent))[0]!.id;
}

/** Each is prepared anew, and then posts. */
const POSTINGS: readonly (readonly [string, () => Promise<Work>])[] = [
  [
    'a transfer from the lower wallet to the higher',
    transfer(
      () => first,
      () => second,
    ),
  ],
  [
    'a transfer from the higher wallet to the lower',
    transfer(
      () => second,
      () => first,
    ),
  ],
  [
    'a batch that crosses itself in two currencies',
    async () => {
      const requests = [
        buildTransferRequest({ from: third, to: first, amount: 10_000n }),
        buildTransferRequest({ from: first, to: second, amount: 10_000n, currency: 'EUR' }),
        buildTransferRequest({ from: second, to: third, amount: 10_000n, currency: 'EUR' }),
        buildTransferRequest({ from: first, to: third, amount: 10_000n }),
      ];
      return () => post(database.db, requests);
    },
  ],
  [
    'a reversal from the lower wallet to the higher',
    reversal(
      () => second,
      () => first,
    ),
  ],
  [
    'a reversal from the higher wallet to the lower',
    reversal(
      () => first,
      () => second,
    ),
  ],
  ['an adjustment', async () => () => fund(database.db, second.id, 'live', 'XOF', 100n)],
  ['a payment', () => notified()],
  ['money that is held in suspense', () => notified({ amount_minor: '100' })],
  ['money of no intent', () => notified({ intent_id: randomUUID(), reference: null })],
  [
    'suspense that is accepted',
    async () => {
      const item = await heldItem();
      return () => acceptSuspense(database.operator, item, 'test');
    },
  ],
  [
    'suspense that is refunded',
    async () => {
      const item = await heldItem();
      return answer(item, 'succeeded');
    },
  ],
  [
    'suspense whose refund comes back',
    async () => {
      const item = await heldItem();
      await (
        await answer(item, 'succeeded')
      )();
      await database.owner.raw(
        'update suspense_refunds set notified_at = now() where item_id = ?',
        [item],
      );
      return answer(item, 'failed');
    },
  ],
  [
    'suspense that is closed',
    async () => {
      const item = await heldItem();
      const closing = {
        reason: 'paid back',
        reference: `wire ${item}`,
        unmade_order: null,
        gateway_refund: null,
        actor: 'tests',
      };
      return () => closeSuspense(database.operator, item, closing);
    },
  ],
  ['a dispute that is opened', () => disputed([], 'open')],
  ['a dispute whose first news is that it is lost', () => disputed([], 'lost')],
  ['a dispute that is lost', () => disputed(['open'], 'lost')],
  ['a dispute that is won', () => disputed(['open'], 'won')],
  ['a dispute that is won by an appeal', () => disputed(['lost'], 'won')],
];

/** A payment is disputed, and the gateway says these words about it; the last one is the posting. */
async function disputed(
  before: readonly DisputeState['status'][],
  status: DisputeState['status'],
): Promise<Work> {
  const intent = await payIntent(database.db, second, { environment: 'live' });
  const dispute = await disputeOf(database, intent, { amount_minor: '10000', fee_minor: '1000' });
  for (const one of before) await say(database.db, dispute, { status: one });
  return () => say(database.db, dispute, { status });
}

/** The gateway's next word about a refund, which is ordered first when it is not. */
async function answer(item: string, status: 'succeeded' | 'failed'): Promise<Work> {
  await orderRefund(database, item);
  const [question] = await beginAskingRefund(database.db, item);
  const said = { status, refund_id: `re_${item}`, detail: null };
  return () => recordRefundAnswer(database.db, item, question!, said);
}

/** The accounts that a posting moves, by ascending id. */
async function touchedBy(prepare: () => Promise<Work>): Promise<bigint[]> {
  const run = await prepare();
  const { rows: before } = await database.owner.raw('select id, version from ledger_accounts');
  const versions = new Map((before as Account[]).map(({ id, version }) => [id, version]));
  await run();
  const { rows } = await database.owner.raw('select id, version from ledger_accounts order by id');
  return (rows as Account[])
    .filter(({ id, version }) => versions.get(id) !== version)
    .map(({ id }) => id);
}

interface Account {
  readonly id: bigint;
  readonly version: bigint;
}

/** Accounts above this one that a session holds: tried one by one, without waiting. */
async function heldAbove(account: bigint): Promise<string[]> {
  const { rows } = await database.owner.raw(
    `select id, kind, currency from ledger_accounts where id > ? order by id`,
    [String(account)],
  );
  const held: string[] = [];
  const session = await openSession(database.owner_url);
  const note = (what: string, statement: string, values: string[] = []) =>
    session.query(statement, values).catch((error: { code?: string }) => {
      if (error.code !== '55P03') throw error;
      held.push(what);
    });
  for (const { id, kind, currency } of rows as { id: bigint; kind: string; currency: string }[]) {
    const lock = 'select from ledger_accounts where id = $1 for update nowait';
    await note(`${kind} ${currency} (${id})`, lock, [String(id)]);
  }
  // The one who holds the account may be about to write a line of a payment's timeline, whose key it refers to.
  await note('the key of a payment', 'select from payment_intents for key share nowait');
  return held;
}

it.each(POSTINGS)(
  '%s locks its accounts alone, and none above the one that it waits for',
  async (_, prepare) => {
    const touched = await touchedBy(prepare);
    expect(touched.length).toBeGreaterThanOrEqual(2);
    const beside = (session: Client) =>
      session.query('select from ledger_accounts where user_id = $1 for update', [stranger.id]);
    await pastLock(database, beside, await prepare());
    for (const account of touched) {
      const run = await prepare();
      const session = await openSession(database.owner_url);
      await session.query('begin');
      await session.query('select from ledger_accounts where id = $1 for update', [
        String(account),
      ]);
      const running = run();
      await untilSessionsWait(database, 1);
      const held_above = await heldAbove(account);
      await session.query('rollback');
      await running;
      expect({ waits_for: account, held_above }).toEqual({ waits_for: account, held_above: [] });
    }
    await expectBooksHold(database.db);
  },
);
