// The simulator's pages. They have no script, and every text from outside is escaped.

import { createHash } from 'node:crypto';
import type { Language } from '../../domain/language';
import { escapeText } from '../../domain/markup';
import { translateFailure } from '../../pages/failures';
import { formatCountry, formatMoney } from '../../pages/formats';
import { DEFAULT_DELAY_MS, type Action } from './actions';
import { WORDS, type CheckoutWords } from './checkout-words';
import type { Session, SessionStatus, SessionTerms } from './store';

const STYLE = `
  :root { color-scheme: light dark; --page: #eef1f5; --card: #fff; --ink: #16202c; --soft: #5a6878;
    --line: #d9e0e8; --edge: #8796a6; --pay: #0b6b53; --pay-ink: #fff; --sign: #fff3d1; --sign-ink: #5c4300; --sign-line: #e8c766; }
  @media (prefers-color-scheme: dark) { :root { --page: #0e141b; --card: #18212b; --ink: #e8eef4; --soft: #9fb0c0;
    --line: #2d3a47; --edge: #6b7d8f; --pay: #2fb491; --pay-ink: #06231b; --sign: #33290d; --sign-ink: #f5dc95; --sign-line: #6b5518; } }
  * { box-sizing: border-box; }
  body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
  .sign { background: var(--sign); color: var(--sign-ink); border-bottom: 1px solid var(--sign-line); padding: .75rem 1rem; text-align: center; }
  main { max-width: 32rem; margin: 0 auto; padding: 0 1rem 3rem; }
  @media (min-width: 56rem) { main:has(.card + .card) { max-width: 62rem; display: grid; grid-template-columns: 5fr 6fr; gap: 0 1rem; align-items: start; } }
  .card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 1.25rem; margin-top: 1rem; }
  .amount { font-size: 2rem; font-weight: 700; line-height: 1.2; margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
  .merchant { display: flex; align-items: center; gap: .75rem; margin: 0 0 .75rem; font-weight: 600; overflow-wrap: anywhere; }
  .logo { max-width: 6rem; max-height: 2.5rem; border-radius: 6px; background: #fff; }
  .what { margin: .25rem 0 0; overflow-wrap: anywhere; white-space: pre-line; }
  dl { display: grid; grid-template-columns: auto 1fr; gap: .35rem 1rem; margin: 1rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .9rem; }
  dt { color: var(--soft); } dd { margin: 0; text-align: right; overflow-wrap: anywhere; }
  .reference { word-break: break-all; font-size: .85rem; }
  h1 { font-size: 1.25rem; margin: 0; } h2 { font-size: 1rem; margin: 0 0 .25rem; }
  .note { color: var(--soft); margin: .5rem 0 0; font-size: .9rem; }
  .declined { border-left: 4px solid #c8412f; padding-left: .75rem; margin: 1rem 0 0; }
  form { margin: 0; }
  button, .back { display: block; width: 100%; min-height: 48px; padding: .6rem 1rem; border: 1px solid var(--edge); border-radius: 10px;
    background: transparent; color: inherit; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
  button:hover, .back:hover { border-color: var(--ink); }
  button:focus-visible, select:focus-visible, .back:focus-visible { outline: 3px solid var(--pay); outline-offset: 2px; }
  .pay { background: var(--pay); border-color: var(--pay); color: var(--pay-ink); font-size: 1.1rem; margin-top: 1.25rem; }
  .other { border-top: 1px solid var(--line); padding-top: .8rem; margin-top: .8rem; }
  .other p { margin: .3rem 0 0; font-size: .875rem; color: var(--soft); }
  .slow { display: flex; flex-wrap: wrap; gap: .5rem; } .slow button { flex: 1 1 12rem; min-width: 0; } .slow select { flex: 0 1 auto; min-width: 0; max-width: 100%; }
  select { min-height: 48px; border: 1px solid var(--edge); border-radius: 10px; background: var(--card); color: inherit; font: inherit; padding: 0 .75rem; }
  .back { margin-top: 1.25rem; }
`;

/** For the Content-Security-Policy, which allows this style by its hash and no other. */
export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

interface Choice {
  readonly action: Action;
  readonly has_delay?: boolean;
  /** With a choice of how refunds of it go. */
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
): string {
  const { terms } = session;
  const words = WORDS[language];
  const inside =
    status === 'open'
      ? summary(session, language) + choices(terms, words)
      : ending(session, language, words.endings[status]);
  const sign = terms.environment === 'live' ? words.sign_live : words.sign_sandbox;
  return page(language, sign, inside);
}

export function renderMissing(language: Language): string {
  const { missing, sign } = WORDS[language];
  const [title, meaning] = missing;
  return page(
    language,
    sign,
    `<section class="card"><h1>${title}</h1><p class="note">${meaning}</p></section>`,
  );
}

function page(language: Language, [sign, more]: readonly [string, string], inside: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${WORDS[language].title}</title>
<style>${STYLE}</style>
</head>
<body>
<header class="sign"><strong>${sign}</strong> ${more}</header>
<main>
${inside}
</main>
</body>
</html>
`;
}

function summary(session: Session, language: Language): string {
  const { terms } = session;
  const words = WORDS[language];
  const amount = escapeText(humanAmount(terms, language));
  const last = [...session.attempts.values()].at(-1);
  const declined = last?.failure
    ? `<p class="declined" role="status"><strong>${words.failed}</strong> ${escapeText(translateFailure(language, last.failure))}</p>`
    : '';
  return `<section class="card">
${merchant(terms)}<h1 class="amount">${amount}</h1>
${details(terms, language)}
${declined}
${form('pay', `<button class="pay">${words.pay(amount)}</button>`)}
</section>`;
}

function merchant({ merchant_name, logo_url }: SessionTerms): string {
  const logo =
    (logo_url ?? null) === null
      ? ''
      : `<img class="logo" src="${escapeText(logo_url!)}" alt="" referrerpolicy="no-referrer">`;
  const name = (merchant_name ?? null) === null ? '' : `<bdi>${escapeText(merchant_name!)}</bdi>`;
  return logo + name === '' ? '' : `<p class="merchant">${logo}${name}</p>\n`;
}

function details(
  { description, reference, customer_email, merchant_country, merchant_contact }: SessionTerms,
  language: Language,
): string {
  const words = WORDS[language];
  const row = (term: string, detail: string | null | undefined): string =>
    (detail ?? null) === null ? '' : `<dt>${term}</dt><dd><bdi>${escapeText(detail!)}</bdi></dd>`;
  const country = merchant_country ? formatCountry(language, merchant_country) : null;
  const what = description === null ? '' : `<p class="what">${escapeText(description)}</p>`;
  return `${what}
<dl><dt>${words.reference}</dt><dd class="reference">${escapeText(reference)}</dd>${[
    row(words.country, country),
    row(words.contact, merchant_contact),
    row(words.customer, customer_email),
  ].join('')}</dl>`;
}

function choices(terms: SessionTerms, words: CheckoutWords): string {
  const others = OTHER_CHOICES.map(
    (choice) => `<div class="other">${form(choice.action, controls(choice, words))}
<p>${words.choices[choice.action][1]}</p></div>`,
  );
  return `
<section class="card" aria-labelledby="others">
<h2 id="others">${words.others}</h2>
<p class="note">${words.sent_back(escapeText(new URL(terms.return_url).host))}</p>
${others.join('\n')}
</section>`;
}

function form(action: Action, inside: string): string {
  // A form without `action` posts to the page's own address.
  return `<form method="post"><input type="hidden" name="action" value="${action}">${inside}</form>`;
}

function controls({ action, has_delay, has_refund }: Choice, words: CheckoutWords): string {
  const [label] = words.choices[action];
  if (has_refund === true) {
    const courses = REFUNDS.map(
      (course) =>
        `<option value="${course === 'works' ? '' : course}">${words.refunds[course]}</option>`,
    );
    return `<div class="slow"><button>${label}</button><select name="refunds" aria-label="${words.how_refund}">${courses.join('')}</select></div>`;
  }
  if (has_delay !== true) return `<button>${label}</button>`;
  const options = DELAYS.map(([ms, text]) => {
    const selected = ms === DEFAULT_DELAY_MS ? ' selected' : '';
    return `<option value="${ms}"${selected}>${text}</option>`;
  });
  return `<div class="slow"><button>${label}</button><select name="delay_ms" aria-label="${words.how_long}">${options.join('')}</select></div>`;
}

function ending(
  { terms }: Session,
  language: Language,
  [title, meaning]: readonly [string, string],
): string {
  const words = WORDS[language];
  return `<section class="card">
<h1>${title}</h1>
<p class="note">${meaning}</p>
<dl><dt>${words.amount}</dt><dd>${escapeText(humanAmount(terms, language))}</dd><dt>${words.reference}</dt><dd class="reference">${escapeText(terms.reference)}</dd></dl>
<a class="back" href="${escapeText(terms.return_url)}" rel="noreferrer">${words.go_back}</a>
</section>`;
}

/** As on every page. */
function humanAmount({ amount_minor, currency }: SessionTerms, language: Language): string {
  return formatMoney(language, BigInt(amount_minor), currency);
}
