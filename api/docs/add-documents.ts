// The service's own pages outside of the API: /, /docs, /docs/errors and /openapi.json; and /clients, the packages of
// its clients.

import type Router from '@koa/router';
import type { RouterMiddleware } from '@koa/router';
import { translate, type Translated } from '../../domain/language';
import { pickLanguage } from '../../pages/language';
import { composerRepository, PACKAGES_PATH, readClientPackages } from '../../pages/client-packages';
import { parameterOf } from '../../pages/query';
import { cachingOf } from '../../pages/assets';
import { Refusal } from '../../domain/refusal';
import type { HttpContext, HttpMiddleware, HttpState } from '../../http/context';
import { buildOpenApi } from '../openapi';
import { DOCS_POLICY, REFERENCE_POLICY } from './document';
import { renderErrorDocs } from './errors';
import { compressed, DOCS_FILES, type DocsFile } from './files';
import { renderFrontPage } from './pages';
import { renderReference } from './reference-page';
import { ERROR_DOCS_PATH, REFERENCE_PATH } from '../../domain/docs-paths';

const HTML = 'text/html; charset=utf-8';

export interface DocumentsOptions {
  readonly public_url: string;
  /** Runs before each document: names the route, and counts the request. */
  readonly before: (route: string) => readonly HttpMiddleware[];
}

export function addDocuments(
  router: Router<HttpState>,
  { public_url, before }: DocumentsOptions,
): void {
  const add = (path: string, name: string, send: HttpMiddleware): void => {
    router.get(path, ...([...before(name), send] as RouterMiddleware<HttpState>[]));
  };
  const addText = (path: string, type: string, make: () => string, policy: string): void => {
    const read = compressed(make);
    add(path, path, async (ctx) => {
      ctx.type = type;
      ctx.set('Content-Security-Policy', policy);
      await sendBytes(ctx, read);
    });
  };
  const addPage = (path: string, texts: Translated<string>): void =>
    add(path, path, (ctx) => {
      ctx.type = HTML;
      ctx.vary('Accept-Language');
      ctx.set('Content-Security-Policy', DOCS_POLICY);
      ctx.body = texts[pickLanguage(ctx)];
    });
  const openapi = (): string => JSON.stringify(buildOpenApi(public_url));
  addText('/openapi.json', 'application/json; charset=utf-8', openapi, "default-src 'none'");
  addPage('/', translate([renderFrontPage('en'), renderFrontPage('fr')]));
  addText(REFERENCE_PATH, HTML, () => renderReference(public_url), REFERENCE_POLICY);
  addPage(ERROR_DOCS_PATH, translate([renderErrorDocs('en'), renderErrorDocs('fr')]));
  add('/docs/files/:name', '/docs/files/{name}', sendFile);
  add(`${PACKAGES_PATH}/packages.json`, `${PACKAGES_PATH}/packages.json`, (ctx) => {
    ctx.type = 'application/json';
    ctx.body = composerRepository(public_url);
  });
  add(`${PACKAGES_PATH}/:name`, `${PACKAGES_PATH}/{name}`, sendPackage);
}

function sendPackage(ctx: HttpContext): void {
  const { name } = ctx['params'] as Readonly<Record<string, string>>;
  const found = readClientPackages().find((one) => one.name === name);
  if (!found) throw new Refusal('not_found');
  ctx.type = 'application/octet-stream';
  ctx.set('Content-Disposition', `attachment; filename="${found.name}"`);
  ctx.body = found.bytes;
}

async function sendFile(ctx: HttpContext): Promise<void> {
  const { name } = ctx['params'] as Readonly<Record<string, string>>;
  const file = DOCS_FILES.get(name ?? '');
  if (!file) throw new Refusal('not_found');
  ctx.type = file.type;
  ctx.set('Cache-Control', cachingOf(file, parameterOf(ctx, 'v')));
  await sendBytes(ctx, file.read);
}

async function sendBytes(ctx: HttpContext, read: DocsFile['read']): Promise<void> {
  const { plain, gzipped } = await read();
  const is_gzipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  ctx.vary('Accept-Encoding');
  if (is_gzipped) ctx.set('Content-Encoding', 'gzip');
  ctx.body = is_gzipped ? gzipped : plain;
}
