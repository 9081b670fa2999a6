import fc from 'fast-check';
import { fingerprintFields, uuidOf } from '../../secrets/hash';

describe('uuidOf', () => {
  it('is the same for the same text, and a UUID for validators that know versions 1 to 5', () => {
    const RFC_4122 = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(uuidOf(text)).toMatch(RFC_4122);
        expect(uuidOf(text)).toBe(uuidOf(text));
      }),
    );
    expect(uuidOf('a')).not.toBe(uuidOf('b'));
  });
});

describe('fingerprintFields', () => {
  it('is equal exactly for equal fields and does not show them', () => {
    const fields = fc.record({ to_username: fc.string(), amount: fc.string() });
    fc.assert(
      fc.property(fields, fields, (first, second) => {
        const isSame = first.to_username === second.to_username && first.amount === second.amount;
        const hashed = [fingerprintFields(first), fingerprintFields(second)] as const;
        expect(JSON.stringify(hashed[0]) === JSON.stringify(hashed[1])).toBe(isSame);
        for (const hash of Object.values(hashed[0])) expect(hash).toMatch(/^[0-9a-f]{16}$/);
      }),
    );
  });
});
