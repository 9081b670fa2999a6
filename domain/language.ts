// The languages that pages for people are written in.

export const LANGUAGES = ['en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

export function isLanguage(text: unknown): text is Language {
  return LANGUAGES.some((language) => language === text);
}

/** A text, or a set of texts, in each language. */
export type Translated<Texts> = Readonly<Record<Language, Texts>>;

/** The French texts must be there where the English ones are, with the same parameters. */
export function translate<Texts>(en: Texts, fr: NoInfer<Texts>): Translated<Texts> {
  return { en, fr };
}

export const LOCALES = { en: 'en-GB', fr: 'fr-FR' } as const satisfies Record<Language, string>;
const COUNTS = { en: new Intl.NumberFormat(LOCALES.en), fr: new Intl.NumberFormat(LOCALES.fr) };
const RULES = { en: new Intl.PluralRules(LOCALES.en), fr: new Intl.PluralRules(LOCALES.fr) };

/** `2,000`; in French `2 000`, with a narrow space that does not break. */
export function formatCount(language: Language, count: number | bigint): string {
  return COUNTS[language].format(count);
}

/** The form of a word that goes with a count: French has the singular for 0 as well as for 1. */
export function plural(language: Language, count: number, one: string, other: string): string {
  return RULES[language].select(count) === 'one' ? one : other;
}

/**
 * `1 line`, `2,000 lines`; French counts whole millions with a preposition: `1 000 000 de lignes`.
 */
export function counted(language: Language, count: number, one: string, other: string): string {
  const noun = plural(language, count, one, other);
  const isMillions = RULES[language].select(count) === 'many';
  const preposition = isMillions ? (/^[aeéèêiouh]/.test(noun) ? 'd’' : 'de ') : '';
  return `${formatCount(language, count)} ${preposition}${noun}`;
}
