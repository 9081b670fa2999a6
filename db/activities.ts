// What people did in the dashboard, in an account or with their own login.

import type { Environment } from '../domain/environment';
import { execute, type Db } from './connect';

export interface NewActivity {
  readonly login_id: string;
  readonly user_id: string | null;
  readonly environment: Environment;
  /** Such as `keys.revoke`. */
  readonly action: string;
  readonly ip: string;
}

/** `refused`: nothing was changed. `failed`: something may have been. */
export type ActivityOutcome = 'done' | 'refused' | 'failed';

/** Before the effect. Returns its id. */
export async function beginActivity(db: Db, activity: NewActivity): Promise<bigint> {
  const { login_id, user_id, environment, action, ip } = activity;
  const text = 'select begin_activity($1, $2, $3, $4, $5) as id';
  const values = [login_id, user_id, environment, action, ip];
  return (await execute<{ id: bigint }>(db, { name: 'begin_activity', text }, values))[0]!.id;
}

/** @param subject what it was about, such as a key's id; never a secret */
export async function endActivity(
  db: Db,
  id: bigint,
  outcome: ActivityOutcome,
  subject: string | null,
): Promise<void> {
  const text = 'select end_activity($1, $2, $3)';
  await execute(db, { name: 'end_activity', text }, [id, outcome, subject]);
}
