// The people who sign in to the dashboard, and the accounts they belong to.

import { execute, type Db } from './connect';

export interface LoginRow {
  readonly id: string;
  readonly email: string;
  readonly password_hash: string;
  readonly has_totp: boolean;
  /** The account that the person owns; null for one who was invited to others'. */
  readonly owned_user_id: string | null;
}

const COLUMNS = `l.id, l.email, l.password_hash, l.totp_confirmed_at is not null as has_totp,
  (select o.user_id from memberships o where o.login_id = l.id and o.role = 'owner'
    order by o.created_at limit 1) as owned_user_id`;

/** By e-mail address, or by the username of the account that the person owns. */
export async function findLogin(db: Db, email_or_username: string): Promise<LoginRow | undefined> {
  const name = email_or_username.trim().toLowerCase();
  // Usernames have no @, so that no name is both.
  const text = name.includes('@')
    ? `select ${COLUMNS} from logins l where lower(l.email) = $1`
    : `select ${COLUMNS} from users u
         join memberships m on m.user_id = u.id and m.role = 'owner'
         join logins l on l.id = m.login_id
        where u.username = $1`;
  const statement = { name: name.includes('@') ? 'find_login_email' : 'find_login_name', text };
  return (await execute<LoginRow>(db, statement, [name]))[0];
}
