// The options that name limits, and their values.

import { Option, type Command, type OptionValues } from '@commander-js/extra-typings';
import type { Currency } from '../domain/currency';
import { Decimal, type JsonValue } from '../domain/json';
import { LIMITS, type LimitName } from '../domain/limits';
import { formatAmount } from '../domain/money';
import type { GivenLimits } from '../use-cases/tiers';
import { readAmount } from './options';

const optionOf = (name: LimitName): string => name.replace('_', '-');

/** `--balance`, `--single-in` and so on. */
export function withLimitOptions<Args extends unknown[], Opts extends OptionValues>(
  command: Command<Args, Opts>,
  what: string,
): Command<Args, Opts> {
  for (const name of LIMITS) command.addOption(new Option(`--${optionOf(name)} <amount>`, what));
  return command;
}

/** `words` may stand for an amount. */
export function limitsOf(
  options: object,
  currency: Currency,
  words: readonly string[],
): GivenLimits {
  const given = options as Readonly<Record<string, string | undefined>>;
  return Object.fromEntries(
    LIMITS.flatMap((name) => {
      const text = given[name.replace(/_(\w)/, (_, letter: string) => letter.toUpperCase())];
      if (text === undefined) return [];
      const value = words.includes(text)
        ? text
        : formatAmount(readAmount(text, currency, optionOf(name)));
      return [[name, value]];
    }),
  );
}

/** Decimal texts as JSON numbers. */
export function limitsJson(limits: {
  readonly [name in LimitName]: string | null;
}): Record<LimitName, JsonValue> {
  const entries = LIMITS.map((name) => [name, limits[name] && new Decimal(limits[name])]);
  return Object.fromEntries(entries) as Record<LimitName, JsonValue>;
}
