// The dashboard's address: under PUBLIC_URL, or an origin of its own, so that the cookie of a
// signed-in person never reaches the API and the pay pages.

import { parseUrl } from '../domain/url';
import type { ProcessEnvironment } from './schema';

const PATH = '/dashboard';

/** The origin that callers use. */
export function publicUrlOf(settings: ProcessEnvironment): string {
  const scheme = settings.TLS_CERT_FILE === undefined ? 'http' : 'https';
  return settings.PUBLIC_URL ?? `${scheme}://${settings.HOST}:${settings.PORT}`;
}

export interface DashboardAddress {
  /**
   * The beginning of its pages' URLs, without a slash at the end:
   * `https://dashboard.example.com/dashboard`.
   */
  readonly dashboard_url: string;
  /** Its Host when it has an origin of its own, such as `dashboard.example.com`; else undefined. */
  readonly dashboard_host: string | undefined;
}

export function dashboardAddress(url: string | undefined, public_url: string): DashboardAddress {
  const own = url === undefined ? undefined : new URL(url);
  return own === undefined || own.origin === new URL(public_url).origin
    ? { dashboard_url: public_url + PATH, dashboard_host: undefined }
    : { dashboard_url: own.origin + PATH, dashboard_host: own.host };
}

// Browsers send a cookie to every port of a host name: only another name keeps it away.
export function dashboardFaults(settings: ProcessEnvironment): string[] {
  const { DASHBOARD_URL: url, PAY_URL_BASE: pay_url } = settings;
  if (url === undefined) return [];
  const public_url = publicUrlOf(settings);
  const own = parseUrl(url);
  if (own === undefined) return ['DASHBOARD_URL must be a URL'];
  const { origin, hostname } = own;
  const others = [
    ['PUBLIC_URL', public_url],
    ['PAY_URL_BASE', pay_url ?? public_url],
  ] as const;
  const wrong = others.find(([, other]) => parseUrl(other) === undefined);
  if (wrong) return [`${wrong[0]} must be a URL when DASHBOARD_URL is set`];
  if (new URL(public_url).origin === origin) return [];
  const shared = others.find(([, other]) => new URL(other).hostname === hostname);
  return shared === undefined
    ? []
    : [
        `DASHBOARD_URL must not have the host name of ${shared[0]}, because browsers send cookies to every ` +
          'port of a name: leave it out, or give the dashboard a name of its own',
      ];
}
