// E-mail addresses, and the one form in which they are stored, compared and counted: however it
// was typed, and whatever machine it was typed on, an address is one text. The database
// checks the same form with what SQL can say (db/migrations/0007-people.sql).

import { parseUrl } from './url';

export const MAX_EMAIL = 254;
/** The length as it is typed, where an accent may be a character of its own. Longer ones are no address, however long. */
const MAX_TYPED = 2 * MAX_EMAIL;

// RFC 5322's dot-atom, with letters of every script (RFC 6531), but without control or format
// characters and the signs that a mail program reads as the border of an address.
const LOCAL =
  /^(?=.{1,64}$)(?!.*\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}!#$%&'*+\-/=?^_`{|}~]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+\-/=?^_`{|}~]+)*$/u;
const HOST = /^[\p{L}\p{M}\p{N}.-]+$/u;
/** A domain has at least two labels of DNS, the last of which is no number. */
const LABELS =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Returns an address in the one form: NFKC, lower case, the domain by IDNA (`xn--…`); undefined
 * when it is none. Capitals before the @ are dropped too, although RFC 5321 would let a host tell
 * them apart: none does.
 */
export function readEmail(text: string): string | undefined {
  const typed = text.trim();
  // First of all: normalizing takes the square of its length for a text of nothing but accents.
  if (typed.length > MAX_TYPED) return undefined;
  const plain = typed.normalize('NFKC').toLowerCase().normalize('NFKC');
  const at = plain.lastIndexOf('@');
  const [local, host] = [plain.slice(0, at), plain.slice(at + 1)];
  if (at < 1 || !LOCAL.test(local) || !HOST.test(host)) return undefined;
  const domain = parseUrl(`http://${host}`)?.hostname ?? '';
  const email = `${local}@${domain}`;
  return LABELS.test(domain) && email.length <= MAX_EMAIL ? email : undefined;
}
