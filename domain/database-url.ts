// The address of a Postgres, which may name several hosts of which one takes writes, as libpq has it:
// `postgres://role:password@a:5432,b:5433/payments?target_session_attrs=read-write`.

import { parseUrl } from './url';

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/** The same address once for each of its hosts, in their order. */
export function hostUrls(url: string): [string, ...string[]] {
  const [, start = '', hosts = '', rest = ''] = PARTS.exec(url) ?? [];
  if (!hosts.includes(',')) return [url];
  return hosts.split(',').map((host) => start + host + rest) as [string, ...string[]];
}

/** Which of the hosts is asked for; undefined when the address does not say. */
export function targetOf(url: string): string | undefined {
  return /[?&]target_session_attrs=([^&#]*)/.exec(url)?.[1];
}

export function roleOf(url: string): string {
  return decodeURIComponent(new URL(hostUrls(url)[0]).username);
}

/** True when each host has a name, and a port that can be one; one host alone may be left out. */
export function hasSoundHosts(url: string): boolean {
  const urls = hostUrls(url);
  return urls.length === 1 || urls.every((one) => (parseUrl(one)?.hostname ?? '') !== '');
}
