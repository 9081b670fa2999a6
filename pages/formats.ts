// Amounts and times as people of each language write them.

import { EXPONENTS, type Currency } from '../domain/currency';
import { LOCALES, type Language } from '../domain/language';
import { formatAmount, SCALE } from '../domain/money';

/** A currency where one is chosen: as amounts show it, and by its code. */
export const CURRENCY_LABELS: Readonly<Record<Currency, string>> = {
  XOF: 'FCFA (XOF)',
  EUR: '€ (EUR)',
  USD: '$ (USD)',
};

const NO_BREAK_SPACE = '\u00a0';

/** `5,000 FCFA` and `€1,249.90`; in French `5 000 FCFA` and `1 249,90 €`. */
export function formatMoney(language: Language, amount_minor: bigint, currency: Currency): string {
  const amount = formatAmount(amount_minor) as `${number}`;
  // West Africa's name for it; CLDR's is `F CFA`.
  if (currency === 'XOF') return wholeFormat(language).format(amount) + NO_BREAK_SPACE + 'FCFA';
  return currencyFormat(language, currency).format(amount);
}

/**
 * Writes UTC, the local time in most of West Africa; the pages' script converts it to the reader's
 * zone.
 */
export function formatTime(language: Language, instant: string | Date): string {
  return `${timeFormat(language).format(new Date(instant))} UTC`;
}

/** Writes seconds too, for readers who compare the time with their own logs. */
export function formatExactTime(language: Language, instant: string | Date): string {
  return `${exactTimeFormat(language).format(new Date(instant))} UTC`;
}

export function formatDay(language: Language, instant: string | Date): string {
  return dayFormat(language).format(new Date(instant));
}

/** `October 2026`, of the month that an instant is in. */
export function formatMonth(language: Language, instant: string): string {
  return monthFormat(language).format(new Date(instant));
}

/** The name of a country, by its code (ISO 3166-1 alpha-2). */
/** `Wave ····67`: everyone who has the link may read it. */
export function formatPayer(payer: {
  readonly operator_name: string;
  readonly phone_end: string;
}): string {
  return `${payer.operator_name} ····${payer.phone_end}`;
}

export function formatCountry(language: Language, code: string): string {
  return countryNames(language).of(code) ?? code;
}

// The franc has no cents; wrong ones would be shown, not rounded away.
const wholeFormat = perLanguage(
  (locale) =>
    new Intl.NumberFormat(locale, {
      minimumFractionDigits: EXPONENTS.XOF,
      maximumFractionDigits: SCALE,
    }),
);
const countryNames = perLanguage((locale) => new Intl.DisplayNames(locale, { type: 'region' }));
const timeFormat = perLanguage(
  (locale) =>
    new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
);
const exactTimeFormat = perLanguage(
  (locale) =>
    new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' }),
);
const dayFormat = perLanguage(
  (locale) => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
);
const monthFormat = perLanguage(
  (locale) => new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
);
const currencyFormats = { EUR: money('EUR'), USD: money('USD') };

function currencyFormat(language: Language, currency: 'EUR' | 'USD'): Intl.NumberFormat {
  return currencyFormats[currency](language);
}

function money(currency: Currency): (language: Language) => Intl.NumberFormat {
  return perLanguage((locale) => new Intl.NumberFormat(locale, { style: 'currency', currency }));
}

// Making a format costs far more than using it.
function perLanguage<Format>(make: (locale: string) => Format): (language: Language) => Format {
  const formats = { en: make(LOCALES.en), fr: make(LOCALES.fr) };
  return (language) => formats[language];
}
