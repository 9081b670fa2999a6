// The delivery runs of this process. A commit that adds a delivery notifies the run of its endpoint
// through Postgres, which is quicker than a signal through Temporal. A notification that gets lost
// costs time only: the run polls.

export interface ActiveRuns {
  /** From now on `notify` is called when a delivery was added for the endpoint. */
  add(endpoint_id: string, notify: () => void): { remove(): void };
  /** A commit added a delivery for the endpoint. */
  notify(endpoint_id: string): void;
  /** Notifications may have been lost. */
  notifyAll(): void;
  /** Makes all runs end: another process delivers what is left. */
  stop(): void;
  readonly is_stopping: boolean;
}

/**
 * A transaction that saw the endpoint's lease notifies only this process, and may commit just after
 * the run has ended. Then the workflow is woken instead. Longer than a transaction takes.
 */
const REMEMBER_MS = 5_000;

export function createActiveRuns(wake: (endpoint_ids: readonly string[]) => void): ActiveRuns {
  const active = new Map<string, () => void>();
  const just_ended = new Map<string, NodeJS.Timeout>();
  let is_stopping = false;
  const forget = (id: string): void => {
    clearTimeout(just_ended.get(id));
    just_ended.delete(id);
  };
  const notifyAll = (): void => {
    for (const notify of active.values()) notify();
  };
  return {
    add(id, notify) {
      active.set(id, notify);
      forget(id);
      return {
        remove() {
          if (active.get(id) === notify) active.delete(id);
          forget(id);
          just_ended.set(id, setTimeout(() => just_ended.delete(id), REMEMBER_MS).unref());
        },
      };
    },
    notify(id) {
      const notify = active.get(id);
      if (notify) notify();
      else if (just_ended.has(id)) wake([id]);
    },
    notifyAll,
    stop() {
      is_stopping = true;
      notifyAll();
    },
    get is_stopping() {
      return is_stopping;
    },
  };
}
