// Which requests have a row of the access log, and how many rows strangers can cause (row A11 of the
// threat list; docs/decisions/0039-access-log-in-days.md).

import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccessRows, type AccessKind } from '../../api/access-rows';
import { openLineFile } from '../../api/line-file';
import type { AccessEntry } from '../../db/access-log';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { request, type HttpResponse } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { buildApiKey, buildUser } from '../support/users';
import { findAccessRow, readAccessLines } from './support/access-lines';

const MINUTE_MS = 60_000;

function startRows() {
  const clock = { at: Date.parse('2026-11-22T10:00:00.000Z') };
  const rows = createAccessRows(() => clock.at);
  const add = (kind: AccessKind, fields: Partial<AccessEntry> = {}) => {
    const entry: AccessEntry = {
      ...{ id: randomUUID(), at: new Date(clock.at).toISOString(), ip: '203.0.113.7' },
      ...{ key_id: null, method: 'GET', route: '/x', status: 401, request_id: 'x' },
      ...{ duration_ms: 1, ...fields },
    };
    const id = rows.rowOf(entry, kind);
    return id === entry.id ? 'own' : id;
  };
  return { clock, rows, add };
}

describe('rows of strangers', () => {
  it('are their own for the first 20 refusals of a minute and address, then one with a count', () => {
    const { clock, rows, add } = startRows();
    const ids = Array.from({ length: 5_000 }, () => add('stranger'));
    expect(ids.slice(0, 20)).toEqual(Array(20).fill('own'));
    const [shared] = [...new Set(ids.slice(20))];
    expect(new Set(ids.slice(20)).size).toBe(1);
    expect(add('stranger', { ip: '203.0.113.8' })).toBe('own');
    expect(rows.takeShared()).toEqual([]);
    clock.at += MINUTE_MS;
    expect(rows.takeShared()).toEqual([
      {
        ...{ id: shared, at: '2026-11-22T10:00:00.000Z', ip: '203.0.113.7', key_id: null },
        requests: 4_980,
      },
    ]);
    expect(rows.takeShared()).toEqual([]);
    expect(add('stranger')).toBe('own');
  });

  it('are as few when what they ask for is there', () => {
    const { add } = startRows();
    const ids = Array.from({ length: 3_000 }, () => add('stranger', { status: 200 }));
    expect(ids.filter((id) => id === 'own').length).toBe(100);
    expect(new Set(ids).size).toBe(2);
  });

  it('are one per /64, not one per IPv6 address', () => {
    const { rows, add } = startRows();
    const ids = Array.from({ length: 500 }, (_, index) =>
      add('stranger', { ip: `2001:db8::${index.toString(16)}` }),
    );
    expect(ids.filter((id) => id === 'own').length).toBe(20);
    expect(rows.takeShared(true)).toMatchObject([{ ip: '2001:db8:0:0::/64', requests: 480 }]);
  });

  it('are at most 801 in a minute, from however many addresses', () => {
    const { rows, add } = startRows();
    let own = 0;
    for (let count = 0; count < 100_000; count += 1) {
      const ip = `${10 + (count >> 16)}.${(count >> 8) & 255}.${count & 255}.1`;
      if (add('stranger', { ip }) === 'own') own += 1;
    }
    const shared = rows.takeShared(true);
    expect([own, shared.length]).toEqual([600, 201]);
    expect(own + shared.reduce((sum, row) => sum + row.requests, 0)).toBe(100_000);
    expect(shared.filter(({ ip }) => ip === 'others')).toHaveLength(1);
  });

  it('do not cost callers and gateways theirs', () => {
    const { add } = startRows();
    for (let count = 0; count < 10_000; count += 1) add('stranger', { ip: `10.0.${count}.1` });
    const key_id = randomUUID();
    for (let count = 0; count < 1_000; count += 1) {
      expect(add('caller', { key_id, status: 200 })).toBe('own');
      expect(add('caller', { key_id, status: 422 })).toBe('own');
      expect(add('gateway', { status: 200 })).toBe('own');
    }
    expect(add('probe', { status: 200 })).toBeNull();
  });

  it('a key over its own limit shares a row that names it', () => {
    const { rows, add } = startRows();
    const key_id = randomUUID();
    for (let count = 0; count < 100; count += 1) add('caller', { key_id, status: 429 });
    expect(rows.takeShared(true)).toMatchObject([{ key_id, requests: 80 }]);
  });
});

describe('over HTTP', () => {
  let database: TestDatabase;
  let service: TestService;
  beforeAll(async () => {
    database = await createTestDatabase();
    service = await startTestService({
      database,
      overrides: { anonymous_requests_per_minute: 50, trusted_proxies: ['127.0.0.1'] },
    });
  });

  const call = (path: string, from: string): Promise<HttpResponse> =>
    request(service, 'GET', path, { headers: { 'x-forwarded-for': from } });

  it('A11 a flood of strangers leaves a line each and few rows; health leaves a line and none', async () => {
    const { key } = await buildApiKey(database.db, { user: await buildUser(database.db) });
    const before = readAccessLines(service).length;
    const calls = Array.from({ length: 400 }, () => call('/me', '203.0.113.7'));
    const probes = Array.from({ length: 100 }, () => call('/health', '203.0.113.8'));
    const responses = await Promise.all([...calls, ...probes]);
    const last = await request(service, 'GET', '/me', { key });
    await findAccessRow(database, last.headers['x-request-id']);
    expect(readAccessLines(service).length).toBe(before + responses.length + 1);
    await service.stop();
    const { rows } = await database.db.raw(
      `select ip, requests, route from access_entries where ip like '203.%' order by requests`,
    );
    // The flood may have run into the next minute.
    expect(rows.length).toBeLessThanOrEqual(2 * 21);
    expect(new Set(rows.map(({ ip }: { ip: string }) => ip))).toEqual(new Set(['203.0.113.7']));
    const sum = rows.reduce((total: number, row: { requests: number }) => total + row.requests, 0);
    expect(sum).toBe(400);
  });
});

describe('the file of lines', () => {
  const makePath = (): string => join(mkdtempSync(join(tmpdir(), 'lines-')), 'access.log');
  const linesOf = (path: string): string[] =>
    existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];

  it('is put aside when it is full; five are kept, and no line is lost before', () => {
    const path = makePath();
    const file = openLineFile({ path, max_bytes: 1_000 });
    for (let number = 0; number < 90; number += 1) file.write(`${number} `.padEnd(99, 'x'));
    file.close();
    const kept = [5, 4, 3, 2, 1].map((number) => `${path}.${number}`);
    const numbers = [...kept, path].flatMap(linesOf).map((line) => Number.parseInt(line, 10));
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, index) => index + 30));
    for (const one of [...kept, path]) expect(statSync(one).size).toBeLessThanOrEqual(1_000);
    expect(existsSync(`${path}.6`)).toBe(false);
  });

  it('goes on with what is there, and counts it', () => {
    const path = makePath();
    for (let run = 0; run < 3; run += 1) {
      const file = openLineFile({ path, max_bytes: 1_000 });
      for (let number = 0; number < 5; number += 1) file.write('x'.repeat(99));
      file.close();
    }
    expect([linesOf(`${path}.1`).length, linesOf(path).length]).toEqual([10, 5]);
  });

  it('may be shared by processes, and truncated from outside', () => {
    const path = makePath();
    const files = [1, 2].map(() => openLineFile({ path, max_bytes: 1_000 }));
    for (let number = 0; number < 30; number += 1) {
      for (const file of files) file.write(`${number} `.padEnd(99, 'x'));
    }
    const all = [5, 4, 3, 2, 1].map((number) => `${path}.${number}`).concat(path);
    expect(all.flatMap(linesOf).length).toBe(60);
    truncateSync(path);
    files[0]!.write('after');
    expect(linesOf(path)).toEqual(['after']);
    for (const file of files) file.close();
  });

  it('is never put aside with a limit of zero', () => {
    const path = makePath();
    const file = openLineFile({ path, max_bytes: 0 });
    for (let number = 0; number < 100; number += 1) file.write('x'.repeat(999));
    file.close();
    expect(linesOf(path).length).toBe(100);
    expect(existsSync(`${path}.1`)).toBe(false);
  });
});
