// Finds where a request really comes from, and whether it came over plain HTTP. Forwarded headers
// are trusted only from the proxies named in the configuration (docs/configuration.md).

import proxyAddr from 'proxy-addr';
import type { Config } from '../../config/load';
import { Refusal } from '../../domain/refusal';
import type { HttpMiddleware } from '../context';
import { checkSingleHeaders } from '../single-headers';

/** HSTS is for this host only: its subdomains may be of others. */
const YEAR_SECONDS = 365 * 24 * 60 * 60;

export function transport(config: Config): HttpMiddleware {
  const isTrusted = proxyAddr.compile([...config.trusted_proxies]);
  return (ctx, next) => {
    ctx.state.ip = proxyAddr(ctx.req, isTrusted);
    ctx.state.route = 'unmatched';
    checkSingleHeaders(ctx.req);
    const is_secure = isSecure(ctx, isTrusted);
    ctx.state.is_secure = is_secure;
    // Over plain HTTP browsers ignore it (RFC 6797, section 7.2).
    if (is_secure) ctx.set('Strict-Transport-Security', `max-age=${YEAR_SECONDS}`);
    if (config.production && !is_secure) {
      // Refused and not redirected: the key has been sent unencrypted by now.
      throw new Refusal('forbidden', {
        message: 'Use HTTPS. Rotate a key that was sent over plain HTTP.',
      });
    }
    return next();
  };
}

function isSecure(
  ctx: Parameters<HttpMiddleware>[0],
  isTrusted: (address: string, hop: number) => boolean,
): boolean {
  if ('encrypted' in ctx.req.socket && ctx.req.socket.encrypted === true) return true;
  if (ctx.get('X-Forwarded-Proto').toLowerCase() !== 'https') return false;
  return isTrusted(ctx.req.socket.remoteAddress ?? '', 0);
}
