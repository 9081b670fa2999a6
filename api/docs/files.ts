// The static files of /docs, and the compression of what is large there.

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ICON, readAsset, type Asset } from '../../pages/assets';

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

const FILES = {
  'reference.js': ownFile(readAsset(__dirname, 'reference.js')),
  'reference.css': ownFile(readAsset(__dirname, 'reference.css')),
  'icon.svg': ownFile(ICON),
} as const;

export const DOCS_FILES: ReadonlyMap<string, DocsFile> = new Map(Object.entries(FILES));

export function docsFileUrl(name: keyof typeof FILES): string {
  return `/docs/files/${name}?v=${FILES[name].version}`;
}

function ownFile({ type, version, body }: Asset): DocsFile {
  return { type, version, read: compressed(() => body) };
}

const compress = promisify(gzip);

/** The first request pays for making it (a tenth of a second at most), and for compressing it off this thread. */
export function compressed(make: () => string): DocsFile['read'] {
  let made: Promise<FileBytes> | undefined;
  const load = async (): Promise<FileBytes> => {
    const plain = Buffer.from(make());
    return { plain, gzipped: await compress(plain) };
  };
  return () => (made ??= load());
}
