// Users and their identity checks.

import type { Currency } from '../../domain/currency';
import { columns, type Named, type RowOf } from '../columns';
import { calls, execute, lookUp, type Db, type Tx } from '../connect';

const COLUMNS = columns(`users u:
  id username email first_name last_name country kyc_status created_at frozen_at frozen_reason
  display_name contact`);
export type UserRow = RowOf<typeof COLUMNS>;

export type NewUser = Named<'users', 'username email password_hash first_name last_name country'>;

/** A sandbox wallet begins with it. */
export interface OpeningBalance {
  readonly reference: string;
  readonly currency: Currency;
  readonly amount_minor: bigint;
}

const SIGN_UP = {
  name: 'sign_up_user',
  text: `select ${COLUMNS} from create_user($1::jsonb, $2::jsonb) u`,
};
const CREATE = {
  name: 'create_user',
  text: `select ${COLUMNS} from create_user($1::jsonb, $2::jsonb, $3) u`,
};

/**
 * Makes the user and its wallets. Throws 23505 when the name or e-mail is taken.
 * @param actor the operator, by the operators' role; undefined when the user signs up himself, by the
 * application's
 */
export async function createUser(
  db: Db | Tx,
  user: NewUser,
  funds: readonly OpeningBalance[] = [],
  actor?: string,
): Promise<UserRow> {
  const { username, email, password_hash, first_name, last_name, country } = user;
  const fields = { username, email, password_hash, first_name, last_name, country };
  const given = funds.map((one) => ({ ...one, amount_minor: one.amount_minor.toString() }));
  const values = [JSON.stringify(fields), JSON.stringify(given)];
  const [row] =
    actor === undefined
      ? await execute<UserRow>(db, SIGN_UP, values)
      : await execute<UserRow>(db, CREATE, [...values, actor]);
  return row!;
}

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  const text = `select ${COLUMNS} from users u where u.id = $1`;
  return (await lookUp<UserRow>(db, { name: 'find_user', text }, [id]))[0];
}

export async function findUserByName(db: Db, username: string): Promise<UserRow | undefined> {
  const text = `select ${COLUMNS} from users u where u.username = $1`;
  return (await execute<UserRow>(db, { name: 'find_user_by_name', text }, [username]))[0];
}

export async function listUsers(db: Db): Promise<UserRow[]> {
  const text = `select ${COLUMNS} from users u order by u.created_at, u.id`;
  return execute<UserRow>(db, { name: 'list_users', text }, []);
}

/** Needs the operators' role. Undefined when there is no such user. */
export async function setKycStatus(
  db: Db,
  username: string,
  kyc_status: string,
  actor: string,
): Promise<UserRow | undefined> {
  const text = `select ${COLUMNS} from set_kyc_status($1, $2, $3) u`;
  const values = [username, kyc_status, actor];
  return (await execute<UserRow>(db, { name: 'set_kyc_status', text }, values))[0];
}

/** False when it is frozen already: the first time and reason stay. */
export const freezeAccount =
  calls<(user_id: string, reason: string, actor: string) => boolean>('freeze_account');

/** False when it is not frozen. */
export const unfreezeAccount =
  calls<(user_id: string, reason: string, actor: string) => boolean>('unfreeze_account');
