// An engine, Compose and the base images, for all files of a run.

import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { acquireGoProgram, cacheFolder, waitForLock } from '../../../dev/embedded/go-program';
import type { RunLock } from '../../../dev/embedded/run-lock';
import { findEngine, type Engine } from './engine';
import { GO_PROGRAMS, makeStandIns } from './stand-ins';

declare global {
  var containers: { readonly engine: Engine; readonly lock: RunLock } | undefined;
}

export default async function setUp(): Promise<void> {
  const log = (text: string): void => console.error(text);
  const folder = join(cacheFolder(process.env), 'containers');
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  // Two runs would want the same networks.
  const lock = await waitForLock(join(folder, 'run.lock'), 'containers', log);
  const engine = await findEngine(folder);
  globalThis.containers = { engine, lock };
  const env = { ...process.env, DOCKER_HOST: engine.host };
  const compose = await acquireGoProgram(GO_PROGRAMS.compose, { env, log });
  const docker = async (args: readonly string[]): Promise<string> =>
    (await promisify(execFile)('docker', args, { env })).stdout;
  const names = await makeStandIns({ docker, compose, env, folder, log });
  // The test files find them there.
  process.env['CONTAINERS'] = JSON.stringify({
    host: engine.host,
    compose,
    stand_ins: Object.fromEntries(names),
  });
}
