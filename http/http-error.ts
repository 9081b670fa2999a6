// Refusals as HTTP has them: headers beside the code.

import type { ErrorCode } from '../domain/errors';
import { Refusal, type RefusalOptions } from '../domain/refusal';

export interface HttpErrorOptions extends RefusalOptions {
  readonly headers?: Readonly<Record<string, string>>;
}

export class HttpError extends Refusal {
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, { headers = {}, ...about }: HttpErrorOptions = {}) {
    super(code, about);
    this.headers = headers;
  }
}

/** The response has these beside its body. */
export function headersOf(refusal: Refusal): Readonly<Record<string, string>> {
  const { retry_after_seconds } = refusal;
  return {
    ...(retry_after_seconds === undefined ? {} : { 'Retry-After': String(retry_after_seconds) }),
    ...(refusal instanceof HttpError ? refusal.headers : {}),
  };
}
