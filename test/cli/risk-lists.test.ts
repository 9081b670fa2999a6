// Lists of names at the command line.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, setUp } from '../support/database';
import { postOne } from '../support/postings';
import { compareAccounts, HEADER } from '../support/screening';
import { buildUser } from '../support/users';
import { buildCli } from './support/cli';

const database = setUp(createTestDatabase);
const cli = setUp(async () => buildCli(database, { WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1' }));
const failing = async (...words: string[]) => (await cli.fail(...words)).code;
const limit = (above: number | null) =>
  database.owner.raw(`update approval_limits set above_minor = ? where currency = 'XOF'`, [above]);
const folder = mkdtempSync(join(tmpdir(), 'lists-'));
const fileOf = (...lines: string[]): string => {
  const path = join(folder, `${lines.length}-${lines.join('').length}.csv`);
  writeFileSync(path, [HEADER, ...lines].join('\r\n'));
  return path;
};

it('loads a list, shows it, finds a name, and removes it', async () => {
  await buildUser(database.db);
  expect(await cli.json('risk', 'lists')).toEqual({ lists: [] });
  const path = fileOf('7,Awa Diop,Tata Awa,individual,,SN', '8,Ben Fall,,,,');
  const loaded = await cli.json('risk', 'load', '--list', 'un', path);
  const version = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
  expect(loaded).toEqual({ list: 'un', entries: 2, version, rescreened: 1 });
  expect(await cli.json('risk', 'load', '--list', 'un', path)).toEqual({
    ...loaded,
    rescreened: 0,
  });
  expect((await cli.json('risk', 'lists')).lists).toMatchObject([
    { list: 'un', entries: 2, version: loaded.version, loaded_by: 'awa' },
  ]);
  expect(await cli.json('risk', 'screen', 'diop AWA')).toEqual({
    name: 'diop AWA',
    matches: [{ list: 'un', id: '7', name: 'Awa Diop', score: 1 }],
  });
  expect((await cli.json('risk', 'screen', 'Awa')).matches).toEqual([]);
  const { audit_rows } = await cli.json('audit', 'list', '--subject', 'risk-list/un');
  expect(audit_rows).toMatchObject([
    { action: 'risk.load', details: { after: { list: 'un', entries: 2 } } },
  ]);
  expect(await cli.json('risk', 'load', '--list', 'un', '--remove')).toMatchObject({
    list: 'un',
    entries: 0,
  });
  expect(await failing('risk', 'load', '--list', 'un', '--remove')).toBe('list_not_found');
});

it('loads nothing of a file with a fault, whose line it names', async () => {
  const path = fileOf('7,Awa Diop,,,,', ',Ben Fall,,,,');
  const fault = await cli.fail('risk', 'load', '--list', 'own', path);
  expect(fault).toMatchObject({ code: 'invalid_file' });
  expect(fault.message).toContain(':3: ');
  expect(await failing('risk', 'load', '--list', 'own')).toBe('usage');
  expect(await failing('risk', 'load', '--list', 'Own', path)).toBe('usage');
  expect((await cli.json('risk', 'lists')).lists).toEqual([]);
});

it('needs a second operator where settings do, who names what was read', async () => {
  await limit(0);
  const path = fileOf('9,Cire Ba,,,,');
  expect(await failing('risk', 'load', '--list', 'own', path)).toBe('approval_required');
  expect((await cli.json('risk', 'screen', 'Cire Ba')).matches).toEqual([]);
  const [{ id, arguments: given }] = (await cli.json('approvals', 'list')).approvals;
  expect(given).toMatchObject({ list: 'own', version: expect.stringMatching(/^[0-9a-f]{64}$/) });
  await cli.json('--actor', 'oscar', 'approvals', 'approve', id);
  expect((await cli.json('risk', 'screen', 'Cire Ba')).matches).toHaveLength(1);
  expect(await failing('risk', 'screening', '--off')).toBe('approval_required');
  await limit(null);
});

it('decides about an account whose name is found', async () => {
  const user = await buildUser(database.db, { username: 'cire' });
  await database.owner.raw(`update users set first_name = 'Cire', last_name = 'Ba' where id = ?`, [
    user.id,
  ]);
  await compareAccounts(database.db);
  const [waiting] = (await cli.json('risk', 'cases', '--user', 'cire')).cases;
  expect(waiting).toMatchObject({
    status: 'held',
    subject: { type: 'account', reference: 'cire' },
    environment: null,
    currency: null,
    amount: null,
    expires_at: null,
    reasons: [{ source: 'screening', name: 'own/9' }],
  });
  const from = await buildUser(database.db, { funds: { live: { XOF: 100_000n } } });
  await postOne(database.db, { from, to: user, amount: 100n });
  const { held } = await cli.json('risk', 'show', waiting.reference);
  expect(held).toMatchObject([{ username: from.username, counterparty: 'cire' }]);
  const { stdout } = await cli.run('risk', 'show', waiting.reference);
  expect(stdout).toContain('1 order is held from or to cire: risk cases --user cire');
  await limit(0);
  expect(await failing('risk', 'release', waiting.reference)).toBe('approval_required');
  await limit(null);
  await cli.json('approvals', 'reject', (await cli.json('approvals', 'list')).approvals[0].id);
  expect(await cli.json('risk', 'release', waiting.reference)).toMatchObject({
    case: { status: 'released' },
  });
});

it('says with what names are compared', async () => {
  const screening = {
    mode: 'local',
    url: null,
    minimum: null,
    deadline_ms: null,
    on_silence: null,
  };
  expect(await cli.json('risk', 'screening')).toEqual({ screening });
  expect(await cli.json('risk', 'screening', '--off')).toEqual({
    screening: { ...screening, mode: 'off' },
    changed: true,
  });
  expect((await cli.json('risk', 'screen', 'Cire Ba')).matches).toEqual([]);
  const url = ['--url', 'http://127.0.0.1:9/v2/search', '--minimum', '0.9'];
  const more = ['--deadline-ms', '50', '--on-silence', 'hold'];
  expect(await cli.json('risk', 'screening', ...url, ...more)).toMatchObject({
    screening: { mode: 'url', minimum: 0.9, deadline_ms: 50, on_silence: 'hold' },
  });
  expect(await failing('risk', 'screen', 'Cire Ba')).toBe('screening_silent');
  for (const wrong of [url, ['--local', '--off'], ['--local', '--minimum', '0.9']]) {
    expect(await failing('risk', 'screening', ...wrong)).toBe('usage');
  }
  for (const other of ['ftp://lists.example.com', 'http://lists.example.com']) {
    expect(await failing('risk', 'screening', '--url', other, ...url.slice(2), ...more)).toBe(
      'usage',
    );
  }
  expect(await cli.json('risk', 'screening', '--local')).toMatchObject({ screening });
});
