// Lets a loop sleep until there is news for it. A notification that comes while the loop is busy is
// kept: the next `wait` ends at once.

export interface Wakeup {
  notify(): void;
  /** Ends with the next notification, or after this time. */
  wait(ms: number): Promise<void>;
}

export function createWakeup(): Wakeup {
  let is_notified = false;
  let wake = (): void => undefined;
  return {
    notify() {
      is_notified = true;
      wake();
    },
    async wait(ms) {
      if (!is_notified) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, ms);
        });
        clearTimeout(timer);
        wake = () => undefined;
      }
      is_notified = false;
    },
  };
}
