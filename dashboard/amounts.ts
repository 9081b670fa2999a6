// Amounts as people type them: with spaces between thousands, and a comma or a point before the
// cents.

import { EXPONENTS, isCurrency, type Currency } from '../domain/currency';
import { translate, type Language } from '../domain/language';
import { formatAmount, parseAmount, type Minor } from '../domain/money';
import { formatMoney } from '../pages/formats';

export type TypedAmount =
  | {
      readonly ok: true;
      readonly amount: Minor;
      /** The amount in the form that the API takes. */
      readonly text: string;
      readonly currency: Currency;
    }
  | { readonly ok: false; readonly param: 'amount' | 'currency'; readonly fault: string };

export const WORDS = translate(
  {
    format: 'Write an amount such as 5000 or 12.50.',
    too_precise: (currency: string): string =>
      currency === 'XOF' ? 'The franc CFA has no decimals.' : 'At most two decimals.',
    zero: 'The amount must be more than zero.',
    too_large: (maximum: string) => `At most ${maximum}.`,
    currency: 'Choose a currency.',
  },
  {
    format: 'Écrivez un montant tel que 5000 ou 12,50.',
    too_precise: (currency: string): string =>
      currency === 'XOF' ? 'Le franc CFA n’a pas de décimales.' : 'Deux décimales au plus.',
    zero: 'Le montant doit être supérieur à zéro.',
    too_large: (maximum: string) => `${maximum} au plus.`,
    currency: 'Choisissez une devise.',
  },
);

/** The amount in the form in which people type it. */
export function typedAmount(amount: Minor, currency: Currency): string {
  const text = formatAmount(amount);
  return EXPONENTS[currency] === 0 ? text.replace(/\.00$/, '') : text;
}

export interface TypedFields {
  readonly amount: string;
  readonly currency: string;
}

export function readTypedAmount(
  language: Language,
  { amount: typed, currency }: TypedFields,
  maximum: Readonly<Record<Currency, Minor>>,
): TypedAmount {
  const words = WORDS[language];
  if (!isCurrency(currency)) return { ok: false, param: 'currency', fault: words.currency };
  const wrong = (fault: string): TypedAmount => ({ ok: false, param: 'amount', fault });
  const parsed = parseAmount(plainDecimal(language, typed), currency);
  if (!parsed.ok) {
    if (parsed.fault === 'too_precise') return wrong(words.too_precise(currency));
    if (parsed.fault !== 'too_large') return wrong(words[parsed.fault]);
  }
  if (!parsed.ok || parsed.amount > maximum[currency]) {
    return wrong(words.too_large(formatMoney(language, maximum[currency], currency)));
  }
  const { amount } = parsed;
  return { ok: true, amount, text: formatAmount(amount), currency };
}

/**
 * `5 000`, `12,50` and `12.50` in both languages, and `5,000.50` in English. What could mean two
 * amounts, such as `5,000` where the comma begins the cents, stays as it is and is refused.
 */
function plainDecimal(language: Language, typed: string): string {
  const text = typed.replace(/[\s\u00a0\u202f]/g, '');
  if (language === 'en' && /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text)) return text.replaceAll(',', '');
  return text.replace(/^(\d+),(\d{1,2})$/, '$1.$2');
}
