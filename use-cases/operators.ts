// Operators as people: how the audit log names them, and who is one.

import { createHash } from 'node:crypto';
import type { Db } from '../db/connect';
import { isCheckViolation } from '../db/errors';
import { setOperator } from '../db/operators/operators';
import { normalUsername } from '../domain/username';

/** The audit log takes these names, as does OPERATOR_PATTERN of config/schema.ts. */
const FITS = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/;

/**
 * The e-mail address itself where it fits, else a form of it with a hash, so that no two people
 * share one. As operator_name in db/operators/approvals.sql, by which a second operator is told
 * from the first.
 */
export function operatorName(email: string): string {
  if (FITS.test(email)) return email;
  const letters = Array.from(`x${email.replace(/[^A-Za-z0-9._@+-]/gu, '-')}`).slice(0, 55);
  const hash = createHash('sha256').update(email).digest('hex');
  return `${letters.join('')}-${hash.slice(0, 8)}`;
}

export type Granting =
  /** `changed` is false when it was so before; then nothing was written. */
  | { readonly ok: true; readonly changed: boolean }
  | { readonly ok: false; readonly error: 'not_found' | 'unconfirmed' };

/**
 * Makes the owner of an account an operator of the dashboard, or ends it: from the next request on,
 * on every process.
 */
export async function grantOperator(
  { db, actor }: { readonly db: Db; readonly actor: string },
  username: string,
  is_operator: boolean,
): Promise<Granting> {
  try {
    const changed = await setOperator(db, normalUsername(username), is_operator, actor);
    return changed === null ? { ok: false, error: 'not_found' } : { ok: true, changed };
  } catch (error) {
    if (!isCheckViolation(error, 'logins_operator_confirmed')) throw error;
    return { ok: false, error: 'unconfirmed' };
  }
}
