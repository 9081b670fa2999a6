// Takes orders of payouts, once for each id, and sees them through. Decided and recorded as payments are
// (payments.ts): without waiting in between, and on disk before anything is answered.

import { isDeepStrictEqual } from 'node:util';
import { renderJson } from '../../../domain/json';
import { CURRENCIES, type Currency } from '../../../domain/currency';
import type { Environment } from '../../../domain/environment';
import type { AccountClock } from '../../../domain/payout';
import { testOutcomeOf, type PayingOutcome, type TestOutcome } from '../../../domain/test-phones';
import { majorText } from '../../../gateway/sandbox/fields';
import { PAYOUT_UPDATED } from '../../../gateway/sandbox/payouts';
import { newId } from './actions';
import type { Journal } from './journal';
import { pageOf, type ListTerms } from './lists';
import type { Notifier } from './notifier';
import { numberOf } from './operators';
import {
  actOn,
  beginPayout,
  isUnderWay,
  takeStep,
  type PayoutAct,
  type PayoutDurations,
} from './payout-courses';
import type { Payout, PayoutTerms } from './payout-store';
import type { Decision } from './refunds';
import type { Entry, Notification, Store } from './store';
import type { Timers } from './timers';

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
  act(environment: Environment, payout_id: string, act: PayoutAct): Promise<Decision<Payout>>;
  /** Returns what the service answered to each copy: `accepted`, or what happened instead. */
  notify(payout: Payout, copies: Copies): Promise<readonly string[]>;
  /** Brings what waits nearer, and returns it, what is due first before all else. */
  followClock(environment: Environment, clock: AccountClock): Promise<readonly Payout[]>;
  /** Continues what was under way when the previous process ended. */
  resume(): void;
}

/** A notification that no change of the payout has caused. */
export interface Copies {
  readonly times: number;
  /** The account whose secret signs: another one's is a forgery. */
  readonly signed_by: Environment;
  /** The amount that the body says. */
  readonly amount_minor: bigint;
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
      await change(takeStep(payout, next.step, durations));
    });
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
      const number = store.payouts.count();
      const float = store.payouts.float(environment, terms.currency);
      const payout = beginPayout({ environment, number, terms, float }, durations);
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
    async act(environment, payout_id, act) {
      const payout = store.payouts.find(environment, payout_id)!;
      const acted = actOn(payout, act, durations);
      if (acted === undefined) {
        const refused = `The payout is ${payout.status}: ${act.action} does not fit.`;
        return durable({ ok: false, refused });
      }
      await change(acted);
      return { ok: true, value: acted };
    },
    notify(payout, { times, signed_by, amount_minor }) {
      const body = callbackBody(newId('evt'), payout, amount_minor);
      return Promise.all(Array.from({ length: times }, () => notifier.tryOnce(body, signed_by)));
    },
    followClock(environment, clock) {
      const own = (): Payout[] =>
        store.payouts
          .waiting()
          .filter((one) => one.environment === environment && one.clock?.account === clock.account);
      for (const payout of own()) {
        const ahead = clock.clock_seconds - payout.clock!.clock_seconds;
        if (ahead <= 0) continue;
        const { at, step } = payout.next!;
        const nearer = new Date(Date.parse(at) - ahead * 1_000).toISOString();
        const moved = { ...payout, clock, next: { at: nearer, step } };
        record({ entry: 'payout', payout: moved, notifications: [] });
        stepLater(moved);
      }
      return durable(own().sort((one, other) => (one.next!.at < other.next!.at ? -1 : 1)));
    },
    resume() {
      for (const payout of store.payouts.waiting()) stepLater(payout);
    },
  };
}

function isSameOrder(one: PayoutTerms, other: PayoutTerms): boolean {
  const { amount_minor, currency, destination } = other;
  return (
    one.amount_minor === amount_minor &&
    one.currency === currency &&
    isDeepStrictEqual(one.destination, destination)
  );
}

/** The notifications of the state that a payout has just reached: one, but for the phones without or with two. */
function callbacksOf(payout: Payout): Notification[] {
  const copies = copiesOf(testOutcomeOf(numberOf(payout.destination)));
  if (isUnderWay(payout) || copies === 0) return [];
  const event_id = newId('evt');
  const body = callbackBody(event_id, payout, BigInt(payout.amount_minor));
  return [{ event_id, environment: payout.environment, body, copies }];
}

/** What is lost stays lost until the service asks. */
export function copiesOf(outcome: TestOutcome | PayingOutcome | 'paid'): number {
  switch (outcome) {
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
