// What a customer sees at a payment link, in each of its states. Works without scripts.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { isTerminal, type IntentStatus } from '../../domain/intent';
import type { PaymentFailure } from '../../domain/payment';
import { badge, renderDocument, rows } from './document';
import { markup, type Markup } from '../../domain/markup';
import { customerMessage, firstLetter, formatForPeople, formatTime } from './wording';

/** Everything that the page may know: nothing about the customer, nothing private to the merchant. */
export interface PayPageView {
  readonly short_code: string;
  readonly status: IntentStatus;
  readonly amount_minor: bigint;
  readonly currency: Currency;
  readonly reference: string;
  readonly description: string | null;
  readonly merchant_name: string;
  readonly environment: Environment;
  /** ISO 8601. */
  readonly expires_at: string;
  readonly last_payment_error: PaymentFailure | null;
  /** True when the sandbox gateway takes the payment, also in place of a live gateway. */
  readonly is_simulated_gateway: boolean;
  /** Not shown: its origin is where the page's form may redirect to. */
  readonly checkout_url: string;
}

export interface PayPageOptions {
  /** The customer has come back from the gateway: its notification is expected soon. */
  readonly has_returned?: boolean;
}

/** A longer amount gets a smaller font, so that it stays on one line. */
const LONG_AMOUNT = 15;

export function renderPayPage(view: PayPageView, options: PayPageOptions = {}): string {
  const has_returned = options.has_returned ?? false;
  const waits = view.status === 'processing' || (view.status === 'open' && has_returned);
  const follows = { page: `/p/${view.short_code}`, state: renderPayState(view), waits };
  return renderDocument({
    title: titleOf(view),
    ribbon: ribbonOf(view),
    content: view.status === 'open' ? openContent(view, has_returned) : closedContent(view),
    follows: isTerminal(view.status) ? undefined : follows,
  });
}

/** When the gateway opens no checkout. The intent can still be paid. */
export function renderGatewayTrouble(view: PayPageView, retry_after_seconds: number): string {
  return renderDocument({
    title: 'The checkout could not be opened',
    ribbon: ribbonOf(view),
    content: markup`${badge('trouble', 'quiet')}
<h1>The checkout could not be opened</h1>
<p class="status" role="status">Our payment partner does not answer just now, and nothing was charged by this attempt. Try again in ${secondsText(retry_after_seconds)}.</p>
${payForm(view, 'Try again')}
${details(view)}`,
  });
}

function secondsText(seconds: number): string {
  return seconds === 1 ? 'a second' : `${seconds} seconds`;
}

/** The part of the page that may change while it is open, as JSON. */
export function renderPayState(view: PayPageView): string {
  return JSON.stringify({ status: view.status, failed_attempt: failedAttempt(view) });
}

// The name comes last, so that a change of text direction in it affects nothing after it.
function titleOf(view: PayPageView): string {
  const subject = `${amountOf(view)} to ${view.merchant_name}`;
  return view.status === 'open' ? `Pay ${subject}` : `${CLOSED[view.status].heading}: ${subject}`;
}

function ribbonOf({ environment, is_simulated_gateway }: PayPageView): string | undefined {
  if (environment === 'sandbox') return 'Test payment: no real money';
  return is_simulated_gateway ? 'Simulated gateway: no real money' : undefined;
}

function openContent(view: PayPageView, has_returned: boolean): Markup {
  const failure = failedAttempt(view);
  const next = view.is_simulated_gateway
    ? 'A simulated checkout opens next. It takes no money.'
    : 'The secure checkout of our payment partner opens next.';
  return markup`${monogram(view)}
<h1><span class="payee">Pay <bdi>${view.merchant_name}</bdi></span> ${amount(view)}</h1>
${view.description === null ? null : markup`<p class="about" dir="auto">${view.description}</p>`}
${notice(failure, has_returned)}
${payForm(view, failure === null ? `Pay ${amountOf(view)}` : 'Try again')}
<p class="hint">${next}</p>
${rows([
  { term: 'Valid until', detail: time(view.expires_at) },
  { term: 'Reference', detail: markup`${view.reference}` },
])}`;
}

function failedAttempt({ status, last_payment_error }: PayPageView): string | null {
  if (status !== 'open' || last_payment_error === null) return null;
  const reason = customerMessage(last_payment_error);
  return `The last attempt did not go through.${reason === undefined ? '' : ` ${reason}`}`;
}

function notice(failure: string | null, has_returned: boolean): Markup | null {
  if (failure === null) {
    if (!has_returned) return null;
    return markup`<p class="notice" role="status">Have you just paid? Then wait a moment: this page will show it by itself.</p>`;
  }
  const next = has_returned
    ? 'Have you paid since? Then wait a moment: this page will show it by itself.'
    : 'You can try again, or choose another way to pay.';
  return markup`<p class="notice warn" role="status">${failure} ${next}</p>`;
}

type ClosedStatus = Exclude<IntentStatus, 'open'>;

interface ClosedPage {
  readonly heading: string;
  readonly badge: Markup;
  readonly status: (payee: Markup, reason: string) => Markup;
  readonly can_be_checked?: boolean;
}

const CLOSED: Readonly<Record<ClosedStatus, ClosedPage>> = {
  processing: {
    heading: 'Confirming your payment',
    badge: badge('busy', 'busy'),
    status: () =>
      markup`We are waiting for the confirmation, which can take a few minutes. You do not have to pay again: this page shows it by itself.`,
    can_be_checked: true,
  },
  succeeded: {
    heading: 'Thank you',
    badge: badge('check', 'good'),
    status: (payee) => markup`Your payment to ${payee} has arrived. You can close this page.`,
  },
  failed: {
    heading: 'The payment did not go through',
    badge: badge('cross', 'bad'),
    status: (payee, reason) =>
      markup`${reason}This link cannot be used again. To pay, ask ${payee} for a new one.`,
  },
  expired: {
    heading: 'This payment link has expired',
    badge: badge('clock', 'quiet'),
    status: (payee) => markup`It can no longer be paid. To pay, ask ${payee} for a new link.`,
  },
  canceled: {
    heading: 'This payment was canceled',
    badge: badge('stop', 'quiet'),
    status: (payee) =>
      markup`${payee} has withdrawn this link. If you still want to pay, ask for a new one.`,
  },
};

function closedContent(view: PayPageView): Markup {
  const page = CLOSED[view.status as ClosedStatus];
  const failure = view.last_payment_error;
  const reason = (failure && customerMessage(failure)) ?? '';
  const payee = markup`<bdi>${view.merchant_name}</bdi>`;
  return markup`${page.badge}
<h1>${page.heading}</h1>
<p class="status" role="status">${page.status(payee, reason && `${reason} `)}</p>
${page.can_be_checked ? markup`<p class="actions"><a class="button plain" href="/p/${view.short_code}">Check now</a></p>` : null}
${details(view)}`;
}

function details(view: PayPageView): Markup {
  const about = view.description;
  return rows([
    { term: 'Amount', detail: markup`${amountOf(view)}`, is_strong: true },
    { term: 'To', detail: markup`<bdi>${view.merchant_name}</bdi>` },
    ...(about === null ? [] : [{ term: 'For', detail: markup`<bdi>${about}</bdi>` }]),
    { term: 'Reference', detail: markup`${view.reference}` },
  ]);
}

function payForm({ short_code }: PayPageView, label: string): Markup {
  return markup`<form method="post" action="/p/${short_code}/pay"><button class="button" type="submit">${label}</button></form>`;
}

function monogram({ merchant_name }: PayPageView): Markup {
  const letter = firstLetter(merchant_name);
  return letter === undefined
    ? markup``
    : markup`<div class="badge good" aria-hidden="true">${letter}</div>`;
}

function amountOf({ amount_minor, currency }: PayPageView): string {
  return formatForPeople(amount_minor, currency);
}

function amount(view: PayPageView): Markup {
  const words = amountOf(view);
  return markup`<span class="amount${words.length > LONG_AMOUNT ? ' long' : ''}">${words}</span>`;
}

function time(instant: string): Markup {
  return markup`<time datetime="${new Date(instant).toISOString()}">${formatTime(instant)}</time>`;
}
