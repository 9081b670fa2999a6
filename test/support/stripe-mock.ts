// Stripe's own mock server: a Go program that checks every request against Stripe's API description and
// responds with examples. It is built once per machine, beside the Temporal server.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { closeAfterFile } from './cleanup';

// Must agree with dev/tools/stripe-mock/go.mod.
const VERSION = '0.203.0';
const SOURCE = join(__dirname, '../../dev/tools/stripe-mock');
const BUILD_LIMIT_MS = 10 * 60_000;
const START_LIMIT_MS = 120_000;

export type MockProgram = { readonly file: string } | { readonly missing: string };

/**
 * Looks in the cache, and builds it there when Go is installed. At once and not in a hook, because
 * whether there are tests at all depends on it.
 */
export function findStripeMock(): MockProgram {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = join(cache, 'payment-api', `stripe-mock-${VERSION}`);
  const file = join(folder, 'stripe-mock');
  if (existsSync(file)) return { file };
  if (spawnSync('go', ['version']).status !== 0) {
    return { missing: 'stripe-mock is not on this machine, and neither is Go to build it' };
  }
  // Directly to the terminal, because Jest holds back `console` output until the file is done.
  writeSync(2, `Building stripe-mock ${VERSION} with Go (once per machine, a minute or less) …\n`);
  mkdirSync(folder, { recursive: true });
  const draft = `${file}.${process.pid}`;
  const args = ['build', '-trimpath', '-o', draft, 'github.com/stripe/stripe-mock'];
  const { status, stderr } = spawnSync('go', args, {
    cwd: SOURCE,
    env: { ...process.env, CGO_ENABLED: '0' },
    encoding: 'utf8',
    timeout: BUILD_LIMIT_MS,
  });
  if (status === 0) {
    renameSync(draft, file);
    return { file };
  }
  rmSync(draft, { force: true });
  const reason = stderr.trim().split('\n').slice(-1)[0] || 'it took too long';
  return { missing: `stripe-mock is not on this machine, and Go could not build it: ${reason}` };
}

/** Starts the mock until the end of the test file, and resolves to its address. */
export async function startStripeMock(file: string) {
  // The mock opens a second listener on every interface unless -https-addr names one.
  const args = ['-http-addr', '127.0.0.1:0', '-https-addr', '127.0.0.1:0'];
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  closeAfterFile(async () => {
    child.kill();
    await ended;
  });
  const port = await new Promise<number>((resolve, reject) => {
    let said = '';
    const limit = setTimeout(() => reject(new Error(`It does not start: ${said}`)), START_LIMIT_MS);
    child.once('error', reject);
    child.once('close', () => reject(new Error(`It has ended: ${said}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      const found = /HTTP at address: 127\.0\.0\.1:(\d+)/.exec(said);
      if (!found) return;
      clearTimeout(limit);
      resolve(Number(found[1]));
    });
  });
  return { protocol: 'http' as const, host: '127.0.0.1', port };
}
