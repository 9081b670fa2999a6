import { makeAdjustmentReference, makeTransferReference, randomText } from '../../secrets/random';

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

  it('use all 32 characters about equally often', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 3_200; i += 1) {
      for (const character of makeTransferReference().slice(4)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    // 2,000 expected each, standard deviation 44; six standard deviations on either side.
    expect(counts.size).toBe(32);
    for (const count of counts.values()) {
      expect(count).toBeGreaterThan(1_736);
      expect(count).toBeLessThan(2_264);
    }
  });
});

describe('randomText', () => {
  it('has the requested length and alphabet', () => {
    expect(randomText('ab', 64)).toMatch(/^[ab]{64}$/);
    expect(randomText('ab', 0)).toBe('');
  });
});
