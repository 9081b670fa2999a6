// The adapter of the sandbox gateway. One adapter is one account, decided by its secrets.

import { request } from 'undici';
import { readBounded } from '../../domain/bounded-body';
import { CURRENCIES } from '../../domain/currency';
import { DISPUTE_STATUSES, type DisputeState } from '../../domain/dispute';
import type { Environment } from '../../domain/environment';
import type { ListedPayment, ListedRefund, PaymentState, RefundState } from '../../domain/payment';
import {
  GATEWAY_SIGNATURE_HEADER,
  signGatewayBody,
  hasSignatureForm,
} from '../../secrets/gateway-signature';
import {
  GatewayError,
  type Checkout,
  type CheckoutRequest,
  type Gateway,
  type ListPage,
  type ListWindow,
  type RefundRequest,
} from '../port';
import { signedText } from './call';
import {
  currencyField,
  FieldFault,
  instantField,
  isObject,
  minorField,
  optionalText,
  readFields,
  textField,
  type Fields,
} from './fields';
import { readNotification } from './notification';

export interface SandboxGatewayAdapterOptions {
  readonly environment: Environment;
  /** The address, without a slash at the end. */
  readonly url: string;
  /** The first signs our calls; notifications may be signed with any of them. */
  readonly secrets: readonly string[];
  /** The deadline of a whole call, including the response body. */
  readonly timeout_ms: number;
}

/** No response of this gateway is nearly as long. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** A response with so many payments or refunds, with ids of any length, is not too large. */
const PAGE = 50;

/** Statuses that a proxy or a busy gateway sends: no refusal, the call may be repeated. */
const RETRYABLE = new Set([408, 425, 429]);

/** Refusals that are about us, or about an object that we may not see. */
const ABOUT_ACCESS = new Set([401, 403, 404]);

export function createSandboxGateway(options: SandboxGatewayAdapterOptions): Gateway {
  const { environment, secrets } = options;
  if (secrets.length === 0 || secrets.includes('')) {
    throw new Error(`The ${environment} gateway needs secrets, and none of them may be empty.`);
  }
  const call = <Value>(
    path: string,
    body: object | null,
    read: (response: Fields['value']) => Value,
    method: Call['method'] = 'POST',
  ): Promise<Value> => callGateway(options, { method, path, body }, read);
  const sessionPath = (session_id: string): string =>
    `/checkouts/${encodeURIComponent(session_id)}`;

  return {
    name: 'sandbox',
    environment,
    bounds: { currencies: CURRENCIES, minimum: {} },
    openCheckout: (request) => call('/checkouts', openBody(request), readCheckout),
    findPayment: (session_id) => call(sessionPath(session_id), null, readPaymentState, 'GET'),
    closeCheckout: (session_id) => call(`${sessionPath(session_id)}/close`, null, readPaymentState),
    refund: (request) => call('/refunds', refundBody(request), readRefundState),
    findRefund: (refund_id) =>
      call(`/refunds/${encodeURIComponent(refund_id)}`, null, readRefundState, 'GET'),
    findDispute: (dispute_id) =>
      call(`/disputes/${encodeURIComponent(dispute_id)}`, null, readDispute, 'GET'),
    listPayments: (window, cursor) =>
      call(
        listPath('/payments', window, cursor),
        null,
        readPage('payments', readListedPayment),
        'GET',
      ),
    findTakenPayment: (id) =>
      call(`/payments/${encodeURIComponent(id)}`, null, readTakenPayment, 'GET'),
    listRefunds: (window, cursor) =>
      call(
        listPath('/refunds', window, cursor),
        null,
        readPage('refunds', readListedRefund),
        'GET',
      ),
    mayBeSigned: (headers) => hasSignatureForm(headers[GATEWAY_SIGNATURE_HEADER]),
    readNotification: (raw, headers) =>
      readNotification({ environment, secrets }, raw, headers[GATEWAY_SIGNATURE_HEADER]),
  };
}

function listPath(path: string, { from, to }: ListWindow, cursor: string | undefined): string {
  const query = new URLSearchParams({ from, to, limit: String(PAGE) });
  if (cursor !== undefined) query.set('after', cursor);
  return `${path}?${query.toString()}`;
}

function openBody(request: CheckoutRequest): object {
  const { amount, description, merchant, ...rest } = request;
  return {
    ...rest,
    // The gateway refuses empty text.
    description: description || null,
    amount_minor: String(amount),
    merchant_name: merchant.name,
    merchant_country: merchant.country,
    merchant_contact: merchant.contact,
    logo_url: merchant.logo_url,
  };
}

function refundBody(request: RefundRequest): object {
  const { amount, ...rest } = request;
  return { ...rest, amount_minor: String(amount) };
}

function readCheckout(response: Fields['value']): Checkout {
  return {
    session_id: textField(response, 'session_id', 200),
    checkout_url: textField(response, 'checkout_url', 2_000),
    lapses_at: response['lapses_at'] === null ? null : instantField(response, 'lapses_at'),
  };
}

function readPaymentState(response: Fields['value']): PaymentState {
  const { state } = response;
  switch (state) {
    case 'none':
    case 'pending':
      return { state };
    case 'failed': {
      const failure = objectField(response, 'failure');
      const code = textField(failure, 'code', 200);
      return { state, failure: { code, message: textField(failure, 'message', 1_000) } };
    }
    case 'paid': {
      const payment = objectField(response, 'payment');
      const currency = currencyField(payment);
      return {
        state,
        payment: {
          provider_payment_id: textField(payment, 'provider_payment_id', 200),
          amount_minor: minorField(payment, currency),
          currency,
          occurred_at: instantField(payment, 'occurred_at'),
        },
      };
    }
    default:
      throw new FieldFault('state is not known');
  }
}

function readRefundState(response: Fields['value']): RefundState {
  const refund_id = textField(response, 'refund_id', 200);
  const { status } = response;
  switch (status) {
    case 'succeeded':
      return { status, refund_id };
    case 'pending':
      return { status, refund_id, detail: optionalText(response, 'detail', 1_000) };
    case 'failed':
      return { status, refund_id, reason: textField(response, 'detail', 1_000) };
    default:
      throw new FieldFault('status is not known');
  }
}

function readDispute(response: Fields['value']): DisputeState {
  const currency = currencyField(response);
  const status = DISPUTE_STATUSES.find((one) => one === response['status']);
  if (status === undefined) throw new FieldFault('status is not known');
  const due = response['evidence_due_by'] === null;
  return {
    status,
    provider_payment_id: textField(response, 'provider_payment_id', 200),
    amount_minor: minorField(response, currency),
    currency,
    fee_minor: minorField({ amount_minor: response['fee_minor'] }, currency),
    reason: textField(response, 'reason', 200),
    evidence_due_by: due ? null : instantField(response, 'evidence_due_by'),
  };
}

function readPage<Item>(
  name: 'payments' | 'refunds',
  read: (item: Fields['value']) => Item,
): (response: Fields['value']) => ListPage<Item> {
  return (response) => {
    const list = response[name];
    if (!Array.isArray(list) || !list.every(isObject)) {
      throw new FieldFault(`${name} must be a list of objects`);
    }
    if (!('next' in response)) throw new FieldFault('next is missing');
    return { items: list.map(read), next: optionalText(response, 'next', 500) };
  };
}

function readTakenPayment(response: Fields['value']): ListedPayment | undefined {
  return response['payment'] === null
    ? undefined
    : readListedPayment(objectField(response, 'payment'));
}

function readListedPayment(payment: Fields['value']): ListedPayment {
  const currency = currencyField(payment);
  return {
    provider_payment_id: textField(payment, 'provider_payment_id', 200),
    amount_minor: minorField(payment, currency),
    currency,
    occurred_at: instantField(payment, 'occurred_at'),
    intent_id: optionalText(payment, 'intent_id', 200),
    reference: optionalText(payment, 'reference', 200),
  };
}

function readListedRefund(refund: Fields['value']): ListedRefund {
  const currency = currencyField(refund);
  return {
    refund_id: textField(refund, 'refund_id', 200),
    provider_payment_id: textField(refund, 'provider_payment_id', 200),
    amount_minor: minorField(refund, currency),
    currency,
    status: readRefundState(refund).status,
    created_at: instantField(refund, 'created_at'),
  };
}

function objectField(response: Fields['value'], name: string): Fields['value'] {
  const value = response[name];
  if (!isObject(value)) throw new FieldFault(`${name} must be an object`);
  return value;
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: object | null;
}

/** @throws GatewayError and nothing else */
async function callGateway<Value>(
  options: SandboxGatewayAdapterOptions,
  call: Call,
  read: (response: Fields['value']) => Value,
): Promise<Value> {
  const what = `${call.method} ${call.path}`;
  const { status, raw } = await exchange(options, call, what);
  try {
    if (status >= 200 && status < 300) return read(readFields(raw).value);
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    throw new GatewayError('unreachable', `${what} got a response that is not valid`, {
      cause: error,
    });
  }
  const isRefusal = status >= 400 && status < 500 && !RETRYABLE.has(status);
  const fault = isRefusal ? 'refused' : 'unreachable';
  throw new GatewayError(fault, `${what} returned ${status}${reasonIn(raw)}`, {
    is_about_access: ABOUT_ACCESS.has(status),
  });
}

async function exchange(
  { url, secrets, timeout_ms }: SandboxGatewayAdapterOptions,
  { method, path, body }: Call,
  what: string,
): Promise<{ status: number; raw: Buffer }> {
  const text = body === null ? '' : JSON.stringify(body);
  // One deadline for everything: a response that arrives byte by byte counts as late too.
  const deadline = AbortSignal.timeout(timeout_ms);
  try {
    // `request` needs less CPU than `fetch`, and follows no redirect.
    const response = await request(url + path, {
      method,
      headers: {
        [GATEWAY_SIGNATURE_HEADER]: signGatewayBody(signedText(method, path, text), secrets[0]!),
        ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      },
      body: body === null ? null : text,
      signal: deadline,
    });
    return { status: response.statusCode, raw: await readBody(response.body) };
  } catch (error) {
    const isLate = deadline.aborted;
    throw new GatewayError(
      isLate ? 'timeout' : 'unreachable',
      isLate ? `${what} got no response within ${timeout_ms} ms` : `${what} failed`,
      { cause: error },
    );
  }
}

async function readBody(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks = await readBounded(body, MAX_RESPONSE_BYTES);
  if (chunks === undefined) throw new Error('the response is too large');
  return Buffer.concat(chunks);
}

/** Reads the gateway's reason for the refusal, for the log. */
function reasonIn(raw: Buffer): string {
  try {
    const { error } = readFields(raw).value;
    return isObject(error) ? `: ${textField(error, 'message', 1_000)}` : '';
  } catch (error) {
    if (error instanceof FieldFault) return '';
    throw error;
  }
}
