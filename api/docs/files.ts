// The static files of /docs. The viewer's come from its npm package: nothing else of it is served.

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ICON, makeAsset, readAsset, type Asset } from '../../pages/assets';
import { SAMPLES } from './samples';

export interface DocsFile {
  readonly type: string;
  /** It is in the URL, so that a browser may keep the file. */
  readonly version: string;
  readonly read: () => Promise<FileBytes>;
}

export interface FileBytes {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

const VIEWER = 'swagger-ui-dist';

const FILES = {
  'swagger-ui-bundle.js': viewerFile('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
  'swagger-ui.css': viewerFile('swagger-ui.css', 'text/css; charset=utf-8'),
  'reference.js': ownFile(readAsset(__dirname, 'reference.js')),
  'reference.css': ownFile(readAsset(__dirname, 'reference.css')),
  'samples.json': ownFile(makeAsset('samples.json', JSON.stringify(SAMPLES))),
  'icon.svg': ownFile(ICON),
} as const;

export const DOCS_FILES: ReadonlyMap<string, DocsFile> = new Map(Object.entries(FILES));

export function docsFileUrl(name: keyof typeof FILES): string {
  return `/docs/files/${name}?v=${FILES[name].version}`;
}

function viewerFile(name: string, type: string): DocsFile {
  const description = readFileSync(require.resolve(`${VIEWER}/package.json`), 'utf8');
  const { version } = JSON.parse(description) as { version: string };
  return { type, version, read: once(() => readFile(require.resolve(`${VIEWER}/${name}`))) };
}

function ownFile({ type, version, body }: Asset): DocsFile {
  return { type, version, read: once(() => Promise.resolve(Buffer.from(body))) };
}

const compress = promisify(gzip);

// The first request pays for reading and compressing, off this thread; the rest share what it made.
function once(load: () => Promise<Buffer>): () => Promise<FileBytes> {
  let loaded: Promise<FileBytes> | undefined;
  const make = async (): Promise<FileBytes> => {
    const plain = await load();
    return { plain, gzipped: await compress(plain) };
  };
  return () => {
    loaded ??= make().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
