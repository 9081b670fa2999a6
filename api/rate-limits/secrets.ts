// Look-ups by something that a caller must know: an API key, the code of a payment link. A caller whose
// secret is right is never counted nor refused; one that tries secrets costs a bounded number of queries
// (docs/decisions/0038-strangers.md).

import { withResolvers } from '../../domain/promises';
import { networkOf } from './network';
import type { Strangers } from './strangers';

/**
 * Secrets that were right, remembered only to decide whether a look-up is worth a query; the query
 * itself still decides. Two sets of this size are kept.
 */
const REMEMBERED = 20_000;
/** Look-ups that wait together, in all and from one address. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_ADDRESS = 250;
/** Between two queries for those that wait. */
const PAUSE_MS = 250;

export interface Secrets {
  /**
   * What `find` returns, which is undefined for a wrong secret; a number when the address is over its
   * limit: the seconds to wait. Rejects as `find` does.
   */
  lookUp<Found>(
    address: string,
    secret: string,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | number | undefined>;
  /** Whether the secret was right lately. Says nothing about now. */
  wasRight(secret: string): boolean;
}

export interface SecretsOptions {
  readonly strangers: Strangers;
  /** Which of these are right, in one query. */
  readonly findRight: (secrets: readonly string[]) => Promise<readonly string[]>;
}

export function createSecrets({ strangers, findRight }: SecretsOptions): Secrets {
  const right = createMemory();
  const isRight = createWaitingRoom(findRight);
  const lookUpRemembered = async <Found>(
    address: string,
    secret: string,
    find: () => Promise<Found | undefined>,
  ): Promise<Found | number | undefined> => {
    const found = await find();
    if (found !== undefined) return found;
    // Revoked meanwhile.
    right.forget(secret);
    return strangers.take('request', address) || undefined;
  };
  return {
    wasRight: (secret) => right.has(secret),
    async lookUp(address, secret, find) {
      if (right.has(secret)) return lookUpRemembered(address, secret, find);
      // Counted before the query: of many at once, only as many as the limit allows get one.
      const seconds = strangers.take('request', address);
      if (seconds > 0 && !(await isRight(address, secret))) return seconds;
      const found = await find().catch((error: unknown) => {
        if (seconds === 0) strangers.giveBack(address);
        throw error;
      });
      if (found === undefined) return seconds || undefined;
      right.add(secret);
      if (seconds === 0) strangers.giveBack(address);
      return found;
    },
  };
}

interface Memory {
  has(secret: string): boolean;
  add(secret: string): void;
  forget(secret: string): void;
}

// Only right secrets get in, so no stranger can push out what is remembered.
function createMemory(): Memory {
  let recent = new Set<string>();
  let older = new Set<string>();
  const add = (secret: string): void => {
    if (recent.size >= REMEMBERED) {
      older = recent;
      recent = new Set();
    }
    recent.add(secret);
  };
  return {
    add,
    has(secret) {
      if (recent.has(secret)) return true;
      if (!older.has(secret)) return false;
      add(secret);
      return true;
    },
    forget(secret) {
      recent.delete(secret);
      older.delete(secret);
    },
  };
}

interface Waiting {
  readonly answer: Promise<boolean>;
  readonly resolve: (is_right: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Asks about all secrets that wait in one query, and makes a pause after it: however many requests
 * come, they cost four queries a second. False at once when too many wait.
 */
function createWaitingRoom(
  findRight: SecretsOptions['findRight'],
): (address: string, secret: string) => Promise<boolean> {
  let waiting = new Map<string, Waiting>();
  let of_network = new Map<string, number>();
  let isBusy = false;
  const ask = async (): Promise<void> => {
    const asked = waiting;
    waiting = new Map();
    of_network = new Map();
    try {
      const found = new Set(await findRight([...asked.keys()]));
      for (const [secret, { resolve }] of asked) resolve(found.has(secret));
    } catch (error) {
      for (const { reject } of asked.values()) reject(error);
    }
  };
  const next = (): void => {
    if (isBusy || waiting.size === 0) return;
    isBusy = true;
    void ask().finally(() => {
      setTimeout(() => {
        isBusy = false;
        next();
      }, PAUSE_MS).unref();
    });
  };
  return (address, secret) => {
    const same = waiting.get(secret);
    if (same) return same.answer;
    const network = networkOf(address);
    const count = of_network.get(network) ?? 0;
    if (waiting.size >= MAX_WAITING || count >= MAX_WAITING_OF_ADDRESS) {
      return Promise.resolve(false);
    }
    of_network.set(network, count + 1);
    const { promise: answer, resolve, reject } = withResolvers<boolean>();
    waiting.set(secret, { answer, resolve, reject });
    next();
    return answer;
  };
}
