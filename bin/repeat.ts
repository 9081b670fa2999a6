// Repeats a job beside a process's work. Turns never overlap.

export interface RepeatOptions {
  /** A long turn ends early when the signal is aborted: the process stops. */
  readonly turn: (signal: AbortSignal) => Promise<unknown>;
  /** The pause from the end of a turn to the beginning of the next. */
  readonly pause_ms: number;
  /** The same after a turn that failed; pause_ms when left out. */
  readonly retry_ms?: number;
  readonly onError: (error: unknown) => void;
}

export interface Repetition {
  /** No turn begins any more. Resolves when the one under way is over. */
  stop(): Promise<void>;
}

/** The first turn begins at once. */
export function repeat({
  turn,
  pause_ms,
  retry_ms = pause_ms,
  onError,
}: RepeatOptions): Repetition {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = async (): Promise<void> => {
    let pause = pause_ms;
    try {
      await turn(stopping.signal);
    } catch (error) {
      onError(error);
      pause = retry_ms;
    }
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      current = begin();
    }, pause).unref();
  };
  let current = begin();
  return {
    stop() {
      stopping.abort();
      clearTimeout(timer);
      return current;
    },
  };
}
