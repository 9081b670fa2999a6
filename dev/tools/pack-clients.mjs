// Packs the clients as npm, pip and Composer install them, and unpacked for who has no Composer. The service hands them
// out at /clients (pages/client-packages.ts), so that no page names a package that a stranger could register.

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zipSync } from 'fflate';
import { run } from './run.mjs';

/** Writes the three packages into the new folder `into`. */
export async function packClients(root, into) {
  const clients = join(root, 'clients');
  fs.mkdirSync(into, { recursive: true });
  const npm = process.env.npm_execpath;
  const [command, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  await run({
    message: 'Packing the clients',
    command,
    args: [...first, 'pack', '--loglevel=error', '--pack-destination', into],
    cwd: join(clients, 'typescript'),
  });
  const write = ({ name, files }) =>
    fs.writeFileSync(join(into, name), zipSync(files, { mtime: '1980-01-01T00:00:00' }));
  write(wheelOf(join(clients, 'python')));
  write(phpOf(join(clients, 'php')));
}

// https://packaging.python.org/en/latest/specifications/binary-distribution-format/
function wheelOf(folder) {
  const project = fs.readFileSync(join(folder, 'pyproject.toml'), 'utf8');
  const value = (key) => project.match(new RegExp(`^${key} = "(.*)"$`, 'm'))[1];
  const version = value('version');
  const info = `payments_client-${version}.dist-info`;
  const readme = fs.readFileSync(join(folder, 'README.md'), 'utf8');
  const files = {
    ...filesIn(join(folder, 'payments_client'), 'payments_client'),
    [`${info}/METADATA`]: Buffer.from(`Metadata-Version: 2.4
Name: ${value('name')}
Version: ${version}
Summary: ${value('description')}
License-Expression: ${value('license')}
License-File: LICENSE
Keywords: ${JSON.parse(project.match(/^keywords = (.*)$/m)[1]).join(',')}
Project-URL: Repository, ${value('Repository')}
Project-URL: Issues, ${value('Issues')}
Requires-Python: ${value('requires-python')}
Description-Content-Type: text/markdown

${readme}`),
    [`${info}/licenses/LICENSE`]: fs.readFileSync(join(folder, 'LICENSE')),
    [`${info}/WHEEL`]: Buffer.from(
      'Wheel-Version: 1.0\nGenerator: payment-api\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    ),
  };
  const rows = Object.entries(files).map(([name, bytes]) => {
    const digest = createHash('sha256').update(bytes).digest('base64url');
    return `${name},sha256=${digest},${bytes.length}\n`;
  });
  files[`${info}/RECORD`] = Buffer.from(`${rows.join('')}${info}/RECORD,,\n`);
  return { name: `payments_client-${version}-py3-none-any.whl`, files };
}

// The one folder in it is what is uploaded beside a shop's pages; Composer takes what is in it.
function phpOf(folder) {
  const { version } = JSON.parse(fs.readFileSync(join(folder, 'composer.json'), 'utf8')).extra;
  const files = filesIn(folder, 'payments-client', (name) => name !== 'conformance');
  return { name: `payments-client-${version}.zip`, files };
}

function filesIn(folder, as, isIn = () => true) {
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((name) => isIn(name.split('/')[0]) && !name.includes('__pycache__'))
    .sort();
  return Object.fromEntries(
    files.map((name) => [`${as}/${name}`, fs.readFileSync(join(folder, name))]),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(process.argv[1], '..', '..', '..');
  await packClients(root, join(root, 'dist', 'client-packages'));
}
