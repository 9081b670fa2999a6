// The pages for customers: their headers, their limits, and how they are sent.

import type { RouterMiddleware } from '@koa/router';
import type { Currency } from '../../domain/currency';
import { isShortCode } from '../../domain/ids';
import { isLanguage } from '../../domain/language';
import { Refusal } from '../../domain/refusal';
import type { HttpContext, HttpState } from '../../http/context';
import { readForm } from '../../http/form';
import { headersOf } from '../../http/http-error';
import { logFault } from '../../http/log-fault';
import { countStranger } from '../../http/middleware/strangers';
import { strangerLimited, type Strangers } from '../../http/strangers';
import { cachingOf } from '../../pages/assets';
import { parameterOf } from '../../pages/query';
import { pickLanguage } from '../../pages/language';
import { PAY_STYLE } from './assets';
import { OTHER_PAGES, type OtherPages } from './other-pages';
import type { PayPageOptions } from './view';

export interface PageDependencies {
  readonly strangers: Strangers;
  /** Tells operators what went wrong. */
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** How long a customer waits before trying again after a failure. */
export const RETRY_AFTER_SECONDS = 5;

/** `code`: what stands in the path's place for it; empty where there is none. */
export type PageHandler<Dependencies> = (
  ctx: HttpContext,
  dependencies: Dependencies,
  code: string,
) => void | Promise<void>;

// Methods are checked here and not by the router, so that a refused one gets a page.
export function handlePage<Dependencies extends PageDependencies>(
  dependencies: Dependencies,
  name: string,
  handlers: Readonly<Record<string, PageHandler<Dependencies>>>,
): RouterMiddleware<HttpState> {
  const methods = Object.keys(handlers).flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]));
  return async (ctx) => {
    ctx.state.route = name;
    ctx.set(PAGE_HEADERS);
    const handler = handlers[ctx.method === 'HEAD' ? 'GET' : ctx.method];
    try {
      if (handler) return await handler(ctx, dependencies, ctx.params['code'] ?? '');
      countStranger(dependencies.strangers, ctx);
      ctx.set('Allow', methods.join(', '));
      sendOther(ctx, 405, 'method');
    } catch (error) {
      if (isLimit(error)) return sendTooMany(ctx, error);
      sendTrouble(ctx, dependencies, error);
    }
  };
}

const PAGE_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': contentSecurityPolicy("'none'"),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
};

export function contentSecurityPolicy(form_action: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${PAY_STYLE.source}`,
    "img-src 'self'",
    "connect-src 'self'",
    `form-action ${form_action}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export function languageOf(
  ctx: HttpContext,
): Required<Pick<PayPageOptions, 'language' | 'is_chosen'>> {
  // Browsers name one; what names none is mostly an old phone's, or a messenger that shows a preview.
  const names_none = ['', '*'].includes(ctx.get('Accept-Language').trim());
  const language = pickLanguage(ctx, names_none && ctx.state.is_of_francs ? 'fr' : undefined);
  return { language, is_chosen: isLanguage(parameterOf(ctx, 'lang')) };
}

/** A form that is no form is none. @throws what is no fault of the form */
export async function readPageForm(ctx: HttpContext): Promise<URLSearchParams | undefined> {
  try {
    return await readForm(ctx);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return undefined;
  }
}

/**
 * Finds the record of a code; undefined for none. A code of another kind of page is another `secret`.
 * @throws Refusal rate_limited
 */
export async function lookUpCode<Found extends { readonly currency: Currency }>(
  ctx: HttpContext,
  { strangers }: PageDependencies,
  code: string,
  {
    secret = code,
    find,
  }: { readonly secret?: string; readonly find: (code: string) => Promise<Found | undefined> },
): Promise<Found | undefined> {
  if (!isShortCode(code)) return undefined;
  // A link that is known to exist has its own, larger limit, and is counted before the query too.
  const is_known = strangers.wasRight(secret);
  if (is_known) countStranger(strangers, ctx, 'payment_page');
  ctx.state.is_counted = true;
  const found = await strangers.lookUp(ctx.state.ip, secret, () => find(code));
  if (typeof found === 'number') throw strangerLimited(found);
  if (found && !is_known) countStranger(strangers, ctx, 'payment_page');
  ctx.state.is_of_francs = found?.currency === 'XOF';
  return found;
}

export function showUnknown(ctx: HttpContext, { strangers }: PageDependencies): void {
  // The look-up of a code has counted it.
  if (ctx.state.is_counted !== true) countStranger(strangers, ctx);
  sendOther(ctx, 404, 'unknown');
}

function isLimit(error: unknown): error is Refusal {
  return error instanceof Refusal && error.code === 'rate_limited';
}

function sendTooMany(ctx: HttpContext, refusal: Refusal): void {
  ctx.set(headersOf(refusal));
  comeBack(ctx, refusal.retry_after_seconds ?? RETRY_AFTER_SECONDS);
  sendOther(ctx, 429, 'too_many');
}

export function seeOther(ctx: HttpContext, location: string): void {
  ctx.status = 303;
  ctx.redirect(location);
}

function sendTrouble(ctx: HttpContext, { log }: PageDependencies, error: unknown): void {
  const unavailable = logFault(log, ctx, error);
  ctx.set('Retry-After', String(RETRY_AFTER_SECONDS));
  if (unavailable) comeBack(ctx, RETRY_AFTER_SECONDS);
  sendOther(ctx, unavailable ? 503 : 500, 'trouble');
}

/**
 * A customer who waits for a payment is not left at a page about our trouble: the browser asks again by itself
 * (https://html.spec.whatwg.org/multipage/document-lifecycle.html#the-refresh-header).
 */
function comeBack(ctx: HttpContext, seconds: number): void {
  const code = ctx.params['code'] ?? '';
  if (!isShortCode(code)) return;
  const page =
    ctx.method === 'POST' ? ctx.path.replace(/\/(pay|attempts.*)$/, '') : ctx.path + ctx.search;
  ctx.set('Refresh', `${seconds};url=${page}`);
}

export function sendOther(ctx: HttpContext, status: number, page: keyof OtherPages): void {
  sendPage(ctx, status, OTHER_PAGES[languageOf(ctx).language][page]);
}

export function sendPage(ctx: HttpContext, status: number, page: string): void {
  ctx.status = status;
  ctx.set('Content-Language', languageOf(ctx).language);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page;
}

// A picture that a merchant sent, although written again by us: it is nothing but one, wherever it
// is opened.
const PICTURE_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  // The gateway's page shows it too.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Content-Disposition': 'inline; filename="logo.png"',
};

export function sendPicture(ctx: HttpContext, image: Buffer, version: string): void {
  ctx.set(PICTURE_HEADERS);
  ctx.set('Cache-Control', cachingOf({ version }, parameterOf(ctx, 'v')));
  ctx.type = 'image/png';
  ctx.body = image;
}
