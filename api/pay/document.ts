// The HTML document of each pay page, and the pieces that they share.

import { assetUrl } from './assets';
import type { Language } from '../../domain/language';
import { markup, Markup } from '../../domain/markup';
import { PAY_STYLE } from './style';
import { WORDS } from './words';

/** Before a page leads on by itself: long enough to read where to, and to say no. */
export const LEAVE_SECONDS = 6;

/** Between two reloads of a page that waits, in a browser without scripts. */
export const REFRESH_SECONDS = 5;

export interface PayDocument {
  readonly language: Language;
  /** Where the page is in the other language: a query, or a whole path. */
  readonly other_language: string;
  readonly title: string;
  readonly ribbon?: string | undefined;
  readonly content: Markup;
  /** Undefined when nothing will change any more. */
  readonly follows?: Followed | undefined;
  /** Where the page goes by itself after a moment. */
  readonly leaves_to?: string | undefined;
  readonly preview?: Preview | undefined;
  /** Without one of the above: its times are the reader's, and it can be printed by a button. */
  readonly has_script?: boolean;
}

/** What messengers show of a link that is sent (https://ogp.me). */
export interface Preview {
  readonly title: string;
  readonly description: string | null;
  readonly url: string;
  readonly image: string | undefined;
}

/** What the script polls. */
export interface Followed {
  readonly page: string;
  readonly status_page: string;
  /** The text that `status_page` responded when the page was rendered: if it differs, reload. */
  readonly state: string;
  /** True when something is expected to happen without the customer. */
  readonly waits: boolean;
  /** And the page reloads where there are no scripts: it has nothing to be read or pressed meanwhile. */
  readonly reloads: boolean;
}

export function renderDocument({
  language,
  other_language,
  title,
  ribbon,
  content,
  follows,
  leaves_to,
  preview,
  has_script = false,
}: PayDocument): string {
  const other = language === 'en' ? 'fr' : 'en';
  return markup`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${preview ? previewTags(preview, language) : null}<link rel="icon" href="${assetUrl('icon.svg')}">
<style>${new Markup(PAY_STYLE)}</style>
${headOf({ follows, leaves_to, has_script })}</head>
<body>
${ribbon === undefined ? null : markup`<header class="ribbon">${ribbon}</header>\n`}<main${follows ? followingData(follows) : null}${leaves_to === undefined ? null : leavingData(leaves_to)}>
${content}
<p class="language"><a href="${other_language}" lang="${other}" hreflang="${other}">${WORDS[language].other_language}</a></p>
</main>
</body>
</html>
`.text;
}

function previewTags({ title, description, url, image }: Preview, language: Language): Markup {
  const tag = (name: string, content: string | null | undefined): Markup =>
    content === null || content === undefined
      ? markup``
      : markup`<meta property="og:${name}" content="${content}">\n`;
  return markup`${[
    ...[tag('type', 'website'), tag('title', title), tag('description', description)],
    ...[tag('url', url), tag('image', image), tag('locale', language === 'fr' ? 'fr_FR' : 'en_GB')],
  ]}`;
}

function headOf({
  follows,
  leaves_to,
  has_script,
}: Pick<PayDocument, 'follows' | 'leaves_to' | 'has_script'>): Markup | null {
  if (!follows && leaves_to === undefined && !has_script) return null;
  const script = markup`<script src="${assetUrl('pay.js')}" defer></script>\n`;
  if (leaves_to !== undefined) return markup`${script}${refresh(LEAVE_SECONDS, leaves_to)}`;
  return follows?.reloads ? markup`${script}${refresh(REFRESH_SECONDS)}` : script;
}

/** In a browser without scripts. */
function refresh(seconds: number, address?: string): Markup {
  const content = address === undefined ? String(seconds) : `${seconds};url=${address}`;
  return markup`<noscript><meta http-equiv="refresh" content="${content}"></noscript>\n`;
}

function leavingData(address: string): Markup {
  return markup` data-leave="${address}" data-leave-after="${String(LEAVE_SECONDS)}"`;
}

function followingData({ page, status_page, state, waits }: Followed): Markup {
  const waiting = waits ? markup` data-waiting` : null;
  return markup` data-page="${page}" data-status="${status_page}" data-state="${state}"${waiting}`;
}

const ICONS = {
  check: markup`<path d="M5 12.5l4.5 4.5L19 7.5"/>`,
  cross: markup`<path d="M7 7l10 10M17 7L7 17"/>`,
  clock: markup`<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/>`,
  stop: markup`<circle cx="12" cy="12" r="8.5"/><path d="M8.5 12h7"/>`,
  question: markup`<path d="M9 9.2a3 3 0 1 1 4.4 2.7c-.9.5-1.4 1-1.4 2.1M12 17.5v.01"/>`,
  trouble: markup`<path d="M12 5.5v8.5M12 18.5v.01"/>`,
  busy: markup`<circle cx="12" cy="12" r="11"/><path d="M12 1a11 11 0 0 1 11 11"/>`,
} as const;

/** A picture of the state. The heading says the same, so it is hidden from screen readers. */
export function badge(icon: keyof typeof ICONS, tone: 'good' | 'bad' | 'busy' | 'quiet'): Markup {
  return markup`<div class="badge ${tone}" aria-hidden="true"><svg viewBox="0 0 24 24">${ICONS[icon]}</svg></div>`;
}

export interface Row {
  readonly term: string;
  readonly detail: Markup;
  readonly is_strong?: boolean;
}

export function rows(entries: readonly Row[]): Markup {
  const divisions = entries.map(({ term, detail, is_strong }) => {
    const strong = is_strong ? markup` class="strong"` : null;
    return markup`<div><dt>${term}</dt><dd${strong}>${detail}</dd></div>
`;
  });
  return markup`<dl>
${divisions}</dl>`;
}
