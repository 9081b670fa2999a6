import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTestDatabase, setUp } from '../support/database';
import { readStack } from '../support/stack';
import { GROUPS } from '../../cli/groups';
import { buildCli, parseLine, PROGRAM } from './support/cli';

const database = setUp(createTestDatabase);
const cli = setUp(async () => buildCli(database));

describe('the command line', () => {
  it.each([[], ['--help'], ['-h'], ['help']])('lists its groups with %j', async (...args) => {
    const { status, stdout, stderr } = await cli.run(...(args as string[]));
    expect([status, stderr]).toEqual([0, '']);
    for (const group of Object.keys(GROUPS)) expect(stdout).toContain(`\n  ${group}  `);
    expect(stdout).not.toContain('--allow-ip');
  });

  it.each([
    [
      ['keys', '--help'],
      ['create [options]', 'rotate [options] <id>'],
      ['--allow-ip', 'freeze'],
    ],
    [
      ['help', 'keys'],
      ['create [options]', 'rotate [options] <id>'],
      ['--allow-ip', 'freeze'],
    ],
    [['keys', 'create', '-h'], ['payments keys create', '--allow-ip'], ['rotate']],
    [['help', 'keys', 'create'], ['payments keys create', '--allow-ip'], ['rotate']],
    [['listen', '--help'], ['payments listen', '--forward-to'], ['trigger']],
  ])('says with %j what belongs to it, and no more', async (args, said, unsaid) => {
    const { status, stdout } = await cli.run(...args);
    expect(status).toBe(0);
    for (const text of said) expect(stdout).toContain(text);
    for (const text of unsaid) expect(stdout).not.toContain(text);
  });

  it('says what is required in the first line of the help', async () => {
    const { stdout } = await cli.run('suspense', 'close', '--help');
    expect(stdout.split('\n')[0]).toBe(
      'Usage: payments suspense close <id> --reason <reason> --reference <ref> [options]',
    );
  });

  it.each([
    [['keys', 'creat'], 'unknown command', 'Did you mean create?'],
    [['kyes', 'create'], 'unknown command', 'Did you mean keys?'],
    [['users', 'list', '--jsn'], 'unknown option', 'Did you mean --json?'],
    [['keys'], 'Which command?', 'keys create, keys list, keys update, keys revoke, keys rotate'],
  ])('refuses %j and says what it may mean', async (args, said, meant) => {
    const { status, stdout, stderr } = await cli.run(...args);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(said);
    expect(stderr).toContain(meant);
    expect(stderr.split('\n').length).toBeLessThan(7);
    expect(await cli.fail(...args)).toMatchObject({ code: 'usage' });
  });

  it.each([
    ['users create', '--username'],
    ['archive write', '--month'],
  ])('%s says that %s is required', async (command, option) => {
    const error = await cli.fail(...command.split(' '));
    expect(error).toMatchObject({ code: 'usage', message: `${option} is required` });
  });

  it('says how a command is called, with the name of the program', async () => {
    const { message } = await cli.fail('keys', 'revoke');
    expect(message).toContain("missing required argument 'id'");
    expect(message).toContain('\n\nUsage: payments keys revoke [options] <id>\n');
  });

  it('takes an empty text for an option that was forgotten', async () => {
    const error = await cli.fail('keys', 'list', '--user', '');
    expect(error).toEqual({ code: 'usage', message: '--user is required' });
  });

  it('prints errors as text without --json', async () => {
    const { status, stdout, stderr } = await cli.run('keys', 'list', '--user', 'nobody-at-all');
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: 'There is no user nobody-at-all\n',
    });
  });

  it('accepts --json anywhere', async () => {
    const { stdout } = await cli.run('--json', 'users', 'list');
    expect(parseLine(stdout)).toEqual({ users: [] });
  });
});

describe('where the database is', () => {
  it('is read from the data folder of npm start', async () => {
    const folder = mkdtempSync(join(readStack().folder, 'demo-'));
    writeFileSync(join(folder, 'demo.json'), JSON.stringify({ database_url: database.app_url }));
    const demo = buildCli(undefined, { DATA_DIRECTORY: folder });
    expect(await demo.json('ledger', 'verify')).toMatchObject({ ok: true, violations: [] });
  });

  it('must be given when no system runs here', async () => {
    const nowhere = buildCli(undefined);
    expect(await nowhere.fail('users', 'list')).toMatchObject({ code: 'not_running' });
  });

  it('gives an error as text when it is unreachable', async () => {
    const away = buildCli({ app_url: 'postgres://a:b@127.0.0.1:1/c' });
    const { status, stdout, stderr } = await away.run('users', 'list');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('ECONNREFUSED');
    expect(stderr).not.toContain('node_modules');
    expect((await away.fail('users', 'list')).code).toBe('failed');
  });

  it('is validated with the rest of the configuration, all faults at once', async () => {
    const broken = buildCli({ app_url: 'mysql://x' }, { PORT: 'many' });
    const error = await broken.fail('users', 'list');
    expect(error.code).toBe('configuration');
    expect(error.message).toContain('DATABASE_URL');
    expect(error.message).toContain('PORT');
  });
});

describe('the built program', () => {
  it('prints JSON, and ends with status 0', async () => {
    expect(await cli.asProcess().json('users', 'list')).toEqual({ users: [] });
  });

  it('prints an error, and ends with status 1', async () => {
    const error = await cli.asProcess().fail('users', 'show', '--user', 'unknown');
    expect(error.code).toBe('user_not_found');
  });

  it('reads a secret on standard input', async () => {
    const program = cli.withInput('correct horse battery staple\n').asProcess();
    const given = ['--username', 'awa', '--email', 'awa@example.com', '--country', 'SN'];
    const user = await program.json('users', 'create', ...given, '--password-stdin');
    expect(user.username).toBe('awa');
  });

  it('is ./payments from any folder, which finds the system of its checkout', async () => {
    const folder = mkdtempSync(join(readStack().folder, 'elsewhere-'));
    const data = mkdtempSync(join(readStack().folder, 'data-'));
    writeFileSync(join(data, 'demo.json'), JSON.stringify({ database_url: database.app_url }));
    const env = { PATH: process.env['PATH'], DATA_DIRECTORY: data };
    const run = (...words: string[]) =>
      promisify(execFile)(join(__dirname, '..', '..', 'payments'), words, { cwd: folder, env });
    expect((await run('--help')).stdout).toMatch(/^Usage: payments /);
    const { stdout } = await run('users', 'list', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ users: [{ username: 'awa' }] });
  });

  it('ends quietly when the reader of its output has gone', async () => {
    const words = `'${process.execPath}' '${PROGRAM}' --help | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', words]);
    expect(stdout).toMatch(/^Usage: payments .*\n0\n$/);
  });
});
