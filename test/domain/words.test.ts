import { CURRENCIES, EXPONENTS, isCurrency } from '../../domain/currency';
import { ENVIRONMENTS, KEY_MODES, parseEnvironment } from '../../domain/environment';
import { TRANSACTION_FILTERS, TRANSACTION_TYPES, typesMatching } from '../../domain/transaction';

describe('currencies', () => {
  it('§2 wallets are XOF, EUR and USD', () => {
    expect(CURRENCIES).toEqual(['XOF', 'EUR', 'USD']);
    expect(EXPONENTS).toEqual({ XOF: 0, EUR: 2, USD: 2 });
  });

  it.each(['xof', 'GBP', '', 'XOF ', 'toString', '__proto__'])('%j is none', (text) => {
    expect(isCurrency(text)).toBe(false);
  });
});

describe('environments', () => {
  it('§5 a test key selects the sandbox, a live key live', () => {
    expect(ENVIRONMENTS).toEqual(['live', 'sandbox']);
    expect(KEY_MODES).toEqual({ live: 'live', sandbox: 'test' });
  });

  it.each([
    ['live', 'live'],
    ['sandbox', 'sandbox'],
    ['test', 'sandbox'],
    ['Live', undefined],
    ['', undefined],
    ['production', undefined],
  ])('%j means %s', (word, expected) => {
    expect(parseEnvironment(word)).toBe(expected);
  });
});

describe('typesMatching', () => {
  it('takes transfer for both directions and every other type for itself', () => {
    expect(typesMatching('transfer')).toEqual(['transfer_in', 'transfer_out']);
    for (const type of TRANSACTION_TYPES) expect(typesMatching(type)).toEqual([type]);
    expect(TRANSACTION_FILTERS).toContain('deposit');
  });
});
