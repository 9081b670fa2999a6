// What a command is: how it is called, what it is given, and what it returns.

import type { Config } from '../config/load';
import type { Db } from '../db/connect';
import type { JsonValue } from '../domain/json';
import type { Options } from './options';
import type { RunningSystem } from './running-system';

export interface Command {
  /** Its name, argument and options, such as `webhooks test ID [--type T] [--all]`; no others are accepted. */
  readonly usage: string;
  readonly summary: string;
  /** Null when everything has been printed with `say`. */
  readonly run: (context: CommandContext) => Promise<CommandResult | null>;
}

export interface CommandContext {
  readonly db: Db;
  readonly config: Config;
  readonly system: RunningSystem;
  readonly options: Options;
  /** The operator's name: a command that changes something gives it to the audit log. */
  readonly actor: string;
  /** Prints at once, as JSON or text: for commands that run until Ctrl-C. */
  readonly say: (result: Pick<CommandResult, 'json' | 'text'>) => void;
  /** Prints a line to standard error, for people only: not with `--json`. */
  readonly note: (text: string) => void;
}

export interface CommandResult {
  /** The one JSON object of `--json`. */
  readonly json: { readonly [field: string]: JsonValue };
  /** The same for people. */
  readonly text: string;
  /** 1 when the command worked and found something wrong. */
  readonly exit_status?: 0 | 1;
}

export interface Usage {
  /** One word or two. */
  readonly name: string;
  /** Required when present. */
  readonly argument: string | undefined;
  /** By name without the dashes: `string` takes a value. */
  readonly options: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
}

export function parseUsage(usage: string): Usage {
  const name = /^[a-z-]+( [a-z][a-z-]*(?= |$))?/.exec(usage)![0];
  const found = [...usage.matchAll(/\[?--([a-z-]+)( [^\s[\]-][^\s[\]]*)?\]?/g)];
  const options = found.map(([, option, value]) => [
    option,
    { type: value ? 'string' : 'boolean' },
  ]);
  const argument = found.reduce((rest, [text]) => rest.replace(text, ''), usage).slice(name.length);
  return {
    name,
    argument: argument.trim() || undefined,
    options: Object.fromEntries(options) as Usage['options'],
  };
}
