// Do the tests catch broken code? Each slip, by hand (slips.ts) or made from the sources (made.ts), is made in a copy of
// them, and one of the tests that own it must fail.

import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { readStack, type Stack } from '../support/stack';
import { asSuperuser, withDatabase } from '../support/superuser';
import { EQUIVALENT } from './equivalent';
import { makeSlips } from './made';
import { testsOf } from './owners';
import { expectOnce, SLIPS } from './slips';

const ROOT = join(__dirname, '..', '..');

interface Mutant {
  readonly id: string;
  readonly file: string;
  readonly change: (source: string) => string;
  /** They run in turn until one of their tests has failed. */
  readonly tests: readonly (readonly string[])[];
  readonly title?: string;
}

const MUTANTS: readonly Mutant[] = [
  ...SLIPS.map(({ from, to, tests, what, ...slip }) => {
    const change = (source: string): string => source.split(from).join(to);
    return { ...slip, id: `${slip.id}: ${what}`, change, tests: [tests] };
  }),
  ...makeSlips()
    .filter(({ id }) => !EQUIVALENT.has(id))
    .map(({ id, file, start, end, to }) => {
      const change = (source: string): string => source.slice(0, start) + to + source.slice(end);
      return { id, file, change, tests: testsOf(file).map((one) => [one]) };
    }),
];

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

interface Verdict {
  readonly title?: string;
  readonly message?: string;
  readonly broken?: string;
  readonly passed?: number;
}

async function runTests(files: readonly string[], stack: Stack, title?: string): Promise<Verdict> {
  const named = title === undefined ? [] : ['-t', title];
  const reporter = join(tree, 'test/mutants/first-failure.js');
  const args = [
    join(ROOT, 'node_modules/jest/bin/jest.js'),
    '-i',
    ...named,
    '--reporters',
    reporter,
  ];
  const child = spawn(process.execPath, [...args, '--runTestsByPath', ...files], {
    cwd: tree,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PAYMENT_API_TEST_STACK: JSON.stringify(stack) },
  });
  let verdicts = '';
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (verdicts += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  await new Promise((resolve) => child.once('close', resolve));
  const lines = verdicts.split('\n').filter((line) => line.startsWith('{"'));
  const verdict = Object.assign({}, ...lines.map((line) => JSON.parse(line) as Verdict)) as Verdict;
  // A file that does not even load is no test that has noticed something.
  if (verdict.broken !== undefined || lines.length === 0 || verdict.passed === 0) {
    throw new Error(`No test of ${files.join(', ')} ran:\n${verdict.broken ?? output}`);
  }
  return verdict;
}

/** A function of the database is replaced in a template of its own; another file is changed in the copy. */
async function withMutant(
  { file, change }: Mutant,
  body: (stack: Stack) => Promise<void>,
): Promise<void> {
  const stack = readStack();
  const path = join(tree, file);
  const source = readFileSync(path, 'utf8');
  const mutant = change(source);
  const template = 'payments_template_mutant';
  const is_sql = file.endsWith('.sql') && !file.startsWith('db/migrations/');
  if (is_sql) {
    const before = new Set(functionsOf(source));
    const changed = functionsOf(mutant).filter((one) => !before.has(one));
    await asSuperuser(
      stack.superuser_url,
      `create database ${template} template ${stack.template}`,
    );
    await asSuperuser(withDatabase(stack.superuser_url, template), changed.join('\n'));
  } else {
    writeFileSync(path, mutant);
  }
  try {
    await body({ ...stack, ...(is_sql ? { template } : {}), is_shared: true });
  } finally {
    if (!is_sql) cpSync(join(ROOT, file), path, { preserveTimestamps: true });
    await dropDatabases(stack.superuser_url);
  }
}

const functionsOf = (sql: string): string[] => sql.split(/(?=^create or replace function )/m);

/** Each run leaves some. */
async function dropDatabases(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database where datname like 'test\\_%' or datname = 'payments_template_mutant'`,
  );
  for (const { name } of rows) await client.query(`drop database ${name} with (force)`);
  await client.end();
}

// Otherwise they fail for another reason than the slip.
it('the tests that must notice pass without a slip', async () => {
  const files = [...new Set(MUTANTS.flatMap(({ tests }) => tests.flat()))];
  for (const file of files) {
    const { title, message } = await runTests([file], { ...readStack(), is_shared: true });
    if (title !== undefined) throw new Error(`${file}: ${title}\n${message}`);
  }
}, 7_200_000);

it.each(MUTANTS)('$id', async (mutant) => {
  if ('from' in mutant) expectOnce(mutant as never);
  let noticed: Verdict | undefined;
  await withMutant(mutant, async (stack) => {
    for (const files of mutant.tests) {
      const verdict = await runTests(files, stack, mutant.title);
      if (verdict.title === undefined) continue;
      noticed = verdict;
      return;
    }
  });
  const log = process.env.MUTANTS_LOG;
  if (log !== undefined) {
    appendFileSync(
      log,
      `${noticed === undefined ? 'survived' : 'killed'}\t${mutant.id}\t${noticed?.title ?? ''}\n`,
    );
  }
  if (noticed === undefined) {
    throw new Error(`Survived: all tests of ${mutant.tests.flat().join(', ')} pass without it.`);
  }
  process.stderr.write(`${mutant.id}\n  fails “${noticed.title}”\n${noticed.message}\n\n`);
});
