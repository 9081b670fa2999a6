// Reads the access log as operators do: the lines of its file, which must all be JSON, and its rows.

import { readFileSync } from 'node:fs';
import type { AccessEntry } from '../../../db/access-log';
import type { TestDatabase } from '../../support/database';
import type { TestService } from '../../support/service';
import { waitFor } from '../../support/wait';

export type AccessLine = AccessEntry & {
  readonly log: 'access';
  /** Set when it has no row of its own. */
  readonly row_id?: string | null;
};

export function readAccessText({ config }: Pick<TestService, 'config'>): string {
  return readFileSync(config.access_log_file!, 'utf8');
}

/** Throws when a line is anything else. */
export function readAccessLines(service: Pick<TestService, 'config'>): AccessLine[] {
  return readAccessText(service)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AccessLine);
}

/** The line of one request; undefined when it was not logged, or not once. */
export function findAccessLine(
  service: Pick<TestService, 'config'>,
  request_id: unknown,
): AccessLine | undefined {
  const found = readAccessLines(service).filter((line) => line.request_id === request_id);
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
