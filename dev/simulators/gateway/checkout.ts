// The hosted checkout page, for customers and for load tests without a browser. As at a real
// gateway, there is no sign-in: anyone who knows the session's id may pay.

import Router from '@koa/router';
import type { Context } from 'koa';
import { pickLanguage } from '../../../pages/language';
import { ACTIONS, DEFAULT_DELAY_MS, MAX_DELAY_MS, type Choice } from './actions';
import { REFUND_COURSES, statusOf, type Session } from './store';
import { renderCheckout, renderMissing, STYLE } from './checkout-page';
import type { Dispute } from './disputes';
import { readRawBody } from './raw-body';
import type { Payments } from './payments';

const WHOLE_NUMBER = /^\d{1,9}$/;
// Characters with a meaning in a Content-Security-Policy must not get into it by a host's name.
const PLAIN_ORIGIN = /^https?:\/\/[\w.-]+(:\d+)?$/;

export function createCheckoutRouter(payments: Payments): Router {
  const router = new Router();

  router.get('/checkout/:session_id', async (ctx) => {
    const session = await payments.findSession(sessionId(ctx));
    if (!session) return show(ctx, 404, renderMissing(pickLanguage(ctx)));
    return showSession(ctx, session, 200, payments.disputes.latestOf(session));
  });

  router.post('/checkout/:session_id', async (ctx) => {
    const raw = await readRawBody(ctx.req);
    const form = raw && readForm(raw.toString('utf8'));
    const session = await payments.findSession(sessionId(ctx));
    if (!session) return show(ctx, 404, renderMissing(pickLanguage(ctx)));
    if (!form) return showSession(ctx, session, 422);
    const isDone = await payments.act(session, form);
    if (!isDone) return showSession(ctx, session, 409);
    const { return_url, cancel_url } = session.terms;
    return continueAt(ctx, form.action === 'come_back_later' ? cancel_url : return_url);
  });
  return router;
}

function showSession(ctx: Context, session: Session, status: number, dispute?: Dispute): void {
  show(
    ctx,
    status,
    renderCheckout(session, statusOf(session, new Date()), pickLanguage(ctx), dispute),
    session.terms.return_url,
  );
}

/** `return_url` is where the page's forms may lead. */
export function show(
  ctx: Context,
  status: number,
  page: string,
  return_url: string | null = null,
): void {
  protect(ctx, return_url);
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page;
}

export function continueAt(ctx: Context, url: string): void {
  protect(ctx, null);
  // 303 makes the browser continue with GET.
  ctx.status = 303;
  ctx.set('Location', url);
  ctx.body = '';
}

/** Keeps the page's address, which is enough to pay, out of caches, frames and referrers. */
function protect(ctx: Context, return_url: string | null): void {
  // Chromium checks the redirect after a form against `form-action` too.
  const origin = return_url === null ? '' : new URL(return_url).origin;
  const targets = PLAIN_ORIGIN.test(origin) ? `'self' ${origin}` : "'self'";
  ctx.set({
    'Content-Security-Policy':
      `default-src 'none'; style-src ${STYLE.source}; form-action ${targets}; ` +
      // The merchant's logo has the origin to which the customer returns.
      (PLAIN_ORIGIN.test(origin) ? `img-src ${origin}; ` : '') +
      "base-uri 'none'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
  });
}

/** Returns undefined when the fields are not those of our form. */
function readForm(text: string): Choice | undefined {
  const form = new URLSearchParams(text);
  const action = ACTIONS.find((one) => one === form.get('action'));
  const given = form.get('delay_ms') ?? String(DEFAULT_DELAY_MS);
  const delay_ms = WHOLE_NUMBER.test(given) ? Number(given) : Infinity;
  if (action === undefined || delay_ms > MAX_DELAY_MS) return undefined;
  const course = form.get('refunds') ?? '';
  const refunds = REFUND_COURSES.find((one) => one === course);
  return refunds === undefined && course !== '' ? undefined : { action, delay_ms, refunds };
}

function sessionId(ctx: Context): string {
  return (ctx['params'] as { readonly session_id: string }).session_id;
}
