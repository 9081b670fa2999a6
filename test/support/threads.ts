// The service may have its threads preload a file of ours. Under Jest that file is TypeScript,
// which Node does not read: the thread gets it compiled, and so runs what it runs in production.

import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import threads, { type Worker, type WorkerOptions } from 'node:worker_threads';
import { transformFileSync } from '@swc/core';
import { readStack } from './stack';

// The module is Node's own and outlives a test file: each file starts from the real class.
const real = Symbol.for('payment-api.test.worker');
const known = threads as typeof threads & { [real]?: typeof Worker };
const Real = (known[real] ??= threads.Worker);

threads.Worker = class extends Real {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    super(file, { ...options, execArgv: (options.execArgv ?? process.execArgv).map(compiled) });
  }
};

function compiled(argument: string): string {
  if (!argument.endsWith('.ts')) return argument;
  const file = join(readStack().folder, basename(argument).replace(/ts$/, 'js'));
  if (existsSync(file)) return file;
  const { code } = transformFileSync(argument, {
    swcrc: false,
    module: { type: 'commonjs' },
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  });
  // Renamed into place: the other Jest worker may want it at the same moment.
  writeFileSync(`${file}.${process.pid}`, code);
  renameSync(`${file}.${process.pid}`, file);
  return file;
}
