import fc from 'fast-check';
import {
  askedWords,
  FOUND_FROM,
  keyOf,
  keysOf,
  likeness,
  partsOf,
  slipsOf,
} from '../../domain/names';

const word = (least: number) =>
  fc
    .array(fc.constantFrom(...'a b c d e i m n o r s t u'.split(' ')), {
      minLength: least,
      maxLength: 9,
    })
    .map((letters) => letters.join(''));

/** A word with one letter changed, left out or put in. */
const slipOf = (text: string) =>
  fc
    .tuple(fc.nat(text.length - 1), fc.constantFrom('changed', 'missing', 'added'))
    .map(([at, how]) => {
      const rest = how === 'added' ? text.slice(at) : text.slice(at + 1);
      return text.slice(0, at) + (how === 'missing' ? '' : 'z') + rest;
    });

it('a name with a slip in one of its words is like it, and its keys lead there', () => {
  const given = fc.tuple(word(5), word(2), fc.boolean()).chain(([long, other, turned]) =>
    slipOf(long).map((slip) => ({
      listed: `${long} ${other}`,
      asked: turned ? `${other} ${slip}` : `${slip} ${other}`,
    })),
  );
  fc.assert(
    fc.property(given, ({ listed, asked }) => {
      expect(likeness(asked, listed)).toBeGreaterThanOrEqual(FOUND_FROM);
      expect(isFound(asked, listed)).toBe(true);
    }),
  );
});

it('a name that lacks a third of the words is like it, and is found by two of the rest', () => {
  const many = fc
    .uniqueArray(word(3), { minLength: 3, maxLength: 12 })
    .filter((all) => all.length % 3 === 0);
  fc.assert(
    fc.property(many, fc.nat(), (words, turn) => {
      const turned = [...words.slice(turn % words.length), ...words.slice(0, turn % words.length)];
      const asked = turned.slice(words.length / 3).join(' ');
      expect(likeness(asked, words.join(' '))).toBeGreaterThanOrEqual(FOUND_FROM);
      expect(isFound(asked, words.join(' '))).toBe(true);
    }),
  );
});

it('names with one word in common are not alike, whatever the others are', () => {
  const shared = fc
    .tuple(word(3), word(3), word(3))
    .filter(([, one, other]) => one[0] !== other[0]);
  fc.assert(
    fc.property(shared, ([common, one, other]) => {
      // No slip of it, and no part of it: it begins with other letters.
      const [mine, theirs] = [`xx${one}`, `yy${other}`];
      expect(likeness(`${common} ${mine}`, `${theirs} ${common}`)).toBe(0);
      expect(likeness(common, `${common} ${mine}`)).toBe(0);
    }),
  );
});

/** A candidate that the database has found. */
function isFound(asked: string, listed: string): boolean {
  const { keys, slipping } = keysOf(partsOf(listed));
  const meant = askedWords(asked).flatMap(({ is_slip, word, ...place }) => [
    ...(is_slip ? [] : [{ word, ...place }]),
    ...slipping.filter((of) => slipsOf(of).includes(word)).map((of) => ({ word: of, ...place })),
  ]);
  return meant.some((one) =>
    meant.some((other) => one.to < other.from && keys.includes(keyOf(one.word, other.word))),
  );
}
