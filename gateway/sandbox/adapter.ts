// The sandbox gateway as the service sees it. One adapter is one account: the one its secrets open.

import { request } from 'undici';
import { CURRENCIES } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { PaymentState } from '../../domain/payment';
import { GATEWAY_SIGNATURE_HEADER, signGatewayBody } from '../../secrets/gateway-signature';
import {
  GatewayError,
  type Checkout,
  type CheckoutRequest,
  type Gateway,
  type RefundRequest,
} from '../port';
import { signedText } from './call';
import {
  currencyField,
  FieldFault,
  instantField,
  isObject,
  minorField,
  readFields,
  textField,
  type Fields,
} from './fields';
import { readNotification } from './notification';

export interface SandboxGatewayAdapterOptions {
  readonly environment: Environment;
  /** Without a slash at the end. */
  readonly url: string;
  /** The first signs our calls, all are accepted in notifications. */
  readonly secrets: readonly string[];
  /** Of a whole call, the answer's body included. */
  readonly timeout_ms: number;
}

/** Far above any answer of this gateway. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Said by whoever stands in between: too busy or too slow, not no. */
const LATER = new Set([408, 425, 429]);

export function createSandboxGateway(options: SandboxGatewayAdapterOptions): Gateway {
  const { environment, secrets } = options;
  if (secrets.length === 0 || secrets.includes('')) {
    throw new Error(`The ${environment} gateway needs secrets, and none that is empty.`);
  }
  const call = <Value>(
    method: 'GET' | 'POST',
    path: string,
    body: object | null,
    read: (answer: Fields['value']) => Value,
  ): Promise<Value> => callGateway(options, { method, path, body }, read);
  const sessionPath = (session_id: string): string =>
    `/checkouts/${encodeURIComponent(session_id)}`;

  return {
    name: 'sandbox',
    environment,
    bounds: { currencies: CURRENCIES, minimum: {}, session_seconds: null },
    openCheckout: (request) => call('POST', '/checkouts', openBody(request), readCheckout),
    closeCheckout: (session_id) =>
      call('POST', `${sessionPath(session_id)}/close`, null, readPaymentState),
    findPayment: (session_id) => call('GET', sessionPath(session_id), null, readPaymentState),
    refund: (request) =>
      call('POST', '/refunds', refundBody(request), (answer) => ({
        refund_id: textField(answer, 'refund_id', 200),
      })),
    readNotification: (raw, headers) =>
      readNotification({ environment, secrets }, raw, headers[GATEWAY_SIGNATURE_HEADER]),
  };
}

function openBody(request: CheckoutRequest): object {
  const { amount, description, ...rest } = request;
  // Text that is given is never empty.
  return { ...rest, description: description || null, amount_minor: String(amount) };
}

function refundBody(request: RefundRequest): object {
  const { amount, ...rest } = request;
  return { ...rest, amount_minor: String(amount) };
}

function readCheckout(answer: Fields['value']): Checkout {
  return {
    session_id: textField(answer, 'session_id', 200),
    checkout_url: textField(answer, 'checkout_url', 2_000),
    lapses_at: answer['lapses_at'] === null ? null : instantField(answer, 'lapses_at'),
  };
}

function readPaymentState(answer: Fields['value']): PaymentState {
  const { state } = answer;
  switch (state) {
    case 'none':
    case 'pending':
      return { state };
    case 'failed': {
      const failure = objectField(answer, 'failure');
      const code = textField(failure, 'code', 200);
      return { state, failure: { code, message: textField(failure, 'message', 1_000) } };
    }
    case 'paid': {
      const payment = objectField(answer, 'payment');
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

function objectField(answer: Fields['value'], name: string): Fields['value'] {
  const value = answer[name];
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
  read: (answer: Fields['value']) => Value,
): Promise<Value> {
  const what = `${call.method} ${call.path}`;
  const { status, raw } = await exchange(options, call, what);
  try {
    if (status >= 200 && status < 300) return read(readFields(raw).value);
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    throw new GatewayError('unreachable', `${what} was answered with what is no answer`, {
      cause: error,
    });
  }
  const isRefusal = status >= 400 && status < 500 && !LATER.has(status);
  const fault = isRefusal ? 'refused' : 'unreachable';
  throw new GatewayError(fault, `${what} was answered with ${status}${reasonIn(raw)}`);
}

async function exchange(
  { url, secrets, timeout_ms }: SandboxGatewayAdapterOptions,
  { method, path, body }: Call,
  what: string,
): Promise<{ status: number; raw: Buffer }> {
  const text = body === null ? '' : JSON.stringify(body);
  // One deadline for all of it: a gateway that answers byte by byte is not in time either.
  const deadline = AbortSignal.timeout(timeout_ms);
  try {
    // Takes less of the processor than `fetch`; follows no redirect.
    const response = await request(url + path, {
      method,
      headers: {
        [GATEWAY_SIGNATURE_HEADER]: signGatewayBody(signedText(method, path, text), secrets[0]!),
        ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      },
      body: body === null ? null : text,
      signal: deadline,
    });
    return { status: response.statusCode, raw: await readAnswer(response.body) };
  } catch (error) {
    const isLate = deadline.aborted;
    throw new GatewayError(
      isLate ? 'timeout' : 'unreachable',
      isLate ? `${what} was not answered within ${timeout_ms} ms` : `${what} could not be asked`,
      { cause: error },
    );
  }
}

async function readAnswer(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What the gateway says of its refusal, for the log. */
function reasonIn(raw: Buffer): string {
  try {
    const { error } = readFields(raw).value;
    return isObject(error) ? `: ${textField(error, 'message', 1_000)}` : '';
  } catch (error) {
    if (error instanceof FieldFault) return '';
    throw error;
  }
}
