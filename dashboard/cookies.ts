// The dashboard's cookies. None is readable by scripts. Over HTTPS they are bound to this very host
// (`__Host-`, RFC 6265bis): no other name of the domain can set them.

import type { HttpContext } from '../http/context';

/** `visitor` is for the forms of those who are not signed in; `language` is what they chose. */
type CookieName = 'session' | 'visitor' | 'language' | 'device';

const MONTH_MS = 30 * 24 * 60 * 60 * 1_000;
const LASTS_MS: Readonly<Record<CookieName, number | undefined>> = {
  session: undefined,
  visitor: undefined,
  language: 12 * MONTH_MS,
  device: 12 * MONTH_MS,
};

export function getCookie(ctx: HttpContext, name: CookieName): string | undefined {
  const { new_cookies } = ctx.state;
  if (new_cookies?.has(name)) return new_cookies.get(name);
  return ctx.cookies.get(fullName(ctx, name));
}

export function setCookie(
  ctx: HttpContext,
  name: CookieName,
  value: string,
  lasts_ms: number | undefined = LASTS_MS[name],
): void {
  write(ctx, name, value, lasts_ms);
}

export function clearCookie(ctx: HttpContext, name: CookieName): void {
  write(ctx, name, undefined, undefined);
}

/** Removes every cookie, by the Set-Cookie of an answer that is no page. */
export function clearCookies(ctx: HttpContext): void {
  for (const name of Object.keys(LASTS_MS) as CookieName[]) {
    if (getCookie(ctx, name) !== undefined) clearCookie(ctx, name);
  }
}

function write(
  ctx: HttpContext,
  name: CookieName,
  value: string | undefined,
  lasts_ms: number | undefined,
): void {
  (ctx.state.new_cookies ??= new Map()).set(name, value);
  const { is_secure } = ctx.state;
  // A proxy may have ended TLS: `transport` knows, and the library does not.
  ctx.cookies.secure = is_secure;
  ctx.cookies.set(fullName(ctx, name), value ?? null, {
    httpOnly: true,
    overwrite: true,
    path: '/',
    sameSite: 'lax',
    secure: is_secure,
    ...(lasts_ms === undefined ? {} : { maxAge: lasts_ms }),
  });
}

function fullName(ctx: HttpContext, name: CookieName): string {
  return ctx.state.is_secure ? `__Host-${name}` : `payments_${name}`;
}
