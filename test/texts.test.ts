// The rules for all texts: the words beside a number are in the form that goes with it, in each language, and French
// has its spaces that do not break.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isValidElement } from 'preact';
import { counted, formatCount, plural, translate, type Language } from '../domain/language';

const ROOT = join(__dirname, '..');
const PRODUCT = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /^(?!test\/|dev\/bench\/).*\.tsx?$/.test(file))
  .map((file) => ({ file, source: readFileSync(join(ROOT, file), 'utf8') }));
const COUNTS = [0, 1, 2, 1_000, 1_000_000];

/** The forms of what is counted, as the product's own texts have them: for one, and for more. */
const FORMS = { en: formsOf('en'), fr: formsOf('fr') };

function formsOf(language: Language): { one: Set<string>; more: Set<string>; nouns: Set<string> } {
  const [one, more, nouns] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const call = new RegExp(`(counted|plural)\\(\\s*'${language}',[^']+'([^']*)',\\s*'([^']*)'`, 'g');
  for (const { source } of PRODUCT) {
    for (const [, name, singular = '', several = ''] of source.matchAll(call)) {
      const others = several.split(' ');
      if (name === 'counted') nouns.add(others[0]!);
      singular.split(' ').forEach((word, index) => {
        const other = others[index]!;
        // Verbs get no -s for more than one.
        if (word === other || !/[sx]$/.test(other)) return;
        one.add(word);
        more.add(other);
      });
    }
  }
  return { one, more, nouns };
}

/** Nouns in the plural: those that are counted, and those that stand behind a number in any text. */
const MANY = new Set(
  PRODUCT.flatMap(({ source }) => [...source.matchAll(/'[^'\n]*\b\d[\d,]* ([a-z]{3,}s)\b/g)])
    .map(([, noun]) => noun!)
    .concat([...FORMS.en.more])
    .filter((noun) => !/^(is|was|has|says|continues)$/.test(noun)),
);

const LIKE_A_PLURAL = {
  en: /^(is|was|has|as|its|this|us|decides)$/,
  fr: /^(dans|depuis|plus|fois|pas|remis)$/,
};
/** The counted noun stands before one of these. */
const END = /^(is|has|est|of|in|on|at|to|from|for|by|and|a|the|de|du|des|en|par|sur|au|à|et|ou)$/;
const WRONG_SPACE = /(?<!\d )(?<![\d,])\d{1,3}[ \u00a0]\d{3}(?![ \d])/g;

/** The words behind a number that may be what it counts. */
function countedIn(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => END.test(word));
  return words.slice(0, end < 0 ? 4 : Math.min(end, 4));
}

function faultsIn(language: Language, text: string): string[] {
  const { one, more, nouns } = FORMS[language];
  const faults = [
    ...text.matchAll(/(?<![\p{L}\d.,:/-])(\d[\d,\u202f]*)\+? ([\p{L}’ -]+)/gu),
  ].filter(([, digits = '', rest = '']) => {
    const count = Number(digits.replace(/[,\u202f]/g, ''));
    const isMillions = language === 'fr' && count > 0 && count % 1_000_000 === 0;
    const words = rest.replace(isMillions ? /^de |^d’/ : '', '').split(' ');
    const beside = countedIn(words);
    const hasMore = beside.some((word) => more.has(word));
    const looksLikeMore = /[sx]$/.test(words[0]!) && !LIKE_A_PLURAL[language].test(words[0]!);
    const isWrongForm =
      plural(language, count, 'one', 'more') === 'one'
        ? hasMore || looksLikeMore
        : beside.some((word) => one.has(word)) && !hasMore;
    const isWrongNumber = nouns.has(words[0]!) && digits !== formatCount(language, count);
    return isWrongForm || isWrongNumber || (isMillions && nouns.has(rest.split(' ')[0]!));
  });
  const spaces = language === 'fr' ? [WRONG_SPACE, WRONG_FRENCH_SPACE] : [];
  return [...faults, ...spaces.flatMap((wrong) => [...text.matchAll(wrong)])].map(
    ([fault]) => fault,
  );
}

/** Any argument of a text: the number for those that format it, and its digits for those that do not. */
class Argument {
  readonly count: number;
  constructor(count: number) {
    this.count = count;
  }
  [Symbol.toPrimitive](hint: string): string | number {
    return hint === 'string' ? String(this.count) : this.count;
  }
  toLowerCase(): string {
    return String(this.count);
  }
}

/** The text of a node of Preact, whose children may be arguments. */
function textOfNode(node: unknown): string {
  if (Array.isArray(node)) return node.map(textOfNode).join('');
  if (isValidElement(node)) return textOfNode((node.props as { children?: unknown }).children);
  if (node instanceof Argument) return String(node.count);
  return typeof node === 'string' ? node : '';
}

/** The same texts in English know how many arguments each takes. */
function textsOf(value: unknown, english: unknown, count: number): string[] {
  if (typeof value === 'string') return [value];
  if (isValidElement(value)) return [textOfNode(value)];
  if (typeof value === 'function') {
    const { length } = english as (...given: Argument[]) => unknown;
    const args = Array.from({ length }, () => new Argument(count));
    return textsOf((value as (...given: Argument[]) => unknown)(...args), english, count);
  }
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, part]) =>
        textsOf(part, (english as Readonly<Record<string, unknown>>)[name], count),
      )
    : [];
}

/**
 * A space that breaks, or none, where French has one that does not: an address has no space behind
 * its colon, and a header or a field of the API is no French.
 */
const WRONG_FRENCH_SPACE =
  /.{0,20}(?: [;:!?»]|« |[\p{L}\d)»’](?<!Authorization|Content-Type|status)[;:!?](?=\s|$)|«\S|[^\s\u00a0]»)/gu;

it('a table of pairs becomes a table in each language; a text without its French does not compile', () => {
  const words = translate({
    title: ['Links', 'Liens'],
    faults: {
      list: [
        ['a', 'b'],
        ['c : d', 'e'],
      ],
      too_long: [(most: number) => `${most}!`, (most) => `${most} !`],
    },
  });
  expect(words.en).toMatchObject({ title: 'Links', faults: { list: ['a', 'b'] } });
  expect(words.fr).toMatchObject({ title: 'Liens', faults: { list: ['c\u00a0: d', 'e'] } });
  expect([words.en, words.fr].map(({ faults }) => faults.too_long(5))).toEqual(['5!', '5\u202f!']);
  // @ts-expect-error No French.
  translate({ title: ['Links'] });
  // @ts-expect-error French has another parameter.
  translate({ most: [(most: number) => `${most}!`, (most: string) => `${most} !`] });
  // @ts-expect-error The type has one more.
  translate<{ title: string; lead: string }>({ title: ['Links', 'Liens'] });
});

describe('every table of texts', () => {
  const files = PRODUCT.filter(({ source }) => /= translate[<(]/.test(source));

  it.each(files)(
    'in $file has the form that goes with 0, 1, 2, 1,000 and 1,000,000',
    async (of) => {
      const tables = Object.values((await import(join(ROOT, of.file))) as object).filter(
        (one: unknown) => typeof one === 'object' && one !== null && 'en' in one && 'fr' in one,
      ) as Record<Language, unknown>[];
      expect(tables).toHaveLength(of.source.match(/= translate[<(]/g)!.length);
      for (const language of ['en', 'fr'] as const) {
        const texts = COUNTS.flatMap((count) =>
          tables.map((one) => textsOf(one[language], one.en, count)),
        );
        expect(texts.flat().flatMap((text) => faultsIn(language, text))).toEqual([]);
      }
    },
  );
});

describe('texts in the code', () => {
  it('have the spaces of French also where they stand beside the English text', () => {
    const texts = PRODUCT.flatMap(({ file, source }) =>
      [...source.matchAll(/^ *fr: (['`].*)/gm)].map(([, text]) => `${file}: ${text}`),
    );
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.filter((text) => /.: ['`].*(?: [;:!?»]|« )/.test(text))).toEqual([]);
  });

  it('set no colon behind a word of a table, which has a blank in front of it in French', () => {
    const colon = /^\s*\{words\.[\w.]+\}: .*|[`>][^`{]*\$?\{words\.[\w.]+\}: .*/gm;
    const found = PRODUCT.flatMap(({ file, source }) =>
      [...source.matchAll(colon)].map(([text]) => `${file}: ${text.trim()}`),
    );
    expect(found).toEqual([]);
  });

  it('have no noun in the plural behind a value that may be 1, and no (s)', () => {
    const found = PRODUCT.filter(({ file }) => !file.startsWith('db/')).flatMap(
      ({ file, source }) =>
        [...source.matchAll(/\$\{(?![A-Z_]+\b)[^{}]*\}((?: [a-z]+)+)|(?<=[a-z])\(s\)/g)]
          .filter(
            ([, words]) =>
              words === undefined ||
              countedIn(words.trim().split(' ')).some((word) => MANY.has(word)),
          )
          .map(([text]) => `${file}: ${text}`),
    );
    expect(found).toEqual([]);
  });
});

it.each([
  ['en', 0, '0 payments'],
  ['en', 1, '1 payment'],
  ['en', 1_000_000, '1,000,000 payments'],
  ['fr', 0, '0 paiement'],
  ['fr', 1, '1 paiement'],
  ['fr', 2, '2 paiements'],
  ['fr', 1_000, '1\u202f000 paiements'],
  ['fr', 1_000_000, '1\u202f000\u202f000 de paiements'],
] as const)('%s %i: %s', (language, count, text) => {
  const [one, other] = language === 'en' ? ['payment', 'payments'] : ['paiement', 'paiements'];
  expect(counted(language, count, one, other)).toBe(text);
  expect(faultsIn(language, text)).toEqual([]);
});

it.each([
  ['en', '1 transfers'],
  ['en', '1 open payment links'],
  ['en', '2 transfer'],
  ['en', '1000 transfers'],
  ['fr', '0 transferts'],
  ['fr', 'Les 1 premiers'],
  ['fr', '1 retenus'],
  ['fr', '2 retenu'],
  ['fr', '1000 transferts'],
  ['fr', '1\u202f000\u202f000 transferts'],
  ['fr', 'Payé ; merci'],
  ['fr', 'Suspens: SUS-1'],
  ['fr', 'un « nom\u00a0»'],
] as const)('%s: “%s” is a fault', (language, text) => {
  expect(faultsIn(language, text)).toHaveLength(1);
});
