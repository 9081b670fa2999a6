// The constraint errors that callers expect (https://www.postgresql.org/docs/18/errcodes-appendix.html).

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505';
}

export function isCheckViolation(error: unknown): boolean {
  return codeOf(error) === '23514';
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}
