// Do the tests catch broken code? Each slip of slips.ts is made in a copy of the sources, and a test
// that it names must fail.

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readStack } from '../support/stack';
import { expectOnce, SLIPS, type Slip } from './slips';

const ROOT = join(__dirname, '..', '..');

let tree: string;

beforeAll(() => {
  tree = join(readStack().folder, 'tree');
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', listed, { cwd: ROOT, encoding: 'utf8' }).split('\n');
  for (const file of files) {
    if (file === '' || file.startsWith('node_modules') || !existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    // Files keep their times: the workflows are bundled again when one of their files is newer.
    cpSync(join(ROOT, file), join(tree, file), { preserveTimestamps: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
});

interface Run {
  readonly failed: readonly { readonly title: string; readonly message: string }[];
  readonly passed: number;
  readonly output: string;
}

async function runTests(files: readonly string[], title?: string): Promise<Run> {
  const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const named = title === undefined ? [] : ['-t', title];
  const args = [jest, '--bail', ...named, ...files];
  const child = spawn(process.execPath, args, { cwd: tree, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  await new Promise((resolve) => child.once('close', resolve));
  // The code, of which the lines have numbers, is not the message.
  const reports = [...output.matchAll(/^ {2}● (.*)\n\n((?: {4}(?! *>? *\d+ \|).*\n|\n)*)/gm)];
  const failed = reports
    .map(([, title, message]) => ({ title: title!, message: message!.trimEnd() }))
    // A suite that does not even load is no test that has noticed something.
    .filter(({ title }) => !title.includes('Test suite failed to run'));
  const passed = Number(/^Tests: .*?(\d+) passed/m.exec(output)?.[1] ?? 0);
  return { failed, passed, output };
}

async function withSlip({ file, from, to }: Slip, body: () => Promise<void>): Promise<void> {
  const path = join(tree, file);
  writeFileSync(path, readFileSync(path, 'utf8').split(from).join(to));
  try {
    await body();
  } finally {
    cpSync(join(ROOT, file), path, { preserveTimestamps: true });
  }
}

// Otherwise they fail for another reason than the slip.
it('the tests that must notice pass without a slip', async () => {
  const files = [...new Set(SLIPS.flatMap(({ tests }) => tests))];
  const { passed, output } = await runTests(files);
  if (passed === 0 || output.includes('●')) throw new Error(output);
}, 3_600_000);

it.each(SLIPS)('$id: $what', async (slip) => {
  expectOnce(slip);
  await withSlip(slip, async () => {
    const { failed, passed, output } = await runTests(slip.tests, slip.title);
    const where = slip.tests.join(', ');
    if (failed.length === 0) {
      throw new Error(
        passed > 0
          ? `Survived: ${passed} tests of ${where} pass although ${slip.file} says “${slip.to}”.`
          : `No test of ${where} ran:\n${output}`,
      );
    }
    const [{ title, message }, ...more] = failed as [Run['failed'][0], ...Run['failed']];
    process.stderr.write(
      `${slip.id} fails “${title}” and ${more.length} more of ${where}\n${message}\n\n`,
    );
  });
});
