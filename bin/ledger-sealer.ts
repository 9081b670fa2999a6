// Seals what was posted to the ledger, so that it cannot be changed unnoticed
// (docs/decisions/0052-the-ledger-is-sealed.md). Every process does it; the database lets one at a time.

import type { Db } from '../db/connect';
import { sealLedger } from '../db/ledger-seals';
import type { Metrics } from '../telemetry/metrics';
import { repeat, type Repetition } from './repeat';

/**
 * About as long as an entry can be changed unnoticed. A turn costs Postgres 0.3 s for 100,000 accounts, and
 * 60 to 450 ms for 10,000 entries.
 */
const PAUSE_MS = 60_000;

export interface LedgerSealerOptions {
  readonly db: Db;
  readonly metrics: Pick<Metrics, 'noteLedgerSealed'>;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Begins at once. */
export function startLedgerSealer({ db, log, metrics }: LedgerSealerOptions): Repetition {
  return repeat({
    async turn(signal) {
      await sealLedger(db, signal);
      metrics.noteLedgerSealed();
    },
    pause_ms: PAUSE_MS,
    onError: (error) => log({ part: 'ledger-sealer', error: String(error) }),
  });
}
