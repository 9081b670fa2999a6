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

interface StayDown {
  /** Until `resume`; otherwise it is started again at once. */
  readonly stays_down: boolean;
}

export interface KeptProcess {
  /** The service with a number, such as `api-2`. */
  readonly name: string;
  readonly service: string;
  /** Undefined while it is down. */
  pid(): number | undefined;
  /** SIGKILL. */
  kill(options?: StayDown): Promise<void>;
  /** SIGTERM; resolves when it has ended by itself. */
  terminate(options?: StayDown): Promise<void>;
  /** SIGTERM, then a new one; resolves when that is ready. */
  restart(): Promise<void>;
  /** SIGSTOP: it keeps its connections and does nothing. */
  freeze(): void;
  thaw(): void;
  /** Resolves when it is ready again. */
  resume(): Promise<void>;
  stop(): Promise<void>;
  /** How often it died although nobody had stopped it. */
  unasked_ends(): number;
}

export interface KeepOptions {
  readonly name: string;
  readonly service: string;
  /** Resolves when the process is ready. */
  readonly launch: () => Promise<Launched>;
  /** To the process, and to the processes that it has started. */
  readonly signal: (pid: number, name: NodeJS.Signals) => void;
  readonly say: (text: string) => void;
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
const START_ATTEMPTS = 5;
const COMES_BACK: StayDown = { stays_down: false };

/** @throws what the last of several attempts to start it threw */
export async function keepRunning(options: KeepOptions): Promise<KeptProcess> {
  const { name, service, launch, signal, say } = options;
  let current: Launched | undefined;
  let is_stopping = false;
  let is_held = false;
  let is_asked = false;
  let unasked_ends = 0;
  /** While it is being started: two at once would want the same port. */
  let opening: Promise<void> | undefined;

  const open = async (attempts: number): Promise<void> => {
    for (let attempt = 1; !is_stopping && !is_held; attempt += 1) {
      try {
        const launched = await launch();
        watch(launched);
        // It was to stay down meanwhile.
        if (is_held) await killAndWait(launched);
        return;
      } catch (error) {
        if (attempt >= attempts) throw error;
        say(`${name} did not start: trying again …`);
        await delay(Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS));
      }
    }
  };
  const openAgain = (): void => {
    opening ??= open(Infinity).finally(() => {
      opening = undefined;
    });
  };
  const watch = (launched: Launched): void => {
    current = launched;
    is_asked = false;
    void launched.exited.then(() => {
      current = undefined;
      if (!is_asked && !is_stopping) unasked_ends += 1;
      if (is_stopping || is_held) return;
      if (!is_asked) say(`${name} has died: starting it again …`);
      openAgain();
    });
  };
  const killAndWait = async (launched: Launched): Promise<void> => {
    is_asked = true;
    signal(launched.pid, 'SIGKILL');
    await launched.exited;
  };
  const stopAndWait = async (launched: Launched): Promise<void> => {
    is_asked = true;
    // A frozen one hears nothing.
    signal(launched.pid, 'SIGCONT');
    await launched.stop();
    await launched.exited;
  };
  const terminate = async ({ stays_down }: StayDown): Promise<void> => {
    is_held = stays_down;
    if (current !== undefined) await stopAndWait(current);
  };
  const resume = async (): Promise<void> => {
    is_held = false;
    await opening;
    while (current === undefined && !is_stopping) {
      openAgain();
      await opening;
    }
  };

  await open(START_ATTEMPTS);
  return {
    name,
    service,
    pid: () => current?.pid,
    async kill({ stays_down } = COMES_BACK) {
      is_held = stays_down;
      if (current !== undefined) await killAndWait(current);
    },
    terminate: (how = COMES_BACK) => terminate(how),
    async restart() {
      await terminate({ stays_down: true });
      await resume();
    },
    freeze() {
      if (current !== undefined) signal(current.pid, 'SIGSTOP');
    },
    thaw() {
      if (current !== undefined) signal(current.pid, 'SIGCONT');
    },
    resume,
    unasked_ends: () => unasked_ends,
    async stop() {
      is_stopping = true;
      await opening;
      if (current !== undefined) await stopAndWait(current);
    },
  };
}
