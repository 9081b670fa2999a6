// A small pawaPay for tests: deposits, payouts and refunds in memory, behind the token, with signed callbacks.
//
//   const pawapay = await startPawapay({ token, callback_url, key });
//   createPawapayGateway({ environment, url: pawapay.url, token, callback_keys: [pawapay.public_key], … });

import { createHash, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { testOutcomeOf } from '../../../domain/test-phones';
import { signatureBase } from '../../../gateway/pawapay/callback';
import { courseOf, OPERATORS, type Course, type Operator } from './operators';

export interface PawapayOptions {
  readonly token: string;
  readonly callback_url: string;
  /** The private key that signs callbacks: of P-256. */
  readonly key: KeyObject;
}

export interface PawapaySimulator {
  readonly url: string;
  /** SPKI in base64. */
  readonly public_key: string;
  /** Each request and its response, oldest first. */
  readonly seen: readonly Seen[];
  /** Answers so before anything is done, or after it with `done`; undefined answers as always. */
  fault: Fault | undefined;
  /** The operators that are not operational, by name. */
  readonly status: Map<string, 'DELAYED' | 'CLOSED'>;
  /** The customer agrees, or the operator works again. */
  approve(id: string): void;
  /** Sends a callback about a transaction; `headers` and `body` replace what was signed. */
  callBack(id: string, changed?: Changed): Promise<number>;
  stop(): Promise<void>;
}

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly status: number;
  readonly response: unknown;
}

export interface Fault {
  readonly answer: 'hang' | 'reset' | { readonly status: number; readonly text: string };
  /** The work is done before the answer is lost. */
  readonly done?: boolean;
}

export interface Changed {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: KeyObject;
  readonly created?: number;
  readonly encoding?: 'der' | 'ieee-p1363';
}

type Kind = 'deposit' | 'payout' | 'refund';
type Body = Readonly<Record<string, unknown>>;

interface Transaction {
  readonly kind: Kind;
  readonly id: string;
  readonly order: Body;
  readonly operator: Operator;
  readonly phone: string;
  readonly created: string;
  readonly amount: number;
  course: Course;
  status: string;
  page: string | undefined;
}

/** An answer as status and body. */
type Answer = readonly [status: number, body: object];

const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const OPERATION_TYPES = ['DEPOSIT', 'PAYOUT', 'REFUND'] as const;
const MAX_SEEN = 1_000;

const failure = (failureCode: string): { failureReason: object } => ({
  failureReason: { failureCode, failureMessage: `The simulator says ${failureCode}.` },
});

export async function startPawapay(options: PawapayOptions): Promise<PawapaySimulator> {
  const transactions = new Map<string, Transaction>();
  const status = new Map<string, 'DELAYED' | 'CLOSED'>();
  const seen: Seen[] = [];
  const under_way = new Set<Promise<unknown>>();

  function begin(kind: Kind, body: Body): Answer {
    const id = body[`${kind}Id`];
    const [amount, currency] = [body['amount'], body['currency']];
    if (typeof id !== 'string' || !UUID_4.test(id)) return [400, failure('INVALID_PARAMETER')];
    const ids = { [`${kind}Id`]: id };
    if (transactions.has(id)) return [200, { ...ids, status: 'DUPLICATE_IGNORED' }];
    const rejected = (code: string): Answer => [
      200,
      { ...ids, status: 'REJECTED', ...failure(code) },
    ];
    const of = kind === 'refund' ? transactions.get(String(body['depositId'])) : undefined;
    if (kind === 'refund' && of === undefined) return rejected('NOT_FOUND');
    const party = partyOf(body[kind === 'payout' ? 'recipient' : 'payer']);
    const operator = of?.operator ?? OPERATORS.find(({ provider }) => provider === party?.provider);
    const phone = of?.phone ?? party?.phoneNumber ?? '';
    if (typeof amount !== 'string' || typeof currency !== 'string') {
      return [400, failure('MISSING_PARAMETER')];
    }
    if (operator === undefined) return rejected('INVALID_PROVIDER');
    if (operator.currency !== currency) return rejected('INVALID_CURRENCY');
    if (operator.decimals === 'NONE' && amount.includes('.')) return rejected('INVALID_AMOUNT');
    const value = Math.round(Number(amount) * 100);
    const is_within =
      value >= Number(operator.minimum) * 100 && value <= Number(operator.maximum) * 100;
    if (!is_within) return rejected('AMOUNT_OUT_OF_BOUNDS');
    const course = kind === 'refund' ? 'paid' : courseOf(kind, phone);
    const is_closed = status.get(operator.provider) === 'CLOSED';
    if (is_closed || (kind === 'deposit' && course === 'closed')) {
      return rejected('PROVIDER_TEMPORARILY_UNAVAILABLE');
    }
    const { authType } = operator.agreement as { authType: string };
    const otp = body['preAuthorisationCode'];
    if (kind === 'deposit' && authType === 'PREAUTH' && otp === undefined) {
      return [400, failure('MISSING_PARAMETER')];
    }
    if (of) {
      const others = [...transactions.values()].filter(
        (one) =>
          one.kind === 'refund' && one.order['depositId'] === of.id && one.status !== 'FAILED',
      );
      const left = of.amount - others.reduce((sum, one) => sum + one.amount, 0);
      if (of.status !== 'COMPLETED') return rejected('INVALID_STATE');
      if (others.some((one) => one.status !== 'COMPLETED')) return rejected('REFUND_IN_PROGRESS');
      if (left === 0) return rejected('DEPOSIT_ALREADY_REFUNDED');
      if (value > left) return rejected('AMOUNT_TOO_LARGE');
    }
    const created = new Date().toISOString();
    const transaction: Transaction = {
      kind,
      id,
      order: body,
      operator,
      phone,
      created,
      amount: value,
      course: otp === '000000' ? { fails: 'UNSPECIFIED_FAILURE' } : course,
      status: 'ACCEPTED',
      page: undefined,
    };
    transactions.set(id, transaction);
    const is_page = kind === 'deposit' && authType === 'REDIRECT_AUTH';
    setImmediate(() => (is_page ? open(transaction) : advance(transaction)));
    const nextStep = is_page ? 'GET_AUTH_URL' : 'FINAL_STATUS';
    return [
      200,
      { ...ids, status: 'ACCEPTED', created, ...(kind === 'deposit' ? { nextStep } : {}) },
    ];
  }

  function open(transaction: Transaction): void {
    transaction.status = 'PROCESSING';
    transaction.page = `https://pay.wave.example/${transaction.id}`;
    tell(transaction);
  }

  function advance(transaction: Transaction): void {
    const { course, operator, kind } = transaction;
    const waits = course === 'closed' || status.get(operator.provider) === 'DELAYED';
    if (waits && kind !== 'deposit') transaction.status = 'ENQUEUED';
    else if (course === 'stuck') transaction.status = 'PROCESSING';
    else finish(transaction);
  }

  function finish(transaction: Transaction): void {
    transaction.status = typeof transaction.course === 'object' ? 'FAILED' : 'COMPLETED';
    tell(transaction);
  }

  function tell(transaction: Transaction): void {
    const outcome = testOutcomeOf(transaction.phone);
    const copies = outcome === 'no_callback' ? 0 : outcome === 'two_callbacks' ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const sent = callBack(transaction.id).catch(() => 0);
      under_way.add(sent);
      void sent.finally(() => under_way.delete(sent));
    }
  }

  async function callBack(id: string, changed: Changed = {}): Promise<number> {
    const body = changed.body ?? JSON.stringify(shown(transactions.get(id)!));
    const { key = options.key } = changed;
    const signed = signedHeaders(key, options.callback_url, body, changed);
    const headers = { ...signed, ...changed.headers };
    const response = await fetch(options.callback_url, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  }

  function answer(method: string, path: string, query: URLSearchParams, body: Body): Answer {
    const [, kind, id] = /^\/v2\/(deposit|payout|refund)s(?:\/([^/]+))?$/.exec(path) ?? [];
    if (kind !== undefined && method === 'POST' && id === undefined)
      return begin(kind as Kind, body);
    if (kind !== undefined && method === 'GET' && id !== undefined) {
      const found = transactions.get(id);
      const is_found = found?.kind === kind;
      return [200, is_found ? { status: 'FOUND', data: shown(found) } : { status: 'NOT_FOUND' }];
    }
    const canceled = /^\/v2\/payouts\/fail-enqueued\/([^/]+)$/.exec(path)?.[1];
    if (canceled !== undefined && method === 'POST') return cancel(canceled);
    switch (`${method} ${path}`) {
      case 'POST /v2/predict-provider':
        return predict(String(body['phoneNumber']));
      case 'GET /v2/active-conf':
        return [200, configuration(query.get('operationType'), status)];
      case 'GET /v2/wallet-balances':
        return [200, { balances: BALANCES }];
      default:
        return [404, {}];
    }
  }

  function cancel(payoutId: string): Answer {
    const found = transactions.get(payoutId);
    if (found?.status !== 'ENQUEUED') {
      const code = found === undefined ? 'NOT_FOUND' : 'INVALID_STATE';
      return [200, { payoutId, status: 'REJECTED', ...failure(code) }];
    }
    found.course = { fails: 'MANUALLY_CANCELLED' };
    finish(found);
    return [200, { payoutId, status: 'ACCEPTED' }];
  }

  const server = createServer((request, response) => {
    void serve(request, response);
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams, search } = new URL(request.url!, 'http://pawapay');
    const body = (chunks.length > 0 ? JSON.parse(String(Buffer.concat(chunks))) : {}) as Body;
    const { fault } = simulator;
    const { authorization } = request.headers;
    const access: Answer | undefined =
      authorization === undefined
        ? [401, failure('NO_AUTHENTICATION')]
        : authorization === `Bearer ${options.token}`
          ? undefined
          : [403, failure('AUTHENTICATION_ERROR')];
    const method = request.method!;
    const done =
      !fault || fault.done ? (access ?? answer(method, pathname, searchParams, body)) : undefined;
    const lost = method === 'POST' && isLost(body) && done?.[0] === 200;
    const how = fault?.answer ?? (lost ? 'reset' : undefined);
    if (how === 'hang') return;
    if (how === 'reset') {
      request.socket.destroy();
      return;
    }
    const [code, text] = how ? [how.status, how.text] : [done![0], JSON.stringify(done![1])];
    if (done && !how && seen.length < MAX_SEEN) {
      seen.push({ method, path: pathname + search, body, status: code, response: done[1] });
    }
    response.writeHead(code, { 'Content-Type': 'application/json' }).end(text);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const public_key = createPublicKey(options.key).export({ format: 'der', type: 'spki' });
  const simulator: PawapaySimulator = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    public_key: public_key.toString('base64'),
    seen,
    fault: undefined,
    status,
    approve: (id) => finish(transactions.get(id)!),
    callBack,
    async stop() {
      await Promise.all(under_way);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return simulator;
}

const BALANCES = [
  { country: 'CIV', balance: '21798.03', currency: 'XOF', provider: '' },
  { country: 'SEN', balance: '500000', currency: 'XOF', provider: '' },
  { country: 'RWA', balance: '10798.03', currency: 'RWF', provider: '' },
];

function partyOf(party: unknown): { provider: string; phoneNumber: string } | undefined {
  return (party as { accountDetails?: { provider: string; phoneNumber: string } } | undefined)
    ?.accountDetails;
}

/** Whether the answer to an order is lost on its way, by the phone that it is for. */
function isLost(body: Body): boolean {
  const phone = (partyOf(body['payer']) ?? partyOf(body['recipient']))?.phoneNumber ?? '';
  return ['lost_paid', 'lost_not_paid'].includes(testOutcomeOf(phone));
}

function shown({ kind, id, order, operator, phone, created, amount, ...now }: Transaction): object {
  const { provider, country, currency } = operator;
  const metadata = Object.assign({}, ...((order['metadata'] ?? []) as object[])) as object;
  return {
    [`${kind}Id`]: id,
    status: now.status,
    // Two decimals in each currency, as the guides show.
    amount: (amount / 100).toFixed(2),
    currency,
    country,
    [kind === 'deposit' ? 'payer' : 'recipient']: {
      type: 'MMO',
      accountDetails: { phoneNumber: phone, provider },
    },
    created,
    metadata,
    ...(now.page && now.status === 'PROCESSING'
      ? { nextStep: 'REDIRECT_TO_AUTH_URL', authorizationUrl: now.page }
      : {}),
    ...(now.status === 'FAILED' && typeof now.course === 'object' ? failure(now.course.fails) : {}),
  };
}

function predict(phone: string): Answer {
  const found = OPERATORS.find(({ numbers }) => numbers?.test(phone));
  if (!found) return [400, failure('INVALID_PHONE_NUMBER')];
  return [200, { country: found.country, provider: found.provider, phoneNumber: phone }];
}

function configuration(asked: string | null, status: ReadonlyMap<string, string>): object {
  const countries = [...new Set(OPERATORS.map(({ country }) => country))];
  const types = OPERATION_TYPES.filter((type) => asked === null || type === asked);
  return {
    companyName: 'Boutique Awa',
    countries: countries.map((country) => {
      const operators = OPERATORS.filter((one) => one.country === country);
      return {
        country,
        prefix: operators[0]!.prefix,
        providers: operators.map(({ provider, name, currency, ...one }) => {
          const entry = {
            minAmount: one.minimum,
            maxAmount: one.maximum,
            decimalsInAmount: one.decimals,
            status: status.get(provider) ?? 'OPERATIONAL',
          };
          const operationTypes = Object.fromEntries(
            types.map((type) => [type, { ...entry, ...(type === 'DEPOSIT' ? one.agreement : {}) }]),
          );
          return { provider, displayName: name, currencies: [{ currency, operationTypes }] };
        }),
      };
    }),
  };
}

/** The headers with which pawaPay sends a callback. */
export function signedHeaders(
  key: KeyObject,
  callback_url: string,
  body: string,
  { created = Math.floor(Date.now() / 1_000), encoding = 'der' }: Changed = {},
): Record<string, string> {
  const headers = {
    'content-type': 'application/json',
    'signature-date': new Date(created * 1_000).toISOString(),
    'content-digest': `sha-512=:${createHash('sha512').update(body).digest('base64')}:`,
  };
  const covered = [
    '@method',
    '@authority',
    '@path',
    'signature-date',
    'content-digest',
    'content-type',
  ];
  const names = covered.map((name) => `"${name}"`).join(' ');
  const params = `(${names});alg="ecdsa-p256-sha256";keyid="HTTP_EC_P256_KEY:1";created=${created};expires=${created + 60}`;
  const base = signatureBase(params, covered, { url: new URL(callback_url), headers })!;
  const by = { key, dsaEncoding: encoding };
  const signature = sign('sha256', Buffer.from(base), by).toString('base64');
  return {
    ...headers,
    'signature-input': `sig-pp=${params}`,
    signature: `sig-pp=:${signature}:`,
  };
}
