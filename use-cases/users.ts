// Signs users up, and freezes their accounts.

import type { Db, Tx } from '../db/connect';
import { isUniqueViolation } from '../db/errors';
import {
  createUser,
  findUserByName,
  freezeAccount as freezeInDatabase,
  unfreezeAccount as unfreezeInDatabase,
  type NewUser,
  type OpeningBalance,
  type UserRow,
} from '../db/users';
import { CURRENCIES, type Currency } from '../domain/currency';
import type { PasswordFault } from '../domain/password';
import { hashPassword } from '../secrets/password';
import { makeAdjustmentReference } from '../secrets/random';
import { findNewPasswordFault } from './new-password';

export interface SignUpFields extends Omit<NewUser, 'password_hash'> {
  readonly password: string;
}

export type SignUpFault =
  | 'invalid_username'
  | 'invalid_email'
  | 'invalid_country'
  | PasswordFault
  | 'username_taken'
  | 'email_taken';

export type SignUp =
  | { readonly ok: true; readonly user: UserRow }
  | { readonly ok: false; readonly error: SignUpFault };

const USERNAME = /^[a-z0-9][a-z0-9._-]{2,31}$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const MAX_EMAIL = 254;
const COUNTRY = /^[A-Z]{2}$/;

/** Sandbox money is free: every user starts with some to try transfers with. */
const SANDBOX_FUNDS_MINOR: Readonly<Record<Currency, bigint>> = {
  XOF: 100_000_000n,
  EUR: 1_000_000n,
  USD: 1_000_000n,
};

export interface SignUpDependencies {
  readonly db: Db;
  /** The operator who creates the user; undefined when the user signs up himself. */
  readonly actor?: string | undefined;
  /** What is written with the user, or not at all. */
  readonly also?: ((tx: Tx, user: UserRow) => Promise<void>) | undefined;
  /** Whose turn it is to have a password hashed; see secrets/password.ts. */
  readonly caller?: string | undefined;
}

/** Creates the user, its wallets and the sandbox's opening balances: all or nothing. */
export async function signUp(
  { db, actor, also, caller }: SignUpDependencies,
  fields: SignUpFields,
): Promise<SignUp> {
  const { password, ...rest } = fields;
  const username = fields.username.toLowerCase();
  const country = fields.country.toUpperCase();
  const error = await faultIn({ ...fields, username, country });
  if (error) return { ok: false, error };
  const password_hash = await hashPassword(password, caller);
  try {
    const created = { ...rest, username, country, password_hash };
    const user = await db.transaction(async (tx) => {
      const made = await createUser(tx, created, sandboxFunds(), actor);
      await also?.(tx, made);
      return made;
    });
    return { ok: true, user };
  } catch (failure) {
    if (!isUniqueViolation(failure)) throw failure;
    const isName = isUniqueViolation(failure, 'users_username_key');
    return { ok: false, error: isName ? 'username_taken' : 'email_taken' };
  }
}

async function faultIn({
  username,
  email,
  country,
  password,
}: SignUpFields): Promise<SignUpFault | undefined> {
  if (!USERNAME.test(username)) return 'invalid_username';
  if (!isEmail(email)) return 'invalid_email';
  if (!COUNTRY.test(country)) return 'invalid_country';
  return findNewPasswordFault(password, [username, email]);
}

export function isEmail(text: string): boolean {
  return EMAIL.test(text) && text.length <= MAX_EMAIL;
}

function sandboxFunds(): OpeningBalance[] {
  return CURRENCIES.map((currency) => ({
    reference: makeAdjustmentReference(),
    currency,
    amount_minor: SANDBOX_FUNDS_MINOR[currency],
  }));
}

interface Deciding {
  readonly db: Db;
  /** The operator. */
  readonly actor: string;
}

const MAX_REASON = 500;

export type FreezeDecision =
  /** `changed` is false when it was so before; then nothing was written. */
  | { readonly ok: true; readonly user: UserRow; readonly changed: boolean }
  | { readonly ok: false; readonly error: 'not_found' | 'invalid_reason' };

/**
 * From its return on, the account's keys are refused on every process and nothing leaves its wallets.
 * Money may still arrive, and its payment links stay open.
 */
export function freezeAccount(
  deciding: Deciding,
  username: string,
  reason: string,
): Promise<FreezeDecision> {
  return decideFreeze(deciding, username, reason, freezeInDatabase);
}

export function unfreezeAccount(
  deciding: Deciding,
  username: string,
  reason: string,
): Promise<FreezeDecision> {
  return decideFreeze(deciding, username, reason, unfreezeInDatabase);
}

async function decideFreeze(
  { db, actor }: Deciding,
  username: string,
  reason: string,
  decide: typeof freezeInDatabase,
): Promise<FreezeDecision> {
  if (reason.trim() === '' || reason.length > MAX_REASON) {
    return { ok: false, error: 'invalid_reason' };
  }
  const name = username.toLowerCase();
  const before = await findUserByName(db, name);
  if (!before) return { ok: false, error: 'not_found' };
  const changed = await decide(db, before.id, reason, actor);
  return { ok: true, user: (await findUserByName(db, name))!, changed };
}
