// The HTML document of each pay page, and the pieces that they share.

import type { ComponentChildren, JSX } from 'preact';
import type { Language } from '../../domain/language';
import { Document, Inline, renderPage } from '../../pages/document';
import { assetUrl, PAY_STYLE } from './assets';
import { WORDS } from './words';

/** A page leads on by itself after this time: enough to read where to, and to say no. */
export const LEAVE_SECONDS = 6;

/** A page that waits is reloaded after this time in a browser without scripts. */
export const REFRESH_SECONDS = 5;

export interface PayDocument {
  readonly language: Language;
  /** Where the page is in the other language: a query, or a whole path. */
  readonly other_language: string;
  readonly title: string;
  readonly ribbon?: string | undefined;
  readonly content: JSX.Element;
  /** Undefined when nothing will change any more. */
  readonly follows?: Followed | undefined;
  /** Where the page goes by itself after a moment. */
  readonly leaves_to?: string | undefined;
  readonly preview?: Preview | undefined;
  /** True when a page without the above shows the reader's times, and is printed by a button. */
  readonly has_script?: boolean;
}

/** Messengers show this of a link that is sent (https://ogp.me). */
export interface Preview {
  readonly title: string;
  readonly description: string | null;
  readonly url: string;
  readonly image: string | undefined;
}

/** The script polls this. */
export interface Followed {
  readonly page: string;
  readonly status_page: string;
  /** The text that `status_page` responded when the page was rendered: if it differs, reload. */
  readonly state: string;
  /** True when the page reloads without a script: nothing is read or pressed meanwhile. */
  readonly reloads: boolean;
}

export function renderDocument(document: PayDocument): string {
  const { language, other_language, title, ribbon, content, follows, leaves_to } = document;
  const other = language === 'en' ? 'fr' : 'en';
  return renderPage(
    <Document language={language} title={title} head={<Head {...document} />}>
      {ribbon !== undefined && <header class="ribbon">{ribbon}</header>}
      <main
        data-page={follows?.page}
        data-status={follows?.status_page}
        data-state={follows?.state}
        data-leave={leaves_to}
        data-leave-after={leaves_to === undefined ? undefined : LEAVE_SECONDS}
      >
        {content}
        <p class="language">
          <a href={other_language} lang={other} hreflang={other}>
            {WORDS[language].other_language}
          </a>
        </p>
      </main>
    </Document>,
  );
}

function Head(document: PayDocument) {
  const { language, follows, leaves_to, preview, has_script = false } = document;
  return (
    <>
      {preview && <PreviewTags {...preview} language={language} />}
      <link rel="icon" href={assetUrl('icon.svg')} />
      <Inline asset={PAY_STYLE} />
      {(follows || leaves_to !== undefined || has_script) && (
        <script src={assetUrl('pay.js')} defer />
      )}
      {leaves_to !== undefined && <Refresh content={`${LEAVE_SECONDS};url=${leaves_to}`} />}
      {leaves_to === undefined && follows?.reloads && <Refresh content={String(REFRESH_SECONDS)} />}
    </>
  );
}

function PreviewTags({
  title,
  description,
  url,
  image,
  language,
}: Preview & { readonly language: Language }) {
  const locale = language === 'fr' ? 'fr_FR' : 'en_GB';
  const tags = { type: 'website', title, description, url, image, locale };
  return (
    <>
      {Object.entries(tags).map(
        ([name, content]) =>
          typeof content === 'string' && <meta property={`og:${name}`} content={content} />,
      )}
    </>
  );
}

/** Loads a page again, or another one, in a browser without scripts. */
function Refresh({ content }: { readonly content: string }) {
  return (
    <noscript>
      <meta http-equiv="refresh" content={content} />
    </noscript>
  );
}

const ICONS = {
  check: <path d="M5 12.5l4.5 4.5L19 7.5" />,
  cross: <path d="M7 7l10 10M17 7L7 17" />,
  clock: (
    <>
      <circle cx="12" cy="12" r="8.5" />
      <path d="M12 7.5V12l3 2" />
    </>
  ),
  stop: (
    <>
      <circle cx="12" cy="12" r="8.5" />
      <path d="M8.5 12h7" />
    </>
  ),
  question: <path d="M9 9.2a3 3 0 1 1 4.4 2.7c-.9.5-1.4 1-1.4 2.1M12 17.5v.01" />,
  trouble: <path d="M12 5.5v8.5M12 18.5v.01" />,
  busy: (
    <>
      <circle cx="12" cy="12" r="11" />
      <path d="M12 1a11 11 0 0 1 11 11" />
    </>
  ),
} as const;

/** A picture of the state. The heading says the same, so it is hidden from screen readers. */
export function Badge({
  icon,
  tone,
}: {
  readonly icon: keyof typeof ICONS;
  readonly tone: 'good' | 'bad' | 'busy' | 'quiet';
}) {
  return (
    <div class={`badge ${tone}`} aria-hidden="true">
      <svg viewBox="0 0 24 24">{ICONS[icon]}</svg>
    </div>
  );
}

export interface Row {
  readonly term: string;
  readonly detail: ComponentChildren;
  readonly is_strong?: boolean;
}

export function Rows({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <dl>
      {rows.map(({ term, detail, is_strong }) => (
        <div>
          <dt>{term}</dt>
          <dd class={is_strong ? 'strong' : undefined}>{detail}</dd>
        </div>
      ))}
    </dl>
  );
}

export interface TextFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly fault: string | undefined;
  readonly hint?: string;
  readonly inputmode?: 'decimal' | 'numeric' | 'tel';
  readonly maxLength?: number;
  readonly type?: 'tel';
  readonly autocomplete?: 'off' | 'tel' | 'one-time-code';
  readonly autofocus?: boolean;
}

/** Its fault, or a hint, stands below it. */
export function TextField({
  name,
  label,
  value,
  fault,
  hint = '',
  autocomplete = 'off',
  ...rest
}: TextFieldProps) {
  const note = fault ?? hint;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        value={value}
        autocomplete={autocomplete}
        dir="auto"
        aria-invalid={fault !== undefined}
        aria-describedby={note === '' ? undefined : `${name}-note`}
        {...rest}
      />
      {note !== '' && (
        <p id={`${name}-note`} class={fault === undefined ? 'note' : 'note fault'}>
          {note}
        </p>
      )}
    </div>
  );
}
