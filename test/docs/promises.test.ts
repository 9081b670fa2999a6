// The promises of docs/reliability.md: each has a command that leads to tests that exist, and what the README
// says one can rely on is among them.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

interface Promised {
  readonly promise: string;
  readonly command: string;
}

const section = read('docs/reliability.md').split('## Promises')[1]?.split(/^## /m)[0] ?? '';
const ROWS: Promised[] = Array.from(
  section.matchAll(/^\| (.+?) +\| `(.+?)` +\|$/gm),
  ([, promise, command]) => ({ promise: promise!, command: command! }),
);

/** Titles as the sources write them: an experiment's and a test's. */
function hasTitle(files: readonly string[], pattern: string): boolean {
  const titles = files.flatMap((file) =>
    Array.from(
      read(file).matchAll(/(['`])((?:F\d|copies|nemesis)[^'`\n]*)\1/g),
      ([, , title]) => title!,
    ),
  );
  return titles.some((title) => new RegExp(pattern).test(title));
}

function testsIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`);
}

/** The fault of a command; nothing when it runs tests. */
function faultOf(command: string): string | undefined {
  const jest = /^npx jest (test\/[\w./-]+)$/.exec(command)?.[1];
  if (jest !== undefined) {
    return existsSync(join(ROOT, jest)) ? undefined : `there is no ${jest}`;
  }
  const scripts = (JSON.parse(read('package.json')) as { readonly scripts: object }).scripts;
  const [, script, rest = ''] = /^npm run (\S+) -- (.+)$/.exec(command) ?? [];
  if (script === undefined || !(script in scripts)) return 'no command of this project';
  if (['test:containers', 'test:failover', 'test:upgrade'].includes(script)) {
    const folder = script.replace(':', '/');
    const found = testsIn(folder).some((file) => file.includes(rest));
    return found ? undefined : `no file in ${folder} has ${rest} in its name`;
  }
  if (script !== 'faults') return 'not known to prove anything';
  if (/^--soak --minutes \d+$/.test(rest) || /^--seed \d+ --minutes \d+$/.test(rest))
    return undefined;
  const pattern = /^-t (?:'([^']+)'|(\w+))$/.exec(rest);
  const title = pattern?.[1] ?? pattern?.[2];
  if (title === undefined) return 'its options are not known';
  return hasTitle(testsIn('test/faults'), title) ? undefined : `no experiment is named ${title}`;
}

describe('the promises', () => {
  it('are many', () => {
    expect(ROWS.length).toBeGreaterThan(25);
    // No row that this test does not read.
    expect(section.match(/^\| .*`np[mx] /gm)).toHaveLength(ROWS.length);
  });

  it.each(ROWS)('$command proves something', ({ command }) => {
    expect(faultOf(command)).toBeUndefined();
  });

  it('are proved by a command each', () => {
    const commands = ROWS.map(({ command }) => command);
    expect(commands.filter((command, index) => commands.indexOf(command) !== index)).toEqual([]);
  });

  it('have what the README says one can rely on', () => {
    const list = read('README.md').split('## What you can rely on')[1]!.split(/^## /m)[0]!;
    const said = Array.from(list.matchAll(/^- \*\*([^*]+?)\.?\*\*/gm), ([, words]) => words!);
    expect(said.length).toBeGreaterThan(5);
    const promised = ROWS.map(({ promise }) => promise).join('\n');
    expect(said.filter((words) => !promised.includes(`**${words}`))).toEqual([]);
  });

  it('show the last lines of commands that are promised, with no violation', () => {
    const shown = Array.from(section.matchAll(/^\$ (.+)$/gm), ([, command]) => command!);
    const known = new Set(ROWS.map(({ command }) => command));
    expect(shown.filter((command) => !known.has(command))).toEqual([]);
    expect(section).not.toMatch(/faults=[1-9]|\d failed\b/);
  });
});

describe('the check of commands', () => {
  it.each([
    ['npx jest test/api/no-such.test.ts', 'there is no'],
    ["npm run faults -- -t 'F99 nothing'", 'no experiment'],
    ['npm run test:containers -- nothing', 'no file'],
    ['npm run format -- .', 'not known to prove'],
    ['make proofs', 'no command'],
  ])('finds that %s proves nothing', (command, why) => {
    expect(faultOf(command)).toContain(why);
  });
});
