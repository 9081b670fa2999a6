// The response to bytes that are no HTTP request, or not one within the limits: no middleware sees
// them.

import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { renderError } from '../domain/error-body';
import { ERRORS, type ErrorCode } from '../domain/errors';
import { errorDocsUrl } from '../domain/docs-paths';

const CODES: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** A whole response, after which the connection is closed. `fault` is the code of Node's error. */
export function renderBrokenRequest(fault: string | undefined, public_url: string): string {
  const code = CODES[fault ?? ''] ?? 'malformed_request';
  const request_id = randomUUID();
  const body = renderError(code, { request_id, error_docs_url: errorDocsUrl(public_url) });
  const { status } = ERRORS[code];
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${request_id}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
