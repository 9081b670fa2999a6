// Holds a lock in the database, so that a posting stops in the middle: the way to hit a window of a millisecond every
// time.

import { Client } from 'pg';
import { waitFor } from '../../support/wait';
import type { Cluster } from './cluster';
import type { Operation } from './operations';

export interface Held {
  /** Resolves when a posting waits for this lock. */
  awaitPosting(): Promise<void>;
  release(): Promise<void>;
}

/** The key's lock: the posting has not written anything yet. */
export function holdKey(
  cluster: Pick<Cluster, 'database'>,
  { from, environment, key }: Operation,
): Promise<Held> {
  const lock = `select pg_advisory_xact_lock(idempotency_lock($1, $2, 'transfer', $3))`;
  return hold(cluster, 'post_transfer_batch', lock, [from.id, environment, key]);
}

/** The transfer's row: a reversal of it has the key already. */
export function holdTransfer(
  cluster: Pick<Cluster, 'database'>,
  { reference }: { readonly reference: string },
): Promise<Held> {
  const lock = 'select from transfers where reference = $1 for update';
  return hold(cluster, 'from post_reversal(', lock, [reference]);
}

async function hold(
  { database }: Pick<Cluster, 'database'>,
  posting: string,
  lock: string,
  values: readonly string[],
): Promise<Held> {
  const session = new Client({ connectionString: database.owner_url });
  await session.connect();
  await session.query('begin');
  await session.query(lock, [...values]);
  return {
    async awaitPosting() {
      await waitFor(async () => {
        const { rows } = await database.owner.raw(
          `select from pg_stat_activity
            where wait_event_type = 'Lock' and query like ? and pid <> pg_backend_pid()`,
          [`%${posting}%`],
        );
        return (rows as unknown[]).length > 0;
      });
    },
    release: () => session.end(),
  };
}
