// Style sheets, scripts and pictures of pages: files beside the code that serves them, read once at
// the start.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

export interface Asset {
  readonly type: string;
  readonly body: string;
  /** A hash of the content: with it in the URL, a browser may cache the file for ever. */
  readonly version: string;
  /** Allows the content inside of a page, in the page's Content-Security-Policy. */
  readonly source: string;
}

const ASSET_SECONDS = 365 * 24 * 60 * 60;

/** The header Cache-Control. Without its version in the URL, the content may change. */
export function cachingOf({ version }: Pick<Asset, 'version'>, asked_version: unknown): string {
  return asked_version === version ? `public, max-age=${ASSET_SECONDS}, immutable` : 'no-cache';
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export function readAsset(folder: string, name: string): Asset {
  return makeAsset(name, readFileSync(join(folder, name), 'utf8'));
}

const BASE_STYLE = readAsset(__dirname, 'base.css').body;

/** A style sheet, behind the one that those of all our pages begin with. */
export function readStyle(folder: string, name: string): Asset {
  return makeAsset(name, BASE_STYLE + readAsset(folder, name).body);
}

export function makeAsset(name: string, body: string): Asset {
  const hash = createHash('sha256').update(body).digest();
  const version = hash.toString('hex').slice(0, 12);
  return {
    type: TYPES[extname(name)]!,
    body,
    version,
    source: `'sha256-${hash.toString('base64')}'`,
  };
}

/** The icon of every page. */
export const ICON = readAsset(__dirname, 'icon.svg');
