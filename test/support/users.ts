// Users, funds and keys, made with the service's own functions.

import { randomBytes, randomUUID } from 'node:crypto';
import {
  createApiKey,
  revokeApiKey,
  type ApiKeyRow,
  type DailyLimit,
} from '../../db/keys/api-keys';
import type { Db } from '../../db/connect';
import { createUser, setKycStatus, type UserRow } from '../../db/accounts/users';
import { creditWallet, type Credit } from '../../db/ledger/wallets';
import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import type { MemberRole } from '../../domain/members';
import { SCOPES, type Scope } from '../../domain/scopes';
import { makeApiKey } from '../../secrets/api-key';
import { hashPassword } from '../../secrets/password';
import { makeAdjustmentReference } from '../../secrets/random';
import { operatorOf, type TestDatabase } from './database';

/** The operator of tests. */
export const ACTOR = 'test';

export interface TestUser {
  readonly id: string;
  readonly username: string;
  readonly email: string;
}

/** Minor units at scale 2 for every currency: 5000 XOF is 500_000n. */
export type Funds = Partial<Record<Environment, Partial<Record<Currency, bigint>>>>;

export interface TestUserOptions {
  /** Unique when left out. */
  readonly username?: string;
  readonly funds?: Funds;
  readonly kyc?: 'not_started' | 'pending' | 'approved' | 'rejected' | 'expired';
  /** Hashing takes its time by design; without a password this user cannot sign in. */
  readonly password?: string;
  /** The person has signed up without an operator, and not opened the mail yet. */
  readonly unconfirmed?: boolean;
}

/** Confirmed, approved and without money unless the options say otherwise. */
export async function buildUser(db: Db, options: TestUserOptions = {}): Promise<TestUser> {
  const username = options.username ?? `user-${randomBytes(6).toString('hex')}`;
  const email = `${username}@example.com`;
  const { password } = options;
  const fields = {
    username,
    email,
    password_hash: password === undefined ? 'none' : await hashPassword(password),
    first_name: 'Test',
    last_name: 'Person',
    country: 'SN',
  };
  const user = await (options.unconfirmed
    ? createUser(db, fields)
    : createUser(operatorOf(db), fields, [], ACTOR));
  await setKyc(db, username, options.kyc ?? 'approved');
  for (const [environment, wallets] of Object.entries(options.funds ?? {})) {
    for (const [currency, amount_minor] of Object.entries(wallets)) {
      await fund(db, user.id, environment as Environment, currency as Currency, amount_minor);
    }
  }
  return { id: user.id, username, email };
}

/** Adds to a wallet by an adjustment, as the operators' command line does. */
export async function fund(
  db: Db,
  user_id: string,
  environment: Environment,
  currency: Currency,
  amount_minor: bigint,
): Promise<bigint> {
  return credit(db, {
    reference: makeAdjustmentReference(),
    user_id,
    environment,
    currency,
    source: environment === 'live' ? 'operator' : 'sandbox_source',
    amount_minor,
    reason: 'test funds',
  });
}

/** Credits as an operator, with a new reference. Returns the balance after it. */
export async function credit(db: Db, fields: Credit): Promise<bigint> {
  const credited = await creditWallet(operatorOf(db), fields, ACTOR);
  if (credited.outcome !== 'credited') throw new Error(`The credit is ${credited.outcome}.`);
  return credited.balance_minor;
}

export async function setKyc(
  db: Db,
  username: string,
  kyc_status: string,
): Promise<UserRow | undefined> {
  return setKycStatus(operatorOf(db), username, kyc_status, ACTOR);
}

export async function revokeKey(db: Db, id: string): Promise<ApiKeyRow | undefined> {
  return revokeApiKey(operatorOf(db), id, { actor: ACTOR });
}

export interface TestKey {
  readonly id: string;
  readonly key: string;
}

export interface TestKeyOptions {
  readonly user: Pick<TestUser, 'id'>;
  readonly environment?: Environment;
  readonly prefix?: string;
  readonly requests_per_minute?: number;
  readonly writes_per_minute?: number;
  readonly scopes?: readonly Scope[];
  readonly expires_in_days?: number;
  readonly allowed_ips?: readonly string[];
  readonly daily_limit?: DailyLimit;
}

/** Live, with all scopes and with limits that no test reaches, unless the options say otherwise. */
export async function buildApiKey(db: Db, options: TestKeyOptions): Promise<TestKey> {
  const { user, environment = 'live', prefix = 'pay' } = options;
  const { key, ...material } = makeApiKey(prefix, environment);
  const fields = {
    user_id: user.id,
    environment,
    name: 'test',
    requests_per_minute: options.requests_per_minute ?? 100_000_000,
    writes_per_minute: options.writes_per_minute ?? 100_000_000,
    scopes: options.scopes ?? SCOPES,
    expires_in_days: options.expires_in_days ?? null,
    allowed_ips: options.allowed_ips ?? null,
    daily_limit: options.daily_limit ?? null,
  };
  const id = await createApiKey(operatorOf(db), material, fields, { actor: ACTOR });
  if (id === undefined) throw new Error('A live key needs a user with an approved identity check.');
  return { id, key };
}

/** Another person with this role in the account, whose address is confirmed: the login. */
export async function addMember(
  { owner }: Pick<TestDatabase, 'owner'>,
  { id: user_id }: Pick<TestUser, 'id'>,
  role: MemberRole,
): Promise<string> {
  const { rows } = await owner.raw(
    `with l as (insert into logins (email, password_hash, email_verified_at) values (?, 'none', now()) returning id)
     insert into memberships (login_id, user_id, role) select id, ?, ? from l returning login_id`,
    [`${randomUUID()}@example.com`, user_id, role],
  );
  return (rows as [{ login_id: string }])[0].login_id;
}

/** The login of the account's first owner. */
export async function ownerOf(
  { owner }: Pick<TestDatabase, 'owner'>,
  { id }: Pick<TestUser, 'id'>,
): Promise<string> {
  const { rows } = await owner.raw('select account_owner(?) as login', [id]);
  return (rows as [{ login: string }])[0].login;
}
