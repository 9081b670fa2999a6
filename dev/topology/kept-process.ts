// One process of the topology. When it dies it is started again, as Docker does with
// `restart: unless-stopped`.

import { setTimeout as delay } from 'node:timers/promises';

export interface Launched {
  readonly pid: number;
  /** Resolves when the process ends; never rejects. */
  readonly exited: Promise<unknown>;
  stop(): Promise<void>;
}

export interface KeptProcess {
  /** The service with a number, such as `api-2`. */
  readonly name: string;
  readonly service: string;
  /** Undefined while it is down. */
  pid(): number | undefined;
  /** SIGKILL. It is started again at once, or by `resume`. */
  kill(options?: { readonly stays_down: boolean }): Promise<void>;
  /** Resolves when it is ready again. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

export interface KeepOptions {
  readonly name: string;
  readonly service: string;
  /** Resolves when the process is ready. */
  readonly launch: () => Promise<Launched>;
  readonly say: (text: string) => void;
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
const START_ATTEMPTS = 5;

/** @throws what the last of several attempts to start it threw */
export async function keepRunning(options: KeepOptions): Promise<KeptProcess> {
  const { name, service, launch, say } = options;
  let current: Launched | undefined;
  let is_stopping = false;
  let is_held = false;
  let restarting: Promise<void> = Promise.resolve();

  const open = async (attempts: number): Promise<void> => {
    for (let attempt = 1; !is_stopping; attempt += 1) {
      try {
        watch(await launch());
        return;
      } catch (error) {
        if (attempt >= attempts) throw error;
        say(`${name} did not start: trying again …`);
        await delay(Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS));
      }
    }
  };
  const watch = (launched: Launched): void => {
    current = launched;
    void launched.exited.then(() => {
      current = undefined;
      if (is_stopping || is_held) return;
      say(`${name} has died: starting it again …`);
      restarting = open(Infinity);
    });
  };

  await open(START_ATTEMPTS);
  return {
    name,
    service,
    pid: () => current?.pid,
    async kill({ stays_down } = { stays_down: false }) {
      is_held = stays_down;
      const dying = current;
      if (dying === undefined) return;
      process.kill(dying.pid, 'SIGKILL');
      await dying.exited;
    },
    async resume() {
      if (is_held && current === undefined) restarting = open(Infinity);
      is_held = false;
      await restarting;
    },
    async stop() {
      is_stopping = true;
      await restarting;
      await current?.stop();
    },
  };
}
