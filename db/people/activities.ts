// The log of what people did in the dashboard, in an account or with their own login.

import type { Environment } from '../../domain/environment';
import { columns, type RowOf } from '../columns';
import { callValue, calls, lookUp, type Db } from '../connect';

export interface NewActivity {
  readonly login_id: string;
  readonly user_id: string | null;
  readonly environment: Environment;
  /** A name such as `keys.revoke`. */
  readonly action: string;
  readonly ip: string;
}

/** `refused`: nothing was changed. `failed`: something may have been. */
export type ActivityOutcome = 'done' | 'refused' | 'failed';

/** Writes the row before the effect. Returns its id. */
export async function beginActivity(db: Db, activity: NewActivity): Promise<bigint> {
  const { login_id, user_id, environment, action, ip } = activity;
  const values = [login_id, user_id, environment, action, ip];
  return callValue<bigint>(db, 'begin_activity', values);
}

/**
 * `mistyped`: the form came back to be corrected, and no row is left of it.
 *
 * @param subject what it was about, such as a key's id; never a secret
 */
export const endActivity =
  calls<(id: bigint, outcome: ActivityOutcome | 'mistyped', subject: string | null) => void>(
    'end_activity',
  );

const SHOWN = columns('activities a: id at environment action ip outcome subject');

/** `outcome` is null while it is under way, and when the process died meanwhile. */
export interface ActivityRow extends RowOf<typeof SHOWN> {
  readonly email: string;
}

export interface ActivityQuery {
  readonly user_id: string;
  /** The person whose activities are listed; undefined: everybody's. */
  readonly login_id: string | undefined;
  /** Older than this one. */
  readonly before: bigint | undefined;
  readonly limit: number;
}

/** The newest first. */
export async function listActivities(db: Db, query: ActivityQuery): Promise<ActivityRow[]> {
  const { user_id, login_id, before, limit } = query;
  const text = (filter: string): string =>
    `select ${SHOWN}, l.email
       from activities a join logins l on l.id = a.login_id
      where a.user_id = $1 and a.id < $2 ${filter}
      order by a.id desc limit $3`;
  const values = [user_id, before ?? MAX_ID, limit];
  return login_id === undefined
    ? lookUp<ActivityRow>(db, { name: 'list_activities', text: text('') }, values)
    : lookUp<ActivityRow>(db, { name: 'list_own_activities', text: text('and a.login_id = $4') }, [
        ...values,
        login_id,
      ]);
}

const MAX_ID = 9_223_372_036_854_775_807n;
