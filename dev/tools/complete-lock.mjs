// Adds to package-lock.json the optional packages of other platforms that npm has left out. npm does so
// behind a registry mirror that lacks them, and `npm ci` then refuses the lock file. Run this after
// changing dependencies behind such a mirror. An entry without a checksum gets it and its licence from
// the registry, if the registry has the package.

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

const FILE = new URL('../../package-lock.json', import.meta.url);
const SYSTEMS = [
  'darwin',
  'linux',
  'win32',
  'freebsd',
  'android',
  'openharmony',
  'aix',
  'sunos',
  'netbsd',
  'openbsd',
];
const PROCESSOR = /arm64|x64|ia32|armv7|arm(?=-|$)|ppc64|s390x|riscv64|loong64/;

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const added = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(path, name)) continue;
    lock.packages[`node_modules/${name}`] = stub(name, version, entry.dev === true);
    added.push(name);
  }
}
const completed = await fillFromRegistry();
if (added.length > 0 || completed > 0) {
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(
    FILE,
    `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`,
  );
}
const missing = Object.entries(lock.packages).filter(([path, entry]) => path && !entry.integrity);
console.error(`Added ${added.length} packages of other platforms to package-lock.json.`);
console.error(`Added ${completed} checksums; ${missing.length} packages are without one.`);

async function fillFromRegistry() {
  let filled = 0;
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '' || entry.integrity) continue;
    const name = `${path.split('node_modules/').pop()}@${entry.version}`;
    const view = promisify(execFile)('npm', ['view', name, 'dist.integrity', 'license', '--json']);
    const known = await view.then(
      ({ stdout }) => JSON.parse(stdout),
      () => ({}),
    );
    if (!known['dist.integrity']) continue;
    const { version, ...rest } = entry;
    const { license } = known;
    lock.packages[path] = { version, integrity: known['dist.integrity'], license, ...rest };
    filled += 1;
  }
  return filled;
}

/** Looks where Node would: beside the package that needs it, then in each folder above. */
function isLocked(path, name) {
  for (let base = path; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    if (lock.packages[`${base === '' ? '' : `${base}/`}node_modules/${name}`]) return true;
    if (base === '') return false;
  }
}

/** The fields by which npm decides to skip a package that is not for this machine. */
function stub(name, version, dev) {
  const tail = name.split('/').pop();
  const system = SYSTEMS.find((word) => tail.includes(word));
  const processor = PROCESSOR.exec(tail)?.[0].replace('armv7', 'arm');
  const libc = tail.includes('gnu') ? 'glibc' : tail.includes('musl') ? 'musl' : undefined;
  return {
    version,
    ...(dev ? { dev } : {}),
    optional: true,
    ...(system ? { os: [system] } : {}),
    ...(processor ? { cpu: [processor] } : {}),
    ...(libc ? { libc: [libc] } : {}),
  };
}
