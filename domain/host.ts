// The Host header of servers that listen on this machine only. A page of any site can have the
// browser call them by a name of its own that resolves to 127.0.0.1 (DNS rebinding), and would read
// the response.

import { parseUrl } from './url';

// The URL parser has written every form of an address like this.
const LOOPBACK_IPV4 = /^127(\.\d{1,3}){3}$/;

/**
 * Whether a request to a server on loopback names this machine, or one of `names` (with or without
 * port). Browsers and clients always send the header.
 */
export function isLocalHost(header: string | undefined, names: readonly string[] = []): boolean {
  const url = header === undefined ? undefined : parseUrl(`http://${header}`);
  if (url === undefined) return false;
  const { hostname } = url;
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    LOOPBACK_IPV4.test(hostname) ||
    names.includes(hostname)
  );
}
