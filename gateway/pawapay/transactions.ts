// Deposits, payouts and refunds as pawaPay tells of them: the answer when one is begun, and what has become of it.

import { EXPONENTS, type Currency } from '../../domain/currency';
import { GatewayError } from '../../domain/gateway-error';
import { formatAmount, type Minor } from '../../domain/money';
import type { AttemptFailure } from '../../domain/payment-attempt';
import type { PayoutFailure } from '../../domain/payout';
import { currencyField, FieldFault, objectField, wordField, type Fields } from '../fields';
import { reasonOf, type Reason } from './call';

export type Kind = 'deposit' | 'payout' | 'refund';

export type Begun =
  | { readonly status: 'ACCEPTED' }
  | { readonly status: 'DUPLICATE_IGNORED' }
  | { readonly status: 'REJECTED'; readonly reason: Reason };

/** A transaction as a look-up shows it. What no table here knows is no valid response, and is asked about again. */
export interface Transaction {
  readonly status: (typeof STATUSES)[number];
  readonly amount: Minor;
  readonly currency: Currency;
  readonly reason: Reason | undefined;
  readonly fields: Fields['value'];
}

/** `SUBMITTED` is of version 1; pawaPay's page of test numbers still has it. */
const STATUSES = [
  'ACCEPTED',
  'SUBMITTED',
  'ENQUEUED',
  'PROCESSING',
  'IN_RECONCILIATION',
  'COMPLETED',
  'FAILED',
] as const;

export const pathOf = (kind: Kind, id: string): string => `/v2/${kind}s/${encodeURIComponent(id)}`;

export function readBegun(kind: Kind, id: string): (body: Fields['value']) => Begun {
  return (body) => {
    const status = wordField(body, 'status', ['ACCEPTED', 'REJECTED', 'DUPLICATE_IGNORED']);
    requireId(kind, id, body[`${kind}Id`] ?? id);
    if (status !== 'REJECTED') return { status };
    const reason = reasonOf(body);
    if (!reason) throw new FieldFault('failureReason is missing');
    // Its own pages say of this code that nothing may be concluded from it.
    if (reason.code === 'UNKNOWN_ERROR') {
      throw new GatewayError('unreachable', `pawaPay does not know the ${kind}'s outcome`);
    }
    return { status, reason };
  };
}

/** Undefined: pawaPay has never seen it, or has rejected it. */
export function readFound(
  kind: Kind,
  id: string,
): (body: Fields['value']) => Transaction | undefined {
  return (body) => {
    const found = wordField(body, 'status', ['FOUND', 'NOT_FOUND']);
    if (found === 'NOT_FOUND') return undefined;
    const fields = objectField(body, 'data');
    requireId(kind, id, fields[`${kind}Id`]);
    const status = wordField(fields, 'status', STATUSES);
    const currency = currencyField(fields);
    const amount = readAmount(fields, 'amount');
    if (EXPONENTS[currency] === 0 && amount % 100n !== 0n) {
      throw new FieldFault(`amount must be whole in ${currency}`);
    }
    const reason = status === 'FAILED' ? reasonOf(fields) : undefined;
    return { status, amount, currency, reason, fields };
  };
}

/** An order whose id pawaPay does not know may be on its way to it. */
export function unseen(kind: Kind): GatewayError {
  return new GatewayError('refused', `pawaPay does not know this ${kind}`, {
    is_about_access: true,
    outcome: 'unknown',
  });
}

/** A response about another one would settle the wrong one. */
function requireId(kind: Kind, id: string, given: unknown): void {
  if (given !== id) throw new FieldFault(`${kind}Id is of another ${kind}`);
}

/** pawaPay ignores a second order with an id, whatever it says: another amount is an error. */
export function requireSame(
  { amount, currency }: Pick<Transaction, 'amount' | 'currency'>,
  ordered: Pick<Transaction, 'amount' | 'currency'>,
): void {
  if (amount === ordered.amount && currency === ordered.currency) return;
  const has = `${formatAmount(amount)} ${currency}`;
  const wanted = `${formatAmount(ordered.amount)} ${ordered.currency}`;
  throw new GatewayError('unreachable', `pawaPay has ${has} under this id, not ${wanted}`);
}

const AMOUNT = /^(-?)(0|[1-9]\d{0,12})(?:\.(\d{1,2}))?$/;

/** Reads an amount as pawaPay writes them: `100`, `100.00` or `100.5`, in every currency. */
export function readAmount(object: Fields['value'], name: string): Minor {
  const text = object[name];
  const [, sign, whole, fraction = ''] = (typeof text === 'string' && AMOUNT.exec(text)) || [];
  if (whole === undefined) throw new FieldFault(`${name} must be an amount as text`);
  return BigInt(`${sign}${whole}${fraction.padEnd(2, '0')}`) as Minor;
}

/** Whole amounts are written without decimals, which each operator takes; undefined where it takes none. */
export function amountText(minor: bigint, decimals: number): string | undefined {
  const text = formatAmount(minor);
  if (text.endsWith('.00')) return text.slice(0, -'.00'.length);
  return decimals === 0 ? undefined : text;
}

/** `TRX-…` in the form of a narration: 4 to 22 letters, digits and blanks. */
export function narrationOf(reference: string): string {
  return reference.replace(/[^A-Za-z0-9]+/g, ' ').slice(0, 22);
}

const REQUEST_FAULTS = {
  INVALID_INPUT: 'rejected',
  MISSING_PARAMETER: 'rejected',
  UNSUPPORTED_PARAMETER: 'rejected',
  INVALID_PARAMETER: 'rejected',
  DUPLICATE_METADATA_FIELD: 'rejected',
  INVALID_CURRENCY: 'rejected',
  INVALID_PROVIDER: 'rejected',
  MANUALLY_CANCELLED: 'rejected',
  AMOUNT_OUT_OF_BOUNDS: 'amount_out_of_bounds',
  INVALID_AMOUNT: 'amount_out_of_bounds',
  PROVIDER_TEMPORARILY_UNAVAILABLE: 'provider_unavailable',
} as const;

const DEPOSIT_FAILURES: Readonly<Record<string, AttemptFailure['code']>> = {
  ...REQUEST_FAULTS,
  PAYER_NOT_FOUND: 'payer_not_found',
  INVALID_PHONE_NUMBER: 'payer_not_found',
  PAYER_LIMIT_REACHED: 'payer_limit_exceeded',
  WALLET_LIMIT_REACHED: 'payer_limit_exceeded',
  INSUFFICIENT_BALANCE: 'insufficient_funds',
  PAYMENT_NOT_APPROVED: 'not_approved',
  PAYMENT_IN_PROGRESS: 'rejected',
  TRANSACTION_ALREADY_IN_PROCESS: 'rejected',
};

const PAYOUT_FAILURES: Readonly<Record<string, PayoutFailure['code']>> = {
  ...REQUEST_FAULTS,
  RECIPIENT_NOT_FOUND: 'recipient_not_found',
  INVALID_PHONE_NUMBER: 'recipient_not_found',
  RECIPIENT_LIMIT_REACHED: 'recipient_limit_exceeded',
  WALLET_LIMIT_REACHED: 'recipient_limit_exceeded',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'provider_out_of_funds',
};

const UNSAID: Reason = { code: 'UNSPECIFIED_FAILURE', message: 'pawaPay does not say why.' };

export function depositFailure({ code, message }: Reason = UNSAID): AttemptFailure {
  return { code: DEPOSIT_FAILURES[code] ?? 'unspecified', message, provider_code: code };
}

export function payoutFailure({ code, message }: Reason = UNSAID): PayoutFailure {
  return { code: PAYOUT_FAILURES[code] ?? 'unspecified', message, provider_code: code };
}
