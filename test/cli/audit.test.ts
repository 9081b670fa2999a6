import { createTestDatabase, type TestDatabase } from '../support/database';
import { addAuditRow } from '../../db/audit';
import { BUILD_LIMIT_MS, buildCli, type Cli } from './support/cli';

let database: TestDatabase;
let cli: Cli;

beforeAll(async () => {
  database = await createTestDatabase();
  cli = await buildCli(database);
  for (const subject of ['user/one', 'user/two', 'user/three']) {
    const details = { reason: 'line\nbreak \u009b' };
    await database.owner.transaction((tx) =>
      addAuditRow(tx, { actor: 'awa', action: 'kyc.approve', subject, details }),
    );
  }
}, BUILD_LIMIT_MS);

describe('audit list', () => {
  it('shows the rows newest first, page by page', async () => {
    const first = await cli.json('audit', 'list', '--limit', '2');
    expect(first).toEqual({
      audit_rows: [
        {
          id: 3,
          at: expect.any(String) as string,
          actor: 'awa',
          database_role: 'postgres',
          action: 'kyc.approve',
          subject: 'user/three',
          details: { reason: 'line\nbreak \u009b' },
          hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        },
        expect.objectContaining({ subject: 'user/two' }),
      ],
      next_cursor: '2',
    });
    const second = await cli.json('audit', 'list', '--limit', '2', '--cursor', '2');
    expect(second).toMatchObject({ audit_rows: [{ subject: 'user/one' }], next_cursor: null });
    const { stdout } = await cli.run('audit', 'list', '--limit', '2');
    expect(stdout).toMatch(/^ID +AT +ACTOR +ACTION +SUBJECT +DETAILS\n3 .*user\/three.*\n2 .*\n/);
    expect(stdout).toContain('More: --cursor 2');
    expect(stdout).not.toContain('\u009b');
  });

  it('takes filters', async () => {
    const found = async (...filters: string[]): Promise<unknown> =>
      (await cli.json('audit', 'list', ...filters)).audit_rows.map(
        ({ subject }: { subject: string }) => subject,
      );
    expect(await found('--user', 'TWO')).toEqual(['user/two']);
    expect(await found('--subject', 'user/one')).toEqual(['user/one']);
    expect(await found('--action', 'kyc.reject')).toEqual([]);
    expect(await found('--by', 'awa', '--since', '2026-01-01')).toHaveLength(3);
    expect(await found('--since', '9999-01-01')).toEqual([]);
    for (const wrong of [
      ['--since', 'yesterday'],
      ['--cursor', 'x'],
    ]) {
      expect((await cli.fail('audit', 'list', ...wrong)).code).toBe('usage');
    }
  });
});

describe('audit verify', () => {
  it('says that the log is whole, also up to a head', async () => {
    const { hash } = await cli.json('audit', 'head');
    expect((await cli.run('audit', 'head')).stdout).toBe(`${hash}\n`);
    expect(await cli.json('audit', 'verify', '--head', hash)).toEqual({
      ok: true,
      rows: 3,
      head: hash,
      faults: [],
    });
    expect((await cli.run('audit', 'verify')).stdout).toBe(
      `The audit log is whole: 3 rows, head ${hash}.\n`,
    );
    expect((await cli.fail('audit', 'verify', '--head', 'abc')).code).toBe('usage');
  });

  it('names the rows that do not fit, with exit status 1', async () => {
    const { status, stdout } = await cli.run('audit', 'verify', '--head', 'f'.repeat(64), '--json');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      faults: [{ id: null, what: 'the given head is not in the log' }],
    });
    await database.owner.raw(
      `set session_replication_role = replica;
       update audit_log set actor = 'mallory' where id = 2;
       set session_replication_role = origin`,
    );
    const text = await cli.run('audit', 'verify');
    expect([text.status, text.stdout]).toEqual([
      1,
      'ID  FAULT\n2   its content is not what was hashed\n',
    ]);
  });
});
