// Holds one idempotency key's lock in the database, so that a posting stops at the last moment
// before it writes: the way to hit a window of a millisecond every time.

import { Client } from 'pg';
import { waitFor } from '../../support/wait';
import type { Cluster } from './cluster';
import type { Operation } from './operations';

export interface HeldKey {
  /** Resolves when a posting waits for this lock. */
  awaitPosting(): Promise<void>;
  release(): Promise<void>;
}

export async function holdKey(
  { database_url }: Pick<Cluster, 'database_url'>,
  { from, environment, key }: Operation,
): Promise<HeldKey> {
  const session = new Client({ connectionString: database_url });
  await session.connect();
  await session.query(`select pg_advisory_lock(idempotency_lock($1, $2, 'transfer', $3))`, [
    from.id,
    environment,
    key,
  ]);
  return {
    async awaitPosting() {
      await waitFor(async () => {
        const { rowCount } = await session.query(
          `select from pg_stat_activity
            where wait_event = 'advisory' and query like '%post_transfer_batch%'`,
        );
        return rowCount !== 0;
      });
    },
    release: () => session.end(),
  };
}
