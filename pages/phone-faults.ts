// The faults of a phone number that a person has typed.

import { translate, type Language } from '../domain/language';
import type { PhoneFault } from '../domain/phone';

export const WORDS = translate({
  as_decimal: [
    'A spreadsheet has made a decimal of this number. Write its digits alone.',
    'Un tableur a transformé ce numéro en nombre décimal. N’écrivez que ses chiffres.',
  ],
  too_few: [(digits: string) => `${digits} missing.`, (digits) => `Il manque ${digits}.`],
  too_many: [(digits: string) => `${digits} too many.`, (digits) => `Il y a ${digits} de trop.`],
});

/** `no_phone`: what the page says of what is no number at all. */
export function phoneFaultText(language: Language, read: PhoneFault, no_phone: string): string {
  const words = WORDS[language];
  if (read.fault === 'phone') return no_phone;
  if (read.fault === 'as_decimal') return words.as_decimal;
  const digits = digitsText(language, Math.abs(read.missing));
  return read.missing > 0 ? words.too_few(digits) : words.too_many(digits);
}

const COUNTS = {
  en: ['Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'],
  fr: ['deux', 'trois', 'quatre', 'cinq', 'six', 'sept', 'huit', 'neuf'],
};

function digitsText(language: Language, count: number): string {
  const [one, several] =
    language === 'fr' ? ['un chiffre', 'chiffres'] : ['One digit is', 'digits are'];
  return count === 1 ? one! : `${COUNTS[language][count - 2] ?? count} ${several}`;
}
