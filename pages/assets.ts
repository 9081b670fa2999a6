// Static files of pages, kept in the program: nothing to deploy beside it.

import { createHash } from 'node:crypto';

export interface Asset {
  readonly type: string;
  readonly body: string;
  /** A hash of the content: with it in the URL, a browser may cache the file for ever. */
  readonly version: string;
}

const ASSET_SECONDS = 365 * 24 * 60 * 60;

/** The header Cache-Control. Without its version in the URL, the content may change. */
export function cachingOf({ version }: Pick<Asset, 'version'>, asked_version: unknown): string {
  return asked_version === version ? `public, max-age=${ASSET_SECONDS}, immutable` : 'no-cache';
}

export function makeAsset(type: string, body: string): Asset {
  const version = createHash('sha256').update(body).digest('hex').slice(0, 12);
  return { type, body, version };
}

const ICON_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0b6b50"/><path d="M9 16.5l5 5 9.5-11" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>
`;

/** Of every page. */
export const ICON = makeAsset('image/svg+xml', ICON_SVG);
