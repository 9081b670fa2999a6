// The page that `doc_url` points to, made from the error table.

import { ERROR_CODES, ERRORS } from '../domain/errors';

export const ERROR_DOCS_PATH = '/docs/errors';

/** A code is this page's fragment. */
export function errorDocsUrl(public_url: string): string {
  return public_url + ERROR_DOCS_PATH;
}

export function renderErrorDocs(): string {
  const rows = ERROR_CODES.map((code) => {
    const { status, message, retryable } = ERRORS[code];
    return `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${message}</td><td>${retryable ? 'yes' : 'no'}</td></tr>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Error codes</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: .5rem .75rem; border-bottom: 1px solid #d8dee4; vertical-align: top; }
  tr:target { background: #fff8c5; }
  @media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3; } th, td { border-color: #30363d; } tr:target { background: #3a2f00; } }
</style>
<h1>Error codes</h1>
<p>Every failure answers <code>{"ok": false, "error": {"code", "message", "doc_url", "request_id", "retryable"}}</code>, with <code>param</code> and <code>details</code> where a field is at fault. Retry a retryable request with the same <code>Idempotency-Key</code>.</p>
<table>
<thead><tr><th>Code</th><th>Status</th><th>Meaning</th><th>Retry</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</html>
`;
}
