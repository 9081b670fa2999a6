import fc from 'fast-check';
import { AMOUNT_PATTERN } from '../../domain/money';
import { MAX_POINTER, scanJson } from '../../domain/json-source';

/** A JSON text and what a scan of it must find, built together. */
interface Sample {
  readonly text: string;
  readonly numbers: readonly (readonly [pointer: string, source: string])[];
  readonly depth: number;
}

const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,3})?$/);
const gap = fc.stringMatching(/^[ \t\n\r]{0,2}$/);
const text = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '/', '~', '{', '[', ',', ':', '1', '\u2028', '😀', '\n'),
});

const { sample } = fc.letrec<{ sample: Sample; leaf: Sample; array: Sample; object: Sample }>(
  (tie) => ({
    sample: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('leaf'),
      tie('array'),
      tie('object'),
    ),
    leaf: fc.oneof(
      number.map((source) => ({ text: source, numbers: [['', source] as const], depth: 0 })),
      fc
        .oneof(
          text.map((t) => JSON.stringify(t)),
          number.map((t) => JSON.stringify(t)),
          fc.constantFrom('true', 'false', 'null', '"\\u0031\\""', '"\\u0031\\u002e5"'),
        )
        .map((source) => ({ text: source, numbers: amountIn(source), depth: 0 })),
    ),
    array: fc.array(fc.tuple(gap, tie('sample'), gap), { maxLength: 4 }).map((items) => ({
      text: `[${items.map(([before, item, after]) => before + item.text + after).join(',')}]`,
      numbers: items.flatMap(([, item], index) => below(String(index), item)),
      depth: 1 + Math.max(0, ...items.map(([, item]) => item.depth)),
    })),
    object: fc
      .uniqueArray(fc.tuple(text, gap, tie('sample'), gap), {
        maxLength: 4,
        selector: ([key]) => key,
      })
      .map((fields) => ({
        text: `{${fields.map(([key, before, value, after]) => `${before}${JSON.stringify(key)}${after}:${before}${value.text}${after}`).join(',')}}`,
        numbers: fields.flatMap(([key, , value]) => below(key, value)),
        depth: 1 + Math.max(0, ...fields.map(([, , value]) => value.depth)),
      })),
  }),
);

/** An amount may be written as text. */
function amountIn(source: string): Sample['numbers'] {
  const value = JSON.parse(source) as unknown;
  const isAmount = typeof value === 'string' && /^(0|[1-9]\d*)(\.\d+)?$/.test(value);
  return isAmount ? [['', value]] : [];
}

function below(key: string, { numbers }: Sample): (readonly [string, string])[] {
  const token = key.replaceAll('~', '~0').replaceAll('/', '~1');
  return numbers.map(([pointer, source]) => [`/${token}${pointer}`, source] as const);
}

describe('scanJson', () => {
  it('finds the source text of every number, and of every text that is an amount, at its pointer, and the depth', () => {
    fc.assert(
      fc.property(sample, ({ text: json, numbers, depth }) => {
        JSON.parse(json);
        const source = scanJson(json);
        expect([...source.numbers]).toEqual(
          numbers.filter(([pointer]) => pointer.length <= MAX_POINTER),
        );
        expect(source.depth).toBe(depth);
        expect(source.duplicate_key).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('finds an amount of the longest text that the schema takes, with each character escaped', () => {
    const longest = `1${'0'.repeat(30)}.${'0'.repeat(30)}`;
    const escaped = Array.from(longest, escape).join('');
    expect([...scanJson(`{"amount":"${escaped}"}`).numbers]).toEqual([['/amount', longest]]);
    expect(new RegExp(AMOUNT_PATTERN).test(`${longest}0`)).toBe(false);
  });

  it('names a key that is repeated in one object, however it is escaped', () => {
    fc.assert(
      fc.property(text, sample, sample, fc.boolean(), (key, first, second, escaped) => {
        const again = escaped ? `"${Array.from(key, escape).join('')}"` : JSON.stringify(key);
        const json = `[{"other":{}},{${JSON.stringify(key)}:${first.text},"x-${again.slice(1)}:0,${again}:${second.text}}]`;
        expect(JSON.parse(json)).toHaveLength(2);
        expect(scanJson(json).duplicate_key).toBe(key);
      }),
    );
  });

  it.each([
    ['{"amount":5000.00}', '/amount', '5000.00'],
    ['{"amount":9007199254740993}', '/amount', '9007199254740993'],
    ['{"amount":1e999}', '/amount', '1e999'],
    ['{"amount":-0.10}', '/amount', '-0.10'],
    ['{"a":[1,{"b":2.50}]}', '/a/1/b', '2.50'],
    ['{"":3}', '/', '3'],
    ['7.0', '', '7.0'],
    ['{"a/b":{"c~d":1}}', '/a~1b/c~0d', '1'],
  ])('keeps the digits of %s', (json, pointer, source) => {
    expect(scanJson(json).numbers.get(pointer)).toBe(source);
  });

  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":{"b":1,"b":2}}', 'b'],
    ['[{"a":1},{"a":2}]', undefined],
    ['{"a":{"a":{"a":1}}}', undefined],
    ['{"a":"a","b":"a"}', undefined],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"":1,"":2}', ''],
  ])('judges the keys of %s', (json, duplicate) => {
    expect(scanJson(json).duplicate_key).toBe(duplicate);
  });

  it('leaves out a number whose pointer is longer than any field we read', () => {
    const at = (length: number) => `/${'k'.repeat(length - 1)}`;
    const keys = [MAX_POINTER, MAX_POINTER + 1].map((length) => at(length).slice(1));
    const { numbers } = scanJson(`{"${keys[0]}":1,"${keys[1]}":2,"after":3}`);
    expect([...numbers]).toEqual([
      [at(MAX_POINTER), '1'],
      ['/after', '3'],
    ]);
    const nested = scanJson(`{"${keys[1]}":[[4]],"after":5}`);
    expect([...nested.numbers]).toEqual([['/after', '5']]);
    expect(nested.depth).toBe(3);
  });

  it('takes no longer than linear time and no stack for a long or deep text', () => {
    const deep = '['.repeat(30_000) + ']'.repeat(30_000);
    expect(scanJson(deep).depth).toBe(30_000);
    const long = `"${'\\"'.repeat(30_000)}"`;
    expect(scanJson(long).depth).toBe(0);
  });
});

function escape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
