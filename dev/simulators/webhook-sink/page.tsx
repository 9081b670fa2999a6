// The sink's pages. Their style and script are inside of the page, and allowed by their hash.

import type { ComponentChildren, JSX } from 'preact';
import { EXPONENTS, isCurrency } from '../../../domain/currency';
import { indentJson } from '../../../domain/indented-json';
import { readAsset, readStyle } from '../../../pages/assets';
import { Document, Inline, renderPage } from '../../../pages/document';
import { KEPT, type Arrival, type Verdict } from './arrivals';

export const STYLE = readStyle(__dirname, 'sink.css');
export const SCRIPT = readAsset(__dirname, 'sink.js');

export interface SinkState {
  /** The arrivals, newest first. */
  readonly arrivals: readonly Arrival[];
  readonly origin: string;
  /** True when the sink answers 500 to what it would accept, for trying retries. */
  readonly is_failing: boolean;
}

/** The page of everything that arrived. A script adds what is new; without one there is a link. */
export function renderArrivals({ arrivals, origin, is_failing }: SinkState): string {
  const [latest, ...others] = arrivals;
  return page(
    'Webhook sink',
    <>
      <h1>Webhook sink</h1>
      <p class="lead">
        A receiver for trying webhooks. It responds to <code>POST {origin}/hooks/…</code> with 200{' '}
        <code>ok</code> when the signature is that of an endpoint with this URL, and with 401{' '}
        <code>invalid signature</code> otherwise. The last {KEPT} are shown, newest first, until the
        sink stops. <a href="/deliveries.json">As JSON</a>
      </p>
      {answerForm(is_failing)}
      <p class="tools">
        <a id="reload" href="/">
          Reload
        </a>
        <button type="button" id="pause" aria-pressed="false" hidden>
          Pause updates
        </button>
        <button type="button" id="fresh" hidden />
      </p>
      <div id="arrivals" data-count={latest?.number ?? 0}>
        {latest ? card(latest, [bodyOf(latest), link(latest, 'Its headers')]) : empty()}
        {others.map((arrival) => card(arrival, link(arrival, 'Body and headers')))}
      </div>
    </>,
    <Inline asset={SCRIPT} />,
  );
}

function answerForm(is_failing: boolean): JSX.Element {
  const text = is_failing
    ? 'It now answers 500 to every genuine webhook, so that the service tries again later.'
    : 'See what the service does when a receiver fails:';
  return (
    <form method="post" action="/answer" class={is_failing ? 'failing' : undefined}>
      <p>
        {text}{' '}
        <button name="with" value={is_failing ? '200' : '500'}>
          {is_failing ? 'Answer 200 again' : 'Answer 500 from now on'}
        </button>
      </p>
    </form>
  );
}

/** The page of one webhook in full. */
export function renderArrival(arrival: Arrival): string {
  return page(
    `Webhook ${arrival.number}`,
    <>
      {wayBack()}
      <h1>Webhook {arrival.number}</h1>
      {card(arrival, bodyOf(arrival))}
      <article>
        <h2>Its headers</h2>
        <dl>{Object.entries(arrival.headers).map(row)}</dl>
      </article>
    </>,
  );
}

export function renderMissing(): string {
  return page(
    'Not here',
    <>
      {wayBack()}
      <h1>This is not here</h1>
      <p class="lead">The sink keeps the last {KEPT} webhooks, until it is stopped.</p>
    </>,
  );
}

function page(title: string, content: JSX.Element, end?: JSX.Element): string {
  const head = (
    <>
      <link rel="icon" href="/icon.svg" />
      <Inline asset={STYLE} />
    </>
  );
  return renderPage(
    <Document language="en" title={title} head={head}>
      <main>{content}</main>
      {end}
    </Document>,
  );
}

function wayBack(): JSX.Element {
  return (
    <a class="back" href="/">
      All that arrived
    </a>
  );
}

function empty(): JSX.Element {
  return (
    <section class="empty">
      <h2>Nothing has arrived yet</h2>
      <p class="lead">
        In the project’s folder, this makes a payment in the sandbox, and its webhook comes here:
      </p>
      <pre>npm run --silent cli -- trigger payment.succeeded</pre>
    </section>
  );
}

export const ANSWERS: Readonly<Record<Arrival['status'], string>> = {
  200: '200 ok',
  401: '401 invalid signature',
  500: '500 failing on purpose',
};

function card(arrival: Arrival, more: ComponentChildren): JSX.Element {
  const { at, path, status, event, endpoint_id } = arrival;
  const rows: readonly (readonly [term: string, detail: string | number | null])[] = [
    ['Arrived', clockTime(at)],
    ['Event', event.id],
    ['Sequence', event.sequence === 0 ? 'none: a test event' : event.sequence],
    ['Environment', event.environment],
    ['Endpoint', endpoint_id ?? 'none with this address and secret'],
    ['Sent to', path],
    ['Answered', ANSWERS[status]],
  ];
  return (
    <article class={status === 200 ? undefined : 'bad'}>
      <div class="head">
        <h2>{event.type ?? 'Not an event'}</h2>
        <span class="amount">{amountText(event)}</span>
      </div>
      <ul class="verdicts">
        {verdict('x-service-signature', arrival.x_service_signature)}
        {verdict('Standard Webhooks', arrival.standard_webhooks)}
      </ul>
      <dl>{rows.filter(([, detail]) => detail !== null).map(row)}</dl>
      {more}
    </article>
  );
}

function link({ number }: Arrival, text: string): JSX.Element {
  return (
    <p class="more">
      <a href={`/deliveries/${number}`}>{text}</a>
    </p>
  );
}

function row([term, detail]: readonly [term: string, detail: ComponentChildren]): JSX.Element {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{detail}</dd>
    </div>
  );
}

const WORDS: Readonly<Record<Verdict, string>> = {
  verified: 'verified',
  wrong: 'does not verify',
  missing: 'missing',
};

function verdict(name: string, state: Verdict): JSX.Element {
  return (
    <li class={`verdict ${state}`}>
      {name}: {WORDS[state]}
    </li>
  );
}

function bodyOf({ body }: Arrival): JSX.Element {
  return <pre>{indentJson(body)}</pre>;
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
