// Prepares Temporal's namespace anew when Temporal has lost its data while this process runs: without our
// search attributes it starts no workflow, and without the schedule nothing that was lost is found again.

import type { Config } from '../config/load';
import { callTemporal } from '../temporal/calls';
import { repairTemporal, type TemporalLink } from '../temporal/connect';
import { repeat, type Repetition } from './repeat';

/** How long payments may stand still after such a loss. A turn that finds everything is one call. */
const PAUSE_MS = 10_000;
/** A process that stops waits for its turn under way, also while Temporal is frozen. */
const TURN_WITHIN_MS = 5_000;

export interface TemporalPreparationOptions {
  readonly link: TemporalLink;
  readonly config: Config;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

export function keepTemporalPrepared({
  link,
  config,
  log,
}: TemporalPreparationOptions): Repetition {
  return repeat({
    turn: () =>
      callTemporal(link.client, Date.now() + TURN_WITHIN_MS, () => repairTemporal(link, config)),
    pause_ms: PAUSE_MS,
    onError: (error) => log({ part: 'temporal-preparation', error: String(error) }),
  });
}
