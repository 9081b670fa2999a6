// A line that installs a package which is in no registry brings whatever a stranger registers under its name, and that
// program is given the merchant's key. clients/published.json lists what is there.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import PUBLISHED from '../../clients/published.json';
import NAMES from '../../pages/generated/client-packages.json';
import { installLines } from '../../pages/client-packages';
import { SAMPLES } from '../support/samples';

const ROOT = join(__dirname, '..', '..');
const SHOWN = [
  '*.md',
  '*.ts',
  '*.tsx',
  '*.js',
  '*.mjs',
  '*.cjs',
  '*.py',
  '*.php',
  '*.json',
  '*.toml',
  '*.yaml',
];
const TEXTS = execFileSync('git', ['ls-files', '--', ...SHOWN], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !/^test\/|package-lock\.json$/.test(file))
  .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const);

const INSTALLS =
  /\b(npm (?:install|i|add)|yarn add|pnpm add|pip3? install|composer require) +(.*)/g;
// The address says where the package is from: a URL, a path, or what a program or a page puts there.
const IS_ADDRESS = /^(https?:|\.{0,2}\/|\$|SERVICE_URL)/;
const IS_NAME = /^@?[a-z][\w./@-]*$/i;
const FROM_US =
  /composer config repositories\.payments composer \S+\/clients && composer require payments\/payments-client/g;

/** The names that stand behind a command, up to the word with which a sentence goes on. */
function namesIn(text: string): readonly string[] {
  return [...text.replace(FROM_US, '').matchAll(INSTALLS)].flatMap(([, command, rest]) => {
    const registry = command!.startsWith('pip')
      ? 'pip'
      : command!.startsWith('c')
        ? 'composer'
        : 'npm';
    const known: readonly string[] = PUBLISHED[registry];
    const names: string[] = [];
    for (const word of rest!.split(' ')) {
      const [bare] = /^[^`'",;)]*?(?=[.:]?$|[`'",;)])/.exec(word.replace(/^['"]/, ''))!;
      if (!word.startsWith('-') && !IS_ADDRESS.test(bare)) {
        if (!IS_NAME.test(bare)) break;
        if (!known.includes(bare)) names.push(bare);
      }
      if (/[`,.:;)]$/.test(word)) break;
    }
    return names;
  });
}

it.each([
  ['npm install payments-client', ['payments-client']],
  ['// npm i express payments-client', ['payments-client']],
  ['# pip install payments-client', ['payments-client']],
  ['Use `composer require payments/payments-client`.', ['payments/payments-client']],
  ['`pip install fastapi uvicorn`, then', []],
  ["pip install 'https://pay.example/clients/a.whl#sha256=00'", []],
  ['npm install ./a.tgz', []],
])('names in %j are found', (text, names) => {
  expect(namesIn(text)).toEqual(names);
});

it('no text of the product installs a package that is not published', () => {
  const found = TEXTS.flatMap(([file, text]) => namesIn(text).map((name) => `${file}: ${name}`));
  expect(found).toEqual([]);
});

it('no sample of the reference and no guide installs one', () => {
  const samples = Object.values(SAMPLES).flatMap((all) => all.map(({ text }) => text));
  const texts = [...samples, installLines('https://pay.example')];
  expect(texts.flatMap(namesIn)).toEqual([]);
  expect(texts.join('\n')).toMatch(/npm install https?:|npm install SERVICE_URL/);
});

it('the README of the service installs the package that is made', () => {
  const [, readme] = TEXTS.find(([file]) => file === 'README.md')!;
  expect(readme).toContain(`/clients/${NAMES.TypeScript}"`);
});

it.each(Object.entries(NAMES))(
  'the README of %s names the package that is made',
  (language, name) => {
    const readme = TEXTS.find(([file]) => file === `clients/${language.toLowerCase()}/README.md`)!;
    expect(readme[1]).toContain(`https://pay.example/clients/${name}`);
  },
);

it('the packages say the same of themselves: version, licence, keywords and addresses', () => {
  const read = (file: string): string => readFileSync(join(ROOT, 'clients', file), 'utf8');
  const npm = JSON.parse(read('typescript/package.json')) as Record<string, string> & {
    readonly repository: { readonly url: string };
    readonly bugs: { readonly url: string };
  };
  const composer = JSON.parse(read('php/composer.json')) as Record<string, string> & {
    readonly support: { readonly source: string; readonly issues: string };
    readonly extra: { readonly version: string };
  };
  const python = (key: string): unknown =>
    JSON.parse(new RegExp(`^${key} = (.*)$`, 'm').exec(read('python/pyproject.toml'))![1]!);
  const said = {
    version: npm['version'],
    license: npm['license'],
    keywords: npm['keywords'],
    repository: npm.repository.url.replace(/^git\+|\.git$/g, ''),
    issues: npm.bugs.url,
  };
  expect({
    version: composer.extra.version,
    license: composer['license'],
    keywords: composer['keywords'],
    repository: composer.support.source,
    issues: composer.support.issues,
  }).toEqual(said);
  expect({
    version: python('version'),
    license: python('license'),
    keywords: python('keywords'),
    repository: python('Repository'),
    issues: python('Issues'),
  }).toEqual(said);
});
