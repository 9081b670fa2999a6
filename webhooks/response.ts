// The kept part of a receiver's response. It comes from a server that we do not trust, is stored, and is shown to the
// merchant.

import { MAX_RETRY_AFTER_SECONDS } from '../domain/webhook';

/** An error message fits into it; whole pages are not kept. */
export const MAX_RESPONSE_BYTES = 16 * 1_024;

// RFC 9110, 10.2.3: seconds, or a date in the one form that may still be sent. `Date.parse` alone
// finds a date in almost any text.
const SECONDS = /^\d{1,12}$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

export interface ResponseText {
  readonly response_body: string;
  readonly response_truncated: boolean;
}

/**
 * Returns at most 16 KiB of UTF-8. Invalid UTF-8 becomes U+FFFD, and so does NUL, which Postgres
 * cannot store. A character that the limit cuts in two is left out.
 */
export function responseText(chunks: readonly Buffer[], is_cut: boolean): ResponseText {
  if (chunks.length === 0) return { response_body: '', response_truncated: is_cut };
  const text = decode(Buffer.concat(chunks, undefined), is_cut);
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_RESPONSE_BYTES)
    return { response_body: text, response_truncated: is_cut };
  // Replacement characters made it longer: each takes three bytes.
  return { response_body: decode(bytes, true), response_truncated: true };
}

/**
 * Returns seconds from now, 0 to 86,400; null without the header, with several, or with an invalid
 * one.
 */
export function retryAfterSeconds(header: unknown): number | null {
  if (typeof header !== 'string') return null;
  let seconds = NaN;
  if (SECONDS.test(header)) seconds = Number(header);
  else if (HTTP_DATE.test(header)) seconds = Math.ceil((Date.parse(header) - Date.now()) / 1_000);
  if (Number.isNaN(seconds)) return null;
  return Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}

function decode(bytes: Buffer, is_cut: boolean): string {
  // In stream mode, the decoder keeps back a last character that is not complete.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const text = decoder.decode(bytes.subarray(0, MAX_RESPONSE_BYTES), { stream: is_cut });
  return text.replaceAll('\0', '\ufffd');
}
