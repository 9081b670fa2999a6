// The operators' command line: `npm run --silent cli -- <command> [--json]`. With --json a command prints
// one JSON object, or one per line if it runs until Ctrl-C. Errors go to standard error, with status 1.

import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig, type Config } from '../config/load';
import { OPERATOR_PATTERN } from '../config/schema';
import { connectDatabase } from '../db/connect';
import { isOwnAccount, isPermissionDenied } from '../db/errors';
import { renderJson } from '../domain/json';
import { accessLogRebuild } from './access-log';
import { approvalCommands } from './approvals';
import { auditCommands } from './audit';
import { batchCommands } from './batches';
import { parseUsage, type Command, type CommandContext } from './command';
import { CommandError } from './error';
import { eventCommands } from './events';
import { freezeCommands } from './freeze';
import { gatewayNotify } from './gateway';
import { asksForHelp, helpFor, unknownCommand } from './help';
import { intentCommands } from './intents';
import { keyCommands } from './keys';
import { ledgerCommands } from './ledger';
import { listen } from './listen';
import { Options } from './options';
import { refundCommands } from './refunds';
import { findRunningSystem } from './running-system';
import { secretOptions } from './secret-input';
import { suspenseCommands } from './suspense';
import { printableJson, printableLines } from './terminal';
import { transferCommands } from './transfers';
import { trigger } from './trigger';
import { userCommands } from './users';
import { walletsCredit } from './wallets';
import { webhookEndpointCommands } from './webhook-endpoints';
import { webhooksResend } from './webhook-resends';
import { webhookSecretCommands } from './webhook-secrets';

const COMMANDS: readonly Command[] = [
  ...[...userCommands, ...freezeCommands, ...keyCommands, walletsCredit],
  ...[
    ...transferCommands,
    ...batchCommands,
    ...intentCommands,
    ...refundCommands,
    gatewayNotify,
    ...suspenseCommands,
    ...approvalCommands,
  ],
  ...[...webhookEndpointCommands, webhooksResend, ...webhookSecretCommands],
  ...[...eventCommands, listen, trigger],
  ...[...ledgerCommands, accessLogRebuild, ...auditCommands],
];

export async function runCli(argv: readonly string[]): Promise<number> {
  if (argv.includes('--version') || argv.includes('-v')) {
    process.stdout.write(`${readVersion()}\n`);
    return 0;
  }
  if (asksForHelp(argv)) {
    process.stdout.write(helpFor(COMMANDS, argv));
    return 0;
  }
  const isJson = argv.includes('--json');
  const note = (text: string): void => {
    if (!isJson) process.stderr.write(`${text}\n`);
  };
  try {
    const { command, rest } = findCommand(argv.filter((word) => word !== '--json'));
    const config = loadConfig(process.env, 'command_line');
    const options = readOptions(command, rest, { config, note });
    const system = findRunningSystem(config);
    const db = connectDatabase({
      url: system.database_url,
      pool_size: 2,
      name: 'payment-cli',
      is_patient: true,
    });
    const say: CommandContext['say'] = ({ json, text }) => {
      process.stdout.write(`${isJson ? printableJson(renderJson(json)) : printableLines(text)}\n`);
    };
    try {
      const actor = readActor(options, config);
      const result = await command.run({ db, config, system, options, actor, say, note });
      if (result) say(result);
      return result?.exit_status ?? 0;
    } finally {
      await db.destroy();
    }
  } catch (error) {
    process.stderr.write(`${describe(error, isJson)}\n`);
    return 1;
  }
}

/** The program is compiled: this file is dist/cli/main.js. */
function readVersion(): string {
  const text = readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } {
  for (const command of COMMANDS) {
    const name = parseUsage(command.usage).name.split(' ');
    if (name.every((word, i) => word === words[i]))
      return { command, rest: words.slice(name.length) };
  }
  throw new CommandError('usage', unknownCommand(COMMANDS, words));
}

function readOptions(
  { usage: form }: Command,
  args: readonly string[],
  { config, note }: Pick<CommandContext, 'config' | 'note'>,
): Options {
  const { argument, options } = parseUsage(form);
  const secrets = secretOptions(args, options, config, note);
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, ...secrets, actor: { type: 'string' } },
      allowPositionals: argument !== undefined,
    });
    if (argument !== undefined && (positionals.length !== 1 || positionals[0] === '')) {
      throw new Error(positionals.length > 1 ? `One ${argument} only` : `${argument} is required`);
    }
    return new Options(values as Record<string, string | boolean | undefined>, positionals[0]);
  } catch (error) {
    throw new CommandError(
      'usage',
      `${(error as Error).message}\n\nUsage: ${form} [--json] [--actor NAME]`,
    );
  }
}

const ACTOR = new RegExp(OPERATOR_PATTERN);

/** Who acts: the audit log names them. */
function readActor(options: Options, { operator }: Config): string {
  const given = options.optional('actor');
  if (given !== undefined && !ACTOR.test(given)) {
    throw new CommandError(
      'usage',
      '--actor must be 1 to 64 letters, digits and ._@+- and begin with a letter or digit',
    );
  }
  return given ?? operator ?? systemUser();
}

/** Written with the characters that the audit log takes. */
function systemUser(): string {
  try {
    return userInfo()
      .username.replace(/[^A-Za-z0-9._@+-]/g, '-')
      .replace(/^[^A-Za-z0-9]/, 'x')
      .slice(0, 64);
  } catch {
    // In a container the user may have no name.
    return `uid-${process.getuid?.() ?? 0}`;
  }
}

const OPERATOR_NEEDED = new CommandError(
  'operator_role_required',
  "The database refuses this to the application's role: set OPERATOR_DATABASE_URL",
);

const OWN_ACCOUNT = new CommandError(
  'own_account',
  'Nobody decides about an account of their own, and your name is that of one of its people. Another operator can. Nothing was changed.',
);

function describe(thrown: unknown, isJson: boolean): string {
  const error = isPermissionDenied(thrown)
    ? OPERATOR_NEEDED
    : isOwnAccount(thrown)
      ? OWN_ACCOUNT
      : thrown;
  const isExpected = error instanceof CommandError || error instanceof ConfigError;
  const code = error instanceof CommandError ? error.code : isExpected ? 'configuration' : 'failed';
  const message = error instanceof Error ? error.message || error.name : String(error);
  const json = { ok: false, error: { code, message } };
  return isJson ? printableJson(renderJson(json)) : printableLines(message);
}
