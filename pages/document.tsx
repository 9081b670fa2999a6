// The HTML document of every page. Preact renders it, and escapes each text and attribute.

import type { ComponentChildren, VNode } from 'preact';
import { render } from 'preact-render-to-string';
import type { Language } from '../domain/language';
import type { Asset } from './assets';

export function renderPage(document: VNode): string {
  return `<!doctype html>${render(document)}`;
}

export function Document({
  language,
  title,
  head,
  children,
  ...body
}: {
  readonly language: Language;
  readonly title: string;
  readonly head: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        {head}
      </head>
      <body {...body}>{children}</body>
    </html>
  );
}

/** A style sheet or a script of ours inside of the page: the one place where nothing is escaped. */
export function Inline({ asset }: { readonly asset: Asset }) {
  const Element = asset.type.startsWith('text/css') ? 'style' : 'script';
  return <Element dangerouslySetInnerHTML={{ __html: asset.body }} />;
}
