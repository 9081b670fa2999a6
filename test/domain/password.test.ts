import { findPasswordFault } from '../../domain/password';

const NAMES = ['awa', 'Awa.Diop@example.com'];

it.each([
  ['1234567', 'short_password'],
  ['x'.repeat(1_001), 'long_password'],
  ['AWA.DIOP@example.com', 'own_name_password'],
  ['awa.diop', 'own_name_password'],
  ['00000000', 'common_password'],
  ['abcabcabc', 'common_password'],
  ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'common_password'],
  ['xyzxyzxyzxyz', 'common_password'],
  ['23456789', 'common_password'],
  ['hgfedcba', 'common_password'],
])('refuses %p: %s', (password, fault) => {
  expect(findPasswordFault(password, NAMES)).toBe(fault);
});

it.each(['four quiet words here', 'abcabcab', '12345679', 'a😀b😀c😀d😀', 'x'.repeat(999) + 'y'])(
  'takes %p',
  (password) => {
    expect(findPasswordFault(password, NAMES)).toBeUndefined();
  },
);
