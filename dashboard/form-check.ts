// Reads a submitted form, and tells whether it comes from a page of this browser's session that
// showed the account and environment which the session still shows.

import { randomBytes } from 'node:crypto';
import { Refusal } from '../domain/refusal';
import type { HttpContext } from '../http/context';
import { readForm, withoutNul } from '../http/form';
import { readBody } from '../http/read-body';
import { isSameText } from '../secrets/hash';
import type { DashboardDependencies, Visit } from './context';
import { getCookie, setCookie } from './cookies';
import { SHOWN_FIELD, shownOf, TOKEN_FIELD } from './forms';
import { readMultipart } from './multipart';
import type { Trouble } from './trouble';

const FILE_TYPE = 'multipart/form-data';

/**
 * Reads a form that may carry a file. @throws Refusal payload_too_large, unsupported_media_type
 */
export async function readFileForm(
  ctx: HttpContext,
  max_bytes: number,
): Promise<Pick<Visit, 'form' | 'file'>> {
  if (!ctx.is(FILE_TYPE)) return { form: await readForm(ctx), file: undefined };
  const body = await readBody(ctx.req, max_bytes);
  const read = await readMultipart(body, ctx.get('Content-Type'));
  if (!read) throw new Refusal('unsupported_media_type');
  const fields = read.fields.map(([name, value]) => [withoutNul(name), withoutNul(value)]);
  return { form: new URLSearchParams(fields), file: read.file };
}

/** Returns undefined for a form without a fault. One that is late was sent from no page of this session. */
export function faultOfForm(
  { ctx, form, session }: Visit,
  { config, formToken }: DashboardDependencies,
): Trouble | { readonly kind: 'late' } | undefined {
  // Browsers say where a form comes from; a client that does not is held by the token alone.
  if (['cross-site', 'same-site'].includes(ctx.get('Sec-Fetch-Site'))) return { kind: 'form' };
  if (!isOwnOrigin(ctx.get('Origin'), config)) return { kind: 'form' };
  if (!isSameText(form.get(TOKEN_FIELD) ?? '', formToken(formSecret(ctx)))) return { kind: 'late' };
  const shown = form.get(SHOWN_FIELD);
  if (shown === null || !session?.account) return undefined;
  if (shown === shownOf(session)) return undefined;
  return { kind: 'switched', shown: `${session.account.username}/${session.environment}` };
}

// A dashboard without an origin of its own may have names that no setting holds, such as a
// tunnel's.
function isOwnOrigin(
  header: string,
  { dashboard_host, dashboard_url }: DashboardDependencies['config'],
): boolean {
  if (dashboard_host === undefined || header === '' || header === 'null') return true;
  return header === new URL(dashboard_url).origin;
}

/** The text that only this browser has: its session, or before that a random cookie. */
export function formSecret(ctx: HttpContext): string {
  const session = getCookie(ctx, 'session');
  if (session !== undefined && ctx.state.is_signed_in) return `session ${session}`;
  return `visitor ${visitorOf(ctx)}`;
}

/** A random cookie, which stays when a session begins or ends. */
export function visitorOf(ctx: HttpContext): string {
  let visitor = getCookie(ctx, 'visitor');
  if (visitor === undefined || !/^[0-9a-f]{32}$/.test(visitor)) {
    visitor = randomBytes(16).toString('hex');
    setCookie(ctx, 'visitor', visitor);
  }
  return visitor;
}
