// The URLs that merchants may register for webhooks. The check uses the parsed URL, which is what
// the sender connects to: the parser reads 0x7f000001, 127.1 and full-width digits as 127.0.0.1.
// The addresses of a name are checked at each connect (connect.ts).

import { isIPv6 } from 'node:net';
import { parseUrl } from '../domain/url';
import { createAddressRule, isAddress, isPublicAddress } from './addresses';

/** No receiver of webhooks needs a longer one; most servers accept as much. */
export const MAX_URL_LENGTH = 2_048;

// Names that never lead to another network (RFC 6761, 6762, 8375, 9476, and common use).
const INNER_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/;
const LOCALHOST = /(^|\.)localhost$/;
// The limits of DNS: at most 253 characters, in labels of at most 63.
const DNS_NAME = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9-]{1,63}$/;

const HTTPS_PORT = 443;

/** The fault of a URL, for texts in other languages; `fault` says it in English. */
export type UrlFault =
  | 'too_long'
  | 'incomplete'
  | 'localhost'
  | 'not_https'
  | 'credentials'
  | 'fragment'
  | 'port'
  | 'own_host'
  | 'not_public'
  | 'inner_name'
  | 'short_name'
  | 'not_dns';

const FAULTS: Readonly<Record<Exclude<UrlFault, 'port'>, string>> = {
  too_long: `The URL must be at most ${MAX_URL_LENGTH} characters long.`,
  incomplete: 'The URL must be complete: https://example.com/path.',
  localhost: 'The URL must name this machine as 127.0.0.1, not as localhost.',
  not_https: 'The URL must begin with https://.',
  credentials: 'The URL must not contain a user name or a password.',
  fragment: 'The URL must not contain a fragment (#).',
  own_host: 'The URL must not lead to this service itself.',
  not_public: 'The URL must not lead to an address that is not public.',
  inner_name: 'The URL must not lead to a name of an inner network.',
  short_name: "The URL's host must be a full name, with a dot.",
  not_dns: "The URL's host must be a name that DNS can have.",
};

export interface WebhookUrlPolicy {
  /**
   * Addresses or ranges that are allowed although not public; a URL with such a literal may use
   * http.
   */
  readonly allowed_addresses: readonly string[];
  /** Ports that are allowed in addition to 443. */
  readonly ports: readonly number[];
  /** Names and addresses of this service itself. */
  readonly own_hosts: readonly string[];
}

export type CheckedUrl = { readonly ok: true; readonly url: string } | WrongUrl;

export interface WrongUrl {
  readonly ok: false;
  readonly reason: UrlFault;
  readonly fault: string;
}

/** Returns the URL in the form that will be used, or what the merchant has to change. */
export function checkWebhookUrl(text: string, policy: WebhookUrlPolicy): CheckedUrl {
  return createUrlCheck(policy)(text);
}

/** Makes a check for many URLs: the policy is parsed once. */
export function createUrlCheck(policy: WebhookUrlPolicy): (text: string) => CheckedUrl {
  const { isExempt } = createAddressRule({ allowed: policy.allowed_addresses, own: () => [] });
  const ports = [...new Set([HTTPS_PORT, ...policy.ports])];
  const own_hosts = new Set(policy.own_hosts.map(normalHost));

  const refuse = (reason: UrlFault): WrongUrl => ({
    ok: false,
    reason,
    fault: reason === 'port' ? `The URL's port must be ${ports.join(' or ')}.` : FAULTS[reason],
  });

  function faultOf(url: URL): UrlFault | undefined {
    const host = hostOf(url);
    const is_exempt = isExempt(host);
    if (LOCALHOST.test(host) && isExempt('127.0.0.1')) return 'localhost';
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && is_exempt)) return 'not_https';
    if (url.username !== '' || url.password !== '') return 'credentials';
    if (url.hash !== '') return 'fragment';
    if (is_exempt) return undefined;
    const port = url.port === '' ? HTTPS_PORT : Number(url.port);
    if (!ports.includes(port)) return 'port';
    if (own_hosts.has(host)) return 'own_host';
    if (isAddress(host)) return isPublicAddress(host) ? undefined : 'not_public';
    if (INNER_NAME.test(host)) return 'inner_name';
    if (!host.includes('.')) return 'short_name';
    return DNS_NAME.test(host) ? undefined : 'not_dns';
  }

  return (text) => {
    if (text.length > MAX_URL_LENGTH) return refuse('too_long');
    const url = parseUrl(text);
    if (!url) return refuse('incomplete');
    const fault = faultOf(url);
    if (fault !== undefined) return refuse(fault);
    // `…/#` has an empty fragment, and `example.com.` is example.com.
    url.hash = '';
    if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
    // Percent-encoding makes a URL longer.
    if (url.href.length > MAX_URL_LENGTH) return refuse('too_long');
    return { ok: true, url: url.href };
  };
}

/** Returns the host without the brackets of an IPv6 address and the final dot of a name. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$|\.$/g, '');
}

// The URL parser makes hosts lower case and ASCII, and addresses as short as possible.
function normalHost(host: string): string {
  const url = parseUrl(`https://${isIPv6(host) ? `[${host}]` : host}`);
  return url ? hostOf(url) : host.toLowerCase();
}
