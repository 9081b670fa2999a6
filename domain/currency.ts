// The currencies of the specification, section 2, and the finest amount each allows.

export const CURRENCIES = ['XOF', 'EUR', 'USD'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** The decimals of each currency (ISO 4217). Inside, all three are kept at `SCALE` decimals. */
export const EXPONENTS = { XOF: 0, EUR: 2, USD: 2 } as const satisfies Record<Currency, number>;

export function isCurrency(text: string): text is Currency {
  return (CURRENCIES as readonly string[]).includes(text);
}

/** For people: `XOF, EUR or USD`. */
export function listCurrencies(or: 'or' | 'ou' = 'or'): string {
  return CURRENCIES.join(', ').replace(/, (?=\w+$)/, ` ${or} `);
}
