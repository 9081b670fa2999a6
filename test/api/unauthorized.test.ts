import { PREFIX } from '../../http/prefix';
import { ROUTES } from '../../api/routes';
import { makeApiKey } from '../../secrets/api-key';
import { createTestDatabase, openSession, setUp, untilLocked } from '../support/database';
import { buildApiKey, buildUser, revokeKey } from '../support/users';
import { insist, request, type HttpResponse } from '../support/http';
import { startTestService } from '../support/service';
import { expectContract, refusal } from './support/contract';
import { requestHead, sendRaw } from './support/raw';
import { buildOpenApi } from '../../api/openapi';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const user = setUp(() => buildUser(database.db));
let key: string;
let other_key: string;
let revoked_key: string;
let distant_key: string;

beforeAll(async () => {
  ({ key } = await buildApiKey(database.db, { user }));
  ({ key: other_key } = await buildApiKey(database.db, { user }));
  const revoked = await buildApiKey(database.db, { user });
  await revokeKey(database.db, revoked.id);
  revoked_key = revoked.key;
  const distant = await buildApiKey(database.db, { user, allowed_ips: ['203.0.113.0/24'] });
  distant_key = distant.key;
});

/** The same key with its last character changed: form and length are right, the checksum is wrong. */
function flip(text: string): string {
  return text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A');
}

type Fault = keyof typeof TOLD;

/** A caller reads these texts: no more than it knows. */
const TOLD = {
  missing:
    'No API key was sent. Send one as a bearer token, "Authorization: Bearer pay_test_…" or "pay_live_…".',
  malformed:
    'The header Authorization has no complete API key. Send one, as a bearer token and as it was shown: "Authorization: Bearer pay_test_…" or "pay_live_…".',
  unknown:
    'There is no such API key, or it may not be used from this address. The dashboard lists your keys under API keys.',
  revoked:
    'This API key was revoked. Use another one, or make a new one in the dashboard under API keys.',
} as const;

// Every way to call without a valid key: what Authorization says, or other headers, or the query.
type Given = string | { readonly headers?: Record<string, string>; readonly query?: string };
const INVALID_CREDENTIALS: readonly [string, Fault, () => Given][] = [
  ['no header', 'missing', () => ({})],
  ['an empty header', 'missing', () => ''],
  ['the scheme alone', 'malformed', () => 'Bearer'],
  ['the key without a scheme', 'malformed', () => key],
  ['another scheme', 'malformed', () => `Basic ${Buffer.from(`${key}:`).toString('base64')}`],
  ['a text that is no key', 'malformed', () => 'Bearer nothing-of-the-kind'],
  ['a key of another shape', 'malformed', () => `Bearer ${key}0`],
  ['a prefix that is not ours', 'malformed', () => `Bearer ${makeApiKey('abc', 'live').key}`],
  ['a flipped checksum', 'malformed', () => `Bearer ${flip(key)}`],
  ['a wrong character', 'malformed', () => `Bearer ${key.slice(0, 12)}!${key.slice(13)}`],
  ['an unknown key', 'unknown', () => `Bearer ${makeApiKey('pay', 'live').key}`],
  ['an unknown key of the second form', 'unknown', () => `Bearer ${makeApiKey('sk', 'live').key}`],
  ['a key for other addresses', 'unknown', () => `Bearer ${distant_key}`],
  ['a revoked key', 'revoked', () => `Bearer ${revoked_key}`],
  ['two keys in one header', 'malformed', () => `Bearer ${key}, Bearer ${key}`],
  ['a key and a word', 'malformed', () => `Bearer ${key} please`],
  ['a key with a NUL escape', 'malformed', () => `Bearer ${key}%00`],
  ['the key in the query', 'missing', () => ({ query: `?api_key=${key}` })],
  ['the header in the query', 'missing', () => ({ query: `?authorization=Bearer%20${key}` })],
  ['the key as access_token', 'missing', () => ({ query: `?access_token=${key}` })],
  ['the key in a cookie', 'missing', () => ({ headers: { cookie: `Authorization=${key}` } })],
  ['the key in another header', 'missing', () => ({ headers: { 'x-api-key': key } })],
  ['a key for a proxy', 'missing', () => ({ headers: { 'proxy-authorization': `Bearer ${key}` } })],
];

// All routes have one and the same step that reads the key: these show what it does with every kind of header.
const THOROUGHLY = ['GET /me', 'GET /payment-intents/{id_or_code}', 'POST /transfers'];

const GUARDED = ROUTES.filter((route) => route.rate !== null);

/** The response without its date and its connection headers. */
function essence({ status, headers, text }: Pick<HttpResponse, 'status' | 'headers' | 'text'>) {
  const { date: _, connection: __, 'keep-alive': ___, ...rest } = headers;
  return { status, headers: rest, text };
}

it('are read thoroughly on routes that exist', () => {
  const names = GUARDED.map(({ method, path }) => `${method} ${path}`);
  expect(names).toEqual(expect.arrayContaining(THOROUGHLY));
});

describe.each(GUARDED.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (name, { method, path }) => {
    const concrete = path.replace(/\{\w+\}/g, 'x');
    // The request id is the same, so that the responses have to be equal to the last byte.
    const request_id = 'the-same-for-all';
    const has_body = method === 'POST' || method === 'PATCH';
    const body = has_body ? { body: { amount: 'of another kind' } } : {};
    const callWith = (given: Given) => {
      const { query = '', headers = {} } =
        typeof given === 'string' ? { headers: { authorization: given } } : given;
      const sent = { ...body, headers: { 'x-request-id': request_id, ...headers } };
      return request(service, method, concrete + query, sent);
    };
    let reference: HttpResponse;

    beforeAll(async () => {
      reference = await callWith({});
    });

    it('§7 unauthorized: answers 401 with WWW-Authenticate and no key', () => {
      expect(reference).toMatchObject(refusal('unauthorized'));
      expect(reference.headers['www-authenticate']).toBe('Bearer');
      expectContract(method, concrete, reference);
    });

    it('lets a valid key in', async () => {
      expect((await callWith(`Bearer ${key}`)).status).not.toBe(401);
    });

    if (!THOROUGHLY.includes(name)) return;

    /** The reference, to the last byte, but for what is told. */
    const told = (fault: Fault) => {
      const { text, headers, ...rest } = essence(reference);
      const changed = text.replace(JSON.stringify(TOLD.missing), JSON.stringify(TOLD[fault]));
      const length = { 'content-length': String(Buffer.byteLength(changed)) };
      return { ...rest, headers: { ...headers, ...length }, text: changed };
    };

    it.each(INVALID_CREDENTIALS)(
      'tells of %s that it is %s, and all else is the same bytes and headers',
      async (_name, fault, given) => {
        const response = await callWith(given());
        expect(response.json.error.message).toBe(TOLD[fault]);
        expect(essence(response)).toEqual(told(fault));
      },
    );

    it.each([
      ['the same key twice', () => [key, key]],
      ['two valid keys', () => [key, other_key]],
      ['a valid key before a wrong one', () => [key, 'wrong']],
      ['a wrong key before a valid one', () => ['wrong', key]],
    ])('answers the same to two headers: %s', async (_name, keys) => {
      const content = has_body ? ['Content-Type: application/json', 'Content-Length: 2'] : [];
      const lines = keys().map((value) => `Authorization: Bearer ${value}`);
      const response = await sendRaw(
        service,
        requestHead(service, `${method} ${PREFIX}${concrete}`, [
          `X-Request-Id: ${request_id}`,
          ...lines,
          ...content,
        ]),
        has_body ? '{}' : '',
      );
      expect(essence(response)).toEqual(told('malformed'));
    });
  },
);

describe('the Authorization header', () => {
  it.each(['bearer', 'BEARER', 'Bearer  '])('names its scheme as %j too', async (scheme) => {
    const headers = { authorization: `${scheme} ${key}` };
    const response = await request(service, 'GET', '/me', { headers });
    expect(response.status).toBe(200);
  });

  it('§5 accepts keys of the second form, sk_…', async () => {
    const second = await buildApiKey(database.db, { user, prefix: 'sk' });
    expect((await request(service, 'GET', '/me', { key: second.key })).status).toBe(200);
  });

  it('§5 refuses any other prefix', async () => {
    const foreign = await buildApiKey(database.db, { user, prefix: 'abc' });
    expect(await request(service, 'GET', '/me', { key: foreign.key })).toMatchObject(
      refusal('unauthorized'),
    );
  });
});

describe('a revoked key', () => {
  it('§5.4 is refused from the next request on, by both of two services', async () => {
    const twin = await startTestService({
      database,
      overrides: { task_queue: service.config.task_queue },
    });
    const doomed = await buildApiKey(database.db, { user });
    const callBoth = () =>
      Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          insist(() => request(index % 2 ? twin : service, 'GET', '/wallets', { key: doomed.key })),
        ),
      );
    expect(new Set((await callBoth()).map(({ status }) => status))).toEqual(new Set([200]));
    await revokeKey(database.db, doomed.id);
    expect(new Set((await callBoth()).map(({ status }) => status))).toEqual(new Set([401]));
  });

  it('is refused although calls were reserved for it, and reads nothing', async () => {
    const stranger = await request(service, 'GET', '/wallets', { key: revoked_key });
    const names = Object.keys(stranger.headers).sort();
    for (let round = 0; round < 3; round += 1) {
      const doomed = await buildApiKey(database.db, { user, requests_per_minute: 1_000_000 });
      const callWith = (path: string) => request(service, 'GET', path, { key: doomed.key });
      for (let call = 0; call < 3; call += 1) {
        expect((await callWith('/wallets')).status).toBe(200);
        expect((await callWith('/transactions?limit=0')).status).toBe(422);
      }
      await revokeKey(database.db, doomed.id);
      const paths = ['/wallets', '/me', '/transactions', '/transactions?limit=0', '/transfers/x'];
      for (const response of await Promise.all(paths.map(callWith))) {
        expect(response).toMatchObject(refusal('unauthorized'));
        expect(response.json.error.message).toBe(TOLD.revoked);
        expect(Object.keys(response.headers).sort()).toEqual(names);
      }
    }
  });

  it('is not counted by a rate limit, and its response has no rate limit headers', async () => {
    const response = await request(service, 'GET', '/wallets', { key: revoked_key });
    expect(Object.keys(response.headers).filter((name) => name.includes('ratelimit'))).toEqual([]);
  });
});

describe('the form of a key', () => {
  describe('the form of API keys', () => {
    it('A1 is published in the OpenAPI document, and 10,000 keys have it', () => {
      const document = JSON.stringify(buildOpenApi(''));
      const published = new RegExp(/"bearerFormat":"(\^[^"]+\$)"/.exec(document)![1]!);
      for (let i = 0; i < 10_000; i += 1) {
        const prefix = i % 3 === 0 ? 'sk' : 'pay';
        expect(makeApiKey(prefix, i % 2 === 0 ? 'live' : 'sandbox').key).toMatch(published);
      }
    });

    it('A1 refuses a key with any one character changed, without a query to the table of keys', async () => {
      const user = await buildUser(database.db);
      const { key } = await buildApiKey(database.db, { user });
      const flipped = Array.from(key, (character, at) => {
        const changed = character === 'a' ? 'b' : 'a';
        return key.slice(0, at) + changed + key.slice(at + 1);
      });
      // A statement that reads the table now waits.
      const session = await openSession(database.owner_url);
      await session.query('begin');
      await session.query('lock table api_keys in access exclusive mode');
      const waiting = request(service, 'GET', '/me', { key });
      await untilLocked(database, 'authenticate');
      const responses = await Promise.all(
        flipped.map((changed) => request(service, 'GET', '/me', { key: changed })),
      );
      for (const response of responses) expect(response).toMatchObject(refusal('unauthorized'));
      await session.query('rollback');
      await waiting;
    });
  });
});
