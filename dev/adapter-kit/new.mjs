// node dev/adapter-kit/new.mjs NAME [FOLDER]
//
// Makes the folder of an adapter that compiles, and whose checks say what is still to be written.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const template = join(here, 'template');

const [name = '', folder = join('adapters', name)] = process.argv.slice(2);
const target = resolve(root, folder);
const path = relative(root, target).split(sep).join('/');
try {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(name)) {
    throw new Error(
      'Usage: npm run adapter:new NAME [FOLDER], a NAME of lower-case letters, digits and _',
    );
  }
  if (path.startsWith('..'))
    throw new Error(`The build compiles what is in ${root}: ${target} is not`);
  if (existsSync(target)) throw new Error(`${target} is there already`);
  mkdirSync(target, { recursive: true });
  for (const file of readdirSync(template)) {
    writeFileSync(join(target, file), adapted(readFileSync(join(template, file), 'utf8')));
  }
  console.log(
    `${path}/ is there. Next: docs/adapters.md, and npm run adapter:check ${checkedAs()}`,
  );
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function checkedAs() {
  return path === `adapters/${name}` ? name : `module:dist/${path}/adapter.js`;
}

/** The template's words and imports, as they are in the new folder. */
function adapted(text) {
  const word = name.replace(/(?:^|_)([a-z0-9])/g, (_, letter) => letter.toUpperCase());
  return text
    .replace(/from '(\.\.?\/[^']+)'/g, (_, source) => {
      const to = relative(target, resolve(template, source)).split(sep).join('/');
      return `from '${to}'`;
    })
    .replaceAll('EXAMPLE', name.toUpperCase())
    .replace(/Example(?!s)/g, word)
    .replaceAll("'example'", `'${name}'`)
    .replaceAll('check NAME', `check ${checkedAs()}`)
    .replaceAll('dist/PATH', `dist/${path}`);
}
