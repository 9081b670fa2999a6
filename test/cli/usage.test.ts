import { readFileSync } from 'node:fs';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { readStack } from '../support/stack';
import { BUILD_LIMIT_MS, buildCli, parseLine, type Cli } from './support/cli';

let database: TestDatabase;
let cli: Cli;

beforeAll(async () => {
  database = await createTestDatabase();
  cli = await buildCli(database);
}, BUILD_LIMIT_MS);

const COMMANDS = [
  'users create',
  'users list',
  'users show',
  'users update',
  'users freeze',
  'users unfreeze',
  'users grant',
  'users revoke-role',
  'kyc approve',
  'kyc reject',
  'kyc reseal',
  'keys create',
  'keys list',
  'keys revoke',
  'keys rotate',
  'wallets show',
  'wallets credit',
  'fees show',
  'fees set',
  'transfers show',
  'batches create',
  'batches show',
  'batches list',
  'batches items',
  'batches cancel',
  'intents create',
  'intents list',
  'intents show',
  'intents cancel',
  'refunds create',
  'refunds fail',
  'refunds list',
  'refunds show',
  'gateway notify',
  'suspense list',
  'suspense accept',
  'suspense refund',
  'suspense close',
  'approvals list',
  'approvals approve',
  'approvals reject',
  'webhooks create',
  'webhooks list',
  'webhooks show',
  'webhooks update',
  'webhooks delete',
  'webhooks test',
  'webhooks resend',
  'webhooks rotate-secret',
  'webhooks reseal',
  'events list',
  'events show',
  'listen',
  'trigger',
  'workflows restart',
  'ledger verify',
  'ledger seals',
  'ledger head',
  'audit list',
  'audit head',
  'audit verify',
  'access-log rebuild',
  'archive write',
  'archive verify',
  'archive compare',
  'archive read',
  'completion',
];

describe('the command line', () => {
  it.each([[], ['--help'], ['-h'], ['help']])('lists its groups with %j', async (...args) => {
    const { status, stdout, stderr } = await cli.run(...(args as string[]));
    expect([status, stderr]).toEqual([0, '']);
    for (const command of COMMANDS) expect(stdout).toContain(`\n  ${command.split(' ')[0]}  `);
    expect(stdout).not.toContain('--allow-ip');
  });

  it.each([
    [
      ['keys', '--help'],
      ['create [options]', 'rotate [options]'],
      ['--allow-ip', 'freeze'],
    ],
    [
      ['help', 'keys'],
      ['create [options]', 'rotate [options]'],
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
      'Usage: payments suspense close --id <id> --reason <reason> --reference <ref> [options]',
    );
  });

  it('has these commands', async () => {
    // The script that completes them has the path of each.
    const { stdout } = await cli.run('completion', 'bash');
    const paths = [...stdout.matchAll(/^ +' ([a-z -]+)'\) path=/gm)].map(([, path]) => path!);
    expect(COMMANDS.filter((command) => !paths.includes(command))).toEqual([]);
  });

  it.each(['--version', '-v'])('tells its version with %s', async (word) => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect((await cli.run(word)).stdout).toBe(`${version}\n`);
  });

  it.each([
    [['keys', 'creat'], 'unknown command', 'Did you mean create?'],
    [['kyes', 'create'], 'unknown command', 'Did you mean keys?'],
    [['webhook', 'list'], 'unknown command', 'Did you mean webhooks?'],
    [
      ['users', 'list', '--environmnt', 'live'],
      'unknown option',
      'See: payments users list --help',
    ],
    [['keys', 'list', '--usr', 'awa'], 'unknown option', 'Usage: keys list --user <username>'],
    [['users', 'list', '--jsn'], 'unknown option', 'Did you mean --json?'],
    [['keys'], 'Which command?', 'keys create, keys list, keys revoke, keys rotate'],
    [['users create keys create'], 'unknown command', 'See: payments --help'],
  ])('refuses %j and says what it may mean', async (args, said, meant) => {
    const { status, stdout, stderr } = await cli.run(...args);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(said);
    expect(stderr).toContain(meant);
    expect(stderr.split('\n').length).toBeLessThan(7);
    expect(await cli.fail(...args)).toMatchObject({ code: 'usage' });
  });

  it('repeats in its help how npm called it', async () => {
    const by_npm = await buildCli(database, { npm_lifecycle_event: 'cli' });
    const { stdout } = await by_npm.run('keys', '--help');
    expect(stdout).toMatch(/^Usage: npm run --silent cli -- keys /);
  });

  it.each(['users list', 'keys create', 'intents show', 'suspense list', 'listen', 'trigger'])(
    '%s refuses an unknown option',
    async (command) => {
      const error = await cli.fail(...command.split(' '), '--verbose', 'yes');
      expect(error.code).toBe('usage');
      expect(error.message).toContain(`Usage: ${command}`);
    },
  );

  it.each([
    ['users create', '--username'],
    ['kyc approve', '--user'],
    ['kyc reject', '--user'],
    ['keys create', '--user'],
    ['keys list', '--user'],
    ['keys revoke', '--id'],
    ['keys rotate', '--id'],
    ['wallets credit', '--user'],
    ['gateway notify', '--intent'],
    ['suspense accept', '--id'],
    ['suspense refund', '--id'],
    ['suspense close', '--id'],
    ['refunds fail', '--reason'],
    ['webhooks create', '--user'],
    ['webhooks list', '--user'],
    ['webhooks update', '--id'],
    ['webhooks delete', '--id'],
    ['webhooks test', '--id'],
    ['webhooks resend', '--event'],
    ['events list', '--user'],
    ['listen', '--forward-to'],
    ['access-log rebuild', '--file'],
    ['archive write', '--month'],
  ])('%s says that %s is required', async (command, option) => {
    const error = await cli.fail(...command.split(' '));
    expect(error).toMatchObject({ code: 'usage', message: `${option} is required` });
  });

  it.each(['show', 'cancel'])('intents %s needs exactly one intent', async (verb) => {
    const none = await cli.fail('intents', verb);
    expect(none.code).toBe('usage');
    expect(none.message).toMatch(/^missing required argument 'id-or-code-or-reference'\n\nUsage: /);
    expect((await cli.fail('intents', verb, '')).code).toBe('usage');
    expect((await cli.fail('intents', verb, 'one', 'two')).message).toMatch(/^too many arguments/);
  });

  it('takes an empty text for an option that was forgotten', async () => {
    const error = await cli.fail('keys', 'list', '--user', '');
    expect(error).toEqual({ code: 'usage', message: '--user is required' });
  });

  it.each(['users list', 'suspense list'])('%s accepts no argument', async (command) => {
    expect((await cli.fail(...command.split(' '), 'all')).code).toBe('usage');
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
    const demo = await buildCli(undefined, { DATA_DIRECTORY: folder });
    expect(await demo.json('ledger', 'verify')).toEqual({ ok: true, violations: [] });
  });

  it('must be given when no system runs here', async () => {
    const nowhere = await buildCli(undefined);
    expect(await nowhere.fail('users', 'list')).toMatchObject({ code: 'not_running' });
  });

  it('gives an error as text when it is unreachable', async () => {
    const away = await buildCli({ app_url: 'postgres://a:b@127.0.0.1:1/c' });
    const { status, stdout, stderr } = await away.run('users', 'list');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('ECONNREFUSED');
    expect(stderr).not.toContain('node_modules');
    expect((await away.fail('users', 'list')).code).toBe('failed');
  });

  it('is validated with the rest of the configuration, all faults at once', async () => {
    const broken = await buildCli({ app_url: 'mysql://x' }, { PORT: 'many' });
    const error = await broken.fail('users', 'list');
    expect(error.code).toBe('configuration');
    expect(error.message).toContain('DATABASE_URL');
    expect(error.message).toContain('PORT');
  });
});
