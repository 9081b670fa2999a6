import * as fc from 'fast-check';
import { makeSealingKey } from '../../secrets/keyring';
import { createSealer } from '../../secrets/seal';

const [old_key, new_key] = [makeSealingKey(), makeSealingKey()];
const sealer = createSealer([old_key]);

it('opens what it has sealed, for the same row only', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 200 });
  const context = fc.string({ maxLength: 40 });
  fc.assert(
    fc.property(text, context, context, (secret, row, other) => {
      fc.pre(row !== other);
      const sealed = sealer.seal(secret, row);
      expect(sealer.open(sealed, row)).toBe(secret);
      expect(() => sealer.open(sealed, other)).toThrow('changed, or belongs elsewhere');
    }),
  );
  expect(() => sealer.open(Buffer.from('whsec_plain'), 'row')).toThrow('not an encrypted value');
});

it('opens with every key, seals with the first, and tells what has to be sealed again', () => {
  const during = createSealer([new_key, old_key]);
  const after = createSealer([new_key]);
  const sealed = sealer.seal('secret', 'row');
  expect(during.open(sealed, 'row')).toBe('secret');
  expect([sealer, during, after].map((one) => one.isCurrent(sealed))).toEqual([true, false, false]);
  const again = during.seal(during.open(sealed, 'row'), 'row');
  expect(during.isCurrent(again)).toBe(true);
  expect(after.open(again, 'row')).toBe('secret');
  expect(() => after.open(sealed, 'row')).toThrow('None of the keys');
});
