// Countries by their ISO 3166-1 codes; pages/formats.ts names them. Kosovo's XK is not in the
// standard yet, and in use by banks and post all the same.

// Intl knows these codes, which are no countries: reserved by ISO 3166-1, made for tests, or groups
// of countries.
const NO_COUNTRY: ReadonlySet<string> = new Set([
  'AC',
  'CP',
  'CQ',
  'DG',
  'EA',
  'EU',
  'EZ',
  'IC',
  'QO',
  'TA',
  'UN',
  'XA',
  'XB',
  'ZZ',
]);

// Every code that Intl has a name for is a country: the runtime keeps the list.
export const COUNTRIES: readonly string[] = findCountries();

const CODES: ReadonlySet<string> = new Set(COUNTRIES);

/** Whether it is a code, in capitals. `UK` is none: the United Kingdom is `GB`. */
export function isCountry(code: string): boolean {
  return CODES.has(code);
}

function findCountries(): string[] {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const codes = letters.flatMap((one) => letters.map((other) => one + other));
  return codes.filter((code) => {
    // A code that was withdrawn has another one for its canonical form.
    const isCurrent = Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;
    return isCurrent && names.of(code) !== undefined && !NO_COUNTRY.has(code);
  });
}
