// How often a gateway is asked about a refund: the same for a merchant's refund and for one of
// money in suspense. A signal asks at once.

import { condition, setCurrentDetails, workflowInfo } from '@temporalio/workflow';

const FIRST_PAUSE_MS = 1_000;
/** A gateway that is away may be back at any moment. */
const LONGEST_OUTAGE_PAUSE_MS = 60_000;
/** A pending refund takes days, and the gateway notifies of its end. */
const LONGEST_PAUSE_MS = 3_600_000;

export interface Wakeable {
  /** Set by the handler of the signal. */
  is_woken: boolean;
}

interface Progress {
  readonly status: string;
  /** `gateway`: it could not be asked. `refund`: the gateway has not finished it. */
  readonly waits_for: 'gateway' | 'refund' | null;
}

interface Following {
  readonly waking: Wakeable;
  readonly first_pause_ms: number | undefined;
  readonly ask: () => Promise<Progress>;
  /** Continues as new, where this run has become too long. */
  readonly continueWith: (pause_ms: number) => Promise<never>;
}

/** Returns the status in which the refund has ended. */
export async function followUntilItEnds({
  waking,
  first_pause_ms,
  ask,
  continueWith,
}: Following): Promise<string> {
  // A run that was started by hand may bring anything: no pause at all would ask the gateway
  // without end.
  let pause_ms = Number.isFinite(first_pause_ms)
    ? Math.max(first_pause_ms!, FIRST_PAUSE_MS)
    : FIRST_PAUSE_MS;
  for (;;) {
    // Reset before asking: what changes later wakes again.
    waking.is_woken = false;
    const progress = await ask();
    setCurrentDetails(describe(progress));
    if (progress.waits_for === null && !waking.is_woken) return progress.status;
    // The next run begins by asking, so no signal is lost.
    if (workflowInfo().continueAsNewSuggested) await continueWith(pause_ms);
    const longest = progress.waits_for === 'gateway' ? LONGEST_OUTAGE_PAUSE_MS : LONGEST_PAUSE_MS;
    await condition(() => waking.is_woken, Math.min(pause_ms, longest));
    pause_ms = Math.min(pause_ms * 2, LONGEST_PAUSE_MS);
  }
}

function describe({ status, waits_for }: Progress): string {
  return waits_for === null ? `**${status}**` : `**${status}**, waits for the ${waits_for}`;
}
