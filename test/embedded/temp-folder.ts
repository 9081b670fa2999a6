import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is empty, ours alone (mode 0700), and gone after the file's tests. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payment-api-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Ends everything a test has started, in reverse order, also when the test fails. */
export function stopAfterEach(): <T extends { stop(): Promise<void> }>(started: T) => T {
  const running: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const started of running.splice(0).reverse()) await started.stop();
  });
  return (started) => {
    running.push(started);
    return started;
  };
}
