// What a command is: how it is called, what it is given, and what it returns.

import type { Config } from '../config/load';
import type { Db } from '../db/connect';
import type { JsonValue } from '../domain/json';
import type { Options } from './options';
import type { RunningSystem } from './running-system';

export interface Command {
  readonly usage: string;
  readonly summary: string;
  /** The name of the argument without a dash, as in the usage; required when present. */
  readonly argument?: string;
  /** Each takes a value; all others are refused. */
  readonly options: readonly string[];
  /** Options without a value. */
  readonly flags?: readonly string[];
  /** Null when everything has been printed with `say`. */
  readonly run: (context: CommandContext) => Promise<CommandResult | null>;
}

export interface CommandContext {
  readonly db: Db;
  readonly config: Config;
  readonly system: RunningSystem;
  readonly options: Options;
  /** Prints at once, as JSON or text: for commands that run until Ctrl-C. */
  readonly say: (result: Pick<CommandResult, 'json' | 'text'>) => void;
}

export interface CommandResult {
  /** The one JSON object of `--json`. */
  readonly json: { readonly [field: string]: JsonValue };
  /** The same for people. */
  readonly text: string;
  /** 1 when the command worked and found something wrong. */
  readonly exit_status?: 0 | 1;
}
