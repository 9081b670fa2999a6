import { makeSealingKey } from '../../secrets/keyring';
import { createSigner } from '../../secrets/signature';

const KEY = makeSealingKey();
const signer = createSigner([KEY], 'purpose/1');

const value = { amount_minor: '500', to_username: 'awa', fingerprint: { amount: 'aa', to: 'bb' } };

/** What Temporal's JSON makes of it. */
const travelled = (given: unknown): unknown => JSON.parse(JSON.stringify(given));

it('verifies what it signed, in whatever order the fields come back', () => {
  const reordered = {
    fingerprint: { to: 'bb', amount: 'aa' },
    to_username: 'awa',
    amount_minor: '500',
  };
  expect(signer.isSigned(travelled(reordered), signer.sign(value))).toBe(true);
});

it.each([
  ['a changed field', { ...value, amount_minor: '501' }],
  ['a changed field inside', { ...value, fingerprint: { ...value.fingerprint, to: 'bc' } }],
  ['a missing field', { amount_minor: '500', to_username: 'awa' }],
  ['one more field', { ...value, accept_before: '2099-01-01T00:00:00Z' }],
  ['text moved between two fields', { ...value, amount_minor: '50', to_username: '0awa' }],
  ['a number instead of text', { ...value, amount_minor: 500 }],
  ['a list instead of an object', Object.entries(value)],
  ['nothing', undefined],
])('refuses %s', (_what, changed) => {
  expect(signer.isSigned(changed, signer.sign(value))).toBe(false);
});

it.each([
  ['nothing', undefined],
  ['no text', { signature: 'x' }],
  ['an empty text', ''],
  ['another version', signer.sign(value).replace('1.', '2.')],
  ['an unknown key', signer.sign(value).replace(/\.[0-9a-f]{8}\./, '.00000000.')],
  ['a character more', `${signer.sign(value)}A`],
  ['a character less', signer.sign(value).slice(0, -1)],
  ['only its key', signer.sign(value).slice(0, 11)],
])('refuses a signature that is %s', (_what, signature) => {
  expect(signer.isSigned(value, signature)).toBe(false);
});

it('refuses each changed bit', () => {
  const signature = signer.sign(value);
  const bytes = Buffer.from(signature.slice(11), 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    const text = signature.slice(0, 11) + changed.toString('base64url');
    expect(signer.isSigned(value, text)).toBe(false);
  }
});

it('signs for one purpose only', () => {
  const other = createSigner([KEY], 'purpose/2');
  expect(other.isSigned(value, signer.sign(value))).toBe(false);
});

it('verifies with every key and signs with the first, so that keys can be replaced', () => {
  const next = makeSealingKey();
  const rotating = createSigner([next, KEY], 'purpose/1');
  expect(rotating.isSigned(value, signer.sign(value))).toBe(true);
  expect(signer.isSigned(value, rotating.sign(value))).toBe(false);
  expect(createSigner([KEY, next], 'purpose/1').isSigned(value, rotating.sign(value))).toBe(true);
});

it('refuses a value so deep that reading it would end the process', () => {
  const depth = 200_000;
  const deep: unknown = JSON.parse('['.repeat(depth) + ']'.repeat(depth));
  expect(signer.isSigned(deep, signer.sign(value))).toBe(false);
});
