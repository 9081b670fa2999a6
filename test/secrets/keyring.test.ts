import * as fc from 'fast-check';
import { isSealingKey, makeSealingKey, readKeyring } from '../../secrets/keyring';

describe('a ring of keys', () => {
  const [old_key, new_key] = [makeSealingKey(), makeSealingKey()];

  it.each<[string, readonly string[]]>([
    ['There is no sealing key', []],
    ['32 bytes in base64', ['']],
    ['32 bytes in base64', [old_key, 'secret']],
    ['Two of the sealing keys are the same', [old_key, new_key, old_key]],
  ])('reports %j for %j', (message, keys) => {
    expect(() => readKeyring(keys)).toThrow(message);
  });

  it('never reveals a key in an error', () => {
    expect(() => readKeyring([`${old_key}=`])).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(old_key) as string }) as Error,
    );
  });
});

describe('isSealingKey', () => {
  it('accepts 32 bytes in base64, and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const written = Buffer.from(bytes).toString('base64');
        expect(isSealingKey(written)).toBe(bytes.length === 32);
      }),
    );
    const key = makeSealingKey();
    expect(isSealingKey(key)).toBe(true);
    // Wrong length, another alphabet, or unused bits set in the last character.
    for (const other of [
      ` ${key}`,
      `${key}\n`,
      key.slice(0, -1),
      `${'A'.repeat(42)}B=`,
      '-'.repeat(43),
    ]) {
      expect(isSealingKey(other)).toBe(false);
    }
  });
});
