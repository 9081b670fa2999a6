// The command line as operators run it: the built program in its own process.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { closeAfterFile } from '../../support/cleanup';
import type { TestDatabase } from '../../support/database';
import { readStack } from '../../support/stack';

const ROOT = join(__dirname, '..', '..', '..');
const PROGRAM = join(ROOT, 'dist', 'bin', 'cli.js');

export interface CliResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs until it is interrupted. */
export interface RunningCommand {
  /** The lines that it has printed so far. */
  readonly lines: () => readonly string[];
  /** Sends SIGINT, as Ctrl-C does. */
  interrupt(): Promise<CliResult>;
  /** As a crash does. */
  kill(): Promise<CliResult>;
}

export interface Cli {
  /** The arguments are those after `npm run --silent cli --`. */
  run(...args: string[]): Promise<CliResult>;
  /** Runs with --json and returns the one JSON object. The command must succeed with no other output. */
  json(...args: string[]): Promise<any>; // oxlint-disable-line typescript/no-explicit-any -- tests name its fields
  /** Runs with --json and returns the error. The command must fail with no other output. */
  fail(...args: string[]): Promise<{ code: string; message: string }>;
  /** Starts a command that runs until it is interrupted; the end of the test file kills it. */
  start(...args: string[]): RunningCommand;
  /** The same with this text on standard input. */
  withInput(text: string): Cli;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Enough for a build on a busy machine; an up-to-date program takes no time. */
export const BUILD_LIMIT_MS = 180_000;

let built: Promise<CliResult> | undefined;

/** Builds the program first if its sources have changed, as `npm run cli` does. */
export async function buildCli(
  database: (Pick<TestDatabase, 'app_url'> & Partial<TestDatabase>) | undefined,
  variables: Variables = {},
): Promise<Cli> {
  built ??= execute([join(ROOT, 'tools', 'setup.mjs'), 'cli'], process.env);
  const { status, stderr } = await built;
  if (status !== 0) throw new Error(stderr);
  const env: Variables = {
    PATH: process.env['PATH'],
    // Empty, so that no other system on this machine is found by accident.
    DATA_DIRECTORY: mkdtempSync(join(readStack().folder, 'cli-')),
    OPERATOR: 'awa',
    ...(database
      ? { DATABASE_URL: database.app_url, OPERATOR_DATABASE_URL: database.operator_url }
      : {}),
    ...variables,
  };
  return createCli(env, '');
}

/** The built program with these variables and no others. */
export function cliWith(variables: Variables): Cli {
  return createCli(variables, '');
}

function createCli(env: Variables, input: string): Cli {
  const run = (...args: string[]): Promise<CliResult> => execute([PROGRAM, ...args], env, input);
  return {
    run,
    withInput: (text) => createCli(env, text),
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
      const child = launch([PROGRAM, ...args], env, input);
      closeAfterFile(() => void child.process.kill('SIGKILL'));
      return {
        lines: () => child.stdout().split('\n').slice(0, -1),
        interrupt() {
          child.process.kill('SIGINT');
          return child.ended;
        },
        kill() {
          child.process.kill('SIGKILL');
          return child.ended;
        },
      };
    },
  };
}

/** The text must be one JSON object on one line. */
export function parseLine(text: string): unknown {
  expect(text.endsWith('\n')).toBe(true);
  expect(text.slice(0, -1)).not.toContain('\n');
  expect(text.startsWith('{')).toBe(true);
  return JSON.parse(text);
}

function execute(args: string[], env: Variables, input = ''): Promise<CliResult> {
  return launch(args, env, input).ended;
}

interface Launched {
  readonly process: ChildProcess;
  readonly stdout: () => string;
  readonly ended: Promise<CliResult>;
}

function launch(args: string[], env: Variables, input: string): Launched {
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  // A command that does not read it may end first.
  child.stdin.on('error', () => undefined).end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<CliResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
  return { process: child, stdout: () => stdout, ended };
}
