// Compiles the package twice, for `import` and for `require`.

import { spawnSync } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
let typescript;
try {
  typescript = createRequire(import.meta.url).resolve('typescript/package.json');
} catch {
  console.error(
    'The client is compiled with the TypeScript of the checkout: run npm ci --ignore-scripts there first.',
  );
  process.exit(1);
}
rmSync(join(here, 'dist'), { recursive: true, force: true });
for (const [folder, module, type] of [
  ['esm', 'esnext', 'module'],
  ['cjs', 'commonjs', 'commonjs'],
]) {
  const outDir = join(here, 'dist', folder);
  const { status } = spawnSync(
    process.execPath,
    [join(dirname(typescript), 'bin', 'tsc'), '-p', here, '--module', module, '--outDir', outDir],
    { stdio: 'inherit' },
  );
  if (status !== 0) process.exit(1);
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify({ type })}\n`);
}
// Of the whole house.
copyFileSync(join(here, '..', '..', 'LICENSE'), join(here, 'LICENSE'));
