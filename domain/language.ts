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
