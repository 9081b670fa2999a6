// Finds where a request really comes from, and whether it came over plain HTTP. Forwarded headers
// are trusted only from the proxies named in the configuration (docs/configuration.md).

import type { IncomingMessage } from 'node:http';
import proxyAddr from 'proxy-addr';
import type { Config } from '../../config/load';
import { Refusal } from '../../domain/refusal';
import type { HttpMiddleware } from '../context';
import { PREFIX } from '../prefix';
import { checkQuery } from '../query';
import { checkSingleHeaders } from '../single-headers';

/** HSTS is for this host only: its subdomains may be of others. */
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Says nothing and needs no key: probes of balancers and of containers cannot speak TLS. */
const OPEN_PATH = `${PREFIX}/health`;

export function transport(config: Config): HttpMiddleware {
  const isTrusted = proxyAddr.compile([...config.trusted_proxies]);
  return (ctx, next) => {
    const { address, proxies } = findClient(ctx.req, isTrusted);
    ctx.state.ip = address;
    ctx.state.route = 'unmatched';
    checkSingleHeaders(ctx.req);
    checkQuery(ctx);
    const is_secure = isEncrypted(ctx.req) || (proxies > 0 && cameByHttps(ctx.req, proxies));
    ctx.state.is_secure = is_secure;
    // Over plain HTTP browsers ignore it (RFC 6797, section 7.2).
    if (is_secure) ctx.set('Strict-Transport-Security', `max-age=${YEAR_SECONDS}`);
    if (config.production && !is_secure && ctx.path !== OPEN_PATH) {
      // Refused and not redirected: the key has been sent unencrypted by now.
      throw new Refusal('forbidden', {
        message: 'Use HTTPS. Rotate a key that was sent over plain HTTP.',
      });
    }
    return next();
  };
}

/**
 * The first address that is no trusted proxy, seen from our end, and how many proxies are in front of it: each adds the
 * address that called it at the end of the list. The farthest one when all are trusted.
 */
function findClient(
  request: IncomingMessage,
  isTrusted: (address: string, hop: number) => boolean,
): { readonly address: string; readonly proxies: number } {
  const forwarded = listIn(request, 'x-forwarded-for').map(withoutPort);
  const chain = [request.socket.remoteAddress ?? '', ...forwarded];
  const found = chain.findIndex((address, hop) => !isTrusted(address, hop));
  const proxies = found === -1 ? chain.length : found;
  return { address: chain[proxies] ?? chain.at(-1)!, proxies };
}

/** Some gateways add the port: `203.0.113.9:51234`, `[2001:db8::7]:51234`. */
function withoutPort(address: string): string {
  const [, v6, v4] = /^(?:\[(.+)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? [];
  return v6 ?? v4 ?? address;
}

function isEncrypted({ socket }: IncomingMessage): boolean {
  return 'encrypted' in socket && socket.encrypted === true;
}

/** The proxy next to the client says it; where the proxies keep one value for all of them, that one counts. */
function cameByHttps(request: IncomingMessage, proxies: number): boolean {
  const protocols = listIn(request, 'x-forwarded-proto');
  return protocols[Math.min(proxies, protocols.length) - 1]?.toLowerCase() === 'https';
}

/** The entries of a header that proxies add to, the latest first. */
function listIn({ headers }: IncomingMessage, name: string): readonly string[] {
  const entries = String(headers[name] ?? '')
    .split(',')
    .reverse();
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
}
