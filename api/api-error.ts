// The one way to fail a request: a code of the error table, and details about this failure.

import { ERRORS, type ErrorCode, type ErrorDetails } from '../domain/errors';

export interface ApiErrorOptions extends ErrorDetails {
  readonly headers?: Readonly<Record<string, string>>;
}

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly about: ErrorDetails;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, { headers = {}, ...about }: ApiErrorOptions = {}) {
    super(about.message ?? ERRORS[code].message);
    this.name = 'ApiError';
    this.code = code;
    this.about = about;
    this.headers = headers;
  }
}

/** 422 for one field, query parameter or header. */
export function invalidRequest(param: string, message: string): ApiError {
  return new ApiError('invalid_request', { param, message });
}
