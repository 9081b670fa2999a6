// Options that several commands have, and how their values are read.

import { Option } from '@commander-js/extra-typings';
import {
  CURRENCIES,
  EXPONENTS,
  isCurrency,
  listCurrencies,
  type Currency,
} from '../domain/currency';
import { ENVIRONMENTS, parseEnvironment, type Environment } from '../domain/environment';
import { IDEMPOTENCY_KEY_PATTERN } from '../domain/ids';
import {
  formatAmount,
  MAX_MINOR,
  parseAmount,
  type AmountFault,
  type Minor,
} from '../domain/money';
import { parseInstant } from '../domain/instant';
import { LOOPBACK, parseWebUrl } from '../domain/url';
import { CommandError } from './error';

export const userOption = new Option('--user <username>', 'the account').makeOptionMandatory();
export const userFilter = new Option('--user <username>', 'of this account only');

const ENVIRONMENT_WORDS = ['live', 'test'] as const;

export const environmentOption = new Option(
  '--environment <environment>',
  'which of the two worlds',
)
  .choices(ENVIRONMENT_WORDS)
  .argParser(readEnvironment)
  .makeOptionMandatory();
export const environmentFilter = new Option('--environment <environment>', 'of one world only')
  .choices(ENVIRONMENT_WORDS)
  .argParser(readEnvironment);

export function readEnvironment(word: string): Environment {
  const environment = parseEnvironment(word);
  if (!environment) throw new CommandError('usage', '--environment must be live or test');
  return environment;
}

/** Returns the given environment, or both. */
export function environmentsOf(environment: Environment | undefined): readonly Environment[] {
  return environment === undefined ? ENVIRONMENTS : [environment];
}

export const currencyOption = new Option('--currency <currency>', 'of the amount')
  .choices(CURRENCIES)
  .argParser(readCurrency)
  .makeOptionMandatory();
export const otherCurrency = new Option('--currency <currency>', 'instead of the usual one')
  .choices(CURRENCIES)
  .argParser(readCurrency);

function readCurrency(word: string): Currency {
  const currency = word.toUpperCase();
  if (!isCurrency(currency))
    throw new CommandError('usage', `--currency must be ${listCurrencies()}`);
  return currency;
}

/** Reads the value of `--amount`, or of the option named. */
export function readAmount(text: string, currency: Currency, name = 'amount'): Minor {
  const parsed = parseAmount(text, currency);
  if (parsed.ok) return parsed.amount;
  throw new CommandError(
    'invalid_amount',
    `--${name} ${text}: ${amountFault(parsed.fault, currency)}`,
  );
}

function amountFault(fault: AmountFault, currency: Currency): string {
  switch (fault) {
    case 'format':
      return 'write a plain decimal number, such as 5000 or 12.50.';
    case 'too_precise':
      return `${currency} has ${EXPONENTS[currency] === 0 ? 'no decimals' : 'two decimals'}.`;
    case 'zero':
      return 'an amount is more than zero.';
    case 'too_large':
      return `the largest amount is ${formatAmount(MAX_MINOR)}.`;
  }
}

/** Reads a whole number from `minimum` to `maximum`. */
export function count(name: string, maximum: number, minimum = 1): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (value >= minimum && value <= maximum) return value;
    const range = `from ${minimum} to ${maximum}`;
    throw new CommandError('usage', `--${name} must be a whole number ${range}`);
  };
}

/** Reads a text of at most so many characters, the value of the option named. */
export function shortText(name: string, longest: number): (text: string) => string {
  return (text) => {
    if (text.length <= longest) return text;
    throw new CommandError('usage', `--${name} has more characters than ${longest}`);
  };
}

export const readReason = shortText('reason', 500);

export function readNeededReason(reason: string): string {
  if (reason.trim() !== '') return readReason(reason);
  throw new CommandError('usage', '--reason must not be empty');
}

/** Reads the value of `--since`. */
export function readSince(text: string): string {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  throw new CommandError('usage', '--since must be an ISO 8601 date or instant');
}

const DEFAULT_PAGE = 25;
const MAX_PAGE = 1_000;

export const limitOption = new Option('--limit <n>', 'how many at most')
  .argParser(count('limit', MAX_PAGE))
  .default(DEFAULT_PAGE);

/** The cursor of a list whose rows are numbered. */
export const cursorOption = new Option('--cursor <cursor>', 'the next page').argParser(readCursor);

function readCursor(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) {
    throw new CommandError('usage', '--cursor must be the cursor that the last list returned');
  }
  return BigInt(text);
}

/** Reads an idempotency key, the value of the option named. */
export function idempotencyKey(name: string): (key: string) => string {
  return (key) => {
    if (IDEMPOTENCY_KEY_PATTERN.test(key)) return key;
    throw new CommandError('usage', `--${name} must be 1 to 255 printable ASCII characters`);
  };
}

/** Reads the head of a chain of hashes, which another command printed. */
export function readHead(command: string): (text: string) => string {
  return (text) => {
    const hash = text.toLowerCase();
    if (/^[0-9a-f]{64}$/.test(hash)) return hash;
    throw new CommandError('usage', `--head must be the 64 digits that ${command} printed`);
  };
}

// Stripe's command line takes this machine without a scheme: `localhost:3000/webhooks`.
const LOCAL_WITHOUT_SCHEME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/]|$)/i;

/** `fetch` connects to none of these, on which other protocols are spoken (https://fetch.spec.whatwg.org/#port-blocking). */
export const BLOCKED_PORTS: ReadonlySet<string> = new Set(
  (
    '1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 ' +
    '135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 ' +
    '995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'
  ).split(' '),
);

/** Reads the address of a receiver; `http://` is assumed for this machine. */
export function readReceiver(name: string): (text: string) => string {
  return (text) => {
    const url = LOCAL_WITHOUT_SCHEME.test(text) ? `http://${text}` : text;
    const parsed = parseWebUrl(url);
    if (parsed === undefined)
      throw new CommandError('usage', `--${name} must be an http or https URL`);
    if (!BLOCKED_PORTS.has(parsed.port)) return url;
    const { port } = parsed;
    throw new CommandError(
      'usage',
      `--${name} needs another port: ${port} is kept for another protocol, and no HTTP client opens it`,
    );
  };
}

/** Reads the address of a service that is sent a key: by http anybody between here and there would read it. */
export function readService(name: string): (text: string) => string {
  const read = readReceiver(name);
  return (text) => {
    const url = new URL(read(text));
    if (url.username !== '' || url.password !== '')
      throw new CommandError(
        'usage',
        `--${name} must have no user: the key is asked for by itself`,
      );
    if (url.protocol === 'http:' && !LOOPBACK.includes(url.hostname))
      throw new CommandError('usage', `--${name} must begin with https://, or be on this machine`);
    return url.href;
  };
}

/** Reads one of a fixed list of words. */
export function oneOf<Word extends string>(
  name: string,
  words: readonly Word[],
): (text: string) => Word {
  return (text) => {
    const word = words.find((one) => one === text);
    if (word !== undefined) return word;
    const list = words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ');
    throw new CommandError('usage', `--${name} must be ${list}`);
  };
}

/** An option whose value is one of these words. */
export function wordOption<const Flags extends string, Word extends string>(
  flags: Flags,
  description: string,
  words: readonly Word[],
) {
  const option = new Option(flags, description);
  const name = option.long!.slice(2);
  return option.choices(words).argParser(oneOf(name, words));
}
