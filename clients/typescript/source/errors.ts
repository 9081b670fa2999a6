// Everything that a call may throw.

import type { ErrorCode } from './generated/models.js';

/** The parent of all of them. */
export class PaymentsError extends Error {
  override readonly name: string = 'PaymentsError';
  /** The same call, with the same Idempotency-Key, may succeed later. */
  readonly retryable: boolean = false;
}

export interface ApiErrorFields {
  /** What to decide by: any code of `/docs/errors`, or `unexpected_response` for what has not the service's form. */
  readonly code: ErrorCode | 'unexpected_response' | (string & {});
  readonly status: number;
  readonly message: string;
  /** The field at fault. */
  readonly param?: string | undefined;
  /** Names the request in the service's logs. */
  readonly requestId?: string | undefined;
  readonly retryable: boolean;
  /** Seconds, when the service has said how long to wait. */
  readonly retryAfter?: number | undefined;
  /** Every fault, when several fields are at fault; figures, where a limit was reached. */
  readonly details?: unknown;
  readonly docUrl?: string | undefined;
}

/** The service has answered, and refused. */
export class ApiError extends PaymentsError implements ApiErrorFields {
  override readonly name = 'ApiError';
  override readonly retryable: boolean;
  readonly code: ApiErrorFields['code'];
  readonly status: number;
  readonly param: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly details: unknown;
  readonly docUrl: string | undefined;

  constructor(fields: ApiErrorFields) {
    const { code, status, message, param, requestId, retryable, retryAfter, details, docUrl } =
      fields;
    const request = requestId === undefined ? '' : `, request ${requestId}`;
    super(`${message} (${status} ${code}${param === undefined ? '' : `, ${param}`}${request})`);
    this.code = code;
    this.status = status;
    this.param = param;
    this.requestId = requestId;
    this.retryable = retryable;
    this.retryAfter = retryAfter;
    this.details = details;
    this.docUrl = docUrl;
  }
}

/**
 * The service could not be reached, or its response was lost. Of a call with an Idempotency-Key it says that
 * nothing has happened: the service was asked, or nothing was sent.
 */
export class ConnectionError extends PaymentsError {
  override readonly name = 'ConnectionError';
  override readonly retryable = true;
  /** Whether it is certain that the service has not seen the request. */
  readonly isUnsent: boolean;

  constructor(
    message: string,
    { cause, isUnsent = false }: { cause?: unknown; isUnsent?: boolean } = {},
  ) {
    super(message, { cause });
    this.isUnsent = isUnsent;
  }
}

/**
 * Whether the call was carried out could not be found out. Keep the key: the same call with it is never carried
 * out twice, and `client.idempotencyKeys.retrieve(key, { operation })` says what became of it.
 */
export class OutcomeUnknown extends PaymentsError {
  override readonly name = 'OutcomeUnknown';
  override readonly retryable = true;
  readonly key: string;
  readonly operation: string;

  constructor(key: string, operation: string, cause: unknown) {
    super(
      `Whether this ${operation} was carried out is not known. Repeat it with the same key: ${key}`,
      { cause },
    );
    this.key = key;
    this.operation = operation;
  }
}

export type SignatureFault =
  'no_signature' | 'wrong_signature' | 'timestamp_out_of_tolerance' | 'not_an_event';

/** A webhook that is not the service's, or not of now: answer 400 and do nothing. */
export class SignatureError extends PaymentsError {
  override readonly name = 'SignatureError';
  readonly code: SignatureFault;

  constructor(code: SignatureFault, message: string) {
    super(message);
    this.code = code;
  }
}

/** A mistake in the call: nothing was sent. */
export class InvalidArgument extends PaymentsError {
  override readonly name = 'InvalidArgument';
  readonly param: string;

  constructor(param: string, message: string) {
    super(message);
    this.param = param;
  }
}
