// What takes memory and time of this process is done for a few callers at once. Accounts take turns: each has
// one piece of work waiting for a place, and the rest of its own behind it, so that whoever sends much waits
// for itself.

export interface Turns {
  /** Calls `work` when the account has its turn. */
  take<T>(account: string, work: () => Promise<T>): Promise<T>;
}

export function createTurns(places: number): Turns {
  /** The end of the latest work of each account. */
  const last = new Map<string, Promise<void>>();
  const waiting: (() => void)[] = [];
  let taken = 0;

  const enter = async (): Promise<void> => {
    if (taken < places) taken += 1;
    // Whoever ends passes its place on.
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else taken -= 1;
  };

  return {
    async take(account, work) {
      const before = last.get(account);
      let end!: () => void;
      const mine = new Promise<void>((resolve) => {
        end = resolve;
      });
      last.set(account, mine);
      await before;
      await enter();
      try {
        return await work();
      } finally {
        leave();
        end();
        if (last.get(account) === mine) last.delete(account);
      }
    },
  };
}
