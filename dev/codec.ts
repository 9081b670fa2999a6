// The codec server of `npm start`: with TEMPORAL_ENCRYPT_PAYLOADS, the embedded UI shows clear text.

import { startCodecServer } from '../temporal/codec-server';
import { choosePort, type DevRun } from './dev-run';
import { webhookSettings } from './webhooks';

/** Returns its address; undefined when nothing is encrypted. */
export async function startDevCodec(run: DevRun, ui_port: number): Promise<string | undefined> {
  const { encrypt_payloads, codec_server } = run.given;
  if (!encrypt_payloads) return undefined;
  const { host, token, port } = codec_server;
  const server = await startCodecServer({
    host,
    token,
    secrets_keys: webhookSettings(run).secrets_keys,
    port: await choosePort(run, 'TEMPORAL_CODEC_PORT', port),
    // The browser's user may type either.
    origins: ['127.0.0.1', 'localhost'].map((name) => `http://${name}:${ui_port}`),
    log: (entry) => run.say(JSON.stringify(entry)),
  });
  run.closers.push(() => server.stop());
  return server.url;
}
