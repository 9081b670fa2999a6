import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStack } from '../support/stack';
import { BUILD_LIMIT_MS, buildCli, type Cli } from './support/cli';

let cli: Cli;

beforeAll(async () => {
  cli = await buildCli(undefined);
}, BUILD_LIMIT_MS);

async function scriptOf(shell: string): Promise<string> {
  const { status, stdout, stderr } = await cli.run('completion', shell);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

/** What bash offers after these words; the last one is under way. */
async function offered(...words: string[]): Promise<string[]> {
  const folder = mkdtempSync(join(readStack().folder, 'completion-'));
  const file = join(folder, 'payments.bash');
  writeFileSync(file, await scriptOf('bash'));
  const given = words.map((word) => `'${word}'`).join(' ');
  const program = `source ${file}; COMP_WORDS=(payments ${given}); COMP_CWORD=${words.length}; _payments; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const printed = execFileSync('bash', ['-c', program], { encoding: 'utf8' });
  return printed.split('\n').filter((word) => word !== '');
}

describe('completion', () => {
  it('completes groups, commands and options in bash', async () => {
    expect(await offered('ke')).toEqual(['keys']);
    expect(await offered('keys', 'r')).toEqual(['revoke', 'rotate']);
    expect(await offered('keys', 'create', '--allow')).toEqual(['--allow-ip']);
    expect(await offered('keys', 'create', '--ac')).toEqual(['--actor']);
    expect(await offered('suspense', 'close', '--gateway')).toEqual(['--gateway-made-no-refund']);
  });

  it('completes the values of an option and of an argument in bash', async () => {
    expect(await offered('keys', 'create', '--environment', '')).toEqual(['live', 'test']);
    expect(await offered('keys', 'create', '--user', '')).toEqual([]);
    expect(await offered('trigger', 'payment.e')).toEqual(['payment.expired']);
    expect(await offered('keys', 'create', '--environment', 'live', '--read')).toEqual([
      '--read-only',
    ]);
  });

  it('does not offer a secret on the command line', async () => {
    expect(await offered('users', 'create', '--password')).toEqual(['--password-stdin']);
  });

  it.each(['zsh', 'fish'])('prints a script for %s too', async (shell) => {
    const script = await scriptOf(shell);
    expect(script).toContain('payments');
    expect(script).toContain('allow-ip');
  });

  it('refuses another shell', async () => {
    expect((await cli.fail('completion', 'tcsh')).code).toBe('usage');
  });
});
