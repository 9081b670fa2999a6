// How many transfers of this process are in Temporal's hands at once. Beyond a handful, more of them
// only take the processor from each other; those that wait here have not been started, so refusing
// one is safe.

export interface Admission {
  /** True when it is this caller's turn, which `leave` ends; false when `deadline` came first. */
  enter(deadline: number): Promise<boolean>;
  leave(): void;
}

interface Waiting {
  readonly resolve: (isAdmitted: boolean) => void;
}

export function createAdmission(places: number): Admission {
  let free = places;
  // A set keeps the order of arrival and lets one in the middle go.
  const queue = new Set<Waiting>();
  return {
    enter(deadline) {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(true);
      }
      return new Promise((resolve) => {
        const waiting: Waiting = {
          resolve: (isAdmitted) => {
            clearTimeout(timer);
            queue.delete(waiting);
            resolve(isAdmitted);
          },
        };
        const timer = setTimeout(() => waiting.resolve(false), Math.max(0, deadline - Date.now()));
        queue.add(waiting);
      });
    },
    leave() {
      const [next] = queue;
      if (next) next.resolve(true);
      else free += 1;
    },
  };
}
