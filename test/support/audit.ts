// What the audit log has.

import type { TestDatabase } from './database';

/** Its rows about this, oldest first. */
export const auditOf = (
  { owner }: Pick<TestDatabase, 'owner'>,
  subject: string,
): Promise<Record<'actor' | 'action' | 'details', unknown>[]> =>
  owner('audit_log').where({ subject }).orderBy('id').select('actor', 'action', 'details');
