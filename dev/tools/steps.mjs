// The steps of dev/tools/setup.mjs. They use only Node's own modules, because nothing is installed yet.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, isBuilt, root } from './build.mjs';
import { withLock } from './lock.mjs';
import { run } from './run.mjs';

const TARGETS = ['start', 'test', 'bench', 'cli'];

export async function setUp(target) {
  try {
    if (!TARGETS.includes(target)) throw new Error(`Usage: setup ${TARGETS.join('|')}`);
    if (!isInstalled() || !isBuilt()) {
      await withLock(root, async () => {
        // Another set-up may have done this while we waited.
        if (!isInstalled()) await install();
        if (!isBuilt()) await build();
      });
    }
    // The command line uses a system that is running already.
    if (target !== 'cli') await prepare(target);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

function isInstalled() {
  return readIfThere(stampFile()) === lockHash() || adoptInstallation();
}

// No package runs a program of its own while it is installed (docs/decisions/toolchain.md): what
// needs one, the links in the Postgres packages, is done by dev/embedded/postgres-binaries.ts.
async function install() {
  await npm('Installing dependencies (npm ci)', 'ci', '--ignore-scripts');
  writeFileSync(stampFile(), lockHash());
}

async function npm(message, ...args) {
  // npm tells its scripts its own path. On PATH there may be another npm, or none.
  const self = process.env.npm_execpath;
  const [command, ...first] = self?.endsWith('.js') ? [process.execPath, self] : ['npm'];
  // The build needs the development dependencies, even with NODE_ENV=production.
  const quiet = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  await run({ message, command, args: [...first, ...args, ...quiet], cwd: root });
}

async function prepare(target) {
  await run({
    command: process.execPath,
    args: [join(root, 'dist', 'bin', 'prepare.js'), target],
    cwd: root,
    passthrough: true,
  });
}

// After `npm ci` or `npm install` by hand, nothing needs to be installed again: npm writes the list of
// what it has installed, as its last step.
function adoptInstallation() {
  const list = readIfThere(join(root, 'node_modules', '.package-lock.json'));
  if (list === undefined) return false;
  const installed = JSON.parse(list).packages;
  const wanted = JSON.parse(readFileSync(lockFile(), 'utf8')).packages;
  const is_current = Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
    const found = installed[path];
    if (path === '') return true;
    if (found === undefined) return optional === true;
    return found.version === version && found.integrity === integrity;
  });
  if (is_current) writeFileSync(stampFile(), lockHash());
  return is_current;
}

// Includes the platform: optional packages contain programs for one platform only.
function lockHash() {
  const hash = createHash('sha256').update(readFileSync(lockFile()));
  return hash.update(`${process.platform} ${process.arch}`).digest('hex');
}

function lockFile() {
  return join(root, 'package-lock.json');
}

function stampFile() {
  return join(root, 'node_modules', '.installed');
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
