import fc from 'fast-check';
import type { CURRENCIES } from '../../domain/currency';
import { amountJson, formatAmount, MAX_MINOR, parseAmount } from '../../domain/money';

const minor = fc.bigInt({ min: 1n, max: MAX_MINOR });
const fractional = fc.constantFrom('EUR' as const, 'USD' as const);

function amountOf(text: string, of: (typeof CURRENCIES)[number]): bigint | string {
  const parsed = parseAmount(text, of);
  return parsed.ok ? parsed.amount : parsed.fault;
}

describe('parseAmount', () => {
  it('reads back every amount that formatAmount writes', () => {
    fc.assert(
      fc.property(minor, fractional, (amount, of) => {
        expect(parseAmount(formatAmount(amount), of)).toEqual({ ok: true, amount });
      }),
    );
  });

  it('reads the source text of every JSON number as that number, or refuses it', () => {
    // Decimal digits compared as text: the check itself must not go through a float.
    const text = fc.tuple(fc.boolean(), fc.nat(), fc.option(fc.stringMatching(/^\d{1,4}$/)));
    fc.assert(
      fc.property(text, fractional, ([negative, whole, fraction], of) => {
        const source = `${negative ? '-' : ''}${whole}${fraction === null ? '' : `.${fraction}`}`;
        const found = amountOf(source, of);
        const isPlain = !negative && (fraction === null || fraction.length <= 2);
        const value = BigInt(whole) * 100n + BigInt((fraction ?? '').padEnd(2, '0').slice(0, 2));
        if (isPlain && value > 0n) expect(found).toBe(value);
        else expect(typeof found).toBe('string');
      }),
    );
  });

  it.each([
    ['0.29', 29n],
    ['1.15', 115n],
    ['4.35', 435n],
    ['19.99', 1999n],
    ['0.01', 1n],
    ['5000', 500_000n],
    ['5000.0', 500_000n],
    ['5000.00', 500_000n],
    ['9999999999999.99', 999_999_999_999_999n],
  ])('reads %s EUR exactly', (text, expected) => {
    expect(amountOf(text, 'EUR')).toBe(expected);
  });

  it.each([
    ['', 'format'],
    ['-1', 'format'],
    ['-0', 'format'],
    ['+1', 'format'],
    ['01', 'format'],
    ['.5', 'format'],
    ['5.', 'format'],
    ['1e2', 'format'],
    ['1E2', 'format'],
    ['1e999', 'format'],
    ['0x10', 'format'],
    ['1_000', 'format'],
    ['1,5', 'format'],
    [' 1', 'format'],
    ['1\n', 'format'],
    ['NaN', 'format'],
    ['Infinity', 'format'],
    ['"5"', 'format'],
    ['٥', 'format'],
    ['0', 'zero'],
    ['0.00', 'zero'],
    ['0.001', 'too_precise'],
    ['1.000', 'too_precise'],
    ['10000000000000', 'too_large'],
    ['10000000000000.00', 'too_large'],
    ['9007199254740993', 'too_large'],
    ['9'.repeat(65), 'too_large'],
    ['9'.repeat(1_000_000), 'too_large'],
  ])('refuses %s EUR', (text, fault) => {
    expect(amountOf(text, 'EUR')).toBe(fault);
  });

  it.each([
    ['5000', 500_000n],
    ['5000.0', 500_000n],
    ['5000.00', 500_000n],
    ['5000.50', 'too_precise'],
    ['0.01', 'too_precise'],
    ['1.5', 'too_precise'],
  ])('takes XOF in whole units only: %s', (text, expected) => {
    expect(amountOf(text, 'XOF')).toBe(expected);
  });
});

describe('formatAmount', () => {
  it('writes exactly two decimals, and the sign of a debit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -BigInt(MAX_MINOR), max: MAX_MINOR }), (amount) => {
        const text = formatAmount(amount);
        expect(text).toMatch(/^-?(0|[1-9]\d*)\.\d\d$/);
        expect(BigInt(text.replace('.', ''))).toBe(amount);
        expect(text.startsWith('-')).toBe(amount < 0n);
      }),
    );
  });

  it.each([
    [0n, '0.00'],
    [5n, '0.05'],
    [-5n, '-0.05'],
    [100n, '1.00'],
    [500_000n, '5000.00'],
  ])('writes %s as %s', (amount, text) => {
    expect(formatAmount(amount)).toBe(text);
    expect(amountJson(amount).text).toBe(text);
  });
});
