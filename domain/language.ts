// The languages that pages for people are written in.

export const LANGUAGES = ['en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

export function isLanguage(text: unknown): text is Language {
  return LANGUAGES.some((language) => language === text);
}

/** A text, or a set of texts, in each language. */
export type Translated<Texts> = Readonly<Record<Language, Texts>>;

/**
 * The French texts must be there where the English ones are, with the same parameters. Their spaces before
 * punctuation become such as do not break.
 */
export function translate<Texts>(en: Texts, fr: NoInfer<Texts>): Translated<Texts> {
  return { en, fr: withFrenchSpaces(fr) as Texts };
}

/** A label before its value: `Date: 3 May`, and in French `Date : 3 mai`, whose colon stays where it is. */
export function labelled(language: Language, label: string, value: string): string {
  return `${label}${language === 'fr' ? '\u00a0' : ''}: ${value}`;
}

/** A text, what makes one, an element with texts as its children, or a table of any of these. */
function withFrenchSpaces(texts: unknown): unknown {
  if (typeof texts === 'string') return frenchSpaces(texts);
  if (Array.isArray(texts)) return texts.map(withFrenchSpaces);
  if (typeof texts === 'function') {
    return (...args: unknown[]) => withFrenchSpaces((texts as Make)(...args));
  }
  if (typeof texts !== 'object' || texts === null) return texts;
  if ('props' in texts) {
    const props = texts.props as { readonly children?: unknown };
    return { ...texts, props: { ...props, children: withFrenchSpaces(props.children) } };
  }
  return Object.fromEntries(
    Object.entries(texts).map(([name, part]) => [name, withFrenchSpaces(part)]),
  );
}

type Make = (...args: readonly unknown[]) => unknown;

/** U+202F before `;`, `!` and `?`, and U+00A0 before `:` and inside `« »`. */
function frenchSpaces(text: string): string {
  return text
    .replace(/ (?=[;!?])/g, '\u202f')
    .replace(/ (?=[:»])/g, '\u00a0')
    .replace(/(?<=«) /g, '\u00a0');
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
