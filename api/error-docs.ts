// The page that `doc_url` points to, made from the error table: what each code means, how it comes about
// and what to do. A code is its fragment, and so is a status: `#status-401`.

import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { codesOfStatus, ERROR_HELP } from '../domain/error-help';
import { ERROR_CODES, ERRORS, type ErrorCode } from '../domain/errors';
import { markup, Markup } from '../domain/markup';
import { BASE_STYLE } from '../pages/style';

export const ERROR_DOCS_PATH = '/docs/errors';

export function errorDocsUrl(public_url: string): string {
  return public_url + ERROR_DOCS_PATH;
}

const STYLE = `${BASE_STYLE}
body { background: var(--page); }
main { max-width: 56rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.125rem; }
h3 { font-size: 1rem; }
p { margin-top: .5rem; text-wrap: pretty; }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .25rem; }
code, pre { font: .875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.lead { color: var(--soft); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-top: 1rem; }
nav a { padding: .125rem 0; }
article { margin-top: .75rem; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
article:target { border-color: var(--accent); background: var(--accent-tint); }
dl { margin-top: .75rem; }
dt { margin-top: .5rem; font-size: .875rem; color: var(--soft); }
article:target dt { color: var(--text); }
dd { margin: 0; }
@media (min-width: 40rem) {
  dl div { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: 1rem; }
  dt { margin-top: .125rem; }
}
`;

export const ERROR_DOCS_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function renderErrorDocs(): string {
  const statuses = [...new Set(ERROR_CODES.map((code) => ERRORS[code].status))].sort(
    (one, other) => one - other,
  );
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Error codes</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
<h1>Error codes</h1>
<p class="lead">Every failure answers <code>{"ok": false, "error": {"code", "message", "doc_url", "request_id", "retryable"}}</code>, with <code>param</code> and <code>details</code> where a field is at fault. Decide by the code: messages may change.</p>
<p class="lead">A retryable request may succeed later: send it again with the same <code>Idempotency-Key</code>, and it is carried out once.</p>
<nav aria-label="Statuses">
${statuses.map(
  (status) => markup`<a href="#status-${String(status)}">${titleOf(status)}</a>
`,
)}</nav>
${statuses.map(sectionOf)}</main>
</body>
</html>
`.text;
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
