// One process of the topology. When it dies it is started again, as Docker does with
// `restart: unless-stopped`.

import { setTimeout as delay } from 'node:timers/promises';

export interface Launched {
  readonly pid: number;
  /** Resolves when the process ends; never rejects. */
  readonly exited: Promise<unknown>;
  /** Cleanly, as its container would be stopped. */
  stop(): Promise<void>;
}

/** `stays_down`: until `resume`; otherwise it is started again at once. */
type End = (how?: { readonly stays_down: boolean }) => Promise<void>;

export interface KeptProcess {
  /** The service with a number, such as `api-2`. */
  readonly name: string;
  readonly service: string;
  /** Undefined while it is down. */
  pid(): number | undefined;
  /** SIGKILL. */
  readonly kill: End;
  /** SIGTERM; resolves when it has ended by itself. */
  readonly terminate: End;
  /** Resolves when it is ready again. */
  resume(): Promise<void>;
  /** SIGSTOP: it keeps its connections and does nothing. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
  /** How often it died although the test had not stopped it. */
  unasked_ends(): number;
}

export interface KeepOptions extends Pick<KeptProcess, 'name' | 'service'> {
  /** Resolves when the process is ready. */
  readonly launch: () => Promise<Launched>;
  /** Reaches the process, and the processes that it has started. */
  readonly signal: (pid: number, name: NodeJS.Signals) => void;
}

const PAUSE_MS = 1_000;
const START_ATTEMPTS = 5;

/** @throws what the last of several attempts to start it threw */
export async function keepRunning(options: KeepOptions): Promise<KeptProcess> {
  const { name, service, launch, signal } = options;
  let current: Launched | undefined;
  let is_down = false;
  let is_asked = false;
  let unasked_ends = 0;
  /** Set while it is being started: two at once would want the same port. */
  let opening: Promise<void> | undefined;

  const open = async (attempts: number): Promise<void> => {
    for (let attempt = 1; !is_down; attempt += 1) {
      try {
        watch(await launch());
        // It was to stay down meanwhile.
        if (is_down) await end('SIGKILL');
        return;
      } catch (error) {
        if (attempt === attempts) throw error;
        await delay(PAUSE_MS);
      }
    }
  };
  const openAgain = async (): Promise<void> => {
    opening ??= open(Infinity).finally(() => (opening = undefined));
    await opening;
  };
  const watch = (launched: Launched): void => {
    current = launched;
    is_asked = false;
    void launched.exited.then(() => {
      current = undefined;
      if (!is_asked) unasked_ends += 1;
      if (!is_down) void openAgain();
    });
  };
  const end = async (how: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    const ending = current;
    if (ending === undefined) return;
    is_asked = true;
    // A frozen one hears nothing else.
    signal(ending.pid, how === 'SIGKILL' ? how : 'SIGCONT');
    if (how === 'SIGTERM') await ending.stop();
    await ending.exited;
  };
  const ending =
    (how: 'SIGKILL' | 'SIGTERM'): End =>
    (options = { stays_down: false }) => {
      is_down = options.stays_down;
      return end(how);
    };

  await open(START_ATTEMPTS);
  return {
    name,
    service,
    pid: () => current?.pid,
    kill: ending('SIGKILL'),
    terminate: ending('SIGTERM'),
    async resume() {
      is_down = false;
      // One start may be under way that has seen it down.
      await opening;
      while (current === undefined && !is_down) await openAgain();
    },
    freeze: () => current && signal(current.pid, 'SIGSTOP'),
    thaw: () => current && signal(current.pid, 'SIGCONT'),
    unasked_ends: () => unasked_ends,
    async stop() {
      is_down = true;
      await opening;
      await end('SIGTERM');
    },
  };
}
