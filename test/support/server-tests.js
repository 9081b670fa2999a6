// Which test files need servers: those that import stack.ts, themselves or through what they import.
// The others run without: a rule of `domain` is tested in two seconds.

const fs = require('node:fs');
const path = require('node:path');

const ROOT = path.join(__dirname, '..', '..');
const STACK = path.join(__dirname, 'stack.ts');
const IMPORT = /(?:from|import\(?|require\.resolve\()\s*'(\.[^']+)'/g;

const imports = new Map();

function importsOf(file) {
  const known = imports.get(file);
  if (known !== undefined) return known;
  const found = [...fs.readFileSync(file, 'utf8').matchAll(IMPORT)]
    .map(([, imported]) => path.join(path.dirname(file), imported))
    .flatMap((module) => [`${module}.ts`, path.join(module, 'index.ts')])
    .filter((module) => fs.existsSync(module));
  imports.set(file, found);
  return found;
}

function needsServers(file, seen = new Set()) {
  if (file === STACK) return true;
  if (seen.has(file)) return false;
  seen.add(file);
  return importsOf(file).some((imported) => needsServers(imported, seen));
}

/** Patterns of the test files that need no server. */
exports.testsWithoutServers = () =>
  fs
    .readdirSync(path.join(ROOT, 'test'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith('.test.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !needsServers(file))
    .map((file) => `/${path.relative(ROOT, file).replaceAll('.', '\\.')}$`);
