// The system that the commands talk to: the one that the environment names, or the one that
// `npm start` runs here.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/load';
import { CommandError } from './command';

/** What webhook secrets are sealed with; made by `npm start` in its data folder. */
export const SECRETS_KEY_FILE = 'secrets-key';

/** As far as commands read it; the whole is described in docs/configuration.md. */
export interface DemoFile {
  readonly database_url: string;
  readonly temporal_address?: string;
  readonly temporal_namespace?: string;
  readonly pay_url_base?: string;
  readonly base_url?: string;
  /** The merchant first. */
  readonly users?: readonly { readonly username: string; readonly test_key: string }[];
  /** The secret is the sandbox's. */
  readonly gateway?: { readonly notification_url: string; readonly secret: string | null } | null;
}

export interface RunningSystem {
  readonly database_url: string;
  /** Undefined when nobody said where Temporal is. */
  readonly temporal_address: string | undefined;
  readonly temporal_namespace: string;
  readonly pay_url_base: string;
  /** The first seals, all open; none when nobody said any. */
  readonly secrets_keys: readonly string[];
  /** Only when `npm start` runs on this very database: another system's file says nothing of ours. */
  readonly demo: DemoFile | undefined;
}

export function findRunningSystem(config: Config): RunningSystem {
  const file = readDemoFile(config);
  const database_url = config.database_url ?? file?.database_url;
  if (database_url === undefined) {
    throw new CommandError(
      'not_running',
      'Nothing runs here: npm start first, or set DATABASE_URL',
    );
  }
  const demo = file?.database_url === database_url ? file : undefined;
  const isOwn = (name: string): boolean => config.given.has(name);
  return {
    database_url,
    temporal_address: config.temporal_address ?? demo?.temporal_address,
    temporal_namespace: isOwn('TEMPORAL_NAMESPACE')
      ? config.temporal_namespace
      : (demo?.temporal_namespace ?? config.temporal_namespace),
    pay_url_base:
      isOwn('PAY_URL_BASE') || isOwn('PUBLIC_URL')
        ? config.pay_url_base
        : (demo?.pay_url_base ?? config.pay_url_base),
    secrets_keys: config.secrets_keys.length > 0 ? config.secrets_keys : keptKeys(config, demo),
    demo,
  };
}

/** `npm start` makes its key and keeps it there. */
function keptKeys({ data_directory }: Config, demo: DemoFile | undefined): readonly string[] {
  const file = join(data_directory, SECRETS_KEY_FILE);
  return demo && existsSync(file) ? [readFileSync(file, 'utf8').trim()] : [];
}

function readDemoFile({ data_directory }: Config): DemoFile | undefined {
  const file = join(data_directory, 'demo.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoFile) : undefined;
}
