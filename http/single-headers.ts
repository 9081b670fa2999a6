// A header that has one value comes once. Node takes the first line of some and joins those of
// others, so a proxy in front may have checked another value than the one that is read here. Where
// the joined form is refused anyway (Content-Encoding, signatures), nothing is needed; what proxies add to
// (X-Forwarded-For, X-Forwarded-Proto) is a list in any case.

import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error';

const SINGLE = ['host', 'content-type', 'sec-fetch-site'] as const;
/** A name or an address, and a port: user information, paths and lists are no part of it (RFC 9112, section 3.2). */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** @throws HttpError malformed_request */
export function checkSingleHeaders({ headersDistinct: lines, httpVersion }: IncomingMessage): void {
  const repeated = SINGLE.find((name) => (lines[name]?.length ?? 0) > 1);
  if (repeated !== undefined) throw malformed(`The header ${repeated} was sent twice.`);
  // Left to Node, the response would have no body (RFC 9112, section 3.2).
  if (lines['host'] === undefined && httpVersion === '1.1') {
    throw malformed('The header host is missing.');
  }
  if (!HOST.test(lines['host']?.[0] ?? 'none')) throw malformed('The header host is no host.');
}

function malformed(message: string): HttpError {
  return new HttpError('malformed_request', { message, headers: { Connection: 'close' } });
}
