// What a password must be like.

/** NIST SP 800-63B: what counts is the length. */
export const MIN_PASSWORD = 8;
/** Hashing takes longer for a longer one. */
export const MAX_PASSWORD = 1_000;

export type PasswordFault = 'short_password' | 'long_password' | 'own_name_password';

/** `names`: the username and the e-mail address, which others know. */
export function findPasswordFault(
  password: string,
  names: readonly string[],
): PasswordFault | undefined {
  if (password.length < MIN_PASSWORD) return 'short_password';
  if (password.length > MAX_PASSWORD) return 'long_password';
  const plain = password.toLowerCase();
  const known = names.flatMap((name) => [name, name.replace(/@.*$/, '')]);
  const isKnown = known.some((name) => name.toLowerCase() === plain);
  return isKnown ? 'own_name_password' : undefined;
}
