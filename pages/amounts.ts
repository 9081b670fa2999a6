// Amounts that people type into forms, and what is said of them.

import { EXPONENTS, isCurrency, type Currency } from '../domain/currency';
import { translate, type Language } from '../domain/language';
import { formatAmount, type Minor } from '../domain/money';
import { readTypedAmount } from '../domain/typed-amount';
import { formatMoney } from './formats';

export type TypedAmount =
  | {
      readonly ok: true;
      readonly amount: Minor;
      /** The amount in the form that the API takes. */
      readonly text: string;
      readonly currency: Currency;
    }
  | { readonly ok: false; readonly param: 'amount' | 'currency'; readonly fault: string };

export const WORDS = translate({
  format: [
    'Write an amount such as 15,000 or 12.50.',
    'Écrivez un montant tel que 15 000 ou 12,50.',
  ],
  ambiguous: [
    (thousands: string, units: string) =>
      `Is it ${thousands} or ${units}? Write the cents, or no point and no comma.`,
    (thousands, units) =>
      `Est-ce ${thousands} ou ${units} ? Écrivez les centimes, ou n’écrivez ni point ni virgule.`,
  ],
  other_currency: [
    'The sign beside the amount is that of another currency.',
    'Le signe à côté du montant est celui d’une autre devise.',
  ],
  too_precise: [
    (currency: string): string =>
      currency === 'XOF' ? 'The franc CFA has no decimals.' : 'At most two decimals.',
    (currency) =>
      currency === 'XOF' ? 'Le franc CFA n’a pas de décimales.' : 'Deux décimales au plus.',
  ],
  zero: ['The amount must be more than zero.', 'Le montant doit être supérieur à zéro.'],
  too_large: [(maximum: string) => `At most ${maximum}.`, (maximum) => `${maximum} au plus.`],
  currency: ['Choose a currency.', 'Choisissez une devise.'],
});

/** The amount in the form in which people type it. */
export function typedAmount(amount: Minor, currency: Currency): string {
  const text = formatAmount(amount);
  return EXPONENTS[currency] === 0 ? text.replace(/\.00$/, '') : text;
}

export interface TypedFields {
  readonly amount: string;
  readonly currency: string;
}

/** @param limit one for all currencies, or each one's own */
export function readAmountField(
  language: Language,
  { amount: typed, currency }: TypedFields,
  limit: Minor | Readonly<Record<Currency, Minor>>,
): TypedAmount {
  const words = WORDS[language];
  if (!isCurrency(currency)) return { ok: false, param: 'currency', fault: words.currency };
  const wrong = (fault: string): TypedAmount => ({ ok: false, param: 'amount', fault });
  const maximum = typeof limit === 'bigint' ? limit : limit[currency];
  const read = readTypedAmount(typed, currency, language);
  if (read.ok && read.amount <= maximum) {
    const { amount } = read;
    return { ok: true, amount, text: formatAmount(amount), currency };
  }
  const fault = read.ok ? 'too_large' : read.fault;
  switch (fault) {
    case 'too_large':
      return wrong(words.too_large(formatMoney(language, maximum, currency)));
    case 'too_precise':
      return wrong(words.too_precise(currency));
    case 'ambiguous':
      return wrong(words.ambiguous(...meaningsOf(language, typed, currency)));
    default:
      return wrong(words[fault]);
  }
}

/** `1.000` may mean two amounts: a thousand, and one. */
function meaningsOf(language: Language, typed: string, currency: Currency): [string, string] {
  const digits = typed.replace(/\D/g, '');
  const money = (text: string): string => formatMoney(language, BigInt(text) * 100n, currency);
  return [money(digits), money(digits.slice(0, -3))];
}
