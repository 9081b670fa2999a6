import type { Language } from '../../domain/language';
import { formatCountry } from '../../pages/formats';

/** `orange_sn` as people say it: Orange, Senegal. Others keep the provider's name. */
export function operatorName(language: Language, code: string): string {
  const [, name, country] = /^([a-z0-9]+)_([a-z]{2})$/.exec(code) ?? [];
  if (name === undefined || country === undefined) return code;
  const capital = name.length <= 3 ? name.toUpperCase() : name[0]!.toUpperCase() + name.slice(1);
  return `${capital}, ${formatCountry(language, country.toUpperCase())}`;
}
