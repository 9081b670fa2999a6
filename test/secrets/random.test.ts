import { makeAdjustmentReference, makeTransferReference } from '../../secrets/random';

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
});
