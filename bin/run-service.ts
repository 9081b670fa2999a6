// Runs the service as one process of a production deployment.

import { ConfigError } from '../config/load';
import { configOrExit, fail, logLine, stopAndExit, stopSignal } from './process';
import { startService, type ServiceOptions } from './service';

/** A proxy that is busy uses each of its connections more often than this. */
const LINGER_MS = 1_000;
/** Besides the drain; with the default of that it is shorter than `stop_grace_period` of docker-compose.yml. */
const STOP_WITHIN_MS = 40_000;

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
    const drain_ms = roles.api ? config.drain_seconds * 1_000 : 0;
    const drain = { drain_ms, linger_ms: LINGER_MS };
    const service = await startService({ config, roles, log: logLine, drain });
    logLine({
      log: 'ready',
      at: new Date().toISOString(),
      roles,
      port: config.port,
      metrics_url: service.metrics_url,
    });
    await Promise.race([stopped, service.failed]);
    await stopAndExit(() => service.stop(), STOP_WITHIN_MS + drain_ms);
  } catch (error) {
    fail(error);
  }
}
