import fc from 'fast-check';
import { askedKeys, FOUND_FROM, keysOf, likeness } from '../../domain/names';

const word = (least: number) =>
  fc
    .array(fc.constantFrom(...'abcdeimnorstu'), { minLength: least, maxLength: 9 })
    .map((letters) => letters.join(''));

/** A word with one letter changed, left out or put in. */
const slipOf = (text: string) =>
  fc.tuple(fc.nat(text.length - 1), fc.constantFrom('changed', 'missing', 'added')).map(([at, how]) => {
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
      expect(positionsOf(asked, listed).size).toBeGreaterThan(1);
    }),
  );
});

it('names with one word in common are not alike, whatever the others are', () => {
  const shared = fc.tuple(word(3), word(3), word(3)).filter(([, one, other]) => one[0] !== other[0]);
  fc.assert(
    fc.property(shared, ([common, one, other]) => {
      // No slip of it, and no part of it: it begins with other letters.
      const [mine, theirs] = [`xx${one}`, `yy${other}`];
      expect(likeness(`${common} ${mine}`, `${theirs} ${common}`)).toBe(0);
      expect(likeness(common, `${common} ${mine}`)).toBe(0);
    }),
  );
});

/** As the database finds candidates. */
function positionsOf(asked: string, listed: string): Set<number> {
  const { keys, slips } = keysOf(listed);
  const { keys: wanted, positions } = askedKeys(asked);
  const known = new Set([...keys, ...slips.map(([slip]) => slip)]);
  return new Set(positions.filter((_, at) => known.has(wanted[at]!)));
}
