import { chmodSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { pickTestPort } from '../../support/ports';
import { waitFor } from '../../support/wait';
import { processIdentity } from '../../../dev/embedded/process';
import { startTemporal } from '../../../dev/embedded/temporal';
import type { EmbeddedTemporal, EmbeddedTemporalOptions } from '../../../dev/embedded/temporal';
import { acquireTemporalBinary } from '../../../dev/embedded/temporal-binary';
import { stopAfterEach, takePort, tempFolder } from './temp-folder';

// The first run on a machine may have to build the binary.
jest.setTimeout(900_000);

const root = tempFolder();
const track = stopAfterEach();
let binary: string;

beforeAll(async () => {
  binary = await acquireTemporalBinary({ env: process.env, log: () => {} });
});

async function start(
  folder: string,
  ui_port: number | null = null,
  more: Partial<EmbeddedTemporalOptions> = {},
): Promise<EmbeddedTemporal> {
  return track(
    await startTemporal({
      binary,
      database_file: join(folder, 'temporal.db'),
      port: await pickTestPort(),
      ui_port,
      namespace: 'payments',
      log_file: join(folder, 'temporal.log'),
      ...more,
    }),
  );
}

async function withClient<T>(
  server: EmbeddedTemporal,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ address: server.address });
  try {
    return await use(new Client({ connection, namespace: 'payments' }));
  } finally {
    await connection.close();
  }
}

// No worker runs, so the workflow stays open, waiting for one.
function startWorkflow(server: EmbeddedTemporal, workflowId: string): Promise<unknown> {
  return withClient(server, (client) =>
    client.workflow.start('transfer', { workflowId, taskQueue: 'money' }),
  );
}

function workflowStatus(server: EmbeddedTemporal, workflowId: string): Promise<string> {
  return withClient(
    server,
    async (client) => (await client.workflow.getHandle(workflowId).describe()).status.name,
  );
}

// The user interface connects to its server about a second after that server is ready.
async function showsNamespace({ ui_url }: EmbeddedTemporal): Promise<void> {
  await waitFor(async () => (await fetch(`${ui_url}/api/v1/namespaces/payments`)).status === 200);
}

describe('startTemporal', () => {
  let folder: string;

  beforeEach(() => {
    // A name that needs escaping in a URL.
    folder = mkdtempSync(join(root, 'odd name 100%41?#-'));
  });

  it('keeps a workflow when it is stopped, when it is killed, and when its parent was', async () => {
    chmodSync(folder, 0o755);
    const stopped = await start(folder);
    // No other user of the machine may read its file.
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    await startWorkflow(stopped, 'transfer/1');
    await stopped.stop();
    // On another port.
    const killed = await start(folder);
    expect(await workflowStatus(killed, 'transfer/1')).toBe('RUNNING');
    process.kill(killed.pid, 'SIGKILL');
    expect((await killed.exited).signal).toBe('SIGKILL');
    const orphan = await start(folder);
    expect(await workflowStatus(orphan, 'transfer/1')).toBe('RUNNING');
    const last = await start(folder);
    expect(processIdentity(orphan.pid)).toBeUndefined();
    expect(await workflowStatus(last, 'transfer/1')).toBe('RUNNING');
  });

  it('runs beside another one, each with its own user interface', async () => {
    const other = mkdtempSync(join(root, 'other-'));
    const first = await start(folder, await pickTestPort());
    const second = await start(other, await pickTestPort());
    for (const server of [first, second]) await showsNamespace(server);
    await startWorkflow(first, 'transfer/1');
    await expect(workflowStatus(second, 'transfer/1')).rejects.toThrow(/not found/);
  });

  it('moves a database aside whose creation was interrupted', async () => {
    writeFileSync(join(folder, 'temporal.db'), '');
    const server = await start(folder);
    await startWorkflow(server, 'transfer/1');
  });

  it('names the port when another program listens on it', async () => {
    const port = await takePort();
    await expect(start(folder, null, { port })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is in use`,
    );
  });

  it('starts again when the server dies of a port that it had found free itself', async () => {
    const http_port = await takePort();
    // The first time the real server is given a port of its own that another process has taken.
    const unlucky = join(folder, 'temporal');
    const line = [
      '#!/bin/sh',
      'if [ -e "$0.second" ]; then exec "$0.real" "$@"; fi',
      ': > "$0.second"',
      `exec "$0.real" "$@" --http-port ${http_port}`,
    ];
    writeFileSync(unlucky, `${line.join('\n')}\n`, { mode: 0o755 });
    symlinkSync(binary, `${unlucky}.real`);
    const said: string[] = [];
    const say = (text: string): void => void said.push(text);
    const server = await start(folder, null, { binary: unlucky, say });
    await startWorkflow(server, 'transfer/1');
    expect(said).toEqual([`Temporal found its port ${http_port} taken: starting it again.`]);
  });

  it('shows the last lines of the log when the server ends at once', async () => {
    const broken = join(folder, 'temporal');
    writeFileSync(broken, '#!/bin/sh\necho the schema is too old\nexit 1\n', { mode: 0o755 });
    await expect(start(folder, null, { binary: broken })).rejects.toThrow(
      /Temporal did not start[^]*the schema is too old/,
    );
  });
});
