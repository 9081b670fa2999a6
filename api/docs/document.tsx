// The frame of the pages about the API, and the policy that each is sent with.

import type { ComponentChildren } from 'preact';
import type { Language } from '../../domain/language';
import { readStyle } from '../../pages/assets';
import { Document, Inline, renderPage } from '../../pages/document';
import { docsFileUrl } from './files';

const STYLE = readStyle(__dirname, 'docs.css');

export function documentOf(
  language: Language,
  title: string,
  body: ComponentChildren,
  more_head?: ComponentChildren,
): string {
  const head = (
    <>
      <link rel="icon" href={docsFileUrl('icon.svg')} />
      <Inline asset={STYLE} />
      {more_head}
    </>
  );
  return renderPage(
    <Document language={language} title={title} head={head}>
      {body}
    </Document>,
  );
}

const policy = (...more: readonly string[]): string =>
  [
    "default-src 'none'",
    ...more,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** One style and nothing else. */
export const DOCS_POLICY = policy(`style-src ${STYLE.source}`, "img-src 'self'");

/** The reference has a style and a script of its own, which sends the calls that are tried. */
export const REFERENCE_POLICY = policy(
  `style-src 'self' ${STYLE.source}`,
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
);
