// Starts the workflows of payment intents again after Temporal has lost its data, or was restored
// to an earlier moment. All others are started again by the sweeps, within a minute of their time.

import type { Db } from '../db/connect';
import { listIntentsToRun, type IntentToRun } from '../db/payment-intents/intents';
import { NIL_UUID } from '../domain/ids';
import { forEach } from '../domain/limit';

export interface LostWorkflowsOptions {
  readonly db: Db;
  /** True when it did not run. */
  readonly startIntent: (intent: IntentToRun) => Promise<boolean>;
  /** Called after each page. */
  readonly onProgress?: (so_far: RestartedIntents) => void;
}

export interface RestartedIntents {
  /** Payment intents that have not come to their end. */
  readonly open: number;
  /** Those of them that had no workflow. */
  readonly started: number;
}

const PAGE = 500;
/** Asked of Temporal at once. */
const AT_ONCE = 16;

/**
 * Idempotent: what runs is left alone. Throws what the first intent that cannot be started throws.
 */
export async function startLostWorkflows(options: LostWorkflowsOptions): Promise<RestartedIntents> {
  const { db, startIntent, onProgress } = options;
  let so_far: RestartedIntents = { open: 0, started: 0 };
  let after = NIL_UUID;
  for (;;) {
    const page = await listIntentsToRun(db, { after, limit: PAGE });
    if (page.length === 0) return so_far;
    let { started } = so_far;
    await forEach(page, AT_ONCE, async (intent) => {
      if (await startIntent(intent)) started += 1;
    });
    so_far = { open: so_far.open + page.length, started };
    onProgress?.(so_far);
    after = page.at(-1)!.id;
  }
}
