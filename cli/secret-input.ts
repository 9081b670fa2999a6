// Secrets that a command is given. They come from standard input: every user of a machine can read the
// command lines of its processes, and shells keep them. Outside of production an option takes them too,
// with a warning.

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Config } from '../config/load';
import { CommandError } from './error';
import type { Options } from './options';

/** Far above any password, key or secret. */
const MAX_BYTES = 4_096;
const SUFFIX = '-stdin';

/**
 * The first line of standard input when `--<name>-stdin` is given, asked for without echo at a
 * terminal; the value of `--<name>`. Undefined without either.
 */
export async function readSecretInput(options: Options, name: string): Promise<string | undefined> {
  if (!options.has(name + SUFFIX)) return options.optional(name);
  const text = process.stdin.isTTY ? await askHidden(name) : await readAll();
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '') throw new CommandError('usage', `Standard input has no ${name}`);
  return line;
}

type OptionForms = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

/**
 * The options by which a secret may be given on the command line: `--<name>` where a command has
 * `--<name>-stdin`. Says so, or refuses it in production, and never repeats the value.
 */
export function secretOptions(
  args: readonly string[],
  options: OptionForms,
  { production }: Pick<Config, 'production'>,
  warn: (text: string) => void,
): OptionForms {
  const names = Object.keys(options)
    .filter((option) => option.endsWith(SUFFIX))
    .map((option) => option.slice(0, -SUFFIX.length))
    .filter((name) => args.some((word) => word === `--${name}` || word.startsWith(`--${name}=`)));
  for (const name of names) {
    const advice = `others can read the command line: give --${name}${SUFFIX}, and the ${name} on standard input`;
    if (production) {
      throw new CommandError('usage', `--${name} is refused in production, because ${advice}`);
    }
    warn(`Warning: --${name} is for trying things out, because ${advice}.`);
  }
  return Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
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
