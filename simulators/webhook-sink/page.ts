// The sink's pages. They have no script, and every text from outside is escaped.

import { EXPONENTS, isCurrency } from '../../domain/currency';
import { markup, Markup } from '../../domain/markup';
import { KEPT, type Arrival, type Verdict } from './arrivals';
import { STYLE } from './style';

const REFRESH_SECONDS = 3;

/** Everything that arrived, newest first. The page reloads itself. */
export function renderArrivals(arrivals: readonly Arrival[], origin: string): string {
  const [latest, ...others] = arrivals;
  return page(
    'Webhook sink',
    markup`<h1>Webhook sink</h1>
<p class="lead">A receiver for trying webhooks. It responds to <code>POST ${origin}/hooks/…</code> with 200 <code>ok</code> when the signature is that of an endpoint with this URL, and with 401 <code>invalid signature</code> otherwise. The last ${String(KEPT)} are shown, newest first, until the sink stops. <a href="/deliveries.json">As JSON</a></p>
${latest ? card(latest, markup`${bodyOf(latest)}${link(latest, 'Its headers')}`) : empty()}${others.map((arrival) => card(arrival, link(arrival, 'Body and headers')))}`,
    markup`<meta http-equiv="refresh" content="${String(REFRESH_SECONDS)}">\n`,
  );
}

/** One webhook in full. The page does not reload. */
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

function page(title: string, content: Markup, head: Markup | null = null): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/icon.svg">
<style>${new Markup(STYLE)}</style>
${head}</head>
<body>
<main>
${content}
</main>
</body>
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

function card(arrival: Arrival, more: Markup): Markup {
  const { at, path, status, event, endpoint_id } = arrival;
  const answered = status === 200 ? '200 ok' : '401 invalid signature';
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
  row('Answered', answered),
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
  return markup`<pre>${readable(body)}</pre>
`;
}

/** Our events are less deep; a deeper body would fill the page with spaces. */
const MAX_INDENT = 16;
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Indents the body's own text, because parsing and serialising it would turn 5000.00 into 5000. */
function readable(body: string): string {
  try {
    JSON.parse(body);
  } catch {
    // Not JSON: shown as received.
    return body;
  }
  const tokens = body.match(TOKENS) ?? [];
  let depth = 0;
  const newLine = (): string => `\n${'  '.repeat(Math.min(depth, MAX_INDENT))}`;
  return tokens
    .map((token, at) => {
      if (token === '{' || token === '[') {
        depth += 1;
        return isEnd(tokens[at + 1]) ? token : token + newLine();
      }
      if (isEnd(token)) {
        depth -= 1;
        return isStart(tokens[at - 1]) ? token : newLine() + token;
      }
      if (token === ',') return token + newLine();
      return token === ':' ? ': ' : token;
    })
    .join('');
}

function isStart(token: string | undefined): boolean {
  return token === '{' || token === '[';
}

function isEnd(token: string | undefined): boolean {
  return token === '}' || token === ']';
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
