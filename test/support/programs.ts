// Runs sample programs as they stand, in the languages that the machine has.

import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Sample } from '../../pages/samples';
import { closeAfterFile } from './cleanup';

interface Runtime {
  readonly program: string;
  readonly file: string;
  readonly run: (file: string) => readonly [string, readonly string[]];
  readonly serve: (file: string, port: number) => readonly [string, readonly string[]];
}

export const RUNTIMES: Readonly<Record<Sample['language'], Runtime>> = {
  curl: {
    program: 'curl',
    file: 'sample.sh',
    run: (file) => ['sh', [file]],
    serve: (file) => ['sh', [file]],
  },
  'Node.js': {
    program: 'node',
    file: 'sample.cjs',
    run: (file) => ['node', [file]],
    serve: (file) => ['node', [file]],
  },
  Python: {
    program: 'python3',
    file: 'sample.py',
    run: (file) => ['python3', [file]],
    serve: (file) => ['python3', [file]],
  },
  PHP: {
    program: 'php',
    file: 'sample.php',
    run: (file) => ['php', [file]],
    serve: (file, port) => ['php', ['-S', `127.0.0.1:${port}`, file]],
  },
};

/** This machine may not have every language. */
export const RUNNABLE = Object.entries(RUNTIMES)
  .filter(([, { program }]) => spawnSync(program, ['--version']).error === undefined)
  .map(([language]) => language as Sample['language']);

export function writeProgram({ language, text }: Sample): string {
  const file = join(mkdtempSync(join(tmpdir(), 'sample-')), RUNTIMES[language].file);
  closeAfterFile(() => rmSync(dirname(file), { recursive: true }));
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
  return promisify(execFile)(program, parameters).catch((error: Ran) => error);
}
