import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyPassword } from '../../secrets/password';
import { createTestDatabase, setUp } from '../support/database';
import { buildPng } from '../support/pictures';
import { buildCli } from './support/cli';

const database = setUp(createTestDatabase);
const PASSWORD = 'correct horse battery';
const cli = setUp(async () => buildCli(database).withInput(`${PASSWORD}\n`));

const create = (username: string, overrides: Record<string, string> = {}): string[] => {
  const options = { username, email: `${username}@example.com`, country: 'SN', ...overrides };
  const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  return ['users', 'create', '--password-stdin', ...given];
};

describe('users create', () => {
  it('creates a user and shows it, without the password', async () => {
    const names = { 'first-name': 'Awa', 'last-name': 'Diop' };
    const user = await cli.json(...create('awa.diop', names));
    expect(user).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      username: 'awa.diop',
      email: 'awa.diop@example.com',
      first_name: 'Awa',
      last_name: 'Diop',
      country: 'SN',
      kyc_status: 'not_started',
      created_at: expect.any(String) as string,
      frozen_at: null,
      frozen_reason: null,
      display_name: null,
      contact: null,
    });
    const { rows } = await database.owner.raw('select password_hash from users where id = ?', [
      user.id,
    ]);
    expect(rows[0].password_hash).not.toContain(PASSWORD);
    expect(await verifyPassword(PASSWORD, rows[0].password_hash)).toBe(true);
  });

  it('refuses a username or e-mail address that is taken', async () => {
    await cli.json(...create('taken'));
    const same_name = create('taken', { email: 'other@example.com' });
    const same_email = create('other', { email: 'TAKEN@example.com' });
    expect((await cli.fail(...same_name)).code).toBe('user_exists');
    expect((await cli.fail(...same_email)).code).toBe('user_exists');
  });

  it.each([
    ['a short name', { username: 'ab' }],
    ['an address in brackets', { email: '<awa@example.com>' }],
  ])('refuses %s', async (_kind, overrides) => {
    const error = await cli.fail(...create('somebody', overrides));
    expect(error.code).toBe('usage');
    expect(error.message).not.toContain(PASSWORD);
  });
});

describe('a password', () => {
  it('that is short or missing on standard input is refused', async () => {
    const short = await cli.withInput('1234567').fail(...create('somebody'));
    expect(short).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('password must'),
    });
    const none = await cli.withInput('\n').fail(...create('somebody'));
    expect(none).toMatchObject({ code: 'usage', message: 'Standard input has no password' });
    const endless = await cli.withInput('a'.repeat(5_000)).fail(...create('somebody'));
    expect(endless).toMatchObject({ code: 'usage', message: 'Standard input is too long' });
  });

  it.each([[['--password', PASSWORD]], [[`--password=${PASSWORD}`]]])(
    'on the command line is taken with a warning that does not repeat it: %j',
    async (given) => {
      const username = `argv${given.length}`;
      const fields = `--username ${username} --email ${username}@example.com --country SN`;
      const { status, stderr } = await cli.run(`users create ${fields}`, ...given);
      expect(status).toBe(0);
      expect(stderr).toContain('Warning: --password is for trying things out');
      expect(stderr).not.toContain(PASSWORD);
    },
  );

  it('on the command line is refused in production, and not repeated', async () => {
    const production = buildCli(database, { NODE_ENV: 'production' });
    const given = ['--username', 'somebody', '--password', PASSWORD];
    const error = await production.fail('users', 'create', ...given);
    expect(error.code).toBe('usage');
    expect(error.message).toContain('give --password-stdin');
    expect(error.message).not.toContain(PASSWORD);
  });
});

describe('users list', () => {
  it('lists all users, as text and as JSON', async () => {
    await cli.json(...create('listed'));
    const { users } = await cli.json('users', 'list');
    expect(users.map(({ username }: { username: string }) => username)).toContain('listed');
    expect(Object.keys(users[0])).not.toContain('password_hash');
    const { stdout } = await cli.run('users', 'list');
    expect(stdout).toMatch(/^USERNAME +EMAIL +COUNTRY +KYC +FROZEN +ID\n/);
    expect(stdout).toContain('listed');
  });
});

describe('kyc', () => {
  it('approves and rejects an identity check', async () => {
    await cli.json(...create('checked'));
    const user = ['--user', 'Checked'];
    expect(await cli.json('kyc', 'approve', ...user)).toEqual({
      username: 'checked',
      kyc_status: 'approved',
    });
    expect(await cli.json('kyc', 'reject', ...user)).toEqual({
      username: 'checked',
      kyc_status: 'rejected',
    });
  });
});

describe('users update', () => {
  it('sets what customers see, takes it away, and leaves a row in the audit log', async () => {
    await cli.json(...create('fatou.sow'));
    const logo = join(mkdtempSync(join(tmpdir(), 'logo-')), 'logo.png');
    writeFileSync(logo, buildPng(64, 32));
    const update = (...options: string[]) =>
      cli.json('users', 'update', '--user', 'Fatou.Sow', ...options);
    expect(
      await update('--display-name', ' Chez  Fatou ', '--contact', 'f@example.com', '--logo', logo),
    ).toEqual({
      username: 'fatou.sow',
      display_name: 'Chez Fatou',
      contact: 'f@example.com',
      has_logo: true,
    });
    expect(await update('--contact', '')).toMatchObject({
      display_name: 'Chez Fatou',
      contact: null,
    });
    const { rows } = await database.owner.raw(
      `select actor, details from audit_log where action = 'users.update' order by id`,
    );
    expect(rows).toEqual([
      {
        actor: 'awa',
        details: {
          username: 'fatou.sow',
          display_name: 'Chez Fatou',
          contact: 'f@example.com',
          logo: true,
        },
      },
      { actor: 'awa', details: { username: 'fatou.sow', contact: null } },
    ]);
  });

  it.each([
    [['--display-name', 'a\u202eb'], 'one line'],
    [['--logo', '/nowhere/at/all.png'], 'cannot be read'],
  ])('refuses %j', async (options, message) => {
    expect(await cli.fail('users', 'update', '--user', 'fatou.sow', ...options)).toEqual({
      code: 'usage',
      message: expect.stringContaining(message),
    });
  });
});
