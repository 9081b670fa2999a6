// One call that was made with a key of the account: what was asked, what was answered, and why.

import { errorDocsUrl } from '../../domain/docs-paths';
import { findRequest, type LoggedRequest, type RefusedRequest } from '../../db/requests/access-log';
import { PREFIX } from '../../http/prefix';
import { formatCount } from '../../domain/language';
import { page, pageRoute, ownerOf } from '../context';
import { useFrame } from '../frame';
import { Details, Link, Snippet, Tag, Time, type Tone } from '../parts';
import { placeOf } from './place';
import { WORDS } from './words';

export const REQUEST_PAGE = pageRoute('/requests/:place', 'keys', async ({ db, config }, visit) => {
  const place = placeOf(visit.params['place'] ?? '');
  const found = place && (await findRequest(db, ownerOf(visit), place));
  if (!found) return undefined;
  const docs = errorDocsUrl(config.public_url);
  return page(`${found.method} ${found.path ?? found.route}`, <Request of={found} docs={docs} />);
});

function Request({ of, docs }: { readonly of: LoggedRequest; readonly docs: string }) {
  const { language } = useFrame();
  const words = WORDS[language];
  const { code, status } = of;
  const refusal = of.refusal ? (JSON.parse(of.refusal) as RefusedRequest) : undefined;
  const error = errorOf(refusal?.response);
  return (
    <>
      <Details
        rows={[
          [words.time, <Time at={of.at} exact />],
          [
            words.request,
            <code>
              {of.method} {refusal?.path ?? of.path ?? of.route}
            </code>,
          ],
          [
            words.status,
            <span>
              <Tag tone={toneOf(status)}>{String(status)}</Tag>{' '}
              {code && <a href={`${docs}#${code}`}>{code}</a>}
            </span>,
          ],
          [words.message, error.message],
          [words.parameter, error.param && <code>{error.param}</code>],
          [
            words.key,
            <span>
              {of.key_name || words.unnamed} <code>…{of.last_four}</code>
            </span>,
          ],
          [words.address, <code>{of.ip}</code>],
          [words.duration, durationText(language, of)],
          [words.request_id, <code>{of.request_id}</code>],
          [words.idempotency_key, of.idempotency_key && <code>{of.idempotency_key}</code>],
          [words.fault, of.fault && <code>{of.fault}</code>],
          [words.object, of.names && <About route={of.route} names={of.names} />],
        ]}
      />
      {refusal?.request !== undefined && <Json label={words.body} value={refusal.request} />}
      {refusal?.response !== undefined && <Json label={words.response} value={refusal.response} />}
      <p class="hint">{refusal ? words.redacted : words.not_kept}</p>
      <p>
        <Link to="/requests">{words.requests}</Link>
      </p>
    </>
  );
}

/** The pages of what calls are about, by the word of the path; which of its names a page goes by. */
const PAGES: Readonly<Record<string, readonly [path: string, name: number]>> = {
  'payment-intents': ['/links', 0],
  'payment-links': ['/reusable-links', 0],
  payouts: ['/payouts', 0],
  'payout-batches': ['/payout-batches', 0],
  // A refund is on the page of its payment, which it names last.
  refunds: ['/links', -1],
  transactions: ['/transactions', 0],
  transfers: ['/transfers', 0],
  'transfer-batches': ['/batches', 0],
  'webhook-deliveries': ['/deliveries', 0],
  'webhook-endpoints': ['/webhooks', 0],
};

function About({ route, names }: { readonly route: string; readonly names: readonly string[] }) {
  const [path, name] = PAGES[route.slice(PREFIX.length + 1).split('/')[0]!] ?? [];
  const shown = name === undefined ? undefined : names.at(name);
  return (
    <span>
      {names.map((one, at) => (
        <>
          {at > 0 && <br />}
          {one === shown ? <Link to={`${path}/${one}`}>{one}</Link> : <code>{one}</code>}
        </>
      ))}
    </span>
  );
}

function Json({ label, value }: { readonly label: string; readonly value: unknown }) {
  return (
    <section>
      <h2>{label}</h2>
      <Snippet text={JSON.stringify(value, null, 2)} label={label} />
    </section>
  );
}

interface ErrorText {
  readonly message?: string;
  readonly param?: string;
}

function errorOf(response: unknown): ErrorText {
  return (response as { readonly error?: ErrorText } | undefined)?.error ?? {};
}

export function toneOf(status: number): Tone {
  if (status >= 500) return 'bad';
  return status >= 400 ? 'warn' : 'good';
}

export function durationText(
  language: ReturnType<typeof useFrame>['language'],
  { duration_ms }: Pick<LoggedRequest, 'duration_ms'>,
): string {
  return `${formatCount(language, Math.round(duration_ms * 10) / 10)} ms`;
}
