// What the parts of one `npm start` share: the settings, the data folder, and what to stop at the end.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../bin/process';
import type { Config } from '../config/load';
import { settlePort } from '../embedded/ports';
import { supervise, type Part, type Supervised } from '../embedded/supervise';
import { randomText } from '../secrets/random';

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

/** The port of a setting. A default port that is in use is replaced; a chosen one is an error. */
export function choosePort({ given, say }: DevRun, name: string, port: number): Promise<number> {
  return settlePort({ name, port, is_chosen: given.given.has(name), say });
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
