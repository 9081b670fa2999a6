// Where a request really comes from, and whether it travelled in clear. Forwarded headers are
// believed only from the proxies named in the configuration.

import proxyAddr from 'proxy-addr';
import type { Config } from '../../config/load';
import { ApiError } from '../api-error';
import type { ApiMiddleware } from '../context';

export function transport(config: Config): ApiMiddleware {
  const isTrusted = proxyAddr.compile([...config.trusted_proxies]);
  return (ctx, next) => {
    ctx.state.ip = proxyAddr(ctx.req, isTrusted);
    ctx.state.route = 'unmatched';
    if (config.production && !isSecure(ctx, isTrusted)) {
      // Refused, not redirected: by then the key has already been sent in clear.
      throw new ApiError('forbidden', {
        message: 'Use HTTPS. A key sent in clear should be rotated.',
      });
    }
    return next();
  };
}

function isSecure(
  ctx: Parameters<ApiMiddleware>[0],
  isTrusted: (address: string, hop: number) => boolean,
): boolean {
  if ('encrypted' in ctx.req.socket && ctx.req.socket.encrypted === true) return true;
  const peer = ctx.req.socket.remoteAddress ?? '';
  return isTrusted(peer, 0) && ctx.get('X-Forwarded-Proto').toLowerCase() === 'https';
}
