// The sink's pages. Every text from outside is escaped.

import { EXPONENTS, isCurrency } from '../../domain/currency';
import { indentJson } from '../../domain/indented-json';
import { markup, Markup } from '../../domain/markup';
import { KEPT, type Arrival, type Verdict } from './arrivals';
import { SCRIPT } from './script';
import { STYLE } from './style';

export interface SinkState {
  /** Newest first. */
  readonly arrivals: readonly Arrival[];
  readonly origin: string;
  /** It answers 500 to what it would accept, for trying retries. */
  readonly is_failing: boolean;
}

/** Everything that arrived. A script adds what is new; without one there is a link. */
export function renderArrivals({ arrivals, origin, is_failing }: SinkState): string {
  const [latest, ...others] = arrivals;
  const count = String(latest?.number ?? 0);
  return page(
    'Webhook sink',
    markup`<h1>Webhook sink</h1>
<p class="lead">A receiver for trying webhooks. It responds to <code>POST ${origin}/hooks/…</code> with 200 <code>ok</code> when the signature is that of an endpoint with this URL, and with 401 <code>invalid signature</code> otherwise. The last ${String(KEPT)} are shown, newest first, until the sink stops. <a href="/deliveries.json">As JSON</a></p>
${answerForm(is_failing)}<p class="tools"><a id="reload" href="/">Reload</a><button type="button" id="pause" aria-pressed="false" hidden>Pause updates</button><button type="button" id="fresh" hidden></button></p>
<div id="arrivals" data-count="${count}">
${latest ? card(latest, markup`${bodyOf(latest)}${link(latest, 'Its headers')}`) : empty()}${others.map((arrival) => card(arrival, link(arrival, 'Body and headers')))}</div>`,
    markup`<script>${new Markup(SCRIPT)}</script>`,
  );
}

function answerForm(is_failing: boolean): Markup {
  const text = is_failing
    ? 'It now answers 500 to every genuine webhook, so that the service tries again later.'
    : 'See what the service does when a receiver fails:';
  return markup`<form method="post" action="/answer"${is_failing ? markup` class="failing"` : null}>
<p>${text} <button name="with" value="${is_failing ? '200' : '500'}">${is_failing ? 'Answer 200 again' : 'Answer 500 from now on'}</button></p>
</form>
`;
}

/** One webhook in full. */
export function renderArrival(arrival: Arrival): string {
  const headers = Object.entries(arrival.headers).map(([name, value]) => row(name, value));
  return page(
    `Webhook ${arrival.number}`,
    markup`<a class="back" href="/">All that arrived</a>
<h1>Webhook ${String(arrival.number)}</h1>
${card(arrival, bodyOf(arrival))}
<article>
<h2>Its headers</h2>
<dl>
${headers}</dl>
</article>`,
  );
}

export function renderMissing(): string {
  return page(
    'Not here',
    markup`<a class="back" href="/">All that arrived</a>
<h1>This is not here</h1>
<p class="lead">The sink keeps the last ${String(KEPT)} webhooks, until it is stopped.</p>`,
  );
}

function page(title: string, content: Markup, end: Markup | null = null): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/icon.svg">
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
${content}
</main>
${end}</body>
</html>
`.text;
}

function empty(): Markup {
  return markup`<section class="empty">
<h2>Nothing has arrived yet</h2>
<p class="lead">In the project’s folder, this makes a payment in the sandbox, and its webhook comes here:</p>
<pre>npm run --silent cli -- trigger payment.succeeded</pre>
</section>`;
}

export const ANSWERS: Readonly<Record<Arrival['status'], string>> = {
  200: '200 ok',
  401: '401 invalid signature',
  500: '500 failing on purpose',
};

function card(arrival: Arrival, more: Markup): Markup {
  const { at, path, status, event, endpoint_id } = arrival;
  return markup`<article${status === 200 ? null : markup` class="bad"`}>
<div class="head"><h2>${event.type ?? 'Not an event'}</h2><span class="amount">${amountText(event)}</span></div>
<ul class="verdicts">${verdict('x-service-signature', arrival.x_service_signature)}${verdict('Standard Webhooks', arrival.standard_webhooks)}</ul>
<dl>
${[
  row('Arrived', clockTime(at)),
  ...known('Event', event.id),
  ...known('Sequence', event.sequence === 0 ? 'none: a test event' : event.sequence),
  ...known('Environment', event.environment),
  row('Endpoint', endpoint_id ?? 'none with this address and secret'),
  row('Sent to', path),
  row('Answered', ANSWERS[status]),
]}</dl>
${more}</article>
`;
}

function link({ number }: Arrival, text: string): Markup {
  return markup`<p class="more"><a href="/deliveries/${String(number)}">${text}</a></p>
`;
}

function known(term: string, value: string | number | null): readonly Markup[] {
  return value === null ? [] : [row(term, String(value))];
}

function row(term: string, detail: string): Markup {
  return markup`<div><dt>${term}</dt><dd>${detail}</dd></div>
`;
}

const WORDS: Readonly<Record<Verdict, string>> = {
  verified: 'verified',
  wrong: 'does not verify',
  missing: 'missing',
};

function verdict(name: string, state: Verdict): Markup {
  return markup`<li class="verdict ${state}">${name}: ${WORDS[state]}</li>`;
}

function bodyOf({ body }: Arrival): Markup {
  return markup`<pre>${indentJson(body)}</pre>
`;
}

/** `2026-11-21 11:30:12.345 UTC`: the reader's time zone is not known here. */
function clockTime(at: string): string {
  return at.replace('T', ' ').replace('Z', ' UTC');
}

/** `5,000 XOF`, `49.90 EUR`; empty when the event has no amount. */
function amountText({ amount, currency }: Arrival['event']): string {
  if (amount === null || currency === null || !isCurrency(currency)) return '';
  const [whole = '', fraction] = amount.toFixed(EXPONENTS[currency]).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${grouped}${fraction === undefined ? '' : `.${fraction}`} ${currency}`;
}
