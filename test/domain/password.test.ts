import { findPasswordFault, normalPassword } from '../../domain/password';

const NAMES = ['awa', 'Awa.Diop@example.com'];

it.each([
  ['1234567', 'short_password'],
  ['x'.repeat(1_001), 'long_password'],
  ['AWA.DIOP@example.com', 'own_name_password'],
  ['awa.diop', 'own_name_password'],
  ['awa.diop1', 'own_name_password'],
  ['awa12345', 'own_name_password'],
  ['1990-AWA.DIOP!', 'own_name_password'],
  ['awaawaawa', 'own_name_password'],
  ['00000000', 'common_password'],
  ['abcabcabc', 'common_password'],
  ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'common_password'],
  ['xyzxyzxyzxyz', 'common_password'],
  ['23456789', 'common_password'],
  ['hgfedcba', 'common_password'],
  ['awa．DIOP', 'own_name_password'],
  ['😀😁😂🤣', 'short_password'],
  ['e\u0301e\u0300e\u0302o\u0301', 'short_password'],
])('refuses %p: %s', (password, fault) => {
  expect(findPasswordFault(password, NAMES)).toBe(fault);
});

it.each([
  'four quiet words here',
  'my awa is quiet',
  'abcabcab',
  '12345679',
  'a😀b😀c😀d😀',
  'x'.repeat(999) + 'y',
])('takes %p', (password) => {
  expect(findPasswordFault(password, NAMES)).toBeUndefined();
});

// RFC 8265, section 4.2.
it.each([
  ['an accent as a character of its own', 'Cre\u0300me bru\u0302le\u0301e', 'Crème brûlée'],
  ['a no-break space', 'quatre\u00a0mots\u202fici', 'quatre mots ici'],
  ['an ideographic space', 'pass\u3000word', 'pass word'],
  ['Hangul in parts', '\u1112\u1161\u11ab', '한'],
  ['capitals and wide letters, which stay', 'ＡａÅ', 'ＡａÅ'],
])('compares %s', (_what, typed, normal) => {
  expect(normalPassword(typed)).toBe(normal);
  expect(normalPassword(normal)).toBe(normal);
});
