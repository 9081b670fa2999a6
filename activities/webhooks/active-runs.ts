// The endpoints that this process is delivering to. What a commit says of one reaches its drain
// without a detour through Temporal; nothing is lost when it does not, only later.

export interface Drains {
  /** From now on `poke` is called when something was added for the endpoint. */
  enter(endpoint_id: string, poke: () => void): { leave(): void };
  heard(endpoint_id: string): void;
  /** Something may have been missed. */
  heardAll(): void;
  /** All are asked to end: what is left is for another process. */
  stop(): void;
  readonly is_stopping: boolean;
}

/**
 * A transaction that saw the endpoint being drained tells only this process; it may commit just after
 * the drain has left. Longer than a transaction takes.
 */
const REMEMBERED_MS = 5_000;

export function createDrains(wake: (endpoint_ids: readonly string[]) => void): Drains {
  const active = new Map<string, () => void>();
  const just_left = new Map<string, NodeJS.Timeout>();
  let is_stopping = false;
  const forget = (id: string): void => {
    clearTimeout(just_left.get(id));
    just_left.delete(id);
  };
  const pokeAll = (): void => {
    for (const poke of active.values()) poke();
  };
  return {
    enter(id, poke) {
      active.set(id, poke);
      forget(id);
      return {
        leave() {
          if (active.get(id) === poke) active.delete(id);
          forget(id);
          just_left.set(id, setTimeout(() => just_left.delete(id), REMEMBERED_MS).unref());
        },
      };
    },
    heard(id) {
      const poke = active.get(id);
      if (poke) poke();
      else if (just_left.has(id)) wake([id]);
    },
    heardAll: pokeAll,
    stop() {
      is_stopping = true;
      pokeAll();
    },
    get is_stopping() {
      return is_stopping;
    },
  };
}
