// Texts that make code slow, as long as one likes: they repeat a costly part, in the places where it may stand.

/** The largest that are let in, by kind. */
export const FULL = {
  body: 62_000,
  form_of_strangers: 16_000,
  query: 4_000,
  head: 13_000,
} as const;
export type Kind = keyof typeof FULL;

/** Texts: how they begin, and what is repeated. */
export const TEXTS = {
  letters: ['', 'a'],
  accents: ['a', '\u0301\u0316'],
  jamo: ['', '\u1100\u1161\u11a8'],
  ligatures: ['', '\ufdfa'],
  families: ['', '👩‍👩‍👧'],
  digits: ['1', '23'],
  groups: ['+221', ' 1'],
  points: ['1', ',1.'],
  hosts: ['a@', 'a.'],
  ats: ['', 'a@'],
  spaces: ['a', '  '],
  quotes: ['', '"",'],
  lines: ['to_username;currency;amount\n', 'a;XOF;1\n'],
  brackets: ['', '[{"a":'],
  links: ['https://', 'a.'],
  steps: ['https://a.example/', '../'],
  percents: ['', '%41'],
  addresses: ['', '1.1.1.1,'],
} as const;
type Shape = keyof typeof TEXTS;
export const SHAPES = Object.keys(TEXTS) as Shape[];

const repeat = (unit: string, bytes: number): string =>
  unit.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(unit))));
/** Ends with what no pattern takes. */
export function text(
  shape: Shape,
  bytes: number,
  encode = (plain: string): string => plain,
): string {
  const [start, unit] = TEXTS[shape];
  return `${encode(start)}${repeat(encode(unit), bytes - 200)}!`;
}
function list(bytes: number, unit: (n: number) => string, between = ','): string {
  const count = Math.ceil(bytes / (unit(100_000).length + 1));
  return Array.from({ length: count }, (_, n) => unit(n + 100_000)).join(between);
}

export type Fill = (bytes: number) => string;
/** The fields of a query or a form. */
export const PAIRS: Readonly<Record<string, Fill>> = {
  'one name': (bytes) => repeat('a&', bytes),
  names: (bytes) => list(bytes, String, '&'),
  percents: (bytes) => repeat('%41', bytes),
};
export const VALUES: Readonly<Record<string, Fill>> = {
  ...Object.fromEntries(
    SHAPES.map((shape) => [shape, (bytes: number) => JSON.stringify(text(shape, bytes))]),
  ),
  'a number': (bytes) => repeat('9', bytes),
  escapes: (bytes) => `"${repeat('\\u0301\\u0316', bytes)}"`,
  numbers: (bytes) => `[${list(bytes, () => '1')}]`,
  texts: (bytes) => `[${list(bytes, (n) => `"${n}"`)}]`,
  objects: (bytes) => `[${list(bytes, () => '{"a":1}')}]`,
  names: (bytes) => `{${list(bytes, (n) => `"${n}":1`)}}`,
};
export const BODIES: Readonly<Record<string, Fill>> = {
  lists: (bytes) => repeat('[', bytes / 2) + repeat(']', bytes / 2),
  objects: (bytes) => `${repeat('{"a":', bytes - bytes / 6)}1${'}'.repeat(bytes / 6)}`,
  names: (bytes) => `{${list(bytes, (n) => `"${n}":1`)}}`,
  'one name': (bytes) => `{${list(bytes, () => '"a":1')}}`,
  'a long name': (bytes) => `{"${repeat('amount', bytes)}":1}`,
};
