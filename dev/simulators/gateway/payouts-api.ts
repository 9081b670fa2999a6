// The simulator's API for payouts, in the words of an operator: amounts are text, with the decimals that the
// currency has.

import type { Context } from 'koa';
import { ENVIRONMENTS } from '../../../domain/environment';
import type {
  AccountClock,
  DestinationToCheck,
  PayoutDestination,
  Rail,
} from '../../../domain/payout';
import { testOutcomeOf } from '../../../domain/test-phones';
import { objectField } from '../../../gateway/sandbox/exchange';
import { PAYOUT_NOT_SEEN } from '../../../gateway/sandbox/payouts';
import {
  currencyField,
  FieldFault,
  integerField,
  majorField,
  majorText,
  optionalText,
  readFields,
  textField,
  wordField,
  type Fields,
} from '../../../gateway/sandbox/fields';
import {
  decided,
  LOST,
  ok,
  readListTerms,
  refusal,
  type AddControl,
  type AddRoute,
  type ApiResponse,
} from './calls';
import { nameFound, numberOf, railOf, RAILS } from './operators';
import type { Payout, PayoutTerms } from './payout-store';
import type { PayoutAct } from './payout-courses';
import type { Copies, Payouts } from './payouts';

export const PHONE = /^\+[1-9]\d{6,14}$/;
const MAX_TIMES = 100;
/** Of an account, in one answer: all of thousands would be longer than any answer may be. */
const MOST_WAITING = 100;
const ACTIONS = ['pay', 'fail', 'open', 'late_fail', 'pay_after_failure', 'return'] as const;

export function addPayoutRoutes(route: AddRoute, control: AddControl, payouts: Payouts): void {
  route('get', '/payouts/rails', 'check_payout', async () => ok({ rails: RAILS.map(showRail) }));
  route('post', '/payouts/check', 'check_payout', async ({ raw }) => ok({ checked: check(raw) }));
  route('get', '/payouts/float', 'list', async ({ environment }) => {
    const balances = await payouts.float(environment);
    return ok({
      balances: balances.map(({ currency, amount_minor }) => ({
        currency,
        amount: majorText(amount_minor, currency),
      })),
    });
  });
  route('post', '/payouts', 'payout', async ({ environment, raw }) => {
    const decision = await payouts.send(environment, readTerms(raw));
    if (decision.ok && decision.value.is_new && isAnswerLost(decision.value.payout)) return LOST;
    return decided(decision, ({ payout }) => showPayout(payout));
  });
  route('post', '/payouts/clock', 'list', async ({ environment, raw }) => {
    const waiting = await payouts.followClock(environment, readClock(readFields(raw).value));
    return ok({
      waiting: waiting
        .slice(0, MOST_WAITING)
        .map(({ payout_id, next }) => ({ payout_id, due_at: next!.at })),
    });
  });
  route('get', '/payouts', 'list', async ({ environment, ctx }) => {
    const terms = readListTerms(ctx);
    if (terms === undefined) {
      const all = await payouts.list(environment);
      return ok({ payouts: all.map(showPayout) });
    }
    const { payouts: page, next } = await payouts.page(environment, terms);
    return ok({ payouts: page.map(showPayout), next });
  });
  route('get', '/payouts/:payout_id', 'find_payout', async ({ environment, ctx }) =>
    shown(await payouts.find(environment, payoutId(ctx))),
  );
  route('post', '/payouts/:payout_id/cancel', 'cancel_payout', async ({ environment, ctx }) =>
    shown(await payouts.cancel(environment, payoutId(ctx))),
  );

  control('/payouts/float', async ({ environment, raw }) => {
    const { value } = readFields(raw);
    const currency = currencyField(value);
    const amount_minor = majorField(value, 'amount', currency, 0n);
    await payouts.setFloat(environment, { currency, amount_minor });
    return ok({});
  });
  control('/payouts/:payout_id/act', async ({ environment, raw, ctx }) => {
    const payout = await payouts.find(environment, payoutId(ctx));
    if (payout === undefined) return shown(undefined);
    const act = readAct(raw, payout);
    return decided(await payouts.act(environment, payout.payout_id, act), showPayout);
  });
  control('/payouts/:payout_id/notify', async ({ environment, raw, ctx }) => {
    const payout = await payouts.find(environment, payoutId(ctx));
    if (payout === undefined) return shown(undefined);
    return ok({ answers: await payouts.notify(payout, readCopies(raw, payout)) });
  });
}

function shown(payout: Payout | undefined): ApiResponse {
  return payout
    ? ok(showPayout(payout))
    : refusal(404, PAYOUT_NOT_SEEN, 'No payout was asked for with this id.');
}

function isAnswerLost({ destination }: Payout): boolean {
  return ['lost_paid', 'lost_not_paid'].includes(testOutcomeOf(numberOf(destination)));
}

function check(raw: Buffer): object | null {
  const { value } = readFields(raw);
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

function readTerms(raw: Buffer): PayoutTerms {
  const { value } = readFields(raw);
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

function readAct(raw: Buffer, { currency }: Payout): PayoutAct {
  const { value } = readFields(raw);
  const action = wordField(value, 'action', ACTIONS);
  if (action !== 'return') return { action };
  const isWhole = value['amount'] === undefined;
  return { action, amount_minor: isWhole ? null : majorField(value, 'amount', currency, 1n) };
}

/** What is left out is as in any notification of it. */
function readCopies(raw: Buffer, { environment, currency, amount_minor }: Payout): Copies {
  const { value } = readFields(raw);
  const usual = {
    times: 1,
    signed_by: environment,
    amount: majorText(BigInt(amount_minor), currency),
  };
  const asked = { ...usual, ...value };
  return {
    times: integerField(asked, 'times', 1, MAX_TIMES),
    signed_by: wordField(asked, 'signed_by', ENVIRONMENTS),
    amount_minor: majorField(asked, 'amount', currency, 1n),
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
  const { payout_id, provider_payment_id, reference, currency, destination } = payout;
  const { status, failure, created_at, paid_minor } = payout;
  const write = (minor: string): string => majorText(BigInt(minor), currency);
  return {
    payout_id,
    provider_payment_id,
    reference,
    status,
    amount: write(payout.amount_minor),
    currency,
    destination,
    paid: paid_minor === null ? null : write(paid_minor),
    returned: write(payout.returned_minor),
    failure,
    created_at,
  };
}

function payoutId(ctx: Context): string {
  return (ctx['params'] as { readonly payout_id: string }).payout_id;
}
