// Payments by phone at the simulated operators. Amounts stand on the wire as operators write them: whole francs.

import { RAIL_STATES } from '../../domain/payout';
import {
  PAYMENT_STEPS,
  type AttemptFailure,
  type ChargeState,
  type NextStep,
  type PaymentMethod,
} from '../../domain/payment-attempt';
import {
  currencyField,
  FieldFault,
  instantField,
  listField,
  majorField,
  objectField,
  optionalText,
  rowIdField,
  textField,
  urlField,
  wordField,
  type Fields,
} from '../fields';
import type { Call } from '../http';
import type { ChargeOrder, PhonePayments } from '../port';
import { NOT_DONE, readFailure, type SandboxAccount } from './exchange';
import { callGateway, findOrder, writeAmount, type Read } from './gateway-call';

export const CHARGE_NOT_SEEN = 'charge_not_seen';

/** The operator's reasons in our words; a new one of its is `unspecified`. */
const FAILURE_CODES = {
  PAYER_NOT_FOUND: 'payer_not_found',
  PAYER_BLOCKED: 'payer_blocked',
  PAYER_LIMIT_REACHED: 'payer_limit_exceeded',
  NOT_APPROVED: 'not_approved',
  WRONG_CODE: 'wrong_otp',
  EXPIRED: 'expired',
  AMOUNT_OUT_OF_BOUNDS: 'amount_out_of_bounds',
  OPERATOR_DOWN: 'provider_unavailable',
  UNSUPPORTED: 'rejected',
} as const satisfies Readonly<Record<string, AttemptFailure['code']>>;
export type ChargeFailureCode = keyof typeof FAILURE_CODES;

export function createSandboxPhones(account: SandboxAccount): PhonePayments {
  return {
    // It never forgets an id. An order may be on its way to it for any time.
    promises: { idempotent_by_id: true, not_found_is_final_after_s: null, callbacks: 'retried' },
    methods: () =>
      callGateway(account, { method: 'GET', path: '/charges/methods', body: null }, (response) =>
        listField(response, 'methods').map(readMethod),
      ),
    // Async, so that an amount that cannot be written is a rejection too.
    charge: async (order) => {
      const call: Call = { method: 'POST', path: '/charges', body: chargeBody(order) };
      return callGateway(account, call, readStateOf(order.id), NOT_DONE);
    },
    findCharge: (id) =>
      findOrder(account, `/charges/${encodeURIComponent(id)}`, readStateOf(id), CHARGE_NOT_SEEN),
  };
}

function chargeBody({ id, amount, currency, ...order }: ChargeOrder): object {
  const text = writeAmount(amount, currency);
  // The operator refuses empty text.
  const description = order.description || null;
  return { ...order, charge_id: id, currency, amount: text, description };
}

function readMethod(method: Fields['value']): PaymentMethod {
  const currency = currencyField(method);
  const { prefixes } = method;
  if (!isTexts(prefixes)) throw new FieldFault('prefixes must be a list of texts');
  return {
    operator: textField(method, 'operator', 100),
    name: textField(method, 'name', 100),
    country: textField(method, 'country', 2),
    currency,
    prefixes,
    minimum: majorField(method, 'minimum', currency, 1n),
    maximum: majorField(method, 'maximum', currency, 1n),
    step: wordField(method, 'step', PAYMENT_STEPS),
    state: wordField(method, 'state', RAIL_STATES),
    otp_code: optionalText(method, 'otp_code', 50),
  };
}

/** A response about another charge than the one asked about would settle the wrong one. */
function readStateOf(id: string): Read<ChargeState> {
  return (charge) => {
    if (rowIdField(charge, 'charge_id') !== id)
      throw new FieldFault('charge_id is of another charge');
    const provider_payment_id = textField(charge, 'provider_payment_id', 200);
    const status = wordField(charge, 'status', ['waiting', 'failed', 'paid']);
    switch (status) {
      case 'waiting': {
        const next_step = charge['next_step'] === null ? null : readNextStep(charge);
        return { status, provider_payment_id, next_step };
      }
      case 'failed':
        return { status, failure: readFailure(charge, FAILURE_CODES) };
      case 'paid': {
        const currency = currencyField(charge);
        const amount_minor = String(majorField(charge, 'amount', currency, 1n));
        const occurred_at = instantField(charge, 'paid_at');
        return { status, payment: { provider_payment_id, amount_minor, currency, occurred_at } };
      }
    }
  };
}

function readNextStep(charge: Fields['value']): NextStep {
  const step = objectField(charge, 'next_step');
  const { fr, en } = objectField(step, 'instructions');
  if (!isTexts(fr) || !isTexts(en)) throw new FieldFault('instructions must be lists of texts');
  const kind = wordField(step, 'kind', PAYMENT_STEPS);
  return {
    kind,
    expires_at: instantField(step, 'expires_at'),
    code: optionalText(step, 'code', 50),
    url: kind === 'redirect' ? urlField(step, 'url') : null,
    instructions: { fr, en },
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && one.length <= 500);
}
