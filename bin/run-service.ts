// Runs the service as one process of a production deployment.

import { ConfigError } from '../config/load';
import { configOrExit, fail, logLine, stopAndExit, stopSignal } from './process';
import { startService, type ServiceOptions } from './service';

/** A proxy that is busy uses each of its connections more often than this. */
const DRAIN_MS = 1_000;

/** Postgres and Temporal must be given by environment variables. */
export async function runService(roles: ServiceOptions['roles']): Promise<void> {
  const config = configOrExit();
  if (config.database_url === undefined || config.temporal_address === undefined) {
    fail(
      new ConfigError([
        'DATABASE_URL and TEMPORAL_ADDRESS are required for this process; only npm start brings its own',
      ]),
    );
  }
  try {
    const stopped = stopSignal();
    const service = await startService({ config, roles, log: logLine, drain_ms: DRAIN_MS });
    logLine({
      log: 'ready',
      at: new Date().toISOString(),
      roles,
      port: config.port,
      metrics_url: service.metrics_url,
    });
    await Promise.race([stopped, service.failed]);
    await stopAndExit(() => service.stop());
  } catch (error) {
    fail(error);
  }
}
