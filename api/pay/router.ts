// The pay page over HTTP. Customers have no key: the URL is all they have. Every response is an
// HTML page, except for the static files and the state that the page's script polls.

import Router from '@koa/router';
import { cachingOf } from '../../pages/assets';
import { parameterOf } from '../../pages/query';
import type { HttpContext, HttpState } from '../../http/context';
import { countStranger } from '../../http/middleware/strangers';
import { ASSETS } from './assets';
import { registerLinkPages } from './link-router';
import { renderGatewayTrouble, renderPayState } from './page';
import { isReceived, type PayPageView } from './view';
import { beginAttempt, giveOtp, giveUp } from './phone-router';
import { renderReceipt } from './receipt';
import {
  handlePage,
  languageOf,
  type PageHandler,
  seeOther,
  sendPage,
  sendPicture,
  showUnknown,
} from './send';
import {
  allowCheckout,
  ATTEMPT_COOKIE,
  findPhones,
  findView,
  originOf,
  pageOf,
  setCookie,
  show,
  type PayDependencies,
} from './show';

type PayHandler = PageHandler<PayDependencies>;

export function payRouter(dependencies: PayDependencies): Router<HttpState> {
  const router = new Router<HttpState>();
  const page = (pattern: string, name: string, handlers: Readonly<Record<string, PayHandler>>) =>
    router.all(pattern, handlePage(dependencies, name, handlers));
  page('/p/assets/:name', '/p/assets/{name}', { GET: sendAsset });
  page('/p/:code', '/p/{short_code}', { GET: showPage });
  page('/p/:code/pay', '/p/{short_code}/pay', { POST: pay });
  page('/p/:code/attempts', '/p/{short_code}/attempts', { POST: beginAttempt });
  page('/p/:code/attempts/:attempt/otp', '/p/{short_code}/attempts/{attempt_id}/otp', {
    POST: giveOtp,
  });
  page('/p/:code/attempts/:attempt/give-up', '/p/{short_code}/attempts/{attempt_id}/give-up', {
    POST: giveUp,
  });
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
  const has_returned = parameterOf(ctx, 'back') === '1';
  const { view: seen, is_unpaid } =
    has_returned && found.status === 'open' && !isAnswered(ctx, found)
      ? await dependencies.awaitNews(found)
      : { view: found, is_unpaid: false };
  const phones = await findPhones(ctx, dependencies, seen);
  // An attempt that has succeeded may have paid what was open when it was read.
  const is_paid = phones.attempt?.status === 'succeeded';
  const view = (is_paid && (await dependencies.findPayable(code))) || seen;
  const gave_up = parameterOf(ctx, 'gave_up') === '1';
  const leaves = parameterOf(ctx, 'stay') === undefined && isOver(view, gave_up);
  const is_answered = isAnswered(ctx, view);
  show(ctx, view, { has_returned, is_answered, is_unpaid, gave_up, leaves, phones });
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
  const payer = await dependencies.findPayer(view);
  sendPage(ctx, 200, renderReceipt(view, refunds, { ...languageOf(ctx), payer }));
}

function isAnswered(ctx: HttpContext, { last_payment_error, updated_at }: PayPageView): boolean {
  const begun_at = ctx.cookies.get(ATTEMPT_COOKIE.name);
  return last_payment_error !== null && begun_at !== undefined && begun_at !== updated_at;
}

async function pay(ctx: HttpContext, dependencies: PayDependencies, code: string) {
  const view = await findView(ctx, dependencies, code);
  if (!view) return showUnknown(ctx, dependencies);
  const page = pageOf(ctx, code);
  if (view.status !== 'open' || isReceived(view)) return seeOther(ctx, page);
  const opening = await dependencies.openCheckout(code);
  if (opening === 'not_payable') return seeOther(ctx, page);
  if ('retry_after_seconds' in opening) {
    const { retry_after_seconds } = opening;
    allowCheckout(ctx, view);
    ctx.set('Retry-After', String(retry_after_seconds));
    const options = { ...languageOf(ctx), phones: await findPhones(ctx, dependencies, view) };
    return sendPage(ctx, 503, renderGatewayTrouble(view, retry_after_seconds, options));
  }
  // The browser blocks a redirect to an origin that the page's policy does not allow, and the
  // customer would see nothing happen: a fresh page allows the new origin.
  const is_allowed = originOf(opening.checkout_url) === originOf(view.checkout_url);
  if (!is_allowed) return seeOther(ctx, page);
  setCookie(ctx, `/p/${code}`, { ...ATTEMPT_COOKIE, value: opening.updated_at });
  seeOther(ctx, opening.checkout_url);
}

async function sendState(ctx: HttpContext, dependencies: PayDependencies, code: string) {
  const view = await findView(ctx, dependencies, code);
  if (!view) return showUnknown(ctx, dependencies);
  ctx.type = 'application/json; charset=utf-8';
  const attempt = view.status === 'open' ? await dependencies.findAttempt(view) : undefined;
  ctx.body = renderPayState(view, languageOf(ctx).language, attempt);
}

async function sendLogo(ctx: HttpContext, dependencies: PayDependencies, code: string) {
  const view = await findView(ctx, dependencies, code);
  const image = view && view.logo_version !== null && (await dependencies.findLogo(code));
  if (!image) return showUnknown(ctx, dependencies);
  sendPicture(ctx, image, view.logo_version!);
}

function sendAsset(ctx: HttpContext, dependencies: PayDependencies) {
  const params = ctx['params'] as Readonly<Record<string, string>>;
  const asset = ASSETS.get(params['name'] ?? '');
  if (!asset) return showUnknown(ctx, dependencies);
  countStranger(dependencies.strangers, ctx, 'payment_page');
  ctx.set('Cache-Control', cachingOf(asset, parameterOf(ctx, 'v')));
  ctx.type = asset.type;
  ctx.body = asset.body;
}
