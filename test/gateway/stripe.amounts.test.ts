import fc from 'fast-check';
import { CURRENCIES } from '../../domain/currency';
import { MAX_MINOR, type Minor } from '../../domain/money';
import {
  fromStripeUnits,
  MAX_UNITS,
  MINIMUM,
  readMoney,
  toStripeUnits,
} from '../../gateway/stripe/amounts';

const currency = fc.constantFrom(...CURRENCIES);
const anything = fc.bigInt({ min: -1000n, max: MAX_MINOR }).map((amount) => amount as Minor);
const units = fc.integer({ min: 1, max: Number(MAX_UNITS) });

describe('amounts at Stripe', () => {
  it('are cents of EUR and USD, and whole francs of XOF', () => {
    expect(toStripeUnits(1999n as Minor, 'EUR')).toBe(1999);
    expect(toStripeUnits(1999n as Minor, 'USD')).toBe(1999);
    expect(toStripeUnits(500_000n as Minor, 'XOF')).toBe(5000);
    expect(fromStripeUnits(5000, 'XOF')).toBe(500_000n);
    expect(fromStripeUnits(5000, 'EUR')).toBe(5000n);
  });

  it("convert to Stripe's units and back without loss, or not at all", () => {
    fc.assert(
      fc.property(anything, currency, (amount, of) => {
        const sent = toStripeUnits(amount, of);
        const per_unit = of === 'XOF' ? 100n : 1n;
        const fits = amount > 0n && amount % per_unit === 0n && amount / per_unit <= MAX_UNITS;
        expect(sent === undefined).toBe(!fits);
        if (sent !== undefined) expect(fromStripeUnits(sent, of)).toBe(amount);
      }),
    );
  });

  it('convert from every amount of Stripe and back without loss', () => {
    fc.assert(
      fc.property(units, currency, (count, of) => {
        expect(toStripeUnits(fromStripeUnits(count, of)!, of)).toBe(count);
      }),
    );
  });

  it('are refused unless they are positive integers within the limit', () => {
    const wrong = fc.oneof(
      fc.double().filter((value) => !Number.isSafeInteger(value)),
      fc.integer({ max: 0 }),
      fc.string(),
      fc.constantFrom(null, undefined, {}, true, 10n, Number.MAX_SAFE_INTEGER),
    );
    fc.assert(
      fc.property(wrong, currency, (value, of) => {
        expect(fromStripeUnits(value, of)).toBeUndefined();
      }),
    );
  });

  it('are read with the currency in either case, and refused in an unknown currency', () => {
    expect(readMoney(5000, 'xof')).toEqual({ amount_minor: '500000', currency: 'XOF' });
    expect(readMoney(5000, 'EUR')).toEqual({ amount_minor: '5000', currency: 'EUR' });
    for (const foreign of ['gbp', '', 'eu r', null, undefined, 5]) {
      expect(readMoney(5000, foreign)).toBeUndefined();
    }
  });

  it('start at half a euro: 328 francs at the fixed rate', () => {
    expect(MINIMUM.XOF / 100n).toBe((50n * 655_957n + 99_999n) / 100_000n);
    for (const of of CURRENCIES) expect(toStripeUnits(MINIMUM[of], of)).toBeDefined();
  });
});
