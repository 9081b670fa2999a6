// Do the tests catch broken code? Each slip of slips.ts is made in a copy of the sources, and a test
// that it names must fail.

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readStack } from '../support/stack';
import { SLIPS, type Slip } from './slips';

const ROOT = join(__dirname, '..', '..');

let tree: string;

beforeAll(() => {
  tree = join(readStack().folder, 'tree');
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', listed, { cwd: ROOT, encoding: 'utf8' }).split('\n');
  for (const file of files) {
    if (file === '' || file.startsWith('node_modules') || !existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    // With their times: the workflows are bundled again when one of their files is newer.
    cpSync(join(ROOT, file), join(tree, file), { preserveTimestamps: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
});

interface Run {
  readonly failed: number;
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
  const [totals = ''] = /^Tests: .*$/m.exec(output) ?? [];
  const count = (word: string): number =>
    Number(new RegExp(`(\\d+) ${word}`).exec(totals)?.[1] ?? 0);
  return { failed: count('failed'), passed: count('passed'), output };
}

async function withSlip({ file, from, to }: Slip, body: () => Promise<void>): Promise<void> {
  const path = join(tree, file);
  const source = readFileSync(path, 'utf8');
  const parts = source.split(from);
  if (parts.length !== 2) {
    throw new Error(`“${from}” is ${parts.length - 1} times in ${file}, and must be there once.`);
  }
  writeFileSync(path, parts.join(to));
  try {
    await body();
  } finally {
    cpSync(join(ROOT, file), path, { preserveTimestamps: true });
  }
}

it.each(SLIPS)('$id: $what', async (slip) => {
  await withSlip(slip, async () => {
    const { failed, passed, output } = await runTests(slip.tests, slip.title);
    if (failed > 0) return;
    const where = slip.tests.join(', ');
    throw new Error(
      passed > 0
        ? `Survived: ${passed} tests of ${where} pass although ${slip.file} says “${slip.to}”.`
        : `No test of ${where} ran:\n${output}`,
    );
  });
});
