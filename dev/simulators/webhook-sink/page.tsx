// The sink's pages. Their style and script are inside of the page, and allowed by their hash.

import type { ComponentChildren } from 'preact';
import { isCurrency } from '../../../domain/currency';
import { indentJson } from '../../../domain/indented-json';
import { readAsset, readStyle } from '../../../pages/assets';
import { Document, Inline, renderPage } from '../../../pages/document';
import type { Arrival } from './server';

/** A person reads fewer. */
export const KEPT = 200;
export const ANSWERS = { 200: 'ok', 401: 'invalid signature', 500: 'failing on purpose' };

const ICON = `data:image/svg+xml,${encodeURIComponent(readAsset(__dirname, 'icon.svg').body)}`;
const STYLE = readStyle(__dirname, 'sink.css');
const SCRIPT = readAsset(__dirname, 'sink.js');
export const POLICY =
  `default-src 'none'; style-src ${STYLE.source}; script-src ${SCRIPT.source}; connect-src 'self'; ` +
  "img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Everything that arrived, the newest first. A script shows what is new; without one there is a link. */
export function renderArrivals(
  arrivals: readonly Arrival[],
  origin: string,
  is_failing: boolean,
): string {
  return page(
    'Webhook sink',
    <>
      <p>
        A receiver for trying webhooks. It responds to <code>POST {origin}/hooks/…</code> with 200{' '}
        <code>ok</code> when the signature is that of an endpoint with this URL, and with 401{' '}
        <code>invalid signature</code> otherwise. The last {KEPT} are shown, newest first, until the
        sink stops. <a href="/deliveries.json">As JSON</a>
      </p>
      <form method="post" action="/answer">
        {is_failing
          ? 'It now answers 500 to every genuine webhook, so that the service tries again later. '
          : 'See what the service does when a receiver fails: '}
        <button name="with" value={is_failing ? '200' : '500'}>
          {is_failing ? 'Answer 200 again' : 'Answer 500 from now on'}
        </button>
      </form>
      <label hidden>
        <input type="checkbox" /> Pause updates <strong />
      </label>
      <div id="arrivals" data-count={arrivals[0]?.number ?? 0}>
        {arrivals.length === 0 && NOTHING}
        {arrivals.map((arrival, index) => card(arrival, index === 0))}
      </div>
      <Inline asset={SCRIPT} />
    </>,
  );
}

const NOTHING = (
  <article>
    <h2>Nothing has arrived yet</h2>
    <p>In the project’s folder, this makes a payment in the sandbox, and its webhook comes here:</p>
    <pre>npm run --silent cli -- trigger payment.succeeded</pre>
  </article>
);

/** One webhook in full, if it is still kept. */
export function renderArrival(arrival: Arrival | undefined): string {
  if (!arrival) return page('This is not here', `The last ${KEPT} are kept until the sink stops.`);
  const headers = details(Object.entries(arrival.headers));
  return page(`Webhook ${arrival.number}`, [card(arrival, true), <h2>Its headers</h2>, headers]);
}

function page(title: string, content: ComponentChildren): string {
  const head = [<link rel="icon" href={ICON} />, <Inline asset={STYLE} />];
  return renderPage(
    <Document language="en" title={title} head={head}>
      <main>
        <h1>{title}</h1>
        <a href="/">All that arrived</a>
        {content}
      </main>
    </Document>,
  );
}

function card(arrival: Arrival, has_body: boolean) {
  const { number, at, path, status, event, endpoint_id } = arrival;
  return (
    <article class={status === 200 ? undefined : 'bad'}>
      <h2>{event['type'] ?? 'Not an event'}</h2>
      {verdict('x-service-signature', arrival.x_service_signature)} ·{' '}
      {verdict('Standard Webhooks', arrival.standard_webhooks)}
      {details([
        ['Amount', amountText(event)],
        // The reader's time zone is not known here.
        ['Arrived', at.replace('T', ' ').replace('Z', ' UTC')],
        ['Event', event['id']],
        ['Sequence', event['sequence'] === 0 ? 'none: a test event' : event['sequence']],
        ['Environment', event['environment']],
        ['Endpoint', endpoint_id ?? 'none with this address and secret'],
        ['Sent to', path],
        ['Answered', `${status} ${ANSWERS[status]}`],
      ])}
      <a href={`/deliveries/${number}`}>Body and headers</a>
      {has_body && <pre>{indentJson(arrival.body)}</pre>}
    </article>
  );
}

function verdict(name: string, state: Arrival['x_service_signature']) {
  return <strong class={state}>{`${name}: ${state}`}</strong>;
}

function details(rows: readonly (readonly [term: string, detail: ComponentChildren])[]) {
  const shown = rows.filter(([, detail]) => detail !== undefined);
  return <dl>{shown.map(([term, detail]) => [<dt>{term}</dt>, <dd>{detail}</dd>])}</dl>;
}

/** `XOF 5,000`, `EUR 49.90`. */
function amountText({ amount, currency }: Arrival['event']): string | undefined {
  if (typeof amount !== 'number' || typeof currency !== 'string' || !isCurrency(currency)) return;
  return amount.toLocaleString('en', { style: 'currency', currency, currencyDisplay: 'code' });
}
