// Do the tests catch broken code? Each slip, by hand (slips.ts) or made from the sources (made.ts), is made in a copy of
// them, and one of the tests that own it must fail.

import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { readStack, type Stack } from '../support/stack';
import { asSuperuser, withDatabase } from '../support/superuser';
import { EQUIVALENT } from './equivalent';
import { makeSlips } from './made';
import { testsOf } from './owners';
import { probed, probeOf, probeSchema } from './probes';
import { SLIPS } from './slips';

const ROOT = join(__dirname, '..', '..');

interface Mutant {
  readonly id: string;
  readonly file: string;
  readonly change: (source: string) => string;
  /** They run in turn until one of their tests has failed. */
  readonly tests: readonly string[];
  readonly title?: string;
  /** Moves in the tests that can notice the slip (probes.ts). */
  readonly probe?: string;
}

const MADE = makeSlips();

const MUTANTS: readonly Mutant[] = [
  ...SLIPS.map(({ from, to, what, ...slip }) => {
    const change = (source: string): string => source.split(from).join(to);
    return { ...slip, id: `${slip.id}: ${what}`, change };
  }),
  ...MADE.filter(({ id }) => !EQUIVALENT.has(id)).map((slip) => {
    const { id, file, start, end, to } = slip;
    const change = (source: string): string => source.slice(0, start) + to + source.slice(end);
    const probe = file.endsWith('.sql') ? probeOf(slip) : undefined;
    return { id, file, change, tests: testsOf(file), ...(probe && { probe }) };
  }),
];

let tree: string;
let worker: TestProcess | undefined;

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

afterAll(() => endWorker());

interface Verdict {
  readonly title?: string;
  readonly message?: string;
  readonly broken?: string;
  /** The tests in which a probe has moved; '' is before all of them. */
  readonly seen?: Readonly<Record<string, readonly string[]>>;
}

interface Run {
  readonly file: string;
  readonly titles?: readonly string[] | undefined;
  readonly stack: Stack & { readonly is_probed?: true };
  readonly limit_ms: number;
}

async function runTests(run: Run): Promise<Verdict> {
  worker ??= forkWorker();
  const answered = once(worker.process, 'message', { signal: worker.ended });
  worker.process.send({ ...run, root: tree });
  const [verdict] = (await answered) as [Verdict];
  // A file that does not even load is no test that has noticed something.
  if (verdict.broken !== undefined) throw new Error(`${run.file}: ${verdict.broken}`);
  return verdict;
}

interface TestProcess {
  readonly process: ChildProcess;
  readonly ended: AbortSignal;
}

function forkWorker(): TestProcess {
  const child = fork(join(tree, 'test/mutants/worker.js'), {
    cwd: tree,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  return { process: child, ended: ended.signal };
}

/** Its modules are those of the sources that it has read. */
function endWorker(): void {
  worker?.process.kill('SIGKILL');
  worker = undefined;
}

const PATIENT_MS = 180_000;
/** Of a test with a slip, which may make it wait for ever. */
const LIMIT_MS = 30_000;
/** More titles are as good as their file. */
const FEW = 5;

type Seen = Verdict['seen'];

const probes = new Map<string, Promise<Seen>>();

/** What the probes see while the tests of this file pass; undefined when one of them looks at plans, which probes change. */
function seenBy(file: string): Promise<Seen> {
  const known = probes.get(file) ?? runProbed(file);
  probes.set(file, known);
  return known;
}

async function runProbed(file: string): Promise<Seen> {
  const stack = { ...readStack(), is_shared: true } as const;
  const run = { file, limit_ms: PATIENT_MS };
  const { seen } = await runTests({
    ...run,
    stack: { ...stack, template: PROBED, is_probed: true },
  });
  const { title, message } = seen ? {} : await runTests({ ...run, stack });
  await dropDatabases();
  if (title !== undefined) throw new Error(`Without a slip, ${file}: ${title}\n${message}`);
  return seen;
}

const PROBED = 'payments_template_probed';
const MUTANT = 'payments_template_mutant';

beforeAll(async () => {
  const files = [...new Set(MADE.map(({ file }) => file))].filter((file) => file.endsWith('.sql'));
  const functions = files.map((file) => {
    const slips = MADE.filter((slip) => slip.file === file);
    return probed(readFileSync(join(ROOT, file), 'utf8'), slips);
  });
  const slips = MADE.filter(({ file }) => file.endsWith('.sql'));
  await makeTemplate(PROBED, [probeSchema(slips), ...functions]);
});

async function makeTemplate(name: string, statements: readonly string[]): Promise<void> {
  const { superuser_url, template } = readStack();
  await asSuperuser(superuser_url, `create database ${name} template ${template}`);
  await asSuperuser(withDatabase(superuser_url, name), statements.join('\n'));
}

/** A function of the database is replaced in a template of its own; another file is changed in the copy. */
async function withMutant<T>(
  { file, change }: Mutant,
  body: (stack: Stack) => Promise<T>,
): Promise<T> {
  const path = join(tree, file);
  const source = readFileSync(path, 'utf8');
  const mutant = change(source);
  const is_sql = file.endsWith('.sql');
  try {
    if (is_sql) {
      const before = new Set(functionsOf(source));
      await makeTemplate(
        MUTANT,
        functionsOf(mutant).filter((one) => !before.has(one)),
      );
    } else {
      endWorker();
      writeFileSync(path, mutant);
    }
    return await body({ ...readStack(), ...(is_sql && { template: MUTANT }), is_shared: true });
  } finally {
    if (!is_sql) {
      endWorker();
      cpSync(join(ROOT, file), path, { preserveTimestamps: true });
    }
    await dropDatabases();
    await asSuperuser(readStack().superuser_url, `drop database if exists ${MUTANT}`);
  }
}

const functionsOf = (sql: string): string[] => sql.split(/(?=^create or replace function )/m);

/** Each run leaves some. */
async function dropDatabases(): Promise<void> {
  const client = new Client({ connectionString: readStack().superuser_url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database where datname like 'test\\_%'`,
  );
  for (const { name } of rows) await client.query(`drop database ${name} with (force)`);
  await client.end();
}

/** The first test that fails, or those that a slip could show in and that pass all the same. */
async function noticedBy({ tests, title, probe }: Mutant, stack: Stack): Promise<Noticed> {
  const passed: string[] = [];
  for (const file of tests) {
    const all = probe === undefined ? undefined : await seenBy(file);
    const seen = all === undefined ? [''] : all[probe!];
    if (seen === undefined) continue;
    const titles = title === undefined ? seen : [title];
    const few = titles.includes('') || titles.length > FEW ? [] : [{ file, stack, titles }];
    // First those alone, if they are few; then with the others, whose rows may be what it shows in.
    for (const run of title === undefined ? [...few, { file, stack }] : few) {
      const verdict = await runTwice({ ...run, limit_ms: LIMIT_MS });
      if (verdict.title !== undefined) return verdict;
    }
    passed.push(...titles.map((one) => one || `all of ${file}`));
  }
  return { passed };
}

/** A machine that is busy is no slip. */
async function runTwice(run: Run): Promise<Verdict> {
  const verdict = await runTests(run);
  return verdict.message?.includes('Exceeded timeout') ? runTests(run) : verdict;
}

interface Noticed {
  readonly title?: string;
  readonly message?: string;
  readonly passed?: readonly string[];
}

it.each(MUTANTS)('$id', async (mutant) => {
  // A change of the copy is none of the database, and would be there when a file is first run without a slip.
  if (mutant.probe === undefined) for (const file of mutant.tests) await seenBy(file);
  const { title, message, passed } = await withMutant(mutant, (stack) => noticedBy(mutant, stack));
  const log = process.env.MUTANTS_LOG;
  const line =
    title === undefined ? ['survived', mutant.id, ...passed!] : ['killed', mutant.id, title];
  if (log !== undefined) appendFileSync(log, `${line.join('\t')}\n`);
  if (title === undefined) {
    const tests = `the tests of ${mutant.tests.join(', ')} that could notice`;
    throw new Error(`Survived: ${tests} pass without it:\n${passed!.join('\n')}`);
  }
  process.stderr.write(`${mutant.id}\n  fails “${title}”\n${message}\n\n`);
});
