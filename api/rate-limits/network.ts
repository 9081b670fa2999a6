// Whom a request from an address is counted for: the address itself for IPv4, its /64 for IPv6, because
// a subscriber gets at least a /64 and can send from any address in it (RFC 6177).

import ipaddr from 'ipaddr.js';

/** Of an address that cannot be read, as a proxy may forward one. They all share one count. */
const UNREADABLE = 'unreadable';

/** `203.0.113.7`, or `2001:db8:0:1::/64`. An IPv4 address written as IPv6 is the IPv4 address. */
export function networkOf(address: string): string {
  try {
    const parsed = ipaddr.process(address);
    if (!('parts' in parsed)) return parsed.toString();
    const [a = 0, b = 0, c = 0, d = 0] = parsed.parts;
    return `${[a, b, c, d].map((part) => part.toString(16)).join(':')}::/64`;
  } catch {
    // Not an address: nothing to tell it from other such texts.
    return UNREADABLE;
  }
}
