// Ends the processes of a topology whose command was killed: a process of its own, at the end of a pipe that
// breaks when the command is gone.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isSameProcess, processIdentity, stopProcess } from '../../embedded/process';
import { PROJECT } from './project';

interface Watched {
  readonly pid: number;
  readonly identity: string;
}

export interface Guardian {
  readonly pid: number;
  watch(pid: number): void;
  stop(): void;
}

/** Of the built program, whoever calls. */
const PROGRAM = join(PROJECT, 'dist', 'dev', 'topology', 'guardian.js');

export function startGuardian(): Guardian {
  // In a group of its own: Ctrl-C is for the command, which stops everything in order.
  const child = spawn(process.execPath, [PROGRAM], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  // It ends before us only if somebody kills it.
  child.stdin.on('error', () => undefined);
  child.unref();
  return {
    pid: child.pid!,
    watch(pid) {
      const identity = processIdentity(pid);
      if (identity === undefined) return;
      child.stdin.write(`${JSON.stringify({ pid, identity } satisfies Watched)}\n`);
    },
    stop: () => void child.stdin.end(),
  };
}

// Postgres gets the time to close its files; the others have nothing to close.
const STEPS = [
  { signal: 'SIGINT', wait_seconds: 5 },
  { signal: 'SIGKILL', wait_seconds: 5 },
] as const;

async function guard(): Promise<void> {
  const watched: Watched[] = [];
  for await (const line of createInterface({ input: process.stdin })) {
    watched.push(JSON.parse(line) as Watched);
  }
  const left = watched.filter(({ pid, identity }) => isSameProcess(pid, identity));
  await Promise.all(left.map(({ pid, identity }) => stopProcess(pid, identity, STEPS)));
}

if (process.argv[1] === PROGRAM) void guard();
