// The sandbox gateway as a process of its own.

import { ConfigError } from '../config/load';
import { takeLock } from '../embedded/run-lock';
import { startSandboxGateway } from '../simulators/gateway/server';
import { configOrExit, fail, logLine, stopSignal } from './process';

async function main(): Promise<void> {
  const { simulator, simulator_process } = configOrExit().gateway;
  if (!simulator) {
    fail(new ConfigError(['SANDBOX_GATEWAY_URL and SANDBOX_GATEWAY_SECRETS are required here']));
  }
  const stopped = stopSignal();
  const { file } = simulator_process;
  try {
    const lock = takeLock(`${file}.lock`);
    if (!('release' in lock)) {
      throw new ConfigError([
        `process ${lock.pid} writes ${file}: SANDBOX_GATEWAY_FILE is one's own`,
      ]);
    }
    try {
      const { secrets } = simulator;
      const gateway = await startSandboxGateway({ ...simulator_process, secrets, log: logLine });
      logLine({ log: 'ready', at: new Date().toISOString(), url: gateway.url });
      if (secrets.live.length > 0) {
        logLine({ warning: 'the simulator stands in for the live gateway: no real money moves' });
      }
      await Promise.race([stopped, gateway.failed]);
      await gateway.stop();
    } finally {
      lock.release();
    }
  } catch (error) {
    fail(error);
  }
}

void main();
