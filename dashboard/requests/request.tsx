// One call that was made with a key of the account: what was asked, what was answered, and why.

import type { JSX } from 'preact';
import { errorDocsUrl } from '../../domain/docs-paths';
import { findRequest, type LoggedRequest, type RefusedRequest } from '../../db/requests/access-log';
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
  return page(`${found.method} ${found.route}`, <Request of={found} docs={docs} />);
});

function Request({ of, docs }: { readonly of: LoggedRequest; readonly docs: string }): JSX.Element {
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
              {of.method} {refusal?.path ?? of.route}
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

function Json({ label, value }: { readonly label: string; readonly value: unknown }): JSX.Element {
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
