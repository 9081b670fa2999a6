// The rows that commands add to the audit log.

import { addAuditRow, type AuditEntry } from '../db/operators/audit';
import type { CommandContext } from './context';

/** Never give it a secret, a key, or a URL, which may contain one. */
export function auditOf(
  { actor }: Pick<CommandContext, 'actor'>,
  action: string,
  details: AuditEntry['details'],
): Omit<AuditEntry, 'subject'> {
  return { actor, action, details };
}

/** The details by which `audit list --user` finds what belongs to a user. */
export function ownerOf({
  username,
  environment,
}: {
  readonly username: string;
  readonly environment: string;
}): { readonly username: string; readonly environment: string } {
  return { username, environment };
}

/**
 * Adds a row for an effect that is not in Postgres, before the effect: it says that the operator
 * asked for it.
 */
export async function addAuditRowOf(
  { db, actor }: Pick<CommandContext, 'db' | 'actor'>,
  action: string,
  subject: string,
  details: AuditEntry['details'],
): Promise<void> {
  await db.transaction((tx) => addAuditRow(tx, { actor, action, subject, details }));
}
