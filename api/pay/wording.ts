// Amounts, times and gateway messages as a customer reads them.

import { EXPONENTS, type Currency } from '../../domain/currency';
import { formatAmount } from '../../domain/money';
import type { PaymentFailure } from '../../domain/payment';

const NARROW_SPACE = '\u202f';
const NO_BREAK_SPACE = '\u00a0';

/** What people call it, where that is not its ISO code. */
const NAMES = { XOF: 'FCFA', EUR: 'EUR', USD: 'USD' } as const satisfies Record<Currency, string>;

/** `5 000 FCFA`, `1 249.90 EUR`. The spaces are such that no line breaks inside of it. */
export function formatForPeople(amount_minor: bigint, currency: Currency): string {
  const [whole = '', fraction = ''] = formatAmount(amount_minor).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
  // A fraction that the currency does not know cannot be; were it there, it would not be hidden.
  const isWhole = EXPONENTS[currency] === 0 && /^0*$/.test(fraction);
  return `${grouped}${isWhole ? '' : `.${fraction}`}${NO_BREAK_SPACE}${NAMES[currency]}`;
}

const UTC = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** In UTC, which West Africa's clocks mostly show; the script turns it into the reader's own. */
export function formatTime(instant: string): string {
  return `${UTC.format(new Date(instant))} UTC`;
}

/** Longer than anything that a gateway writes for a customer. */
const MAX_MESSAGE = 160;

/**
 * The gateway's message where it is one for people: a short sentence without addresses, numbers of
 * cards or accounts, markup, or words of a machine. The merchant reads the others.
 */
export function customerMessage({ message }: PaymentFailure): string | undefined {
  const text = message.trim();
  if (text === '' || text.length > MAX_MESSAGE) return undefined;
  if (/[\p{Cc}<>{}[\]@_=\\]|:\/\/|www\.|\d[\d -]{4,}\d/u.test(text)) return undefined;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** A letter to stand for a name, as a person sees letters: `É` and `ش` are one each. */
export function firstLetter(name: string): string | undefined {
  const letter = /[\p{L}\p{N}]\p{M}*/u.exec(name.normalize('NFC'))?.[0];
  return letter?.toLocaleUpperCase('en');
}
