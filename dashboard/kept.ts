// Fields that go on in a page's URL: from a form to the page that checks it, and over signing in again. They are sealed
// for the browser that sent them: no log shows them, and no other site writes them.

import type { HttpContext } from '../http/context';
import type { Sealer } from '../secrets/seal';
import { visitorOf } from './form-check';
import { DRAFT_FIELD, PAGE_FIELD, PROOF_FIELD, SHOWN_FIELD, TOKEN_FIELD } from './forms';
import { pathWith } from './paths';

export interface Kept {
  readonly fields: readonly (readonly [string, string])[];
  /** The form came too late for its session; this is the account and environment that its page showed. */
  readonly late?: string;
}

export const KEPT_PARAM = 'kept';

/** Twice encoded, in the URL of the sign-in page, it still fits into the 8 KiB that proxies read. */
const MOST_BYTES = 3_000;

/** The draft is in the URL by itself, and the others belong to a session. */
const NEVER = new Set([TOKEN_FIELD, SHOWN_FIELD, PAGE_FIELD, DRAFT_FIELD, PROOF_FIELD]);
const SECRET = /password|^code$/;

/** The page at `path`, with these fields: those that are too long for a URL are left out. */
export function keepFields(
  { sealer }: { readonly sealer: Sealer },
  ctx: HttpContext,
  path: string,
  { fields, late }: Kept,
): string {
  let left = MOST_BYTES;
  const kept = fields.filter(([name, value]) => {
    const bytes = Buffer.byteLength(JSON.stringify([name, value]));
    if (NEVER.has(name) || SECRET.test(name) || bytes > left) return false;
    left -= bytes;
    return true;
  });
  const text = JSON.stringify(late === undefined ? { fields: kept } : { fields: kept, late });
  const sealed = sealer.seal(text, contextOf(ctx)).toString('base64url');
  return pathWith(path, { [KEPT_PARAM]: sealed });
}

/** Undefined: the URL has none, or another browser's. */
export function readKept(
  { sealer }: { readonly sealer: Sealer },
  ctx: HttpContext,
): Kept | undefined {
  const sealed = new URLSearchParams(ctx.querystring).get(KEPT_PARAM);
  if (sealed === null) return undefined;
  try {
    return JSON.parse(sealer.open(Buffer.from(sealed, 'base64url'), contextOf(ctx))) as Kept;
  } catch {
    // It was changed, or its browser has another cookie by now: the page is shown without them.
    return undefined;
  }
}

function contextOf(ctx: HttpContext): string {
  return `kept/${visitorOf(ctx)}`;
}
