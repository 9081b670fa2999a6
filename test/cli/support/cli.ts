// The command line as operators run it. A command runs within the test, with variables and streams of its own;
// one that runs until it is interrupted, and `asProcess`, are the built program in its own process.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCli } from '../../../cli/main';
import { closeAfterFile } from '../../support/cleanup';
import type { TestDatabase } from '../../support/database';
import { readStack } from '../../support/stack';

const ROOT = join(__dirname, '..', '..', '..');
export const PROGRAM = join(ROOT, 'dist', 'bin', 'cli.js');

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
  /** Sends SIGKILL: a crash. */
  kill(): Promise<CliResult>;
}

export interface Cli {
  /** The arguments are those after `npm run --silent cli --`; the first may be several, with blanks between them. */
  run(...args: string[]): Promise<CliResult>;
  /** Runs with --json and returns the one JSON object. The command must succeed with no other output. */
  json(...args: string[]): Promise<any>; // oxlint-disable-line typescript/no-explicit-any -- tests name its fields
  /** Runs with --json and returns the error. The command must fail with no other output. */
  fail(...args: string[]): Promise<{ code: string; message: string }>;
  /** Starts a command that runs until it is interrupted; the end of the test file kills it. */
  start(...args: string[]): RunningCommand;
  /** The same with this text on standard input. */
  withInput(text: string): Cli;
  /** The same as the built program, each command in a process of its own. */
  asProcess(): Cli;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Enough for a build on a busy machine; an up-to-date program takes no time. */
export const BUILD_LIMIT_MS = 180_000;

let built: Promise<CliResult> | undefined;

/** Builds the program if its sources have changed, as `npm run cli` does. */
export async function buildProgram(): Promise<void> {
  built ??= execute([join(ROOT, 'dev', 'tools', 'setup.mjs'), 'cli'], process.env);
  const { status, stderr } = await built;
  if (status !== 0) throw new Error(stderr);
}

export function buildCli(
  database: (Pick<TestDatabase, 'app_url'> & Partial<TestDatabase>) | undefined,
  variables: Variables = {},
): Cli {
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

function createCli(env: Variables, input: string, is_process = false): Cli {
  const run = (...args: string[]): Promise<CliResult> =>
    is_process
      ? buildProgram().then(() => execute([PROGRAM, ...wordsOf(args)], env, input))
      : runWithin(wordsOf(args), env, input);
  return {
    run,
    withInput: (text) => createCli(env, text, is_process),
    asProcess: () => createCli(env, input, true),
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
      let launched: Launched | undefined;
      const launching = buildProgram().then(
        () => (launched = launch([PROGRAM, ...wordsOf(args)], env, input)),
      );
      const end = async (signal: NodeJS.Signals): Promise<CliResult> => {
        const child = await launching;
        child.process.kill(signal);
        return child.ended;
      };
      closeAfterFile(async () => void (await end('SIGKILL')));
      return {
        lines: () => (launched?.stdout() ?? '').split('\n').slice(0, -1),
        interrupt: () => end('SIGINT'),
        kill: () => end('SIGKILL'),
      };
    },
  };
}

function wordsOf([first = '', ...others]: string[]): string[] {
  return [...first.split(' ').filter(Boolean), ...others];
}

/** The text must be one JSON object on one line. */
export function parseLine(text: string): unknown {
  expect(text.endsWith('\n')).toBe(true);
  expect(text.slice(0, -1)).not.toContain('\n');
  expect(text.startsWith('{')).toBe(true);
  return JSON.parse(text);
}

async function runWithin(args: string[], env: Variables, input: string): Promise<CliResult> {
  const written = { stdout: '', stderr: '' };
  const into = (name: keyof typeof written): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        written[name] += chunk.toString();
        done();
      },
    });
  const given = {
    env,
    stdin: Readable.from(Buffer.from(input)),
    stdout: into('stdout'),
    stderr: into('stderr'),
    exitCode: 0,
  };
  await runCli(args, given);
  return { status: given.exitCode, ...written };
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
