// How payments by phone go: what the number decides, and what its owner does. Nothing is recorded here (charges.ts).

import type { Environment } from '../../../domain/environment';
import { payingOutcomeOf } from '../../../domain/test-phones';
import { newId } from './actions';
import type { Charge, ChargeRefusal, ChargeTerms, Press } from './charge-store';
import { methodOf } from './operators';
import type { PayoutDurations } from './payout-courses';

/** Operators wait so long for a secret code. */
const EXPIRE_MS = 5 * 60 * 1000;

/** Any other code of 4 to 8 digits is right. */
const ONE_TIME_CODE = /^\d{4,8}$/;
const WRONG_CODE = '000000';

const REFUSALS = {
  not_found: ['PAYER_NOT_FOUND', 'The operator knows nobody with this number.'],
  blocked: ['PAYER_BLOCKED', 'The customer is blocked.'],
  over_limit: ['PAYER_LIMIT_REACHED', 'The customer may not pay so much.'],
  closed: ['OPERATOR_DOWN', 'The operator takes no payments for now.'],
  unsupported: ['UNSUPPORTED', 'No phone of this operator pays in this currency.'],
  out_of_bounds: ['AMOUNT_OUT_OF_BOUNDS', 'The operator does not take such an amount.'],
  wrong_code: ['WRONG_CODE', 'The one-time code is wrong or was used before.'],
  declined: ['NOT_APPROVED', 'The customer has declined the payment.'],
  expired: ['EXPIRED', 'The customer has not confirmed the payment in time.'],
  not_paid: ['OPERATOR_DOWN', 'The operator was down and has taken nothing.'],
} as const satisfies Readonly<
  Record<string, readonly [ChargeRefusal['code'], ChargeRefusal['message']]>
>;
type Reason = keyof typeof REFUSALS;

/** A charge as it is right after the phone was asked, or the charge refused. */
export function beginCharge(
  environment: Environment,
  { otp, ...terms }: ChargeTerms & { readonly otp: string | null },
  { settle_ms }: Pick<PayoutDurations, 'settle_ms'>,
): Charge {
  const expires_at = inMs(EXPIRE_MS);
  const charge: Charge = {
    ...terms,
    environment,
    provider_payment_id: newId('ch'),
    created_at: inMs(0),
    expires_at,
    status: 'waiting',
    paid_at: null,
    failure: null,
    next: null,
  };
  const refused = refusalOf(terms, otp);
  if (refused !== undefined) return failed(charge, refused);
  // On the operator's page the customer has twice as long to press a button before it goes by itself.
  const isPage = methodOf(terms.phone, terms.operator)?.step === 'redirect';
  const at = inMs(isPage ? 2 * settle_ms : settle_ms);
  switch (payingOutcomeOf(terms.phone)) {
    case 'asks':
      return { ...charge, next: { at: expires_at, press: 'expire' } };
    case 'lost_paid':
      return paid(charge);
    case 'fails':
    case 'lost_not_paid':
      return { ...charge, next: { at, press: 'decline' } };
    default:
      return { ...charge, next: { at, press: 'confirm' } };
  }
}

/** Returns undefined where it does not fit. A secret code may arrive after the operator has given up waiting for it. */
export function pressOn(charge: Charge, press: Press): Charge | undefined {
  const isLate = press === 'confirm' && charge.failure?.code === 'EXPIRED';
  if (charge.status !== 'waiting' && !isLate) return undefined;
  switch (press) {
    case 'confirm':
      return paid(charge);
    case 'decline': {
      const isLost = payingOutcomeOf(charge.phone) === 'lost_not_paid';
      return failed(charge, isLost ? 'not_paid' : 'declined');
    }
    case 'expire':
      return failed(charge, 'expired');
  }
}

/** Why the charge is refused at once. */
function refusalOf(
  { phone, operator, currency, amount_minor }: ChargeTerms,
  otp: string | null,
): Reason | undefined {
  const method = methodOf(phone, operator);
  if (method?.currency !== currency) return 'unsupported';
  const amount = BigInt(amount_minor);
  if (amount < method.minimum || amount > method.maximum) return 'out_of_bounds';
  const outcome = payingOutcomeOf(phone);
  switch (outcome) {
    case 'not_found':
    case 'blocked':
    case 'over_limit':
    case 'closed':
      return outcome;
    default: {
      const isRight = otp !== null && ONE_TIME_CODE.test(otp) && otp !== WRONG_CODE;
      return method.step === 'otp' && !isRight ? 'wrong_code' : undefined;
    }
  }
}

function paid(charge: Charge): Charge {
  return { ...charge, status: 'paid', paid_at: inMs(0), failure: null, next: null };
}

function failed(charge: Charge, reason: Reason): Charge {
  const [code, message] = REFUSALS[reason];
  return { ...charge, status: 'failed', failure: { code, message }, next: null };
}

function inMs(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}
