// A browser keeps this after a person has signed up or in with it. It gives the browser its own
// count of wrong passwords, so that those of other browsers do not lock the person out, and a link by
// mail signs in there (docs/decisions/people.md). Alone it opens nothing.

import { randomBytes } from 'node:crypto';
import { isSameText, sha256Hex } from './hash';

/** A cookie's size is limited; the browser's oldest ones go first. */
const MAX_LOGINS = 5;
const DEVICE = /^([0-9a-f-]{36})\.([0-9a-f]{32})\.([0-9a-f]{64})$/;

export interface Person {
  readonly id: string;
  readonly password_hash: string;
}

export interface Devices {
  /**
   * Returns the browser's own name for this person; undefined when the person has neither signed up
   * nor in with it.
   */
  find(cookie: string | undefined, person: Person): string | undefined;
  /** Returns the cookie after this person has signed up or in. */
  add(cookie: string | undefined, person: Person): string;
}

/** @param keyedHash see secrets/signature.ts */
export function createDevices(keyedHash: (text: string) => string): Devices {
  // A new password ends what browsers had: a thief who knew the old one has no count of his own
  // left.
  const sign = ({ id, password_hash }: Person, nonce: string): string =>
    keyedHash(`${id} ${nonce} ${sha256Hex(password_hash)}`);
  const find: Devices['find'] = (cookie, person) => {
    for (const part of partsOf(cookie)) {
      const [, id, nonce, signature] = DEVICE.exec(part)!;
      if (id === person.id && isSameText(signature!, sign(person, nonce!))) return nonce;
    }
    return undefined;
  };
  return {
    find,
    add(cookie, person) {
      const nonce = find(cookie, person) ?? randomBytes(16).toString('hex');
      const others = partsOf(cookie).filter((part) => !part.startsWith(person.id));
      const own = `${person.id}.${nonce}.${sign(person, nonce)}`;
      return [own, ...others].slice(0, MAX_LOGINS).join('~');
    },
  };
}

function partsOf(cookie = ''): string[] {
  return cookie
    .split('~')
    .slice(0, MAX_LOGINS)
    .filter((part) => DEVICE.test(part));
}
