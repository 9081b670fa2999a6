// What the pages about the API share.

import { markup, Markup } from '../../domain/markup';
import { docsFileUrl } from './files';
import { DOCS_STYLE } from './style';

export function documentOf(title: string, body: Markup, head: Markup | null = null): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${docsFileUrl('icon.svg')}">
<style>${new Markup(DOCS_STYLE)}</style>
${head}</head>
<body>
${body}
</body>
</html>
`.text;
}
