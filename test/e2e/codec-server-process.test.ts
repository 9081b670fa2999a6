// The codec server as a process of its own (`bin/codec-server`), in production, as docs/operations.md
// starts it.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { makeSealingKey } from '../../secrets/keyring';
import { createPayloadCodec } from '../../temporal/payload-codec';
import { BUILD_LIMIT_MS, buildProgram } from '../cli/support/cli';
import { closeAfterFile } from '../support/cleanup';
import { request } from '../support/http';
import { pickTestPort } from '../support/ports';
import { waitFor } from '../support/wait';

const PROGRAM = join(__dirname, '..', '..', 'dist', 'bin', 'codec-server.js');
const KEY = makeSealingKey();
const TOKEN = 'a-token-of-at-least-thirty-two-characters';

// Builds the program.
beforeAll(buildProgram, BUILD_LIMIT_MS);

interface Running {
  readonly child: ChildProcess;
  readonly stderr: () => string;
}

function start(variables: Readonly<Record<string, string>>): Running {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...variables },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  closeAfterFile(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return { child, stderr: () => stderr };
}

it('starts in production with its keys and its token alone, decrypts, and stops', async () => {
  const port = await pickTestPort();
  const { child, stderr } = start({
    SECRETS_KEYS: KEY,
    TEMPORAL_CODEC_TOKEN: TOKEN,
    TEMPORAL_CODEC_PORT: String(port),
  });
  const ended = once(child, 'close');
  await waitFor(() => stderr().includes('"log":"ready"') || child.exitCode !== null, 20_000);
  expect(stderr()).toContain(`"url":"http://127.0.0.1:${port}"`);
  const data = Buffer.from('"a transfer"');
  const metadata = { encoding: Buffer.from('json/plain') };
  const [encrypted] = await createPayloadCodec([KEY]).encode([{ metadata, data }]);
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  const names = Object.entries(encrypted!.metadata!).map(([name, value]) => [name, base64(value)]);
  const payload = { metadata: Object.fromEntries(names), data: base64(encrypted!.data!) };
  const base_url = `http://127.0.0.1:${port}`;
  const { status, json } = await request({ base_url }, 'POST', `${base_url}/decode`, {
    key: TOKEN,
    body: { payloads: [payload] },
  });
  expect({ status, json }).toEqual({
    status: 200,
    json: { payloads: [{ metadata: { encoding: base64(metadata.encoding) }, data: base64(data) }] },
  });
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('asks in production for its keys and its token, and for nothing else', async () => {
  const { child, stderr } = start({});
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(stderr()).toBe(
    'The configuration has 2 faults:\n' +
      '  - SECRETS_KEYS is required in production\n' +
      '  - TEMPORAL_CODEC_TOKEN is required in production\n',
  );
});
