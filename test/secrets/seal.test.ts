import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { createSealer, isSealingKey, makeSealingKey } from '../../secrets/seal';

const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const context = fc.string({ maxLength: 40 });

describe('a sealer', () => {
  const key = makeSealingKey();
  const sealer = createSealer([key]);

  it('opens what it has sealed, for the same row', () => {
    fc.assert(
      fc.property(text, context, (secret, row) => {
        expect(sealer.open(sealer.seal(secret, row), row)).toBe(secret);
      }),
    );
  });

  it('opens nothing for another row', () => {
    fc.assert(
      fc.property(text, context, context, (secret, row, other) => {
        fc.pre(row !== other);
        const sealed = sealer.seal(secret, row);
        expect(() => sealer.open(sealed, other)).toThrow('changed, or belongs to another row');
      }),
    );
  });

  it('opens no value with a changed byte', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.integer({ min: 1, max: 255 }), (secret, at, change) => {
        const sealed = sealer.seal(secret, 'row');
        const index = at % sealed.length;
        sealed[index] = sealed[index]! ^ change;
        expect(() => sealer.open(sealed, 'row')).toThrow(/seal(ed|ing)/);
      }),
    );
  });

  it('opens no truncated value, and none that it has not sealed', () => {
    const sealed = sealer.seal('secret', 'row');
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => sealer.open(sealed.subarray(0, length), 'row')).toThrow(/sealed/);
    }
    expect(() => sealer.open(Buffer.from('whsec_plain'), 'row')).toThrow('not a sealed value');
  });

  it('writes the version, the key id and a nonce, and nothing else readable', () => {
    const sealed = sealer.seal('secret', 'row');
    const key_hash = createHash('sha256').update(Buffer.from(key, 'base64')).digest();
    expect(sealed[0]).toBe(1);
    expect(sealed.subarray(1, 5)).toEqual(key_hash.subarray(0, 4));
    expect(sealed).toHaveLength(1 + 4 + 12 + 'secret'.length + 16);
  });

  it('seals the same text differently each time', () => {
    const all = Array.from({ length: 1_000 }, () => sealer.seal('secret', 'row').toString('hex'));
    const nonces = all.map((sealed) => sealed.slice(10, 34));
    expect(new Set(nonces).size).toBe(1_000);
  });
});

describe('a rotation of the sealing key', () => {
  const [old_key, new_key] = [makeSealingKey(), makeSealingKey()];

  it('opens with every key, and seals with the first', () => {
    const before = createSealer([old_key]);
    const during = createSealer([new_key, old_key]);
    const after = createSealer([new_key]);
    const sealed = before.seal('secret', 'row');
    expect([before, during].map((sealer) => sealer.open(sealed, 'row'))).toEqual([
      'secret',
      'secret',
    ]);
    expect([before, during, after].map((sealer) => sealer.isCurrent(sealed))).toEqual([
      true,
      false,
      false,
    ]);

    const again = during.seal(during.open(sealed, 'row'), 'row');
    expect(during.isCurrent(again)).toBe(true);
    expect(after.open(again, 'row')).toBe('secret');
    expect(() => after.open(sealed, 'row')).toThrow('None of the sealing keys');
  });

  it.each<[string, readonly string[]]>([
    ['There is no sealing key', []],
    ['32 bytes in base64', ['']],
    ['32 bytes in base64', [old_key, 'secret']],
    ['Two of the sealing keys are the same', [old_key, new_key, old_key]],
  ])('reports %j for %j', (message, keys) => {
    expect(() => createSealer(keys)).toThrow(message);
  });

  it('never reveals a key in an error', () => {
    expect(() => createSealer([`${old_key}=`])).toThrow(
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
