// Errors of the command line, as sentences that an operator can act on.

/** A refusal in words for the operator; the exit status is 1. */
export class CommandError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'CommandError';
    this.code = code;
  }
}

/** Says why `fetch` failed: its message says only "fetch failed", its cause has the reason. */
export function fetchFailure(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message || cause.name : message;
}
