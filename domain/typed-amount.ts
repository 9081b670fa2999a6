// Amounts as people write them: `15.000`, `15 000 FCFA` and `15 000 F` in Senegal, `1 249,90 €` in France,
// `€1,249.90` in England. What may mean two amounts, of which one is a thousand times the other, is not guessed.

import { EXPONENTS, type Currency } from './currency';
import type { Language } from './language';
import { parseAmount, type AmountFault, type Minor } from './money';

export type TypedAmountFault =
  | AmountFault
  /** `1.000` euros: one, with three decimals, or a thousand. */
  | 'ambiguous'
  /** Its unit is that of another currency. */
  | 'other_currency';

export type ReadAmount =
  | { readonly ok: true; readonly amount: Minor }
  | { readonly ok: false; readonly fault: TypedAmountFault };

/** People write these beside an amount; in lower case and without spaces. */
const UNITS: Readonly<Record<Currency, readonly string[]>> = {
  XOF: ['xof', 'fcfa', 'cfa', 'f', 'fr', 'franc', 'francs', 'francscfa'],
  EUR: ['eur', '€', 'euro', 'euros'],
  USD: ['usd', '$', '$us', 'us$', 'dollar', 'dollars'],
};
const CURRENCY_OF: ReadonlyMap<string, Currency> = new Map(
  (Object.keys(UNITS) as Currency[]).flatMap((currency) =>
    UNITS[currency].map((unit) => [unit, currency] as const),
  ),
);

const unitOf = (text: string): string => text.replace(/[\s.]/g, '').toLowerCase();

/** `F CFA`, `xof` and `€` are currencies; undefined for what is none. */
export const readTypedCurrency = (text: string): Currency | undefined =>
  CURRENCY_OF.get(unitOf(text));

const LONGEST = 64;
/** A unit before or behind; between them the digits, and what groups or divides them. */
const AMOUNT = /^([^\d.,+-]*)(\d[\d .,]*)([^\d.,+-]*)$/u;
/** Digits in groups of three, all divided by the same, and at most one other mark before what is left. */
const GROUPED = /^([1-9]\d{0,2})((?:([ .,])\d{3})(?:\3\d{3})*)(?:([.,])(\d+))?$/;
const DIVIDED = /^(\d+)(?:([.,])(\d+))?$/;

/** `language` is that of the writer: in English a comma groups, `5,000`, and in French it begins the cents. */
export function readTypedAmount(text: string, currency: Currency, language: Language): ReadAmount {
  if (text.length > LONGEST) return { ok: false, fault: 'too_large' };
  const [, before = '', digits, behind = ''] = AMOUNT.exec(text.replace(/\s+/g, ' ').trim()) ?? [];
  const unit = unitOf(before + behind);
  if (digits === undefined) return { ok: false, fault: 'format' };
  if (unit !== '' && CURRENCY_OF.get(unit) !== currency) {
    return { ok: false, fault: CURRENCY_OF.has(unit) ? 'other_currency' : 'format' };
  }
  const plain = plainDecimal(digits.trim(), currency, language);
  return plain.ok ? parseAmount(plain.text, currency) : plain;
}

type Plain =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly fault: 'format' | 'ambiguous' };

function plainDecimal(digits: string, currency: Currency, language: Language): Plain {
  const grouped = GROUPED.exec(digits);
  if (grouped) {
    const [, first = '', groups = '', mark, other, fraction] = grouped;
    // The same mark cannot both group and begin the cents: `1.000.00`.
    if (other !== undefined && other === mark) return { ok: false, fault: 'format' };
    const is_one_group = groups.length === 4 && other === undefined;
    if (is_one_group && !isGrouping(mark!, currency, language)) {
      return { ok: false, fault: 'ambiguous' };
    }
    return decimal(first + groups.replace(/\D/g, ''), fraction);
  }
  const divided = DIVIDED.exec(digits);
  if (!divided) return { ok: false, fault: 'format' };
  const [, whole = '', , fraction] = divided;
  return decimal(whole, fraction);
}

/** Whether a single mark before three digits groups them for sure. The franc has no decimals. */
function isGrouping(mark: string, currency: Currency, language: Language): boolean {
  return mark === ' ' || EXPONENTS[currency] === 0 || (mark === ',' && language === 'en');
}

function decimal(whole: string, fraction: string | undefined): Plain {
  return { ok: true, text: fraction === undefined ? whole : `${whole}.${fraction}` };
}
