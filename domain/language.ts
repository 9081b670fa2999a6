// The languages that pages for people are written in.

export const LANGUAGES = ['en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

export function isLanguage(text: unknown): text is Language {
  return LANGUAGES.some((language) => language === text);
}

/** A text, or a set of texts, in each language. */
export type Translated<Texts> = Readonly<Record<Language, Texts>>;

/** One text or what makes one: English, then French, which takes the same parameters. */
interface Pair<Text> {
  readonly 0: Text;
  readonly 1: NoInfer<Text>;
  readonly length: 2;
}

type IsText<Part> = [Part] extends [
  string | Make | readonly unknown[] | { readonly props: unknown },
]
  ? true
  : false;

/** A table of texts as it is declared: `amount: ['Amount', 'Montant']`, nested where the table is. */
export type Pairs<Texts> =
  IsText<Texts> extends true ? Pair<Texts> : { readonly [Name in keyof Texts]: Pairs<Texts[Name]> };

/** The spaces of French before its punctuation become such as do not break. */
export function translate<Texts>(pairs: Pairs<Texts>): Translated<Texts> {
  return { en: side(pairs, 0) as Texts, fr: withFrenchSpaces(side(pairs, 1)) as Texts };
}

function side(pairs: unknown, index: 0 | 1): unknown {
  if (Array.isArray(pairs)) return pairs[index];
  return Object.fromEntries(
    Object.entries(pairs as object).map(([name, part]) => [name, side(part, index)]),
  );
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
    return (...args: unknown[]) =>
      withFrenchSpaces((texts as (...args: readonly unknown[]) => unknown)(...args));
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

type Make = (...args: never[]) => unknown;

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
