// The address to which a customer goes after the pay page: the shop's own, given when the link was
// made. The page leads to that stored address and to no other, so that a link of ours never leads
// elsewhere.

import { parseUrl } from './url';

/** Browsers and servers take addresses of this length without trouble. */
export const MAX_RETURN_ADDRESS = 2_048;

/**
 * What the shop learns from the address alone. Anyone can type it: only the API and webhooks prove
 * a payment.
 */
export interface Outcome {
  readonly payment_intent: string;
  readonly reference: string;
  readonly status: string;
}

// An address has no white space, no control characters, and no backslash, which browsers read as a
// slash. Its authority has no user info: `https://shop.example@evil.example/` leads to the latter.
const FORM = /^https?:\/\/[^/?#@\\\s\p{C}]+(?:[/?#][^\\\s\p{C}]*)?$/iu;

const LOCAL_HOSTS: readonly string[] = ['127.0.0.1', 'localhost'];

/**
 * Returns the address that is stored, written as browsers write it, so that a scheme or a host in
 * capitals is the same one, and the database's check sees what this function saw. Returns undefined
 * when it is none.
 * @param allows_local whether a shop under development, on this machine and without TLS, is one too
 */
export function readReturnAddress(text: string, allows_local: boolean): string | undefined {
  if (text.length > MAX_RETURN_ADDRESS || !FORM.test(text)) return undefined;
  const url = parseUrl(text);
  if (url === undefined) return undefined;
  const { protocol, hostname, username, password, href } = url;
  // An address with letters beyond ASCII is longer once it is written out for a header or a link.
  if (href.length > MAX_RETURN_ADDRESS || username !== '' || password !== '') return undefined;
  const is_local = protocol === 'http:' && LOCAL_HOSTS.includes(hostname);
  return protocol === 'https:' || (allows_local && is_local) ? href : undefined;
}

/**
 * Returns the name that the page shows. Letters beyond ASCII are written in Punycode, so that none
 * passes for another.
 */
export function hostOf(address: string): string {
  return new URL(address).host;
}

/**
 * The shop's own query stays as it is, byte for byte; ours follows it, and the fragment stays last.
 */
export function addOutcome(address: string, outcome: Outcome): string {
  const { href, hash } = new URL(address);
  // An empty fragment is a lone `#`, which `hash` leaves out.
  const [own = ''] = href.slice(0, href.length - hash.length).split('#');
  const query = Object.entries(outcome).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  const joint = !own.includes('?') ? '?' : /[?&]$/.test(own) ? '' : '&';
  return own + joint + query.join('&') + hash;
}
