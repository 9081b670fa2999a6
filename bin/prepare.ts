// Prepares the embedded Postgres and Temporal on this machine: dev/tools/setup.mjs runs it before `npm
// start`, `npm test` and `npm run bench`. Prints nothing when there is nothing to do.

import { EmbeddedError } from '../dev/embedded/error';
import { hydratePostgresSymlinks } from '../dev/embedded/postgres-binaries';
import { acquireTemporalBinary } from '../dev/embedded/temporal-binary';

const TARGETS = ['start', 'test', 'bench', 'cli'];

async function prepare(target: string, env: NodeJS.ProcessEnv): Promise<void> {
  if (!TARGETS.includes(target)) {
    throw new EmbeddedError(`Usage: prepare ${TARGETS.join('|')}`);
  }
  // The command line uses a system that is running already.
  if (target === 'cli') return;
  if (!env['DATABASE_URL']) hydratePostgresSymlinks();
  if (env['TEMPORAL_ADDRESS']) return;
  await acquireTemporalBinary({ env, log: (message) => console.error(message) });
}

prepare(process.argv[2] ?? '', process.env).catch((error: unknown) => {
  process.exitCode = 1;
  console.error(error instanceof EmbeddedError ? error.message : error);
});
