// The operators' command line: `npm run --silent cli -- <command> [--json]`. With --json a command
// prints one JSON object, or one per line if it runs until Ctrl-C. Errors go to standard error,
// with status 1.

import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderJson } from '../domain/json';
import { CommandError } from './error';
import { GROUPS, loadGroup, type Group } from './groups';
import { runIn, surroundings, type Surroundings } from './surroundings';
import { printableJson, printableLines } from './terminal';

/** The help repeats how the program was called. */
function programName(): string {
  const { env } = surroundings();
  return env['npm_lifecycle_event'] === 'cli' ? 'npm run --silent cli --' : 'payments';
}

/** Runs a command and leaves its exit status in `exitCode`. */
export function runCli(argv: readonly string[], given: Surroundings): Promise<void> {
  return runIn(given, () => runWords(argv));
}

async function runWords(argv: readonly string[]): Promise<void> {
  const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
  const program = await buildProgram((name) => words.includes(name));
  try {
    await program.parseAsync(words.length > 0 ? words : ['--help'], { from: 'user' });
  } catch (error) {
    const is_over = error instanceof CommanderError && error.exitCode === 0;
    if (is_over) return;
    const described = await describe(error, program, words);
    surroundings().stderr.write(`${render(described, words.includes('--json'))}\n`);
    surroundings().exitCode = 1;
  }
}

/** Loads the group that is called; the others have a name and a summary only. */
export async function buildProgram(
  isWanted: (group: string) => boolean,
): Promise<CommandUnknownOpts> {
  const program = new Command(programName())
    .description('The command line of operators and developers.')
    .version(readVersion(), '-v, --version')
    .option('--json', 'print JSON')
    .option('--actor <name>', 'who acts, for the audit log (otherwise OPERATOR, or your login)')
    .configureHelp({ showGlobalOptions: true })
    // Its error has what it would print to standard error.
    .configureOutput({
      outputError: () => undefined,
      writeErr: () => undefined,
      writeOut: (text) => surroundings().stdout.write(text),
    })
    .exitOverride();
  for (const [name, summary] of Object.entries(GROUPS)) {
    const group = isWanted(name) ? await loadGroup(name as Group) : new Command();
    program.addCommand(group.name(name).description(summary));
  }
  inherit(program);
  return program;
}

function inherit(parent: CommandUnknownOpts): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    const required = command.options.filter(({ mandatory }) => mandatory);
    // The first line of the help names the required options.
    if (required.length > 0) {
      const names = command.registeredArguments.map((one) => `<${one.name()}>`);
      command.usage([...names, ...required.map(({ flags }) => flags), '[options]'].join(' '));
    }
    inherit(command);
  }
}

/** Compiled, this file is dist/cli/main.js; under test it is cli/main.ts. */
function readVersion(): string {
  const root = join(__dirname, '..', __filename.endsWith('.js') ? '..' : '.');
  const text = readFileSync(join(root, 'package.json'), 'utf8');
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
  // The import loads Postgres' driver, so it comes only when it is needed.
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
    'Operators do not decide about accounts of their own, and your name is that of one of its people. Another operator can. Nothing was changed.',
};

function usageFault(
  { code, message }: CommanderError,
  command: CommandUnknownOpts,
  words: readonly string[],
): string {
  // A group was called without a command.
  if (code === 'commander.help') {
    const names = command.commands.map((one) => `${command.name()} ${one.name()}`);
    return `Which command? ${names.join(', ')}\nSee: ${calledBy(command)} --help`;
  }
  // Commander looks for missing options first; where one is misspelt, that is the fault.
  const is_missing = code === 'commander.missingMandatoryOptionValue';
  const unknown = is_missing ? unknownOption(command, words) : undefined;
  if (is_missing && unknown === undefined) return `${/--[a-z-]+/.exec(message)![0]} is required`;
  const text = unknown ?? message.replace(/^error: /, '');
  const called = calledBy(command);
  return `${text}\n\nUsage: ${called} ${command.usage()}\nSee: ${called} --help`;
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
  return [programName(), ...namesOf(command)].join(' ');
}

/** The names of the command and its groups, without the program's. */
function namesOf(command: CommandUnknownOpts): readonly string[] {
  return command.parent ? [...namesOf(command.parent), command.name()] : [];
}

/** Finds the command or the group that the words name, as far as they do. */
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
