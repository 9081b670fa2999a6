// A customer pays a link by phone: the row first, then the workflow that asks the gateway. The request waits until the
// gateway was asked, answered or not.

import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../../db/keys/api-keys';
import {
  createAttempt,
  findAttempt,
  getAttempt,
  giveAttemptOtp,
  giveUpAttempt,
  type NewAttempt,
  type RefusedAttempt,
  type AttemptView,
} from '../../db/payment-attempts/payment-attempts';
import type { IntentView } from '../../db/payment-intents/intent-views';
import { findStoredResponse } from '../../db/requests/orders';
import { formatAmount, amountJson } from '../../domain/money';
import { CALLING_CODE, callingCodes, type PaymentMethod } from '../../domain/payment-attempt';
import { phoneMessage, readPhone } from '../../domain/phone';
import { invalidRequest, Refusal } from '../../domain/refusal';
import { within } from '../../temporal/calls';
import { NO_RESPONSE } from '../../temporal/circuit-breaker';
import { OPEN_WITHIN_MS } from '../payment-intents/open';
import type { OrderDependencies } from '../requests/dependencies';
import { notBegun, orUnknown, unavailable } from '../requests/failures';
import {
  answerOnce,
  keyedRow,
  refusalOf,
  refuseOtherBody,
  type Order,
  type OrderResponse,
  type Refusals,
} from '../requests/orders';
import { listOffers, type Offer } from './methods';

export type AttemptDependencies = Pick<
  OrderDependencies,
  'db' | 'gateways' | 'breakers' | 'pursue' | 'log'
>;

export interface AttemptOrder extends Order {
  readonly intent: Pick<IntentView, 'id' | 'amount_minor' | 'currency'>;
  readonly fields: {
    readonly operator: string;
    readonly phone: string;
    readonly otp?: string | undefined;
  };
}

const MAY_BEGIN = 'The attempt may yet begin. Repeat with the same Idempotency-Key.';
/** An operator opens again at an unknown time. */
const CLOSED_RETRY_SECONDS = 300;
/** Between looks for the response; it is there once the gateway was asked. */
const LOOK_PAUSE = { first_ms: 10, growth: 1.5, longest_ms: 250 };

/** The response that is stored for the key. @throws Refusal */
export async function beginAttempt(
  dependencies: AttemptDependencies,
  order: AttemptOrder,
): Promise<OrderResponse> {
  const { db, breakers } = dependencies;
  const keyed = readKeyed(order);
  const { environment, user_id, idempotency_key: key, fingerprint, phone } = keyed;
  return answerOnce(order, keyed, async () => {
    if (!breakers[environment].allowsRequests()) throw notBegun(true);
    const deadline = Date.now() + OPEN_WITHIN_MS;
    const { gateway, method } = await chooseOffer(dependencies, order, phone);
    const attempt = readAttempt(order, { gateway, method }, keyed);
    const created = await orUnknown(MAY_BEGIN, () => createAttempt(db, attempt));
    if (created.outcome !== 'begun') throw refusalOf(REFUSALS, attempt, created);
    // First, so that nothing is awaited or started for another body.
    refuseOtherBody(created.fingerprint, fingerprint);
    await wake(dependencies, { id: attempt.id, environment, deadline });
    const scope = { user_id, environment, operation: 'payment_attempt', key } as const;
    const response = await lookUntil(deadline, () => findStoredResponse(db, scope));
    return { response, is_replay: !created.is_new };
  });
}

export interface OtpOrder {
  readonly caller: Pick<Caller, 'user_id' | 'environment'>;
  readonly attempt_id: string;
  readonly otp: string;
}

/** The attempt once the gateway was asked with the customer's one-time code. @throws Refusal */
export async function giveOtp(
  dependencies: AttemptDependencies,
  { caller, attempt_id: id, otp }: OtpOrder,
): Promise<AttemptView> {
  const { db, breakers } = dependencies;
  const { environment } = caller;
  if (!(await findAttempt(db, caller, id))) throw new Refusal('attempt_not_found');
  if (!breakers[environment].allowsRequests()) throw unavailable();
  const deadline = Date.now() + OPEN_WITHIN_MS;
  const outcome = await orUnknown(MAY_GO_ON, () => giveAttemptOtp(db, id, otp));
  if (outcome !== 'done') throw new Refusal(outcome);
  await wake(dependencies, { id, environment, deadline });
  return lookUntil(deadline, async () => {
    const found = await findAttempt(db, caller, id);
    return found?.is_being_asked === false ? found : undefined;
  });
}

/** A customer waits with a page in front of them. */
const FIND_WITHIN_MS = 8_000;

/**
 * The customer chooses another way to pay. The operator is asked first: what was just paid is not paid again.
 * @throws Refusal
 */
export async function giveUp(dependencies: AttemptDependencies, id: string): Promise<void> {
  const { db, gateways, log } = dependencies;
  const attempt = await getAttempt(db, id);
  if (!attempt.is_otp_due) {
    const gateway = gateways[attempt.environment].find(({ name }) => name === attempt.gateway);
    const asking = gateway?.phones?.findCharge(id);
    const found = await within(FIND_WITHIN_MS, Promise.resolve(asking)).catch((error: unknown) => {
      log({ part: 'payment-attempts', attempt: id, error: String(error) });
      return undefined;
    });
    if (found === undefined || found === 'never_seen') throw new Refusal('provider_unavailable');
    if (found.status !== 'waiting' || found.next_step === null) {
      const { environment } = attempt;
      return wake(dependencies, { id, environment, deadline: Date.now() + OPEN_WITHIN_MS });
    }
  }
  await giveUpAttempt(db, id);
}

const MAY_GO_ON = 'The code may have been taken. Look at the attempt.';

function readKeyed(order: AttemptOrder) {
  const { intent, fields } = order;
  const { operator, otp } = fields;
  const read = readPhone(fields.phone);
  if (!read.ok) throw invalidRequest('phone', `phone ${phoneMessage(read)}.`);
  const { phone } = read;
  const keyed = keyedRow('payment_attempt', order, {
    payment_intent_id: intent.id,
    operator,
    phone,
    // A hash of so few digits would tell the code for as long as it is kept.
    has_otp: String(otp !== undefined),
  });
  return { ...keyed, phone };
}

/** The first gateway that has the operator in the link's currency. @throws Refusal */
async function chooseOffer(
  dependencies: AttemptDependencies,
  { caller: { environment }, intent: { currency, amount_minor }, fields }: AttemptOrder,
  phone: string,
): Promise<Offer> {
  if (!dependencies.gateways[environment].some(({ phones }) => phones)) {
    throw new Refusal('gateway_not_configured', { message: NO_PHONES });
  }
  const offers = await listOffers(dependencies, environment, { currency });
  if (offers.length === 0) throw closed('No operator can be reached now. Try again later.');
  const offer = offers.find(({ method }) => method.operator === fields.operator);
  if (!offer) {
    throw invalidRequest('operator', `No operator of this name takes ${currency}.`);
  }
  const { method } = offer;
  const { country, minimum, maximum, name } = method;
  if (!isOfCountry(phone, offers, country)) {
    throw invalidRequest('phone', `The phone must be one of ${country}, where ${name} is.`);
  }
  if (amount_minor < minimum || amount_minor > maximum) {
    throw new Refusal('amount_out_of_bounds', {
      message: `${name} takes ${formatAmount(minimum)} to ${formatAmount(maximum)} ${currency} at once.`,
      details: { minimum: amountJson(minimum), maximum: amountJson(maximum) },
    });
  }
  if (fields.otp !== undefined && method.step !== 'otp') {
    throw invalidRequest('otp', `${name} asks for no one-time code.`);
  }
  if (method.state === 'closed') throw closed(`${name} is closed now. Try again later.`);
  return offer;
}

const NO_PHONES = 'No gateway that takes payments by phone is configured for this environment.';

function closed(message: string): Refusal {
  const retry_after_seconds = CLOSED_RETRY_SECONDS;
  return new Refusal('provider_unavailable', { message, retry_after_seconds });
}

/** Compares calling codes only: a number may have moved to another operator of its country. */
function isOfCountry(phone: string, offers: readonly Offer[], country: string): boolean {
  const methods = offers.map(({ method }) => method);
  const codes = callingCodes(methods, [country]);
  return codes.length === 0 || codes.includes(phone.slice(0, CALLING_CODE));
}

function readAttempt(
  { intent, fields }: AttemptOrder,
  { gateway, method }: Offer,
  keyed: ReturnType<typeof readKeyed>,
): NewAttempt {
  const { operator, name: operator_name, country, step } = method;
  const otp = fields.otp ?? null;
  const is_otp_due = step === 'otp' && otp === null;
  return {
    ...keyed,
    intent_id: intent.id,
    gateway,
    operator,
    operator_name,
    country,
    otp,
    is_otp_due,
    next_step: is_otp_due ? otpStep(method) : null,
  };
}

function otpStep({ otp_code: code, name }: PaymentMethod): NewAttempt['next_step'] {
  const [fr, en] =
    code === null
      ? [`Demandez un code à usage unique à ${name}.`, `Ask ${name} for a one-time code.`]
      : [
          `Composez le ${code} sur votre téléphone pour obtenir un code à usage unique.`,
          `Dial ${code} on your phone to get a one-time code.`,
        ];
  const instructions = { fr: [fr, 'Saisissez ce code.'], en: [en, 'Type the code.'] };
  return { kind: 'otp', code, url: null, instructions };
}

const REFUSALS: Refusals<RefusedAttempt, NewAttempt> = {
  rate_limited: ({ outcome, wait_s: retry_after_seconds }) =>
    new Refusal(outcome, {
      param: 'phone',
      message:
        'This phone was asked to pay too often. Wait as many seconds as Retry-After says, or use another phone.',
      retry_after_seconds,
    }),
  link_rings_strangers: () =>
    new Refusal('rate_limited', {
      message: 'Hardly any of the phones that this link has asked has paid. Try again later.',
      retry_after_seconds: CLOSED_RETRY_SECONDS,
    }),
};

interface Begun {
  readonly id: string;
  readonly environment: AttemptOrder['caller']['environment'];
  readonly deadline: number;
}

/** Starts its workflow, or wakes it. What cannot be started now the sweeper starts. @throws Refusal */
async function wake(
  { breakers, pursue, log }: AttemptDependencies,
  { id, environment, deadline }: Begun,
): Promise<void> {
  const waking = async (): Promise<true> => {
    await pursue('payment-attempt', [id]);
    return true;
  };
  try {
    if (await within(deadline - Date.now(), waking())) return;
    breakers[environment].reportFailure(NO_RESPONSE);
  } catch (error) {
    breakers[environment].reportFailure(error);
    log({ part: 'payment-attempts', attempt: id, error: String(error) });
  }
  throw unavailable(MAY_BEGIN);
}

/** @throws Refusal gateway_timeout */
async function lookUntil<T>(deadline: number, look: () => Promise<T | undefined>): Promise<T> {
  for (let pause = LOOK_PAUSE.first_ms; ; pause *= LOOK_PAUSE.growth) {
    const found = await orUnknown(MAY_BEGIN, look);
    if (found !== undefined) return found;
    const left = deadline - Date.now();
    if (left <= 0) break;
    await delay(Math.min(pause, LOOK_PAUSE.longest_ms, left));
  }
  const message = `The operator did not answer in time. ${MAY_BEGIN}`;
  throw new Refusal('gateway_timeout', { message });
}
