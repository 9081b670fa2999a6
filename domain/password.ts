// The rules of a password, and the form in which it is compared.

import { normalLoginName } from './username';

/** The length is what counts (NIST SP 800-63B). */
export const MIN_PASSWORD = 8;
/** Longer passwords take longer to hash. */
export const MAX_PASSWORD = 1_000;
/** The length as it is typed, where a character may be four. The normal form of a longer one would take seconds. */
const MAX_TYPED = 4 * MAX_PASSWORD;

export type PasswordFault =
  'short_password' | 'long_password' | 'own_name_password' | 'common_password';

/**
 * The one form in which passwords are hashed and judged (OpaqueString of RFC 8265): an accent is
 * one character or two, and a space one of several, by the machine on which they are typed.
 */
export function normalPassword(password: string): string {
  if (password.length > MAX_TYPED) return password;
  return password.replace(/\p{Zs}/gu, ' ').normalize('NFC');
}

/** `names`: the username and the e-mail address, which others know. */
export function findPasswordFault(
  password: string,
  names: readonly string[],
): PasswordFault | undefined {
  const normal = normalPassword(password);
  // People count characters so: NIST SP 800-63B, 5.1.1.2.
  const { length } = Array.from(normal);
  if (length < MIN_PASSWORD) return 'short_password';
  if (length > MAX_PASSWORD) return 'long_password';
  const plain = normal.toLowerCase();
  const known = names.map(normalLoginName).flatMap((name) => [name, name.replace(/@.*$/, '')]);
  const isKnown = [plain, normalLoginName(plain)].some((one) =>
    known.some((name) => isOnlyMore(one, name)),
  );
  if (isKnown) return 'own_name_password';
  return isRepetition(plain) || isSequence(plain) ? 'common_password' : undefined;
}

/**
 * Whether a password adds nothing but digits, signs or up to three letters to a name:
 * `awa.diop1990`.
 */
function isOnlyMore(plain: string, name: string): boolean {
  if (name === '' || !plain.includes(name)) return false;
  const rest = plain.replaceAll(name, '');
  return rest.length < 4 || /^[^\p{L}]*$/u.test(rest);
}

/** Whether up to four characters are repeated: `00000000`, `abcabcabc`. */
function isRepetition(text: string): boolean {
  return /^(.{1,4})\1+$/.test(text);
}

/** Whether each character is the next one, or each the one before: `23456789`, `hgfedcba`. */
function isSequence(text: string): boolean {
  const steps = Array.from(
    { length: text.length - 1 },
    (_, at) => text.charCodeAt(at + 1) - text.charCodeAt(at),
  );
  return Math.abs(steps[0]!) === 1 && steps.every((step) => step === steps[0]);
}
