// Secrets that a command is given. They come from standard input: every user of a machine can read
// the command lines of its processes, and shells keep them. Outside of production an option takes
// them too, with a warning.

import { Option } from '@commander-js/extra-typings';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { loadConfig } from '../config/load';
import type { CommandContext } from './context';
import { CommandError } from './error';
import { surroundings } from './surroundings';

/** Passwords, keys and secrets are far shorter. */
const MAX_BYTES = 4_096;

/** The option by which a secret is given. */
export function secretFromStdin<const Name extends string>(name: Name, description: string) {
  return new Option(`--${name}-stdin`, `${description}, on standard input`);
}

/**
 * The option for trying things out, which the help does not show. Production refuses it first of
 * all.
 */
export function secretInPlain<const Name extends string>(name: Name) {
  return new Option(`--${name} <value>`).hideHelp().argParser((value) => {
    const { production } = loadConfig(surroundings().env, 'command_line');
    if (!production) return value;
    throw new CommandError('usage', `--${name} is refused in production, because ${advice(name)}`);
  });
}

function advice(name: string): string {
  return `others can read the command line: give --${name}-stdin, and the ${name} on standard input`;
}

export interface GivenSecret {
  readonly from_stdin: true | undefined;
  readonly in_plain: string | undefined;
}

/**
 * Returns the first line of standard input, asked for without echo at a terminal, or the value of
 * the plain option; undefined without either.
 */
export async function readSecretInput(
  { note }: Pick<CommandContext, 'note'>,
  name: string,
  { from_stdin, in_plain }: GivenSecret,
): Promise<string | undefined> {
  if (in_plain !== undefined) {
    note(`Warning: --${name} is for trying things out, because ${advice(name)}.`);
  }
  if (!from_stdin) return in_plain;
  const text = surroundings().stdin.isTTY ? await askHidden(name) : await readAll();
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '') throw new CommandError('usage', `Standard input has no ${name}`);
  return line;
}

async function readAll(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of surroundings().stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new CommandError('usage', 'Standard input is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function askHidden(name: string): Promise<string> {
  const { stdin, stderr } = surroundings();
  stderr.write(`${name}: `);
  // Typed characters are echoed to `output`, which drops them.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output, terminal: true });
  try {
    return await new Promise((resolve) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(''));
    });
  } finally {
    lines.close();
    stderr.write('\n');
  }
}
