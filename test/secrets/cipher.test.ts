import { makeSealingKey } from '../../secrets/keyring';
import { createCipher } from '../../secrets/cipher';

const KEY = makeSealingKey();
const LABEL = 'purpose/1';
const text = Buffer.from('order of awa@example.com');

it('decrypts in another process what it encrypted, and nothing of it is readable', () => {
  const encrypted = createCipher([KEY], LABEL).encrypt(text, 'row-1');
  expect(encrypted.includes('awa')).toBe(false);
  expect(createCipher([KEY], LABEL).decrypt(encrypted, 'row-1')).toEqual(text);
});

it('encrypts the same text differently each time, with a key of its own for each process', () => {
  const [one, other] = [createCipher([KEY], LABEL), createCipher([KEY], LABEL)];
  const values = [one, one, other].map((cipher) => cipher.encrypt(text, '').toString('hex'));
  expect(new Set(values).size).toBe(3);
  const salts = values.map((value) => value.slice(10, 42));
  expect(salts[0]).toBe(salts[1]);
  expect(salts[0]).not.toBe(salts[2]);
});

it('decrypts with every key and encrypts with the first, so that keys can be replaced', () => {
  const next = makeSealingKey();
  const [before, after] = [createCipher([KEY], LABEL), createCipher([next, KEY], LABEL)];
  expect(after.decrypt(before.encrypt(text, ''), '')).toEqual(text);
  expect(() => before.decrypt(after.encrypt(text, ''), '')).toThrow('None of the keys');
  expect(after.key_id).not.toBe(before.key_id);
});

it('refuses another context, another purpose, each changed byte, and anything that is too short', () => {
  const cipher = createCipher([KEY], LABEL);
  const encrypted = cipher.encrypt(text, 'row-1');
  expect(() => cipher.decrypt(encrypted, 'row-2')).toThrow('changed, or belongs elsewhere');
  expect(() => createCipher([KEY], 'purpose/2').decrypt(encrypted, 'row-1')).toThrow('changed');
  for (let at = 0; at < encrypted.length; at += 1) {
    const changed = Buffer.from(encrypted);
    changed[at]! ^= 1;
    expect(() => cipher.decrypt(changed, 'row-1')).toThrow(/encrypted/);
    expect(() => cipher.decrypt(encrypted.subarray(0, at), 'row-1')).toThrow(/encrypted/);
  }
});
