// Ends what has expired together with much else (activities/expiry-sweep.ts). Every process looks; the
// database lets one at a time.

import { createExpirySweep, type ExpirySweepDependencies } from '../activities/expiry-sweep';
import { ENVIRONMENTS } from '../domain/environment';
import { repeat } from './repeat';

/** A look costs one statement. */
const PAUSE_MS = 1_000;

export function startExpirySweeper(dependencies: ExpirySweepDependencies): {
  stop(): Promise<void>;
} {
  const { gateways, log } = dependencies;
  const sweeps = ENVIRONMENTS.filter((environment) => gateways[environment]).map((environment) =>
    repeat({
      turn: createExpirySweep(dependencies, environment),
      pause_ms: PAUSE_MS,
      onError: (error) => log({ part: 'expiry-sweep', environment, error: String(error) }),
    }),
  );
  return {
    async stop() {
      await Promise.all(sweeps.map((sweep) => sweep.stop()));
    },
  };
}
