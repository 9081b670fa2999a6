// The project as users deploy it: its files in a folder with a `.env`, and Docker's commands in that folder.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { makeSealingKey } from '../../../secrets/keyring';
import type { Authority } from '../../support/certificate';
import { makeAuthority } from '../../support/certificate';
import { closeAfterFile } from '../../support/cleanup';
import { pickTestPort } from '../../support/ports';
import { PROJECT } from './stand-ins';

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Deployment {
  readonly folder: string;
  readonly authority: Authority;
  readonly ports: { readonly http: number; readonly https: number; readonly receiver: number };
  /** Values of `.env`, which changed ones replace. */
  set(settings: Readonly<Record<string, string>>): void;
  /** Adds an override file, by its path. */
  override(file: string): void;
  /** Runs a script of an operator's; `docker compose` in it means this deployment. */
  shell(script: string, input?: string): Promise<Ended>;
  /** The same, and returns what it prints. @throws unless it ends with status 0 */
  run(script: string, input?: string): Promise<string>;
  /** Its containers, networks and data; another one can be started then. */
  remove(): Promise<void>;
}

export const DOMAIN = 'pay.internal';
export const SANDBOX_DOMAIN = 'sandbox.internal';
/** Those of containers are the network's own. */
const RECEIVERS = { WEBHOOK_ALLOWED_ADDRESSES: '172.30.83.20', WEBHOOK_ALLOW_PRIVATE: 'true' };
const PASSWORDS = [
  'POSTGRES_PASSWORD',
  'PAYMENTS_OWNER_PASSWORD',
  'PAYMENTS_APP_PASSWORD',
  'PAYMENTS_OPERATOR_PASSWORD',
  'TEMPORAL_DB_PASSWORD',
  'SANDBOX_GATEWAY_SECRET',
];

/** Makes the folder; nothing is started. What runs is removed after the file, with its data. */
export async function makeDeployment(name: string): Promise<Deployment> {
  const { host, compose, stand_ins } = JSON.parse(process.env['CONTAINERS']!) as {
    readonly host?: string;
    readonly compose: string;
    readonly stand_ins: Readonly<Record<string, string>>;
  };
  const folder = mkdtempSync(join(tmpdir(), 'payment-api-containers-'));
  copyProject(folder);
  const files = join(folder, '.test');
  mkdirSync(join(files, 'bin'), { recursive: true });
  const authority = makeAuthority();
  writeFileSync(join(files, 'authority.pem'), authority.cert);
  writeFileSync(join(files, 'authority.key'), authority.key, { mode: 0o600 });
  const shim = `#!/bin/sh\n[ "$1" = compose ] || exec docker-engine "$@"\nshift\nexec ${compose} "$@"\n`;
  const docker = execFileSync('sh', ['-c', 'command -v docker'], { encoding: 'utf8' }).trim();
  writeFileSync(join(files, 'bin', 'docker'), shim.replace('docker-engine', docker), {
    mode: 0o755,
  });
  const ports = {
    http: await pickTestPort(),
    https: await pickTestPort(),
    receiver: await pickTestPort(),
  };
  const standIns = Object.entries(stand_ins).map(([image, stand_in]) => {
    const [official] = image.split(':') as [string];
    const key = official.replace('admin-tools', 'tools').replace('temporalio', 'temporal');
    return [`STAND_IN_${key.toUpperCase().replace(/[/-]/g, '_')}`, stand_in] as const;
  });
  const settings: Record<string, string> = {
    DOMAIN,
    SANDBOX_DOMAIN,
    SECRETS_KEYS: makeSealingKey(),
    ...Object.fromEntries(PASSWORDS.map((one) => [one, randomBytes(24).toString('hex')])),
    VERSION: name,
    ...RECEIVERS,
    ...Object.fromEntries(standIns),
    TEST_BUILD: '1',
    TEST_FOLDER: files,
    TEST_PROJECT: PROJECT,
    TEST_HTTP_PORT: String(ports.http),
    TEST_HTTPS_PORT: String(ports.https),
    TEST_RECEIVER_PORT: String(ports.receiver),
  };
  const overrides = ['docker-compose.yml', join(PROJECT, 'test', 'containers', 'override.yml')];
  const shell: Deployment['shell'] = (script, input = '') =>
    runShell(script, input, folder, {
      PATH: `${join(files, 'bin')}:${process.env['PATH']}`,
      HOME: folder,
      COMPOSE_PROJECT_NAME: `payments-${name}`,
      COMPOSE_FILE: overrides.join(':'),
      ...(host === undefined ? {} : { DOCKER_HOST: host }),
    });
  const set: Deployment['set'] = (more) => {
    Object.assign(settings, more);
    const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`);
    writeFileSync(join(folder, '.env'), lines.join(''), { mode: 0o600 });
  };
  set({});
  const remove = async (): Promise<void> => {
    await shell('docker compose --profile "*" down --volumes --remove-orphans --timeout 1');
  };
  closeAfterFile(async () => {
    if (process.env['KEEP_CONTAINERS'] !== undefined) return;
    await remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  // A run that was killed may have left them.
  await remove();
  return {
    folder,
    authority,
    ports,
    set,
    remove,
    override: (file) => void overrides.push(file),
    shell,
    async run(script, input) {
      const { status, stdout, stderr } = await shell(script, input);
      if (status !== 0)
        throw new Error(`${script}\nended with ${status}:\n${stderr.slice(-4_000)}`);
      return stdout;
    },
  };
}

/** The files of a clone, with those that are not committed yet. */
function copyProject(folder: string): void {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const files = execFileSync('git', list, { cwd: PROJECT, encoding: 'utf8', maxBuffer: 2 ** 26 });
  for (const file of files.split('\0').filter((one) => one !== '' && !one.startsWith('test/'))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(PROJECT, file), join(folder, file), { preserveTimestamps: true });
  }
}

function runShell(
  script: string,
  input: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Ended> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd, env });
  closeAfterFile(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined).end(input);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => {
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
}
