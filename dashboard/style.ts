// The style sheet of the dashboard. Narrow first: on a phone the navigation scrolls sideways above the
// content, and each row of a table is a block.

import { BASE_STYLE } from '../pages/style';

export const DASHBOARD_STYLE = `${BASE_STYLE}
:root { --live: #8a1f11; --on-live: #fff; --sandbox: #fdf1dc; --on-sandbox: #6b3a05; --radius: .75rem; }
@media (prefers-color-scheme: dark) { :root { --live: #f49a91; --on-live: #2b0b08; --sandbox: #382a12; --on-sandbox: #f0bd6c; } }
body { background: var(--page); }
a { color: var(--accent); text-underline-offset: .2em; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -100rem; padding: .75rem 1rem; background: var(--card); z-index: 1; }
.skip:focus { left: 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .25rem; }
main:focus { outline: none; }
.band { flex: 0 0 calc(100% + 2rem); margin: -.75rem -1rem .25rem; padding: .5rem 1rem; text-align: center; font-size: .875rem; font-weight: 650; background: var(--sandbox); color: var(--on-sandbox); }
.live .band { background: var(--live); color: var(--on-live); }
.band .frozen { font-weight: 500; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; padding: .75rem 1rem; background: var(--card); border-bottom: 1px solid var(--line); }
.brand { font-weight: 700; color: var(--text); text-decoration: none; }
.who { font-size: .875rem; color: var(--soft); }
.who b { color: var(--text); }
.who span { display: none; }
.aside { margin-left: auto; display: flex; align-items: center; gap: 1rem; font-size: .875rem; }
.switch fieldset { display: flex; border: 1px solid var(--edge); border-radius: 2rem; padding: 2px; }
.switch button { border: 0; border-radius: 2rem; padding: .25rem .875rem; font: inherit; font-size: .875rem; font-weight: 600; color: var(--soft); background: none; cursor: pointer; }
.switch button[aria-pressed=true] { background: var(--sandbox); color: var(--on-sandbox); }
.live .switch button[aria-pressed=true] { background: var(--live); color: var(--on-live); }
.frame { width: 100%; max-width: 80rem; margin: 0 auto; }
.frame.narrow { max-width: 32rem; }
nav.pages { display: flex; gap: 1rem; overflow-x: auto; padding: .5rem 1rem; border-bottom: 1px solid var(--line); background: var(--card); }
nav.pages h2 { display: none; }
nav.pages ul { display: flex; gap: 1rem; list-style: none; padding: 0; }
nav.pages a { display: block; white-space: nowrap; padding: .25rem 0; font-size: .9375rem; color: var(--text); text-decoration: none; }
nav.pages a:hover { text-decoration: underline; }
nav.pages a[aria-current] { font-weight: 650; color: var(--accent); }
main { min-width: 0; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; margin-bottom: 1rem; }
h2 { font-size: 1.125rem; margin: 2rem 0 .75rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
:where(main) > :where(* + *) { margin-top: .75rem; }
.lead { color: var(--soft); text-wrap: pretty; }
.card { padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); }
.card + .card { margin-top: 1rem; }
:where(.card) > :where(* + *) { margin-top: .75rem; }
.card > :first-child, .card > input[type=hidden] + .field { margin-top: 0; }
.cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); }
.cards .card + .card { margin-top: 0; }
.money { font-variant-numeric: tabular-nums; white-space: nowrap; }
.cards.wide { grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); }
.big { font-size: 1.625rem; font-weight: 700; letter-spacing: -.02em; }
.field { margin-top: 1rem; }
.field label { display: block; font-weight: 600; }
.field input, .field select, .field textarea { width: 100%; margin-top: .25rem; padding: .625rem .75rem; font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--edge); border-radius: .5rem; }
.field input[aria-invalid] { border-color: var(--bad); }
.field input[type=checkbox], .field input[type=radio] { width: auto; margin: 0 .5rem 0 0; }
form.narrow { max-width: 28rem; }
.field.check label { display: flex; align-items: center; min-height: 1.75rem; font-weight: 500; }
.field.checks { border: 0; padding: 0; }
.field.checks legend { padding: 0; font-weight: 600; }
.field.checks .field { margin-top: .25rem; }
.field.check input { flex: none; width: 1.125rem; height: 1.125rem; accent-color: var(--accent); }
.tabs { display: flex; gap: 1.25rem; border-bottom: 1px solid var(--line); }
.tabs a { padding: .375rem 0; color: var(--soft); text-decoration: none; }
.tabs a:hover { text-decoration: underline; }
.tabs a[aria-current] { color: var(--text); font-weight: 650; border-bottom: 2px solid var(--accent); }
.lines { list-style: none; padding: 0; }
.lines .bad { color: var(--bad); }
.filters .checks { flex-basis: 100%; }
summary { cursor: pointer; padding: .25rem 0; }
details pre { padding: .875rem 1rem; border-radius: var(--radius); background: var(--quiet-tint); white-space: pre-wrap; overflow-wrap: anywhere; max-height: 24rem; overflow-y: auto; }
.card h3 { margin-top: 0; }
.card dl { border: 0; padding: 0; }
.nowrap { white-space: nowrap; }
.hint { font-size: .875rem; color: var(--soft); }
.fault { font-size: .875rem; color: var(--bad); margin-top: .25rem; }
.button { display: inline-block; margin-top: 1rem; padding: .625rem 1.25rem; border: 1px solid transparent; border-radius: .625rem; font: inherit; font-weight: 650; line-height: 1.375; text-decoration: none; color: var(--on-accent); background: var(--accent); cursor: pointer; }
.button:hover { background: var(--accent-strong); }
.button.plain { color: var(--text); background: none; border-color: var(--edge); }
.button.plain:hover { background: var(--quiet-tint); }
.button.danger { color: var(--bad); background: none; border-color: currentColor; }
.button.danger:hover { background: var(--bad-tint); }
.button.small { margin: 0; padding: .25rem .625rem; font-size: .875rem; }
.inline { display: inline; }
.inline .button { white-space: nowrap; margin: 0; padding: .25rem .75rem; font-size: .875rem; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.actions .button { margin: 0; }
.filters { display: grid; gap: .75rem; align-items: end; grid-template-columns: repeat(auto-fill, minmax(min(100%, 10rem), 1fr)); }
.filters .field { margin: 0; }
.filters .field input, .filters .field select { height: 2.875rem; }
.filters .actions { grid-column: 1 / -1; gap: 1rem; }
.filters .button { margin: 0; }
.notice { padding: .875rem 1rem; border-radius: var(--radius); background: var(--quiet-tint); margin-bottom: 1.25rem; }
.notice > * + * { margin-top: .5rem; }
.notice.good { background: var(--accent-tint); }
.notice.warn { background: var(--warn-tint); color: var(--warn); }
.notice.bad { background: var(--bad-tint); color: var(--bad); }
.copyable { display: flex; gap: .5rem; align-items: center; }
.copyable code { flex: 1; min-width: 0; padding: .5rem .75rem; overflow-wrap: anywhere; user-select: all; white-space: pre-line; background: var(--card); color: var(--text); border: 1px solid var(--line); border-radius: .5rem; }
code, pre { font: .875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.mail-text { margin-top: .75rem; padding: 1rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--quiet-tint); border-radius: var(--radius); }
.snippet { position: relative; }
.snippet pre { overflow-x: auto; padding: 1rem; background: var(--quiet-tint); border-radius: var(--radius); }
.snippet .button { margin-top: .5rem; }
.tag { display: inline-block; padding: 0 .5rem; border-radius: 1rem; font-size: .8125rem; font-weight: 600; white-space: nowrap; background: var(--quiet-tint); color: var(--soft); }
.tag.good { background: var(--accent-tint); color: var(--accent); }
.tag.warn { background: var(--warn-tint); color: var(--warn); }
.tag.bad { background: var(--bad-tint); color: var(--bad); }
.empty { padding: 2rem 1rem; text-align: center; color: var(--soft); border: 1px dashed var(--line); border-radius: var(--radius); }
table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); font-size: .9375rem; }
thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
tbody tr { display: block; padding: .75rem 1rem; border-bottom: 1px solid var(--line); }
tbody tr:last-child { border-bottom: 0; }
td { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .125rem 0; }
td::before { content: attr(data-label); flex: 0 0 7rem; color: var(--soft); font-size: .875rem; }
td[data-label=""]::before { display: none; }
dl { background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); padding: .25rem 1rem; }
dl div { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: .75rem; padding: .625rem 0; border-bottom: 1px solid var(--line); }
dl div:last-child { border-bottom: 0; }
dt { color: var(--soft); }
.pager { display: flex; gap: 1.5rem; padding: .75rem 0; }
.qr { display: block; width: 14rem; max-width: 100%; height: auto; border-radius: .5rem; }
.chart { display: block; width: 100%; height: 7rem; fill: var(--accent); }
.axis { display: flex; justify-content: space-between; }
.card > h2:first-child { margin-top: 0; }
.gain { color: var(--accent); }
summary { cursor: pointer; padding: .25rem 0; }
details > table { margin-top: .5rem; }
.attention ul { list-style: none; padding: 0; }
.attention li { padding: .5rem 0; border-top: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; }
.timeline { list-style: none; padding: 0; border-left: 2px solid var(--line); }
.timeline li { padding: .25rem 0 .5rem 1rem; }
.timeline time { display: block; font-size: .875rem; color: var(--soft); }
@media print {
  .skip, .band, header, nav, .screen, .copyable button { display: none !important; }
  body, .card, .copyable code { background: #fff; color: #000; border-color: #fff; }
  .qr { width: 10cm; margin: 1cm auto; }
}
@media (max-width: 47.99rem) { td:empty { display: none; } }
.fields .field { max-width: 28rem; }
@media (min-width: 48rem) {
  .snippet .button { position: absolute; top: .5rem; right: .5rem; margin: 0; background: var(--card); }
  .who span { display: inline; }
  dl div { grid-template-columns: 11rem minmax(0, 1fr); }
  table { display: table; }
  thead { position: static; width: auto; height: auto; clip-path: none; }
  tbody tr { display: table-row; }
  th, td { display: table-cell; text-align: left; padding: .625rem .75rem; border-bottom: 1px solid var(--line); vertical-align: top; }
  th { font-size: .875rem; color: var(--soft); font-weight: 600; white-space: nowrap; }
  td::before { display: none; }
  td time { white-space: nowrap; }
  tbody tr:last-child td { border-bottom: 0; }
}
@media (min-width: 60rem) {
  .frame:not(.narrow) { display: grid; grid-template-columns: 13.5rem minmax(0, 1fr); }
  nav.pages { display: block; overflow: visible; border: 0; background: none; padding: 1.5rem 1rem; }
  nav.pages h2 { display: block; margin: 1.25rem 0 .25rem; font-size: .75rem; font-weight: 650; letter-spacing: .04em; text-transform: uppercase; color: var(--soft); }
  nav.pages ul { display: block; }
  main { padding: 1.5rem 2rem 4rem; }
}
`;
