// Refuses passwords that a person may not choose.

import { findPasswordFault, type PasswordFault } from '../domain/password';
import { isCommonPassword } from '../secrets/common-passwords';

/** `names`: the username and the e-mail address, which others know. */
export async function findNewPasswordFault(
  password: string,
  names: readonly string[],
): Promise<PasswordFault | undefined> {
  const fault = findPasswordFault(password, names);
  if (fault) return fault;
  return (await isCommonPassword(password)) ? 'common_password' : undefined;
}
