// Whether PHP 8.1 knows the syntax of every file, as far as its parser does: the PHP of this machine may be newer.

import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// It is in the folder of the tools, to which NODE_PATH leads.
const { Engine } = createRequire(import.meta.url)('php-parser');

const parser = new Engine({ parser: { version: '8.1' } });
const folder = process.argv[2];
for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) =>
  one.endsWith('.php'),
)) {
  const program = parser.parseCode(readFileSync(join(folder, name), 'utf8'), name);
  // The parser takes these two, which came with 8.2.
  JSON.stringify(program, (_, node) => {
    const isNew =
      (node?.kind === 'class' && node.isReadonly) ||
      (node?.kind === 'trait' && node.body.some(({ kind }) => kind === 'classconstant'));
    if (isNew) throw new Error(`${name} has a ${node.kind} that PHP 8.1 does not know.`);
    return node;
  });
}
