// Identifies processes, and stops one that is not our child.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export type StopStep = { readonly signal: NodeJS.Signals; readonly wait_seconds: number };

const POLL_MS = 25;

/**
 * A text unique to this process, or undefined when no such process runs. Process ids are reused (in a
 * container after each restart), so the identity includes the start time.
 */
export function processIdentity(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return process.platform === 'linux' ? linuxIdentity(pid) : psIdentity(pid);
}

export function isSameProcess(pid: number, identity: string): boolean {
  return processIdentity(pid) === identity;
}

/** The program and its arguments; empty when the process is gone or hidden from us. */
export function commandLine(pid: number): readonly string[] {
  try {
    if (process.platform === 'linux') {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    }
    return ps(pid, 'command').split(' ');
  } catch {
    // The process may have ended meanwhile: then it has no command line.
    return [];
  }
}

/** Sends each signal in turn and waits; returns whether the process is gone. */
export async function stopProcess(
  pid: number,
  identity: string,
  steps: readonly StopStep[],
): Promise<boolean> {
  for (const { signal, wait_seconds } of steps) {
    if (!isSameProcess(pid, identity)) return true;
    signalProcess(pid, signal);
    const limit = Date.now() + wait_seconds * 1000;
    while (Date.now() < limit) {
      if (!isSameProcess(pid, identity)) return true;
      await delay(POLL_MS);
    }
  }
  return !isSameProcess(pid, identity);
}

/** One that has just ended hears nothing. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended, or belongs to another user: the caller's wait shows which.
  }
}

function linuxIdentity(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name is in parentheses and may contain spaces, so count fields after it: the first
    // is the state, the twentieth the start time in ticks since boot.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${pid} ${boot} ${fields[19]}`;
  } catch {
    // No such process.
    return undefined;
  }
}

function psIdentity(pid: number): string | undefined {
  try {
    return `${pid} ${ps(pid, 'lstart')}`;
  } catch {
    // ps exits with 1 when no such process runs.
    return undefined;
  }
}

function ps(pid: number, column: string): string {
  const args = ['-o', `${column}=`, '-p', String(pid)];
  return execFileSync('ps', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** The process first: it would start others in the place of its children. */
export function signalTree(pid: number, name: NodeJS.Signals): void {
  for (const target of processTree(pid)) signalProcess(target, name);
}

/** A process, and those that it has started. */
export function processTree(pid: number): number[] {
  return [pid, ...childrenOf(pid)];
}

function childrenOf(parent: number): number[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' }).split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, ppid]) => ppid === parent)
    .map(([pid]) => pid!);
}
