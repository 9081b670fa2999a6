// The simulator's API for payments by phone, in the words of an operator: amounts are text, with the decimals that
// the currency has.

import type { Environment } from '../../../domain/environment';
import type { NextStep, PaymentStep } from '../../../domain/payment-attempt';
import { payingOutcomeOf } from '../../../domain/test-phones';
import {
  currencyField,
  FieldFault,
  majorField,
  majorText,
  optionalText,
  textField,
  urlField,
  wordField,
} from '../../../gateway/fields';
import { CHARGE_NOT_SEEN } from '../../../gateway/sandbox/phones';
import { LOST, ok, refusal, route, type ApiResponse, type Call, type Route } from './calls';
import { begin, PRESSES, shownStatus } from './courses';
import type { Desk } from './desk';
import { METHODS, methodOf, PHONE, type Method } from './operators';
import type { Charge, ChargeTerms } from './records';

/** Any other code of 4 to 8 digits is right. */
const ONE_TIME_CODE = /^\d{4,8}$/;
const WRONG_CODE = '000000';

/** `origin` is where customers find the simulator's pages. */
export function chargeRoutes(desk: Desk, origin: () => string): readonly Route[] {
  const find = ({ environment, params }: Call): Charge | undefined =>
    desk.store.find('charge', environment, ['charge_id', params['charge_id']!])[0];
  const shown = (charge: Charge | undefined): ApiResponse =>
    charge
      ? ok(showCharge(desk, charge, origin()))
      : refusal('No charge was asked for with this id.', 404, CHARGE_NOT_SEEN);

  return [
    route('get', '/charges/methods', 'methods', () => ok({ methods: METHODS.map(showMethod) })),
    route('post', '/charges', 'charge', ({ environment, body }) => {
      const { otp, ...terms } = readTerms(body());
      const [same] = desk.store.find('charge', environment, ['charge_id', terms.charge_id]);
      if (same) {
        const fields = ['amount_minor', 'currency', 'operator', 'phone'] as const;
        return fields.every((field) => same[field] === terms[field])
          ? shown(same)
          : refusal('The id was used for a charge of another amount or phone.');
      }
      const charge = ask(desk, environment, terms, otp);
      return ['lost_paid', 'lost_not_paid'].includes(charge.outcome) ? LOST : shown(charge);
    }),
    route('get', '/charges/:charge_id', 'find_charge', (call) => shown(find(call))),
    route('post', '/charges/:charge_id/press', null, (call) => {
      const charge = find(call);
      if (charge === undefined) return shown(undefined);
      const press = wordField(call.body(), 'press', PRESSES);
      const pressed = desk.step(charge, press);
      return pressed
        ? shown(pressed)
        : refusal(`The charge is ${shownStatus(charge)}: ${press} does not fit.`);
    }),
  ];
}

/** Asks a phone, or refuses the charge at once. */
function ask(desk: Desk, environment: Environment, terms: ChargeTerms, otp: string | null): Charge {
  const { settle_ms } = desk.durations;
  const method = methodOf(terms.phone, terms.operator);
  // On the operator's page the customer has twice as long to press a button before it goes by itself.
  const settles = { settle_ms: method?.step === 'redirect' ? 2 * settle_ms : settle_ms };
  const outcome = outcomeOf(terms, method, otp);
  const durations = { ...desk.durations, ...settles };
  const charge = begin('charge', { ...terms, environment, outcome }, durations);
  desk.change(charge);
  return charge;
}

function outcomeOf(
  { phone, currency, amount_minor }: ChargeTerms,
  method: Method | undefined,
  otp: string | null,
): string {
  if (method?.currency !== currency) return 'unsupported';
  const amount = BigInt(amount_minor);
  if (amount < method.minimum || amount > method.maximum) return 'out_of_bounds';
  const outcome = payingOutcomeOf(phone);
  const is_right = otp !== null && ONE_TIME_CODE.test(otp) && otp !== WRONG_CODE;
  const is_refused = ['not_found', 'blocked', 'over_limit', 'closed'].includes(outcome);
  return method.step === 'otp' && !is_right && !is_refused ? 'wrong_code' : outcome;
}

function readTerms(value: ReturnType<Call['body']>): ChargeTerms & { readonly otp: string | null } {
  const currency = currencyField(value);
  const phone = textField(value, 'phone', 20);
  if (!PHONE.test(phone)) throw new FieldFault('phone must be + and 7 to 15 digits');
  return {
    charge_id: textField(value, 'charge_id', 200),
    intent_id: textField(value, 'intent_id', 200),
    reference: textField(value, 'reference', 200),
    amount_minor: String(majorField(value, 'amount', currency, 1n)),
    currency,
    operator: textField(value, 'operator', 100),
    phone,
    otp: optionalText(value, 'otp', 20),
    description: optionalText(value, 'description', 5_000),
    merchant_name: textField(value, 'merchant_name', 500),
    return_url: urlField(value, 'return_url'),
  };
}

function showMethod(method: Method): object {
  const { minimum, maximum, currency } = method;
  return {
    ...method,
    minimum: majorText(minimum, currency),
    maximum: majorText(maximum, currency),
  };
}

function showCharge(desk: Desk, charge: Charge, origin: string): object {
  const { charge_id, id: provider_payment_id, reference, operator, phone, status } = charge;
  const { amount_minor, currency, failure, created_at, changed_at } = charge;
  return {
    charge_id,
    provider_payment_id,
    reference,
    operator,
    phone,
    status: shownStatus(charge),
    amount: majorText(BigInt(amount_minor), currency),
    currency,
    next_step: status === 'waiting' ? nextStepOf(desk, charge, origin) : null,
    failure,
    created_at,
    paid_at: status === 'paid' ? changed_at : null,
  };
}

/** The next step of the phone's owner; null when a one-time code has said it all. */
function nextStepOf({ durations }: Desk, charge: Charge, origin: string): NextStep | null {
  const { phone, operator, created_at, id, outcome } = charge;
  const { name, step, code } = methodOf(phone, operator)!;
  const asks = outcome === 'asks';
  if (step === 'otp' && !asks) return null;
  // The number that waits for its buttons asks once more after the code.
  const kind = step === 'otp' ? 'prompt' : step;
  const { fr, en } = instructionsOf(name, code)[kind];
  const buttons = `${origin}/phones/${phone}`;
  return {
    kind,
    expires_at: new Date(Date.parse(created_at) + durations.expire_ms).toISOString(),
    code: kind === 'dial' ? code : null,
    url: kind === 'redirect' ? `${origin}/charges/${id}/page` : null,
    instructions: {
      fr: asks ? [...fr, `Les boutons de ce téléphone de test sont sur ${buttons}`] : fr,
      en: asks ? [...en, `The buttons of this test phone are at ${buttons}`] : en,
    },
  };
}

function instructionsOf(
  name: string,
  code: string | null,
): Readonly<Record<Exclude<PaymentStep, 'otp'>, NextStep['instructions']>> {
  return {
    prompt: {
      fr: [
        `Une demande de paiement ${name} arrive sur votre téléphone.`,
        `Confirmez-la avec votre code secret ${name}.`,
      ],
      en: [
        `A payment request from ${name} arrives on your phone.`,
        `Confirm it with your ${name} PIN.`,
      ],
    },
    dial: {
      fr: [
        `Composez ${code} sur votre téléphone.`,
        `Choisissez le paiement en attente, puis confirmez avec votre code secret ${name}.`,
      ],
      en: [
        `Dial ${code} on your phone.`,
        `Choose the payment that waits, then confirm it with your ${name} PIN.`,
      ],
    },
    redirect: {
      fr: [`Continuez sur la page de ${name} pour payer.`],
      en: [`Continue on the ${name} page to pay.`],
    },
  };
}
