// The cost of a request for the one thread that all share: each route and form, each field filled with slow texts. None
// may hold the thread for more than 50 ms of its processor time, nor grow much faster than its size. Here each field
// gets some shapes; `SWEEP=whole npx jest test/invariants/costs.test.ts` tries them all, and prints.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request as send, type OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { ROUTES as API_ROUTES } from '../../api/routes';
import { payRouter } from '../../api/pay/router';
import { ROUTES as DASHBOARD_ROUTES } from '../../dashboard/routes';
import { PREFIX } from '../../http/prefix';
import { findStatement, listStatements } from '../../use-cases/statements/months';
import { writeStatementPdf } from '../../use-cases/statements/pdf';
import { signInColleague, signInOwner } from '../dashboard/accounts';
import { buildLink, buildReusableLink } from '../dashboard/payment-links';
import { signInOperator } from '../dashboard/operators';
import { createVisitor, type Visitor } from '../dashboard/visitor';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { postOne } from '../support/postings';
import { buildUser } from '../support/users';
import { closeAfterFile } from '../support/cleanup';
import {
  BODIES,
  FULL,
  PAIRS,
  SHAPES,
  text,
  VALUES,
  type Fill,
  type Kind,
} from '../support/hostile-texts';

const IS_WHOLE = process.env['SWEEP'] === 'whole';
/** A request of 64 KiB, by this thread alone. */
const MOST_MS = 50;
/** A field that costs less at full size needs no second look, however it grows. */
const LITTLE_MS = 15;
let turn = 0;
/** All of them; in the small run some, others each time. */
function some<T>(all: readonly T[], count: number): readonly T[] {
  if (IS_WHOLE) return all;
  turn += count;
  return Array.from(
    { length: Math.min(count, all.length) },
    (_, n) => all[(turn + n) % all.length]!,
  );
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}
type Place = (text: string) => Sent;

const api = setUp(() => startTestApi({ overrides: { trusted_proxies: ['127.0.0.1'] } }));
const owner = setUp(() => signInOwner(api.service, api.database));
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  closeAfterFile(() => agent.destroy());
});

type Who = 'nobody' | 'owner' | 'operator';
/** The visitor that sends pages and forms, with cookie and token. */
let browser = { who: 'nobody' as Who, cookie: '', token: '' };

async function openBrowser(who: Who): Promise<void> {
  const { service, database } = api;
  const open: Readonly<Record<Who, () => Promise<Visitor>>> = {
    nobody: async () => createVisitor(service),
    owner: () => signInColleague(service, database, owner.user, 'owner'),
    operator: async () => (await signInOperator(service, database)).visitor,
  };
  const visitor = await open[who]();
  const { document } = await visitor.open(who === 'nobody' ? '/sign-in' : '/security');
  const token = document.querySelector('[name=form_token]')!.getAttribute('value')!;
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  browser = { who, cookie, token };
}

/** The thread's own processor time, by Linux: other threads and other programs do not count. */
const spentMs = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

const statuses = new Map<number, number>();

async function ask({ method, path, headers, body }: Sent): Promise<number> {
  const before = spentMs();
  const answer = await new Promise<{ status: number; to?: string | undefined }>((resolve) => {
    const options = { agent, host: '127.0.0.1', port: api.service.config.port, method, path };
    const asked = send({ ...options, headers }, (incoming) => {
      const { headers: sent, statusCode: status = 0 } = incoming;
      incoming.resume().on('close', () => resolve({ status, to: sent.location }));
    });
    asked.on('error', () => resolve({ status: 0 })).end(body);
  });
  const ms = spentMs() - before;
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  // The form has ended the session, or the person has sent as many as are allowed.
  const isOver = answer.status === 429 || answer.to?.startsWith('/dashboard/sign-in') === true;
  if (isOver && browser.who !== 'nobody') await openBrowser(browser.who);
  return ms;
}

/** The least of some: the thread has other work at times. */
async function leastMs(make: () => Sent, tries: number): Promise<number> {
  let least = Infinity;
  for (let left = tries; left > 0 && least > LITTLE_MS; left -= 1) {
    least = Math.min(least, await ask(make()));
    if (least > 4 * MOST_MS) break;
  }
  return least;
}

jest.setTimeout(60 * 60_000);

interface Weighed {
  readonly name: string;
  readonly ms: number;
  readonly power: number;
}
const found: Weighed[] = [];

const isBeyond = ({ ms, power }: Weighed): boolean =>
  ms > MOST_MS || (ms > 2 * LITTLE_MS && power > 1.8);

/** Weighed again when it is beyond the bound: a collection of garbage falls on one size and not on the other. */
async function weigh(name: string, kind: Kind, place: (bytes: number) => Sent): Promise<void> {
  const full = FULL[kind];
  let weighed: Weighed | undefined;
  for (let looks = 3; looks > 0 && (!weighed || isBeyond(weighed)); looks -= 1) {
    const ms = await leastMs(() => place(full), 4);
    if (ms <= LITTLE_MS) return;
    const half = await leastMs(() => place(full / 2), 4);
    const least = await leastMs(() => place(256), 2);
    weighed = { name, ms, power: Math.log2((ms - least) / Math.max(half - least, 0.1)) };
  }
  found.push(weighed!);
}

/** Prints what it has weighed when it was asked for, and not run by the way. */
afterEach(() => {
  const lines = found.map(
    ({ name, ms, power }) => `${ms.toFixed(0)} ms n^${power.toFixed(1)} ${name}\n`,
  );
  if (process.env['SWEEP'] !== undefined)
    process.stdout.write(`${lines.join('')}${JSON.stringify([...statuses])}\n`);
  const beyond = found.filter(isBeyond);
  found.length = 0;
  expect(beyond).toEqual([]);
});

const PARAMETER = /[{:*]\w+\}?/g;
const filled = (template: string): string =>
  template.replace(PARAMETER, '0190a7c0-0000-7000-8000-000000000000');

async function weighPairs(name: string, kind: Kind, names: Iterable<string>, place: Place) {
  for (const what of some(Object.keys(PAIRS), 1)) {
    const whole = kind === 'query' ? 'head' : kind;
    await weigh(`${name}: ${what}`, whole, (bytes) => place(PAIRS[what]!(bytes)));
  }
  const inForm = (plain: string): string => plain.replace(/[%&+]/g, encodeURIComponent);
  const encode = kind === 'query' ? encodeURIComponent : inForm;
  for (const field of names) {
    for (const shape of some(SHAPES, 2)) {
      const at = (bytes: number): Sent => place(`${field}=${text(shape, bytes, encode)}`);
      await weigh(`${name}: ${field} of ${shape}`, kind, at);
    }
  }
}

async function weighPath(name: string, template: string, place: Place): Promise<void> {
  for (const parameter of template.match(PARAMETER) ?? []) {
    for (const shape of some(SHAPES, 1)) {
      const fill: Fill = (bytes) =>
        template.replace(parameter, text(shape, bytes, encodeURIComponent));
      await weigh(`${name}: ${parameter} of ${shape}`, 'head', (bytes) =>
        place(filled(fill(bytes))),
      );
    }
  }
}

it('is bounded for each operation of the API, with a key and without', async () => {
  const key = { authorization: `Bearer ${api.test_key}` };
  const headers = { ...key, 'content-type': 'application/json' };
  for (const { method, path, query, body } of API_ROUTES) {
    const name = `${method} ${path}`;
    const url = PREFIX + filled(path);
    const known = Object.keys(query?.properties ?? {});
    await weighPairs(name, 'query', known, (sent) => ({
      method,
      path: `${url}?${sent}`,
      headers: key,
    }));
    await weighPairs(`${name} without a key`, 'query', [], (sent) => ({
      method,
      path: `${url}?${sent}`,
    }));
    await weighPath(name, PREFIX + path, (to) => ({ method, path: to, headers: key }));
    const place: Place = (sent) => ({ method, path: url, headers, body: sent });
    for (const what of body ? some(Object.keys(BODIES), 1) : []) {
      await weigh(`${name}: ${what}`, 'body', (bytes) => place(BODIES[what]!(bytes)));
    }
    for (const field of Object.keys(body?.properties ?? {})) {
      for (const what of some(Object.keys(VALUES), 2)) {
        const at = (bytes: number): Sent => place(`{"${field}":${VALUES[what]!(bytes)}}`);
        await weigh(`${name}: ${field} of ${what}`, 'body', at);
      }
    }
  }
});

const HEADERS =
  'accept accept-encoding accept-language authorization content-type cookie host idempotency-key origin range user-agent x-forwarded-for x-forwarded-proto x-request-id stripe-signature signature signature-input content-digest x-gateway-signature';

it('is bounded for each header', async () => {
  const paths = ['/dashboard/sign-in', '/', '/p/abc/pay', '/internal/gateway/notifications'];
  for (const path of [`${PREFIX}/transfers`, ...paths]) {
    for (const header of HEADERS.split(' ')) {
      for (const shape of some(SHAPES, 2)) {
        const inHeader = (plain: string): string =>
          Buffer.from(plain.replaceAll('\n', ' ')).toString('latin1');
        const at = (bytes: number): Sent => ({
          method: 'POST',
          path,
          headers: { [header]: inHeader(text(shape, bytes)) },
        });
        await weigh(`${path} with ${header} of ${shape}`, 'head', at);
      }
    }
  }
});

/** The names that the service asks of queries and forms meanwhile. */
async function namesAskedBy(work: () => Promise<unknown>): Promise<Set<string>> {
  const names = new Set(['lang']);
  const spies = (['get', 'getAll', 'has'] as const).map((name) =>
    jest.spyOn(URLSearchParams.prototype, name),
  );
  await work();
  for (const spy of spies) {
    for (const [name] of spy.mock.calls) names.add(name);
    spy.mockRestore();
  }
  names.delete('form_token');
  return names;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const FILE = { 'content-type': 'multipart/form-data; boundary=b' };
const part = (name: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

async function weighPage(method: string, template: string, takesFile = false): Promise<void> {
  const name = `${method} ${template} by ${browser.who}`;
  const path = filled(template);
  const { who } = browser;
  const kind = method === 'GET' ? 'query' : who === 'nobody' ? 'form_of_strangers' : 'body';
  const cookie = (): OutgoingHttpHeaders => ({ cookie: browser.cookie });
  const place: Place = (sent) =>
    method === 'GET'
      ? { method, path: `${path}?${sent}`, headers: cookie() }
      : {
          method,
          path,
          headers: { ...cookie(), ...FORM },
          body: `form_token=${browser.token}&${sent}`,
        };
  const usual =
    'amount=10&currency=XOF&email=awa%40example.com&username=awa&password=12345678&key=1';
  await weighPairs(name, kind, await namesAskedBy(() => ask(place(usual))), place);
  await weighPath(name, template, (to) => ({ ...place(''), path: to }));
  for (const shape of takesFile ? some(SHAPES, 3) : []) {
    const fileOf = (content: string): string => part('file"; filename="f.csv', content);
    const body = (bytes: number): string =>
      `${part('form_token', browser.token)}${fileOf(text(shape, bytes))}--b--`;
    const at = (bytes: number): Sent => ({
      method,
      path,
      headers: { ...cookie(), ...FILE },
      body: body(bytes),
    });
    await weigh(`${name}: a file of ${shape}`, 'body', at);
  }
}

it('is bounded for each page and form of customers, and for the documents', async () => {
  const link = await buildLink(api.database.db, owner.user);
  const reusable = await buildReusableLink(api.database.db, owner.user);
  const templates = payRouter({ links: {} } as never).stack.map(({ path }) => String(path));
  const documents = ['/', '/docs', '/docs/errors', '/docs/files/:name', '/openapi.json', '/ready'];
  for (const path of [...templates, ...documents, '/*rest']) {
    const code = path.startsWith('/l') ? reusable.code : link.short_code;
    for (const method of ['GET', 'POST']) await weighPage(method, path.replace(':code', code));
  }
});

it.each<Who>(['nobody', 'owner', 'operator'])(
  'is bounded for each page and form of the dashboard that %s can send',
  async (who) => {
    await openBrowser(who);
    for (const { method, path, access, max_file_bytes } of DASHBOARD_ROUTES) {
      const sender = access === 'anyone' ? 'nobody' : access === 'operator' ? 'operator' : 'owner';
      const template = path === '/' ? '/dashboard' : `/dashboard${path}`;
      if (sender === who) await weighPage(method, template, max_file_bytes !== undefined);
    }
  },
);

it('is spread over turns for a statement as PDF', async () => {
  const { db } = api.database;
  const from = await buildUser(db, { funds: { live: { XOF: 1_000_000n } } });
  const description = 'W'.repeat(140);
  const stop = (error: Error): never => {
    throw error;
  };
  for (let left = 200; left > 0; left -= 1) {
    await postOne(db, { from, to: owner.user, amount: 100n, description });
  }
  const of = { user_id: owner.user.id, environment: 'live' } as const;
  const [position] = await listStatements(db, of, { after: undefined, limit: 1 });
  const statement = (await findStatement(db, of, { ...position!, currency: 'XOF' }))!;
  const write = async (): Promise<Readable> =>
    (
      await writeStatementPdf(db, statement, { username: 'awa', language: 'fr', onError: stop })
    ).resume();
  // The first one loads the library.
  await once(await write(), 'end');
  const written = await write();
  let longest_ms = 0;
  for (let before = spentMs(); !written.readableEnded; before = spentMs()) {
    await setImmediate();
    longest_ms = Math.max(longest_ms, spentMs() - before);
  }
  expect(longest_ms).toBeLessThan(MOST_MS);
});
