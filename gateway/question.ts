// A question over HTTP to a third party that an operator has named, with one deadline for all of it. An answer is JSON
// with status 200; anything else is silence, and its word says why.

import { Agent, request } from 'undici';
import { readBounded } from '../domain/bounded-body';

export interface Question {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly deadline_ms: number;
}

export type Silence = 'late' | 'unreachable' | 'not_200' | 'too_large' | 'not_json';
export type Answer = { readonly json: unknown } | { readonly silence: Silence };

const MAX_ANSWER_BYTES = 64 * 1024;

// Each question has a connection to itself: one that hangs holds up no other.
const dispatcher = new Agent({ connect: { rejectUnauthorized: true } });

/** Never rejects, and takes no longer than its deadline. */
export async function ask(question: Question): Promise<Answer> {
  const abortion = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((resolve) => {
    // After a pause of the whole process timers are due and answers unread: those are read first.
    timer = setTimeout(() => setImmediate(resolve, { silence: 'late' }), question.deadline_ms);
  });
  try {
    return await Promise.race([late, exchange(question, abortion.signal)]);
  } finally {
    clearTimeout(timer);
    // A file that is still under way, or was not read to its end, is over.
    abortion.abort();
  }
}

async function exchange(
  { method, url, headers: given, body }: Question,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const headers = { 'user-agent': 'payment-api-risk/1', ...given };
    // It follows no redirect.
    const response = await request(url, { method, headers, body, signal, dispatcher });
    if (response.statusCode !== 200) return { silence: 'not_200' };
    const chunks = await readBounded(response.body as AsyncIterable<Buffer>, MAX_ANSWER_BYTES);
    return chunks === undefined ? { silence: 'too_large' } : read(Buffer.concat(chunks));
  } catch {
    // Refused, reset, cut off, or no HTTP at all.
    return { silence: 'unreachable' };
  }
}

function read(raw: Buffer): Answer {
  try {
    return { json: JSON.parse(raw.toString()) as unknown };
  } catch {
    return { silence: 'not_json' };
  }
}
