// Unicode's normal forms take the square of a text's length when it is one letter with nothing but accents: a text
// is measured before it is brought into one, however it arrives.

import { readEmail } from '../../domain/email';
import { findPasswordFault, MAX_PASSWORD, normalPassword } from '../../domain/password';
import { readContact, readDisplayName } from '../../domain/public-profile';
import { normalLoginName, normalUsername } from '../../domain/username';

const LONG = `a${'\u0301\u0316'.repeat(15_500)}`;

afterEach(() => {
  jest.restoreAllMocks();
});

it.each<[string, (text: string) => unknown]>([
  ['an e-mail address', readEmail],
  ['the host of an e-mail address', (text) => readEmail(`awa@${text}`)],
  ['a username', normalUsername],
  ['what a person signs in with', normalLoginName],
  ['a password', normalPassword],
  ['a new password', (text) => findPasswordFault(text, [text])],
  ['the name of a shop', readDisplayName],
  ['how to reach a shop', readContact],
])('%s of 31,001 characters is brought into no normal form', (_name, read) => {
  const normalize = jest.spyOn(String.prototype, 'normalize');
  read(LONG);
  const longest = Math.max(0, ...normalize.mock.contexts.map((text) => String(text).length));
  expect(longest).toBeLessThan(4_000);
});

it('keeps what it was: the longest texts are read, with accents of their own', () => {
  expect(readEmail(`${'e\u0301'.repeat(60)}@example.com`)).toBe(`${'é'.repeat(60)}@example.com`);
  expect(normalUsername(`  ${'Ａ'.repeat(32)} `)).toBe('a'.repeat(32));
  expect(normalPassword('e\u0301'.repeat(MAX_PASSWORD))).toBe('é'.repeat(MAX_PASSWORD));
  expect(readDisplayName(`${'e\u0301'.repeat(100)}  `)).toBe('é'.repeat(100));
});
