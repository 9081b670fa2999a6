// The page that `doc_url` points to, made from the error table: what each code means, how it comes about
// and what to do. A code is its fragment, and so is a status: `#status-401`.

import { STATUS_CODES } from 'node:http';
import { codesOfStatus, ERROR_HELP } from '../../domain/error-help';
import { ERROR_CODES, ERRORS, type ErrorCode } from '../../domain/errors';
import { markup, type Markup } from '../../domain/markup';
import { documentOf } from './document';

export function renderErrorDocs(): string {
  const statuses = [...new Set(ERROR_CODES.map((code) => ERRORS[code].status))].sort(
    (one, other) => one - other,
  );
  return documentOf(
    'Error codes',
    markup`<main>
<nav aria-label="Documents"><a href="/docs">Reference</a></nav>
<h1>Error codes</h1>
<p class="lead">Every failure answers <code>{"ok": false, "error": {"code", "message", "doc_url", "request_id", "retryable"}}</code>, with <code>param</code> and <code>details</code> where a field is at fault. Decide by the code: messages may change.</p>
<p class="lead">A retryable request may succeed later: send it again with the same <code>Idempotency-Key</code>, and it is carried out once.</p>
<nav aria-label="Statuses">
${statuses.map(
  (status) => markup`<a href="#status-${String(status)}">${titleOf(status)}</a>
`,
)}</nav>
${statuses.map(sectionOf)}</main>`,
  );
}

function titleOf(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim();
}

function sectionOf(status: number): Markup {
  return markup`<section id="status-${String(status)}">
<h2>${titleOf(status)}</h2>
${codesOfStatus(status).map(articleOf)}</section>
`;
}

function articleOf(code: ErrorCode): Markup {
  const { message, retryable } = ERRORS[code];
  const { cause, remedy } = ERROR_HELP[code];
  return markup`<article id="${code}">
<h3><code>${code}</code></h3>
<p>${message}</p>
<dl>
<div><dt>Why it happens</dt><dd>${cause}</dd></div>
<div><dt>What to do</dt><dd>${remedy}</dd></div>
<div><dt>Retryable</dt><dd>${retryable ? 'yes' : 'no'}</dd></div>
</dl>
</article>
`;
}
