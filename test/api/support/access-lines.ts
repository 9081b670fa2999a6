// Reads the access log as operators do: its lines in the service's log, and its rows.

import type { AccessEntry } from '../../../db/requests/access-log';
import type { TestDatabase } from '../../support/database';
import type { AccessLine, TestService } from '../../support/service';
import { waitFor } from '../../support/wait';

/** The line of one request; undefined when it was not logged, or not once. */
export function findAccessLine(
  { access_lines }: Pick<TestService, 'access_lines'>,
  request_id: unknown,
): AccessLine | undefined {
  const found = access_lines.filter((line) => line.request_id === request_id);
  return found.length === 1 ? found[0] : undefined;
}

/** The row of one request, once it is written. */
export function findAccessRow(
  { owner }: Pick<TestDatabase, 'owner'>,
  request_id: unknown,
): Promise<AccessEntry> {
  return waitFor(async () => {
    const { rows } = await owner.raw('select * from access_entries where request_id = ?', [
      request_id as string,
    ]);
    expect(rows.length).toBeLessThanOrEqual(1);
    return rows[0] as AccessEntry | undefined;
  });
}
