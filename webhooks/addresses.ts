// Which IP addresses webhooks may be sent to: public ones, and those that the operator has allowed.
// A merchant's host name may resolve to anything, so every address is checked here.

import { BlockList, isIP, isIPv4 } from 'node:net';

// An address, with or without a prefix length.
const RANGE = /^([^/]+)(?:\/(\d{1,3}))?$/;

/**
 * IPv4 ranges that are not public: what IANA's registry of special-purpose addresses (RFC 6890)
 * does not call globally reachable, and Azure's host address, which is public in form only.
 */
const DENIED_IPV4 = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', "carriers' NAT; Alibaba Cloud's metadata"],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', "Azure's host, seen from its machines"],
  ['169.254.0.0/16', 'link-local; metadata of most clouds'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', "protocol assignments; Oracle Cloud's metadata"],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', '6to4 relays'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarks'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved, and broadcast'],
] as const;

/**
 * The same for IPv6. Every form that embeds an IPv4 address is denied, because a gateway decides
 * where it leads. Only 2000::/3 is assigned as unicast at all: the last three rows are the rest.
 */
const DENIED_IPV6 = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::/96', 'IPv4-compatible'],
  ['::ffff:0:0/96', 'IPv4-mapped'],
  ['64:ff9b::/96', 'NAT64'],
  ['64:ff9b:1::/48', 'NAT64 of a network'],
  ['100::/64', 'discarded'],
  ['2001::/23', 'protocol assignments'],
  ['2001::/32', 'Teredo'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'segment routing'],
  ['fc00::/7', "private; Amazon's metadata"],
  ['fe80::/10', 'link-local'],
  ['ff00::/8', 'multicast'],
  ['::/3', 'unassigned'],
  ['4000::/2', 'unassigned'],
  ['8000::/1', 'unassigned'],
] as const;

export interface AddressRule {
  readonly isAllowed: (ip: string) => boolean;
  /** Whether the operator has allowed the address, public or not. */
  readonly isExempt: (ip: string) => boolean;
}

export interface AddressRuleOptions {
  /**
   * Addresses or ranges such as `10.1.0.0/16`. They do not include IPv4 addresses written as IPv6.
   */
  readonly allowed: readonly string[];
  /** The addresses of this machine, which are denied unless they are allowed above. */
  readonly own: () => readonly string[];
}

/** @throws Error for a text that is neither an address nor a range. */
export function createAddressRule({ allowed, own }: AddressRuleOptions): AddressRule {
  const isExempt = inRanges(allowed);
  const isOwn = (ip: string): boolean => inRanges(own().filter(isAddress))(ip);
  return {
    isExempt,
    isAllowed: (ip) => isExempt(ip) || (isPublicAddress(ip) && !isOwn(ip)),
  };
}

const isDenied = inRanges([...DENIED_IPV4, ...DENIED_IPV6].map(([range]) => range));

/**
 * Returns false also for an invalid address, and for one with a zone (`fe80::1%eth0`), which is
 * never public.
 */
export function isPublicAddress(ip: string): boolean {
  return isAddress(ip) && !isDenied(ip);
}

export function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%');
}

// Node's lists read an address as its sockets do; `ipaddr.js` also reads 010.0.0.1, and not all of
// IPv6. They are two, because one would take `::ffff:10.0.0.1` for 10.0.0.1, which is right for
// denied ranges and wrong for allowed ones.
function inRanges(ranges: readonly string[]): (ip: string) => boolean {
  const ipv4 = new BlockList();
  const ipv6 = new BlockList();
  for (const range of ranges) {
    const [, address = '', prefix] = RANGE.exec(range) ?? [];
    const is_ipv4 = isIPv4(address);
    const longest = is_ipv4 ? 32 : 128;
    const bits = Number(prefix ?? longest);
    if (!isAddress(address) || bits > longest) {
      throw new Error(`${range} is neither an IP address nor a range of IP addresses.`);
    }
    if (is_ipv4) ipv4.addSubnet(address, bits, 'ipv4');
    else ipv6.addSubnet(address, bits, 'ipv6');
  }
  return (ip) => isAddress(ip) && (isIPv4(ip) ? ipv4.check(ip, 'ipv4') : ipv6.check(ip, 'ipv6'));
}
