// The operators' command line as they run it: the built program, in a process of its own.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { closeAfterFile } from '../../support/cleanup';
import type { TestDatabase } from '../../support/database';
import { readStack } from '../../support/stack';

const ROOT = join(__dirname, '..', '..', '..');
const PROGRAM = join(ROOT, 'dist', 'bin', 'cli.js');

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that goes on. */
export interface Going {
  /** What it has printed so far, a line each. */
  readonly lines: () => readonly string[];
  /** As Ctrl-C does. */
  interrupt(): Promise<Outcome>;
}

export interface CommandLine {
  /** As typed after `npm run --silent cli --`. */
  run(...args: string[]): Promise<Outcome>;
  /** With --json: the one object of a command that succeeds, silently. */
  json(...args: string[]): Promise<any>; // oxlint-disable-line typescript/no-explicit-any -- tests name its fields
  /** With --json: the error of a command that fails, and says nothing else. */
  fail(...args: string[]): Promise<{ code: string; message: string }>;
  /** Of one that goes on until it is interrupted, at the file's end by itself. */
  start(...args: string[]): Going;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** A build on a busy machine; nothing when the program is as new as its sources. */
export const BUILD_LIMIT_MS = 180_000;

let built: Promise<Outcome> | undefined;

/** Builds the program first when its sources have changed since, as npm does. */
export async function openCommandLine(
  database: Pick<TestDatabase, 'app_url'> | undefined,
  variables: Variables = {},
): Promise<CommandLine> {
  built ??= execute([join(ROOT, 'tools', 'setup.mjs'), 'cli'], process.env);
  const { status, stderr } = await built;
  if (status !== 0) throw new Error(stderr);
  const env: Variables = {
    PATH: process.env['PATH'],
    // Empty: nothing that runs on this machine is found by accident.
    DATA_DIRECTORY: mkdtempSync(join(readStack().folder, 'cli-')),
    ...(database ? { DATABASE_URL: database.app_url } : {}),
    ...variables,
  };
  const run = (...args: string[]): Promise<Outcome> => execute([PROGRAM, ...args], env);
  return {
    run,
    async json(...args) {
      const { status, stdout, stderr } = await run(...args, '--json');
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return parseLine(stdout);
    },
    async fail(...args) {
      const { status, stdout, stderr } = await run(...args, '--json');
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      const { ok, error, ...rest } = parseLine(stderr) as Record<string, unknown>;
      expect({ ok, rest }).toEqual({ ok: false, rest: {} });
      return error as { code: string; message: string };
    },
    start(...args) {
      const child = launch([PROGRAM, ...args], env);
      closeAfterFile(() => void child.process.kill('SIGKILL'));
      return {
        lines: () => child.stdout().split('\n').slice(0, -1),
        interrupt() {
          child.process.kill('SIGINT');
          return child.ended;
        },
      };
    },
  };
}

/** One object, on one line, and nothing beside it. */
export function parseLine(text: string): unknown {
  expect(text.endsWith('\n')).toBe(true);
  expect(text.slice(0, -1)).not.toContain('\n');
  expect(text.startsWith('{')).toBe(true);
  return JSON.parse(text);
}

function execute(args: string[], env: Variables): Promise<Outcome> {
  return launch(args, env).ended;
}

interface Launched {
  readonly process: ChildProcess;
  readonly stdout: () => string;
  readonly ended: Promise<Outcome>;
}

function launch(args: string[], env: Variables): Launched {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
  return { process: child, stdout: () => stdout, ended };
}
