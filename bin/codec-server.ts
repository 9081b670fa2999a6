// The process that decrypts payloads for Temporal's UI and CLI. It needs SECRETS_KEYS and its
// token, and neither a database nor Temporal.

import { startCodecServer } from '../temporal/codec-server';
import { configOrExit, fail, logLine, stopSignal } from './process';

async function main(): Promise<void> {
  const { codec_server, secrets_keys } = configOrExit('codec_server');
  const { origin, ...options } = codec_server;
  const stopped = stopSignal();
  const origins = origin === undefined ? [] : [origin];
  const server = await startCodecServer({ ...options, secrets_keys, origins, log: logLine });
  logLine({ log: 'ready', at: new Date().toISOString(), url: server.url });
  await stopped;
  await server.stop();
}

main().catch(fail);
