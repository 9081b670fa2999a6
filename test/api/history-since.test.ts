// What callers see of months that were dropped (db/ledger/history-drops.sql).

import { formatDay } from '../../pages/formats';
import { signInOwner } from '../dashboard/accounts';
import { expectPage } from '../dashboard/visitor';
import { createTestDatabase, setUp } from '../support/database';
import { request } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { buildAccount, type Account } from './support/accounts';

const database = setUp(createTestDatabase);
let service: TestService;
let merchant: Account;

const LAST_MONTH = ((): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString();
})();
const THIS_MONTH = `${new Date().toISOString().slice(0, 7)}-01T00:00:00.000000Z`;

beforeAll(async () => {
  service = await startTestService({ database });
  merchant = await buildAccount(database, { live: { XOF: 500_000n, EUR: 10_000n } });
  await database.owner.raw(`update users set created_at = created_at - interval '90 days'`);
  await database.owner.raw(
    `insert into history_drops (month, archived_rows, manifest_hash, dropped_by)
     values (?::timestamptz, 0, repeat('0', 64), 'tests')`,
    [LAST_MONTH],
  );
});

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  request(service, 'GET', path, { key: merchant.live, headers });

it('a page where the history ends and a file say from when on it is whole; another page does not', async () => {
  const since = async (path: string, headers?: Record<string, string>) =>
    (await get(path, headers)).headers['history-since'];
  expect(await since('/transactions?limit=1')).toBeUndefined();
  expect(await since('/transactions')).toBe(THIS_MONTH);
  expect(await since('/transactions?currency=EUR')).toBe(THIS_MONTH);
  expect(await since('/transactions', { Accept: 'text/csv' })).toBe(THIS_MONTH);
});

it('a month that was dropped has no statement', async () => {
  const { json } = await get('/statements');
  const months = (json.statements as { month: string }[]).map(({ month }) => month);
  expect(new Set(months)).toEqual(new Set([THIS_MONTH.slice(0, 7)]));
  expect((await get(`/statements/XOF/${LAST_MONTH.slice(0, 7)}`)).status).toBe(404);
});

it.each(['/transactions', '/statements'])('the page %s says from when on it is', async (path) => {
  const { visitor } = await signInOwner(service, database);
  const day = formatDay('en', THIS_MONTH);
  expectPage(await visitor.open(path), 200, `Your history begins on ${day}.`);
});
