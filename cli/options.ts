// The options of one call of a command, read as the types that commands use.

import { isCurrency, type Currency } from '../domain/currency';
import { ENVIRONMENTS, parseEnvironment, type Environment } from '../domain/environment';
import { parseAmount, type Minor } from '../domain/money';
import { CommandError } from './error';

export class Options {
  private readonly values: Readonly<Record<string, string | boolean | undefined>>;
  /** Empty when the command takes no argument. */
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
    if (!environment) throw new CommandError('usage', '--environment must be live or test');
    return environment;
  }

  /** The given environment, or both. */
  environments(): readonly Environment[] {
    return this.optional('environment') === undefined ? ENVIRONMENTS : [this.environment()];
  }

  currency(): Currency {
    const word = this.required('currency').toUpperCase();
    if (!isCurrency(word)) throw new CommandError('usage', '--currency must be XOF, EUR or USD');
    return word;
  }

  /** `--amount`; without a fallback it is required. */
  amount(currency: Currency, fallback?: string): Minor {
    const text = fallback === undefined ? this.required('amount') : this.optional('amount');
    const parsed = parseAmount(text ?? fallback!, currency);
    if (parsed.ok) return parsed.amount;
    throw new CommandError(
      'invalid_amount',
      `--amount is not a valid amount of ${currency} (${parsed.fault})`,
    );
  }

  /** A whole number from 1 to `maximum`. */
  count(name: string, fallback: number, maximum: number): number {
    const text = this.optional(name);
    if (text === undefined) return fallback;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > maximum) {
      throw new CommandError('usage', `--${name} must be a whole number from 1 to ${maximum}`);
    }
    return value;
  }

  /** `--cursor` of a list whose rows are numbered. */
  numberedCursor(): bigint | undefined {
    const text = this.optional('cursor');
    if (text === undefined) return undefined;
    if (!/^\d{1,18}$/.test(text)) {
      throw new CommandError('usage', '--cursor must be the cursor that the last list returned');
    }
    return BigInt(text);
  }

  /** `--head` of a chain of hashes, which another command printed. */
  head(command: string): string | undefined {
    const hash = this.optional('head')?.toLowerCase();
    if (hash !== undefined && !/^[0-9a-f]{64}$/.test(hash)) {
      throw new CommandError('usage', `--head must be the 64 digits that ${command} printed`);
    }
    return hash;
  }
}
