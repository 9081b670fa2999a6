// A topology for a test file, in a temporary folder on free ports; its operators and its callers.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { SCOPES } from '../../../domain/scopes';
import { PREFIX } from '../../../http/prefix';
import { closeAfterFile } from '../../support/cleanup';
import { noteSeen, waitFor } from '../../support/wait';
import { PROJECT } from '../harness/compose-file';
import type { KeptProcess } from '../harness/kept-process';
import { startTopology, type Topology, type TopologyOptions } from '../harness/topology';

/** Covers the builds with Go on a machine that has not got them yet. */
export const START_LIMIT_MS = 1_200_000;

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payment-api-topology-'));
  if (process.env['KEEP_TOPOLOGY'] === undefined) {
    closeAfterFile(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  }
  return folder;
}

/** Processes that deliver webhooks need it: the receivers of the tests are on this machine. */
const RECEIVERS_HERE = { WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1', WEBHOOK_ALLOW_PRIVATE: 'true' };

export async function startTestTopology(
  settingsOf: TopologyOptions['settingsOf'] = () => ({}),
): Promise<Topology> {
  const topology = await startTopology({
    folder: temporaryFolder(),
    settingsOf: (service, name, prepared) => ({
      ...(['api', 'worker'].includes(service) ? RECEIVERS_HERE : {}),
      ...settingsOf(service, name, prepared),
    }),
  });
  closeAfterFile(() => topology.stop());
  return topology;
}

/** Runs the built command line as the operators' container does; returns the one JSON object it prints. */
export async function operate(
  topology: Topology,
  args: readonly string[],
  input = '',
  // oxlint-disable-next-line typescript/no-explicit-any -- tests name its fields
): Promise<any> {
  const { status, stdout, stderr } = await runProgram(
    'cli.js',
    { ...topology.environment('cli'), OPERATOR: 'awa' },
    [...args, '--json'],
    input,
  );
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
}

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A built program until its end. */
export function runProgram(
  program: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  input = '',
): Promise<Ended> {
  const child = spawn(process.execPath, [join(PROJECT, 'dist', 'bin', program), ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  closeAfterFile(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined).end(input);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => {
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: any; // oxlint-disable-line typescript/no-explicit-any -- tests name its fields
}

export interface Call {
  readonly method: 'GET' | 'POST';
  /** Follows the API's prefix, or is a whole URL. */
  readonly path: string;
  readonly key?: string;
  readonly idempotency_key?: string;
  /** Text is sent as a form, anything else as JSON. */
  readonly body?: string | object;
}

export interface Caller {
  /** Rejects when there is no response. */
  send(call: Call): Promise<Answer>;
  /** Repeats until the status, as a caller who behaves well does after 409, 5xx and no response. */
  insist(call: Call, status: number): Promise<Answer>;
}

const RETRIED = new Set([409, 502, 503, 504]);
/** Covers a Temporal that elects, a Postgres that recovers, on a machine that does other things too. */
const INSIST_LIMIT_MS = 180_000;

/** Trusts the topology's authority, and no other. */
export function openCaller({ origin, ca }: Topology): Caller {
  const agent = new Agent({ connect: { ca } });
  closeAfterFile(() => agent.destroy());
  const send = async ({ method, path, key, idempotency_key, body }: Call): Promise<Answer> => {
    const url = path.startsWith('http') ? path : origin + PREFIX + path;
    const type =
      typeof body === 'string' ? 'application/x-www-form-urlencoded' : 'application/json';
    const answer = await request(url, {
      method,
      dispatcher: agent,
      headersTimeout: 30_000,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
        ...(body === undefined ? {} : { 'content-type': type }),
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.body.text();
    const json: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
    return { status: answer.statusCode, text, json };
  };
  return {
    send,
    insist: (call, status) =>
      waitFor(async () => {
        const answer = await send(call).catch((error: unknown) => String(error));
        noteSeen(`${call.method} ${call.path}`, answer);
        if (typeof answer === 'string') return false;
        if (answer.status === status) return answer;
        if (RETRIED.has(answer.status)) return false;
        throw new Error(`${call.path}: ${answer.status} ${answer.text}`);
      }, INSIST_LIMIT_MS),
  };
}

export interface Person {
  readonly username: string;
  readonly live_key: string;
  readonly test_key: string;
}

/** Signed up, approved, with both keys and 500,000 XOF. */
export async function buildPerson(topology: Topology, username: string): Promise<Person> {
  const email = `${username}@example.com`;
  await operate(
    topology,
    [
      'users',
      'create',
      '--username',
      username,
      '--email',
      email,
      '--password-stdin',
      '--country',
      'SN',
    ],
    'correct horse battery',
  );
  await operate(topology, ['kyc', 'approve', '--user', username]);
  const createKey = async (environment: string): Promise<string> => {
    const args = [
      'keys',
      'create',
      '--user',
      username,
      '--environment',
      environment,
      ...SCOPES.flatMap((scope) => ['--scope', scope]),
      // Callers who insist would be told to wait.
      '--requests-per-minute',
      '100000',
      '--writes-per-minute',
      '100000',
    ];
    return ((await operate(topology, args)) as { key: string }).key;
  };
  await operate(topology, [
    'wallets',
    'credit',
    '--user',
    username,
    '--currency',
    'XOF',
    '--amount',
    '500000',
    '--environment',
    'live',
    '--reason',
    'first deposit',
  ]);
  return { username, live_key: await createKey('live'), test_key: await createKey('test') };
}

/** The processes of these names or services. */
export function processesOf({ processes }: Topology, names: readonly string[]): KeptProcess[] {
  return processes.filter(({ name, service }) => names.includes(name) || names.includes(service));
}
