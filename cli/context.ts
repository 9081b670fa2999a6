// A handler's context, and the printing of its result.

import { userInfo } from 'node:os';
import { loadConfig, type Config } from '../config/load';
import { OPERATOR_PATTERN } from '../config/schema';
import { connectDatabase, type Db } from '../db/connect';
import { renderJson, type JsonText, type JsonValue } from '../domain/json';
import { CommandError } from './error';
import { findRunningSystem, type RunningSystem } from './running-system';
import { surroundings } from './surroundings';
import { printableJson, printableLines } from './terminal';

export interface CommandContext {
  readonly db: Db;
  readonly config: Config;
  readonly system: RunningSystem;
  /** The operator's name: a command that changes something gives it to the audit log. */
  readonly actor: string;
  /** Prints at once, as JSON or text. Commands that run until Ctrl-C use it. */
  readonly say: (result: Pick<PrintedResult, 'json' | 'text'>) => void;
  /** Prints a line to standard output for people at once; nothing with `--json`. */
  readonly line: (text: string) => void;
  /** Prints a line to standard error for people; nothing with `--json`. */
  readonly note: (text: string) => void;
}

export interface CommandResult<Json = { readonly [field: string]: JsonValue }> {
  /** The one JSON object of `--json`. */
  readonly json: Json;
  /** The result as text for people. */
  readonly text: string;
  /** 1 when the command worked and found something wrong. */
  readonly exit_status?: 0 | 1;
}

/** The printed result: also the text of an object. */
export type PrintedResult = CommandResult<CommandResult['json'] | JsonText>;

/** The options that every command has. */
export interface GlobalOptions {
  readonly json?: true;
  readonly actor?: string;
}

export async function withContext(
  global: GlobalOptions,
  handle: (context: CommandContext) => Promise<PrintedResult | null>,
): Promise<void> {
  const { json: is_json } = global;
  const config = loadConfig(surroundings().env, 'command_line');
  const actor = readActor(global, config);
  const system = findRunningSystem(config);
  const url = system.database_url;
  const db = connectDatabase({ url, pool_size: 2, name: 'payment-cli', is_patient: true });
  const printed = printer(is_json === true);
  try {
    const result = await handle({ ...printed, db, config, system, actor });
    if (result) printed.say(result);
    surroundings().exitCode = result?.exit_status ?? 0;
  } finally {
    await db.destroy();
  }
}

/** Runs a command that works on files: it needs no database, and no setting. */
export async function withoutSystem(
  { json: is_json }: GlobalOptions,
  handle: (context: Printer) => Promise<PrintedResult | null>,
): Promise<void> {
  const context = printer(is_json === true);
  const result = await handle(context);
  if (result) context.say(result);
  surroundings().exitCode = result?.exit_status ?? 0;
}

export type Printer = Pick<CommandContext, 'say' | 'line' | 'note'>;

function printer(is_json: boolean): Printer {
  return {
    say({ json, text }) {
      surroundings().stdout.write(
        `${is_json ? printableJson(renderJson(json)) : printableLines(text)}\n`,
      );
    },
    line(text) {
      if (!is_json) surroundings().stdout.write(`${printableLines(text)}\n`);
    },
    note(text) {
      if (!is_json) surroundings().stderr.write(`${text}\n`);
    },
  };
}

const ACTOR = new RegExp(OPERATOR_PATTERN);

/** Finds the operator's name for the audit log. */
function readActor({ actor: given }: GlobalOptions, { operator }: Config): string {
  if (given !== undefined && !ACTOR.test(given)) {
    throw new CommandError(
      'usage',
      '--actor must be 1 to 64 letters, digits and ._@+- and begin with a letter or digit',
    );
  }
  return given ?? operator ?? systemUser();
}

/** The name of the machine's user, in characters that the audit log takes. */
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
