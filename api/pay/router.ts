// The pay page over HTTP. Customers have no key: the URL is all they have. Every response is an
// HTML page, except for the static files and the state that the page's script polls.

import Router from '@koa/router';
import { cachingOf } from '../../pages/assets';
import type { HttpContext, HttpState } from '../../http/context';
import { countStranger } from '../../http/middleware/strangers';
import { ASSETS } from './assets';
import { registerLinkPages, type LinkPageDependencies } from './link-router';
import type { News } from './news';
import { renderGatewayTrouble, renderPayPage, renderPayState, type PayPageView } from './page';
import { renderReceipt, type ReceiptRefund } from './receipt';
import {
  contentSecurityPolicy,
  handlePage,
  languageOf,
  lookUpCode,
  type PageDependencies,
  type PageHandler,
  seeOther,
  sendPage,
  sendPicture,
  showUnknown,
} from './send';

export interface PayDependencies extends PageDependencies {
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
  readonly links: Omit<LinkPageDependencies, keyof PageDependencies>;
}

export type CheckoutOpening =
  | { readonly checkout_url: string; readonly updated_at: string }
  | 'not_payable'
  /** The gateway opens none just now, and it is not asked before this time. */
  | { readonly retry_after_seconds: number };

type PayHandler = PageHandler<PayDependencies>;

export function payRouter(dependencies: PayDependencies): Router<HttpState> {
  const router = new Router<HttpState>();
  const page = (pattern: string, name: string, handlers: Readonly<Record<string, PayHandler>>) =>
    router.all(pattern, handlePage(dependencies, name, handlers));
  page('/p/assets/:name', '/p/assets/{name}', { GET: sendAsset });
  page('/p/:code', '/p/{short_code}', { GET: showPage });
  page('/p/:code/pay', '/p/{short_code}/pay', { POST: pay });
  page('/p/:code/receipt', '/p/{short_code}/receipt', { GET: showReceipt });
  page('/p/:code/logo', '/p/{short_code}/logo', { GET: sendLogo });
  page('/p/:code/status', '/p/{short_code}/status', { GET: sendState });
  // A mistyped URL under /p gets a page as well.
  page('/p', '/p', { GET: showUnknown });
  page('/p/*rest', '/p/{rest}', { GET: showUnknown });
  const { strangers, log, links } = dependencies;
  registerLinkPages(router, { strangers, log, ...links });
  return router;
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

async function sendState(ctx: HttpContext, dependencies: PayDependencies, code: string) {
  const view = await findView(ctx, dependencies, code);
  if (!view) return showUnknown(ctx, dependencies);
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = renderPayState(view, languageOf(ctx).language);
}

async function sendLogo(ctx: HttpContext, dependencies: PayDependencies, code: string) {
  const view = await findView(ctx, dependencies, code);
  const image = view?.logo_version === null ? undefined : await dependencies.findLogo(code);
  if (!view || !image) return showUnknown(ctx, dependencies);
  sendPicture(ctx, image, view.logo_version!);
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

function findView(
  ctx: HttpContext,
  dependencies: PayDependencies,
  code: string,
): Promise<PayPageView | undefined> {
  return lookUpCode(ctx, dependencies, code, { find: dependencies.findPayable });
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
