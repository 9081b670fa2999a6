// A merchant and a customer of a deployment, their operators, and the main job as they see it, through Caddy's TLS: a
// transfer, a payment link that a customer pays, a payout, and the webhooks about them.

import { randomUUID } from 'node:crypto';
import { Agent, buildConnector, request } from 'undici';
import { SCOPES } from '../../../domain/scopes';
import { PREFIX } from '../../../http/prefix';
import { closeAfterFile } from '../../support/cleanup';
import { noteSeen, waitFor } from '../../support/wait';
import { expectGenuine, type ReceivedWebhook } from '../../support/webhooks';
import { DOMAIN, type Deployment } from './deployment';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: any; // oxlint-disable-line typescript/no-explicit-any -- tests name its fields
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Follows the API's prefix, or is a whole URL. */
  readonly path: string;
  readonly key?: string;
  readonly idempotency_key?: string;
  /** Text is sent as a form, anything else as JSON. */
  readonly body?: string | object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Rejects when there is no response. */
export type Send = (call: Call) => Promise<Answer>;

export interface Person {
  readonly username: string;
  readonly live_key: string;
  readonly test_key: string;
}

export interface Company {
  readonly deployment: Deployment;
  readonly send: Send;
  readonly merchant: Person;
  readonly customer: Person;
  readonly webhook_secret: string;
  /** The merchant has sent so much to the customer so far, and been answered 200. */
  sent: number;
}

export const PASSWORD = 'correct horse battery';
const FUNDS = 500_000;
const RETRIED = new Set([409, 502, 503, 504]);
/** Covers a Temporal that elects and a Postgres that recovers, on a machine that does other things too. */
const LIMIT_MS = 180_000;

/** Sends to the published ports, whatever name a URL has, and trusts the deployment's authority alone. */
export function openCaller({ ports, authority }: Deployment): Send {
  const connectTls = buildConnector({ ca: authority.cert });
  const agent = new Agent({
    connect(options, done) {
      const is_tls = options.protocol === 'https:';
      const port = String(is_tls ? ports.https : ports.http);
      const place = { host: `127.0.0.1:${port}`, hostname: '127.0.0.1', port };
      connectTls({ ...options, ...place, servername: options.hostname }, done);
    },
  });
  closeAfterFile(() => agent.destroy());
  return async ({ method, path, key, idempotency_key, body, headers = {} }) => {
    const is_form = typeof body === 'string';
    const type = is_form ? 'application/x-www-form-urlencoded' : 'application/json';
    const answer = await request(
      path.startsWith('http') ? path : `https://${DOMAIN}${PREFIX}${path}`,
      {
        method,
        dispatcher: agent,
        headersTimeout: 30_000,
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
          ...(body === undefined ? {} : { 'content-type': type }),
          ...headers,
        },
        body: body === undefined ? null : is_form ? body : JSON.stringify(body),
      },
    );
    const text = await answer.body.text();
    const json: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
    return { status: answer.statusCode, headers: answer.headers, text, json };
  };
}

/** Repeats until the status, as a caller who behaves well does after 409, 5xx and no response. */
export function insist(
  { send }: Pick<Company, 'send'>,
  call: Call,
  status: number,
): Promise<Answer> {
  return waitFor(async () => {
    const answer = await send(call).catch((error: unknown) => String(error));
    noteSeen(`${call.method} ${call.path}`, answer);
    if (typeof answer === 'string') return false;
    if (answer.status === status) return answer;
    if (RETRIED.has(answer.status)) return false;
    throw new Error(`${call.path}: ${answer.status} ${answer.text}`);
  }, LIMIT_MS);
}

/** Runs a command of the operators' container; returns the one JSON object it prints. */
export async function operate(
  { run }: Pick<Deployment, 'run'>,
  command: string,
  input?: string,
  // oxlint-disable-next-line typescript/no-explicit-any -- tests name its fields
): Promise<any> {
  const line = `OPERATOR=awa docker compose run --rm --no-deps -T cli ${command} --json`;
  return JSON.parse(await run(line, input));
}

export async function buildCompany(deployment: Deployment): Promise<Company> {
  const send = openCaller(deployment);
  const [merchant, customer] = await Promise.all(
    ['merchant', 'customer'].map((name) => buildPerson(deployment, name)),
  );
  await deployment.run('docker compose --profile test up --detach --no-deps receiver');
  const endpoint = {
    method: 'POST',
    path: '/webhook-endpoints',
    key: merchant!.test_key,
    body: {
      url: 'http://172.30.83.20:8080/hooks',
      types: ['payment.succeeded', 'payout.succeeded'],
    },
  } as const;
  const { json } = await insist({ send }, endpoint, 201);
  const { secret: webhook_secret } = json as { secret: string };
  return { deployment, send, merchant: merchant!, customer: customer!, webhook_secret, sent: 0 };
}

/** Signed up, approved, with both keys and funds. */
async function buildPerson(deployment: Deployment, username: string): Promise<Person> {
  const sign_up = `users create --username ${username} --email ${username}@example.com`;
  await operate(deployment, `${sign_up} --password-stdin --country SN`, PASSWORD);
  await operate(deployment, `kyc approve --user ${username}`);
  const createKey = async (environment: string): Promise<string> => {
    const scopes = SCOPES.map((scope) => `--scope ${scope}`).join(' ');
    // Callers who insist would be told to wait.
    const limits = '--requests-per-minute 100000 --writes-per-minute 100000';
    const create = `keys create --user ${username} --environment ${environment}`;
    return ((await operate(deployment, `${create} ${scopes} ${limits}`)) as { key: string }).key;
  };
  const credit = `wallets credit --user ${username} --currency XOF --amount ${FUNDS}`;
  await operate(deployment, `${credit} --environment live --reason 'first deposit'`);
  return { username, live_key: await createKey('live'), test_key: await createKey('test') };
}

/** Returns the transfer's reference. */
export async function transfer(company: Company, amount = 100): Promise<string> {
  const { merchant, customer } = company;
  const order = {
    ...({ method: 'POST', path: '/transfers', key: merchant.live_key } as const),
    idempotency_key: randomUUID(),
    body: { to_username: customer.username, currency: 'XOF', amount },
  };
  const answer = await insist(company, order, 200);
  company.sent += amount;
  // The same bytes, whichever process answers.
  expect((await insist(company, order, 200)).text).toBe(answer.text);
  return (answer.json as { reference: string }).reference;
}

/** Resolves when the merchant has received the genuine webhook about the payment. */
export async function payALink(company: Company): Promise<void> {
  const { test_key: key } = company.merchant;
  const order = {
    ...({ method: 'POST', path: '/payment-intents', key } as const),
    idempotency_key: randomUUID(),
    body: { amount: 49.9, currency: 'EUR', description: 'Two books' },
  };
  const { id, checkout_url, pay_url } = (await insist(company, order, 201)).json;
  const page = await insist(company, { method: 'GET', path: pay_url as string }, 200);
  expect(page.text).toContain('Two books');
  const pay = { method: 'POST', path: checkout_url as string, body: 'action=pay' } as const;
  await insist(company, pay, 303);
  await untilStatus(company, `/payment-intents/${id}`, 'succeeded');
  await expectWebhook(company, id as string);
}

/** Resolves when the phone has its money and the merchant the genuine webhook about it. */
export async function payOut(company: Company): Promise<void> {
  const { test_key: key } = company.merchant;
  const destination = { type: 'mobile_money', phone: '+221 77 000 01 00' };
  const order = {
    ...({ method: 'POST', path: '/payouts', key } as const),
    idempotency_key: randomUUID(),
    body: { currency: 'XOF', amount: 5_000, destination },
  };
  const { reference } = (await insist(company, order, 201)).json;
  await untilStatus(company, `/payouts/${reference}`, 'succeeded');
  await expectWebhook(company, reference as string);
}

async function untilStatus(company: Company, path: string, status: string): Promise<void> {
  const { test_key: key } = company.merchant;
  await waitFor(async () => {
    const { json } = await insist(company, { method: 'GET', path, key }, 200);
    noteSeen(path, json);
    return (json as { status: string }).status === status;
  }, LIMIT_MS);
}

async function expectWebhook(company: Company, text: string): Promise<void> {
  const received = await waitFor(async () => (await receivedBy(company, text))[0], LIMIT_MS);
  expectGenuine(received, company.webhook_secret);
}

async function receivedBy({ deployment }: Company, text: string): Promise<ReceivedWebhook[]> {
  const url = `http://127.0.0.1:${deployment.ports.receiver}/?text=${text}`;
  return (await (await fetch(url)).json()) as ReceivedWebhook[];
}

/** Every transfer that was answered moved its amount once, and the ledger has no fault. */
export async function expectBooksVerify(company: Company): Promise<void> {
  const { merchant, customer, deployment, sent } = company;
  const balanceOf = async ({ live_key: key }: Person): Promise<number> => {
    const { json } = await insist(company, { method: 'GET', path: '/wallets', key }, 200);
    const { wallets } = json as { wallets: { currency: string; balance: number }[] };
    return wallets.find(({ currency }) => currency === 'XOF')!.balance;
  };
  // XOF transfers of these amounts cost no fee.
  expect({ merchant: await balanceOf(merchant), customer: await balanceOf(customer) }).toEqual({
    merchant: FUNDS - sent,
    customer: FUNDS + sent,
  });
  expect(await operate(deployment, 'ledger verify')).toEqual({
    ok: true,
    violations: [],
    losses: [],
  });
}
