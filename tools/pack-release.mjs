// node tools/pack-release.mjs
//
// Keeps the compiled program of this version in test/upgrade/releases, where the test of upgrades finds
// it: the next version's processes run beside this one's. Run it once for each release, at its commit,
// and commit the file. The dependencies are not in it; they come from the checkout.

import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { build, isBuilt, root } from './build.mjs';
import { withLock } from './lock.mjs';

// Nothing that runs in production.
const LEFT_OUT = ['./bench', './.built'];

await withLock(root, async () => {
  if (!isBuilt()) await build();
});
const { version } = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'));
const file = join(root, 'test', 'upgrade', 'releases', `${version}.tar.gz`);
const excluded = LEFT_OUT.flatMap((path) => ['--exclude', path]);
const { status, stderr } = spawnSync('tar', ['-czf', file, ...excluded, '-C', 'dist', '.'], {
  cwd: root,
  encoding: 'utf8',
});
if (status !== 0) {
  console.error(stderr);
  process.exitCode = 1;
} else {
  console.log(`${file}: ${Math.ceil(fs.statSync(file).size / 1024)} KiB`);
}
