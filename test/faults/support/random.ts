// Chance that repeats itself: everything an experiment leaves to chance comes from its seed.

export interface Random {
  /** Returns a number from 0 to below 1. */
  next(): number;
  /** Both ends included. */
  integer(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** The name keeps experiments apart: one alone draws what it draws in a complete run. */
export function createRandom(seed: number, name: string): Random {
  let state = seed;
  for (const letter of name) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193);
  // mulberry32 (Tommy Ettinger, public domain): 32 bits of state are plenty for a plan.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (list) => {
      if (list.length === 0) throw new Error('nothing to pick from');
      return list[integer(0, list.length - 1)]!;
    },
  };
}
