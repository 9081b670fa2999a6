// The simulator's API for payouts, in the words of an operator: amounts are text, with the decimals that the
// currency has.

import { isDeepStrictEqual } from 'node:util';
import { CURRENCIES } from '../../../domain/currency';
import { ENVIRONMENTS, type Environment } from '../../../domain/environment';
import type {
  AccountClock,
  DestinationToCheck,
  PayoutDestination,
  Rail,
} from '../../../domain/payout';
import { testOutcomeOf } from '../../../domain/test-phones';
import {
  currencyField,
  FieldFault,
  integerField,
  majorField,
  majorText,
  objectField,
  optionalText,
  textField,
  wordField,
  type Fields,
} from '../../../gateway/fields';
import { PAYOUT_NOT_SEEN } from '../../../gateway/sandbox/payouts';
import { LOST, ok, pageOf, refusal, route, type ApiResponse, type Call, type Route } from './calls';
import { begin, newId, PAYOUT_ACTIONS, shownStatus, takeStep, type PayoutAction } from './courses';
import { payoutNotice, type Desk } from './desk';
import { nameFound, numberOf, PHONE, railOf, RAILS } from './operators';
import type { Payout, PayoutTerms } from './records';

const MAX_TIMES = 100;
/** An answer lists so many of an account: all of thousands would be longer than any answer may be. */
const MOST_WAITING = 100;

export function payoutRoutes(desk: Desk): readonly Route[] {
  const { store } = desk;
  const find = ({ environment, params }: Call): Payout | undefined =>
    store.find('payout', environment, ['payout_id', params['payout_id']!])[0];

  return [
    route('get', '/payouts/rails', 'check_payout', () => ok({ rails: RAILS.map(showRail) })),
    route('post', '/payouts/check', 'check_payout', ({ body }) => ok({ checked: check(body()) })),
    route('get', '/payouts/float', 'list', ({ environment }) => {
      const balances = CURRENCIES.map((currency) => ({
        currency,
        amount: majorText(store.float(environment, currency), currency),
      }));
      return ok({ balances });
    }),
    route('post', '/payouts', 'payout', ({ environment, body }) => {
      const terms = readTerms(body());
      const [same] = store.find('payout', environment, ['payout_id', terms.payout_id]);
      if (same) {
        return isSameOrder(same, terms)
          ? shown(same)
          : refusal('The id was used for a payout with another amount or destination.');
      }
      const outcome = outcomeOf(terms, store.float(environment, terms.currency));
      const payout = begin('payout', { ...terms, environment, outcome }, desk.durations);
      desk.change(payout);
      return ['lost_paid', 'lost_not_paid'].includes(outcome) ? LOST : shown(payout);
    }),
    route('post', '/payouts/clock', 'list', ({ environment, body }) => {
      const waiting = followClock(desk, environment, readClock(body()));
      const listed = waiting.map(({ payout_id, next }) => ({ payout_id, due_at: next!.at }));
      return ok({ waiting: listed.slice(0, MOST_WAITING) });
    }),
    route('get', '/payouts', 'list', ({ environment, query }) => {
      const all = store.find('payout', environment);
      const { page, next } = pageOf(query, all, (one) => one.created_at) ?? { page: all };
      return ok({ payouts: page.map(showPayout), next });
    }),
    route('get', '/payouts/:payout_id', 'find_payout', (call) => shown(find(call))),
    route('post', '/payouts/:payout_id/cancel', 'cancel_payout', (call) => {
      const payout = find(call);
      return shown(payout && (desk.step(payout, 'cancel') ?? payout));
    }),

    route('post', '/payouts/float', null, ({ environment, body }) => {
      const currency = currencyField(body());
      const float = String(majorField(body(), 'amount', currency, 0n));
      desk.enter({ float, environment, currency });
      return ok({});
    }),
    route('post', '/payouts/:payout_id/act', null, (call) => {
      const payout = find(call);
      if (payout === undefined) return shown(undefined);
      const action = wordField(call.body(), 'action', PAYOUT_ACTIONS);
      const acted = actOn(desk, payout, action, call.body());
      if (acted) desk.change(acted);
      return acted
        ? shown(acted)
        : refusal(`The payout is ${shownStatus(payout)}: ${action} does not fit.`);
    }),
    route('post', '/payouts/:payout_id/notify', null, async (call) => {
      const payout = find(call);
      if (payout === undefined) return shown(undefined);
      return ok({ answers: await notify(desk, payout, call.body()) });
    }),
  ];
}

function shown(payout: Payout | undefined): ApiResponse {
  return payout
    ? ok(showPayout(payout))
    : refusal('No payout was asked for with this id.', 404, PAYOUT_NOT_SEEN);
}

function isSameOrder(one: PayoutTerms, other: PayoutTerms): boolean {
  const { amount_minor, currency, destination } = other;
  return (
    one.amount_minor === amount_minor &&
    one.currency === currency &&
    isDeepStrictEqual(one.destination, destination)
  );
}

function outcomeOf({ destination, currency, amount_minor }: PayoutTerms, float: bigint): string {
  const rail = railOf(destination, currency);
  if (rail === undefined) return 'unsupported';
  const amount = BigInt(amount_minor);
  if (amount < rail.minimum || amount > rail.maximum) return 'out_of_bounds';
  const outcome = testOutcomeOf(numberOf(destination));
  const is_refused = ['not_found', 'blocked', 'over_limit'].includes(outcome);
  return amount > float && !is_refused ? 'too_little' : outcome;
}

/** Without an amount, all that has not come back yet is returned. */
function actOn(
  { durations }: Desk,
  payout: Payout,
  action: PayoutAction,
  body: Fields['value'],
): Payout | undefined {
  const acted = takeStep(payout, action, durations);
  if (action !== 'return') return acted;
  const { currency, amount_minor, returned_minor } = payout;
  const left = BigInt(amount_minor) - BigInt(returned_minor);
  const back = body['amount'] === undefined ? left : majorField(body, 'amount', currency, 1n);
  if (acted === undefined || back > left || back === 0n) return undefined;
  return { ...acted, returned_minor: String(BigInt(returned_minor) + back) };
}

/**
 * Sends a notification that no change has caused, and returns what the service answered to each copy. What is left out
 * is as in any notification of it: another account's secret is a forgery.
 */
function notify(
  { notifier }: Desk,
  payout: Payout,
  body: Fields['value'],
): Promise<readonly string[]> {
  const { environment, currency, amount_minor } = payout;
  const amount = majorText(BigInt(amount_minor), currency);
  const asked = { times: 1, signed_by: environment, amount, ...body };
  const times = integerField(asked, 'times', 1, MAX_TIMES);
  const signed_by = wordField(asked, 'signed_by', ENVIRONMENTS);
  const said = majorField(asked, 'amount', currency, 1n);
  const notice = payoutNotice(newId('evt'), payout, said);
  return Promise.all(Array.from({ length: times }, () => notifier.tryOnce(notice, signed_by)));
}

/** Brings what waits nearer, and returns it, what is due first before all else. */
function followClock(desk: Desk, environment: Environment, clock: AccountClock): Payout[] {
  const own = (): Payout[] =>
    desk.store
      .find('payout', environment)
      .filter(({ next, clock: one }) => next !== null && one?.account === clock.account);
  const nearer = own().flatMap((payout): Payout[] => {
    const ahead = clock.clock_seconds - payout.clock!.clock_seconds;
    if (ahead <= 0) return [];
    const at = new Date(Date.parse(payout.next!.at) - ahead * 1_000).toISOString();
    return [{ ...payout, clock, next: { ...payout.next!, at }, is_quiet: true }];
  });
  if (nearer.length > 0) desk.change(...nearer);
  return own().sort((one, other) => (one.next!.at < other.next!.at ? -1 : 1));
}

function check(value: Fields['value']): object | null {
  const asked: DestinationToCheck = {
    destination: readDestination(value),
    currency: currencyField(value),
    name: optionalText(value, 'name', 140),
  };
  const rail = railOf(asked.destination, asked.currency);
  if (rail === undefined) return null;
  const outcome = testOutcomeOf(numberOf(asked.destination));
  return {
    payable: outcome !== 'not_found' && outcome !== 'blocked',
    rail: showRail(rail),
    name_found: nameFound(asked, rail),
  };
}

function readTerms(value: Fields['value']): PayoutTerms {
  const currency = currencyField(value);
  return {
    payout_id: textField(value, 'payout_id', 200),
    reference: textField(value, 'reference', 200),
    amount_minor: String(majorField(value, 'amount', currency, 1n)),
    currency,
    destination: readDestination(value),
    name: optionalText(value, 'name', 140),
    description: optionalText(value, 'description', 140),
    clock: (value['clock'] ?? null) === null ? null : readClock(objectField(value, 'clock')),
    returned_minor: '0',
  };
}

function readClock(clock: Fields['value']): AccountClock {
  return {
    account: textField(clock, 'account', 100),
    clock_seconds: integerField(clock, 'clock_seconds', 0, 400 * 86_400),
  };
}

function readDestination(value: Fields['value']): PayoutDestination {
  const destination = objectField(value, 'destination');
  if (wordField(destination, 'type', ['mobile_money', 'bank']) === 'mobile_money') {
    const phone = textField(destination, 'phone', 20);
    if (!PHONE.test(phone)) throw new FieldFault('phone must be + and 7 to 15 digits');
    return { type: 'mobile_money', phone, operator: optionalText(destination, 'operator', 100) };
  }
  return {
    type: 'bank',
    account: textField(destination, 'account', 100),
    name: textField(destination, 'name', 140),
    bank_code: optionalText(destination, 'bank_code', 100),
  };
}

function showRail(rail: Rail): object {
  const { minimum, maximum, currency, ...rest } = rail;
  return {
    ...rest,
    currency,
    minimum: majorText(minimum, currency),
    maximum: majorText(maximum, currency),
  };
}

function showPayout(payout: Payout): object {
  const { payout_id, id: provider_payment_id, reference, currency, destination } = payout;
  const { status, failure, created_at, amount_minor, returned_minor } = payout;
  const amount = majorText(BigInt(amount_minor), currency);
  const is_paid = ['succeeded', 'returned', 'failed_late'].includes(status);
  return {
    payout_id,
    provider_payment_id,
    reference,
    status: shownStatus(payout),
    amount,
    currency,
    destination,
    paid: is_paid ? amount : null,
    returned: majorText(BigInt(returned_minor), currency),
    failure,
    created_at,
  };
}
