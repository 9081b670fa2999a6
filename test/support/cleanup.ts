// Closes what a test file opened, last opened first, after its last test and before an `afterAll` of the
// file's own (after-file.js): what still needs the database belongs into an `afterEach`.

const closers: (() => Promise<void> | void)[] = [];

export function closeAfterFile(closer: () => Promise<void> | void): void {
  closers.push(closer);
}

export async function closeAll(): Promise<void> {
  while (closers.length > 0) await closers.pop()!();
}
