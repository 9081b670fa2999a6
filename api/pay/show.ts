// Shared by the handlers of a payment link's page: their dependencies, the page itself, and the browser's memory of it.

import type { Payer } from '../../db/payment-attempts/payment-attempts';
import type { PaymentMethod } from '../../domain/payment-attempt';
import type { HttpContext } from '../../http/context';
import type { LinkPageDependencies } from './link-router';
import type { News } from './news';
import { renderPayPage } from './page';
import type { PayPageOptions, PayPageView } from './view';
import { offerMethods, type PhoneFields } from './phone-form';
import type { PayAttempt, PhonePart } from './phones';
import type { ReceiptRefund } from './receipt';
import {
  contentSecurityPolicy,
  languageOf,
  lookUpCode,
  type PageDependencies,
  sendPage,
} from './send';

export interface PayDependencies extends PageDependencies {
  /** Undefined for a code that is unknown or that no customer may see. */
  readonly findPayable: (short_code: string) => Promise<PayPageView | undefined>;
  /**
   * The page once a notification has changed the intent, or after a moment as it was:
   * the customer has just come back from the gateway.
   */
  readonly awaitNews: (view: PayPageView) => Promise<News>;
  /** The gateway session in which the intent can be paid; a new one when the last has expired. */
  readonly openCheckout: (short_code: string) => Promise<CheckoutOpening>;
  /** The picture of the link's merchant; undefined without one. */
  readonly findLogo: (short_code: string) => Promise<Buffer | undefined>;
  /** Those that a receipt shows, the oldest first. */
  readonly listRefunds: (view: PayPageView) => Promise<readonly ReceiptRefund[]>;
  /** The phone that paid it, where it was one. */
  readonly findPayer: (view: PayPageView) => Promise<Payer | undefined>;
  /** Through which the link's currency can be paid by phone. */
  readonly listMethods: (view: PayPageView) => Promise<readonly PaymentMethod[]>;
  /** The latest attempt to pay it by phone. */
  readonly findAttempt: (view: PayPageView) => Promise<PayAttempt | undefined>;
  /** Rejects with a Refusal. */
  readonly beginAttempt: (view: PayPageView, order: AttemptOrder) => Promise<unknown>;
  /** Rejects with a Refusal. */
  readonly giveOtp: (view: PayPageView, attempt_id: string, otp: string) => Promise<unknown>;
  /** The attempt is one of a page that was found. Rejects with a Refusal. */
  readonly giveUp: (attempt_id: string) => Promise<void>;
  readonly links: Omit<LinkPageDependencies, keyof PageDependencies>;
}

export interface AttemptOrder {
  readonly operator: string;
  /** `+` and 7 to 15 digits. */
  readonly phone: string;
  readonly form_id: string;
  readonly request_id: string;
}

export type CheckoutOpening =
  | { readonly checkout_url: string; readonly updated_at: string }
  | 'not_payable'
  /** The gateway opens none just now, and it is not asked before this time. */
  | { readonly retry_after_seconds: number };

export function findView(
  ctx: HttpContext,
  dependencies: PayDependencies,
  code: string,
): Promise<PayPageView | undefined> {
  return lookUpCode(ctx, dependencies, code, { find: dependencies.findPayable });
}

export function show(
  ctx: HttpContext,
  view: PayPageView,
  options: PayPageOptions,
  status = 200,
): void {
  if (view.status === 'open') allowCheckout(ctx, view);
  sendPage(ctx, status, renderPayPage(view, { ...options, ...languageOf(ctx) }));
}

/** Looked for only where they are shown. */
export async function findPhones(
  ctx: HttpContext,
  dependencies: PayDependencies,
  view: PayPageView,
  tried: Partial<PhonePart> = {},
): Promise<PhonePart> {
  const is_open = view.status === 'open';
  const attempt = is_open ? await dependencies.findAttempt(view) : undefined;
  // Such an address of a gateway must not reach a browser.
  if (attempt?.next_step?.url) originOf(attempt.next_step.url);
  const is_offered = is_open && attempt?.status !== 'waiting';
  const methods = is_offered ? await dependencies.listMethods(view) : [];
  return {
    attempt,
    methods: offerMethods(methods, view),
    // One attempt follows each: a form that is sent again leads to the one it has made.
    form_id: attempt?.id ?? view.id,
    fields: tried.fields ?? rememberedPhone(ctx),
    faults: tried.faults ?? {},
  };
}

// Chromium applies form-action to the redirect that follows a POST, too.
export function allowCheckout(ctx: HttpContext, { checkout_url }: PayPageView): void {
  const policy = contentSecurityPolicy(`'self' ${originOf(checkout_url)}`);
  ctx.set('Content-Security-Policy', policy);
}

/** @throws TypeError when it is no web URL: such a gateway response must not reach a browser. */
export function originOf(checkout_url: string): string {
  const { origin, protocol } = new URL(checkout_url);
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('Not a web address.');
  return origin;
}

export function pageOf(ctx: HttpContext, code: string): string {
  const { language, is_chosen } = languageOf(ctx);
  return `/p/${code}${is_chosen ? `?lang=${language}` : ''}`;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly maxAge: number;
}

export function setCookie(ctx: HttpContext, path: string, { name, value, maxAge }: Cookie): void {
  const secure = ctx.state.is_secure;
  ctx.cookies.secure = secure;
  ctx.cookies.set(name, value, { path, maxAge, httpOnly: true, sameSite: 'lax', secure });
}

/**
 * The cookie of a customer who goes to the checkout, or begins to pay by phone, holds the `updated_at` of the payment at
 * that moment. A failure that was there already is no answer to the attempt that the customer comes back from. It lives
 * for the longest time that a customer stays at a checkout.
 */
export const ATTEMPT_COOKIE = { name: 'attempt', maxAge: 24 * 60 * 60_000 };

/**
 * The operator and number of the customer who began an attempt, for the next one if it fails. The page shows them to
 * this browser alone: others who have the link must not learn them. It lives for the time of a few attempts, because
 * another person may use the browser afterwards.
 */
export const PHONE_COOKIE = { name: 'phone', maxAge: 60 * 60_000 };

function rememberedPhone(ctx: HttpContext): PhoneFields {
  const [, operator = '', phone = ''] =
    /^(\w{1,64})~(\+\d{7,15})$/.exec(ctx.cookies.get(PHONE_COOKIE.name) ?? '') ?? [];
  return { operator, phone };
}
