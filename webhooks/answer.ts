// What is kept of a receiver's answer. It is written by somebody we know nothing of, stored, and shown
// to the merchant.

import { MAX_RETRY_AFTER_SECONDS } from '../domain/webhook';

/** Enough for a message; a receiver's pages are not ours to keep. Also what a database row takes. */
export const MAX_ANSWER_BYTES = 16 * 1_024;

// RFC 9110, 10.2.3: seconds, or a date in the one form that may still be written. `Date.parse` alone
// finds a date in almost any text.
const SECONDS = /^\d{1,12}$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

export interface AnswerText {
  readonly response_body: string;
  readonly response_truncated: boolean;
}

/**
 * At most 16 KiB as UTF-8. What is no UTF-8 becomes U+FFFD, and so does NUL, which Postgres cannot
 * store. A character that the limit cuts apart is left out.
 */
export function answerText(chunks: readonly Buffer[], is_cut: boolean): AnswerText {
  if (chunks.length === 0) return { response_body: '', response_truncated: is_cut };
  const text = decode(Buffer.concat(chunks, undefined), is_cut);
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_ANSWER_BYTES) return { response_body: text, response_truncated: is_cut };
  // A replacement takes three bytes.
  return { response_body: decode(bytes, true), response_truncated: true };
}

/** From now, in 0 to 86,400; null when there is none, several, or none that can be read. */
export function retryAfterSeconds(header: unknown): number | null {
  if (typeof header !== 'string') return null;
  let seconds = NaN;
  if (SECONDS.test(header)) seconds = Number(header);
  else if (HTTP_DATE.test(header)) seconds = Math.ceil((Date.parse(header) - Date.now()) / 1_000);
  if (Number.isNaN(seconds)) return null;
  return Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}

function decode(bytes: Buffer, is_cut: boolean): string {
  // As a stream, it keeps the last character for itself when that is not whole.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const text = decoder.decode(bytes.subarray(0, MAX_ANSWER_BYTES), { stream: is_cut });
  return text.replaceAll('\0', '\ufffd');
}
