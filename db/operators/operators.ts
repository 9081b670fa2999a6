// Operators as people, and what their pages show of everybody's accounts.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { MemberRole } from '../../domain/members';
import { columns, type Named, type RowOf } from '../columns';
import { calls, execute, type Db } from '../connect';
import { inOrder } from '../list-filters';
import { normalUsername } from '../../domain/username';
import { PAYOUTS_TO_SETTLE } from '../payouts/operator-payouts';

/** Whether it changed anything; null when there is no such account. Needs the operators' role. */
export const setOperator =
  calls<(username: string, is_operator: boolean, actor: string) => boolean | null>('set_operator');

/** How many wait, counted up to a bound, and since when the oldest does. */
export interface Waiting {
  readonly count: number;
  readonly oldest_at: string | null;
}

export interface WaitingWork {
  readonly checks: Waiting;
  readonly suspense: Waiting;
  /** Cases that are held. */
  readonly risk: Waiting;
  /** Those that are open, and those that could not be booked. */
  readonly disputes: Waiting;
  readonly payouts: Waiting;
  readonly breaks: Waiting;
  readonly endpoints: Waiting;
  readonly approvals: Waiting;
}

const MAX_COUNT = 1_000;

const waiting = (column: string, rows: string): string =>
  `(select json_build_object('count', count(*), 'oldest_at', min(w.at)) from (
      select ${column} as at from ${rows} order by ${column} limit ${MAX_COUNT}) w)`;

const WAITING_WORK = {
  name: 'waiting_work',
  text: `select ${waiting('created_at', `identity_checks where status = 'pending'`)} as checks,
    ${waiting('created_at', `suspense_items where status in ('held', 'refunding')`)} as suspense,
    ${waiting('created_at', `risk_cases where status = 'held'`)} as risk,
    ${waiting(
      'at',
      `(select created_at as at from disputes where status = 'open' union all
        select noted_at from dispute_notices where problem is not null) d`,
    )} as disputes,
    ${waiting('created_at', `(${PAYOUTS_TO_SETTLE}) d`)} as payouts,
    ${waiting('created_at', `treasury_breaks where status = 'open'`)} as breaks,
    ${waiting('failing_since', `webhook_endpoints where failing_since is not null and status <> 'deleted'`)}
      as endpoints,
    ${waiting('requested_at', `approvals where status = 'waiting' and expires_at > clock_timestamp()`)}
      as approvals`,
};

export async function countWaitingWork(db: Db): Promise<WaitingWork> {
  return (await execute<WaitingWork>(db, WAITING_WORK, []))[0]!;
}

const LISTED_ACCOUNT = columns('users u: id username email kyc_status created_at frozen_at');
export type AccountRow = RowOf<typeof LISTED_ACCOUNT>;

export interface AccountFilters {
  /** How the username or the owner's e-mail address at signing up begins. */
  readonly search: string;
  /** The row after which the page begins; undefined: from the newest on. */
  readonly after: Pick<AccountRow, 'created_at' | 'id'> | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listAccounts(
  db: Db,
  { search, after, limit }: AccountFilters,
): Promise<AccountRow[]> {
  const values: unknown[] = [limit];
  let conditions = '';
  if (search !== '') {
    // A character that LIKE takes for a pattern is meant as it is.
    const place = `$${values.push(`${normalUsername(search).replace(/[\\%_]/g, '\\$&')}%`)}`;
    conditions += ` and (username like ${place} or email like ${place})`;
  }
  if (after) {
    const [at, id] = [values.push(after.created_at), values.push(after.id)];
    conditions += ` and (created_at, id) < ($${at}::timestamptz, $${id}::uuid)`;
  }
  const name = `list_accounts_${search === '' ? 0 : 1}${after ? 1 : 0}`;
  const text = `select ${LISTED_ACCOUNT} from users u
     where true${conditions} order by u.created_at desc, u.id desc limit $1`;
  return execute(db, { name, text }, values);
}

const ACCOUNT_ONLY = columns('users u: frozen_reason first_name last_name country');

export interface AccountView extends AccountRow, RowOf<typeof ACCOUNT_ONLY> {
  readonly wallets: readonly {
    readonly environment: Environment;
    readonly currency: Currency;
    /** Minor units. */
    readonly balance: string;
  }[];
  /** The newest. */
  readonly keys: readonly {
    readonly key_prefix: string;
    readonly last_four: string;
    readonly environment: Environment;
    readonly name: string;
    readonly created_at: string;
    readonly revoked_at: string | null;
  }[];
  readonly endpoints: readonly {
    readonly environment: Environment;
    readonly url: string;
    readonly status: 'enabled' | 'disabled';
    readonly failing_since: string | null;
  }[];
  readonly members: readonly {
    readonly email: string;
    readonly role: MemberRole;
    readonly has_totp: boolean;
    readonly is_operator: boolean;
  }[];
}

const LISTED = 25;
const list = (columns: string, rows: string, order: string): string =>
  `(select coalesce(json_agg(x), '[]') from (select ${columns} from ${rows} order by ${order} limit ${LISTED}) x)`;

const ACCOUNT = {
  name: 'find_account',
  text: `select ${LISTED_ACCOUNT}, ${ACCOUNT_ONLY},
    ${list(
      'a.environment, a.currency, a.balance_minor::text as balance',
      `ledger_accounts a where a.user_id = u.id and a.kind = 'wallet'`,
      `a.environment, ${inOrder('a.currency')}`,
    )} as wallets,
    ${list(
      'k.key_prefix, k.last_four, k.environment, k.name, k.created_at, k.revoked_at',
      'api_keys k where k.user_id = u.id',
      'k.created_at desc',
    )} as keys,
    ${list(
      'w.environment, w.url, w.status, w.failing_since',
      `webhook_endpoints w where w.user_id = u.id and w.status <> 'deleted'`,
      'w.created_at desc',
    )} as endpoints,
    ${list(
      'l.email, m.role, l.totp_confirmed_at is not null as has_totp, l.is_operator',
      'memberships m join logins l on l.id = m.login_id where m.user_id = u.id',
      'm.created_at',
    )} as members
    from users u where u.username = $1`,
};

export async function findAccount(db: Db, username: string): Promise<AccountView | undefined> {
  return (await execute<AccountView>(db, ACCOUNT, [username]))[0];
}

const TRANSACTION =
  'id environment type status direction currency amount_minor reference created_at';

export type AccountTransaction = Named<'transactions', typeof TRANSACTION>;

const TRANSACTIONS = {
  name: 'account_transactions',
  text: `select ${columns(`transactions t: ${TRANSACTION}`)}
    from unnest(array['live', 'sandbox']) e (environment)
    cross join lateral (
      select ${columns(`transactions x: ${TRANSACTION}`)}
        from transactions x where x.user_id = $1 and x.environment = e.environment
       order by x.created_at desc limit $2) t
   order by t.created_at desc limit $2`,
};

/** The newest of both environments. */
export async function listAccountTransactions(
  db: Db,
  user_id: string,
  limit: number,
): Promise<AccountTransaction[]> {
  return execute(db, TRANSACTIONS, [user_id, limit]);
}

const FAILING = columns(`webhook_endpoints w:
  id environment url consecutive_failures last_failure`);

export interface FailingEndpoint extends RowOf<typeof FAILING> {
  readonly username: string;
  readonly status: 'enabled' | 'disabled';
  readonly failing_since: string;
  /** Deliveries that wait, counted up to a bound. */
  readonly waiting: number;
  readonly oldest_at: string | null;
}

// Looks for deliveries by the endpoint alone, whose account all of them are of: with the account in
// the condition, an index of what waits for all its endpoints is as good a choice.
export const FAILING_ENDPOINTS = {
  name: 'failing_endpoints',
  text: `select ${FAILING}, u.username, w.status, w.failing_since, d.waiting, d.oldest_at
    from webhook_endpoints w join users u on u.id = w.user_id
    cross join lateral (
      select count(*)::integer as waiting, min(q.created_at) as oldest_at from (
        select x.created_at from webhook_deliveries x
         where x.endpoint_id = w.id and x.status in ('pending', 'held') limit ${MAX_COUNT}) q) d
   where w.failing_since is not null and w.status <> 'deleted'
   order by w.failing_since limit $1`,
};

/** Those that have failed for longest first. */
export async function listFailingEndpoints(db: Db, limit: number): Promise<FailingEndpoint[]> {
  return execute(db, FAILING_ENDPOINTS, [limit]);
}
