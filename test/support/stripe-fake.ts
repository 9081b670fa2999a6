// A fake of the parts of Stripe's Checkout that the adapter uses: sessions that are opened, paid, expired
// and refunded, idempotency keys, and errors in Stripe's shape. Stripe's own mock has no state.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeAfterFile } from './cleanup';

export type FormValue = string | FormObject;
export interface FormObject {
  [key: string]: FormValue;
}

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly params: FormObject;
  readonly idempotency_key: string | undefined;
}

/** Happens to the next request instead of a response, or to its response. */
export type Mishap =
  /** No response, ever. */
  | 'hang'
  /** Headers and half of a body, then nothing. */
  | 'stall'
  /** The connection closes without a response. */
  | 'drop'
  /** The request is executed, and the response lost. */
  | 'lose'
  /** An error instead; `kept` if Stripe stores it, which it does once execution has begun. */
  | { readonly status: number; readonly error: FakeError; readonly kept?: boolean }
  /** A response that is not JSON. */
  | { readonly status: number; readonly text: string };

export interface FakeError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
}

interface FakeSession {
  readonly id: string;
  readonly params: FormObject;
  readonly created: number;
  readonly expires_at: number;
  readonly amount_total: number;
  readonly currency: string;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'unpaid' | 'paid';
  payment_intent: FakePayment | null;
}

interface FakePayment {
  readonly id: string;
  amount: number;
  readonly created: number;
  status: 'succeeded' | 'processing' | 'requires_payment_method';
  charged_at: number | null;
  failure: { readonly code: string; readonly message: string } | null;
  refunds: FakeRefund[];
}

/**
 * The fields of Stripe's refund object that the adapter reads
 * (https://docs.stripe.com/api/refunds/object, API version 2026-10-28.endive; `pending_reason` is there
 * since 2025-04-30.basil).
 */
export interface FakeRefund {
  readonly id: string;
  readonly object: 'refund';
  readonly amount: number;
  readonly currency: string;
  readonly created: number;
  readonly payment_intent: string;
  readonly metadata: FormObject;
  status: string;
  failure_reason?: string;
  pending_reason?: string;
}

interface Kept {
  readonly at: number;
  readonly request: string;
  readonly answer: HttpResponse;
}

interface HttpResponse {
  readonly status: number;
  readonly body: unknown;
}

const HALF_HOUR = 1_800;
const DAY = 86_400;

export type StripeFake = Awaited<ReturnType<typeof startStripeFake>>;

export async function startStripeFake(secret_key: string, livemode = false) {
  const sessions = new Map<string, FakeSession>();
  const kept = new Map<string, Kept>();
  const requests: FakeRequest[] = [];
  const mishaps: Mishap[] = [];
  const disputes = new Map<string, object>();
  let made = 0;
  let next_refund: Partial<FakeRefund> = {};
  let longest_page = 100;

  function open(params: FormObject): HttpResponse {
    const now = seconds();
    const expires_at = Number(params['expires_at'] ?? now + DAY);
    if (expires_at < now + HALF_HOUR) return wrongExpiry('at least 30 minutes');
    if (expires_at > now + DAY) return wrongExpiry('less than 24 hours');
    const price = at(params, 'line_items', '0', 'price_data') as FormObject;
    const session: FakeSession = {
      id: `cs_test_${++made}`,
      params,
      created: now,
      expires_at,
      amount_total: Number(price['unit_amount']),
      currency: text(price['currency']),
      status: 'open',
      payment_status: 'unpaid',
      payment_intent: null,
    };
    sessions.set(session.id, session);
    return { status: 200, body: shown(session) };
  }

  function find(id: string): FakeSession | undefined {
    const session = sessions.get(id);
    if (session?.status === 'open' && session.expires_at <= seconds()) session.status = 'expired';
    return session;
  }

  function expire(session: FakeSession): HttpResponse {
    if (session.status !== 'open') {
      return invalid({
        message:
          'Only Checkout Sessions with a status in ["open"] can be expired. ' +
          `This Checkout Session has a status of \`${session.status}\`.`,
      });
    }
    session.status = 'expired';
    return { status: 200, body: shown(session) };
  }

  function refund(params: FormObject): HttpResponse {
    const payment = payments().find(({ id }) => id === params['payment_intent']);
    if (payment === undefined) return missing('payment_intent', text(params['payment_intent']));
    // A pending refund counts: its money is no longer there to be refunded.
    const refunded = payment.refunds
      .filter(({ status }) => status !== 'failed' && status !== 'canceled')
      .reduce((sum, one) => sum + one.amount, 0);
    if (refunded >= payment.amount) {
      return invalid({
        code: 'charge_already_refunded',
        message: 'Charge ch_1 has already been refunded.',
      });
    }
    if (refunded + Number(params['amount']) > payment.amount) {
      return invalid({
        param: 'amount',
        message: 'Refund amount ($50.00) is greater than unrefunded amount on charge ($20.00)',
      });
    }
    const created: FakeRefund = {
      id: `re_${++made}`,
      object: 'refund',
      amount: Number(params['amount']),
      currency: sessionOf(payment).currency,
      created: seconds(),
      payment_intent: payment.id,
      metadata: (params['metadata'] ?? {}) as FormObject,
      status: 'succeeded',
      ...next_refund,
    };
    next_refund = {};
    payment.refunds.unshift(created);
    // Stripe's stored response to the key keeps the refund as it is now.
    return { status: 200, body: { ...created } };
  }

  function payments(): FakePayment[] {
    return [...sessions.values()].flatMap(({ payment_intent }) => payment_intent ?? []);
  }

  function sessionOf(payment: FakePayment): FakeSession {
    return [...sessions.values()].find(({ payment_intent }) => payment_intent === payment)!;
  }

  function shownPayment(payment: FakePayment): unknown {
    const { currency, params } = sessionOf(payment);
    const { id, amount, created, status, charged_at } = payment;
    return {
      id,
      object: 'payment_intent',
      amount,
      amount_received: status === 'succeeded' ? amount : 0,
      currency,
      created,
      status,
      livemode,
      metadata: at(params, 'payment_intent_data', 'metadata') ?? {},
      latest_charge: charged_at && { object: 'charge', created: charged_at },
    };
  }

  /** Newest first, as Stripe lists everything (https://docs.stripe.com/api/pagination). */
  function page<Item extends { readonly id: string; readonly created: number }>(
    items: readonly Item[],
    params: FormObject,
    show: (item: Item) => unknown,
  ): HttpResponse {
    const from = Number(at(params, 'created', 'gte') ?? 0);
    const to = Number(at(params, 'created', 'lt') ?? Infinity);
    const sorted = items
      .filter(({ created }) => created >= from && created < to)
      .sort((one, other) => other.created - one.created);
    const after = sorted.findIndex(({ id }) => id === params['starting_after']);
    const rest = sorted.slice(after + 1);
    const limit = Math.min(Number(params['limit'] ?? 10), longest_page);
    const data = rest.slice(0, limit).map(show);
    return { status: 200, body: { object: 'list', data, has_more: rest.length > limit } };
  }

  function refunds(): FakeRefund[] {
    return payments().flatMap((payment) => payment.refunds);
  }

  function execute({ method, path, params }: FakeRequest): HttpResponse {
    if (path === '/v1/checkout/sessions' && method === 'POST') return open(params);
    if (path === '/v1/refunds' && method === 'POST') return refund(params);
    if (path === '/v1/payment_intents') return page(payments(), params, shownPayment);
    if (path.startsWith('/v1/payment_intents/')) {
      const id = path.slice('/v1/payment_intents/'.length);
      const found = payments().find((one) => one.id === id);
      return found ? { status: 200, body: shownPayment(found) } : missing('payment_intent', id);
    }
    if (path === '/v1/refunds' && params['payment_intent'] === undefined) {
      return page(refunds(), params, (one) => one);
    }
    if (path === '/v1/refunds') {
      const payment = payments().find(({ id }) => id === params['payment_intent']);
      return { status: 200, body: { object: 'list', data: payment?.refunds ?? [] } };
    }
    if (path.startsWith('/v1/refunds/')) {
      const id = path.slice('/v1/refunds/'.length);
      const found = refunds().find((one) => one.id === id);
      return found ? { status: 200, body: found } : missing('refund', id);
    }
    if (path.startsWith('/v1/disputes/')) {
      const id = path.slice('/v1/disputes/'.length);
      const found = disputes.get(id);
      return found ? { status: 200, body: found } : missing('dispute', id);
    }
    const [, id = '', verb] = /^\/v1\/checkout\/sessions\/([^/]+)(\/expire)?$/.exec(path) ?? [];
    const session = find(id);
    if (session === undefined) return missing('checkout.session', id);
    return verb === undefined ? { status: 200, body: shown(session) } : expire(session);
  }

  function shown(session: FakeSession): unknown {
    const { params, payment_intent, status, ...rest } = session;
    return {
      ...rest,
      status,
      object: 'checkout.session',
      livemode,
      client_reference_id: params['client_reference_id'],
      metadata: params['metadata'],
      url: status === 'open' ? `https://checkout.stripe.test/c/pay/${session.id}` : null,
      payment_intent: payment_intent && {
        id: payment_intent.id,
        object: 'payment_intent',
        created: payment_intent.created,
        status: payment_intent.status,
        last_payment_error: payment_intent.failure,
        latest_charge: payment_intent.charged_at && {
          object: 'charge',
          created: payment_intent.charged_at,
        },
      },
    };
  }

  // Parameters are validated before the keys are looked at, and such errors are not stored.
  function answer(
    request: FakeRequest,
    mishap: Mishap | undefined,
  ): HttpResponse & { replayed: boolean } {
    const { idempotency_key: key, method, path, params } = request;
    const said = JSON.stringify([method, path, params]);
    const known = key === undefined ? undefined : kept.get(key);
    if (known !== undefined && seconds() - known.at < DAY) {
      if (known.request !== said) return { ...reusedKey(key!), replayed: false };
      return { ...known.answer, replayed: true };
    }
    const is_error = typeof mishap === 'object' && 'error' in mishap;
    const first = is_error
      ? { status: mishap.status, body: { error: mishap.error } }
      : execute(request);
    const keep = is_error ? mishap.kept === true : first.status === 200;
    if (key !== undefined && keep) kept.set(key, { at: seconds(), request: said, answer: first });
    return { ...first, replayed: false };
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await read(incoming);
    requests.push(request);
    const mishap = mishaps.shift();
    if (mishap === 'hang') return;
    if (mishap === 'drop') return void response.destroy();
    if (mishap === 'stall') return void response.writeHead(200).write('{"id": "cs_');
    if (typeof mishap === 'object' && 'text' in mishap) {
      return void response.writeHead(mishap.status).end(mishap.text);
    }
    const { status, body, replayed } =
      incoming.headers.authorization === `Bearer ${secret_key}`
        ? answer(request, mishap)
        : { ...wrongKey(incoming.headers.authorization ?? ''), replayed: false };
    if (mishap === 'lose') return void response.destroy();
    response.writeHead(status, {
      'content-type': 'application/json',
      'request-id': `req_${requests.length}`,
      ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
    });
    response.end(JSON.stringify(body));
  }

  const server = createServer((incoming, response) => void serve(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterFile(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );

  function complete(id: string, payment_status: 'paid' | 'unpaid'): FakePayment {
    const session = find(id);
    if (session?.status !== 'open') throw new Error(`${id} is not open`);
    const now = seconds();
    session.status = 'complete';
    session.payment_status = payment_status;
    session.payment_intent = {
      id: `pi_${++made}`,
      amount: session.amount_total,
      created: now,
      status: payment_status === 'paid' ? 'succeeded' : 'processing',
      charged_at: now,
      failure: null,
      refunds: [],
    };
    return session.payment_intent;
  }

  return {
    api: {
      protocol: 'http' as const,
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
    },
    requests,
    sessions,
    refunds,
    /** Each mishap happens to one of the next requests. */
    mishap: (...next: Mishap[]): void => void mishaps.push(...next),
    /** The customer pays. */
    pay: (id: string) => complete(id, 'paid').id,
    /** The customer pays with a method that takes days. */
    payLater: (id: string) => complete(id, 'unpaid').id,
    /** The next refund is made with these fields, instead of succeeding at once. */
    nextRefund: (fields: Partial<FakeRefund>): void => void (next_refund = fields),
    /** Pages of lists are no longer than this from now on. */
    listPagesOf: (items: number): void => void (longest_page = items),
    /** Changes the payments that the gateway says it has taken. */
    changePayment: (id: string, fields: Partial<Pick<FakePayment, 'amount' | 'created'>>): void => {
      Object.assign(
        payments().find((one) => one.id === id)!,
        fields,
      );
    },
    /** Sets Stripe's answer about a dispute. */
    setDispute: (id: string, dispute: object): void => void disputes.set(id, dispute),
    /** Changes the state of a refund. */
    changeRefund: (id: string, fields: Partial<FakeRefund>): void => {
      Object.assign(
        refunds().find((one) => one.id === id)!,
        fields,
      );
    },
    /** Ends such a payment. */
    settle: (id: string, failure: FakePayment['failure']): void => {
      const session = find(id);
      if (!session?.payment_intent) throw new Error(`${id} has no payment`);
      session.payment_status = failure === null ? 'paid' : 'unpaid';
      session.payment_intent.status = failure === null ? 'succeeded' : 'requires_payment_method';
      session.payment_intent.failure = failure;
    },
  };
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

function text(value: FormValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function invalid(error: Omit<FakeError, 'type'>): HttpResponse {
  return { status: 400, body: { error: { type: 'invalid_request_error', ...error } } };
}

function wrongExpiry(bound: string): HttpResponse {
  return invalid({
    param: 'expires_at',
    message: `The \`expires_at\` timestamp must be ${bound} from Checkout Session creation.`,
  });
}

function missing(object: string, id: string): HttpResponse {
  const error = { code: 'resource_missing', message: `No such ${object}: '${id}'` };
  return { ...invalid(error), status: 404 };
}

function wrongKey(authorization: string): HttpResponse {
  const message = `Invalid API Key provided: sk_test_****${authorization.slice(-4)}`;
  return { ...invalid({ message }), status: 401 };
}

function reusedKey(key: string): HttpResponse {
  const message =
    'Keys for idempotent requests can only be used with the same parameters they were first ' +
    `used with. Try using a key other than '${key}' if you meant to execute a different request.`;
  return { status: 400, body: { error: { type: 'idempotency_error', message } } };
}

async function read(incoming: IncomingMessage): Promise<FakeRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://fake');
  const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
  const key = incoming.headers['idempotency-key'];
  return {
    method: incoming.method ?? '',
    path: pathname,
    params: nested([...searchParams, ...form]),
    idempotency_key: typeof key === 'string' ? key : undefined,
  };
}

/** Parses `a[b][0]=c` to `{a: {b: {0: 'c'}}}`. */
function nested(pairs: readonly (readonly [string, string])[]): FormObject {
  const root: FormObject = {};
  for (const [name, value] of pairs) {
    const path = name.replaceAll(']', '').split('[');
    const last = path.pop()!;
    let place = root;
    for (const step of path) place = (place[step] ??= {}) as FormObject;
    place[last] = value;
  }
  return root;
}

/** One value of a form. */
export function at(form: FormValue | undefined, ...path: string[]): FormValue | undefined {
  const [step, ...rest] = path;
  return step === undefined ? form : at((form as FormObject | undefined)?.[step], ...rest);
}
