// Amounts, times and gateway messages as a customer reads them.

import { EXPONENTS, type Currency } from '../../domain/currency';
import { formatAmount } from '../../domain/money';
import type { PaymentFailure } from '../../domain/payment';

const NARROW_SPACE = '\u202f';
const NO_BREAK_SPACE = '\u00a0';

/** What people call a currency, where that is not its ISO code. */
const NAMES = { XOF: 'FCFA', EUR: 'EUR', USD: 'USD' } as const satisfies Record<Currency, string>;

/** `5 000 FCFA`, `1 249.90 EUR`, with spaces at which no line breaks. */
export function formatForPeople(amount_minor: bigint, currency: Currency): string {
  const [whole = '', fraction = ''] = formatAmount(amount_minor).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
  // A currency without decimals has no fraction; a wrong one would be shown, not hidden.
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

/** In UTC, the local time in most of West Africa; the script converts it to the reader's zone. */
export function formatTime(instant: string): string {
  return `${UTC.format(new Date(instant))} UTC`;
}

/** Longer than any message that a gateway writes for a customer. */
const MAX_MESSAGE = 160;

/**
 * The gateway's message, if it is meant for people: a short sentence without addresses, card or account
 * numbers, markup or machine text. Other messages are shown to the merchant only.
 */
export function customerMessage({ message }: PaymentFailure): string | undefined {
  const text = message.trim();
  if (text === '' || text.length > MAX_MESSAGE) return undefined;
  if (/[\p{Cc}<>{}[\]@_=\\]|:\/\/|www\.|\d[\d -]{4,}\d/u.test(text)) return undefined;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The first letter of a name, as people count letters: `É` and `ش` are one each. */
export function firstLetter(name: string): string | undefined {
  const letter = /[\p{L}\p{N}]\p{M}*/u.exec(name.normalize('NFC'))?.[0];
  return letter?.toLocaleUpperCase('en');
}
