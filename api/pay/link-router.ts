// The page of a reusable link over HTTP: a customer says how much and sends it, and is led to the page of the
// payment that it makes.

import type Router from '@koa/router';
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { PayableLink } from '../../db/payment-links/payment-links';
import { isUuid } from '../../domain/ids';
import { createMinuteCounter, type MinuteCounter } from '../../domain/minute-counter';
import { LINK_PAYMENT_SECONDS, LinkTakesNoPayment, linkUrl } from '../../domain/payment-link';
import { Refusal } from '../../domain/refusal';
import type { HttpContext, HttpState } from '../../http/context';
import { countStranger } from '../../http/middleware/strangers';
import { renderQrCode } from '../../pages/qr';
import { parameterOf } from '../../pages/query';
import type { LinkPayment } from '../../use-cases/payment-links/pay';
import { readLinkForm, type LinkFields, type MaxPayment } from './link-form';
import {
  renderBegunLink,
  renderClosedLink,
  renderLinkPage,
  type LinkPageOptions,
} from './link-page';
import {
  handlePage,
  languageOf,
  lookUpCode,
  type PageDependencies,
  readPageForm,
  RETRY_AFTER_SECONDS,
  seeOther,
  sendPage,
  sendPicture,
  showUnknown,
} from './send';
import { setCookie } from './show';

export interface LinkPageDependencies extends PageDependencies {
  readonly findLink: (code: string) => Promise<PayableLink | undefined>;
  /** The short code of the payment that a form has made. */
  readonly findPaid: (link: PayableLink, form_id: string) => Promise<string | undefined>;
  /** The short code of the new payment. Rejects with a Refusal or LinkTakesNoPayment. */
  readonly payByLink: (link: PayableLink, payment: LinkPayment) => Promise<string>;
  readonly findLogo: (user_id: string) => Promise<Buffer | undefined>;
  readonly pay_url_base: string;
  readonly max_payment: MaxPayment;
  /** Whether payments of this environment are taken by the sandbox gateway. */
  readonly isSimulated: (environment: PayableLink['environment']) => boolean;
}

/**
 * Each begins a workflow and a session at the gateway, for whom nothing vouches: one link, from any number of
 * addresses, may begin so many in a minute.
 */
const PAYMENTS_PER_MINUTE = 300;

export function registerLinkPages(
  router: Router<HttpState>,
  dependencies: LinkPageDependencies,
): void {
  const counter = createMinuteCounter(() => performance.now());
  const page = (pattern: string, name: string, handlers: Parameters<typeof handlePage>[2]) =>
    router.all(pattern, handlePage(dependencies, name, handlers));
  page('/l/:code', '/l/{code}', {
    GET: (ctx, _, code) => showLink(ctx, dependencies, code),
    POST: (ctx, _, code) => pay(ctx, dependencies, code, counter),
  });
  page('/l/:code/qr.svg', '/l/{code}/qr.svg', {
    GET: (ctx, _, code) => sendQrCode(ctx, dependencies, code),
  });
  page('/l/:code/logo', '/l/{code}/logo', {
    GET: (ctx, _, code) => sendLogo(ctx, dependencies, code),
  });
  page('/l', '/l', { GET: showUnknown });
  page('/l/*rest', '/l/{rest}', { GET: showUnknown });
}

function find(ctx: HttpContext, dependencies: LinkPageDependencies, code: string) {
  return lookUpCode(ctx, dependencies, code, { secret: `l/${code}`, find: dependencies.findLink });
}

async function showLink(ctx: HttpContext, dependencies: LinkPageDependencies, code: string) {
  const link = await find(ctx, dependencies, code);
  if (!link) return showUnknown(ctx, dependencies);
  const visit = ctx.cookies.get(VISIT_COOKIE.name) ?? '';
  const is_again = isUuid(visit);
  const form_id = is_again ? visit : beginVisit(ctx, code);
  const paid_code = is_again ? await dependencies.findPaid(link, form_id) : undefined;
  showForm(ctx, dependencies, link, { form_id, paid_code });
}

/**
 * One visit to a link makes one payment: Back, a reload and a second tab are the same visit. It is a cookie's and not the
 * address's, which customers pass on. It outlives the payment that it makes.
 */
const VISIT_COOKIE = { name: 'visit', maxAge: 2 * LINK_PAYMENT_SECONDS * 1_000 };

function beginVisit(ctx: HttpContext, code: string): string {
  const value = randomUUID();
  setCookie(ctx, `/l/${code}`, { ...VISIT_COOKIE, value });
  return value;
}

interface FormState extends Pick<LinkPageOptions, 'form_id' | 'fields' | 'faults' | 'notice'> {
  /** The payment that the form has made. */
  readonly paid_code?: string | undefined;
}

function showForm(
  ctx: HttpContext,
  { isSimulated, pay_url_base }: LinkPageDependencies,
  link: PayableLink,
  { paid_code, ...state }: FormState,
  status = 200,
): void {
  const options = {
    ...languageOf(ctx),
    is_simulated: isSimulated(link.environment),
    url: linkUrl(pay_url_base, link.code),
  };
  const closed_by = link.status === 'active' && link.held_by !== null ? 'inactive' : link.status;
  if (closed_by !== 'active') return sendPage(ctx, 410, renderClosedLink(link, closed_by, options));
  // The form leads back here, and the answer to it to a page of ours.
  allowForm(ctx);
  if (paid_code !== undefined) {
    return sendPage(ctx, status, renderBegunLink(link, paid_code, options));
  }
  sendPage(ctx, status, renderLinkPage(link, { ...options, ...state }));
}

function allowForm(ctx: HttpContext): void {
  const policy = ctx.response.get('Content-Security-Policy');
  ctx.set('Content-Security-Policy', policy.replace("form-action 'none'", "form-action 'self'"));
}

async function pay(
  ctx: HttpContext,
  dependencies: LinkPageDependencies,
  code: string,
  counter: MinuteCounter,
) {
  const link = await find(ctx, dependencies, code);
  if (!link) return showUnknown(ctx, dependencies);
  const form = await readPageForm(ctx);
  const { language, is_chosen } = languageOf(ctx);
  const given = form?.get('form_id') ?? '';
  const form_id = isUuid(given) ? given : randomUUID();
  if (form?.has('again')) {
    beginVisit(ctx, code);
    return seeOther(ctx, `/l/${code}${is_chosen ? `?lang=${language}` : ''}`);
  }
  if (!form) return showForm(ctx, dependencies, link, { form_id });
  const read = readLinkForm(language, link, form, dependencies.max_payment);
  const { fields } = read;
  if (!read.ok)
    return showForm(ctx, dependencies, link, { form_id, fields, faults: read.faults }, 422);
  if (link.status !== 'active') return showForm(ctx, dependencies, link, { form_id });
  countStranger(dependencies.strangers, ctx, 'link_payment');
  const wait = counter.take({ name: link.id, most: PAYMENTS_PER_MINUTE });
  if (wait > 0) return comeLater(ctx, dependencies, link, { form_id, fields }, wait);
  const payment = { ...read.payment, request_id: ctx.state.request_id };
  try {
    const short_code = await dependencies.payByLink(link, { ...payment, form_id });
    seeOther(ctx, `/p/${short_code}${is_chosen ? `?lang=${language}` : ''}`);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'idempotency_key_reuse') {
      const paid_code = await dependencies.findPaid(link, form_id);
      return showForm(ctx, dependencies, link, { form_id, paid_code }, 409);
    }
    afterError(ctx, dependencies, { link, form_id, fields, error });
  }
}

function afterError(
  ctx: HttpContext,
  dependencies: LinkPageDependencies,
  {
    link,
    form_id,
    fields,
    error,
  }: {
    readonly link: PayableLink;
    readonly form_id: string;
    readonly fields: LinkFields;
    readonly error: unknown;
  },
): void {
  if (error instanceof LinkTakesNoPayment) {
    return showForm(ctx, dependencies, { ...link, status: error.status }, { form_id });
  }
  if (!(error instanceof Refusal)) throw error;
  switch (error.code) {
    case 'account_frozen':
    case 'kyc_required':
      return showForm(ctx, dependencies, { ...link, status: 'inactive' }, { form_id });
    case 'invalid_request':
    case 'limit_exceeded':
      // The gateway or the wallet takes no such amount.
      return showForm(ctx, dependencies, link, { form_id, fields, notice: 'other_amount' }, 422);
    default:
      return comeLater(ctx, dependencies, link, { form_id, fields }, RETRY_AFTER_SECONDS);
  }
}

function comeLater(
  ctx: HttpContext,
  dependencies: LinkPageDependencies,
  link: PayableLink,
  state: FormState,
  seconds: number,
): void {
  ctx.set('Retry-After', String(seconds));
  showForm(ctx, dependencies, link, { ...state, notice: 'later' }, 503);
}

async function sendQrCode(ctx: HttpContext, dependencies: LinkPageDependencies, code: string) {
  const link = await find(ctx, dependencies, code);
  if (!link) return showUnknown(ctx, dependencies);
  // The code's content never changes.
  ctx.set('Cache-Control', 'public, max-age=86400');
  ctx.type = 'image/svg+xml';
  if (parameterOf(ctx, 'download') !== undefined) ctx.attachment(`qr-${code}.svg`);
  ctx.body = renderQrCode(linkUrl(dependencies.pay_url_base, code), link.title);
}

async function sendLogo(ctx: HttpContext, dependencies: LinkPageDependencies, code: string) {
  const link = await find(ctx, dependencies, code);
  const version = link?.logo_version ?? null;
  const image = version === null ? undefined : await dependencies.findLogo(link!.user_id);
  if (version === null || !image) return showUnknown(ctx, dependencies);
  sendPicture(ctx, image, version);
}
