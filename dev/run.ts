// What the parts of one run of `npm start` share.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/load';
import { settlePort } from '../embedded/ports';
import { supervise, type Part, type Supervised } from '../embedded/supervise';
import { randomText } from '../secrets/random';
import { fail } from '../bin/process';

export interface DevRun {
  readonly given: Config;
  /** Everything is kept here. */
  readonly directory: string;
  readonly logs: string;
  /** Called in the reverse order. */
  readonly closers: (() => Promise<void> | void)[];
  readonly say: (text: string) => void;
}

/** Starts a part, keeps it running, and stops it with the run. */
export async function runPart<P extends Part>(
  { say, closers }: DevRun,
  name: string,
  start: () => Promise<P>,
): Promise<P> {
  const supervised: Supervised<P> = await supervise({ name, start, say, onLost: fail });
  closers.push(() => supervised.stop());
  return supervised.current();
}

/** The port that a setting names, or its default; moved when only the default is taken. */
export function portOf({ given, say }: DevRun, name: string, port: number): Promise<number> {
  return settlePort({ name, port, is_chosen: given.given.has(name), say });
}

/** A secret that is made once and stays in the data folder, readable by its owner only. */
export function keepSecret({ directory }: DevRun, name: string, make: () => string): string {
  const file = join(directory, name);
  if (!existsSync(file)) writeFileSync(file, make(), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Safe in addresses, commands and files. */
export function makePassword(length: number): string {
  return randomText(ALPHANUMERIC, length);
}
