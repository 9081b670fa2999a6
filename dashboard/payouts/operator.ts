import type { Language } from '../../domain/language';
import { formatCountry } from '../../pages/formats';

/** The code of before stays. */
const RENAMED: Readonly<Record<string, string>> = { free_sn: 'Mixx by Yas', yas_tg: 'Mixx by Yas' };

/** `orange_sn` as people say it: Orange, Senegal, and Orange at home. Others keep the provider's name. */
export function operatorName(language: Language, code: string, home?: string): string {
  const [, name, country] = /^([a-z0-9]+)_([a-z]{2})$/.exec(code) ?? [];
  if (name === undefined || country === undefined) return code;
  const capital =
    RENAMED[code] ??
    (name.length <= 3 ? name.toUpperCase() : name[0]!.toUpperCase() + name.slice(1));
  if (country.toUpperCase() === home) return capital;
  return `${capital}, ${formatCountry(language, country.toUpperCase())}`;
}

/** The choices of a phone's operator, those of the account's own country first. */
export function operatorOptions(language: Language, operators: readonly string[], home: string) {
  const isHome = (code: string): boolean => code.endsWith(`_${home.toLowerCase()}`);
  const ordered = [...operators.filter(isHome), ...operators.filter((code) => !isHome(code))];
  return ordered.map((value) => ({ value, label: operatorName(language, value, home) }));
}
