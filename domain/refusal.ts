// The one way to refuse what was asked for: a code of the error table, and details about this case. The
// API answers with it, the dashboard explains it on a page, the command line prints it.

import { type ErrorDetails } from './error-body';
import { ERRORS, type ErrorCode } from './errors';

export interface RefusalOptions extends ErrorDetails {
  /** After so long the same request may be carried out. */
  readonly retry_after_seconds?: number;
}

export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly about: ErrorDetails;
  readonly retry_after_seconds: number | undefined;

  constructor(code: ErrorCode, { retry_after_seconds, ...about }: RefusalOptions = {}) {
    super(about.message ?? ERRORS[code].message);
    this.name = 'Refusal';
    this.code = code;
    this.about = about;
    this.retry_after_seconds = retry_after_seconds;
  }

  /** The fields at fault, where there are several. */
  get fields(): readonly string[] {
    const { details = [] } = this.about;
    return Array.isArray(details) ? details.map((one) => (one as { param: string }).param) : [];
  }
}

/** `invalid_request` for one field, query parameter or header. */
export function invalidRequest(param: string, message: string): Refusal {
  return new Refusal('invalid_request', { param, message });
}
