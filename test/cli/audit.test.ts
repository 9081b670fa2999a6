import { createTestDatabase, setUp } from '../support/database';
import { addAuditRow } from '../../db/operators/audit';
import { buildCli, type Cli } from './support/cli';

const database = setUp(createTestDatabase);
let cli: Cli;

beforeAll(async () => {
  cli = buildCli(database);
  for (const subject of ['user/one', 'user/two', 'user/three']) {
    const details = { reason: 'line\nbreak \u009b' };
    await database.owner.transaction((tx) =>
      addAuditRow(tx, { actor: 'awa', action: 'kyc.approve', subject, details }),
    );
  }
});

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
