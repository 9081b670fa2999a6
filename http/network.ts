// Whom a request from an address is counted for: the address itself for IPv4, its /64 for IPv6,
// because a subscriber gets at least a /64 and can send from any address in it (RFC 6177).

import ipaddr from 'ipaddr.js';

/**
 * The network of addresses that cannot be read, as a proxy may forward one: all share one count.
 */
const UNREADABLE = 'unreadable';

/** `203.0.113.7`, or `2001:db8:0:1::/64`. An IPv4 address written as IPv6 is the IPv4 address. */
export function networkOf(address: string): string {
  return networksOf(address)[0];
}

/**
 * The same for what fills up: of IPv6 the /48, which a site can get whole, with 65,536 of those
 * /64s.
 */
export function siteOf(address: string): string {
  const [own, site = own] = networksOf(address);
  return site;
}

/** The address; of IPv6 its /64 and its /48. */
export function networksOf(address: string): readonly [own: string, site?: string] {
  if (!ipaddr.isValid(address)) return [UNREADABLE];
  const parsed = ipaddr.process(address);
  if (!('parts' in parsed)) return [parsed.toString()];
  const prefix = (parts: number): string => {
    const hex = parsed.parts.slice(0, parts).map((part) => part.toString(16));
    return `${hex.join(':')}::/${parts * 16}`;
  };
  return [prefix(4), prefix(3)];
}
