// The second factor of people who sign in.

import { execute, isDone, lookUp, type Db } from '../connect';

export interface SecondFactorRow {
  /** Null: none was begun. */
  readonly sealed_totp_secret: Buffer | null;
  readonly is_confirmed: boolean;
  readonly recovery_codes_left: number;
}

export async function getSecondFactor(db: Db, login_id: string): Promise<SecondFactorRow> {
  const text = `select l.sealed_totp_secret, l.totp_confirmed_at is not null as is_confirmed,
       (select count(*)::integer from recovery_codes c
         where c.login_id = l.id and c.used_at is null) as recovery_codes_left
     from logins l where l.id = $1`;
  const statement = { name: 'get_second_factor', text };
  const [row] = await lookUp<SecondFactorRow>(db, statement, [login_id]);
  if (!row) throw new Error(`There is no login ${login_id}.`);
  return row;
}

/** False when a confirmed one is there, or the address is not confirmed. */
export async function beginTotp(db: Db, login_id: string, sealed: Buffer): Promise<boolean> {
  const text = 'select begin_totp($1, $2) as done';
  return isDone(db, { name: 'begin_totp', text }, [login_id, sealed]);
}

export interface ConfirmedTotp {
  readonly login_id: string;
  readonly sealed: Buffer;
  readonly step: bigint;
  readonly recovery_hashes: readonly Buffer[];
  /** The session that stays. */
  readonly session_id: string;
}

/** Ends the person's other sessions. False when the secret is another one by now. */
export async function confirmTotp(db: Db, confirmed: ConfirmedTotp): Promise<boolean> {
  const { login_id, sealed, step, recovery_hashes, session_id } = confirmed;
  const text = 'select confirm_totp($1, $2, $3, $4, $5) as done';
  const values = [login_id, sealed, step, recovery_hashes, session_id];
  return isDone(db, { name: 'confirm_totp', text }, values);
}

/** False for a code that was accepted before, or is older than an accepted one. */
export async function acceptTotpStep(db: Db, login_id: string, step: bigint): Promise<boolean> {
  const text = 'select accept_totp_step($1, $2) as done';
  return isDone(db, { name: 'accept_totp_step', text }, [login_id, step]);
}

/** Seals again after a rotation of SECRETS_KEYS; nothing when the secret was changed meanwhile. */
export async function resealTotp(
  db: Db,
  login_id: string,
  old_secret: Buffer,
  new_secret: Buffer,
): Promise<void> {
  const text = 'select reseal_totp($1, $2, $3)';
  await execute(db, { name: 'reseal_totp', text }, [login_id, old_secret, new_secret]);
}

/** False for an unknown or used one. */
export async function useRecoveryCode(db: Db, login_id: string, hash: Buffer): Promise<boolean> {
  const text = 'select use_recovery_code($1, $2) as done';
  return isDone(db, { name: 'use_recovery_code', text }, [login_id, hash]);
}

export async function replaceRecoveryCodes(
  db: Db,
  login_id: string,
  hashes: readonly Buffer[],
): Promise<void> {
  const text = 'select replace_recovery_codes($1, $2)';
  await execute(db, { name: 'replace_recovery_codes', text }, [login_id, hashes]);
}

export async function endTotp(db: Db, login_id: string): Promise<void> {
  await execute(db, { name: 'end_totp', text: 'select end_totp($1)' }, [login_id]);
}
