// §5.8: every request leaves one line and one row: when, from where, with which key and which status.

import type { Client } from 'pg';
import type { AccessEntry } from '../../db/access-log';
import { makeApiKey } from '../../secrets/api-key';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { request, type HttpResponse, type RequestOptions } from '../support/http';
import { buildApiKey, buildUser, revokeKey, type TestKey, type TestUser } from '../support/users';
import { startTestService, type TestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { findAccessLine, readAccessLines, readAccessText } from './support/access-lines';
import { requestHead, sendRaw } from './support/raw';

let database: TestDatabase;
let service: TestService;
let user: TestUser;
let recipient: TestUser;
let key: TestKey;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  user = await buildUser(database.db, { funds: { live: { XOF: 1_000_000n } } });
  recipient = await buildUser(database.db);
  key = await buildApiKey(database.db, { user });
});

async function rowsOf(request_id: unknown): Promise<AccessEntry[]> {
  const { rows } = await database.owner.raw('select * from access_entries where request_id = ?', [
    request_id as string,
  ]);
  return rows;
}

/** The row is written a moment after the response. */
function rowOf({ headers }: Pick<HttpResponse, 'headers'>): Promise<AccessEntry> {
  return waitFor(async () => {
    const rows = await rowsOf(headers['x-request-id']);
    expect(rows.length).toBeLessThanOrEqual(1);
    return rows[0];
  });
}

const lineOf = ({ headers }: Pick<HttpResponse, 'headers'>) =>
  findAccessLine(service, headers['x-request-id'])!;

const transfer = () => ({ to_username: recipient.username, currency: 'XOF', amount: 1 });

describe('one request', () => {
  it.each<[string, string, string, () => RequestOptions, number, string]>([
    ['a read', 'GET', '/me', () => ({ key: key.key }), 200, '/api/public/v1/me'],
    [
      'a read of one thing',
      'GET',
      '/transactions/x?y=z',
      () => ({ key: key.key }),
      404,
      '/api/public/v1/transactions/{id}',
    ],
    [
      'a write',
      'POST',
      '/transfers',
      () => ({ key: key.key, body: transfer() }),
      200,
      '/api/public/v1/transfers',
    ],
    [
      'a refused write',
      'POST',
      '/transfers',
      () => ({ key: key.key, body: '{' }),
      400,
      '/api/public/v1/transfers',
    ],
  ])(
    'as %s leaves a line and a row with the id of its key',
    async (_kind, method, path, options, status, route) => {
      const started = Date.now();
      const response = await request(service, method, path, options());
      expect(response.status).toBe(status);
      // The line is written before the response.
      const line = lineOf(response);
      expect(line).toMatchObject({
        log: 'access',
        ip: '127.0.0.1',
        key_id: key.id,
        method,
        route,
        status,
      });
      expect(Date.parse(line.at)).toBeGreaterThanOrEqual(started - 1_000);
      expect(Date.parse(line.at)).toBeLessThanOrEqual(Date.now() + 1_000);
      expect(line.duration_ms).toBeGreaterThan(0);
      const row = await rowOf(response);
      expect({ ...row, duration_ms: Number(row.duration_ms), at: Date.parse(row.at) }).toEqual({
        requests: 1,
        ...Object.fromEntries(Object.entries(line).filter(([name]) => name !== 'log')),
        at: Date.parse(line.at),
      });
    },
  );

  it('that is rate limited is logged with its key', async () => {
    const busy = await buildApiKey(database.db, { user, requests_per_minute: 1 });
    await request(service, 'GET', '/me', { key: busy.key });
    const response = await request(service, 'GET', '/me', { key: busy.key });
    expect(await rowOf(response)).toMatchObject({ status: 429, key_id: busy.id });
  });

  it.each<[string, () => Promise<string | undefined>]>([
    ['no key', () => Promise.resolve(undefined)],
    ['a malformed key', () => Promise.resolve('nonsense')],
    ['an unknown key', () => Promise.resolve(makeApiKey('pay', 'live').key)],
    [
      'a revoked key',
      async () => {
        const revoked = await buildApiKey(database.db, { user });
        await revokeKey(database.db, revoked.id);
        return revoked.key;
      },
    ],
  ])('with %s is logged without a key id', async (_kind, make) => {
    const bad = await make();
    const options = bad === undefined ? {} : { key: bad };
    const response = await request(service, 'GET', '/wallets', options);
    expect(await rowOf(response)).toMatchObject({
      status: 401,
      key_id: null,
      route: '/api/public/v1/wallets',
      ip: '127.0.0.1',
    });
  });

  it.each([
    ['GET', '/nothing', 404],
    ['DELETE', '/wallets', 405],
    ['OPTIONS', '/wallets', 200],
    ['HEAD', '/wallets', 401],
  ])('%s %s is logged', async (method, path, status) => {
    const response = await request(service, method, path);
    expect(await rowOf(response)).toMatchObject({ status, method, key_id: null });
  });

  it('leaves exactly one line and one row when there are many at once', async () => {
    const many = await buildApiKey(database.db, { user, requests_per_minute: 1_000 });
    const before = readAccessLines(service).length;
    const responses = await Promise.all(
      Array.from({ length: 300 }, () => request(service, 'GET', '/me', { key: many.key })),
    );
    expect(readAccessLines(service).length).toBe(before + 300);
    for (const response of responses) await rowOf(response);
  });
});

describe('rows', () => {
  const send = async (count: number) => {
    const busy = await buildApiKey(database.db, { user });
    const call = () => request(service, 'GET', '/me', { key: busy.key });
    return Promise.all(Array.from({ length: count }, call));
  };
  const lock = async (): Promise<Client> => {
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query('lock table access_entries in exclusive mode');
    return session;
  };
  const isBlocked = (what: string) => async () => {
    const { rows } = await database.owner.raw(
      `select 1 from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query like ?`,
      [`${what}%`],
    );
    return rows.length > 0;
  };
  // Longer than rows wait for the next flush.
  const aWhile = async (): Promise<void> => {
    const since = Date.now();
    await waitFor(() => Date.now() > since + 1_000);
  };

  it('all arrive, even when Postgres writes them more slowly than new ones come', async () => {
    const responses = [];
    const first_lock = await lock();
    responses.push(...(await send(20)));
    await waitFor(isBlocked('select add_access_entries'));
    responses.push(...(await send(30)));
    await aWhile();
    responses.push(...(await send(10)));
    // Next in the lock queue: the flush after the first one is blocked again.
    const second_lock = lock();
    await waitFor(isBlocked('lock table access_entries'));
    await first_lock.query('commit');
    await second_lock;
    await waitFor(isBlocked('select add_access_entries'));
    responses.push(...(await send(15)));
    await aWhile();
    responses.push(...(await send(5)));
    await (await second_lock).query('commit');
    for (const response of responses) await rowOf(response);
  });
});

describe('what callers send', () => {
  // Each is logged as one of our lines or not at all: no header or path can forge a line.
  it.each<[string, string, string[]]>([
    ['a request id with quotes', '/me', ['X-Request-Id: "},{"log":"access"}']],
    ['a request id with a tab', '/me', ['X-Request-Id: a\tb']],
    ['a request id in Latin-1', '/me', ['X-Request-Id: caf\u00e9']],
    ['a request id in escapes', '/me', ['X-Request-Id: a\\r\\nb%0d%0a']],
    ['a long request id', '/me', [`X-Request-Id: ${'a'.repeat(129)}`]],
    ['two request ids', '/me', ['X-Request-Id: a', 'X-Request-Id: b']],
    ['a path with line ends', '/transactions/a%0d%0a%7B%22log%22:%22access%22%7D', []],
    ['a path with control characters', '/transactions/%1b%5b2J%07%00', []],
    ['a path with a line separator', '/transfers/%E2%80%A8x', []],
    ['a query with line ends', '/transactions?cursor=%0d%0a%7b%7d', []],
    ['an agent in escapes', '/me', ['User-Agent: \\u0000\\x1b[31m"}\\n{']],
    ['a forwarded address', '/me', ['X-Forwarded-For: 6.6.6.6"}\\n', 'Forwarded: for=6.6.6.6']],
  ])('%s stays inside one line', async (_kind, path, headers) => {
    const before = readAccessLines(service).length;
    const response = await sendRaw(
      service,
      requestHead(service, `GET /api/public/v1${path}`, headers),
    );
    const lines = readAccessLines(service);
    expect(lines.length).toBe(before + 1);
    const line = lines.at(-1)!;
    expect(line.request_id).toBe(response.headers['x-request-id']);
    expect(line.request_id).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
    expect(line.ip).toBe('127.0.0.1');
    // oxlint-disable-next-line no-control-regex -- the test looks for control characters
    expect(readAccessText(service)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028]/);
  });

  it.each([
    ['a line end inside of a header', 'X-Request-Id: a\r\n{"log":"access"}'],
    ['a bare line feed', 'X-Request-Id: a\n{"log":"access"}'],
    ['a NUL in a header', 'X-Request-Id: a\0b'],
  ])('%s is refused as no request at all', async (_kind, header) => {
    const before = readAccessText(service);
    const response = await sendRaw(
      service,
      requestHead(service, 'GET /api/public/v1/me', [header]),
    );
    expect(response.status).toBe(400);
    expect(readAccessText(service)).toBe(before);
  });
});

describe('keys', () => {
  it("appear nowhere: not in lines, rows, logs or a workflow's history", async () => {
    const canaries = [key.key];
    for (let i = 0; i < 3; i += 1) canaries.push((await buildApiKey(database.db, { user })).key);
    const [header, query, path, body] = canaries as [string, string, string, string];
    const sent = await request(service, 'POST', '/transfers', { key: header, body: transfer() });
    const responses = [
      sent,
      await request(service, 'GET', `/me?api_key=${query}`),
      await request(service, 'GET', `/transactions/${path}`, { key: header }),
      await request(service, 'GET', `/transfers/${path}`, { key: header }),
      await request(service, 'POST', '/transfers', { key: header, body: { to_username: body } }),
      await request(service, 'GET', '/me', { headers: { authorization: `Basic ${body}` } }),
      await request(service, 'GET', '/me', { headers: { cookie: body, referer: query } }),
    ];
    // The first refusals of the minute have rows of their own.
    const own = responses.filter((response) => lineOf(response).row_id === undefined);
    expect(own).toContain(sent);
    for (const response of own) await rowOf(response);
    const { rows } = await database.owner.raw('select l::text as text from access_entries l');
    const kept = await database.owner.raw(
      `select to_jsonb(t)::text as text from transfers t
       union all select to_jsonb(i)::text from idempotency_keys i
       union all select to_jsonb(k)::text from api_keys k`,
    );
    const temporal = await connectTestTemporal();
    const workflow_id = `transfer/live/${user.id}/${String(sent.headers['idempotency-key'])}`;
    const history = await temporal.workflow.getHandle(workflow_id).fetchHistory();
    const everything = [
      readAccessText(service),
      JSON.stringify(service.log),
      ...[...rows, ...kept.rows].map(({ text }: { text: string }) => text),
      textOf(history),
      ...responses.map(({ text }) => text),
    ].join('\n');
    expect(everything).toContain(key.id);
    expect(textOf(history)).toContain(recipient.username);
    for (const canary of canaries) {
      expect(everything).not.toContain(canary);
      expect(everything).not.toContain(canary.slice(9, 41));
      expect(everything).not.toContain(Buffer.from(canary).toString('base64').slice(0, 40));
      expect(everything).not.toContain(Buffer.from(canary).toString('hex'));
    }
  });
});

/** All text in a value, payloads decoded. */
function textOf(value: unknown): string {
  if (ArrayBuffer.isView(value)) return Buffer.from(value as Uint8Array).toString('utf8');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, field]) => `${name} ${textOf(field)}`)
    .join('\n');
}
