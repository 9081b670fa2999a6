// The URLs that merchants may register for webhooks. The check uses the parsed URL, which is what
// the sender connects to: the parser reads 0x7f000001, 127.1 and full-width digits as 127.0.0.1.
// What a name resolves to is checked at each connect (connect.ts).

import { isIPv6 } from 'node:net';
import { createAddressRule, isAddress, isPublicAddress } from './addresses';

/** No receiver of webhooks needs a longer one; most servers accept as much. */
export const MAX_URL_LENGTH = 2_048;

// Names that never lead to another network (RFC 6761, 6762, 8375, 9476, and common use).
const INNER_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/;
const LOCALHOST = /(^|\.)localhost$/;
// The limits of DNS: at most 253 characters, in labels of at most 63.
const DNS_NAME = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9-]{1,63}$/;

const HTTPS_PORT = 443;
const TOO_LONG = `The URL must be at most ${MAX_URL_LENGTH} characters long.`;
const NOT_PUBLIC = 'The URL must not lead to an address that is not public.';

export interface WebhookUrlPolicy {
  /**
   * Addresses or ranges that are allowed although not public; written as literals, also with http.
   */
  readonly allowed_addresses: readonly string[];
  /** Ports that are allowed in addition to 443. */
  readonly ports: readonly number[];
  /** Names and addresses of this service itself. */
  readonly own_hosts: readonly string[];
}

export type CheckedUrl =
  { readonly ok: true; readonly url: string } | { readonly ok: false; readonly fault: string };

/** The URL as it will be used, or one sentence for the merchant that says what to do. */
export function checkWebhookUrl(text: string, policy: WebhookUrlPolicy): CheckedUrl {
  return createUrlCheck(policy)(text);
}

/** The same for many URLs: the policy is parsed once. */
export function createUrlCheck(policy: WebhookUrlPolicy): (text: string) => CheckedUrl {
  const { isExempt } = createAddressRule({ allowed: policy.allowed_addresses, own: () => [] });
  const ports = [...new Set([HTTPS_PORT, ...policy.ports])];
  const own_hosts = new Set(policy.own_hosts.map(normalHost));

  function faultOf(url: URL): string | undefined {
    const host = hostOf(url);
    const is_exempt = isExempt(host);
    if (LOCALHOST.test(host) && isExempt('127.0.0.1')) {
      return 'The URL must name this machine as 127.0.0.1, not as localhost.';
    }
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && is_exempt)) {
      return 'The URL must begin with https://.';
    }
    if (url.username !== '' || url.password !== '') {
      return 'The URL must not contain a user name or a password.';
    }
    if (url.hash !== '') return 'The URL must not contain a fragment (#).';
    if (is_exempt) return undefined;
    const port = url.port === '' ? HTTPS_PORT : Number(url.port);
    if (!ports.includes(port)) return `The URL's port must be ${ports.join(' or ')}.`;
    if (own_hosts.has(host)) return 'The URL must not lead to this service itself.';
    if (isAddress(host)) return isPublicAddress(host) ? undefined : NOT_PUBLIC;
    if (INNER_NAME.test(host)) return 'The URL must not lead to a name of an inner network.';
    if (!host.includes('.')) return "The URL's host must be a full name, with a dot.";
    return DNS_NAME.test(host) ? undefined : "The URL's host must be a name that DNS can have.";
  }

  return (text) => {
    if (text.length > MAX_URL_LENGTH) return { ok: false, fault: TOO_LONG };
    const url = parse(text);
    if (!url) return { ok: false, fault: 'The URL must be complete: https://example.com/path.' };
    const fault = faultOf(url);
    if (fault !== undefined) return { ok: false, fault };
    // `…/#` has an empty fragment, and `example.com.` is example.com.
    url.hash = '';
    if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
    // Percent-encoding makes a URL longer.
    if (url.href.length > MAX_URL_LENGTH) return { ok: false, fault: TOO_LONG };
    return { ok: true, url: url.href };
  };
}

/** Without the brackets of an IPv6 address and the final dot of a name. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$|\.$/g, '');
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    // Not a URL.
    return undefined;
  }
}

// The URL parser makes hosts lower case and ASCII, and addresses as short as possible.
function normalHost(host: string): string {
  const url = parse(`https://${isIPv6(host) ? `[${host}]` : host}`);
  return url ? hostOf(url) : host.toLowerCase();
}
