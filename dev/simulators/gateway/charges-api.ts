// The simulator's API for payments by phone, in the words of an operator: amounts are text, with the decimals that
// the currency has.

import type { Context } from 'koa';
import type { NextStep, PaymentStep } from '../../../domain/payment-attempt';
import { payingOutcomeOf } from '../../../domain/test-phones';
import {
  currencyField,
  FieldFault,
  majorField,
  majorText,
  optionalText,
  readFields,
  textField,
  urlField,
  wordField,
} from '../../../gateway/sandbox/fields';
import { CHARGE_NOT_SEEN } from '../../../gateway/sandbox/phones';
import {
  decided,
  LOST,
  ok,
  refusal,
  type AddControl,
  type AddRoute,
  type ApiResponse,
} from './calls';
import { PRESSES, type Charge, type ChargeTerms } from './charge-store';
import type { Charges } from './charges';
import { METHODS, methodOf, type Method } from './operators';
import { PHONE } from './payouts-api';

/** `origin` is where customers find the simulator's pages. */
export function addChargeRoutes(
  { route, control }: { readonly route: AddRoute; readonly control: AddControl },
  charges: Charges,
  origin: () => string,
): void {
  const shown = (charge: Charge | undefined): ApiResponse =>
    charge
      ? ok(showCharge(charge, origin()))
      : refusal(404, CHARGE_NOT_SEEN, 'No charge was asked for with this id.');

  route('get', '/charges/methods', 'methods', async () => ok({ methods: METHODS.map(showMethod) }));
  route('post', '/charges', 'charge', async ({ environment, raw }) => {
    const decision = await charges.begin(environment, readTerms(raw));
    if (decision.ok && decision.value.is_new && isAnswerLost(decision.value.charge)) return LOST;
    return decided(decision, ({ charge }) => showCharge(charge, origin()));
  });
  route('get', '/charges/:charge_id', 'find_charge', async ({ environment, ctx }) =>
    shown(await charges.find(environment, chargeId(ctx))),
  );
  control('/charges/:charge_id/press', async ({ environment, raw, ctx }) => {
    const charge = await charges.find(environment, chargeId(ctx));
    if (charge === undefined) return shown(undefined);
    const press = wordField(readFields(raw).value, 'press', PRESSES);
    return decided(await charges.press(charge, press), (pressed) => showCharge(pressed, origin()));
  });
}

function isAnswerLost({ phone }: Charge): boolean {
  return ['lost_paid', 'lost_not_paid'].includes(payingOutcomeOf(phone));
}

function readTerms(raw: Buffer): ChargeTerms & { readonly otp: string | null } {
  const { value } = readFields(raw);
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

function showCharge(charge: Charge, origin: string): object {
  const { charge_id, provider_payment_id, reference, operator, phone, status } = charge;
  const { amount_minor, currency, failure, created_at, paid_at } = charge;
  return {
    charge_id,
    provider_payment_id,
    reference,
    operator,
    phone,
    status,
    amount: majorText(BigInt(amount_minor), currency),
    currency,
    next_step: status === 'waiting' ? nextStepOf(charge, origin) : null,
    failure,
    created_at,
    paid_at,
  };
}

/** What the phone's owner does now; nothing when a one-time code has said it all. */
function nextStepOf(charge: Charge, origin: string): NextStep | null {
  const { phone, operator, expires_at, provider_payment_id } = charge;
  const { name, step, code } = methodOf(phone, operator)!;
  const asks = payingOutcomeOf(phone) === 'asks';
  if (step === 'otp' && !asks) return null;
  // The number that waits for its buttons asks once more after the code.
  const kind = step === 'otp' ? 'prompt' : step;
  const { fr, en } = instructionsOf(name, code)[kind];
  const buttons = `${origin}/phones/${phone}`;
  return {
    kind,
    expires_at,
    code: kind === 'dial' ? code : null,
    url: kind === 'redirect' ? `${origin}/charges/${provider_payment_id}/page` : null,
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

function chargeId(ctx: Context): string {
  return (ctx['params'] as { readonly charge_id: string }).charge_id;
}
