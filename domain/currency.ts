// The currencies of the specification, section 2, and the finest amount each allows.

export const CURRENCIES = ['XOF', 'EUR', 'USD'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** The decimals of each currency (ISO 4217). Inside, all three are kept at `SCALE` decimals. */
export const EXPONENTS = { XOF: 0, EUR: 2, USD: 2 } as const satisfies Record<Currency, number>;

export function isCurrency(text: string): text is Currency {
  return (CURRENCIES as readonly string[]).includes(text);
}

/** The countries of the West African franc. */
const OF_THE_FRANC: ReadonlySet<string> = new Set(['BF', 'BJ', 'CI', 'GW', 'ML', 'NE', 'SN', 'TG']);

/** The currency that people of a country leave out; undefined where it has to be written. */
export const currencyAtHome = (country: string): Currency | undefined =>
  OF_THE_FRANC.has(country) ? 'XOF' : undefined;

/** For people: `XOF, EUR or USD`. */
export function listCurrencies(or: 'or' | 'ou' = 'or'): string {
  return CURRENCIES.join(', ').replace(/, (?=\w+$)/, ` ${or} `);
}
