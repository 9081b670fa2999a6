// Runs sample programs as they stand, in the languages that the machine has, beside the clients as a merchant has them.

import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Sample } from '../../pages/samples';
import { closeAfterFile } from './cleanup';

const ROOT = join(__dirname, '..', '..');
const CLIENTS = join(ROOT, 'clients');

/** Python has no folder of packages beside a program. */
export const ENVIRONMENT = {
  ...process.env,
  PYTHONPATH: join(CLIENTS, 'python'),
  PYTHONDONTWRITEBYTECODE: '1',
};

interface Runtime {
  readonly program: string;
  readonly ending: string;
  readonly run: (file: string) => readonly [string, readonly string[]];
  readonly serve: (file: string, port: number) => readonly [string, readonly string[]];
}

const runtime = (program: string, ending: string, run = program): Runtime => ({
  program,
  ending,
  run: (file) => [run, [file]],
  serve: (file) => [run, [file]],
});

export const RUNTIMES: Readonly<Record<Sample['language'], Runtime>> = {
  curl: runtime('curl', 'sh', 'sh'),
  TypeScript: runtime('node', 'mjs'),
  Python: runtime('python3', 'py'),
  PHP: {
    ...runtime('php', 'php'),
    serve: (file, port) => ['php', ['-S', `127.0.0.1:${port}`, file]],
  },
};

/** This machine may not have every language; one of CI has, or test/dashboard/guides.test.ts fails. */
export const RUNNABLE = Object.entries(RUNTIMES)
  .filter(([, { program }]) => spawnSync(program, ['--version']).error === undefined)
  .map(([language]) => language as Sample['language']);

/** The clients of PHP and TypeScript lie beside the programs. */
let folder: string | undefined;
let programs = 0;

export function programFolder(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), 'samples-'));
  closeAfterFile(() => {
    folder = undefined;
    rmSync(made, { recursive: true });
  });
  symlinkSync(join(CLIENTS, 'php'), join(made, 'payments-client'));
  const to = join(made, 'node_modules', 'payments-client');
  compile(['-p', join(CLIENTS, 'typescript'), '--outDir', to]);
  writeFileSync(join(to, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  return (folder = made);
}

/** @throws with what the compiler says */
export function compile(given: readonly string[]): void {
  const { status, stdout } = spawnSync(join(ROOT, 'node_modules', '.bin', 'tsc'), given, {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stdout);
}

export function writeProgram({ language, text }: Sample): string {
  const file = join(programFolder(), `program-${(programs += 1)}.${RUNTIMES[language].ending}`);
  writeFileSync(file, text);
  return file;
}

export function sampleIn(language: Sample['language'], of: readonly Sample[]): Sample {
  return of.find((sample) => sample.language === language)!;
}

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  /** Left out when it ended with 0. */
  readonly code?: number;
}

export function runSample(sample: Sample): Promise<Ran> {
  const [program, parameters] = RUNTIMES[sample.language].run(writeProgram(sample));
  return promisify(execFile)(program, parameters, { env: ENVIRONMENT }).catch(
    (error: Ran) => error,
  );
}
