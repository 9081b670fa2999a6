// Finds what `JSON.parse` loses: the source text of numbers (amounts may be written as texts), repeated keys, and the
// depth. It walks a text that `JSON.parse` has already accepted, so it does not check the grammar again.

import { AMOUNT_PATTERN } from './money';

export interface JsonSource {
  /**
   * Source text of each number by JSON pointer (RFC 6901): `/amount` → `5000.00`, also of `"5000.00"`. Numbers whose
   * pointer is longer than `MAX_POINTER` are left out, and those after the first `MAX_NUMBERS`.
   */
  readonly numbers: ReadonlyMap<string, string>;
  /** The first key that occurs twice in one object; `JSON.parse` would silently take the last. */
  readonly duplicate_key: string | undefined;
  readonly depth: number;
  /**
   * The number of commas in arrays and objects bounds that of values, besides the containers around
   * them.
   */
  readonly commas: number;
}

const NUMBER_TEXT = new RegExp(AMOUNT_PATTERN);
/** A digit may be written as an escape of six characters. */
const MAY_BE_NUMBER = /^"[\d\\].{0,400}$/;

/**
 * The pointers of the fields that we read are far shorter. Without a bound, a body of one long key
 * and many numbers would cost memory in the square of its size.
 */
export const MAX_POINTER = 200;

/** A body of 64 KiB has fewer, and so has the largest body that we read. */
const MAX_NUMBERS = 40_000;
/** Accepted bodies are far less deep: what comes after this depth is not read. */
const MAX_DEPTH = 40_000;

interface Frame {
  readonly pointer: string | undefined;
  readonly is_object: boolean;
  first_key: string | undefined;
  /** All keys, from the second one on. */
  keys: Set<string> | undefined;
  index: number;
  key: string | undefined;
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// The pattern takes any valid string. An escape has at least two characters, and the second may be
// a quote.
const STRING = /"(?:[^"\\]|\\.)*"/y;

export function scanJson(text: string): JsonSource {
  const scan = openScan(text);
  scan.run(text.length);
  return scan.source();
}

export interface JsonScan {
  /** Reads about so many characters more; false at the end. A long text can be read in turns. */
  run(characters: number): boolean;
  /** Returns the source of what was read. */
  source(): JsonSource;
}

/** `max_commas`: what comes after them is not read. */
export function openScan(text: string, max_commas = Infinity): JsonScan {
  const numbers = new Map<string, string>();
  let duplicate_key: string | undefined;
  let depth = 0;
  let commas = 0;
  const stack: Frame[] = [];
  let at = 0;

  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += Math.max(1, found.length);
    return found;
  };
  /** The frame still points to the value that was read last. */
  const keep = (source: string): void => {
    const pointer = numbers.size < MAX_NUMBERS ? pointerHere(stack) : undefined;
    if (pointer !== undefined) numbers.set(pointer, source);
  };
  const open = (isObject: boolean): void => {
    stack.push({
      pointer: pointerHere(stack),
      is_object: isObject,
      keys: undefined,
      first_key: undefined,
      index: 0,
      key: undefined,
    });
    depth = Math.max(depth, stack.length);
    at = depth < MAX_DEPTH ? at + 1 : text.length;
  };

  const run = (characters: number): boolean => {
    const end = Math.min(text.length, at + characters);
    while (at < end) {
      const frame = stack.at(-1);
      const character = text[at];
      if (character === '{') open(true);
      else if (character === '[') open(false);
      else if (character === '}' || character === ']') {
        stack.pop();
        at += 1;
      } else if (character === ',') {
        if (frame) {
          frame.index += 1;
          frame.key = undefined;
        }
        commas += 1;
        at = commas > max_commas ? text.length : at + 1;
      } else if (character === '"') {
        const source = match(STRING);
        if (frame?.is_object && frame.key === undefined) {
          const key = source.includes('\\') ? (JSON.parse(source) as string) : source.slice(1, -1);
          if (isRepeated(frame, key)) duplicate_key ??= key;
          frame.key = key;
        } else if (MAY_BE_NUMBER.test(source)) {
          const text = JSON.parse(source) as string;
          if (NUMBER_TEXT.test(text)) keep(text);
        }
      } else if (character === '-' || (character! >= '0' && character! <= '9')) {
        keep(match(NUMBER));
      } else at += 1;
    }
    return at < text.length;
  };
  return { run, source: () => ({ numbers, duplicate_key, depth, commas }) };
}

/** The set is made for the second key: a body may have thousands of objects with one. */
function isRepeated(frame: Frame, key: string): boolean {
  if (frame.first_key === undefined) {
    frame.first_key = key;
    return false;
  }
  frame.keys ??= new Set([frame.first_key]);
  const has = frame.keys.has(key);
  frame.keys.add(key);
  return has;
}

function pointerHere(stack: readonly Frame[]): string | undefined {
  const frame = stack.at(-1);
  if (!frame) return '';
  if (frame.pointer === undefined) return undefined;
  const key = frame.key?.replaceAll('~', '~0').replaceAll('/', '~1') ?? '';
  const pointer = `${frame.pointer}/${frame.is_object ? key : frame.index}`;
  return pointer.length > MAX_POINTER ? undefined : pointer;
}
