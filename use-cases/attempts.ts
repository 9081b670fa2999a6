// How often a person may try passwords and codes, sign up, and ask for mails. The counts are in
// Postgres, so that all processes share them; their keys are hashes, so that the table lists no
// names.

import { createHash } from 'node:crypto';
import { clearAttempts, giveBackAttempt, takeAttempt, takeFromWindow } from '../db/people/attempts';
import type { Db, Tx } from '../db/connect';

const HOUR = 60 * 60;
const DAY = 24 * HOUR;
/** Wrong ones of one address. A whole office may be behind it. */
const WRONG_PER_ADDRESS = 100;

/** These are counted by the hour, each for one subject. */
const PER_HOUR = {
  'sign-ups at the address': 20,
  'mails requested at the address': 30,
  // Each kind has its own count: who signs up with another's address must not use up the mails for
  // a new password.
  'mails for a sign-up, to': 5,
  'mails for a confirmation, to': 5,
  'mails for an invitation, to': 5,
  'mails for a new password, to': 5,
  // A person gets these about their own login, at an address that may be another person's.
  'notices to': 20,
  // A team has fifty people at most.
  'invitations by the account': 60,
} as const;

type Counted = keyof typeof PER_HOUR;

/**
 * Mails to an address that a stranger has typed are counted by the day as well, or it would get five each hour for
 * ever.
 */
const PER_DAY: Readonly<Partial<Record<Counted, number>>> = {
  'mails for a sign-up, to': 10,
  'mails for a confirmation, to': 10,
  'mails for an invitation, to': 10,
  'mails for a new password, to': 10,
};

export interface Attempt {
  /** The subject of the count: a name, a browser, a login that awaits a code. */
  readonly name: string;
  /**
   * The address (IPv6: its /64); null for a browser that has signed in before: no other's count
   * stops it.
   */
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

/** The password or code was not looked at: the attempt does not count. */
export function dropAttempt(db: Db, { name, address }: Attempt): Promise<void> {
  return giveBackAttempt(db, keyOf(name), addressKey(address));
}

/** 0 when it may be done, and it is counted; otherwise the seconds to wait. */
export async function takeLimited(db: Db | Tx, what: Counted, subject: string): Promise<number> {
  const seconds = await takeFromWindow(db, keyOf(`${what} ${subject}`), PER_HOUR[what], HOUR);
  const { [what]: per_day } = PER_DAY;
  if (seconds > 0 || per_day === undefined) return seconds;
  return takeFromWindow(db, keyOf(`in a day ${what} ${subject}`), per_day, DAY);
}

/** The same for what a person asks for again: once in so many seconds. */
export function takeAgain(db: Db, what: string, subject: string, seconds: number): Promise<number> {
  return takeFromWindow(db, keyOf(`${what} ${subject}`), 1, seconds);
}

function addressKey(address: string | null): Buffer | null {
  return address === null ? null : keyOf(`wrong at ${address}`);
}

function keyOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
