// The simulator's pages, without a script. Their look is not ours: a gateway is another company.

import type { ComponentChildren, JSX } from 'preact';
import type { Language } from '../../../domain/language';
import { readAsset } from '../../../pages/assets';
import { Document, Inline, renderPage } from '../../../pages/document';
import { translateFailure } from '../../../pages/failures';
import { formatCountry, formatMoney } from '../../../pages/formats';
import { DEFAULT_DELAY_MS, type Action } from './actions';
import { WORDS, type CheckoutWords } from './checkout-words';
import { coursesAfter, type Dispute } from './disputes';
import type { Session, SessionStatus, SessionTerms } from './store';

export const STYLE = readAsset(__dirname, 'checkout.css');

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

const REFUNDS = ['works', 'slow', 'fail', 'fail_later', 'pending', 'needs_customer'] as const;

export function renderCheckout(
  session: Session,
  status: SessionStatus,
  language: Language,
  latest_dispute?: Dispute,
): string {
  const { terms } = session;
  const words = WORDS[language];
  const sign = terms.environment === 'live' ? words.sign_live : words.sign_sandbox;
  return page(
    { language, title: words.title, sign },
    status === 'open' ? (
      <>
        {summary(session, language)}
        {choices(terms, words)}
      </>
    ) : (
      <>
        {ending(session, language, words.endings[status])}
        {status === 'paid' && bank(session, words, latest_dispute)}
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

function summary(session: Session, language: Language): JSX.Element {
  const { terms } = session;
  const words = WORDS[language];
  const amount = humanAmount(terms, language);
  const last = [...session.attempts.values()].at(-1);
  return (
    <section class="card">
      {merchant(terms)}
      <h1 class="amount">{amount}</h1>
      {details(terms, language)}
      {last?.failure && (
        <p class="declined" role="status">
          <strong>{words.failed}</strong> {translateFailure(language, last.failure)}
        </p>
      )}
      {form('pay', <button class="pay">{words.pay(amount)}</button>)}
    </section>
  );
}

function merchant({ merchant_name, logo_url }: SessionTerms): JSX.Element | null {
  if (!merchant_name && !logo_url) return null;
  return (
    <p class="merchant">
      {logo_url && <img class="logo" src={logo_url} alt="" referrerpolicy="no-referrer" />}
      {merchant_name && <bdi>{merchant_name}</bdi>}
    </p>
  );
}

function details(terms: SessionTerms, language: Language): JSX.Element {
  const { description, reference, customer_email, merchant_country, merchant_contact } = terms;
  const words = WORDS[language];
  const rows = [
    [words.country, merchant_country && formatCountry(language, merchant_country)],
    [words.contact, merchant_contact],
    [words.customer, customer_email],
  ];
  return (
    <>
      {description !== null && <p class="what">{description}</p>}
      <dl>
        <dt>{words.reference}</dt>
        <dd class="reference">{reference}</dd>
        {rows.map(
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

function choices(terms: SessionTerms, words: CheckoutWords): JSX.Element {
  return (
    <section class="card" aria-labelledby="others">
      <h2 id="others">{words.others}</h2>
      <p class="note">{words.sent_back(new URL(terms.return_url).host)}</p>
      {OTHER_CHOICES.map((choice) => (
        <div class="other">
          {form(choice.action, controls(choice, words))}
          <p>{words.choices[choice.action][1]}</p>
        </div>
      ))}
    </section>
  );
}

function form(action: Action, inside: ComponentChildren): JSX.Element {
  // A form without `action` posts to the page's own address.
  return (
    <form method="post">
      <input type="hidden" name="action" value={action} />
      {inside}
    </form>
  );
}

function controls({ action, has_delay, has_refund }: Choice, words: CheckoutWords): JSX.Element {
  const button = <button>{words.choices[action][0]}</button>;
  if (!has_refund && !has_delay) return button;
  return (
    <div class="slow">
      {button}
      {has_refund ? (
        <select name="refunds" aria-label={words.how_refund}>
          {REFUNDS.map((course) => (
            <option value={course === 'works' ? '' : course}>{words.refunds[course]}</option>
          ))}
        </select>
      ) : (
        <select name="delay_ms" aria-label={words.how_long}>
          {DELAYS.map(([ms, text]) => (
            <option value={ms} selected={ms === DEFAULT_DELAY_MS}>
              {text}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

function ending(
  { terms }: Session,
  language: Language,
  [title, meaning]: readonly [string, string],
): JSX.Element {
  const words = WORDS[language];
  return (
    <section class="card">
      <h1>{title}</h1>
      <p class="note">{meaning}</p>
      <dl>
        <dt>{words.amount}</dt>
        <dd>{humanAmount(terms, language)}</dd>
        <dt>{words.reference}</dt>
        <dd class="reference">{terms.reference}</dd>
      </dl>
      <a class="back" href={terms.return_url} rel="noreferrer">
        {words.go_back}
      </a>
    </section>
  );
}

/** The customer's bank, which may take the payment back. */
function bank(
  { terms }: Session,
  words: CheckoutWords,
  latest_dispute: Dispute | undefined,
): JSX.Element {
  return (
    <section class="card" aria-labelledby="bank">
      <h2 id="bank">{words.bank}</h2>
      {coursesAfter(latest_dispute).map((course) => (
        <form method="post" action={`/checkout/${terms.session_id}/dispute`}>
          <input type="hidden" name="course" value={course} />
          <button>{words.disputes[course]}</button>
        </form>
      ))}
    </section>
  );
}

function humanAmount({ amount_minor, currency }: SessionTerms, language: Language): string {
  return formatMoney(language, BigInt(amount_minor), currency);
}
