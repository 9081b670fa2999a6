// The process that decrypts payloads for Temporal's UI and CLI. It needs SECRETS_KEYS and nothing else.

import { ConfigError } from '../config/load';
import { startCodecServer } from '../temporal/codec-server';
import { codecServerOptions } from './codec-server-options';
import { configOrExit, fail, logLine, stopSignal } from './process';

async function main(): Promise<void> {
  const options = codecServerOptions(configOrExit());
  if ('faults' in options) throw new ConfigError(options.faults);
  const stopped = stopSignal();
  const server = await startCodecServer({ ...options, log: logLine });
  logLine({ log: 'ready', at: new Date().toISOString(), url: server.url });
  await stopped;
  await server.stop();
}

main().catch(fail);
