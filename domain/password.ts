// What a password must be like.

/** NIST SP 800-63B: what counts is the length. */
export const MIN_PASSWORD = 8;
/** Hashing takes longer for a longer one. */
export const MAX_PASSWORD = 1_000;

export type PasswordFault =
  'short_password' | 'long_password' | 'own_name_password' | 'common_password';

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
  if (isKnown) return 'own_name_password';
  return isRepetition(plain) || isSequence(plain) ? 'common_password' : undefined;
}

/** Of up to four characters: `00000000`, `abcabcabc`. */
function isRepetition(text: string): boolean {
  return /^(.{1,4})\1+$/.test(text);
}

/** Each character is the next one, or each the one before: `23456789`, `hgfedcba`. */
function isSequence(text: string): boolean {
  const steps = Array.from(
    { length: text.length - 1 },
    (_, at) => text.charCodeAt(at + 1) - text.charCodeAt(at),
  );
  return Math.abs(steps[0]!) === 1 && steps.every((step) => step === steps[0]);
}
