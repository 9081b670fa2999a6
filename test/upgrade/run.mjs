// npm run test:upgrade [-- jest's arguments]: the released commit is built in a worktree in the cache, and its own tests
// upgrade it to this checkout's program. `released` names the commit.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const ROOT = join(FOLDER, '..', '..');
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'payment-api');

const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: ['ignore', 2, 2] });
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

const commit = git('rev-parse', readFileSync(join(FOLDER, 'released'), 'utf8').trim());
const released = join(CACHE, `released-${commit.slice(0, 12)}`);
if (!existsSync(join(released, 'dist', 'bin', 'api.js'))) {
  console.error(`Building the released version ${commit.slice(0, 12)} …`);
  rmSync(released, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  git('worktree', 'prune');
  git('worktree', 'add', '--force', '--detach', released, commit);
  const lock = 'package-lock.json';
  if (readFileSync(join(released, lock), 'utf8') === readFileSync(join(ROOT, lock), 'utf8')) {
    symlinkSync(join(ROOT, 'node_modules'), join(released, 'node_modules'));
  } else {
    run('npm', ['ci'], released);
  }
  run('npm', ['run', 'build'], released);
}

// The next version: this checkout's program, with a migration of its own where it has none.
const next = join(released, 'next');
rmSync(next, { recursive: true, force: true });
cpSync(join(ROOT, 'dist'), join(next, 'dist'), { recursive: true });
symlinkSync(join(ROOT, 'node_modules'), join(next, 'node_modules'));
cpSync(join(FOLDER, 'seeded.sql'), join(next, 'dist', 'db', 'migrations', '9000-seeded.sql'));

const jest = join(released, 'node_modules', 'jest', 'bin', 'jest.js');
const config = join(released, 'test', 'upgrade', 'jest.config.js');
const args = [jest, '--config', config, '--runInBand', ...process.argv.slice(2)];
const env = { ...process.env, UPGRADE_TO: join(next, 'dist') };
const { status } = spawnSync(process.execPath, args, { cwd: released, stdio: 'inherit', env });
process.exitCode = status ?? 1;
