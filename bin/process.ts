// Every process in `bin` does this besides its work: reads the configuration, logs, stops on signals, and prints its
// errors.

import type { ProcessKind } from '../config/faults';
import { ConfigError, loadConfig, type Config } from '../config/load';
import { SchemaError } from '../db/schema/schema-error';
import { EmbeddedError } from '../dev/embedded/error';
import { SearchAttributesError } from '../temporal/search-attributes-error';

// Where they go to a file, a full disk is an error of the stream, and an error without a listener
// ends the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

/** Beyond it, lines are dropped: a reader that hangs must not fill the memory of the process. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/** One JSON line: those of the access log on standard output, the others on standard error. */
export function logLine(entry: Readonly<Record<string, unknown>>): void {
  const stream = entry['log'] === 'access' ? process.stdout : process.stderr;
  if (stream.writableLength < MAX_UNREAD_BYTES) stream.write(`${JSON.stringify(entry)}\n`);
}

/** Reads the configuration, or lists every fault and ends the process. */
export function configOrExit(kind: ProcessKind = 'service'): Config {
  try {
    return loadConfig(process.env, kind);
  } catch (error) {
    fail(error);
  }
}

export function fail(error: unknown): never {
  const isForHumans = [ConfigError, EmbeddedError, SchemaError, SearchAttributesError].some(
    (type) => error instanceof type,
  );
  process.stderr.write(`${isForHumans ? (error as Error).message : describe(error)}\n`);
  process.exit(1);
}

// The causes are shown, too: Temporal's client says "Failed to create schedule", and only below
// that why.
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.stack ?? error.message;
  return error.cause === undefined ? text : `${text}\ncaused by: ${describe(error.cause)}`;
}

/** Resolves at the first SIGINT or SIGTERM. A second one ends the process at once. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve(signal);
      });
    }
  });
}

/**
 * Stops, and ends the process, whatever is left behind: a worker of Temporal's SDK whose work does
 * not end in time, as when Postgres is away, leaves a thread, and a connection to a server that
 * hangs is never closed. `within_ms` is shorter than what a supervisor waits, so that the log says what its kill
 * would hide.
 */
export async function stopAndExit(stop: () => Promise<void>, within_ms: number): Promise<never> {
  setTimeout(() => {
    logLine({ log: 'error', part: 'stop', error: `not over after ${within_ms} ms` });
    process.exit(1);
  }, within_ms);
  await stop();
  process.exit(0);
}
