// A process of the production shape around the service.

import { ConfigError } from '../config/load';
import { configOrExit, fail, logLine, stopSignal } from './process';
import { startService, type ServiceOptions } from './service';

/** Everything it needs is given by the environment. */
export async function runService(roles: ServiceOptions['roles']): Promise<void> {
  const config = configOrExit();
  if (config.database_url === undefined || config.temporal_address === undefined) {
    fail(
      new ConfigError([
        'DATABASE_URL and TEMPORAL_ADDRESS are required here; npm start has its own',
      ]),
    );
  }
  try {
    const stopped = stopSignal();
    const service = await startService({ config, roles, log: logLine });
    logLine({ log: 'ready', at: new Date().toISOString(), roles, port: config.port });
    await Promise.race([stopped, service.failed]);
    await service.stop();
  } catch (error) {
    fail(error);
  }
}
