// Shared by the parts of one `npm start`: the settings, the data folder, and the list of things to stop at the end.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../bin/process';
import type { Config } from '../config/load';
import { isPortFree, keepFreePort, settlePort } from './embedded/ports';
import { supervise, type Part, type Supervised } from './embedded/supervise';
import { randomText } from '../secrets/random';
import { findKeptPort, keepPort } from './kept-ports';

export interface DevRun {
  readonly given: Config;
  /** The data folder. */
  readonly directory: string;
  readonly logs: string;
  /** Called in reverse order. */
  readonly closers: (() => Promise<void> | void)[];
  readonly say: (text: string) => void;
}

/** Starts a part, restarts it when it dies, and stops it at the end of the run. */
export async function startPart<P extends Part>(
  { say, closers }: DevRun,
  name: string,
  start: () => Promise<P>,
): Promise<P> {
  const supervised: Supervised<P> = await supervise({ name, start, say, onLost: fail });
  closers.push(() => supervised.stop());
  return supervised.current();
}

/**
 * The port of a setting. A default port that is in use is replaced, by that of the last run where it can be; a
 * chosen one is an error.
 */
export async function choosePort(run: DevRun, name: string, port: number): Promise<number> {
  const { given, say } = run;
  const is_chosen = given.given.has(name);
  const before = is_chosen ? undefined : findKeptPort(run, name);
  if (before !== undefined && (await isPortFree(before))) {
    say(`Port ${before} is used as in the last run (set ${name} to choose).`);
    return before;
  }
  const settled = await settlePort({ name, port, is_chosen, say });
  keepPort(run, name, settled === port ? undefined : settled);
  return settled;
}

/** Starts a server that has no setting for its port on the usual one, on that of the last run, or on another. */
export function startOnKeptPort<Server>(
  run: DevRun,
  name: string,
  usual: number,
  start: (port: number) => Promise<Server>,
): () => Promise<Server> {
  const open = async (port: number): Promise<Server> => {
    const server = await start(port);
    keepPort(run, name, port === usual ? undefined : port);
    return server;
  };
  return keepFreePort(findKeptPort(run, name) ?? usual, open, run.say);
}

/** A secret that is created once and kept in the data folder, readable by its owner only. */
export function loadOrCreateSecret(
  { directory }: DevRun,
  name: string,
  create: () => string,
): string {
  const file = join(directory, name);
  if (!existsSync(file)) writeFileSync(file, create(), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Needs no escaping in URLs, commands and files. */
export function makePassword(length: number): string {
  return randomText(ALPHANUMERIC, length);
}
