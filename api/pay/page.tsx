// What a customer sees at a payment link, in each of its states. Works without scripts.

import type { ComponentChildren, JSX } from 'preact';
import type { Currency } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { isTerminal, type IntentStatus } from '../../domain/intent';
import type { PaymentFailure } from '../../domain/payment';
import { Badge, renderDocument, Rows, type Preview, type Row } from './document';
import type { Language } from '../../domain/language';
import { formatCountry, formatMoney, formatTime } from '../../pages/formats';
import { QrCode } from '../../pages/qr';
import { allOf } from './phone-form';
import { PhoneForm, PhoneStep, type PayAttempt, type PhonePart } from './phones';
import { addOutcome, hostOf, readReturnAddress } from '../../domain/return-address';
import { customerMessage, firstLetter } from './wording';
import { WORDS } from './words';

/** All that the page may know: nothing about the customer, nothing private of the merchant. */
export interface PayPageView {
  readonly id: string;
  readonly short_code: string;
  readonly status: IntentStatus;
  readonly amount_minor: bigint;
  readonly currency: Currency;
  readonly reference: string;
  readonly description: string | null;
  readonly merchant_name: string;
  /** The customer's, where the link says it. */
  readonly country: string | null;
  readonly merchant_country: string;
  readonly merchant_contact: string | null;
  /** The version of the merchant's picture; null when there is none. */
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
  /** Where the customer goes without a success. */
  readonly cancel_url: string | null;
  /**
   * The checkout's address. It is not shown: its origin is where the page's form may redirect to.
   */
  readonly checkout_url: string;
}

export interface PayPageOptions {
  /** English when left out. */
  readonly language?: Language;
  /** The customer has chosen it: the page's own links and forms keep it. */
  readonly is_chosen?: boolean;
  /** The customer has come back from the gateway: its notification is expected soon. */
  readonly has_returned?: boolean;
  /** The attempt that failed is the one that the customer comes from. */
  readonly is_answered?: boolean;
  /** The gateway has just said that nothing was paid. */
  readonly is_unpaid?: boolean;
  /** The customer comes back from the gateway without having paid. */
  readonly gave_up?: boolean;
  /** The page goes on to the shop, if there is an address of it. */
  readonly leaves?: boolean;
  /** What there is to pay by phone. */
  readonly phones?: PhonePart;
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
  phones: {
    methods: { near: [], far: new Map() },
    attempt: undefined,
    form_id: '',
    fields: { phone: '', operator: '' },
    faults: {},
  },
};

/** A longer amount gets a smaller font, so that it stays on one line. */
const LONG_AMOUNT = 15;

export function renderPayPage(view: PayPageView, given: PayPageOptions = {}): string {
  const options = { ...DEFAULTS, ...given };
  const { language } = options;
  const awaits = isAwaited(view, options);
  const shop = shopOf(view, options);
  const waits = waitingAttempt(view, options) ?? false;
  const follows = {
    page: pathOf(view, options),
    status_page: pathOf(view, options, '/status'),
    state: renderPayState(view, language, options.phones.attempt),
    // A one-time code is typed meanwhile.
    reloads: view.status === 'processing' || awaits || (waits && waits.next_step?.kind !== 'otp'),
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

/** A customer who has just come back from the gateway may have paid. */
function isAwaited(
  { status }: PayPageView,
  { has_returned, is_answered, is_unpaid }: Options,
): boolean {
  return status === 'open' && has_returned && !is_answered && !is_unpaid;
}

/** While it waits, there is no other way to pay. */
function waitingAttempt(
  { status }: PayPageView,
  { phones: { attempt } }: Options,
): PayAttempt | undefined {
  return status === 'open' && attempt?.status === 'waiting' ? attempt : undefined;
}

interface Content {
  readonly awaits: boolean;
  readonly shop: Shop | undefined;
}

function contentOf(view: PayPageView, options: Options, { awaits, shop }: Content): JSX.Element {
  if (view.status !== 'open') return closedContent(view, options, shop);
  const waiting = waitingAttempt(view, options);
  if (waiting) return waitingContent(view, options, waiting);
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
    content: (
      <>
        <Badge icon="trouble" tone="quiet" />
        <h1>{words.trouble}</h1>
        <p class="status" role="status">
          {words.trouble_text(retry_after_seconds)}
        </p>
        {payForm(view, options, words.try_again)}
        {phoneForm(view, options)}
        {details(view, language)}
      </>
    ),
  });
}

/** The part of the page that may change while it is open, as JSON. */
export function renderPayState(
  view: PayPageView,
  language: Language = 'en',
  attempt?: PayAttempt,
): string {
  return JSON.stringify({
    status: view.status,
    updated_at: view.updated_at,
    // Both are news about an attempt.
    failed_attempt: isMismatch(view)
      ? arrivedText(view, language)
      : (failedAttempt(view, language)?.text ?? null),
    attempt: attempt
      ? { id: attempt.id, status: attempt.status, step: attempt.next_step?.kind ?? null }
      : null,
  });
}

/** The path of the page, or of one below it, in the language that was chosen. */
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
  // A customer who chooses a language wants to read.
  const rest = [has_returned && '&back=1', gave_up && '&gave_up=1', leaves && '&stay=1'];
  return path + rest.filter(Boolean).join('');
}

/** Where the customer can go from here, with what became of the payment. */
interface Shop {
  readonly address: string;
  readonly host: JSX.Element;
}

function shopOf(view: PayPageView, options: Options): Shop | undefined {
  const { id, reference, status, return_url, cancel_url } = view;
  // A customer who may just have paid is not sent away as one who has not.
  if (status === 'processing' || isMismatch(view)) return undefined;
  if (isAwaited(view, options) && !options.gave_up) return undefined;
  if (waitingAttempt(view, options)) return undefined;
  const address = status === 'succeeded' ? return_url : cancel_url;
  // Checked when it was stored. Once more: this is where a browser is sent.
  if (address === null || !readReturnAddress(address, true)) return undefined;
  const outcome = { payment_intent: id, reference, status };
  return { address: addOutcome(address, outcome), host: <bdi>{hostOf(address)}</bdi> };
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

function openContent(view: PayPageView, options: Options, { awaits, shop }: Content): JSX.Element {
  const { language } = options;
  const words = WORDS[language];
  const failure = failedAttempt(view, language);
  if (awaits && failure === null) return checkingContent(view, options);
  const is_of_phone = options.phones.attempt?.status === 'failed';
  const label =
    failure === null || is_of_phone ? words.pay(amountOf(view, language)) : words.try_again;
  return (
    <>
      <Monogram view={view} logo={logoPath(view)} />
      <h1>
        <span class="payee">{words.pay_to(payeeOf(view))}</span> {amount(view, language)}
      </h1>
      {view.description !== null && (
        <p class="about" dir="auto">
          {view.description}
        </p>
      )}
      {failure && notice(failure, language, awaits)}
      {hasCheckout(view) && payForm(view, options, label)}
      <p class="hint">
        {hasCheckout(view) && (view.is_simulated_gateway ? words.simulated_next : words.next)}
        {goesBack(view, language)}
      </p>
      {phoneForm(view, options)}
      {shop && <WayBack to={shop.address}>{words.give_up(shop.host)}</WayBack>}
      <Rows
        rows={[
          { term: words.valid_until, detail: time(view.expires_at, language) },
          { term: words.reference, detail: view.reference },
          ...merchantRows(view, language),
        ]}
      />
      {qrSection(view, language)}
    </>
  );
}

/** Where the gateway has no page of its own, customers pay on this one. */
function hasCheckout({ checkout_url, pay_url }: PayPageView): boolean {
  return checkout_url !== pay_url;
}

function phoneForm(view: PayPageView, options: Options, look = ''): JSX.Element | null {
  const { language, phones } = options;
  const words = WORDS[language];
  const has_checkout = hasCheckout(view);
  if (allOf(phones.methods).length === 0) {
    return has_checkout ? null : <p class="notice warn">{words.no_way}</p>;
  }
  const amount = amountOf(view, language);
  return (
    <PhoneForm
      part={phones}
      {...{ language, look }}
      action={pathOf(view, options, '/attempts')}
      heading={has_checkout ? words.or_by_phone : words.by_phone}
      label={has_checkout ? words.pay_by_phone(amount) : words.pay(amount)}
    />
  );
}

function waitingContent(view: PayPageView, options: Options, attempt: PayAttempt): JSX.Element {
  const { language, phones } = options;
  const words = WORDS[language];
  const { id, operator_name, phone_end, expires_at } = attempt;
  return (
    <>
      <PhoneStep
        {...{ attempt, language }}
        action={pathOf(view, options, `/attempts/${id}/otp`)}
        faults={phones.faults}
      />
      <Rows
        rows={[
          { term: words.amount, detail: amountOf(view, language), is_strong: true },
          { term: words.to, detail: payeeOf(view) },
          { term: words.operator, detail: operator_name },
          { term: words.phone_short, detail: words.phone_ends(phone_end) },
          { term: words.reference, detail: view.reference },
        ]}
      />
      <p class="notice">{words.another_way(time(expires_at, language))}</p>
    </>
  );
}

/** The shop is named before the customer is sent there. */
function goesBack({ return_url }: PayPageView, language: Language): JSX.Element | null {
  if (return_url === null || !readReturnAddress(return_url, true)) return null;
  return <> {WORDS[language].goes_back(<bdi>{hostOf(return_url)}</bdi>)}</>;
}

function gaveUpContent(view: PayPageView, options: Options, shop: Shop): JSX.Element {
  const { language } = options;
  const words = WORDS[language];
  return (
    <>
      <Badge icon="stop" tone="quiet" />
      <h1>{words.gave_up}</h1>
      <p class="status" role="status">
        {words.gave_up_text}
        {leavingText(options, shop)}
      </p>
      <Action to={shop.address}>{words.back_to(shop.host)}</Action>
      <Action to={pathOf(view, options)} plain>
        {words.pay_after_all}
      </Action>
      {details(view, language)}
    </>
  );
}

/** Money has arrived that the link could not take, and nothing else since. */
function isMismatch({ status, last_payment_error }: PayPageView): boolean {
  const code = last_payment_error?.code;
  return status === 'open' && (code === 'amount_mismatch' || code === 'currency_mismatch');
}

/** The customer has paid another amount: paying once more is possible, and nothing leads to it. */
function mismatchContent(view: PayPageView, options: Options): JSX.Element {
  const { language } = options;
  const words = WORDS[language];
  return (
    <>
      <Badge icon="trouble" tone="quiet" />
      <h1>{words.mismatch}</h1>
      <p class="status" role="status">
        {arrivedText(view, language)} {words.ask_before_paying(payeeOf(view))}
      </p>
      {hasCheckout(view)
        ? payForm(view, options, words.pay_all_the_same(amountOf(view, language)), 'plain')
        : phoneForm(view, options, 'plain')}
      {details(view, language)}
    </>
  );
}

function arrivedText(view: PayPageView, language: Language): string {
  const words = WORDS[language];
  const { received_minor, currency, last_payment_error } = view;
  return last_payment_error?.code === 'amount_mismatch' && received_minor !== null
    ? words.arrived(formatMoney(language, received_minor, currency), amountOf(view, language))
    : words.arrived_otherwise;
}

/** Money that came beside what the link has taken: too late, or once more. */
function surplusText(view: PayPageView, language: Language): JSX.Element | null {
  const { status, received_minor, amount_minor, settled_minor, currency } = view;
  const taken = status === 'succeeded' ? (settled_minor ?? amount_minor) : 0n;
  if (received_minor === null || received_minor <= taken) return null;
  const received = formatMoney(language, received_minor, currency);
  return <> {WORDS[language].arrived_in_all(received, payeeOf(view))}</>;
}

export function payeeOf({ merchant_name }: PayPageView): JSX.Element {
  return <bdi>{merchant_name}</bdi>;
}

function leavingText({ language, leaves }: Options, { host }: Shop): JSX.Element | null {
  return leaves ? <> {WORDS[language].leaving(host)}</> : null;
}

/** The customer may just have paid: there is no button that would pay once more. */
function checkingContent(view: PayPageView, options: Options): JSX.Element {
  const { language } = options;
  const words = WORDS[language];
  return (
    <>
      <Badge icon="busy" tone="busy" />
      <h1>{words.checking}</h1>
      <p class="status" role="status">
        {words.just_paid}
      </p>
      <Action to={pathOf(view, options)} plain>
        {words.not_paid}
      </Action>
      {details(view, language)}
    </>
  );
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

function notice(
  { text, has_reason }: FailedAttempt,
  language: Language,
  awaits: boolean,
): JSX.Element {
  const words = WORDS[language];
  const next = awaits ? words.paid_since : has_reason ? '' : words.choose_again;
  return (
    <p class="notice warn" role="status">
      {[text, next].filter(Boolean).join(' ')}
    </p>
  );
}

type ClosedStatus = Exclude<IntentStatus, 'open'>;

const BADGES: Readonly<Record<ClosedStatus, JSX.Element>> = {
  processing: <Badge icon="busy" tone="busy" />,
  succeeded: <Badge icon="check" tone="good" />,
  failed: <Badge icon="cross" tone="bad" />,
  expired: <Badge icon="clock" tone="quiet" />,
  canceled: <Badge icon="stop" tone="quiet" />,
};

function closedContent(view: PayPageView, options: Options, shop: Shop | undefined): JSX.Element {
  const { language, leaves } = options;
  const words = WORDS[language];
  const status = view.status as ClosedStatus;
  const is_paid = status === 'succeeded';
  const path = pathOf(view, options);
  const failure = view.last_payment_error;
  const reason = (failure && customerMessage(failure, language)) ?? '';
  return (
    <>
      {BADGES[status]}
      <h1>{words[status]}</h1>
      <p class="status" role="status">
        {words[`${status}_text`](payeeOf(view), reason && `${reason} `)}
        {surplusText(view, language)}
        {shop ? leavingText(options, shop) : is_paid && ` ${words.close}`}
      </p>
      {status === 'processing' && (
        <Action to={path} plain>
          {words.check_now}
        </Action>
      )}
      {shop && (
        <Action to={shop.address} plain={!is_paid}>
          {words.back_to(shop.host)}
        </Action>
      )}
      {shop && leaves && <WayBack to={withQuery(path, 'stay=1')}>{words.stay}</WayBack>}
      {is_paid && <WayBack to={pathOf(view, options, '/receipt')}>{words.receipt_link}</WayBack>}
      {details(view, language)}
    </>
  );
}

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
}

function Action({ to, plain = false, children }: LinkProps & { readonly plain?: boolean }) {
  return (
    <p class="actions">
      <a class={plain ? 'button plain' : 'button'} href={to} rel={relOf(to)}>
        {children}
      </a>
    </p>
  );
}

function WayBack({ to, children }: LinkProps): JSX.Element {
  return (
    <p class="way-back">
      <a href={to} rel={relOf(to)}>
        {children}
      </a>
    </p>
  );
}

/** A shop is not told the address of the page. */
function relOf(address: string): string | undefined {
  return address.startsWith('/') ? undefined : 'noreferrer';
}

function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function details(view: PayPageView, language: Language): JSX.Element {
  const words = WORDS[language];
  const { description, refunded_minor, currency } = view;
  const refunded = formatMoney(language, refunded_minor, currency);
  const rows = [
    { term: words.amount, detail: amountOf(view, language), is_strong: true },
    ...(refunded_minor === 0n ? [] : [{ term: words.refunded, detail: refunded }]),
    { term: words.to, detail: payeeOf(view) },
    ...(description === null ? [] : [{ term: words.for, detail: <bdi>{description}</bdi> }]),
    { term: words.reference, detail: view.reference },
    ...merchantRows(view, language),
  ];
  return <Rows rows={rows} />;
}

/** These rows say whom to turn to. */
export function merchantRows(
  {
    merchant_country,
    merchant_contact,
  }: Pick<PayPageView, 'merchant_country' | 'merchant_contact'>,
  language: Language,
): readonly Row[] {
  const words = WORDS[language];
  const contact = { term: words.contact, detail: <bdi>{merchant_contact}</bdi> };
  return [
    { term: words.country, detail: formatCountry(language, merchant_country) },
    ...(merchant_contact === null ? [] : [contact]),
  ];
}

/** The way from a desktop to the phone that has the money. */
function qrSection({ pay_url }: PayPageView, language: Language): JSX.Element {
  const words = WORDS[language];
  return (
    <section class="qr" aria-labelledby="qr">
      <h2 id="qr">{words.qr}</h2>
      <QrCode text={pay_url} label={words.qr_label} />
    </section>
  );
}

function payForm(view: PayPageView, options: Options, label: string, look = ''): JSX.Element {
  const { busy } = WORDS[options.language];
  return (
    <form method="post" action={pathOf(view, options, '/pay')}>
      <button class={`button ${look}`.trim()} type="submit" data-busy={busy}>
        {label}
      </button>
    </form>
  );
}

/** The merchant's picture, or the first letter of the name. The name is beside it. */
export function Monogram({
  view,
  logo,
}: {
  readonly view: Pick<PayPageView, 'merchant_name'>;
  /** Its path. */
  readonly logo: string | undefined;
}): JSX.Element | null {
  if (logo !== undefined) return <img class="logo" src={logo} alt="" />;
  const letter = firstLetter(view.merchant_name);
  if (letter === undefined) return null;
  return (
    <div class="badge good" aria-hidden="true">
      {letter}
    </div>
  );
}

/** The version is in it, so that the picture may be cached for ever. */
export function logoPath({ short_code, logo_version }: PayPageView): string | undefined {
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

function amount(view: PayPageView, language: Language): JSX.Element {
  const words = amountOf(view, language);
  return <span class={words.length > LONG_AMOUNT ? 'amount long' : 'amount'}>{words}</span>;
}

export function time(instant: string, language: Language): JSX.Element {
  return <time datetime={new Date(instant).toISOString()}>{formatTime(language, instant)}</time>;
}
