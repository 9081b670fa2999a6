// Countries by their ISO 3166-1 codes; pages/formats.ts names them.

// Known to Intl, and no countries: reserved by ISO 3166-1, made for tests, or groups of countries.
const NO_COUNTRY = new Set([
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

// Every code that Intl has a name for: the list is the runtime's, so that it is kept by others.
export const COUNTRIES: readonly string[] = findCountries();

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
