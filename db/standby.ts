// Long reads go to a standby, when there is one that has all that the primary has: a caller sees there what was
// committed before the call, as everywhere.

import { setTimeout as delay } from 'node:timers/promises';
import { lookUp, type Db } from './connect';

/** A standby that works is behind by milliseconds. One that is behind for longer is left out. */
const TRIES = 20;
const PAUSE_MS = 25;

// The log has all that was committed up to here, on the disk or, without synchronous_commit, not yet.
const POSITION = { name: 'position', text: 'select pg_current_wal_insert_lsn()::text as position' };
// A server that takes writes is no standby: it may have been the primary, and has lost all that came after.
const HAS = {
  name: 'has_position',
  text: 'select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as has',
};

/** The standby, or the primary when there is none, or none that is up to date. Nothing may be written there. */
export async function forLongReads(db: Db): Promise<Db> {
  const { standby } = db;
  if (standby === undefined) return db;
  try {
    const [primary] = await lookUp<{ readonly position: string }>(db, POSITION, []);
    for (let left = TRIES; left > 0; left -= 1) {
      const [row] = await lookUp<{ readonly has: boolean }>(standby, HAS, [primary!.position]);
      if (row!.has) return standby;
      await delay(PAUSE_MS);
    }
  } catch {
    // One of the two is away: the caller finds out whether the primary is.
  }
  return db;
}
