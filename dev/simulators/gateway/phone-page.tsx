// A phone's screen, and the operator's page. They look like the checkout (checkout-page.tsx).

import type { Language } from '../../../domain/language';
import { amountOf, facts, form, page } from './checkout-page';
import { WORDS } from './checkout-words';
import { shownStatus, type Press } from './courses';
import { methodOf } from './operators';
import { PHONE_WORDS } from './phone-words';
import type { Charge } from './records';

/** So many earlier questions are shown. */
const MOST_BEFORE = 5;

export interface Phone {
  readonly number: string;
  /** The newest first. */
  readonly charges: readonly Charge[];
  /** A one-time code that was just made. */
  readonly made: string | null;
}

export function renderPhone({ number, charges, made }: Phone, language: Language): string {
  const words = PHONE_WORDS[language];
  const waiting = charges.filter(({ status }) => status === 'waiting');
  const before = charges.filter(({ status }) => status !== 'waiting').slice(0, MOST_BEFORE);
  const dialed = methodOf(number, null)?.otp_code ?? null;
  return page(
    { language, title: words.phone(number), sign: WORDS[language].sign },
    <>
      {waiting.map((charge) => question(charge, language))}
      {waiting.length === 0 && (
        <section class="card">
          <p class="merchant">{words.phone(number)}</p>
          <h1>{words.nothing}</h1>
          <p class="note">{words.nothing_text}</p>
        </section>
      )}
      {dialed !== null && oneTimeCode(dialed, made, language)}
      {before.length > 0 && (
        <section class="card" aria-labelledby="before">
          <h2 id="before">{words.before}</h2>
          {before.map((charge) => past(charge, language))}
        </section>
      )}
    </>,
  );
}

/** The page of an operator whose customers leave for it. */
export function renderOperatorPage(charge: Charge, language: Language): string {
  const words = PHONE_WORDS[language];
  const title = words.page(nameOf(charge));
  return page(
    { language, title, sign: WORDS[language].sign },
    <section class="card">
      <p class="merchant">{title}</p>
      <h1>{words.asks(charge.merchant_name, amountOf(charge, language))}</h1>
      {facts(charge, language)}
      {charge.status === 'waiting' ? (
        <div class="presses">
          {form(
            press('confirm'),
            <button class="pay">{WORDS[language].pay(amountOf(charge, language))}</button>,
          )}
          {form(press('decline'), <button>{words.give_up}</button>)}
        </div>
      ) : (
        <>
          <p class="declined" role="status">
            {outcome(charge, language)}
          </p>
          <a class="back" href={charge.return_url} rel="noreferrer">
            {WORDS[language].go_back}
          </a>
        </>
      )}
    </section>,
  );
}

/** The numbers are everybody's, and anybody opens their pages: neither the merchant nor what it is for stands there. */
function question(charge: Charge, language: Language) {
  const words = PHONE_WORDS[language];
  const { phone, operator } = charge;
  const { step, code } = methodOf(phone, operator)!;
  return (
    <section class="card">
      <p class="merchant">
        {nameOf(charge)} · {words.phone(phone)}
      </p>
      <h1>{WORDS[language].pay(amountOf(charge, language))}</h1>
      {step === 'dial' && <p class="note">{words.dial(code!)}</p>}
      {step === 'redirect' ? (
        <p class="note">{words.on_page(nameOf(charge))}</p>
      ) : (
        <div class="presses">
          {form(press('confirm', charge), <button class="pay">{words.press.confirm}</button>)}
          {form(press('decline', charge), <button>{words.press.decline}</button>)}
          {form(press('expire', charge), <button>{words.press.expire}</button>)}
        </div>
      )}
    </section>
  );
}

function past(charge: Charge, language: Language) {
  const words = PHONE_WORDS[language];
  return (
    <div class="other">
      <strong>{amountOf(charge, language)}</strong>
      <p>{outcome(charge, language)}</p>
      {charge.failure?.code === 'EXPIRED' && (
        <>
          {form(press('confirm', charge), <button>{words.late}</button>)}
          <p>{words.late_text}</p>
        </>
      )}
    </div>
  );
}

function oneTimeCode(dialed: string, made: string | null, language: Language) {
  const words = PHONE_WORDS[language];
  return (
    <section class="card" aria-labelledby="code">
      <h2 id="code">{words.code}</h2>
      <p class="note">{words.code_text(dialed)}</p>
      {made !== null && (
        <p class="made" role="status">
          {words.made} <strong class="amount">{made}</strong>
        </p>
      )}
      {form({ press: 'dial' }, <button>{words.make(dialed)}</button>)}
    </section>
  );
}

/** A button of the phone that names the charge, or of the page of one. */
function press(press: Press, charge?: Charge): Readonly<Record<string, string>> {
  return charge ? { press, charge: charge.id } : { press };
}

function outcome(charge: Charge, language: Language): string {
  const { status } = PHONE_WORDS[language];
  const words = status[shownStatus(charge) as keyof typeof status];
  return charge.failure === null ? words : `${words} (${charge.failure.code})`;
}

function nameOf({ phone, operator }: Charge): string {
  return methodOf(phone, operator)?.name ?? operator;
}
