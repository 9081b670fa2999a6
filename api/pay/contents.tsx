// A payment link's page for customers, in each of its states. Works without scripts.

import type { JSX } from 'preact';
import type { Language } from '../../domain/language';
import type { IntentStatus } from '../../domain/intent';
import { hostOf, readReturnAddress } from '../../domain/return-address';
import { formatMoney } from '../../pages/formats';
import { Badge, Rows } from './document';
import {
  Action,
  amount,
  details,
  isPhoneFirst,
  merchantRows,
  Monogram,
  payeeOf,
  payForm,
  phoneForm,
  qrSection,
  time,
  WayBack,
} from './parts';
import { PhoneStep, type PayAttempt } from './phones';
import {
  amountOf,
  arrivedText,
  failedAttempt,
  hasCheckout,
  isMismatch,
  isReceived,
  logoPath,
  pathOf,
  waitingAttempt,
  type FailedAttempt,
  type Options,
  type PayPageView,
  type Shop,
} from './view';
import { customerMessage } from './wording';
import { WORDS } from './words';

interface Content {
  readonly awaits: boolean;
  readonly shop: Shop | undefined;
}

export function contentOf(view: PayPageView, options: Options, { awaits, shop }: Content) {
  if (view.status !== 'open') return closedContent(view, options, shop);
  const waiting = waitingAttempt(view, options);
  if (waiting) return waitingContent(view, options, waiting);
  if (isReceived(view)) return receivedContent(view, options);
  if (isMismatch(view)) return mismatchContent(view, options);
  if (options.gave_up && shop !== undefined) return gaveUpContent(view, options, shop);
  return openContent(view, options, { awaits, shop });
}

function openContent(view: PayPageView, options: Options, { awaits, shop }: Content) {
  const { language } = options;
  const words = WORDS[language];
  const failure = failedAttempt(view, language);
  if (awaits && failure === null) return checkingContent(view, options);
  const is_of_phone = options.phones.attempt?.status === 'failed';
  const label =
    failure === null || is_of_phone ? words.pay(amountOf(view, language)) : words.try_again;
  const is_phone_first = isPhoneFirst(view, options);
  const by_phone = phoneForm(view, options);
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
      {is_phone_first && by_phone}
      {hasCheckout(view) &&
        (is_phone_first
          ? payForm(view, options, words.card, 'plain')
          : payForm(view, options, label))}
      <p class="hint">
        {hasCheckout(view) && (view.is_simulated_gateway ? words.simulated_next : words.next)}
        {goesBack(view, language)}
      </p>
      {!is_phone_first && by_phone}
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

function waitingContent(view: PayPageView, options: Options, attempt: PayAttempt) {
  const { language, phones } = options;
  const words = WORDS[language];
  const { id, operator_name, phone_end, expires_at, next_step } = attempt;
  const until = time(expires_at, language);
  return (
    <>
      <PhoneStep
        {...{ attempt, language }}
        action={pathOf(view, options, `/attempts/${id}/otp`)}
        faults={phones.faults}
      />
      {next_step === null ? (
        <p class="notice">{words.change_later(operator_name, until)}</p>
      ) : (
        <form method="post" action={pathOf(view, options, `/attempts/${id}/give-up`)}>
          <button class="button plain" type="submit" data-busy={words.busy}>
            {words.change_way}
          </button>
          <p class="hint">
            {words.waits_until(until)}{' '}
            {next_step.kind !== 'otp' && words.change_asked(operator_name)}
          </p>
        </form>
      )}
      <Rows
        rows={[
          { term: words.amount, detail: amountOf(view, language), is_strong: true },
          { term: words.to, detail: payeeOf(view) },
          { term: words.operator, detail: operator_name },
          { term: words.phone_short, detail: words.phone_ends(phone_end) },
          { term: words.reference, detail: view.reference },
        ]}
      />
    </>
  );
}

/** The shop is named before the customer is sent there. */
function goesBack({ return_url }: PayPageView, language: Language) {
  if (return_url === null || !readReturnAddress(return_url, true)) return null;
  return <> {WORDS[language].goes_back(<bdi>{hostOf(return_url)}</bdi>)}</>;
}

function gaveUpContent(view: PayPageView, options: Options, shop: Shop) {
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

/** The customer has paid another amount: paying once more is possible, and nothing leads to it. */
function mismatchContent(view: PayPageView, options: Options) {
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

/** Nothing leads to a second payment. */
function receivedContent(view: PayPageView, options: Options) {
  const { language } = options;
  const words = WORDS[language];
  return (
    <>
      <Badge icon="clock" tone="quiet" />
      <h1>{words.received}</h1>
      <p class="status" role="status">
        {words.received_text(payeeOf(view))}
      </p>
      {details(view, language)}
    </>
  );
}

/** Money that came beside what the link has taken: too late, or once more. */
function surplusText(view: PayPageView, language: Language) {
  const { status, received_minor, amount_minor, settled_minor, currency } = view;
  const taken = status === 'succeeded' ? (settled_minor ?? amount_minor) : 0n;
  if (received_minor === null || received_minor <= taken) return null;
  const received = formatMoney(language, received_minor, currency);
  return <> {WORDS[language].arrived_in_all(received, payeeOf(view))}</>;
}

function leavingText({ language, leaves }: Options, { host }: Shop) {
  return leaves ? <> {WORDS[language].leaving(host)}</> : null;
}

/** The customer may just have paid: there is no button that would pay once more. */
function checkingContent(view: PayPageView, options: Options) {
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

function notice({ text, has_reason }: FailedAttempt, language: Language, awaits: boolean) {
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

function closedContent(view: PayPageView, options: Options, shop: Shop | undefined) {
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
      <h1>{view.hold ? words.held : words[status]}</h1>
      <p class="status" role="status">
        {view.hold
          ? words.held_text
          : words[`${status}_text`](payeeOf(view), reason && `${reason} `)}
        {surplusText(view, language)}
        {shop ? leavingText(options, shop) : is_paid && ` ${words.close}`}
      </p>
      {status === 'processing' && !view.hold && (
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

function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
