// How often somebody may try: passwords, codes, signing up, asking for mails. The counts are in Postgres, so
// that all processes share them; their keys are hashes, so that the table lists no names.

import { createHash } from 'node:crypto';
import { clearAttempts, giveBackAttempt, takeAttempt, takeFromWindow } from '../db/attempts';
import type { Db } from '../db/connect';

const HOUR = 60 * 60;
/** Wrong ones of one address. A whole office may be behind it. */
const WRONG_PER_ADDRESS = 100;
const SIGN_UPS_PER_ADDRESS = 20;
/** Mails of a kind that strangers can have sent to one recipient, so that nobody's mailbox is flooded. */
const MAILS_PER_RECIPIENT = 5;
/** What somebody is told of their own login, at an address that may be somebody else's. */
const NOTICES_PER_RECIPIENT = 20;
/** Of one account: a team has fifty people at most. */
const INVITATIONS_PER_HOUR = 60;
const MAIL_REQUESTS_PER_ADDRESS = 30;

export interface Attempt {
  /** What the count is of: a name, a browser, a login that awaits a code. */
  readonly name: string;
  /** The address (IPv6: its /64); null for a browser that has signed in before: nobody else's count stops it. */
  readonly address: string | null;
}

/** 0 when it may be tried, and it is counted; otherwise the seconds to wait. */
export function beginAttempt(db: Db, { name, address }: Attempt): Promise<number> {
  return takeAttempt(db, keyOf(name), addressKey(address), WRONG_PER_ADDRESS);
}

/** It was right. `names`: all that are cleared. */
export function forgiveAttempt(
  db: Db,
  names: readonly string[],
  address: string | null,
): Promise<void> {
  return clearAttempts(db, names.map(keyOf), addressKey(address));
}

/** Nobody looked at what was tried: it does not count. */
export function dropAttempt(db: Db, { name, address }: Attempt): Promise<void> {
  return giveBackAttempt(db, keyOf(name), addressKey(address));
}

/** As beginAttempt. */
export function takeSignUp(db: Db, address: string): Promise<number> {
  return takeFromWindow(db, keyOf(`sign-up ${address}`), SIGN_UPS_PER_ADDRESS, HOUR);
}

/** As beginAttempt: somebody at this address has a mail sent. */
export function takeMailRequest(db: Db, address: string): Promise<number> {
  return takeFromWindow(db, keyOf(`mail from ${address}`), MAIL_REQUESTS_PER_ADDRESS, HOUR);
}

/** By kind: whoever signs up with somebody's address must not use up the mails for a new password. */
export type MailKind = 'sign-up' | 'confirmation' | 'invitation' | 'new password';

/** As beginAttempt: this recipient gets a mail of this kind. */
export function takeMailTo(db: Db, recipient: string, kind: MailKind): Promise<number> {
  const key = keyOf(`mail (${kind}) to ${recipient.toLowerCase()}`);
  return takeFromWindow(db, key, MAILS_PER_RECIPIENT, HOUR);
}

/** As beginAttempt: this recipient is told what was changed. */
export function takeNoticeTo(db: Db, recipient: string): Promise<number> {
  const key = keyOf(`notice to ${recipient.toLowerCase()}`);
  return takeFromWindow(db, key, NOTICES_PER_RECIPIENT, HOUR);
}

/** As beginAttempt: this account invites somebody. */
export function takeInvitation(db: Db, user_id: string): Promise<number> {
  return takeFromWindow(db, keyOf(`invitation ${user_id}`), INVITATIONS_PER_HOUR, HOUR);
}

function addressKey(address: string | null): Buffer | null {
  return address === null ? null : keyOf(`wrong at ${address}`);
}

function keyOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
