// Restarts a part when it dies, as a cluster's supervisor would.

import { setTimeout as delay } from 'node:timers/promises';
import { DiskFullError } from './error';

export interface Part {
  readonly exited: Promise<unknown>;
  stop(): Promise<void>;
}

export interface Supervised<P> {
  current(): P;
  stop(): Promise<void>;
}

export interface SupervisedPart<P extends Part> {
  readonly name: string;
  readonly start: () => Promise<P>;
  readonly say: (text: string) => void;
  /** Called when a restart has failed, but not while the disk is full: then it is tried again. */
  readonly onLost: (error: unknown) => void;
}

const ROOM_PAUSE_MS = 1_000;

export async function supervise<P extends Part>({
  name,
  start,
  say,
  onLost,
}: SupervisedPart<P>): Promise<Supervised<P>> {
  let part = await start();
  let stopping = false;
  let restarting: Promise<void> = Promise.resolve();
  const startAgain = async (): Promise<void> => {
    for (let is_told = false; !stopping; is_told = true) {
      try {
        part = await start();
        say(`${name} runs again.`);
        return watch();
      } catch (error) {
        if (!(error instanceof DiskFullError)) return onLost(error);
        if (!is_told) say(`${error.message} ${name} starts as soon as there is room.`);
        await delay(ROOM_PAUSE_MS);
      }
    }
  };
  const watch = (): void => {
    void part.exited.then(() => {
      if (stopping) return;
      say(`${name} ended unexpectedly: restarting …`);
      restarting = startAgain();
    });
  };
  watch();
  return {
    current: () => part,
    async stop() {
      stopping = true;
      await restarting;
      await part.stop();
    },
  };
}
