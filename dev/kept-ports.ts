// Ports that were chosen because the usual one was in use: the next run takes them again, so that open
// pages, the links in them and programs that know an address still find this system.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'ports.json';

interface Kept {
  /** The data folder. */
  readonly directory: string;
}

/** Undefined when the last run had the usual one. */
export function findKeptPort(kept: Kept, name: string): number | undefined {
  return readPorts(kept)[name];
}

/** `port` is undefined for the usual one. */
export function keepPort(kept: Kept, name: string, port: number | undefined): void {
  const { [name]: _before, ...others } = readPorts(kept);
  const ports = port === undefined ? others : { ...others, [name]: port };
  writeFileSync(join(kept.directory, FILE), `${JSON.stringify(ports, null, 2)}\n`);
}

function readPorts({ directory }: Kept): Readonly<Record<string, number>> {
  const file = join(directory, FILE);
  if (!existsSync(file)) return {};
  try {
    const ports = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    const right = Object.entries(ports).filter(([, port]) => isPort(port));
    return Object.fromEntries(right) as Record<string, number>;
  } catch {
    // Half a file, of a run that was killed.
    return {};
  }
}

function isPort(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;
}
