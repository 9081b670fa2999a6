// The simulator's pages, without a script. Their look is not ours: a gateway is another company.

import type { ComponentChildren, JSX } from 'preact';
import type { Language } from '../../../domain/language';
import { readStyle } from '../../../pages/assets';
import { Document, Inline, renderPage } from '../../../pages/document';
import { translateFailure } from '../../../pages/failures';
import { formatCountry, formatMoney } from '../../../pages/formats';
import { WORDS, type CheckoutWords } from './checkout-words';
import {
  DURATIONS,
  REFUND_COURSES,
  type Action,
  type DisputeCourse,
  type Failure,
} from './courses';
import type { Session } from './records';
import type { SessionStatus } from './store';

export const STYLE = readStyle(__dirname, 'checkout.css');

interface Choice {
  readonly action: Action;
  readonly has_delay?: boolean;
  /** Offers a choice of how refunds of the payment go. */
  readonly has_refund?: boolean;
}

const OTHER_CHOICES: readonly Choice[] = [
  { action: 'pay', has_refund: true },
  { action: 'pay_slowly', has_delay: true },
  { action: 'decline_slowly', has_delay: true },
  { action: 'pay_notify_twice' },
  { action: 'pay_twice', has_refund: true },
  { action: 'decline_retry' },
  { action: 'decline' },
  { action: 'come_back_later' },
];

const DELAYS: readonly (readonly [ms: number, label: string])[] = [
  [1_000, '1 s'],
  [5_000, '5 s'],
  [15_000, '15 s'],
  [60_000, '1 min'],
  [300_000, '5 min'],
  [3_600_000, '1 h'],
];

export interface SeenSession {
  readonly session: Session;
  readonly status: SessionStatus;
  /** Why the last try to pay failed. */
  readonly failure: Failure | null;
  /** The courses that the customer's bank can take with the payment. */
  readonly courses: readonly DisputeCourse[];
}

export function renderCheckout(
  { session, status, failure, courses }: SeenSession,
  language: Language,
): string {
  const words = WORDS[language];
  const sign = session.environment === 'live' ? words.sign_live : words.sign_sandbox;
  return page(
    { language, title: words.title, sign },
    status === 'open' ? (
      <>
        {summary(session, failure, language)}
        {choices(session, words)}
      </>
    ) : (
      <>
        {ending(session, language, words.endings[status])}
        {status === 'paid' && bank(session, words, courses)}
      </>
    ),
  );
}

export function renderMissing(
  language: Language,
  [title, meaning]: readonly [string, string] = WORDS[language].missing,
): string {
  return page(
    { language, title, sign: WORDS[language].sign },
    <section class="card">
      <h1>{title}</h1>
      <p class="note">{meaning}</p>
    </section>,
  );
}

interface Head {
  readonly language: Language;
  readonly title: string;
  readonly sign: readonly [string, string];
}

export function page({ language, title, sign: [sign, more] }: Head, inside: JSX.Element): string {
  return renderPage(
    <Document language={language} title={title} head={<Inline asset={STYLE} />}>
      <header class="sign">
        <strong>{sign}</strong> {more}
      </header>
      <main>{inside}</main>
    </Document>,
  );
}

function summary(session: Session, failure: Failure | null, language: Language) {
  const words = WORDS[language];
  const amount = amountOf(session, language);
  return (
    <section class="card">
      {merchant(session)}
      <h1 class="amount">{amount}</h1>
      {details(session, language)}
      {failure && (
        <p class="declined" role="status">
          <strong>{words.failed}</strong> {translateFailure(language, failure)}
        </p>
      )}
      {form({ action: 'pay' }, <button class="pay">{words.pay(amount)}</button>)}
    </section>
  );
}

function merchant({ merchant_name, logo_url }: Session) {
  if (!merchant_name && !logo_url) return null;
  return (
    <p class="merchant">
      {logo_url && <img class="logo" src={logo_url} alt="" referrerpolicy="no-referrer" />}
      {merchant_name && <bdi>{merchant_name}</bdi>}
    </p>
  );
}

function details(session: Session, language: Language) {
  const { merchant_country, merchant_contact, customer_email } = session;
  const words = WORDS[language];
  return facts(session, language, [
    [words.country, merchant_country && formatCountry(language, merchant_country)],
    [words.contact, merchant_contact],
    [words.customer, customer_email],
  ]);
}

/** The purpose and the reference of a payment, and what else there is. */
export function facts(
  { description, reference }: Pick<Session, 'description' | 'reference'>,
  language: Language,
  more: readonly (readonly [term: string, detail: string | null])[] = [],
) {
  return (
    <>
      {description !== null && <p class="what">{description}</p>}
      <dl>
        <dt>{WORDS[language].reference}</dt>
        <dd class="reference">{reference}</dd>
        {more.map(
          ([term, detail]) =>
            detail && (
              <>
                <dt>{term}</dt>
                <dd>
                  <bdi>{detail}</bdi>
                </dd>
              </>
            ),
        )}
      </dl>
    </>
  );
}

function choices({ return_url }: Session, words: CheckoutWords) {
  return (
    <section class="card" aria-labelledby="others">
      <h2 id="others">{words.others}</h2>
      <p class="note">{words.sent_back(new URL(return_url).host)}</p>
      {OTHER_CHOICES.map((choice) => (
        <div class="other">
          {form({ action: choice.action }, controls(choice, words))}
          <p>{words.choices[choice.action][1]}</p>
        </div>
      ))}
    </section>
  );
}

/** Posts these fields to the page's own address, or to another one. */
export function form(
  fields: Readonly<Record<string, string>>,
  inside: ComponentChildren,
  action?: string,
) {
  return (
    <form method="post" action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {inside}
    </form>
  );
}

function controls({ action, has_delay, has_refund }: Choice, words: CheckoutWords) {
  const button = <button>{words.choices[action][0]}</button>;
  if (!has_refund && !has_delay) return button;
  return (
    <div class="slow">
      {button}
      {has_refund ? (
        <select name="refunds" aria-label={words.how_refund}>
          {(['works', ...REFUND_COURSES] as const).map((course) => (
            <option value={course === 'works' ? '' : course}>{words.refunds[course]}</option>
          ))}
        </select>
      ) : (
        <select name="delay_ms" aria-label={words.how_long}>
          {DELAYS.map(([ms, text]) => (
            <option value={ms} selected={ms === DURATIONS.delay_ms}>
              {text}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

function ending(session: Session, language: Language, [title, meaning]: readonly [string, string]) {
  const words = WORDS[language];
  return (
    <section class="card">
      <h1>{title}</h1>
      <p class="note">{meaning}</p>
      <dl>
        <dt>{words.amount}</dt>
        <dd>{amountOf(session, language)}</dd>
        <dt>{words.reference}</dt>
        <dd class="reference">{session.reference}</dd>
      </dl>
      <a class="back" href={session.return_url} rel="noreferrer">
        {words.go_back}
      </a>
    </section>
  );
}

/** The customer's bank, which may take the payment back. */
function bank({ id }: Session, words: CheckoutWords, courses: readonly DisputeCourse[]) {
  return (
    <section class="card" aria-labelledby="bank">
      <h2 id="bank">{words.bank}</h2>
      {courses.map((course) =>
        form({ course }, <button>{words.disputes[course]}</button>, `/checkout/${id}/dispute`),
      )}
    </section>
  );
}

export function amountOf(
  { amount_minor, currency }: Pick<Session, 'amount_minor' | 'currency'>,
  language: Language,
): string {
  return formatMoney(language, BigInt(amount_minor), currency);
}
