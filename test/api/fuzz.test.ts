// Requests that nobody meant: every operation with valid, mutated, poisoned and random input, in JSON and
// in bytes. None gets a 5xx, each refusal has the one shape of errors, and the books stay right.
//
//   FUZZ_REQUESTS=100000 FUZZ_SEED=7 npx jest test/api/fuzz.test.ts

import * as fc from 'fast-check';
import { ROUTES } from '../../api/routes';
import type { Route } from '../../api/route';
import { verifyLedger } from '../../db/verify';
import { ERRORS } from '../../domain/errors';
import { startTestApi, type TestApi } from '../support/api';
import { request, type HttpResponse } from '../support/http';
import { buildAccount, type Account } from './support/accounts';

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 3_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const AT_ONCE = 16;
/** Reached only when something hangs. */
const LIMIT_MS = 60_000 + REQUESTS * 40;
/** Generated together: all of them at once would not fit into memory. */
const CHUNK = 1_000;

let api: TestApi;
let account: Account;
let other: Account;
let ids: readonly string[];

beforeAll(async () => {
  api = await startTestApi();
  const funds = { live: { XOF: 90_000_000n }, sandbox: { XOF: 90_000_000n } };
  account = await buildAccount(api.database, funds);
  other = await buildAccount(api.database);
  const created = await call('POST', '/payment-intents', { currency: 'XOF', amount: 5 });
  const sent = await call('POST', '/transfers', transferBody());
  const listed = await call('GET', '/transactions', undefined);
  ids = [
    created.json.id,
    created.json.short_code,
    sent.json.reference,
    listed.json.transactions[0].id,
    '00000000-0000-7000-8000-000000000000',
  ];
});

function transferBody(): Record<string, unknown> {
  return { to_username: other.username, currency: 'XOF', amount: 1 };
}

function call(method: string, path: string, body: unknown): Promise<HttpResponse> {
  return request(api.service, method, path, { key: account.live, body });
}

/** Texts that have broken parsers, databases, logs and terminals. */
const POISON = [
  ...['', ' ', '\u0000', '\ud800', '\udc00\ud800', '\ufeff', '\u202e', '\u009b31m', '\r\nX: y'],
  ...["' or 1=1 --", '"; drop table users; --', '$1', '%s%n', '${7*7}', '../../etc/passwd'],
  ...['__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', 'Infinity', '-0'],
  ...['١٢٣', '１２３', 'İ', 'ß', '👩‍👩‍👧', 'a'.repeat(300), 'é'.repeat(70_000)],
  ...['2026-02-30', '0000-01-01T00:00:00Z', '9999-12-31T23:59:60Z', '1e999', '0x7f000001'],
] as const;

/** Source texts of JSON values, most of which no serialiser would write. */
const POISON_JSON = [
  ...['1e999', '-1e999', '1e-7', '0.001', '-0', '-1', '0', '9007199254740993', '1E2', '5000.00'],
  ...['99999999999999999999999', '0.1', '00', '.5', '1.', '+1', 'NaN', 'Infinity', 'nul', 'true'],
  ...['[]', '{}', '[[]]', '[1]', '{"a":1}', '{"__proto__":{"x":1}}', '{"a":1,"a":2}', 'null'],
  ...['"\\u0000"', '"\\ud800"', '"\\x"', '"', '"\t"', '['.repeat(10_000), '{"a":'.repeat(5_000)],
  ...POISON.map((text) => JSON.stringify(text)),
] as const;

const text = fc.oneof(
  fc.constantFrom(...POISON),
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.nat().map(String),
);

interface Fuzzed {
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

/** Only what a client can put on the line: undici refuses the rest before it is sent. */
const headerValue = fc.oneof(
  fc.constantFrom(
    'k',
    'a b',
    'x'.repeat(255),
    'x'.repeat(256),
    '"',
    'é',
    '-',
    '%00',
    'application/json',
  ),
  fc.stringMatching(/^[\x21-\x7e]{1,40}$/),
);

function pathOf(route: Route): fc.Arbitrary<string> {
  const segment = fc.oneof(
    fc.nat({ max: 4 }).map((i) => ids[i]!),
    text.map((it) => encodeURIComponent(it.toWellFormed()).slice(0, 2_000)),
    fc.constantFrom('%00', '%', '%c3%28', '..%2f..', '%ed%a0%80', 'x'.repeat(2_000)),
  );
  const names = route.path.match(/\{\w+\}/g) ?? [];
  const known = Object.keys(route.query?.properties ?? {});
  const name = fc.constantFrom(...known, 'limit', 'cursor', 'type', '__proto__', 'x');
  const parameter = fc
    .tuple(name, fc.oneof(text, fc.constantFrom('1', '100', '101', '-1', '2026-11-22', 'failed')))
    .map(([key, value]) => `${key}=${encodeURIComponent(value.toWellFormed()).slice(0, 1_000)}`);
  return fc
    .tuple(
      fc.array(segment, { minLength: names.length, maxLength: names.length }),
      fc.array(parameter, { maxLength: 3 }),
    )
    .map(([segments, parameters]) => {
      const path = names.reduce(
        (whole, part, i) => whole.replace(part, () => segments[i]!),
        route.path,
      );
      return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
    });
}

/** A valid body, as source text by field, so that each value may be anything. */
function validFields(route: Route): Record<string, string> {
  const amount = { currency: '"XOF"', amount: '1' };
  if (route.path === '/transfers') {
    return { ...amount, to_username: JSON.stringify(other.username) };
  }
  if (route.path === '/payment-intents')
    return { ...amount, expires_in: '900', metadata: '{"a":1}' };
  if (route.path === '/webhook-endpoints') return { url: '"https://example.com/hook"' };
  return {};
}

function bodyOf(route: Route): fc.Arbitrary<string | Uint8Array | undefined> {
  const valid = validFields(route);
  const known = [
    ...Object.keys(route.body?.properties ?? {}),
    ...Object.keys(valid),
    '__proto__',
    'x',
  ];
  const value = fc.oneof(
    fc.constantFrom(...POISON_JSON),
    fc.json(),
    fc.double().map(String),
    fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
  );
  const mutated = fc.dictionary(fc.constantFrom(...known), value, { maxKeys: 3 }).map((changes) => {
    const fields = Object.entries({ ...valid, ...changes });
    return `{${fields.map(([key, source]) => `${JSON.stringify(key)}:${source}`).join(',')}}`;
  });
  return fc.oneof(
    { weight: 6, arbitrary: mutated },
    { weight: 1, arbitrary: fc.constantFrom(...POISON_JSON) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: mutated.map((it) => Buffer.from(`\ufeff${it}`, 'utf16le')) },
    { weight: 1, arbitrary: mutated.map((it) => it.slice(0, -1)) },
  );
}

const fuzzed: fc.Arbitrary<Fuzzed> = fc.constantFrom(...ROUTES).chain((route) =>
  fc.record({
    route: fc.constant(route),
    method: fc.oneof(
      { weight: 9, arbitrary: fc.constant<string>(route.method) },
      { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS') },
    ),
    path: pathOf(route),
    headers: fc.record(
      {
        'idempotency-key': headerValue,
        'content-type': fc.constantFrom(
          'application/json',
          'text/plain',
          'application/x',
          'a/b; c',
        ),
        'x-request-id': headerValue,
        accept: headerValue,
        'content-encoding': fc.constantFrom('gzip', 'identity', 'x'),
      },
      { requiredKeys: [] },
    ),
    body: bodyOf(route),
  }),
);

async function send({ method, path, headers, body }: Fuzzed, key: string): Promise<HttpResponse> {
  const has_body = body !== undefined && method !== 'GET' && method !== 'OPTIONS';
  const latin1 = Object.entries(headers).map(([name, value]) => [
    name,
    Buffer.from(value).toString('latin1'),
  ]);
  return request(api.service, method, path, {
    key,
    headers: Object.fromEntries(latin1) as Record<string, string>,
    ...(has_body ? { body } : {}),
  });
}

function* draw(): Generator<Fuzzed> {
  for (let drawn = 0; drawn < REQUESTS; drawn += CHUNK) {
    const numRuns = Math.min(CHUNK, REQUESTS - drawn);
    yield* fc.sample(fuzzed, { seed: SEED + drawn, numRuns });
  }
}

const CODES = new Set(Object.keys(ERRORS));

/** What is wrong with the answer, in words; undefined when nothing is. */
function faultOf({ status, json, text: bytes }: HttpResponse): string | undefined {
  if (status >= 500) return `status ${status}: ${bytes}`;
  if (status < 400) return undefined;
  const { ok, error } = (json ?? {}) as { ok?: boolean; error?: { code?: string } };
  if (ok !== false || !CODES.has(error?.code ?? '')) return `no error of ours: ${bytes}`;
  return undefined;
}

describe(`${REQUESTS} fuzzed requests`, () => {
  it(
    'get no 5xx and the one shape of errors, and leave the books right',
    async () => {
      const statuses = new Map<number, number>();
      const faults: string[] = [];
      const samples = draw();
      const caller = async (key: string): Promise<void> => {
        for (const one of samples) {
          const response = await send(one, key);
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
          const fault = faultOf(response);
          if (fault !== undefined) {
            faults.push(
              `${one.method} ${one.path.slice(0, 200)} ${String(one.body).slice(0, 200)}: ${fault}`,
            );
          }
        }
      };
      const keys = [account.live, account.sandbox];
      await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => caller(keys[i % 2]!)));
      const counts = [...statuses].toSorted(([a], [b]) => a - b).map((pair) => pair.join(': '));
      process.stdout.write(`fuzz seed=${SEED} requests=${REQUESTS} ${counts.join(' ')}\n`);
      expect(faults.slice(0, 10)).toEqual([]);
      // Not everything was refused at the door.
      expect(statuses.get(200) ?? 0).toBeGreaterThan(REQUESTS / 100);
      expect(await verifyLedger(api.database.db)).toEqual([]);
      expect(api.service.log.filter(({ log }) => log === 'error')).toEqual([]);
    },
    LIMIT_MS,
  );
});
