// The course of each kind of record: from which state it may go to which, by which step, for which test value, why, and
// what follows by itself. The first line of a course that fits is taken.

import { TEST_DELAY_MS } from '../../../domain/test-values';
import { randomText } from '../../../secrets/random';
import type { ChargeFailureCode } from '../../../gateway/sandbox/phones';
import type { FailureCode } from '../../../gateway/sandbox/payouts';
import type { AnyRecord, Kind, RecordOf } from './records';

/** How long things take. */
export const DURATIONS = {
  settle_ms: 1_000,
  closed_ms: 60 * 60 * 1_000,
  return_ms: 24 * 60 * 60 * 1_000,
  /** Operators wait so long for a secret code. */
  expire_ms: 5 * 60 * 1_000,
  /** A customer chose the delay on the page, for payments and their refunds. */
  delay_ms: TEST_DELAY_MS.default,
};
export type Durations = Readonly<Record<keyof typeof DURATIONS, number>>;

/** Customers choose one of these on the checkout page. */
export const ACTIONS = [
  'pay',
  'pay_slowly',
  'pay_notify_twice',
  'pay_twice',
  'decline_retry',
  'decline',
  'decline_slowly',
  'come_back_later',
] as const;
export type Action = (typeof ACTIONS)[number];

/** How refunds go that do not just work; `pending` and `needs_customer` stay so for ever. */
export const REFUND_COURSES = ['slow', 'fail', 'fail_later', 'pending', 'needs_customer'] as const;
export type RefundCourse = (typeof REFUND_COURSES)[number];

/** A phone's owner does one of these, or nothing in time. */
export const PRESSES = ['confirm', 'decline', 'expire'] as const;
export type Press = (typeof PRESSES)[number];

/** The customer's bank does these: `won` and `lost` are for the merchant. */
export const DISPUTE_COURSES = ['open', 'won', 'lost'] as const;
export type DisputeCourse = (typeof DISPUTE_COURSES)[number];

/** Tests do these to a payout, in place of time and of the operator's people. */
export const PAYOUT_ACTIONS = [
  'pay',
  'fail',
  'open',
  'late_fail',
  'pay_after_failure',
  'return',
] as const;
export type PayoutAction = (typeof PAYOUT_ACTIONS)[number];

export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** Where a record is on its course. */
export interface Moment {
  readonly status: string;
  readonly changed_at: string;
  /** Why it failed, or what it waits for. */
  readonly failure: Failure | null;
  /** The step that follows by itself, and when. */
  readonly next: { readonly at: string; readonly step: string } | null;
  /** The service is not notified of this state. */
  readonly is_quiet: boolean;
}

interface Line {
  readonly step: string;
  /** The outcomes that it is for, apart by blanks; without it for all. */
  readonly of?: string;
  /** The states from which it goes, apart by blanks; none is the beginning. */
  readonly from?: string;
  readonly to: string;
  readonly next?: readonly [step: string, after: keyof Durations];
  readonly because?: Failure;
  /** All of it comes back to our account. */
  readonly returns?: true;
}

const because = <Code extends string>(code: Code, message: string) => ({ code, message });
const charge = because<ChargeFailureCode>;
const payout = because<FailureCode>;

const DECLINED = 'The payment was declined. Try again, or pay in another way.';
const REFUSED = because('payment_refused', 'The payment was refused.');
const SLOW_BANK = because('slow', 'the bank is slow');
const ASK_CUSTOMER = because('needs_customer', 'the customer has to say to which account');
const ACCOUNT_CLOSED = because('closed', 'The account that was paid from is closed.');
const PAYER_UNKNOWN = 'The operator knows nobody with this number.';
const NOT_APPROVED = charge('NOT_APPROVED', 'The customer has declined the payment.');
const EXPIRED = charge('EXPIRED', 'The customer has not confirmed the payment in time.');
const NOT_TAKEN = charge('OPERATOR_DOWN', 'The operator was down and has taken nothing.');
const NOT_DONE = payout('DECLINED', 'The operator declined the payout.');
const NOT_PAID = payout('OPERATOR_DOWN', 'The operator was down and has paid nothing.');

/** Orders that are refused at once, by their outcome. */
const refused = (failures: Readonly<Record<string, Failure>>): readonly Line[] =>
  Object.entries(failures).map(([of, failure]) => ({
    step: 'begin',
    of,
    to: 'failed',
    because: failure,
  }));

const COURSES: Readonly<Record<Kind, readonly Line[]>> = {
  session: [
    { step: 'begin', to: 'open' },
    { step: 'close', from: 'open', to: 'closed' },
  ],
  payment: [
    { step: 'begin', of: 'pay_slowly', to: 'pending', next: ['pay', 'delay_ms'] },
    { step: 'begin', of: 'decline_slowly', to: 'pending', next: ['refuse', 'delay_ms'] },
    {
      step: 'begin',
      of: 'decline_retry',
      to: 'failed',
      because: because('card_declined', DECLINED),
    },
    { step: 'begin', of: 'decline', to: 'refused', because: REFUSED },
    { step: 'begin', to: 'succeeded' },
    { step: 'pay', from: 'pending', to: 'succeeded' },
    { step: 'refuse', from: 'pending', to: 'refused', because: REFUSED },
  ],
  charge: [
    ...refused({
      not_found: charge('PAYER_NOT_FOUND', PAYER_UNKNOWN),
      blocked: charge('PAYER_BLOCKED', 'The customer is blocked.'),
      over_limit: charge('PAYER_LIMIT_REACHED', 'The customer may not pay so much.'),
      closed: charge('OPERATOR_DOWN', 'The operator takes no payments for now.'),
      unsupported: charge('UNSUPPORTED', 'No phone of this operator pays in this currency.'),
      out_of_bounds: charge('AMOUNT_OUT_OF_BOUNDS', 'The operator does not take such an amount.'),
      wrong_code: charge('WRONG_CODE', 'The one-time code is wrong or was used before.'),
    }),
    { step: 'begin', of: 'asks', to: 'waiting', next: ['expire', 'expire_ms'] },
    { step: 'begin', of: 'lost_paid', to: 'paid' },
    { step: 'begin', of: 'fails lost_not_paid', to: 'waiting', next: ['decline', 'settle_ms'] },
    { step: 'begin', to: 'waiting', next: ['confirm', 'settle_ms'] },
    // A secret code may arrive after the operator has given up waiting for it.
    { step: 'confirm', from: 'waiting expired', to: 'paid' },
    { step: 'decline', of: 'lost_not_paid', from: 'waiting', to: 'failed', because: NOT_TAKEN },
    { step: 'decline', from: 'waiting', to: 'failed', because: NOT_APPROVED },
    { step: 'expire', from: 'waiting', to: 'expired', because: EXPIRED },
  ],
  refund: [
    { step: 'begin', of: 'slow', to: 'pending', next: ['make', 'delay_ms'], because: SLOW_BANK },
    { step: 'begin', of: 'fail', to: 'pending', next: ['fail', 'delay_ms'], because: SLOW_BANK },
    { step: 'begin', of: 'fail_later', to: 'succeeded', next: ['fail', 'delay_ms'] },
    { step: 'begin', of: 'pending', to: 'pending', because: SLOW_BANK },
    { step: 'begin', of: 'needs_customer', to: 'pending', because: ASK_CUSTOMER },
    { step: 'begin', to: 'succeeded' },
    { step: 'make', from: 'pending', to: 'succeeded' },
    { step: 'fail', from: 'pending succeeded', to: 'failed', because: ACCOUNT_CLOSED },
  ],
  dispute: [
    { step: 'begin', to: 'open' },
    // One that is lost may be won on appeal.
    { step: 'won', from: 'open lost', to: 'won' },
    { step: 'lost', from: 'open', to: 'lost' },
  ],
  payout: [
    ...refused({
      unsupported: payout('UNSUPPORTED', 'No operator pays this currency to this destination.'),
      out_of_bounds: payout('AMOUNT_OUT_OF_BOUNDS', 'The operator does not pay such an amount.'),
      not_found: payout('PAYEE_NOT_FOUND', PAYER_UNKNOWN),
      blocked: payout('PAYEE_BLOCKED', 'The recipient is blocked.'),
      over_limit: payout('PAYEE_LIMIT_REACHED', 'The recipient may not receive so much.'),
      too_little: payout('FLOAT_TOO_LOW', 'The account at the operator holds too little.'),
    }),
    { step: 'begin', of: 'closed', to: 'queued', next: ['open', 'closed_ms'] },
    { step: 'begin', of: 'lost_paid', to: 'succeeded' },
    { step: 'begin', of: 'fails lost_not_paid', to: 'sent', next: ['fail', 'settle_ms'] },
    { step: 'begin', to: 'sent', next: ['pay', 'settle_ms'] },
    { step: 'open', from: 'queued', to: 'sent', next: ['pay', 'settle_ms'] },
    { step: 'cancel', from: 'queued', to: 'canceled' },
    {
      step: 'pay',
      of: 'comes_back',
      from: 'queued sent',
      to: 'succeeded',
      next: ['return', 'return_ms'],
    },
    { step: 'pay', from: 'queued sent', to: 'succeeded' },
    { step: 'pay_after_failure', from: 'failed canceled', to: 'succeeded' },
    { step: 'fail', of: 'lost_not_paid', from: 'queued sent', to: 'failed', because: NOT_PAID },
    { step: 'fail', from: 'queued sent', to: 'failed', because: NOT_DONE },
    // The operator takes back what it had paid.
    { step: 'late_fail', from: 'succeeded', to: 'failed_late', because: NOT_DONE, returns: true },
    { step: 'return', from: 'succeeded returned', to: 'returned', returns: true },
  ],
};

/** Steps and states of which the service is not notified: nothing has ended, or its call is answered with it. */
const QUIET: Readonly<Record<Kind, readonly string[]>> = {
  session: ['open', 'closed'],
  payment: [],
  charge: ['waiting'],
  refund: ['begin'],
  dispute: [],
  payout: ['queued', 'sent'],
};

/** States that are one to the service, and differ in what can follow. */
const SHOWN: Readonly<Record<string, string>> = {
  refused: 'failed',
  expired: 'failed',
  failed_late: 'failed',
};

export function shownStatus({ status }: Pick<Moment, 'status'>): string {
  return SHOWN[status] ?? status;
}

const PREFIXES: Readonly<Record<Kind, string>> = {
  session: 'cs',
  payment: 'pay',
  charge: 'ch',
  refund: 're',
  dispute: 'dp',
  payout: 'po',
};
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** An id has 120 random bits. */
export function newId(prefix: string): string {
  return `${prefix}_${randomText(LETTERS, 24)}`;
}

/** A new record. Every course has a line to begin with whatever the outcome. */
export function begin<K extends Kind>(
  kind: K,
  terms: Omit<RecordOf<K>, keyof Moment | 'kind' | 'id' | 'created_at'>,
  durations: Durations,
): RecordOf<K> {
  const [id, created_at] = [newId(PREFIXES[kind]), instant(Date.now())];
  const record = { ...terms, kind, id, created_at, status: '', next: null };
  return takeStep(record as unknown as RecordOf<K>, 'begin', durations)!;
}

/** The record after a step; undefined where it does not fit the record's state. */
export function takeStep<R extends AnyRecord>(
  record: R,
  step: string,
  durations: Durations,
): R | undefined {
  const line = lineFor(record, step);
  if (line === undefined) return undefined;
  const { to, next = null, because: failure = null } = line;
  const after = next && { step: next[0], at: instant(dueAt(record) + durations[next[1]]) };
  const moment: Moment = {
    status: to,
    changed_at: instant(Date.now()),
    failure,
    next: after,
    is_quiet: QUIET[record.kind].some((one) => one === step || one === to),
  };
  const returned = line.returns ? { returned_minor: record.amount_minor } : {};
  return { ...record, ...returned, ...moment };
}

export function lineFor(
  { kind, status, outcome }: Pick<AnyRecord, 'kind' | 'status' | 'outcome'>,
  step: string,
): Line | undefined {
  return COURSES[kind].find(
    (line) =>
      line.step === step &&
      (line.from ?? '').split(' ').includes(status) &&
      (line.of === undefined || line.of.split(' ').includes(outcome)),
  );
}

/** On a clock that was moved one step follows the other from when it was due: a jump takes all of them. */
function dueAt(record: AnyRecord): number {
  const is_moved = record.kind === 'payout' && (record.clock?.clock_seconds ?? 0) > 0;
  const due = is_moved && record.next ? Date.parse(record.next.at) : Infinity;
  return Math.min(Date.now(), due);
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
