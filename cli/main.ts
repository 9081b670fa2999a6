// The operators' command line: `npm run --silent cli -- <command> [--json]`. With --json a command prints
// one JSON object, or one per line if it runs until Ctrl-C. Errors go to standard error, with status 1.

import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderJson } from '../domain/json';
import { CommandError } from './error';
import { GROUPS } from './groups';
import { printableJson, printableLines } from './terminal';

/** How it was called, for the help to repeat. */
const PROGRAM =
  process.env['npm_lifecycle_event'] === 'cli' ? 'npm run --silent cli --' : 'payments';

export async function runCli(argv: readonly string[]): Promise<void> {
  const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
  const program = await buildProgram((name) => words.includes(name));
  try {
    await program.parseAsync(words.length > 0 ? words : ['--help'], { from: 'user' });
  } catch (error) {
    const is_over = error instanceof CommanderError && error.exitCode === 0;
    if (is_over) return;
    const described = await describe(error, program, words);
    process.stderr.write(`${render(described, words.includes('--json'))}\n`);
    process.exitCode = 1;
  }
}

/** The other groups have a name and a summary only. */
export async function buildProgram(
  isWanted: (group: string) => boolean,
): Promise<CommandUnknownOpts> {
  const program = new Command(PROGRAM)
    .description('The command line of operators and developers.')
    .version(readVersion(), '-v, --version')
    .option('--json', 'print JSON')
    .option('--actor <name>', 'who acts, for the audit log (otherwise OPERATOR, or your login)')
    .configureHelp({ showGlobalOptions: true })
    // What it would print to standard error is in the error that it throws.
    .configureOutput({ outputError: () => undefined, writeErr: () => undefined })
    .exitOverride();
  for (const [name, { summary, load }] of Object.entries(GROUPS)) {
    const group = isWanted(name) ? await load() : new Command();
    program.addCommand(group.name(name).description(summary));
  }
  inherit(program);
  return program;
}

function inherit(parent: CommandUnknownOpts): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    const required = command.options.filter(({ mandatory }) => mandatory);
    // What has to be given is in the first line of the help.
    if (required.length > 0) {
      command.usage(`${required.map(({ flags }) => flags).join(' ')} [options]`);
    }
    inherit(command);
  }
}

/** The program is compiled: this file is dist/cli/main.js. */
function readVersion(): string {
  const text = readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

interface Described {
  readonly code: string;
  readonly message: string;
}

async function describe(
  error: unknown,
  program: CommandUnknownOpts,
  words: readonly string[],
): Promise<Described> {
  if (error instanceof CommandError) return { code: error.code, message: error.message };
  if (error instanceof CommanderError) {
    return { code: 'usage', message: usageFault(error, commandOf(program, words), words) };
  }
  // Loaded with Postgres' driver, so only when it is needed.
  const { isOwnAccount, isPermissionDenied } = await import('../db/errors.js');
  if (isPermissionDenied(error)) return OPERATOR_NEEDED;
  if (isOwnAccount(error)) return OWN_ACCOUNT;
  if (!(error instanceof Error)) return { code: 'failed', message: String(error) };
  const code = error.name === 'ConfigError' ? 'configuration' : 'failed';
  return { code, message: error.message || error.name };
}

const OPERATOR_NEEDED = {
  code: 'operator_role_required',
  message: "The database refuses this to the application's role: set OPERATOR_DATABASE_URL",
};

const OWN_ACCOUNT = {
  code: 'own_account',
  message:
    'Nobody decides about an account of their own, and your name is that of one of its people. Another operator can. Nothing was changed.',
};

function usageFault(
  { code, message }: CommanderError,
  command: CommandUnknownOpts,
  words: readonly string[],
): string {
  // A group without a command.
  if (code === 'commander.help') {
    const names = command.commands.map((one) => `${command.name()} ${one.name()}`);
    return `Which command? ${names.join(', ')}\nSee: ${calledBy(command)} --help`;
  }
  // Commander looks for missing options first; where one is misspelt, that is the fault.
  const is_missing = code === 'commander.missingMandatoryOptionValue';
  const unknown = is_missing ? unknownOption(command, words) : undefined;
  if (is_missing && unknown === undefined) return `${/--[a-z-]+/.exec(message)![0]} is required`;
  const text = unknown ?? message.replace(/^error: /, '');
  const called = command.parent ? namesOf(command).join(' ') : '<command>';
  return `${text}\n\nUsage: ${called} ${command.usage()}\nSee: ${calledBy(command)} --help`;
}

function unknownOption(command: CommandUnknownOpts, words: readonly string[]): string | undefined {
  const help = command.createHelp();
  const known = [
    ...command.options,
    ...help.visibleOptions(command),
    ...help.visibleGlobalOptions(command),
  ];
  const unknown = words
    .filter((word) => word.startsWith('--'))
    .map((word) => word.split('=', 1)[0]!)
    .find((word) => known.every(({ long }) => long !== word));
  return unknown === undefined ? undefined : `unknown option '${unknown}'`;
}

function calledBy(command: CommandUnknownOpts): string {
  return [PROGRAM, ...namesOf(command)].join(' ');
}

/** Without the program's. */
function namesOf(command: CommandUnknownOpts): readonly string[] {
  return command.parent ? [...namesOf(command.parent), command.name()] : [];
}

/** The command or the group that the words name, as far as they do. */
function commandOf(program: CommandUnknownOpts, words: readonly string[]): CommandUnknownOpts {
  let found = program;
  for (const word of words) found = found.commands.find((one) => one.name() === word) ?? found;
  return found;
}

function render(error: Described, is_json: boolean): string {
  return is_json
    ? printableJson(renderJson({ ok: false, error: { ...error } }))
    : printableLines(error.message);
}
