// Errors that tell the person at the terminal what to do.

/** An error that the person at the terminal can act on: its message is shown without a stack. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError';
}

/** An error that goes away by itself once there is room again. */
export class DiskFullError extends EmbeddedError {}

/** The code of a Node system error ('ENOENT', 'EEXIST', …). */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Turns the operating system's error about a path into a sentence; returns other errors unchanged. */
export function explainPathError(error: unknown, path: string): unknown {
  switch (systemErrorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new DiskFullError(`The disk is full: cannot write ${path}.`);
    case 'EACCES':
    case 'EPERM':
      return new EmbeddedError(`No permission to use ${path}.`);
    case 'EROFS':
      return new EmbeddedError(`The file system of ${path} is read-only.`);
    case 'ENOTDIR':
      return new EmbeddedError(`${path} cannot be created: a part of its path is a file.`);
    default:
      return error;
  }
}
