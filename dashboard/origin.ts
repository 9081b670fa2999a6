// The dashboard at an origin of its own (DASHBOARD_URL): its pages are there and nowhere else, and
// nothing else is there. So its cookies never reach the API and the pay pages
// (docs/configuration.md).

import { Refusal } from '../domain/refusal';
import type { HttpMiddleware } from '../http/context';
import type { Config } from '../config/load';
import { parseUrl } from '../domain/url';
import { clearCookies } from './cookies';
import { BASE_PATH } from './frame';

/** Returns undefined when the dashboard shares the API's origin. */
export function dashboardOrigin({
  dashboard_host,
  dashboard_url,
  public_url,
}: Pick<Config, 'dashboard_host' | 'dashboard_url' | 'public_url'>): readonly HttpMiddleware[] {
  if (dashboard_host === undefined) return [];
  const { origin } = new URL(dashboard_url);
  return [
    (ctx, next) => {
      const isPage = ctx.path === BASE_PATH || ctx.path.startsWith(`${BASE_PATH}/`);
      if (isHost(ctx.get('Host'), dashboard_host, origin)) {
        if (isPage) return next();
        if (ctx.path === '/') return redirect(ctx, dashboard_url);
        const message = `Only the dashboard is here. The API is at ${public_url}.`;
        throw new Refusal('not_found', { message });
      }
      if (!isPage) return next();
      // People who signed in here before the move still have them.
      clearCookies(ctx);
      // A form is not carried out, and its fields, a password among them, are not sent on.
      const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
      return redirect(ctx, isRead ? origin + ctx.path + ctx.search : dashboard_url);
    },
  ];
}

/** `header` may name the scheme's own port. */
function isHost(header: string, host: string, origin: string): boolean {
  if (header === host) return true;
  const url = `${new URL(origin).protocol}//${header}`;
  return parseUrl(url)?.host === host;
}

function redirect(ctx: Parameters<HttpMiddleware>[0], to: string): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.redirect(to);
  // The browser follows with GET, whatever the request was.
  ctx.status = 303;
}
