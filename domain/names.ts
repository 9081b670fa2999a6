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

/** What a listed name is found by; `slips`: what is left of a key without one letter, each with its key. */
export function keysOf(name: string): {
  readonly keys: readonly string[];
  readonly slips: readonly (readonly [slip: string, key: string])[];
} {
  const words = partsOf(name);
  const keys = [...new Set([...words, ...pairsOf(words), ...wholeOf(words)])];
  const long = [...words, ...(words.length === 1 ? wholeOf(words) : [])].filter(
    (word) => word.length >= SHORTEST_WITH_SLIP,
  );
  return { keys, slips: long.flatMap((word) => shortened(word).map((slip) => [slip, word])) };
}

/**
 * What to look for: a listed name that has keys of two positions may be the one, or one that is found whole. Two words
 * with the same rest without a letter of each are a slip apart, or two, which is for `likeness` to say.
 */
export function askedKeys(name: string): {
  readonly words: number;
  readonly keys: readonly string[];
  readonly positions: readonly number[];
} {
  const words = partsOf(name);
  const whole = wholeOf(words);
  const asked = [
    ...words.flatMap((word, at) => [word, ...shortened(word)].map((key) => [key, at] as const)),
    ...pairsOf(words).map((key, at) => [key, at] as const),
    ...whole.map((key) => [key, -1] as const),
    ...(words.length === 1 ? whole.flatMap(shortened).map((key) => [key, -1] as const) : []),
  ];
  return {
    words: words.length,
    keys: asked.map(([key]) => key),
    positions: asked.map(([, at]) => at),
  };
}

/** Neighbours that others write as one. */
const pairsOf = (words: readonly string[]): string[] =>
  words.slice(1).map((word, at) => words[at]! + word);

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
