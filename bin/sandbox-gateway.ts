// The process of the sandbox gateway.

import { ConfigError } from '../config/load';
import { takeLock } from '../dev/embedded/run-lock';
import { startSandboxGateway } from '../dev/simulators/gateway/server';
import { configOrExit, fail, logLine, stopSignal } from './process';

async function main(): Promise<void> {
  const { simulator, simulator_process } = configOrExit('simulator').gateway;
  if (!simulator) {
    fail(
      new ConfigError([
        'SANDBOX_GATEWAY_URL and SANDBOX_GATEWAY_SECRETS are required for this process',
      ]),
    );
  }
  const stopped = stopSignal();
  const { file } = simulator_process;
  try {
    const lock = takeLock(`${file}.lock`);
    if (!('release' in lock)) {
      throw new ConfigError([
        `Process ${lock.pid} uses ${file}: each process needs its own SANDBOX_GATEWAY_FILE`,
      ]);
    }
    try {
      const { secrets } = simulator;
      const gateway = await startSandboxGateway({ ...simulator_process, secrets, log: logLine });
      logLine({ log: 'ready', at: new Date().toISOString(), url: gateway.url });
      if (secrets.live.length > 0) {
        logLine({ warning: 'the simulator is used for live payments: no real money moves' });
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
