// What a customer sees at a payment link, in each of its states. Works without scripts.

import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { isTerminal, type IntentStatus } from '../../domain/intent';
import type { PaymentFailure } from '../../domain/payment';
import { badge, renderDocument, rows, type Preview, type Row } from './document';
import type { Language } from '../../domain/language';
import { markup, type Markup } from '../../domain/markup';
import { formatCountry, formatMoney, formatTime } from '../../pages/formats';
import { qrPath } from '../../pages/qr';
import { addOutcome, hostOf, isReturnAddress } from '../../domain/return-address';
import { customerMessage, firstLetter } from './wording';
import { WORDS } from './words';

/** Everything that the page may know: nothing about the customer, nothing private to the merchant. */
export interface PayPageView {
  readonly id: string;
  readonly short_code: string;
  readonly status: IntentStatus;
  readonly amount_minor: bigint;
  readonly currency: Currency;
  readonly reference: string;
  readonly description: string | null;
  readonly merchant_name: string;
  readonly merchant_country: string;
  readonly merchant_contact: string | null;
  /** Of the merchant's picture; null without one. */
  readonly logo_version: string | null;
  /** The whole address of the page. */
  readonly pay_url: string;
  readonly environment: Environment;
  /** ISO 8601. */
  readonly expires_at: string;
  readonly last_payment_error: PaymentFailure | null;
  /** What has arrived in its currency, taken or held; null until something has. */
  readonly received_minor: bigint | null;
  /** What it ended with, when that is another amount. */
  readonly settled_minor: bigint | null;
  /** Given back, or on the way to it. */
  readonly refunded_minor: bigint;
  /** ISO 8601. */
  readonly updated_at: string;
  /** True when the sandbox gateway takes the payment, also in place of a live gateway. */
  readonly is_simulated_gateway: boolean;
  /** ISO 8601. */
  readonly succeeded_at: string | null;
  /** Where the customer goes after a success. */
  readonly return_url: string | null;
  /** And without one. */
  readonly cancel_url: string | null;
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
  /** The gateway has just said that nothing was paid. */
  readonly is_unpaid?: boolean;
  /** The customer comes back from the gateway without having paid. */
  readonly gave_up?: boolean;
  /** The page goes on to the shop, if there is an address of it. */
  readonly leaves?: boolean;
}

type Options = Required<PayPageOptions>;

const DEFAULTS: Options = {
  language: 'en',
  is_chosen: false,
  has_returned: false,
  is_answered: false,
  is_unpaid: false,
  gave_up: false,
  leaves: false,
};

/** A longer amount gets a smaller font, so that it stays on one line. */
const LONG_AMOUNT = 15;

export function renderPayPage(view: PayPageView, given: PayPageOptions = {}): string {
  const options = { ...DEFAULTS, ...given };
  const { language, has_returned, is_unpaid } = options;
  const awaits = isAwaited(view, options);
  const shop = shopOf(view, options);
  const follows = {
    page: pathOf(view, options),
    status_page: pathOf(view, options, '/status'),
    state: renderPayState(view, language),
    // Word of an attempt that failed may be on its way.
    waits: view.status === 'processing' || awaits || (has_returned && is_unpaid),
    reloads: view.status === 'processing' || awaits,
  };
  return renderDocument({
    language,
    other_language: otherLanguage(view, options),
    title: titleOf(view, language),
    ribbon: ribbonOf(view, language),
    content: contentOf(view, options, { awaits, shop }),
    follows: isTerminal(view.status) ? undefined : follows,
    leaves_to: options.leaves ? shop?.address : undefined,
    preview: previewOf(view, language),
  });
}

/** Whoever has just come back from the gateway may have paid. */
function isAwaited(
  { status }: PayPageView,
  { has_returned, is_answered, is_unpaid }: Options,
): boolean {
  return status === 'open' && has_returned && !is_answered && !is_unpaid;
}

interface Content {
  readonly awaits: boolean;
  readonly shop: Shop | undefined;
}

function contentOf(view: PayPageView, options: Options, { awaits, shop }: Content): Markup {
  if (view.status !== 'open') return closedContent(view, options, shop);
  if (isMismatch(view)) return mismatchContent(view, options);
  if (options.gave_up && shop !== undefined) return gaveUpContent(view, options, shop);
  return openContent(view, options, { awaits, shop });
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
    // Both are news about an attempt; the shape is that of the version before, whose pages poll it too.
    failed_attempt: isMismatch(view)
      ? mismatchText(view, language).text
      : (failedAttempt(view, language)?.text ?? null),
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

function otherLanguage(view: PayPageView, options: Options): string {
  const { language, has_returned, gave_up, leaves } = options;
  const other = language === 'en' ? 'fr' : 'en';
  const path = pathOf(view, { language: other, is_chosen: true });
  // Whoever chooses a language wants to read.
  const rest = [has_returned && '&back=1', gave_up && '&gave_up=1', leaves && '&stay=1'];
  return path + rest.filter(Boolean).join('');
}

/** Where the customer can go from here, with what became of the payment. */
interface Shop {
  readonly address: string;
  readonly host: Markup;
}

function shopOf(view: PayPageView, options: Options): Shop | undefined {
  const { id, reference, status, return_url, cancel_url } = view;
  // Whoever may just have paid is not sent away as one who has not.
  if (status === 'processing' || isMismatch(view)) return undefined;
  if (isAwaited(view, options) && !options.gave_up) return undefined;
  const address = status === 'succeeded' ? return_url : cancel_url;
  // Checked when it was stored. Once more: this is where a browser is sent.
  if (address === null || !isReturnAddress(address, true)) return undefined;
  const outcome = { payment_intent: id, reference, status };
  return { address: addOutcome(address, outcome), host: markup`<bdi>${hostOf(address)}</bdi>` };
}

// The name comes last, so that a change of text direction in it affects nothing after it.
function titleOf(view: PayPageView, language: Language): string {
  const words = WORDS[language];
  const amount = amountOf(view, language);
  if (view.status === 'open') return words.title_open(amount, view.merchant_name);
  return words.title_closed(words[view.status], amount, view.merchant_name);
}

export function ribbonOf(
  { environment, is_simulated_gateway }: PayPageView,
  language: Language,
): string | undefined {
  const words = WORDS[language];
  if (environment === 'sandbox') return words.test_ribbon;
  return is_simulated_gateway ? words.simulated_ribbon : undefined;
}

function openContent(view: PayPageView, options: Options, { awaits, shop }: Content): Markup {
  const { language } = options;
  const words = WORDS[language];
  const failure = failedAttempt(view, language);
  if (awaits && failure === null) return checkingContent(view, options);
  const payee = payeeOf(view);
  return markup`${monogram(view)}
<h1><span class="payee">${words.pay_to(payee)}</span> ${amount(view, language)}</h1>
${view.description === null ? null : markup`<p class="about" dir="auto">${view.description}</p>`}
${failure && notice(failure, language, awaits)}
${payForm(view, options, failure === null ? words.pay(amountOf(view, language)) : words.try_again)}
<p class="hint">${view.is_simulated_gateway ? words.simulated_next : words.next}${goesBack(view, language)}</p>
${shop ? markup`<p class="way-back"><a href="${shop.address}" rel="noreferrer">${words.give_up(shop.host)}</a></p>` : null}
${rows([
  { term: words.valid_until, detail: time(view.expires_at, language) },
  { term: words.reference, detail: markup`${view.reference}` },
  ...merchantRows(view, language),
])}
${qrSection(view, language)}`;
}

/** Named before anybody is sent there. */
function goesBack({ return_url }: PayPageView, language: Language): Markup | null {
  if (return_url === null || !isReturnAddress(return_url, true)) return null;
  return markup` ${WORDS[language].goes_back(markup`<bdi>${hostOf(return_url)}</bdi>`)}`;
}

function gaveUpContent(view: PayPageView, options: Options, shop: Shop): Markup {
  const { language } = options;
  const words = WORDS[language];
  return markup`${badge('stop', 'quiet')}
<h1>${words.gave_up}</h1>
<p class="status" role="status">${words.gave_up_text}${leavingText(options, shop)}</p>
<p class="actions"><a class="button" href="${shop.address}" rel="noreferrer">${words.back_to(shop.host)}</a></p>
<p class="actions"><a class="button plain" href="${pathOf(view, options)}">${words.pay_after_all}</a></p>
${details(view, language)}`;
}

/** Money has arrived that the link could not take, and nothing else since. */
function isMismatch({ status, last_payment_error }: PayPageView): boolean {
  const code = last_payment_error?.code;
  return status === 'open' && (code === 'amount_mismatch' || code === 'currency_mismatch');
}

/** For whoever has paid, and not what was asked for: paying once more is possible, and nothing to be led to. */
function mismatchContent(view: PayPageView, options: Options): Markup {
  const { language } = options;
  const words = WORDS[language];
  return markup`${badge('trouble', 'quiet')}
<h1>${words.mismatch}</h1>
<p class="status" role="status">${mismatchText(view, language)}</p>
${payForm(view, options, words.pay_all_the_same(amountOf(view, language)), 'plain')}
${details(view, language)}`;
}

function mismatchText(view: PayPageView, language: Language): Markup {
  const words = WORDS[language];
  const { received_minor, currency, last_payment_error } = view;
  const what =
    last_payment_error?.code === 'amount_mismatch' && received_minor !== null
      ? words.arrived(formatMoney(language, received_minor, currency), amountOf(view, language))
      : words.arrived_otherwise;
  return markup`${what} ${words.ask_before_paying(payeeOf(view))}`;
}

/** Money that came beside what the link has taken: too late, or once more. */
function surplusText(view: PayPageView, language: Language): Markup | null {
  const { status, received_minor, amount_minor, settled_minor, currency } = view;
  const taken = status === 'succeeded' ? (settled_minor ?? amount_minor) : 0n;
  if (received_minor === null || received_minor <= taken) return null;
  const received = formatMoney(language, received_minor, currency);
  return markup` ${WORDS[language].arrived_in_all(received, payeeOf(view))}`;
}

export function payeeOf({ merchant_name }: PayPageView): Markup {
  return markup`<bdi>${merchant_name}</bdi>`;
}

function leavingText({ language, leaves }: Options, { host }: Shop): Markup | null {
  return leaves ? markup` ${WORDS[language].leaving(host)}` : null;
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

function failedAttempt(view: PayPageView, language: Language): FailedAttempt | null {
  const { status, last_payment_error } = view;
  if (status !== 'open' || last_payment_error === null || isMismatch(view)) return null;
  const { failed_attempt } = WORDS[language];
  const reason = customerMessage(last_payment_error, language);
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

function closedContent(view: PayPageView, options: Options, shop: Shop | undefined): Markup {
  const { language } = options;
  const words = WORDS[language];
  const status = view.status as ClosedStatus;
  const failure = view.last_payment_error;
  const reason = (failure && customerMessage(failure, language)) ?? '';
  const payee = payeeOf(view);
  const check = markup`<p class="actions"><a class="button plain" href="${pathOf(view, options)}">${words.check_now}</a></p>`;
  return markup`${BADGES[status]}
<h1>${words[status]}</h1>
<p class="status" role="status">${words[`${status}_text`](payee, reason && `${reason} `)}${surplusText(view, language)}${shop ? leavingText(options, shop) : status === 'succeeded' ? ` ${words.close}` : null}</p>
${status === 'processing' ? check : null}
${shop ? wayBack(view, options, shop) : null}
${status === 'succeeded' ? receiptLink(view, options) : null}
${details(view, language)}`;
}

function wayBack(view: PayPageView, options: Options, { address, host }: Shop): Markup {
  const { language, leaves } = options;
  const words = WORDS[language];
  const is_main = view.status === 'succeeded';
  const stay = markup`<p class="way-back"><a href="${withQuery(pathOf(view, options), 'stay=1')}">${words.stay}</a></p>`;
  return markup`<p class="actions"><a class="button${is_main ? '' : ' plain'}" href="${address}" rel="noreferrer">${words.back_to(host)}</a></p>
${leaves ? stay : null}`;
}

function receiptLink(view: PayPageView, options: Options): Markup {
  const words = WORDS[options.language];
  return markup`<p class="way-back"><a href="${pathOf(view, options, '/receipt')}">${words.receipt_link}</a></p>`;
}

function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function details(view: PayPageView, language: Language): Markup {
  const words = WORDS[language];
  const about = view.description;
  return rows([
    { term: words.amount, detail: markup`${amountOf(view, language)}`, is_strong: true },
    ...refundedRow(view, language),
    { term: words.to, detail: payeeOf(view) },
    ...(about === null ? [] : [{ term: words.for, detail: markup`<bdi>${about}</bdi>` }]),
    { term: words.reference, detail: markup`${view.reference}` },
    ...merchantRows(view, language),
  ]);
}

function refundedRow(
  { refunded_minor, currency }: PayPageView,
  language: Language,
): readonly Row[] {
  if (refunded_minor === 0n) return [];
  const detail = markup`${formatMoney(language, refunded_minor, currency)}`;
  return [{ term: WORDS[language].refunded, detail }];
}

/** Whom to turn to. */
export function merchantRows(
  { merchant_country, merchant_contact }: PayPageView,
  language: Language,
): readonly Row[] {
  const words = WORDS[language];
  const contact = { term: words.contact, detail: markup`<bdi>${merchant_contact}</bdi>` };
  return [
    { term: words.country, detail: markup`${formatCountry(language, merchant_country)}` },
    ...(merchant_contact === null ? [] : [contact]),
  ];
}

/** From a desktop, the way to the phone that has the money. */
function qrSection({ pay_url }: PayPageView, language: Language): Markup {
  const words = WORDS[language];
  const { side, path } = qrPath(pay_url);
  const size = String(side);
  return markup`<section class="qr" aria-labelledby="qr">
<h2 id="qr">${words.qr}</h2>
<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${words.qr_label}"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000" shape-rendering="crispEdges"/></svg>
</section>`;
}

function payForm(view: PayPageView, options: Options, label: string, look?: 'plain'): Markup {
  const { busy } = WORDS[options.language];
  return markup`<form method="post" action="${pathOf(view, options, '/pay')}"><button class="button${look === undefined ? '' : ` ${look}`}" type="submit" data-busy="${busy}">${label}</button></form>`;
}

/** The merchant's picture, or the first letter of the name. The name is beside it. */
export function monogram(view: PayPageView): Markup {
  const logo = logoPath(view);
  if (logo !== undefined) return markup`<img class="logo" src="${logo}" alt="">`;
  const letter = firstLetter(view.merchant_name);
  return letter === undefined
    ? markup``
    : markup`<div class="badge good" aria-hidden="true">${letter}</div>`;
}

/** With the version: the picture may be cached for ever. */
function logoPath({ short_code, logo_version }: PayPageView): string | undefined {
  return logo_version === null ? undefined : `/p/${short_code}/logo?v=${logo_version}`;
}

/** What a message that names the link shows of it: nothing about the customer. */
function previewOf(view: PayPageView, language: Language): Preview {
  const logo = logoPath(view);
  const { origin } = new URL(view.pay_url);
  return {
    title: titleOf(view, language),
    description: view.description,
    url: view.pay_url,
    image: logo === undefined ? undefined : origin + logo,
  };
}

/** What it asks for, or was paid with. */
export function amountOf(
  { amount_minor, settled_minor, currency }: PayPageView,
  language: Language,
): string {
  return formatMoney(language, settled_minor ?? amount_minor, currency);
}

function amount(view: PayPageView, language: Language): Markup {
  const words = amountOf(view, language);
  return markup`<span class="amount${words.length > LONG_AMOUNT ? ' long' : ''}">${words}</span>`;
}

export function time(instant: string, language: Language): Markup {
  return markup`<time datetime="${new Date(instant).toISOString()}">${formatTime(language, instant)}</time>`;
}
