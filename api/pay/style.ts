// The style of the pay page. It is inlined, so that the page needs no second request, and allowed by its
// hash in the content security policy.

import { createHash } from 'node:crypto';
import { BASE_STYLE } from '../../pages/style';

export const PAY_STYLE = `${BASE_STYLE}
body { display: flex; flex-direction: column; background: var(--card); }
.ribbon {
  padding: .625rem 1rem; text-align: center; font-size: .875rem; font-weight: 600;
  color: var(--warn); background: var(--warn-tint);
}
main { width: 100%; max-width: 30rem; margin: 0 auto; padding: 2.5rem 1.5rem; }
h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; text-wrap: balance; }
.payee { display: block; font-size: 1.0625rem; line-height: 1.5; font-weight: 500; letter-spacing: 0; color: var(--soft); }
.payee bdi { color: var(--text); }
.amount {
  display: block; font-weight: 700; font-size: clamp(1.75rem, 10vw, 2.75rem); line-height: 1.15;
  letter-spacing: -.02em; font-variant-numeric: tabular-nums; margin-top: .375rem;
}
.amount.long { font-size: clamp(1rem, 5.2vw, 1.625rem); }
.about { margin-top: .875rem; color: var(--soft); white-space: pre-line; }
.badge {
  display: grid; place-items: center; width: 3.5rem; height: 3.5rem; margin-bottom: 1.5rem;
  border-radius: 50%; background: var(--quiet-tint); color: var(--soft); font-size: 1.375rem; font-weight: 650;
}
.badge svg { width: 1.75rem; height: 1.75rem; fill: none; stroke: currentColor; stroke-width: 2.25; stroke-linecap: round; stroke-linejoin: round; }
.badge.good { background: var(--accent-tint); color: var(--accent); }
.badge.bad { background: var(--bad-tint); color: var(--bad); }
.badge.busy { color: var(--accent); background: none; }
.badge.busy svg { width: 3.5rem; height: 3.5rem; stroke-width: 1.5; animation: turn 1.1s linear infinite; }
.badge.busy circle { stroke: var(--line); }
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .badge.busy svg { animation-duration: 6s; } }
.logo { display: block; max-width: 10rem; max-height: 4rem; margin-bottom: 1.5rem; border-radius: .5rem; background: #fff; }
.qr { display: none; }
.qr h2 { font-size: .9375rem; font-weight: 500; color: var(--soft); }
.qr svg { width: 8rem; margin-top: .75rem; border-radius: .5rem; }
.status { margin-top: .75rem; color: var(--soft); text-wrap: pretty; }
.notice {
  margin-top: 1.5rem; padding: .875rem 1rem; border-radius: .75rem;
  background: var(--quiet-tint); color: var(--text); font-size: .9375rem;
}
.notice.warn { background: var(--warn-tint); color: var(--warn); }
form { margin-top: 2rem; }
.button {
  display: block; width: 100%; padding: 1rem 1.25rem; border: 2px solid transparent; border-radius: .875rem;
  font: inherit; font-size: 1.0625rem; line-height: 1.375; font-weight: 650; text-align: center; text-decoration: none;
  color: var(--on-accent); background: var(--accent); cursor: pointer; -webkit-tap-highlight-color: transparent;
}
.button:hover { background: var(--accent-strong); }
.button:disabled { opacity: .7; cursor: default; }
.button.plain { color: var(--text); background: none; border: 1px solid var(--edge); }
.button.plain:hover { background: var(--quiet-tint); }
.button[hidden] { display: none; }
.actions { margin-top: 2rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: .5rem; }
.button:focus-visible { border-radius: .875rem; }
.way-back { margin-top: 1rem; font-size: .9375rem; text-align: center; }
.way-back a { display: inline-block; color: var(--soft); padding: .375rem .75rem; text-underline-offset: .2em; }
.actions + .actions { margin-top: .75rem; }
.hint { margin-top: .875rem; font-size: .875rem; color: var(--soft); text-align: center; text-wrap: balance; }
dl { margin-top: 2rem; border-top: 1px solid var(--line); font-size: .9375rem; }
dl div { display: grid; grid-template-columns: 5.625rem minmax(0, 1fr); gap: .625rem; padding: .8125rem 0; border-bottom: 1px solid var(--line); }
dl div:last-child { border-bottom: 0; padding-bottom: 0; }
dt { color: var(--soft); }
dd { white-space: pre-line; font-variant-numeric: tabular-nums; }
dd.strong { font-weight: 650; }
.language { margin-top: 1.5rem; font-size: .875rem; text-align: center; }
.language a { color: var(--soft); padding: .375rem .75rem; text-underline-offset: .2em; }
@media (min-width: 34rem) and (min-height: 30rem) {
  body { background: var(--page); padding: 2rem 1rem; }
  .ribbon { margin: -2rem -1rem 2rem; }
  main {
    margin: auto; padding: 3rem; background: var(--card);
    border: 1px solid var(--line); border-radius: 1.5rem; box-shadow: var(--shadow);
  }
}
@media (min-width: 48rem) and (pointer: fine) {
  .qr { display: block; margin-top: 2rem; text-align: center; }
}
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --line: #bbb; --text: #000; --soft: #333; }
  .ribbon { color: #000; background: none; border-bottom: 1px solid #000; }
  body { min-height: 0; padding: 0; background: none; }
  main { max-width: none; margin: 0; padding: 0; border: 0; box-shadow: none; }
  .screen, .language, .qr { display: none; }
}
@media (max-width: 22rem) {
  main { padding: 2rem 1.125rem; }
  dl div { grid-template-columns: minmax(0, 1fr); gap: .125rem; }
}
`;

export const PAY_STYLE_HASH = `sha256-${createHash('sha256').update(PAY_STYLE).digest('base64')}`;
