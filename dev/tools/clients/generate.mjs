// Writes the generated half of the clients from api/openapi.json: `npm run clients`. With `--check` nothing is
// written, and a file that would change is a failure; with `--model` the neutral model is printed.

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readModel } from './model.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..', '..');

/**
 * Each language, and the code samples of the pages, have a module beside this file. It exports `GENERATED`, the
 * folder that holds nothing but what is generated, and `render(model)`, which returns the text of each file by its
 * name in that folder.
 */
const LANGUAGES = readdirSync(here)
  .filter((file) => !['generate.mjs', 'model.mjs', 'names.mjs', 'types.mjs'].includes(file))
  .map((file) => file.replace(/\.mjs$/, ''));

const model = readModel(JSON.parse(readFileSync(join(root, 'api', 'openapi.json'), 'utf8')));
if (process.argv.includes('--model')) {
  process.stdout.write(`${JSON.stringify(model, null, 2)}\n`);
} else {
  const stale = [];
  for (const language of LANGUAGES) stale.push(...(await write(language)));
  if (stale.length > 0) {
    console.error(`Not what api/openapi.json says; run npm run clients:\n${stale.join('\n')}`);
    process.exitCode = 1;
  }
}

/** Returns the files that differ, when they are only looked at. */
async function write(language) {
  const { GENERATED, render } = await import(`./${language}.mjs`);
  const folder = join(root, GENERATED);
  const files = await render(model);
  const there = filesIn(folder);
  if (process.argv.includes('--check')) {
    const names = new Set([...there, ...Object.keys(files)]);
    return [...names]
      .filter(
        (name) => !there.includes(name) || readFileSync(join(folder, name), 'utf8') !== files[name],
      )
      .map((name) => relative(root, join(folder, name)));
  }
  rmSync(folder, { recursive: true, force: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return [];
}

function filesIn(folder) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
