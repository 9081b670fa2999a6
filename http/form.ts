// Reads the fields of a submitted form.

import { Refusal } from '../domain/refusal';
import type { HttpContext } from './context';
import { readBody } from './read-body';

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** A stranger's form: a password of 1,000 letters of any script, three times. */
const MAX_STRANGERS_BYTES = 16 * 1024;

/** @throws Refusal payload_too_large, unsupported_media_type */
export async function readForm(ctx: HttpContext): Promise<URLSearchParams> {
  if (!ctx.is(FORM_TYPE)) throw new Refusal('unsupported_media_type');
  const max_bytes = ctx.state.is_signed_in === true ? undefined : MAX_STRANGERS_BYTES;
  const body = await readBody(ctx.req, max_bytes);
  return readFields(body.toString('utf8'));
}

export function readFields(text: string): URLSearchParams {
  const fields = [...new URLSearchParams(text)];
  return new URLSearchParams(fields.map(([name, value]) => [withoutNul(name), withoutNul(value)]));
}

/** Postgres stores no NUL. Decoding comes first: otherwise it could put one together again. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}
