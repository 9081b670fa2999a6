// Keys that may do a part only, for some time only, or from some addresses only.

import document from '../../api/openapi.json';
import { forEach } from '../../domain/limit';
import { makeApiKey } from '../../secrets/api-key';
import type { Route } from '../../api/route';
import { ROUTES } from '../../api/routes';
import { createApiKey, updateApiKey } from '../../db/keys/api-keys';
import { SCOPE_OF_OPERATION, SCOPES, type Scope } from '../../domain/scopes';
import { rotateKey } from '../../use-cases/api-keys';
import { createTestDatabase, operatorOf, setUp } from '../support/database';
import { insist, request, type HttpResponse } from '../support/http';
import { startTestService } from '../support/service';
import { ACTOR, buildApiKey, buildUser } from '../support/users';
import { callApi, expectContract, refusal } from './support/contract';

const database = setUp(createTestDatabase);
// The tests choose where a request comes from, as a trusted proxy does.
const service = setUp(() =>
  startTestService({ database, overrides: { trusted_proxies: ['loopback'] } }),
);
const user = setUp(() => buildUser(database.db, { funds: { live: { XOF: 1_000_000n } } }));
const friend = setUp(() => buildUser(database.db));

const LIMITS = { requests_per_minute: 60, writes_per_minute: 30 };
const GUARDED = ROUTES.filter(({ rate }) => rate !== null);

interface Operation {
  readonly method: Route['method'];
  readonly path: string;
  /** The document's scopes; none where any key may call. */
  readonly scopes: readonly string[];
}

/** Every operation that takes a key, as the checked-in document has it. */
const OPERATIONS: readonly Operation[] = Object.entries<
  Record<string, { security: { api_key?: string[] }[] }>
>(document.paths).flatMap(([path, items]) =>
  Object.entries(items).flatMap(([method, { security }]) =>
    security.map(({ api_key = [] }) => ({
      method: method.toUpperCase() as Route['method'],
      path,
      scopes: api_key,
    })),
  ),
);

describe('the scopes of a key', () => {
  it('A10 open what the document says: an operation with its scope alone, and not with all others, before anything is looked up', async () => {
    expect(OPERATIONS).toHaveLength(GUARDED.length);
    const keys = new Map<string, { alone: string; others: string }>();
    for (const scope of SCOPES) {
      const keyWith = async (scopes: readonly Scope[]) =>
        (await buildApiKey(database.db, { user, environment: 'sandbox', scopes })).key;
      const others = await keyWith(SCOPES.filter((one) => one !== scope));
      keys.set(scope, { alone: await keyWith([scope]), others });
    }
    const refusedBy = async ({ method, path }: Operation, key: string): Promise<unknown> => {
      const body = method === 'GET' ? {} : { body: {} };
      const concrete = path.replace(/\{\w+\}/g, 'x');
      const { status, json } = await insist(() =>
        callApi(service, method, concrete, { key, ...body }),
      );
      const is_refused = status === 403 && json.error.param === 'scope';
      return is_refused && /lacks the scope (\S+)\. /.exec(json.error.message)?.[1];
    };
    await forEach(OPERATIONS, 8, async (operation) => {
      const { method, path, scopes } = operation;
      const [scope] = scopes;
      const { alone, others } = keys.get(scope ?? 'read')!;
      const answers = {
        alone: await refusedBy(operation, alone),
        others: await refusedBy(operation, others),
      };
      const expected = { alone: false, others: scope ?? false };
      expect({ method, path, ...answers }).toEqual({ method, path, ...expected });
    });
  });

  it('are one for each operation, but for what any key may ask: who it is, and what became of its orders', async () => {
    const by_count = (count: number) => OPERATIONS.filter(({ scopes }) => scopes.length === count);
    expect(by_count(0).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /me',
      'GET /idempotency-keys/{key}',
    ]);
    expect(by_count(1)).toHaveLength(OPERATIONS.length - 2);
    for (const { method, scopes } of by_count(1)) {
      expect(scopes[0] === 'read').toBe(method === 'GET');
    }
  });

  it('are checked before a replay: a key that has lost its scope gets no stored answer', async () => {
    const { id, key } = await buildApiKey(database.db, { user });
    const body = { to_username: friend.username, currency: 'XOF', amount: 5 };
    const order = () =>
      callApi(service, 'POST', '/transfers', { key, body, idempotency_key: 'once' });
    expect((await order()).status).toBe(200);
    await updateApiKey(operatorOf(database.db), id, { scopes: ['read'] }, { actor: ACTOR });
    expect(await order()).toMatchObject(refusal('forbidden'));
    const asked = await callApi(service, 'GET', '/idempotency-keys/once?operation=transfer', {
      key,
    });
    expect(asked.json).toMatchObject({ state: 'completed' });
  });

  it('let a key without read ask what became of its own operations, and of no others', async () => {
    const keyed = ROUTES.flatMap(({ idempotent, scope }) =>
      idempotent ? [[idempotent, scope]] : [],
    );
    expect(SCOPE_OF_OPERATION).toMatchObject(Object.fromEntries(keyed));
    const body = { to_username: friend.username, currency: 'XOF', amount: 5 };
    const keyWith = async (...scopes: Scope[]) =>
      (await buildApiKey(database.db, { user, scopes })).key;
    const sender = await keyWith('transfers:write');
    await callApi(service, 'POST', '/transfers', { key: sender, body, idempotency_key: 'wage-1' });
    const ask = (key: string) =>
      callApi(service, 'GET', '/idempotency-keys/wage-1?operation=transfer', { key });
    expect(await ask(await keyWith('webhooks:write', 'payouts:write'))).toMatchObject(
      refusal('forbidden'),
    );
    expect((await ask(sender)).json).toMatchObject({ state: 'completed' });
    expect((await ask(await keyWith('read'))).json).toMatchObject({ state: 'completed' });
  });

  it('are all but those of payouts where nobody has chosen', async () => {
    const { key, ...material } = makeApiKey('pay', 'live');
    const options = { user_id: user.id, environment: 'live', name: 'usual', ...LIMITS } as const;
    await createApiKey(operatorOf(database.db), material, options, { actor: ACTOR });
    const { json } = await callApi(service, 'GET', '/me', { key });
    expect(json.key).toMatchObject({ name: 'usual', expires_at: null, daily_limit: null });
    expect(json.key.scopes).toEqual(SCOPES.filter((scope) => !scope.startsWith('payouts')));
  });
});

describe('a key that expires', () => {
  const expire = (id: string, when: string) =>
    database.owner.raw(
      `update api_keys set expires_at = clock_timestamp() + ?::interval where id = ?`,
      [when, id],
    );

  it('is refused from then on, also with calls that were reserved, and told why', async () => {
    const { id, key } = await buildApiKey(database.db, { user, expires_in_days: 1 });
    const { json } = await callApi(service, 'GET', '/me', { key });
    expect(Date.parse(json.key.expires_at) - Date.now()).toBeGreaterThan(23 * 60 * 60 * 1_000);
    await expire(id, '-1 second');
    const refused = await callApi(service, 'GET', '/me', { key });
    expect(refused).toMatchObject(refusal('unauthorized'));
    expect(refused.json.error.message).toContain('has expired');
  });

  it('is replaced by one that expires with it, unless another time is given, and not once it is over', async () => {
    const author = { actor: ACTOR };
    const rotate = async (id: string, expires_in_days?: number | null) => {
      const tools = { db: operatorOf(database.db), author };
      const chosen = expires_in_days === undefined ? {} : { expires_in_days };
      const rotated = await rotateKey(tools, id, { overlap_seconds: 0, ...chosen });
      if (!rotated.ok) return rotated;
      const { json } = await callApi(service, 'GET', '/me', { key: rotated.key });
      return json.key;
    };
    const { id, key } = await buildApiKey(database.db, {
      user,
      expires_in_days: 7,
      scopes: ['read'],
    });
    const { expires_at } = (await callApi(service, 'GET', '/me', { key })).json.key;
    const same = await rotate(id);
    expect(same).toMatchObject({ expires_at, scopes: ['read'] });
    const never = await rotate(same.id, null);
    expect(never).toMatchObject({ expires_at: null });
    const later = await rotate(never.id, 30);
    expect(Date.parse(later.expires_at)).toBeGreaterThan(Date.parse(expires_at));
    await expire(later.id, '-1 second');
    expect(await rotate(later.id, 30)).toEqual({ ok: false, error: 'revoked' });
  });
});

describe('GET /me', () => {
  it('says how much may leave by the key in a day, as amounts', async () => {
    const { key } = await buildApiKey(database.db, {
      user,
      daily_limit: { EUR: '12345', XOF: '50000000' },
    });
    const { text } = await callApi(service, 'GET', '/me', { key });
    expect(text).toContain('"daily_limit":{"XOF":500000.00,"EUR":123.45}');
  });
});

const callFrom = (key: string, address: string): Promise<HttpResponse> =>
  request(service, 'GET', '/me', {
    key,
    headers: { 'x-forwarded-for': address, 'x-request-id': 'same' },
  });

function essence({ status, headers, text }: HttpResponse) {
  const { date: _, connection: __, 'keep-alive': ___, ...rest } = headers;
  return { status, headers: rest, text };
}

describe('a key with a list of addresses', () => {
  it.each<[string, readonly string[], string, boolean]>([
    ['its address', ['203.0.113.7'], '203.0.113.7', true],
    ['another address', ['203.0.113.7'], '203.0.113.8', false],
    ['an address of its range', ['203.0.113.0/24'], '203.0.113.255', true],
    ['the first address after its range', ['203.0.113.0/24'], '203.0.114.0', false],
    ['the second of its ranges', ['203.0.113.0/24', '198.51.100.0/25'], '198.51.100.127', true],
    ['IPv4 in the form of IPv6', ['203.0.113.7'], '::ffff:203.0.113.7', true],
    ['the same in hexadecimal', ['203.0.113.7'], '::ffff:cb00:7107', true],
    ['IPv4, listed in the form of IPv6', ['::ffff:203.0.113.0/120'], '203.0.113.9', true],
    ['IPv4 beyond that range', ['::ffff:203.0.113.0/120'], '203.0.114.9', false],
    ['IPv6', ['2001:db8::/32'], '2001:DB8:0:0::7', true],
    ['IPv6 outside', ['2001:db8::/32'], '2001:db9::1', false],
    ['IPv4 for half of IPv6', ['::/1'], '203.0.113.7', false],
    ['IPv6 for half of IPv4', ['0.0.0.0/1'], '2001:db8::1', false],
    ['a text that is no address', ['0.0.0.0/1', '::/1'], 'unknown', false],
  ])('A10 %s', async (_name, allowed_ips, address, isLetIn) => {
    const { key } = await buildApiKey(database.db, { user, allowed_ips });
    expect((await callFrom(key, address)).status).toBe(isLetIn ? 200 : 401);
  });

  it.each(['::/0', '0.0.0.0/0', '::ffff:0.0.0.0/96', '127.1', '10', '10/8', '127.1/32'])(
    'never has %s on it',
    async (range) => {
      const made = buildApiKey(database.db, { user, allowed_ips: ['203.0.113.7', range] });
      await expect(made).rejects.toMatchObject({ code: '22P02' });
    },
  );

  it('A10 answers the bytes and headers of an unknown key elsewhere, on every route', async () => {
    const { key } = await buildApiKey(database.db, { user, allowed_ips: ['203.0.113.7'] });
    for (const { method, path } of GUARDED) {
      const concrete = path.replace(/\{\w+\}/g, 'x');
      const call = (given: string) =>
        request(service, method, concrete, {
          headers: { authorization: given, 'x-request-id': 'same' },
          ...(method === 'GET' ? {} : { body: {} }),
        });
      const refused = await call(`Bearer ${key}`);
      expectContract(method, concrete, refused);
      expect(essence(refused)).toEqual(
        essence(await call(`Bearer ${makeApiKey('pay', 'live').key}`)),
      );
    }
  });

  it('is neither counted nor used up by calls from elsewhere', async () => {
    const { id, key } = await buildApiKey(database.db, {
      user,
      allowed_ips: ['203.0.113.7'],
      requests_per_minute: 6_000,
    });
    expect((await callFrom(key, '203.0.113.7')).headers['x-ratelimit-remaining']).toBe('5999');
    await Promise.all(Array.from({ length: 50 }, () => callFrom(key, '198.51.100.1')));
    expect((await callFrom(key, '203.0.113.7')).headers['x-ratelimit-remaining']).toBe('5998');
    const { rows } = await database.owner.raw(
      'select (select sum(n)::integer from unnest(requests) n) as requests from rate_windows where key_id = ?',
      [id],
    );
    expect(rows).toEqual([{ requests: 2 }]);
  });
});
