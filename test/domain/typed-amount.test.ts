import fc from 'fast-check';
import { CURRENCIES, EXPONENTS, type Currency } from '../../domain/currency';
import { LANGUAGES, type Language } from '../../domain/language';
import { formatAmount, MAX_MINOR } from '../../domain/money';
import { readTypedAmount } from '../../domain/typed-amount';
import { formatMoney } from '../../pages/formats';

function read(text: string, currency: Currency, language: Language): bigint | string {
  const found = readTypedAmount(text, currency, language);
  return found.ok ? found.amount : found.fault;
}

const whole = fc.bigInt({ min: 1n, max: MAX_MINOR / 100n });
const cents = fc.constantFrom(0n, 1n, 5n, 50n, 90n, 99n);
const money = fc
  .record({
    whole,
    cents,
    currency: fc.constantFrom(...CURRENCIES),
    language: fc.constantFrom(...LANGUAGES),
  })
  .map(({ currency, language, ...of }) => ({
    currency,
    language,
    amount: of.whole * 100n + (EXPONENTS[currency] === 0 ? 0n : of.cents),
  }));

it('reads every amount that pages show and forms carry as that amount', () => {
  fc.assert(
    fc.property(money, ({ amount, currency, language }) => {
      expect(read(formatMoney(language, amount, currency), currency, language)).toBe(amount);
      expect(read(formatAmount(amount), currency, language)).toBe(amount);
    }),
  );
});

it.each([
  '15.000',
  '15,000',
  '15 000',
  '15\u202f000',
  '15\u00a0000',
  '15000',
  '15 000 FCFA',
  '15.000 F CFA',
  '15000F',
  'F CFA 15 000',
  '15000 xof',
  ' 15 000 francs ',
  '15.000,00',
  '15,000.00',
  '15000.00',
])('“%s” is 15,000 francs in both languages', (text) => {
  for (const language of LANGUAGES) expect(read(text, 'XOF', language)).toBe(1_500_000n);
});

it.each([
  ['1 249,90 €', 'fr', 124_990n],
  ['1.249,90', 'fr', 124_990n],
  ['1.249,90', 'en', 124_990n],
  ['€1,249.90', 'en', 124_990n],
  ['1,249.90', 'fr', 124_990n],
  ['1.249.000', 'fr', 124_900_000n],
  ['1,249,000', 'fr', 124_900_000n],
  ['1 000', 'en', 100_000n],
  ['12,5', 'fr', 1_250n],
  ['12,5', 'en', 1_250n],
  ['1,000', 'en', 100_000n],
  // A thousand, or one with three decimals.
  ['1.000', 'fr', 'ambiguous'],
  ['1.000 €', 'en', 'ambiguous'],
  ['1,000', 'fr', 'ambiguous'],
  ['999.999', 'fr', 'ambiguous'],
  ['0.500', 'fr', 'too_precise'],
  ['1000.000', 'en', 'too_precise'],
  ['1 000.000', 'fr', 'too_precise'],
  ['1.000.00', 'en', 'format'],
  ['1 00', 'fr', 'format'],
  ['1 0000', 'fr', 'format'],
  ['1,00,000', 'en', 'format'],
  ['12,5,0', 'fr', 'format'],
  ['1.000 F', 'fr', 'other_currency'],
  ['$5', 'fr', 'other_currency'],
  ['5k', 'en', 'format'],
  ['-5', 'en', 'format'],
  ['+5', 'en', 'format'],
  ['5.', 'en', 'format'],
  ['.5', 'en', 'format'],
  ['05', 'en', 'format'],
  ['1e3', 'en', 'format'],
  ['5 5', 'en', 'format'],
  ['€', 'en', 'format'],
  ['', 'en', 'format'],
  ['٥', 'en', 'format'],
  ['0,00', 'fr', 'zero'],
  ['10 000 000 000 000', 'fr', 'too_large'],
  ['9'.repeat(65), 'fr', 'too_large'],
] as const)('“%s” euros in %s: %s', (text, language, expected) => {
  expect(read(text, 'EUR', language)).toBe(expected);
});

it.each([
  ['15.00', 1_500n],
  ['15.0000', 'too_precise'],
  ['1500.000', 'too_precise'],
  ['0.500', 'too_precise'],
  ['12,50', 'too_precise'],
  ['15 000,5', 'too_precise'],
  ['15.000.00', 'format'],
  ['15 00', 'format'],
  ['15 €', 'other_currency'],
] as const)('“%s” francs: %s', (text, expected) => {
  for (const language of LANGUAGES) expect(read(text, 'XOF', language)).toBe(expected);
});
