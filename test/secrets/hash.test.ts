import fc from 'fast-check';
import { fingerprintFields, sha256Hex } from '../../secrets/hash';

describe('sha256Hex', () => {
  it('gives the digest of the published example', () => {
    expect(sha256Hex('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
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
