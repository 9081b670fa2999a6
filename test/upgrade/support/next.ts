// The version to which the released one is upgraded: run.mjs has made it.

import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** The folder of its compiled program. */
export function nextProgram(): string {
  const folder = process.env['UPGRADE_TO'];
  if (folder === undefined) throw new Error('Run it by npm run test:upgrade.');
  return folder;
}

export interface Addresses {
  /** That of the application's role. */
  readonly app_url: string;
  /** That of the role that owns the schema. */
  readonly owner_url: string;
  readonly operator_url?: string;
}

/** Starts `migrate` of the next version; resolves with its exit code or signal. */
export function migrateToNext({ app_url, owner_url, operator_url }: Addresses): {
  readonly child: ChildProcess;
  readonly ended: Promise<number | NodeJS.Signals>;
} {
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: app_url,
    DATABASE_OWNER_URL: owner_url,
    ...(operator_url === undefined ? {} : { OPERATOR_DATABASE_URL: operator_url }),
  };
  const child = spawn(process.execPath, [join(nextProgram(), 'bin', 'migrate.js')], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? signal!)),
  );
  return { child, ended };
}
