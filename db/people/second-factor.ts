// The second factor of people who sign in.

import { callValue, calls, lookUp, type Db } from '../connect';

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
export const beginTotp = calls<(login_id: string, sealed: Buffer) => boolean>('begin_totp');

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
  const values = [login_id, sealed, step, recovery_hashes, session_id];
  return callValue<boolean>(db, 'confirm_totp', values);
}

/** False for a code that was accepted before, or is older than an accepted one. */
export const acceptTotpStep =
  calls<(login_id: string, step: bigint) => boolean>('accept_totp_step');

/** Seals again after a rotation of SECRETS_KEYS; nothing when the secret was changed meanwhile. */
export const resealTotp =
  calls<(login_id: string, old_secret: Buffer, new_secret: Buffer) => void>('reseal_totp');

/** False for an unknown or used one. */
export const useRecoveryCode =
  calls<(login_id: string, hash: Buffer) => boolean>('use_recovery_code');

export const replaceRecoveryCodes =
  calls<(login_id: string, hashes: readonly Buffer[]) => void>('replace_recovery_codes');

export const endTotp = calls<(login_id: string) => void>('end_totp');
