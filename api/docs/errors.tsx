// The page that `doc_url` points to, made from the error table: what each code means, how it comes
// about and what to do. The fragment is a code, or a status: `#status-401`.

import { STATUS_CODES } from 'node:http';
import type { JSX } from 'preact';
import { codesOfStatus, ERROR_HELP } from '../../domain/error-help';
import { ERROR_CODES, ERRORS, type ErrorCode } from '../../domain/errors';
import { documentOf } from './document';
import { REFERENCE_PATH } from '../../domain/docs-paths';

export function renderErrorDocs(): string {
  const statuses = [...new Set(ERROR_CODES.map((code) => ERRORS[code].status))].sort(
    (one, other) => one - other,
  );
  return documentOf(
    'Error codes',
    <main>
      <nav aria-label="Documents">
        <a href={REFERENCE_PATH}>Reference</a>
      </nav>
      <h1>Error codes</h1>
      <p class="lead">
        Every failure answers{' '}
        <code>
          {'{"ok": false, "error": {"code", "message", "doc_url", "request_id", "retryable"}}'}
        </code>
        , with <code>param</code> and <code>details</code> where a field is at fault. Decide by the
        code: messages may change.
      </p>
      <p class="lead">
        A retryable request may succeed later: send it again with the same{' '}
        <code>Idempotency-Key</code>, and it is carried out once.
      </p>
      <nav aria-label="Statuses">
        {statuses.map((status) => (
          <a href={`#status-${status}`}>{titleOf(status)}</a>
        ))}
      </nav>
      {statuses.map(sectionOf)}
    </main>,
  );
}

function titleOf(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim();
}

function sectionOf(status: number): JSX.Element {
  return (
    <section id={`status-${status}`}>
      <h2>{titleOf(status)}</h2>
      {codesOfStatus(status).map(articleOf)}
    </section>
  );
}

function articleOf(code: ErrorCode): JSX.Element {
  const { message, retryable } = ERRORS[code];
  const { cause, remedy } = ERROR_HELP[code];
  return (
    <article id={code}>
      <h3>
        <code>{code}</code>
      </h3>
      <p>{message}</p>
      <dl>
        <div>
          <dt>Why it happens</dt>
          <dd>{cause}</dd>
        </div>
        <div>
          <dt>What to do</dt>
          <dd>{remedy}</dd>
        </div>
        <div>
          <dt>Retryable</dt>
          <dd>{retryable ? 'yes' : 'no'}</dd>
        </div>
      </dl>
    </article>
  );
}
