// Names of people and firms, as they are compared: with the one that a provider has found (payout.ts), and with those of
// lists (docs/decisions/risk.md).

import { distance } from './closest';

/** A name of a list that is this or more like the given one is found. */
export const FOUND_FROM = 0.8;
/** A wrong letter counts a little less than a right word. */
const SLIP = 0.9;
/** Shorter words with a letter changed are other names: Sow, Sy. */
const SHORTEST_WITH_SLIP = 5;
/** Longer words are no names, and are looked for as they are written. */
const LONGEST_WITH_SLIP = 24;

/**
 * How like two names are, from 0 to 1: the share of their words that both have, whatever their order, where a word of the
 * listed name may have one letter changed, left out or put in. One word in common is nothing, beside a name that is
 * one word.
 */
export function likeness(given: string, listed: string): number {
  const [ours, theirs] = [partsOf(given), partsOf(listed)];
  if (ours.length === 0 || theirs.length === 0) return 0;
  if (ours.join('') === theirs.join('')) return 1;
  const [our_words, their_words] = [joinedAs(ours, theirs), joinedAs(theirs, ours)];
  const more = without(our_words, their_words);
  const same = our_words.length - more.length;
  let slips = 0;
  for (const word of without(their_words, our_words)) {
    const at = more.findIndex((one) => isSlipOf(one, word));
    if (at < 0) continue;
    more.splice(at, 1);
    slips += 1;
  }
  const words = our_words.length + their_words.length;
  if (same + slips < 2 && words > 2) return 0;
  return Math.round((200 * (same + SLIP * slips)) / words) / 100;
}

const isSlipOf = (given: string, listed: string): boolean =>
  listed.length >= SHORTEST_WITH_SLIP &&
  Math.abs(given.length - listed.length) <= 1 &&
  distance(given, listed) === 1;

/**
 * The keys by which listed words are found: two of a name, in any order, also where two neighbours are written as one.
 * `slipping`: those of them that may be found by what is left without a letter (slipsOf).
 */
export function keysOf(words: readonly string[]): {
  readonly keys: readonly string[];
  readonly slipping: readonly string[];
} {
  // A name that is like this one lacks a third of the words at most, so that it has two of these.
  const chosen = words
    .map((word, at) => ({ word, from: at, to: at }))
    .sort((one, other) => other.word.length - one.word.length)
    .slice(0, Math.floor(words.length / 3) + 2);
  const keys = [...chosen, ...pairsOf(words)].flatMap((one) =>
    chosen.filter((other) => isApart(one, other)).map(({ word }) => keyOf(one.word, word)),
  );
  const whole = wholeOf(words);
  const slipping = [...chosen.map(({ word }) => word), ...(words.length === 1 ? whole : [])].filter(
    (word) => word.length >= SHORTEST_WITH_SLIP,
  );
  return { keys: [...new Set([...keys, ...whole])], slipping };
}

/** The keys by which a listed word is found; also itself, which is left of another with one letter more. */
export const slipsOf = (word: string): readonly string[] => [word, ...shortened(word)];

export interface AskedWord {
  readonly word: string;
  /** Its place, or that of the neighbours that it joins. */
  readonly from: number;
  readonly to: number;
  /** It lacks a letter, and stands for listed words that do. */
  readonly is_slip: boolean;
}

/**
 * The keys to look for: listed names that have two of these words, of other places. Two words with the same rest without a
 * letter of each are a slip apart, or two, which is for `likeness` to say.
 */
export function askedWords(name: string): readonly AskedWord[] {
  const words = partsOf(name);
  const plain = words.map((word, at) => ({ word, from: at, to: at }));
  // All of it is at a place of its own.
  const whole = wholeOf(words).map((word) => ({ word, from: -1, to: -1 }));
  const slipping = words.length === 1 ? [...plain, ...whole] : plain;
  return [
    ...[...plain, ...pairsOf(words), ...whole].map((one) => ({ ...one, is_slip: false })),
    ...slipping.flatMap((one) =>
      shortened(one.word).map((word) => ({ ...one, word, is_slip: true })),
    ),
  ];
}

/** The database makes the same of two words. */
export const keyOf = (one: string, other: string): string =>
  one < other ? `${one} ${other}` : `${other} ${one}`;

type Place = Pick<AskedWord, 'from' | 'to'>;
const isApart = (one: Place, other: Place): boolean => one.to < other.from || other.to < one.from;

/** Neighbours that others write as one. */
const pairsOf = (words: readonly string[]): Omit<AskedWord, 'is_slip'>[] =>
  words.slice(1).map((word, at) => ({ word: words[at]! + word, from: at, to: at + 1 }));

/** A name of one word or two is also found by all of it, so that its one word in another is nothing. */
const wholeOf = (words: readonly string[]): string[] =>
  words.length > 0 && words.length <= 2 ? [`=${words.join('')}`] : [];

function shortened(word: string): string[] {
  const start = word.startsWith('=') ? 1 : 0;
  const letters = word.length - start;
  if (letters < SHORTEST_WITH_SLIP - 1 || letters > LONGEST_WITH_SLIP) return [];
  const all = Array.from(
    { length: letters },
    (_, at) => word.slice(0, start + at) + word.slice(start + at + 1),
  );
  return [...new Set(all)];
}

/** Letters that people write and operators' files have not, beside those with accents. */
const LETTERS: Readonly<Record<string, string>> = {
  ɓ: 'b',
  ɗ: 'd',
  ƴ: 'y',
  ŋ: 'n',
  œ: 'oe',
  æ: 'ae',
  ß: 'ss',
};
/** They stand within a name: N'Diaye is NDIAYE. */
const APOSTROPHES = /['’‘ʼʻ`´′]/g;

/** The words of a name without what people write differently: capitals, accents, apostrophes, hyphens. */
export function partsOf(name: string): string[] {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[ɓɗƴŋœæß]/g, (letter) => LETTERS[letter]!)
    .replace(/\p{M}/gu, '')
    .replace(APOSTROPHES, '');
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Joins neighbours that are one part of the other name: `jean`, `paul` beside `jeanpaul`. */
export function joinedAs(parts: readonly string[], others: readonly string[]): string[] {
  const joined: string[] = [];
  for (let rest = parts; rest.length > 0;) {
    const runs = rest.map((_, end) => rest.slice(0, end + 1).join(''));
    const end = Math.max(
      0,
      runs.findLastIndex((run) => others.includes(run)),
    );
    joined.push(runs[end]!);
    rest = rest.slice(end + 1);
  }
  return joined;
}

/** The parts that the others have not, each counted as often as it is there. */
export function without(parts: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return parts.filter((part) => {
    const at = left.indexOf(part);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
