// A header that has one value comes once. Node takes the first line of some and joins those of
// others, so a proxy in front may have checked another value than the one that is read here. Where
// the joined form is refused anyway (X-Forwarded-Proto, Content-Encoding, signatures), nothing is
// needed.

import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error';

const SINGLE = ['host', 'content-type', 'sec-fetch-site'] as const;

/** @throws HttpError malformed_request */
export function checkSingleHeaders({ headersDistinct: lines, httpVersion }: IncomingMessage): void {
  const repeated = SINGLE.find((name) => (lines[name]?.length ?? 0) > 1);
  if (repeated !== undefined) throw malformed(`The header ${repeated} was sent twice.`);
  // Left to Node, the response would have no body (RFC 9112, section 3.2).
  if (lines['host'] === undefined && httpVersion === '1.1') {
    throw malformed('The header host is missing.');
  }
}

function malformed(message: string): HttpError {
  return new HttpError('malformed_request', { message, headers: { Connection: 'close' } });
}
