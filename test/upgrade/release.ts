// A released version of the program, as its processes run: from its archive, with the dependencies of
// this checkout.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PREFIX } from '../../api/prefix';
import { createAppProcess, type AppProcess } from '../faults/support/app-process';
import { closeAfterFile } from '../support/cleanup';
import { pickTestPort } from '../support/ports';
import { readStack } from '../support/stack';

export interface Release {
  /** Runs a compiled file of `bin` to its end; throws when it fails. Returns its standard output. */
  run(script: string, ...args: string[]): Promise<string>;
  startWorker(): Promise<AppProcess>;
  startApi(port?: number): Promise<AppProcess & { readonly base_url: string }>;
}

const ROOT = join(__dirname, '..', '..');

/** The one before this. */
export const PREVIOUS = '0.1.0';

/** Makes a folder with its `dist`. */
export function unpackRelease(version: string, parent: string): string {
  const folder = mkdtempSync(join(parent, `release-${version}-`));
  const dist = join(folder, 'dist');
  mkdirSync(dist);
  const archive = join(__dirname, 'releases', `${version}.tar.gz`);
  const { status, stderr } = spawnSync('tar', ['-xzf', archive, '-C', dist], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** `env` is what all of its processes get. */
export function openRelease(version: string, env: Readonly<Record<string, string>>): Release {
  const folder = unpackRelease(version, readStack().folder);
  const dist = join(folder, 'dist');
  const own_env = { PATH: process.env['PATH'] ?? '', HOME: folder, DATA_DIRECTORY: folder, ...env };

  const start = async (name: string, own: Record<string, string>): Promise<AppProcess> => {
    const started = createAppProcess({
      name: `${name} ${version}`,
      script: join(dist, 'bin', `${name}.js`),
      env: { ...own_env, ...own },
      log_file: join(folder, `${name}.log`),
    });
    closeAfterFile(() => started.close());
    await started.start();
    return started;
  };
  return {
    run: (script, ...args) => runToEnd([join(dist, 'bin', `${script}.js`), ...args], own_env),
    startWorker: () => start('worker', {}),
    async startApi(port) {
      const PORT = String(port ?? (await pickTestPort()));
      const api = await start('api', { PORT, ACCESS_LOG_FILE: join(folder, 'access.log') });
      return { ...api, base_url: `http://127.0.0.1:${PORT}${PREFIX}` };
    },
  };
}

function runToEnd(args: string[], env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      if (status === 0) resolve(stdout);
      else reject(new Error(`${args.join(' ')} ended with ${status}: ${stderr}`));
    });
  });
}
