import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAfterFile } from '../../support/cleanup';
import { pickTestPort } from '../../support/ports';

/** An empty private folder (mode 0700), removed after the test file. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payment-api-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Stops everything that a test has started, in reverse order, even if the test fails. */
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

/** A port on which another program listens until the file is over. */
export async function takePort(): Promise<number> {
  const server = createServer((socket) => socket.destroy()).listen(
    await pickTestPort(),
    '127.0.0.1',
  );
  await once(server, 'listening');
  closeAfterFile(() => void server.close());
  return (server.address() as AddressInfo).port;
}
