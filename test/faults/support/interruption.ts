// Ctrl-C. Servers have process groups of their own, so it reaches them through us only; and jest
// gives test files a `process` that hears no signals. Diagnostics channels reach across.

import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';

type Stop = () => Promise<void>;
interface Interruption {
  readonly stopped: Promise<void>[];
}

const NAME = 'payment-api.faults.interruption';

/** Runs outside of the test files, in the same process (--runInBand). */
// oxlint-disable-next-line import/no-default-export -- jest takes a set-up from nowhere else
export default function globalSetup(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Not `once`: a package of jest's ends the process when it finds itself the only listener left.
    process.on(signal, () => {
      const stopped: Promise<void>[] = [];
      channel(NAME).publish({ stopped } satisfies Interruption);
      void Promise.allSettled(stopped).then((results) => {
        for (const it of results) {
          if (it.status === 'rejected') process.stderr.write(`${String(it.reason)}\n`);
        }
        process.exit(130);
      });
    });
  }
}

/** Returns what undoes it. */
export function onInterruption(stop: Stop): () => void {
  const listener = (message: unknown): void => {
    (message as Interruption).stopped.push(stop());
  };
  subscribe(NAME, listener);
  return () => {
    unsubscribe(NAME, listener);
  };
}
