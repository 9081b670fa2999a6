// npm run faults [-- jest's arguments]
// npm run faults -- [--seed N] --minutes M     everything at random, for so long (nemesis.test.ts)
// npm run faults -- --soak --minutes M         steady load without faults, for so long (soak.test.ts)
//
// Each file of experiments in a jest of its own, two at a time: an experiment mostly waits, and each file
// has its own servers. Ends with the totals of all of them, and with 1 when one has failed.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const ROOT = join(FOLDER, '..', '..');
const JEST = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
const CONFIG = join(FOLDER, 'jest.config.js');
const AT_ONCE = 2;

const given = process.argv.slice(2);
const seed = take('--seed');
const minutes = take('--minutes');
if (seed !== undefined) process.env.FAULT_SEED = seed;
const is_soak = given.includes('--soak');
if (is_soak) given.splice(given.indexOf('--soak'), 1);
if (minutes !== undefined || is_soak) {
  const name = is_soak ? 'SOAK_SECONDS' : 'NEMESIS_SECONDS';
  if (minutes !== undefined) process.env[name] = String(Number(minutes) * 60);
  given.push(join(FOLDER, is_soak ? 'soak.test.ts' : 'nemesis.test.ts'));
}
// The same in all files; printed with every experiment.
process.env.FAULT_SEED ??= String(1 + Math.floor(Math.random() * 999_999));

/** Files whose experiments fill disks. */
const MOUNTING = new Set(['disk.test.ts', 'nemesis.test.ts']);

const isFile = (argument) => argument.endsWith('.test.ts');
const rest = given.filter((argument) => !isFile(argument));
const files = given.some(isFile) ? given.filter(isFile) : findFiles();

const totals = { failed: 0, skipped: 0, passed: 0 };
const running = new Set();
let has_failed = false;
let is_stopping = false;

// The experiments stop their servers; Ctrl-C in a terminal has reached them already.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    is_stopping = true;
    for (const child of running) child.kill(signal);
  });
}

await Promise.all(Array.from({ length: AT_ONCE }, workThrough));
const counts = Object.entries(totals).filter(([, count]) => count > 0);
const total = counts.reduce((sum, [, count]) => sum + count, 0);
console.log(
  `\nTests:       ${[...counts.map(([name, count]) => `${count} ${name}`), `${total} total`].join(', ')}`,
);
process.exitCode = is_stopping ? 130 : Number(has_failed);

/** Takes an option and its value out of the arguments. */
function take(name) {
  const at = given.indexOf(name);
  return at < 0 ? undefined : given.splice(at, 2)[1];
}

/** The largest first: it takes the longest. A soak says nothing in the time of the others. */
function findFiles() {
  const size = (file) => statSync(file).size;
  return readdirSync(FOLDER)
    .filter((name) => isFile(name) && name !== 'soak.test.ts')
    .map((name) => join(FOLDER, name))
    .sort((a, b) => size(b) - size(a));
}

async function workThrough() {
  for (let file = files.shift(); file !== undefined && !is_stopping; file = files.shift()) {
    const code = await runFile(file);
    if (code !== 0) has_failed = true;
  }
}

/** Passes its lines on as they come, and adds its totals to the others'. */
async function runFile(file) {
  const { prefix, FAULT_MOUNTS } = MOUNTING.has(basename(file)) ? findMounts() : { prefix: [] };
  const command = [...prefix, process.execPath, JEST, '--config', CONFIG, '--runInBand'];
  const child = spawn(command[0], [...command.slice(1), ...rest, file], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: FAULT_MOUNTS === undefined ? process.env : { ...process.env, FAULT_MOUNTS },
  });
  running.add(child);
  const readers = [child.stdout, child.stderr].map((input) => passOn(createInterface({ input })));
  const code = await new Promise((resolve) => child.once('close', resolve));
  await Promise.all(readers);
  running.delete(child);
  return code;
}

/**
 * Finds a command that gives its program mounts of its own, which vanish with it, and FAULT_MOUNTS for
 * support/small-disk.ts. It runs as root, or as root of a user namespace, which some systems do not allow.
 */
function findMounts() {
  const folder = mkdtempSync(join(tmpdir(), 'payment-api-mount-'));
  const probe = ['sh', '-c', 'mount -t tmpfs -o size=4k tmpfs "$0"', folder];
  const found = [
    ['unshare', '--mount'],
    ['unshare', '--user', '--map-root-user', '--mount'],
  ].find(([command, ...args]) => spawnSync(command, [...args, ...probe]).status === 0);
  rmdirSync(folder);
  return found === undefined
    ? { prefix: [], FAULT_MOUNTS: 'this machine lets this user mount nothing (unshare --mount)' }
    : { prefix: found, FAULT_MOUNTS: 'own' };
}

async function passOn(lines) {
  for await (const line of lines) {
    if (line.startsWith('Tests: ')) addTotals(line);
    else if (!/^(Test Suites|Snapshots|Ran all test suites)/.test(line)) console.log(line);
  }
}

function addTotals(line) {
  for (const name of Object.keys(totals)) {
    totals[name] += Number(new RegExp(`(\\d+) ${name}`).exec(line)?.[1] ?? 0);
  }
}
