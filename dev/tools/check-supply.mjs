// npm run check:supply
//
// Proves that we build on the packages that we chose: each npm package is locked by version and SHA-512, each container
// image by its digest, each licence is one of those that we accept, and nothing that is installed runs a program of its
// own. Works offline. Writes the list of components (SBOM) to dist/sbom.cdx.json. docs/decisions/toolchain.md says why,
// and what it leaves open.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { root } from './build.mjs';

// All of them allow use and distribution without conditions on our own code.
const LICENCES = new Set([
  '(BSD-3-Clause OR GPL-2.0)',
  '(MIT OR CC0-1.0)',
  '0BSD',
  'Apache-2.0',
  'Apache-2.0 AND MIT',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'ISC',
  'MIT',
  'MIT-0',
  // Holds for its own files: axe-core, which tests pages.
  'MPL-2.0',
  // Fonts have it, which may be embedded in documents.
  'OFL-1.1',
  'Unlicense',
]);
// The lock file names none for these; read in the packages themselves.
const LICENCES_IN_PACKAGE = { 'png-js@2.0.0': 'MIT', 'unionfs@4.6.0': 'Unlicense' };
// The project's own packages, and those that the test of the clients compiles and lints with.
const FOLDERS = ['', 'test/clients/'];
const DIGEST = /@sha256:[0-9a-f]{64}$/;

const faults = [
  ...checkVersions(),
  ...checkLock(),
  ...checkImages(),
  ...checkInstallScripts(),
  ...writeComponents(),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else console.log('Supply chain: no fault found.');

/** A range would let another version in with the next change of the lock file. */
function checkVersions() {
  return FOLDERS.flatMap((folder) => {
    const { dependencies, devDependencies } = JSON.parse(read(`${folder}package.json`));
    return Object.entries({ ...dependencies, ...devDependencies })
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${folder}package.json: ${name} is not pinned: ${version}`);
  });
}

function checkLock() {
  return FOLDERS.flatMap(checkLockOf);
}

function checkLockOf(folder) {
  const found = [];
  const file = `${folder}package-lock.json`;
  for (const [path, entry] of lockedPackages(folder)) {
    // A package without one comes from the registry that npm is set to, and its SHA-512 says what
    // it must be.
    if (entry.resolved !== undefined) {
      found.push(`${file}: ${path} names a place of its own: ${entry.resolved}`);
    }
    if (!entry.integrity?.startsWith('sha512-')) {
      found.push(`${file}: ${path} has no SHA-512: run node dev/tools/complete-lock.mjs`);
    }
  }
  return found;
}

function checkImages() {
  const compose = read('docker-compose.yml').matchAll(/^\s*image: (?!payment-api:)(\S+)$/gm);
  const bases = read('Dockerfile').matchAll(/^(?:ARG BASE=|FROM (?!\$\{BASE\}))(\S+)/gm);
  return [...compose, ...bases]
    .map(([, image]) => image)
    .filter((image) => !DIGEST.test(image))
    .map((image) => `The image ${image} is not pinned by digest.`);
}

function checkInstallScripts() {
  const places = ['Dockerfile', 'dev/tools/steps.mjs', 'test/clients/run.sh'];
  return places
    .filter((file) => /npm[^\n]* ci\b/.test(read(file)) && !read(file).includes('--ignore-scripts'))
    .map((file) => `${file}: npm ci runs without --ignore-scripts`);
}

/** The licence of each package that is shipped or used, and the list of components. */
function writeComponents() {
  const sbom = listComponents([]);
  mkdirSync(new URL('dist/', rootUrl()), { recursive: true });
  writeFileSync(
    new URL('dist/sbom.cdx.json', rootUrl()),
    JSON.stringify(listComponents(['--omit=dev']), null, 2),
  );
  const locked = new Map(
    lockedPackages().map(([path, entry]) => [
      `${path.split('node_modules/').pop()}@${entry.version}`,
      entry,
    ]),
  );
  const counts = {};
  const found = [];
  for (const { group, name, version, licenses = [] } of sbom.components) {
    const id = `${group === undefined ? '' : `${group}/`}${name}@${version}`;
    const named = licenses.map((one) => one.expression ?? one.license.id ?? one.license.name);
    const licence = LICENCES_IN_PACKAGE[id] ?? named.join(' AND ');
    // A package that is not on this machine has no licence in the lock file: the same as of the
    // package itself.
    if (licence === '' && locked.get(id)?.integrity === undefined) continue;
    if (!LICENCES.has(licence)) found.push(`${id}: licence ${licence || 'unknown'}`);
    counts[licence] = (counts[licence] ?? 0) + 1;
  }
  for (const [licence, count] of Object.entries(counts).sort(([, a], [, b]) => b - a)) {
    console.log(`${String(count).padStart(4)}  ${licence}`);
  }
  return found;
}

function listComponents(options) {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--offline', ...options];
  const self = process.env.npm_execpath;
  const [command, first] = self?.endsWith('.js') ? [process.execPath, [self]] : ['npm', []];
  const output = execFileSync(command, [...first, ...args], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output.toString('utf8'));
}

function lockedPackages(folder = '') {
  return Object.entries(JSON.parse(read(`${folder}package-lock.json`)).packages).filter(
    ([path]) => path,
  );
}

function read(file) {
  return readFileSync(new URL(file, rootUrl()), 'utf8');
}

function rootUrl() {
  return new URL('../../', import.meta.url);
}
