// How long activities may take, and how they are retried. Only an unreachable database makes them
// fail in a way that another try may mend; retries are therefore unlimited and frequent, because it
// may be back at any moment.

import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow';

const DATABASE_RETRY = {
  initialInterval: '50ms',
  backoffCoefficient: 2,
  maximumInterval: '1s',
} as const;

/**
 * It waits until the batches of other accounts have had their turn, and an atomic batch is posted
 * as a whole. Thanks to the heartbeat, a dead process is replaced within seconds.
 */
export const BATCH_ACTIVITY: ActivityOptions = {
  startToCloseTimeout: '5m',
  heartbeatTimeout: '5s',
  retry: DATABASE_RETRY,
};

/** Longer than a gateway adapter's own deadline: a gateway's fault comes back as a result. */
export const SHORT_LOCAL_ACTIVITY: LocalActivityOptions = {
  startToCloseTimeout: '10s',
  retry: DATABASE_RETRY,
};

/**
 * The longest look at everything there is. What fails for a few minutes, whatever the cause, is a
 * result: the next reconciliation compares it.
 */
export const RECONCILIATION_ACTIVITY: ActivityOptions = {
  startToCloseTimeout: '12h',
  heartbeatTimeout: '30s',
  retry: { ...DATABASE_RETRY, maximumInterval: '30s', maximumAttempts: 20 },
};

/**
 * Thanks to the heartbeat, a dead process is replaced within seconds, not after the whole timeout.
 */
export const LONG_ACTIVITY: ActivityOptions = {
  startToCloseTimeout: '20s',
  heartbeatTimeout: '5s',
  retry: { ...DATABASE_RETRY, maximumInterval: '5s' },
};
