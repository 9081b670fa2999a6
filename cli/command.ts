// What a command is, and how it reads its options.

import type { Config } from '../config/load';
import type { Db } from '../db/connect';
import { findUserByName, type UserRow } from '../db/users';
import { isCurrency, type Currency } from '../domain/currency';
import { ENVIRONMENTS, parseEnvironment, type Environment } from '../domain/environment';
import type { JsonValue } from '../domain/json';
import type { RunningSystem } from './running';

/** A refusal in words for the operator; the exit status is 1. */
export class CommandError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'CommandError';
    this.code = code;
  }
}

export interface CommandContext {
  readonly db: Db;
  readonly config: Config;
  readonly system: RunningSystem;
  readonly options: Options;
  /** Says something at once, in the form that was asked for: for commands that go on. */
  readonly say: (result: Pick<CommandResult, 'json' | 'text'>) => void;
}

export interface CommandResult {
  /** The one JSON object of `--json`. */
  readonly json: { readonly [field: string]: JsonValue };
  /** For people; made from the same values. */
  readonly text: string;
  /** 1 when the command ran and found something wrong. */
  readonly exit_status?: 0 | 1;
}

export interface Command {
  readonly usage: string;
  readonly summary: string;
  /** What comes without a name, as the usage writes it; required where there is one. */
  readonly argument?: string;
  /** Each takes a value; all others are refused. */
  readonly options: readonly string[];
  /** These take none. */
  readonly flags?: readonly string[];
  /** Null when everything has been said. */
  readonly run: (context: CommandContext) => Promise<CommandResult | null>;
}

export class Options {
  private readonly values: Readonly<Record<string, string | boolean | undefined>>;
  /** Empty where the command takes none. */
  readonly argument: string;
  constructor(values: Readonly<Record<string, string | boolean | undefined>>, argument = '') {
    this.values = values;
    this.argument = argument;
  }

  has(flag: string): boolean {
    return this.values[flag] === true;
  }

  optional(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  required(name: string): string {
    const value = this.optional(name);
    if (value === undefined || value === '') {
      throw new CommandError('usage', `--${name} is required`);
    }
    return value;
  }

  environment(): Environment {
    const environment = parseEnvironment(this.required('environment'));
    if (!environment) throw new CommandError('usage', '--environment is live or test');
    return environment;
  }

  /** The one that is named, or both. */
  environments(): readonly Environment[] {
    return this.optional('environment') === undefined ? ENVIRONMENTS : [this.environment()];
  }

  currency(): Currency {
    const word = this.required('currency').toUpperCase();
    if (!isCurrency(word)) throw new CommandError('usage', '--currency is XOF, EUR or USD');
    return word;
  }

  /** A whole number from 1 to `maximum`. */
  count(name: string, fallback: number, maximum: number): number {
    const text = this.optional(name);
    if (text === undefined) return fallback;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > maximum) {
      throw new CommandError('usage', `--${name} is a whole number from 1 to ${maximum}`);
    }
    return value;
  }
}

export async function requireUser(db: Db, username: string): Promise<UserRow> {
  const user = await findUserByName(db, username.toLowerCase());
  if (!user) throw new CommandError('user_not_found', `There is no user ${username}`);
  return user;
}

/** Rows as aligned columns, for people. */
export function table(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(printable));
  const widths = (shown[0] ?? []).map((_, column) =>
    Math.max(...shown.map((row) => (row[column] ?? '').length)),
  );
  return shown
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Text from callers and gateways must not steer the operator's terminal, nor imitate a line. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '�');
}
