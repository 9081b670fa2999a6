// Closes what a test file opened, last opened first, after its last test. Runs in every file, before
// an `afterAll` of the file's own: what still needs the database belongs into an `afterEach`.

const closers: (() => Promise<void> | void)[] = [];

export function closeAfterFile(closer: () => Promise<void> | void): void {
  closers.push(closer);
}

afterAll(async () => {
  while (closers.length > 0) await closers.pop()!();
});
