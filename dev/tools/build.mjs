// node dev/tools/build.mjs
//
// Compiles the program into dist, and adds the workflow bundle and the other files that it reads.

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from './bundle.mjs';
import { withLock } from './lock.mjs';
import { run, startProgress } from './run.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

// The program reads these at run time, beside its compiled code: SQL, what pages load, a thread, scenes.
const COPIED = /\.(css|js|mjs|sql|svg|yaml)$/;
// Packing and trying the clients writes these.
const MADE_OF_CLIENTS = /\/(dist|build|__pycache__|[^/]+\.egg-info|typescript\/LICENSE)$/;

/** Whether dist was built from the present sources, compared by name, size and time. */
export function isBuilt() {
  const stamp = join(root, 'dist', '.built');
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === fingerprint();
}

/**
 * Builds under another name, then renames to dist, so that a failed build leaves the old one. The
 * caller holds the lock.
 */
export async function build() {
  removeDrafts();
  const draft = join(root, `dist.${process.pid}`);
  const dist = join(root, 'dist');
  // Taken first, so that a source that changes during the build makes the next call build again.
  const stamp = fingerprint();
  try {
    await run({
      message: 'Compiling',
      command: join(root, 'node_modules', '.bin', 'tsc'),
      args: ['-p', 'tsconfig.build.json', '--outDir', draft],
      cwd: root,
    });
    const outside = excluded().map((path) => join(root, path));
    const filter = (path) =>
      !outside.includes(path) && (fs.statSync(path).isDirectory() || COPIED.test(path));
    for (const room of rooms()) {
      fs.cpSync(join(root, room), join(draft, room), { recursive: true, filter });
    }
    const progress = startProgress('Bundling the workflows');
    try {
      await bundleWorkflows({
        workflows: join(draft, 'workflows', 'index.js'),
        bundle: join(draft, 'workflow-bundle.js'),
      });
    } finally {
      progress.end();
    }
    // Its packages are there only after the installation, which imports this file.
    const { packClients } = await import('./pack-clients.mjs');
    await packClients(root, join(draft, 'client-packages'));
    fs.writeFileSync(join(draft, '.built'), stamp);
    replaceFolder(dist, draft);
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

// Drafts are left behind by killed builds.
function removeDrafts() {
  for (const entry of fs.readdirSync(root)) {
    if (/^dist\.\d+/.test(entry)) fs.rmSync(join(root, entry), { recursive: true, force: true });
  }
}

// Running processes keep the files that they have loaded.
function replaceFolder(folder, draft) {
  const old = `${draft}.old`;
  if (fs.existsSync(folder)) fs.renameSync(folder, old);
  fs.renameSync(draft, folder);
  fs.rmSync(old, { recursive: true, force: true });
}

/** The folders that the build reads; `dist` and its drafts are what it writes. */
function rooms() {
  return fs
    .readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^\.|^dist/.test(entry.name))
    .map((entry) => entry.name)
    .filter((name) => !excluded().includes(name));
}

function excluded() {
  return JSON.parse(fs.readFileSync(join(root, 'tsconfig.build.json'), 'utf8')).exclude;
}

function fingerprint() {
  const files = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
  const hash = createHash('sha256');
  const add = (path) => {
    const found = fs.statSync(join(root, path), { throwIfNoEntry: false });
    if (found === undefined || MADE_OF_CLIENTS.test(path)) return;
    if (found.isDirectory()) {
      for (const entry of fs.readdirSync(join(root, path)).sort()) add(`${path}/${entry}`);
    } else {
      hash.update(`${path} ${found.size} ${found.mtimeMs}\n`);
    }
  };
  for (const path of [...files, ...rooms(), 'clients']) add(path);
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  withLock(root, build).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
