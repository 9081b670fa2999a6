// What a customer sees at a payment link, in each of its states. Works without scripts.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { isTerminal, type IntentStatus } from '../../domain/intent';
import type { PaymentFailure } from '../../domain/payment';
import { badge, renderDocument, rows } from './document';
import type { Language } from '../../domain/language';
import { markup, type Markup } from '../../domain/markup';
import { formatMoney, formatTime } from '../../pages/formats';
import { customerMessage, firstLetter } from './wording';
import { WORDS } from './words';

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
  /** ISO 8601. */
  readonly updated_at: string;
  /** True when the sandbox gateway takes the payment, also in place of a live gateway. */
  readonly is_simulated_gateway: boolean;
  /** Not shown: its origin is where the page's form may redirect to. */
  readonly checkout_url: string;
}

export interface PayPageOptions {
  /** English when left out. */
  readonly language?: Language;
  /** The customer has chosen it: the page's own links and forms keep it. */
  readonly is_chosen?: boolean;
  /** The customer has come back from the gateway: its notification is expected soon. */
  readonly has_returned?: boolean;
  /** And the attempt that failed is the one they come from. */
  readonly is_answered?: boolean;
}

type Options = Required<PayPageOptions>;

const DEFAULTS: Options = {
  language: 'en',
  is_chosen: false,
  has_returned: false,
  is_answered: false,
};

/** A longer amount gets a smaller font, so that it stays on one line. */
const LONG_AMOUNT = 15;

export function renderPayPage(view: PayPageView, given: PayPageOptions = {}): string {
  const options = { ...DEFAULTS, ...given };
  const { language, has_returned, is_answered } = options;
  const awaits = view.status === 'open' && has_returned && !is_answered;
  const follows = {
    page: pathOf(view, options),
    status_page: pathOf(view, options, '/status'),
    state: renderPayState(view, language),
    waits: view.status === 'processing' || awaits,
  };
  return renderDocument({
    language,
    other_language: otherLanguage(view, options),
    title: titleOf(view, language),
    ribbon: ribbonOf(view, language),
    content:
      view.status === 'open' ? openContent(view, options, awaits) : closedContent(view, options),
    follows: isTerminal(view.status) ? undefined : follows,
  });
}

/** When the gateway opens no checkout. The intent can still be paid. */
export function renderGatewayTrouble(
  view: PayPageView,
  retry_after_seconds: number,
  given: PayPageOptions = {},
): string {
  const options = { ...DEFAULTS, ...given };
  const { language } = options;
  const words = WORDS[language];
  return renderDocument({
    language,
    other_language: otherLanguage(view, options),
    title: words.trouble,
    ribbon: ribbonOf(view, language),
    content: markup`${badge('trouble', 'quiet')}
<h1>${words.trouble}</h1>
<p class="status" role="status">${words.trouble_text(retry_after_seconds)}</p>
${payForm(view, options, words.try_again)}
${details(view, language)}`,
  });
}

/** The part of the page that may change while it is open, as JSON. */
export function renderPayState(view: PayPageView, language: Language = 'en'): string {
  return JSON.stringify({
    status: view.status,
    failed_attempt: failedAttempt(view, language)?.text ?? null,
  });
}

/** Of the page, or of one below it, in the language that was chosen. */
function pathOf(
  { short_code }: PayPageView,
  { language, is_chosen }: Pick<Options, 'language' | 'is_chosen'>,
  below = '',
): string {
  return `/p/${short_code}${below}${is_chosen ? `?lang=${language}` : ''}`;
}

function otherLanguage(view: PayPageView, { language, has_returned }: Options): string {
  const other = language === 'en' ? 'fr' : 'en';
  const path = pathOf(view, { language: other, is_chosen: true });
  return has_returned ? `${path}&back=1` : path;
}

// The name comes last, so that a change of text direction in it affects nothing after it.
function titleOf(view: PayPageView, language: Language): string {
  const words = WORDS[language];
  const amount = amountOf(view, language);
  if (view.status === 'open') return words.title_open(amount, view.merchant_name);
  return words.title_closed(words[view.status], amount, view.merchant_name);
}

function ribbonOf(
  { environment, is_simulated_gateway }: PayPageView,
  language: Language,
): string | undefined {
  const words = WORDS[language];
  if (environment === 'sandbox') return words.test_ribbon;
  return is_simulated_gateway ? words.simulated_ribbon : undefined;
}

function openContent(view: PayPageView, options: Options, awaits: boolean): Markup {
  const { language } = options;
  const words = WORDS[language];
  const failure = failedAttempt(view, language);
  if (awaits && failure === null) return checkingContent(view, options);
  const payee = markup`<bdi>${view.merchant_name}</bdi>`;
  return markup`${monogram(view)}
<h1><span class="payee">${words.pay_to(payee)}</span> ${amount(view, language)}</h1>
${view.description === null ? null : markup`<p class="about" dir="auto">${view.description}</p>`}
${failure && notice(failure, language, awaits)}
${payForm(view, options, failure === null ? words.pay(amountOf(view, language)) : words.try_again)}
<p class="hint">${view.is_simulated_gateway ? words.simulated_next : words.next}</p>
${rows([
  { term: words.valid_until, detail: time(view.expires_at, language) },
  { term: words.reference, detail: markup`${view.reference}` },
])}`;
}

/** For whoever may just have paid: no button that would pay once more. */
function checkingContent(view: PayPageView, options: Options): Markup {
  const { language } = options;
  const words = WORDS[language];
  return markup`${badge('busy', 'busy')}
<h1>${words.checking}</h1>
<p class="status" role="status">${words.just_paid}</p>
<p class="actions"><a class="button plain" href="${pathOf(view, options)}">${words.not_paid}</a></p>
${details(view, language)}`;
}

interface FailedAttempt {
  readonly text: string;
  /** The gateway has said why, and mostly what to do. */
  readonly has_reason: boolean;
}

function failedAttempt(
  { status, last_payment_error }: PayPageView,
  language: Language,
): FailedAttempt | null {
  if (status !== 'open' || last_payment_error === null) return null;
  const { failed_attempt } = WORDS[language];
  const reason = customerMessage(last_payment_error);
  return {
    text: reason === undefined ? failed_attempt : `${failed_attempt} ${reason}`,
    has_reason: reason !== undefined,
  };
}

function notice({ text, has_reason }: FailedAttempt, language: Language, awaits: boolean): Markup {
  const words = WORDS[language];
  const next = awaits ? words.paid_since : has_reason ? '' : words.choose_again;
  return markup`<p class="notice warn" role="status">${[text, next].filter(Boolean).join(' ')}</p>`;
}

type ClosedStatus = Exclude<IntentStatus, 'open'>;

const BADGES: Readonly<Record<ClosedStatus, Markup>> = {
  processing: badge('busy', 'busy'),
  succeeded: badge('check', 'good'),
  failed: badge('cross', 'bad'),
  expired: badge('clock', 'quiet'),
  canceled: badge('stop', 'quiet'),
};

function closedContent(view: PayPageView, options: Options): Markup {
  const { language } = options;
  const words = WORDS[language];
  const status = view.status as ClosedStatus;
  const failure = view.last_payment_error;
  const reason = (failure && customerMessage(failure)) ?? '';
  const payee = markup`<bdi>${view.merchant_name}</bdi>`;
  const check = markup`<p class="actions"><a class="button plain" href="${pathOf(view, options)}">${words.check_now}</a></p>`;
  return markup`${BADGES[status]}
<h1>${words[status]}</h1>
<p class="status" role="status">${words[`${status}_text`](payee, reason && `${reason} `)}</p>
${status === 'processing' ? check : null}
${details(view, language)}`;
}

function details(view: PayPageView, language: Language): Markup {
  const words = WORDS[language];
  const about = view.description;
  return rows([
    { term: words.amount, detail: markup`${amountOf(view, language)}`, is_strong: true },
    { term: words.to, detail: markup`<bdi>${view.merchant_name}</bdi>` },
    ...(about === null ? [] : [{ term: words.for, detail: markup`<bdi>${about}</bdi>` }]),
    { term: words.reference, detail: markup`${view.reference}` },
  ]);
}

function payForm(view: PayPageView, options: Options, label: string): Markup {
  const { busy } = WORDS[options.language];
  return markup`<form method="post" action="${pathOf(view, options, '/pay')}"><button class="button" type="submit" data-busy="${busy}">${label}</button></form>`;
}

function monogram({ merchant_name }: PayPageView): Markup {
  const letter = firstLetter(merchant_name);
  return letter === undefined
    ? markup``
    : markup`<div class="badge good" aria-hidden="true">${letter}</div>`;
}

function amountOf({ amount_minor, currency }: PayPageView, language: Language): string {
  return formatMoney(language, amount_minor, currency);
}

function amount(view: PayPageView, language: Language): Markup {
  const words = amountOf(view, language);
  return markup`<span class="amount${words.length > LONG_AMOUNT ? ' long' : ''}">${words}</span>`;
}

function time(instant: string, language: Language): Markup {
  return markup`<time datetime="${new Date(instant).toISOString()}">${formatTime(language, instant)}</time>`;
}
