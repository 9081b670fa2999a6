// Finds the system that commands work on: the one in the environment variables, or the one that
// `npm start` runs here.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/load';
import { hostUrls } from '../domain/database-url';
import { CommandError } from './error';

/** `npm start` creates the key that encrypts webhook secrets and keeps it in this file. */
export const SECRETS_KEY_FILE = 'secrets-key';
/** `npm start` keeps the operators' address of the database in this file. */
export const OPERATOR_URL_FILE = 'operator-database-url';

/** The fields that commands read; docs/configuration.md describes all. */
export interface DemoFile {
  readonly database_url: string;
  readonly temporal_address?: string;
  readonly temporal_namespace?: string;
  readonly temporal_ui_url?: string | null;
  readonly pay_url_base?: string;
  readonly base_url?: string;
  /** The merchant is the first. */
  readonly users?: readonly { readonly username: string; readonly test_key: string }[];
  readonly webhook_sink?: { readonly url: string };
  /** The secret of the sandbox account. */
  readonly gateway?: { readonly notification_url: string; readonly secret: string | null } | null;
}

export interface RunningSystem {
  /** The address for the operators' role, when it is known. */
  readonly database_url: string;
  /** The address is undefined when neither the environment nor `npm start` gives one. */
  readonly temporal_address: string | undefined;
  readonly temporal_namespace: string;
  readonly temporal_ui_url: string | undefined;
  readonly pay_url_base: string;
  /** The first key encrypts, all decrypt. The list may be empty. */
  readonly secrets_keys: readonly string[];
  /** The file of `npm start`; undefined when it is about another database. */
  readonly demo: DemoFile | undefined;
}

export function findRunningSystem(config: Config): RunningSystem {
  const file = readDemoFile(config);
  const given = config.operator_database_url ?? config.database_url;
  const known_url = given ?? file?.database_url;
  if (known_url === undefined) {
    throw new CommandError(
      'not_running',
      'No running system was found: run npm start, or set OPERATOR_DATABASE_URL',
    );
  }
  const demo = file && isSameDatabase(file.database_url, known_url) ? file : undefined;
  const database_url =
    config.operator_database_url ?? storedText(config, demo, OPERATOR_URL_FILE) ?? known_url;
  const isGiven = (name: string): boolean => config.given.has(name);
  return {
    database_url,
    temporal_address: config.temporal_address ?? demo?.temporal_address,
    temporal_namespace: isGiven('TEMPORAL_NAMESPACE')
      ? config.temporal_namespace
      : (demo?.temporal_namespace ?? config.temporal_namespace),
    temporal_ui_url: config.temporal_ui_url ?? demo?.temporal_ui_url ?? undefined,
    pay_url_base:
      isGiven('PAY_URL_BASE') || isGiven('PUBLIC_URL')
        ? config.pay_url_base
        : (demo?.pay_url_base ?? config.pay_url_base),
    secrets_keys: config.secrets_keys.length > 0 ? config.secrets_keys : storedKeys(config, demo),
    demo,
  };
}

function storedKeys(config: Config, demo: DemoFile | undefined): readonly string[] {
  const key = storedText(config, demo, SECRETS_KEY_FILE);
  return key === undefined ? [] : [key];
}

function storedText(
  { data_directory }: Config,
  demo: DemoFile | undefined,
  name: string,
): string | undefined {
  const file = join(data_directory, name);
  return demo && existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** Compares the addresses, whichever role they name. */
function isSameDatabase(one: string, other: string): boolean {
  const [first, second] = [new URL(hostUrls(one)[0]), new URL(hostUrls(other)[0])];
  return first.host === second.host && first.pathname === second.pathname;
}

function readDemoFile({ data_directory }: Config): DemoFile | undefined {
  const file = join(data_directory, 'demo.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoFile) : undefined;
}
