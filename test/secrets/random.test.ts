import {
  makeAdjustmentReference,
  makeTransferReference,
  makeTransferReferences,
} from '../../secrets/random';

describe('references', () => {
  it.each([
    ['TRF-', makeTransferReference],
    ['ADJ-', makeAdjustmentReference],
  ])('start with %s, never repeat and can be read aloud', (prefix, make) => {
    const made = new Set(Array.from({ length: 10_000 }, make));
    expect(made.size).toBe(10_000);
    for (const reference of made) {
      expect(reference.slice(0, 4)).toBe(prefix);
      expect(reference.slice(4)).toMatch(/^[0-9A-HJKMNP-TV-Z]{20}$/);
    }
  });

  it('begin with the time, so that later ones sort behind', () => {
    const at = (iso: string): string => {
      jest.useFakeTimers({ now: new Date(iso) });
      return makeTransferReference();
    };
    const made = ['2001-09-09', '2026-11-30', '2026-11-30T00:00:00.001Z', '3000-01-01'].map(at);
    const [another, same] = makeTransferReferences(2);
    jest.useRealTimers();
    expect([...made].sort()).toEqual(made);
    expect(new Set([...made, another, same].map((one) => one!.slice(0, 13))).size).toBe(4);
  });
});
