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
} from '../db/accounts/users';
import { setPublicProfile } from '../db/accounts/public-profiles';
import { CURRENCIES, type Currency } from '../domain/currency';
import type { PasswordFault } from '../domain/password';
import { hashPassword, type Caller } from '../secrets/password';
import { makeAdjustmentReference } from '../secrets/random';
import { findNewPasswordFault } from './new-password';
import { isCountry } from '../domain/country';
import { readEmail } from '../domain/email';
import { MAX_DISPLAY_NAME, readContact, readDisplayName } from '../domain/public-profile';
import { isUsername, normalUsername } from '../domain/username';

export interface SignUpFields extends Omit<NewUser, 'password_hash'> {
  readonly password: string;
  /** The name that customers see; left out or empty: the person's name. */
  readonly display_name?: string;
  /** How customers reach the account, such as a phone number; left out or empty: none. */
  readonly contact?: string;
}

export type SignUpFault =
  | 'invalid_username'
  | 'invalid_email'
  | 'invalid_country'
  | 'invalid_name'
  | 'invalid_display_name'
  | 'invalid_contact'
  | PasswordFault
  | 'username_taken'
  /**
   * Told to operators only, whose word confirms the address: a person who signs up claims none yet.
   */
  | 'email_taken';

export type SignUp =
  | { readonly ok: true; readonly user: UserRow }
  /** Everything that is wrong, so that a form is corrected once. */
  | { readonly ok: false; readonly errors: readonly SignUpFault[] };

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
  /** Written with the user, or not at all. */
  readonly also?: ((tx: Tx, user: UserRow) => Promise<void>) | undefined;
  /** The caller whose turn it is to have a password hashed; see secrets/password.ts. */
  readonly caller?: Caller | undefined;
}

/** Creates the user, its wallets and the sandbox's opening balances: all or nothing. */
export async function signUp(
  { db, actor, also, caller }: SignUpDependencies,
  fields: SignUpFields,
): Promise<SignUp> {
  const { user: read, display_name, contact, faults } = readUser(fields);
  const { password } = fields;
  const names = [read.username, read.email].filter((name) => name !== '');
  const fault = await findNewPasswordFault(password, names);
  const isTaken = (await findUserByName(db, read.username)) !== undefined;
  const errors: readonly SignUpFault[] = [
    ...faults,
    ...(fault ? [fault] : []),
    ...(isTaken ? [TAKEN] : []),
  ];
  if (errors.length > 0) return { ok: false, errors };
  const password_hash = await hashPassword(password, caller);
  try {
    const created = { ...read, password_hash };
    const user = await db.transaction(async (tx) => {
      const made = await createUser(tx, created, sandboxFunds(), actor);
      if (display_name !== '' || contact !== null) {
        await setPublicProfile(tx, made.id, { display_name: display_name || null, contact });
      }
      await also?.(tx, made);
      return made;
    });
    return { ok: true, user };
  } catch (failure) {
    // Taken since it was looked at.
    if (isUniqueViolation(failure, 'users_username_key')) return { ok: false, errors: [TAKEN] };
    if (isUniqueViolation(failure, 'logins_email_key')) {
      return { ok: false, errors: ['email_taken'] };
    }
    throw failure;
  }
}

const TAKEN = 'username_taken' as const;

/** The fields in the forms in which they are stored, and what is wrong with them. */
function readUser(fields: SignUpFields): {
  readonly user: Omit<NewUser, 'password_hash'>;
  /** Empty: none. */
  readonly display_name: string;
  readonly contact: string | null;
  readonly faults: readonly SignUpFault[];
} {
  const username = normalUsername(fields.username);
  const email = readEmail(fields.email);
  const country = fields.country.trim().toUpperCase();
  const first_name = readNamePart(fields.first_name);
  const last_name = readNamePart(fields.last_name);
  const display_name = readNamePart(fields.display_name ?? '');
  const contact = (fields.contact ?? '').trim() === '' ? null : readContact(fields.contact!);
  // Together they are what customers see until there is a display name.
  const name = `${first_name ?? ''} ${last_name ?? ''}`;
  const isNamed =
    first_name !== undefined && last_name !== undefined && name.length <= MAX_DISPLAY_NAME;
  const wrong: Readonly<Partial<Record<SignUpFault, boolean>>> = {
    invalid_username: !isUsername(username),
    invalid_email: email === undefined,
    invalid_country: !isCountry(country),
    invalid_name: !isNamed,
    invalid_display_name: display_name === undefined,
    invalid_contact: contact === undefined,
  };
  return {
    user: {
      username,
      email: email ?? '',
      country,
      first_name: first_name ?? '',
      last_name: last_name ?? '',
    },
    display_name: display_name ?? '',
    contact: contact ?? null,
    faults: (Object.keys(wrong) as SignUpFault[]).filter((fault) => wrong[fault]),
  };
}

/** A name need not be given. */
function readNamePart(text: string): string | undefined {
  return text.trim() === '' ? '' : readDisplayName(text);
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
 * Freezes an account: from its return on, the account's keys are refused on every process and
 * nothing leaves its wallets. Money may still arrive, and its payment links stay open.
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
  const name = normalUsername(username);
  const before = await findUserByName(db, name);
  if (!before) return { ok: false, error: 'not_found' };
  const changed = await decide(db, before.id, reason, actor);
  return { ok: true, user: (await findUserByName(db, name))!, changed };
}
