// The style of the pages under /docs and of the page at /, and the policy that each is sent with.

import { createHash } from 'node:crypto';
import { BASE_STYLE } from '../../pages/style';

export const DOCS_STYLE = `${BASE_STYLE}
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
article h2 { margin: 0; }
dl { margin-top: .75rem; }
dt { margin-top: .5rem; font-size: .875rem; color: var(--soft); }
article:target dt { color: var(--text); }
dd { margin: 0; }
@media (min-width: 40rem) {
  dl div { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: 1rem; }
  dt { margin-top: .125rem; }
}
`;

const STYLE_HASH = `'sha256-${createHash('sha256').update(DOCS_STYLE).digest('base64')}'`;

const policy = (...more: readonly string[]): string =>
  [
    "default-src 'none'",
    ...more,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** One style and nothing else. */
export const DOCS_POLICY = policy(`style-src ${STYLE_HASH}`, "img-src 'self'");

/** The reference also runs the viewer, whose style sheet holds its images. */
export const REFERENCE_POLICY = policy(
  `style-src 'self' ${STYLE_HASH}`,
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
);
