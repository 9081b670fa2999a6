// Everything that posts or decides about a posting, by the functions that the service and the operators
// call: for loads of many of them at once.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Db } from '../../db/connect';
import { isCheckViolation } from '../../db/errors';
import { cancelIntent, createIntent, type NewIntent } from '../../db/payment-intents/intents';
import { applyNotification, storeNotification } from '../../db/suspense/notifications';
import {
  acceptSuspense,
  beginAskingRefund,
  closeSuspense,
  listSuspense,
  noteRefundNotice,
  orderSuspenseRefund,
  recordRefundAnswer,
  type RefundAnswer,
  type SuspenseItem,
} from '../../db/suspense/suspense';
import {
  claimDisputeNotices,
  noteDisputeNotice,
  recordDisputeAnswer,
  takeNextOwed,
} from '../../db/disputes/disputes';
import type { Currency } from '../../domain/currency';
import type { DisputeState } from '../../domain/dispute';
import type { Environment } from '../../domain/environment';
import type { PaymentNotification } from '../../domain/payment';
import type { TransferRequest, TransferResult } from '../../domain/transfer';
import { operatorOf, type TestDatabase } from '../support/database';
import { buildPaymentLink, ofLink } from '../support/payment-links';
import { buildTransferRequest, insist, post } from '../support/postings';
import { buildReversalRequest, reverse } from '../support/reversals';
import { ACTOR, fund, type TestUser } from '../support/users';
import {
  buildNewIntent,
  FAILURE,
  expireAtOnce,
  notificationOf,
  letExpire,
  openAtOnce,
} from '../workflows/intents';
import { requestOf, reversals, wishes } from './ledger-commands';
import { PEOPLE, type Person, type ReversalWish, type Wish } from './ledger-model';

const PAY_URL = 'https://pay.example.com';
const GATEWAY = 'sandbox';
const INTENTS = 24;
/** Held before the load begins, so that operators have something to decide from its first moment on. */
const HELD = 8;
/** The first ones after those: few, so that each dispute is opened and decided more than once. */
const DISPUTED = 4;
/** So many of those are paid before the load begins; the others may be disputed before they are paid. */
const PAID = 2;

export interface Scene {
  readonly users: Readonly<Record<Person, TestUser>>;
  /** Open, or just expired: each may be paid, refused and ended by several at once. */
  readonly intents: readonly NewIntent[];
  /** The result of each transfer, for the comparison of replays. */
  readonly transferred: [TransferRequest, TransferResult][];
  /** The amounts that came in at the gateway, by its own id of the payment. */
  readonly paid: Map<string, bigint>;
  readonly refunds: Refunds;
  /** The gateway's words about each dispute, by its own id of it. */
  readonly disputes: Map<string, DisputeState>;
}

/** The gateway's answer to each order to refund, by its own id of the refund. */
export type Refunds = Map<string, RefundAnswer['status']>;

const NOTICES = {
  paid: {},
  short: { amount_minor: '100' },
  unknown: { intent_id: null, reference: 'TRX-00000000000000000000' },
  pending: { type: 'payment.pending' },
  refused: { type: 'payment.failed', final: false, failure: FAILURE },
  failed: { type: 'payment.failed', failure: FAILURE },
} as const satisfies Record<string, Partial<PaymentNotification>>;

const DECISIONS = ['accept', 'close', 'pending', 'succeeded', 'failed'] as const;

export type Operation =
  | { readonly kind: 'transfers'; readonly batch: readonly Wish[] }
  | { readonly kind: 'reversal'; readonly wish: ReversalWish }
  | { readonly kind: 'credit'; readonly person: Person; readonly environment: Environment }
  | {
      readonly kind: 'notice';
      readonly intent: number;
      readonly notice: keyof typeof NOTICES;
      readonly copies: number;
    }
  | { readonly kind: 'end'; readonly intent: number; readonly final: 'expired' | 'canceled' }
  | {
      readonly kind: 'suspense';
      readonly item: number;
      /** Accepts it, closes it, or refunds it, and says what the gateway makes of that. */
      readonly decision: (typeof DECISIONS)[number];
    }
  | {
      readonly kind: 'dispute';
      readonly intent: number;
      /** Which of the payment's disputed parts it is. */
      readonly part: number;
      readonly status: DisputeState['status'];
    }
  | { readonly kind: 'owed' };

const environment = fc.constantFrom<Environment>('live', 'sandbox');
const intent = fc.nat(INTENTS - 1);

const arbitraries: readonly fc.WeightedArbitrary<Operation>[] = [
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('transfers'),
      batch: fc.array(wishes, { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('reversal'), wish: reversals }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('credit'),
      person: fc.constantFrom(...PEOPLE),
      environment,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('notice'),
      intent,
      notice: fc.constantFrom('paid', 'paid', 'short', 'unknown', 'pending', 'refused', 'failed'),
      copies: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('end'),
      intent,
      final: fc.constantFrom('expired', 'canceled'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('suspense'),
      item: fc.nat(HELD - 1),
      decision: fc.constantFrom(...DECISIONS),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('dispute'),
      intent: fc.integer({ min: HELD, max: HELD + DISPUTED - 1 }),
      part: fc.nat(1),
      status: fc.constantFrom('open', 'open', 'won', 'lost', 'lost', 'none'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('owed') }) },
];

export const operations: fc.Arbitrary<Operation> = fc.oneof(...arbitraries);

/** Intents of the three people by turns, in XOF, live and sandbox; every second has just expired. */
export async function setScene(
  database: TestDatabase,
  users: Scene['users'],
  refunds: Refunds,
): Promise<Scene> {
  const { db } = database;
  // Payments of one link end at the same time in many transactions.
  const link = await buildPaymentLink(db, users[PEOPLE[1]], { environment: 'live' });
  const intents = await Promise.all(
    Array.from({ length: INTENTS }, async (_, index) => {
      const is_live = index % 4 !== 0;
      const one = buildNewIntent(users[PEOPLE[index % 3]!], GATEWAY, {
        environment: is_live ? 'live' : 'sandbox',
        ...(is_live && index % 3 === 1 ? ofLink(link) : {}),
      });
      await createIntent(db, one);
      const checkout = { session_id: one.id, checkout_url: PAY_URL, lapses_at: null };
      await openAtOnce(db, one.id, checkout);
      if (index % 2 === 0) await letExpire(database, one);
      return one;
    }),
  );
  const disputes = new Map<string, DisputeState>();
  const scene: Scene = { users, intents, transferred: [], paid: new Map(), refunds, disputes };
  const [from, to] = [users.ann, users.ben];
  const first = buildTransferRequest({ from, to, amount: 100n });
  scene.transferred.push([first, (await post(db, [first]))[0]!]);
  await Promise.all(
    intents
      .slice(0, HELD + PAID)
      .map((one, index) =>
        notify(db, scene, one, { notice: index < HELD ? 'short' : 'paid', copies: 1 }),
      ),
  );
  return scene;
}

/** Rejects for nothing that may happen when others do the same at once. */
export async function run(db: Db, scene: Scene, operation: Operation): Promise<void> {
  switch (operation.kind) {
    case 'transfers': {
      const requests = operation.batch.map((wish) => requestOf(wish, scene.users));
      const results = await insist(() => post(db, requests));
      results.forEach((result, index) => scene.transferred.push([requests[index]!, result]));
      return;
    }
    case 'reversal':
      return reverseOne(db, scene, operation.wish);
    case 'credit':
      await insist(() =>
        fund(db, scene.users[operation.person].id, operation.environment, 'XOF', 10_000n),
      );
      return;
    case 'notice':
      return notify(db, scene, scene.intents[operation.intent]!, operation);
    case 'end':
      await insist<unknown>(() => {
        const { id } = scene.intents[operation.intent]!;
        return operation.final === 'expired' ? expireAtOnce(db, id) : cancelIntent(db, id);
      });
      return;
    case 'suspense':
      return insist(() => decide(db, scene, operation));
    case 'dispute':
      return insist(() => dispute(db, scene, operation));
    case 'owed':
      await insist(() => takeNextOwed(db));
      return;
  }
}

/** Acts as the gateway that notifies and as the job that asks it, as several may at once. */
async function dispute(
  db: Db,
  { intents, disputes }: Scene,
  { intent: index, part, status }: Extract<Operation, { kind: 'dispute' }>,
): Promise<void> {
  const one = intents[index]!;
  const of = { name: GATEWAY, environment: one.environment };
  const { rows } = (await db.raw(
    `select provider_payment_id as id from gateway_payments where intent_id = ?
      order by booked_as = 'suspense', booked_at`,
    [one.id],
  )) as { rows: { id: string }[] };
  const dispute_id = `dp_${one.id}_${part}`;
  disputes.set(dispute_id, {
    status,
    // A dispute of a payment that is not booked yet has no other place than the operators' page.
    provider_payment_id: rows[0]?.id ?? `pay_of_${one.id}`,
    amount_minor: '100',
    currency: one.currency,
    fee_minor: '100',
    reason: 'general',
    evidence_due_by: null,
  });
  await noteDisputeNotice(db, GATEWAY, { environment: one.environment, dispute_id });
  for (const question of await claimDisputeNotices(db, of, 100)) {
    const state = disputes.get(question.dispute_id);
    if (state) await recordDisputeAnswer(db, of, question, state);
  }
}

interface TransferRow {
  readonly reference: string;
  readonly environment: Environment;
  readonly currency: Currency;
  readonly sender_id: string;
  readonly recipient_id: string;
}

/** Chooses a transfer of this load; there is always the first one. */
async function reverseOne(
  db: Db,
  { users, transferred }: Scene,
  { which, is_by_sender, steps, key }: ReversalWish,
): Promise<void> {
  const made = transferred.filter(([, { outcome }]) =>
    ['completed', 'simulated'].includes(outcome),
  );
  // Its row tells of it: a key that was used before returns what the first request with it made.
  const { rows } = (await db.raw(
    'select reference, environment, currency, sender_id, recipient_id from transfers where reference = ?',
    [made[which % made.length]![1].reference],
  )) as { rows: TransferRow[] };
  const { reference, environment: env, currency, sender_id, recipient_id } = rows[0]!;
  const by_id = is_by_sender ? sender_id : recipient_id;
  const by = Object.values(users).find(({ id }) => id === by_id)!;
  const reversal = buildReversalRequest({
    by,
    key,
    currency,
    environment: env,
    transfer_reference: reference,
    amount: steps === null ? null : steps * (currency === 'XOF' ? 100n : 1n),
  });
  await insist(() => reverse(db, reversal));
}

async function notify(
  db: Db,
  { paid }: Scene,
  one: NewIntent,
  { notice, copies }: Pick<Extract<Operation, { kind: 'notice' }>, 'notice' | 'copies'>,
): Promise<void> {
  const told = notificationOf(one, NOTICES[notice]);
  if (told.type === 'payment.succeeded') {
    paid.set(told.provider_payment_id, BigInt(told.amount_minor));
  }
  await Promise.all(
    Array.from({ length: copies }, async () => {
      const { id } = await insist(() => storeNotification(db, GATEWAY, told, Buffer.from('{}')));
      await insist(() => applyNotification(db, id, PAY_URL));
    }),
  );
}

/** About one of the items that wait, as several operators may at once. */
async function decide(
  db: Db,
  scene: Scene,
  { item, decision }: Extract<Operation, { kind: 'suspense' }>,
): Promise<void> {
  const waiting = await listSuspense(db, false);
  const chosen = waiting[item % Math.max(1, waiting.length)];
  if (chosen === undefined) return;
  const operator = operatorOf(db);
  if (decision === 'accept') {
    // Refused when another decided first, and when it belongs to no merchant.
    await acceptSuspense(operator, chosen.id, ACTOR).catch((error: unknown) => {
      if (!isCheckViolation(error)) throw error;
    });
  } else if (decision === 'close') {
    const reference = `wire ${randomUUID()}`;
    const closing = {
      reason: 'paid back',
      reference,
      unmade_order: null,
      gateway_refund: null,
      actor: ACTOR,
    };
    await closeSuspense(operator, chosen.id, closing);
  } else {
    await orderSuspenseRefund(operator, chosen.id, ACTOR);
    await askGateway(db, scene, chosen, decision);
  }
}

/** Acts as the workflow of a refund does, which several may have started. */
async function askGateway(
  db: Db,
  { refunds }: Scene,
  { id, environment: env, provider_payment_id }: SuspenseItem,
  wanted: RefundAnswer['status'],
): Promise<void> {
  for (const question of await beginAskingRefund(db, id)) {
    const refund_id = `re_${id}_${question.number}`;
    const before = refunds.get(refund_id);
    // A refund may wait, succeed, and fail even then; what has failed stays so.
    const isOver = before === 'failed' || (before === 'succeeded' && wanted === 'pending');
    const status = isOver ? before : wanted;
    refunds.set(refund_id, status);
    if (before !== undefined && before !== status) {
      await noteRefundNotice(db, GATEWAY, {
        environment: env,
        provider_payment_id,
        refund_id,
        reference: null,
      });
    }
    await recordRefundAnswer(db, id, question, { status, refund_id, detail: null });
  }
}
