// The passwords that are tried first: NIST SP 800-63B, 5.1.1.2, wants new ones compared with a list
// of those.

import { MIN_PASSWORD, normalPassword } from '../domain/password';

let list: Promise<ReadonlySet<string>> | undefined;

/** Looks a password up without regard to capitals. */
export async function isCommonPassword(password: string): Promise<boolean> {
  return (await loadCommonPasswords()).has(normalPassword(password).toLowerCase());
}

/** Takes 60 ms once, in which nothing else runs: a server does it before its first request. */
export function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  return (list ??= readList());
}

async function readList(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const long = dictionary['passwords-common'].filter(({ length }) => length >= MIN_PASSWORD);
  return new Set(long.map((password) => password.toLowerCase()));
}
