// The body of an error response: one shape for every failure of the API.

import { ERRORS, isRetryable, type ErrorCode } from './errors';
import { renderJson, type JsonValue } from './json';

export interface ErrorDetails {
  readonly message?: string;
  /** The field, query parameter or header at fault, as the caller wrote it. */
  readonly param?: string;
  /** A list where several fields are at fault, an object where one has figures. */
  readonly details?: readonly JsonValue[] | Readonly<Record<string, JsonValue>>;
}

/** The parts of its request and its server that a body repeats, besides the code. */
export interface ResponseContext {
  readonly request_id: string;
  /** The errors page; a code is its fragment. */
  readonly error_docs_url: string;
}

export function renderError(
  code: ErrorCode,
  context: ResponseContext,
  about: ErrorDetails = {},
): string {
  return renderJson({
    ok: false,
    error: {
      code,
      message: about.message ?? ERRORS[code].message,
      param: about.param,
      details: about.details,
      doc_url: `${context.error_docs_url}#${code}`,
      request_id: context.request_id,
      retryable: isRetryable(code),
    },
  });
}

/**
 * A refusal that a posting may store for a request's key. The database adds the id of the request:
 * refusal_json makes the body that renderError makes.
 */
export interface StoredRefusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly param: string;
  readonly doc_url: string;
  readonly retryable: boolean;
}

export function storedRefusal(
  code: ErrorCode,
  error_docs_url: string,
  { param, message }: { readonly param: string; readonly message?: string },
): StoredRefusal {
  return {
    status: ERRORS[code].status,
    code,
    message: message ?? ERRORS[code].message,
    param,
    doc_url: `${error_docs_url}#${code}`,
    retryable: isRetryable(code),
  };
}
