// The database of the running system, for commands that run until Ctrl-C: `npm start` may come back
// on another port than it had.

import { connectDatabase, type Db } from '../db/connect';
import type { CommandContext } from './context';
import { CommandError } from './error';
import { findRunningSystem } from './running-system';

export interface FollowedDatabase {
  db(): Db;
  /** Looks where the database is now, after it could not be reached. */
  lookAgain(): Promise<void>;
  close(): Promise<void>;
}

export function followDatabase({
  db: first,
  config,
  system,
}: Pick<CommandContext, 'db' | 'config' | 'system'>): FollowedDatabase {
  let url = system.database_url;
  let own: Db | undefined;
  const close = async (): Promise<void> => own?.destroy();
  return {
    db: () => own ?? first,
    async lookAgain() {
      const found = findUrl(config);
      if (found === undefined || found === url) return;
      await close();
      url = found;
      own = connectDatabase({ url, pool_size: 2, name: 'payment-cli', is_patient: true });
    },
    close,
  };
}

/** Returns undefined while no system is running. */
function findUrl(config: CommandContext['config']): string | undefined {
  try {
    return findRunningSystem(config).database_url;
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
