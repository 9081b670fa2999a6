// The variables and streams of a command: those of its process, or of a test.

import { AsyncLocalStorage } from 'node:async_hooks';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  exitCode?: number | string | null | undefined;
}

const current = new AsyncLocalStorage<Surroundings>();

export function runIn<Result>(given: Surroundings, work: () => Promise<Result>): Promise<Result> {
  return current.run(given, work);
}

/** The surroundings of the command that is being run. */
export function surroundings(): Surroundings {
  return current.getStore() ?? process;
}
