import fc from 'fast-check';
import { hashApiKey, isWellFormedApiKey, makeApiKey } from '../../secrets/api-key';
import { createHash } from 'node:crypto';

const FORM = /^pay_(live|test)_[0-9A-Za-z]{38}$/;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('makeApiKey', () => {
  it('creates 10,000 different keys of the documented form, each accepted', () => {
    const keys = new Set<string>();
    for (let i = 0; i < 10_000; i += 1) {
      const { key } = makeApiKey('pay', i % 2 === 0 ? 'live' : 'sandbox');
      expect(key).toMatch(FORM);
      expect(isWellFormedApiKey(key)).toBe(true);
      keys.add(key);
    }
    expect(keys.size).toBe(10_000);
  });

  it('uses every character at every random position', () => {
    const seen = Array.from({ length: 32 }, () => new Set<string>());
    for (let i = 0; i < 2_000; i += 1) {
      const random = makeApiKey('pay', 'live').key.slice('pay_live_'.length, -6);
      Array.from(random).forEach((character, index) => seen[index]!.add(character));
    }
    for (const characters of seen) expect(characters.size).toBe(62);
  });

  it.each([
    ['pay', 'live', 'pay_live_'],
    ['pay', 'sandbox', 'pay_test_'],
    ['sk', 'live', 'sk_live_'],
    ['sk', 'sandbox', 'sk_test_'],
  ] as const)('§5 a key of %s in %s starts with %s', (prefix, environment, start) => {
    const made = makeApiKey(prefix, environment);
    expect(made.key.startsWith(start)).toBe(true);
    expect(`${made.key_prefix}_`).toBe(start);
    expect(made.key.endsWith(made.last_four)).toBe(true);
  });

  it('§5 returns only the SHA-256 hash, the prefix and four characters for storage', () => {
    const { key, ...kept } = makeApiKey('pay', 'live');
    expect(kept).toEqual({
      key_hash: createHash('sha256').update(key).digest(),
      key_prefix: 'pay_live',
      last_four: key.slice(-4),
    });
    expect(hashApiKey(key)).toEqual(kept.key_hash);
  });
});

describe('isWellFormedApiKey', () => {
  it('refuses a key with any one character changed', () => {
    const { key } = makeApiKey('pay', 'live');
    for (let at = 0; at < key.length; at += 1) {
      for (const character of `${BASE62}_- `) {
        if (character === key[at]) continue;
        const changed = key.slice(0, at) + character + key.slice(at + 1);
        expect(isWellFormedApiKey(changed)).toBe(false);
      }
    }
  });

  it('refuses a key with two neighbours swapped, one lost or one doubled', () => {
    fc.assert(
      fc.property(fc.nat(46), (at) => {
        const { key } = makeApiKey('pay', 'sandbox');
        const swapped = key.slice(0, at) + (key[at + 1] ?? '') + key[at]! + key.slice(at + 2);
        const lost = key.slice(0, at) + key.slice(at + 1);
        const doubled = key.slice(0, at) + key[at]! + key.slice(at);
        if (swapped !== key) expect(isWellFormedApiKey(swapped)).toBe(false);
        expect(isWellFormedApiKey(lost)).toBe(false);
        expect(isWellFormedApiKey(doubled)).toBe(false);
      }),
    );
  });

  it('refuses any other text without throwing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(isWellFormedApiKey(text)).toBe(false);
      }),
    );
    const { key } = makeApiKey('pay', 'live');
    for (const text of [`${key}\n`, ` ${key}`, `${key} `, key.toUpperCase(), '']) {
      expect(isWellFormedApiKey(text)).toBe(false);
    }
  });
});
