// §5.8: every request leaves one line and one row: when, from where, with which key and which status.

import { randomUUID } from 'node:crypto';
import { createRowLimit, openAccessLog, type AccessKind } from '../../http/access-log';
import type { AccessEntry } from '../../db/requests/access-log';
import { makeApiKey } from '../../secrets/api-key';
import { createTestDatabase, setUp } from '../support/database';
import { insist, request, type HttpResponse, type RequestOptions } from '../support/http';
import { buildApiKey, buildUser, revokeKey } from '../support/users';
import { startTestService } from '../support/service';
import { connectTestTemporal } from '../support/temporal';
import { findAccessLine, findAccessRow } from './support/access-lines';
import { requestHead, sendRaw } from './support/raw';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const user = setUp(() => buildUser(database.db, { funds: { live: { XOF: 1_000_000n } } }));
const recipient = setUp(() => buildUser(database.db));
const key = setUp(() => buildApiKey(database.db, { user }));

/** The row is written a moment after the response. */
const rowOf = ({ headers }: Pick<HttpResponse, 'headers'>): Promise<AccessEntry> =>
  findAccessRow(database, headers['x-request-id']);

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
      const {
        code,
        refusal,
        path: _path,
        idempotency_key: _key,
        fault: _fault,
        names: _names,
        ...row
      } = await rowOf(response);
      const error = response.json.error;
      expect([code, refusal && JSON.parse(refusal).response]).toEqual(
        error ? [error.code, response.json] : [null, null],
      );
      expect({ ...row, duration_ms: Number(row.duration_ms), at: Date.parse(row.at) }).toEqual({
        ...Object.fromEntries(Object.entries(line).filter(([name]) => name !== 'log')),
        at: Date.parse(line.at),
      });
    },
  );

  it('with an unknown key is logged without a key id, with a revoked one under it', async () => {
    const revoked = await buildApiKey(database.db, { user });
    await revokeKey(database.db, revoked.id);
    const keys = [
      [makeApiKey('pay', 'live').key, null],
      [revoked.key, revoked.id],
    ] as const;
    for (const [bad, key_id] of keys) {
      const response = await request(service, 'GET', '/wallets', { key: bad });
      expect(await rowOf(response)).toMatchObject({
        status: 401,
        key_id,
        route: '/api/public/v1/wallets',
        ip: '127.0.0.1',
      });
    }
  });

  it.each([
    ['DELETE', '/sandbox/clock', 405, '/sandbox/clock'],
    ['GET', '/walets/awa', 404, '/…/…'],
    ['GET', '/%E0%A4%A', 404, '/…'],
  ])('that no route takes is its key’s, and counted: %s %s', async (method, path, status, kept) => {
    const own = await buildApiKey(database.db, { user, requests_per_minute: 2 });
    const call = () => request(service, method, path, { key: own.key });
    const response = await call();
    expect(response.status).toBe(status);
    expect(response.headers['x-ratelimit-remaining']).toBe('1');
    expect(await rowOf(response)).toMatchObject({
      status,
      key_id: own.id,
      path: `/api/public/v1${kept}`,
      code: response.json.error.code,
    });
    await call();
    expect((await call()).status).toBe(429);
    const stranger = await request(service, method, path, { key: makeApiKey('pay', 'live').key });
    expect([stranger.status, (await rowOf(stranger)).key_id]).toEqual([status, null]);
  });

  it('leaves exactly one line and one row when there are many at once', async () => {
    const many = await buildApiKey(database.db, { user, requests_per_minute: 1_000 });
    const before = service.access_lines.length;
    let sent = 0;
    const send = () => {
      sent += 1;
      return request(service, 'GET', '/me', { key: many.key });
    };
    const responses = await Promise.all(Array.from({ length: 300 }, () => insist(send)));
    expect(service.access_lines.length).toBe(before + sent);
    for (const response of responses) await rowOf(response);
  });
});

describe('what callers send', () => {
  // Each is logged as one of our lines or not at all: no header or path can forge a line.
  it.each<[string, string, string[]]>([
    ['a request id with quotes', '/me', ['X-Request-Id: "},{"log":"access"}']],
    ['a request id in Latin-1', '/me', ['X-Request-Id: caf\u00e9']],
    ['two request ids', '/me', ['X-Request-Id: a', 'X-Request-Id: b']],
    ['a path with line ends', '/transactions/a%0d%0a%7B%22log%22:%22access%22%7D', []],
    ['a path with a line separator', '/transfers/%E2%80%A8x', []],
    ['a forwarded address', '/me', ['X-Forwarded-For: 6.6.6.6"}\\n', 'Forwarded: for=6.6.6.6']],
  ])('%s stays inside one line', async (_kind, path, headers) => {
    const before = service.access_lines.length;
    const response = await sendRaw(
      service,
      requestHead(service, `GET /api/public/v1${path}`, headers),
    );
    expect(service.access_lines.length).toBe(before + 1);
    const line = service.access_lines.at(-1)!;
    expect(line.request_id).toBe(response.headers['x-request-id']);
    expect(line.request_id).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
    expect(line.ip).toBe('127.0.0.1');
    // oxlint-disable-next-line no-control-regex -- the test looks for control characters
    expect(JSON.stringify(line)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028]/);
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
    for (const response of responses.filter(({ status }) => status !== 401)) await rowOf(response);
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
      JSON.stringify([service.access_lines, service.log]),
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

describe('rows', () => {
  const start = () => {
    const clock = { at: Date.parse('2026-11-22T10:00:00.000Z') };
    const hasRow = createRowLimit(() => clock.at);
    /** How many of so many requests have one. */
    const count = (
      kind: AccessKind,
      requests: number,
      fields: (n: number) => Partial<AccessEntry> = () => ({}),
    ): number =>
      Array.from({ length: requests }, (_, n) => ({
        ip: '203.0.113.7',
        key_id: null,
        status: 401,
        ...fields(n),
      })).filter((entry) => hasRow(entry, kind)).length;
    return { clock, count };
  };
  const address = (n: number) => ({ ip: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}` });

  it('A11 of a stranger are the first of a minute: 20 that are refused, 100 that are served', () => {
    const { clock, count } = start();
    expect(count('stranger', 5_000)).toBe(20);
    expect(count('stranger', 5_000, () => ({ status: 200 }))).toBe(100);
    expect(count('stranger', 1, () => ({ ip: '203.0.113.8' }))).toBe(1);
    clock.at += 60_000;
    expect(count('stranger', 5_000)).toBe(20);
  });

  it('A11 of all strangers are 600 in a minute, and cost callers and gateways none', () => {
    const { count } = start();
    const [key_id, other_key] = [randomUUID(), randomUUID()];
    expect(count('caller', 100, () => ({ key_id, status: 429 }))).toBe(20);
    expect(count('stranger', 100_000, address)).toBe(600);
    expect(count('caller', 100, () => ({ key_id: other_key, status: 429 }))).toBe(20);
    for (const status of [200, 422]) {
      expect(count('caller', 1_000, () => ({ key_id, status }))).toBe(1_000);
    }
    expect(count('gateway', 1_000)).toBe(1_000);
    expect(count('probe', 1, () => ({ status: 200 }))).toBe(0);
  });

  it('A11 of a flood are few, and its lines are all there; a health check has a line and no row', async () => {
    const before = service.access_lines.length;
    const call = (path: string) => request(service, 'GET', path);
    await Promise.all(
      Array.from({ length: 400 }, (_, n) => call(n % 4 === 0 ? '/health' : '/payment-intents')),
    );
    expect(service.access_lines.length).toBe(before + 400);
    // Rows are written in the order of their requests.
    await rowOf(await request(service, 'GET', '/me', { key: key.key }));
    const { rows } = await database.owner.raw(
      `select count(*) filter (where route like '%/health')::int as probes,
              count(*) filter (where route like '%/payment-intents')::int as refusals
         from access_entries where key_id is null`,
    );
    // The flood may have run into the next minute.
    expect(rows[0].refusals).toBeLessThanOrEqual(40);
    expect(rows[0].probes).toBe(0);
  });

  it('wait for Postgres, 50,000 at most', async () => {
    const errors: unknown[] = [];
    const log = openAccessLog({
      db: database.db,
      log: () => undefined,
      onError: (error) => errors.push(error),
    });
    for (let n = 0; n < 50_010; n += 1) {
      const entry = { id: randomUUID(), at: new Date().toISOString(), ip: '203.0.113.7' };
      const call = { method: 'GET', route: '/many', status: 200, duration_ms: 1 };
      log.record({ ...entry, ...call, key_id: key.id, request_id: String(n) }, 'caller');
    }
    await log.close();
    const { rows } = await database.owner.raw(
      `select count(*)::int as count from access_entries where route = '/many'`,
    );
    expect([errors, rows]).toEqual([[], [{ count: 50_000 }]]);
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
