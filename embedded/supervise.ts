// Restarts a part when it dies, as a cluster's supervisor would.

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
  /** Called when a restart has failed. */
  readonly onLost: (error: unknown) => void;
}

export async function supervise<P extends Part>({
  name,
  start,
  say,
  onLost,
}: SupervisedPart<P>): Promise<Supervised<P>> {
  let part = await start();
  let stopping = false;
  let restarting: Promise<void> = Promise.resolve();
  const watch = (): void => {
    void part.exited.then(() => {
      if (stopping) return;
      say(`${name} ended unexpectedly: restarting …`);
      restarting = start().then((fresh) => {
        part = fresh;
        say(`${name} runs again.`);
        watch();
      }, onLost);
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
