// Decides what the operator does with payouts: takes orders once for each id, pays, fails, returns. Decided and
// recorded as payments are (payments.ts): without waiting in between, and on disk before anything is answered.

import { isDeepStrictEqual } from 'node:util';
import { renderJson } from '../../../domain/json';
import { CURRENCIES, type Currency } from '../../../domain/currency';
import type { Environment } from '../../../domain/environment';
import { testOutcomeOf } from '../../../domain/test-phones';
import { majorText } from '../../../gateway/sandbox/fields';
import { PAYOUT_UPDATED } from '../../../gateway/sandbox/payouts';
import { newId } from './actions';
import type { Journal } from './journal';
import { pageOf, type ListTerms } from './lists';
import type { Notifier } from './notifier';
import { numberOf, railOf } from './operators';
import type { Payout, PayoutRefusal, PayoutTerms, Step } from './payout-store';
import type { Decision } from './refunds';
import type { Entry, Notification, Store } from './store';
import type { Timers } from './timers';

/** What a test does to one payout, in place of time and of the operator's people. */
export type PayoutAct =
  | { readonly action: 'pay' | 'fail' | 'open' | 'late_fail' | 'pay_after_failure' }
  /** Without an amount all that has not come back. */
  | { readonly action: 'return'; readonly amount_minor: bigint | null }
  | {
      readonly action: 'notify';
      readonly times: number;
      /** The account whose secret signs: another one's is a forgery. */
      readonly signed_by: Environment;
      /** The amount that the body says. */
      readonly amount_minor: bigint;
    };

/** How long things take. */
export interface PayoutDurations {
  readonly settle_ms: number;
  readonly closed_ms: number;
  readonly return_ms: number;
}

export const PAYOUT_DURATIONS: PayoutDurations = {
  settle_ms: 1_000,
  closed_ms: 60 * 60 * 1000,
  return_ms: 24 * 60 * 60 * 1000,
};

export interface Payouts {
  /** The same order again is the same payout, for ever. `is_new` when it was not asked for before. */
  send(
    environment: Environment,
    terms: PayoutTerms,
  ): Promise<Decision<{ readonly payout: Payout; readonly is_new: boolean }>>;
  find(environment: Environment, payout_id: string): Promise<Payout | undefined>;
  /** Takes it back while it is queued; returns it as it is then. */
  cancel(environment: Environment, payout_id: string): Promise<Payout | undefined>;
  list(environment: Environment): Promise<readonly Payout[]>;
  page(environment: Environment, terms: ListTerms): Promise<PayoutPage>;
  float(environment: Environment): Promise<readonly Balance[]>;
  setFloat(environment: Environment, balance: Balance): Promise<void>;
  /** Returns what the service answered to `notify`. */
  act(
    payout: Pick<Payout, 'environment' | 'payout_id'>,
    act: PayoutAct,
  ): Promise<Decision<readonly string[]>>;
  /** Continues what was under way when the previous process ended. */
  resume(): void;
}

export interface PayoutPage {
  readonly payouts: readonly Payout[];
  readonly next: string | null;
}

export interface Balance {
  readonly currency: Currency;
  readonly amount_minor: bigint;
}

export interface PayoutsParts {
  readonly store: Store;
  readonly journal: Journal<Entry>;
  readonly notifier: Notifier;
  readonly timers: Timers;
  readonly durations: PayoutDurations;
}

const DECLINED: PayoutRefusal = { code: 'DECLINED', message: 'The operator declined the payout.' };
const NOT_PAID: PayoutRefusal = {
  code: 'OPERATOR_DOWN',
  message: 'The operator was down and has paid nothing.',
};

export function createPayouts(parts: PayoutsParts): Payouts {
  const { store, journal, notifier, timers, durations } = parts;
  const record = (entry: Entry): void => {
    store.apply(entry);
    journal.append(entry);
  };
  const durable = async <Value>(value: Value): Promise<Value> => {
    await journal.flushed();
    return value;
  };
  const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

  const change = async (payout: Payout): Promise<void> => {
    const notifications = callbacksOf(payout);
    record({ entry: 'payout', payout, notifications });
    await journal.flushed();
    for (const notification of notifications) notifier.send(notification);
    stepLater(payout);
  };
  const stepLater = ({ environment, payout_id, next }: Payout): void => {
    if (next === null) return;
    timers.at(next.at, async () => {
      const payout = store.payouts.find(environment, payout_id)!;
      // Something else happened to it in the meantime.
      if (payout.next?.at !== next.at) return;
      await change(after(payout, next.step));
    });
  };
  const after = (payout: Payout, step: Step): Payout => {
    const { amount_minor } = payout;
    switch (step) {
      case 'open':
        return { ...payout, status: 'sent', next: { at: inMs(durations.settle_ms), step: 'pay' } };
      case 'pay': {
        const comesBack = testOutcomeOf(numberOf(payout.destination)) === 'comes_back';
        const next = comesBack
          ? ({ at: inMs(durations.return_ms), step: 'return' } as const)
          : null;
        return { ...payout, status: 'succeeded', paid_minor: amount_minor, failure: null, next };
      }
      case 'fail': {
        const isLost = testOutcomeOf(numberOf(payout.destination)) === 'lost_not_paid';
        return { ...payout, status: 'failed', failure: isLost ? NOT_PAID : DECLINED, next: null };
      }
      case 'return':
        return { ...payout, status: 'returned', returned_minor: amount_minor, next: null };
    }
  };
  const begin = (environment: Environment, terms: PayoutTerms): Payout => {
    const asked: Payout = {
      ...terms,
      environment,
      number: store.payouts.count(),
      provider_payment_id: newId('po'),
      created_at: new Date().toISOString(),
      status: 'sent',
      paid_minor: null,
      returned_minor: '0',
      failure: refusalOf(terms, store.payouts.float(environment, terms.currency)),
      next: null,
    };
    if (asked.failure !== null) return { ...asked, status: 'failed' };
    const at = inMs(durations.settle_ms);
    switch (testOutcomeOf(numberOf(terms.destination))) {
      case 'closed':
        return {
          ...asked,
          status: 'queued',
          next: { at: inMs(durations.closed_ms), step: 'open' },
        };
      case 'lost_paid':
        return after(asked, 'pay');
      case 'fails':
      case 'lost_not_paid':
        return { ...asked, next: { at, step: 'fail' } };
      default:
        return { ...asked, next: { at, step: 'pay' } };
    }
  };
  const acted = (
    payout: Payout,
    act: Exclude<PayoutAct, { action: 'notify' }>,
  ): Payout | undefined => {
    const { status } = payout;
    switch (act.action) {
      case 'pay':
      case 'fail':
        return isUnderWay(payout) ? after(payout, act.action) : undefined;
      case 'open':
        return status === 'queued' ? after(payout, 'open') : undefined;
      case 'pay_after_failure':
        return status === 'failed' || status === 'canceled' ? after(payout, 'pay') : undefined;
      case 'late_fail':
        return status === 'succeeded'
          ? { ...after(payout, 'fail'), returned_minor: payout.amount_minor }
          : undefined;
      case 'return': {
        if (payout.paid_minor === null) return undefined;
        const left = BigInt(payout.paid_minor) - BigInt(payout.returned_minor);
        const back = act.amount_minor ?? left;
        if (back > left || back <= 0n) return undefined;
        const returned_minor = String(BigInt(payout.returned_minor) + back);
        return { ...after(payout, 'return'), returned_minor };
      }
    }
  };

  return {
    async send(environment, terms) {
      const same = store.payouts.find(environment, terms.payout_id);
      if (same) {
        const refused = 'The id was used for a payout with another amount or destination.';
        return durable(
          isSameOrder(same, terms)
            ? { ok: true, value: { payout: same, is_new: false } }
            : { ok: false, refused },
        );
      }
      const payout = begin(environment, terms);
      await change(payout);
      return { ok: true, value: { payout, is_new: true } };
    },
    find: (environment, payout_id) => durable(store.payouts.find(environment, payout_id)),
    async cancel(environment, payout_id) {
      const payout = store.payouts.find(environment, payout_id);
      if (payout?.status === 'queued') await change({ ...payout, status: 'canceled', next: null });
      return durable(store.payouts.find(environment, payout_id));
    },
    list: (environment) => durable(store.payouts.list(environment)),
    page(environment, terms) {
      const key = ({ created_at, number }: Payout) => ({
        at: created_at,
        id: String(number).padStart(10, '0'),
      });
      const { page, next } = pageOf(store.payouts.list(environment), terms, key);
      return durable({ payouts: page, next });
    },
    float: (environment) =>
      durable(
        CURRENCIES.map((currency) => ({
          currency,
          amount_minor: store.payouts.float(environment, currency),
        })),
      ),
    setFloat(environment, { currency, amount_minor }) {
      record({ entry: 'float', environment, currency, amount_minor: String(amount_minor) });
      return journal.flushed();
    },
    async act({ environment, payout_id }, act) {
      const payout = store.payouts.find(environment, payout_id)!;
      if (act.action === 'notify') {
        const { times, signed_by, amount_minor } = act;
        const body = callbackBody(newId('evt'), payout, amount_minor);
        const sent = Array.from({ length: times }, () => notifier.tryOnce(body, signed_by));
        return { ok: true, value: await Promise.all(sent) };
      }
      const changed = acted(payout, act);
      if (changed === undefined) {
        return {
          ok: false,
          refused: `The payout is ${payout.status}: ${act.action} does not fit.`,
        };
      }
      await change(changed);
      return { ok: true, value: [] };
    },
    resume() {
      for (const payout of store.payouts.waiting()) stepLater(payout);
    },
  };
}

export function isUnderWay({ status }: Payout): boolean {
  return status === 'queued' || status === 'sent';
}

function isSameOrder(one: PayoutTerms, other: PayoutTerms): boolean {
  const { amount_minor, currency, destination } = other;
  return (
    one.amount_minor === amount_minor &&
    one.currency === currency &&
    isDeepStrictEqual(one.destination, destination)
  );
}

/** Why the order is refused at once; null when it is not. */
function refusalOf(
  { destination, currency, amount_minor }: PayoutTerms,
  float: bigint,
): PayoutRefusal | null {
  const rail = railOf(destination, currency);
  if (rail === undefined) {
    return { code: 'UNSUPPORTED', message: `No operator pays ${currency} to this destination.` };
  }
  const amount = BigInt(amount_minor);
  if (amount < rail.minimum || amount > rail.maximum) {
    return { code: 'AMOUNT_OUT_OF_BOUNDS', message: 'The operator does not pay such an amount.' };
  }
  switch (testOutcomeOf(numberOf(destination))) {
    case 'not_found':
      return { code: 'PAYEE_NOT_FOUND', message: 'The operator knows nobody with this number.' };
    case 'blocked':
      return { code: 'PAYEE_BLOCKED', message: 'The recipient is blocked.' };
    case 'over_limit':
      return { code: 'PAYEE_LIMIT_REACHED', message: 'The recipient may not receive so much.' };
    default:
      return amount > float
        ? { code: 'FLOAT_TOO_LOW', message: 'The account at the operator holds too little.' }
        : null;
  }
}

/** The notifications of the state that a payout has just reached: one, but for the phones without or with two. */
function callbacksOf(payout: Payout): Notification[] {
  const copies = copiesOf(payout);
  if (isUnderWay(payout) || copies === 0) return [];
  const event_id = newId('evt');
  const body = callbackBody(event_id, payout, BigInt(payout.amount_minor));
  return [{ event_id, environment: payout.environment, body, copies }];
}

/** What is lost stays lost until the service asks. */
function copiesOf({ destination }: Payout): number {
  switch (testOutcomeOf(numberOf(destination))) {
    case 'no_callback':
    case 'lost_paid':
    case 'lost_not_paid':
      return 0;
    case 'two_callbacks':
      return 2;
    default:
      return 1;
  }
}

function callbackBody(event_id: string, payout: Payout, amount_minor: bigint): string {
  const { environment, payout_id, provider_payment_id, status, currency } = payout;
  return renderJson({
    event_id,
    type: PAYOUT_UPDATED,
    environment,
    payout_id,
    provider_payment_id,
    status,
    amount: majorText(amount_minor, currency),
    currency,
  });
}
