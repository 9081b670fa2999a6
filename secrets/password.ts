// The slow hash of passwords, and how many of them a process makes at once. A hash takes some 40 ms of a
// processor that transfers need too.

import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { hash, verify } from '@node-rs/argon2';

// OWASP Password Storage Cheat Sheet: Argon2id with 19 MiB, two passes, one lane.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const CURRENT = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`;

/** Takes as long to verify as a real one, and no password is known that it belongs to. */
export const DECOY_HASH = `${CURRENT}${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** `$argon2id$v=19$m=…,t=…,p=…$<salt>$<hash>`: with its cost, so that the cost can be raised later. */
export function hashPassword(password: string, caller = ''): Promise<string> {
  // Argon2id is the library's default.
  return inTurn(caller, () => hash(password, COST));
}

/**
 * False for what is no hash.
 * @param caller whose queue it waits in, such as an address
 * @throws PasswordsBusyError when too many wait
 */
export function verifyPassword(password: string, stored: string, caller = ''): Promise<boolean> {
  if (stored.startsWith('$argon2id$')) {
    return inTurn(caller, () => verify(stored, password).catch(() => false));
  }
  return stored.startsWith('scrypt$')
    ? inTurn(caller, () => verifyScrypt(password, stored))
    : Promise.resolve(false);
}

/** False for a hash of an earlier version, which the next right password replaces. */
export function isCurrentHash(stored: string): boolean {
  return stored.startsWith(CURRENT);
}

// Versions up to 0.2 hashed by scrypt: `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`.
const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt);
const DIGEST_BYTES = 32;
const MAX_MEMORY = 256 * 1024 * 1024;

async function verifyScrypt(password: string, stored: string): Promise<boolean> {
  const [, log_n, r, p, salt, expected] = stored.split('$');
  if (salt === undefined || expected === undefined) return false;
  const known = Buffer.from(expected, 'base64');
  if (known.length !== DIGEST_BYTES) return false;
  const cost = { N: 2 ** Number(log_n), r: Number(r), p: Number(p), maxmem: MAX_MEMORY };
  const derived = await deriveKey(password, Buffer.from(salt, 'base64'), DIGEST_BYTES, cost);
  return timingSafeEqual(known, derived);
}

/** Too many passwords wait to be hashed: try again in a few seconds. */
export class PasswordsBusyError extends Error {
  constructor() {
    super('Too many passwords wait to be hashed.');
    this.name = 'PasswordsBusyError';
  }
}

/** One, whatever the machine: a flood of passwords takes one processor, and 25 people a second get in. */
const AT_ONCE = 1;
/** The last of them waits for two seconds, or fifteen when all are of scrypt. */
const MAX_WAITING = 40;
/** So that one caller cannot fill the queue that the others wait in. */
const MAX_WAITING_OF_CALLER = 4;

interface Waiting {
  readonly caller: string;
  readonly start: () => void;
}

const waiting: Waiting[] = [];
let running = 0;

async function inTurn<T>(caller: string, work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) await waitForTurn(caller);
  else running += 1;
  try {
    return await work();
  } finally {
    // The turn passes on, or is free.
    const next = waiting.shift();
    if (next) next.start();
    else running -= 1;
  }
}

function waitForTurn(caller: string): Promise<void> {
  const own = caller === '' ? 0 : waiting.filter((one) => one.caller === caller).length;
  if (waiting.length >= MAX_WAITING || own >= MAX_WAITING_OF_CALLER) {
    return Promise.reject(new PasswordsBusyError());
  }
  return new Promise((start) => {
    waiting.push({ caller, start });
  });
}
