// Usernames. Everything that looks one up or compares one uses the form in which they are stored.

import { readEmail } from './email';

const USERNAME = /^[a-z0-9][a-z0-9._-]{2,31}$/;
/** No longer text is one, and the normal form of a very long one would take seconds. */
const MAX_TYPED = 254;

/** Stored names are lower case, in plain letters; the database has the same pattern. */
export function isUsername(text: string): boolean {
  return USERNAME.test(text);
}

/** A username made of a name: `Fatou Diop` becomes `fatou.diop`. It may be too short to be one. */
export function proposeUsername(name: string): string {
  const plain = name.slice(0, MAX_TYPED).normalize('NFKD').toLowerCase();
  const words = plain.replace(/\p{M}/gu, '').match(/[a-z0-9]+/g) ?? [];
  return words.join('.').slice(0, 28).replace(/\.$/, '');
}

/**
 * Returns the form in which a username is stored. Keyboards for other scripts write wide letters,
 * which are the same ones.
 */
export function normalUsername(text: string): string {
  const typed = text.trim();
  return typed.length > MAX_TYPED ? typed : typed.normalize('NFKC').trim().toLowerCase();
}

/**
 * Returns the stored form of what a person signs in with. Usernames have no @, so no name is both.
 */
export function normalLoginName(email_or_username: string): string {
  return readEmail(email_or_username) ?? normalUsername(email_or_username);
}
