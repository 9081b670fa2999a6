import fc from 'fast-check';
import { differingFields } from '../../domain/idempotency';

describe('differingFields', () => {
  const fingerprint = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2'));

  it('is empty for equal bodies and names every field that differs, in order', () => {
    fc.assert(
      fc.property(fingerprint, fingerprint, (first, second) => {
        const expected = ['a', 'b', 'c', 'd'].filter((name) => first[name] !== second[name]);
        expect(differingFields(first, second)).toEqual(expected);
        expect(differingFields(second, first)).toEqual(expected);
        expect(differingFields(first, first)).toEqual([]);
      }),
    );
  });
});
