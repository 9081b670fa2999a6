// The pay page over HTTP. Customers have no key: the URL is all they have. Every response is an
// HTML page, except for the static files and the state that the page's script polls.

import Router, { type RouterMiddleware } from '@koa/router';
import { SHORT_CODE_PATTERN } from '../../domain/ids';
import { isLanguage } from '../../domain/language';
import { cachingOf } from '../../pages/assets';
import { pickLanguage } from '../../pages/language';
import { Refusal } from '../../domain/refusal';
import { headersOf } from '../../http/http-error';
import type { HttpContext, HttpState } from '../../http/context';
import { logFault } from '../../http/log-fault';
import { countStranger } from '../../http/middleware/strangers';
import { strangerLimited } from '../../http/strangers';
import type { Strangers } from '../../http/strangers';
import { ASSETS, PAY_STYLE } from './assets';
import type { News } from './news';
import { OTHER_PAGES, type OtherPages } from './other-pages';
import {
  renderGatewayTrouble,
  renderPayPage,
  renderPayState,
  type PayPageOptions,
  type PayPageView,
} from './page';
import { renderReceipt, type ReceiptRefund } from './receipt';

export interface PayDependencies {
  /** Undefined for a code that is unknown or that no customer may see. */
  readonly findPayable: (short_code: string) => Promise<PayPageView | undefined>;
  /**
   * The page once the gateway has told something new about the intent, or after a moment as it was:
   * the customer has just come back from the gateway.
   */
  readonly awaitNews: (view: PayPageView) => Promise<News>;
  /** The gateway session in which the intent can be paid; a new one when the last has expired. */
  readonly openCheckout: (short_code: string) => Promise<CheckoutOpening>;
  /** The picture of the link's merchant; undefined without one. */
  readonly findLogo: (short_code: string) => Promise<Buffer | undefined>;
  /** Those that a receipt shows, the oldest first. */
  readonly listRefunds: (view: PayPageView) => Promise<readonly ReceiptRefund[]>;
  readonly strangers: Strangers;
  /** Tells operators what went wrong. */
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export type CheckoutOpening =
  | { readonly checkout_url: string; readonly updated_at: string }
  | 'not_payable'
  /** The gateway opens none just now, and it is not asked before this time. */
  | { readonly retry_after_seconds: number };

const SHORT_CODE = new RegExp(SHORT_CODE_PATTERN);

/** How long a customer waits before trying again after a failure. */
const RETRY_AFTER_SECONDS = 5;

type PayHandler = (
  ctx: HttpContext,
  dependencies: PayDependencies,
  code: string,
) => void | Promise<void>;

export function payRouter(dependencies: PayDependencies): Router<HttpState> {
  const router = new Router<HttpState>();
  const page = (pattern: string, name: string, handlers: Readonly<Record<string, PayHandler>>) =>
    router.all(pattern, handle(dependencies, name, handlers));
  page('/p/assets/:name', '/p/assets/{name}', { GET: sendAsset });
  page('/p/:code', '/p/{short_code}', { GET: showPage });
  page('/p/:code/pay', '/p/{short_code}/pay', { POST: pay });
  page('/p/:code/receipt', '/p/{short_code}/receipt', { GET: showReceipt });
  page('/p/:code/logo', '/p/{short_code}/logo', { GET: sendLogo });
  page('/p/:code/status', '/p/{short_code}/status', { GET: sendState });
  // A mistyped URL under /p gets a page as well.
  page('/p', '/p', { GET: showUnknown });
  page('/p/*rest', '/p/{rest}', { GET: showUnknown });
  return router;
}

// Methods are checked here and not by the router, so that a refused one gets a page.
function handle(
  dependencies: PayDependencies,
  name: string,
  handlers: Readonly<Record<string, PayHandler>>,
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

function contentSecurityPolicy(form_action: string): string {
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

async function showPage(ctx: HttpContext, dependencies: PayDependencies, code: string) {
  const found = await findView(ctx, dependencies, code);
  if (!found) return showUnknown(ctx, dependencies);
  const has_returned = ctx.query['back'] === '1';
  const { view, is_unpaid } =
    has_returned && found.status === 'open' && !isAnswered(ctx, found)
      ? await dependencies.awaitNews(found)
      : { view: found, is_unpaid: false };
  if (view.status === 'open') allowCheckout(ctx, view);
  const gave_up = ctx.query['gave_up'] === '1';
  const leaves = ctx.query['stay'] === undefined && isOver(view, gave_up);
  const is_answered = isAnswered(ctx, view);
  const options = { ...languageOf(ctx), has_returned, is_answered, is_unpaid, gave_up, leaves };
  sendPage(ctx, 200, renderPayPage(view, options));
}

/**
 * For so long after the success the page leads on by itself; a customer who opens the link later
 * wants to see it.
 */
const LEAVE_WITHIN_MS = 15 * 60_000;

function isOver({ status, succeeded_at }: PayPageView, gave_up: boolean): boolean {
  if (status === 'open') return gave_up;
  return succeeded_at !== null && Date.now() - Date.parse(succeeded_at) < LEAVE_WITHIN_MS;
}

async function showReceipt(ctx: HttpContext, dependencies: PayDependencies, code: string) {
  const view = await findView(ctx, dependencies, code);
  if (!view) return showUnknown(ctx, dependencies);
  if (view.status !== 'succeeded') return seeOther(ctx, `/p/${code}`);
  const refunds = view.refunded_minor === 0n ? [] : await dependencies.listRefunds(view);
  sendPage(ctx, 200, renderReceipt(view, refunds, languageOf(ctx)));
}

/**
 * The cookie of a customer who goes to the checkout holds the `updated_at` of the payment at that moment. A
 * failure that was there already is no answer to the attempt that the customer comes back from.
 */
const ATTEMPT_COOKIE = 'attempt';
/** The longest time that somebody stays at a checkout. */
const ATTEMPT_MS = 24 * 60 * 60_000;

function isAnswered(ctx: HttpContext, { last_payment_error, updated_at }: PayPageView): boolean {
  const begun_at = ctx.cookies.get(ATTEMPT_COOKIE);
  return last_payment_error !== null && begun_at !== undefined && begun_at !== updated_at;
}

async function pay(ctx: HttpContext, dependencies: PayDependencies, code: string) {
  const view = await findView(ctx, dependencies, code);
  if (!view) return showUnknown(ctx, dependencies);
  const options = languageOf(ctx);
  const page = `/p/${code}${options.is_chosen ? `?lang=${options.language}` : ''}`;
  if (view.status !== 'open') return seeOther(ctx, page);
  const opening = await dependencies.openCheckout(code);
  if (opening === 'not_payable') return seeOther(ctx, page);
  if ('retry_after_seconds' in opening) {
    const { retry_after_seconds } = opening;
    allowCheckout(ctx, view);
    ctx.set('Retry-After', String(retry_after_seconds));
    return sendPage(ctx, 503, renderGatewayTrouble(view, retry_after_seconds, options));
  }
  // The browser blocks a redirect to an origin that the page's policy does not allow, and the
  // customer would see nothing happen: a fresh page allows the new origin.
  const is_allowed = originOf(opening.checkout_url) === originOf(view.checkout_url);
  if (!is_allowed) return seeOther(ctx, page);
  ctx.cookies.secure = ctx.state.is_secure;
  ctx.cookies.set(ATTEMPT_COOKIE, opening.updated_at, {
    path: `/p/${code}`,
    maxAge: ATTEMPT_MS,
    httpOnly: true,
    sameSite: 'lax',
    secure: ctx.state.is_secure,
  });
  seeOther(ctx, opening.checkout_url);
}

function languageOf(ctx: HttpContext): Required<Pick<PayPageOptions, 'language' | 'is_chosen'>> {
  return { language: pickLanguage(ctx), is_chosen: isLanguage(ctx.query['lang']) };
}

async function sendState(ctx: HttpContext, dependencies: PayDependencies, code: string) {
  const view = await findView(ctx, dependencies, code);
  if (!view) return showUnknown(ctx, dependencies);
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = renderPayState(view, languageOf(ctx).language);
}

// A picture that a merchant sent, although written again by us: it is nothing but one, wherever it
// is opened.
const PICTURE_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  // The gateway's page shows it too.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Content-Disposition': 'inline; filename="logo.png"',
};

async function sendLogo(ctx: HttpContext, dependencies: PayDependencies, code: string) {
  const view = await findView(ctx, dependencies, code);
  const image = view?.logo_version === null ? undefined : await dependencies.findLogo(code);
  if (!view || !image) return showUnknown(ctx, dependencies);
  ctx.set(PICTURE_HEADERS);
  ctx.set('Cache-Control', cachingOf({ version: view.logo_version! }, ctx.query['v']));
  ctx.type = 'image/png';
  ctx.body = image;
}

function sendAsset(ctx: HttpContext, dependencies: PayDependencies) {
  const params = ctx['params'] as Readonly<Record<string, string>>;
  const asset = ASSETS.get(params['name'] ?? '');
  if (!asset) return showUnknown(ctx, dependencies);
  countStranger(dependencies.strangers, ctx, 'payment_page');
  ctx.set('Cache-Control', cachingOf(asset, ctx.query['v']));
  ctx.type = asset.type;
  ctx.body = asset.body;
}

/** Undefined for a code that leads to nothing. @throws Refusal rate_limited */
async function findView(
  ctx: HttpContext,
  { findPayable, strangers }: PayDependencies,
  code: string,
): Promise<PayPageView | undefined> {
  if (!SHORT_CODE.test(code)) return undefined;
  // A link that is known to exist has its own, larger limit, and is counted before the query too.
  const is_known = strangers.wasRight(code);
  if (is_known) countStranger(strangers, ctx, 'payment_page');
  ctx.state.is_counted = true;
  const found = await strangers.lookUp(ctx.state.ip, code, () => findPayable(code));
  if (typeof found === 'number') throw strangerLimited(found);
  if (found && !is_known) countStranger(strangers, ctx, 'payment_page');
  return found;
}

function showUnknown(ctx: HttpContext, { strangers }: PayDependencies): void {
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

// Chromium applies form-action to the redirect that follows a POST, too.
function allowCheckout(ctx: HttpContext, { checkout_url }: PayPageView): void {
  const policy = contentSecurityPolicy(`'self' ${originOf(checkout_url)}`);
  ctx.set('Content-Security-Policy', policy);
}

/** @throws TypeError when it is no web URL: such a gateway response must not reach a browser. */
function originOf(checkout_url: string): string {
  const { origin, protocol } = new URL(checkout_url);
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('Not a web address.');
  return origin;
}

function seeOther(ctx: HttpContext, location: string): void {
  ctx.status = 303;
  ctx.redirect(location);
}

function sendTrouble(ctx: HttpContext, { log }: PayDependencies, error: unknown): void {
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
  if (!SHORT_CODE.test(code)) return;
  const page = ctx.method === 'POST' ? `/p/${code}` : ctx.path + ctx.search;
  ctx.set('Refresh', `${seconds};url=${page}`);
}

function sendOther(ctx: HttpContext, status: number, page: keyof OtherPages): void {
  sendPage(ctx, status, OTHER_PAGES[languageOf(ctx).language][page]);
}

function sendPage(ctx: HttpContext, status: number, page: string): void {
  ctx.status = status;
  ctx.set('Content-Language', languageOf(ctx).language);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page;
}
