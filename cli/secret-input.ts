// Secrets that a command is given. They come from standard input: every user of a machine can read the
// command lines of its processes, and shells keep them.

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from './error';
import type { Options } from './options';

/** Far above any password, key or secret. */
const MAX_BYTES = 4_096;
const SUFFIX = '-stdin';

/**
 * The first line of standard input when `--<name>-stdin` is given, asked for without echo at a
 * terminal. Undefined without the option.
 */
export async function readSecretInput(options: Options, name: string): Promise<string | undefined> {
  if (!options.has(name + SUFFIX)) return undefined;
  const text = process.stdin.isTTY ? await askHidden(name) : await readAll();
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '') throw new CommandError('usage', `Standard input has no ${name}`);
  return line;
}

/** Refuses `--<name>` where a command has `--<name>-stdin`, without repeating the value. */
export function refuseSecretArguments(
  args: readonly string[],
  options: Readonly<Record<string, unknown>>,
): void {
  for (const option of Object.keys(options)) {
    if (!option.endsWith(SUFFIX)) continue;
    const name = option.slice(0, -SUFFIX.length);
    if (!args.some((word) => word === `--${name}` || word.startsWith(`--${name}=`))) continue;
    throw new CommandError(
      'usage',
      `--${name} is not taken from the command line, where others can read it: ` +
        `give --${option}, and the ${name} on standard input`,
    );
  }
}

async function readAll(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new CommandError('usage', 'Standard input is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function askHidden(name: string): Promise<string> {
  process.stderr.write(`${name}: `);
  // What is typed is echoed to `output`, which drops it.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await new Promise((resolve) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(''));
    });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
