// The style of the sink's pages, inside the page and allowed by its hash.

import { createHash } from 'node:crypto';

export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f5f3; --card: #ffffff; --line: #e3e6e2; --edge: #84908a; --text: #16201c; --soft: #56625d;
  --accent: #0b6b50; --accent-tint: #e3f1ec; --bad: #a3281f; --bad-tint: #fbe9e7; --quiet-tint: #eceeec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1311; --card: #171d1a; --line: #2a332f; --edge: #6b7872; --text: #eaf0ed; --soft: #9fada7;
    --accent: #46c99c; --accent-tint: #17352b; --bad: #f49a91; --bad-tint: #3c1d1a; --quiet-tint: #252d29;
  }
}
* { box-sizing: border-box; margin: 0; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  background: var(--page); color: var(--text); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; }
h2 { font-size: 1.0625rem; line-height: 1.4; font-weight: 650; }
.lead { margin-top: .5rem; color: var(--soft); text-wrap: pretty; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: .25rem; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .8125rem; }
article, .empty {
  margin-top: 1rem; padding: 1.125rem 1.25rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 1rem;
}
.bad { border-color: var(--bad); }
.head { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .125rem 1rem; }
.amount { font-weight: 700; font-variant-numeric: tabular-nums; }
.verdicts { display: flex; flex-wrap: wrap; gap: .375rem; margin-top: .625rem; padding: 0; list-style: none; }
.verdict { padding: .125rem .625rem; border-radius: 1rem; font-size: .8125rem; font-weight: 600; background: var(--quiet-tint); color: var(--soft); }
.verdict.verified { background: var(--accent-tint); color: var(--accent); }
.verdict.wrong { background: var(--bad-tint); color: var(--bad); }
dl { margin-top: .75rem; font-size: .875rem; }
dl div { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .625rem; padding: .1875rem 0; }
dt { color: var(--soft); }
dd { font-variant-numeric: tabular-nums; }
pre {
  margin-top: .75rem; padding: .875rem 1rem; border-radius: .75rem; background: var(--quiet-tint);
  white-space: pre-wrap;
}
.more { margin-top: .75rem; font-size: .875rem; }
.tools { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin-top: 1rem; min-height: 2rem; }
form { margin-top: 1rem; }
form.failing { padding: .75rem 1rem; border-radius: .75rem; background: var(--bad-tint); color: var(--bad); }
button { padding: .25rem .75rem; border: 1px solid var(--edge); border-radius: .5rem; font: inherit; font-size: .875rem; font-weight: 600; color: var(--text); background: var(--card); cursor: pointer; }
button[aria-pressed=true] { background: var(--accent-tint); color: var(--accent); }
.back { display: inline-block; margin-bottom: 1rem; }
@media (max-width: 30rem) { dl div { grid-template-columns: 6rem minmax(0, 1fr); } }
@media (max-width: 20rem) { dl div { grid-template-columns: minmax(0, 1fr); gap: 0; padding: .25rem 0; } }
`;

export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0b6b50"/><path d="M16 7v10M11 13l5 5 5-5M8 20v4h16v-4" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>
`;
