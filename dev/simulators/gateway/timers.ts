// Work that is due later. What was due while no process ran is done at the next start.

export interface Timers {
  at(instant: string, work: () => Promise<void>): void;
  stop(): void;
}

/** `onError` is called with errors of work that no caller waits for. */
export function createTimers(onError: (error: unknown) => void): Timers {
  const timers = new Set<NodeJS.Timeout>();
  let isStopped = false;
  return {
    at(instant, work) {
      if (isStopped) return;
      const begin = (): void => {
        timers.delete(timer);
        work().catch(onError);
      };
      const timer = setTimeout(begin, Math.max(0, Date.parse(instant) - Date.now()));
      timers.add(timer);
    },
    stop() {
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
