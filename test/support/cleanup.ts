// Closes what a test file opened, last opened first, after its last test and before an `afterAll` of the
// file's own (after-file.js): what still needs the database belongs into an `afterEach`.

const closers: (() => Promise<void> | void)[] = [];

export function closeAfterFile(closer: () => Promise<void> | void): void {
  closers.push(closer);
}

/** @throws the first error, when everything was closed */
export async function closeAll(): Promise<void> {
  const errors: unknown[] = [];
  while (closers.length > 0) {
    try {
      await closers.pop()!();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
