// The slow hash of passwords, and how many of them a process makes at once. A hash takes some 40 ms
// of a processor that transfers need too.

import { hash, verify } from '@node-rs/argon2';
import { createLimit } from '../domain/limit';
import { normalPassword } from '../domain/password';

// OWASP Password Storage Cheat Sheet: Argon2id with 19 MiB, two passes, one lane.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const CURRENT = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`;

/** Takes as long to verify as a real one, and no password is known that it belongs to. */
export const DECOY_HASH = `${CURRENT}${'A'.repeat(22)}$${'A'.repeat(43)}`;

/**
 * `$argon2id$v=19$m=…,t=…,p=…$<salt>$<hash>`: with its cost, so that the cost can be raised later.
 */
export function hashPassword(password: string, caller?: Caller): Promise<string> {
  // Argon2id is the library's default.
  return inTurn(caller, () => hash(normalPassword(password), COST));
}

/**
 * Returns false for a text that is no hash.
 * @param caller without one, which is an operator's own process, it waits however many there are
 * @throws PasswordsBusyError when too many wait
 */
export function verifyPassword(typed: string, stored: string, caller?: Caller): Promise<boolean> {
  if (!stored.startsWith('$argon2id$')) return Promise.resolve(false);
  return inTurn(caller, () => verify(stored, normalPassword(typed)).catch(() => false));
}

/** False for a hash of another cost, which the next right password replaces. */
export function isCurrentHash(stored: string): boolean {
  return stored.startsWith(CURRENT);
}

/** Too many passwords wait to be hashed: try again in a few seconds. */
export class PasswordsBusyError extends Error {
  constructor() {
    super('Too many passwords wait to be hashed.');
    this.name = 'PasswordsBusyError';
  }
}

/**
 * One, whatever the machine: a flood of passwords takes one processor, and 25 people a second get
 * in.
 */
const HASHING = createLimit({ at_once: 1 });

/**
 * How many passwords are taken, the one at work included. The last of the forty that known callers
 * and anonymous ones may have waits for two seconds.
 */
const createQueue = () => ({
  /** One address cannot fill the queue that the others wait in. */
  of_network: createLimit({ at_once: 20, each: 4 }),
  /** One subscriber may have all /64s of a /48, or the addresses of a /24. */
  of_block: createLimit({ each: 8 }),
});
const KNOWN = createQueue();
const STRANGERS = createQueue();

/** Anonymous callers have a queue of their own, so that they cannot fill that of known ones. */
export interface Caller {
  /** The address, or its /64. */
  readonly network: string;
  /** The browser has signed in before, is signed in now, or has a link that we sent by mail. */
  readonly is_known: boolean;
}

async function inTurn<T>(caller: Caller | undefined, work: () => Promise<T>): Promise<T> {
  if (!caller) return HASHING.run(work);
  const { network, is_known } = caller;
  const { of_network, of_block } = is_known ? KNOWN : STRANGERS;
  const leaveNetwork = of_network.enter(network);
  const leaveBlock = leaveNetwork && of_block.enter(blockOf(network));
  try {
    if (!leaveBlock) throw new PasswordsBusyError();
    return await HASHING.run(work);
  } finally {
    leaveBlock?.();
    leaveNetwork?.();
  }
}

/** The first three parts: the /24 of an IPv4 address, the /48 of a /64. */
function blockOf(network: string): string {
  return /^(?:[^.:]+[.:]){3}/.exec(network)?.[0] ?? network;
}
