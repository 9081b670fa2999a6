// Turns the process environment into one frozen, validated object, once, at start. The only file
// that knows the names of environment variables; all faults are listed at once.

import { join, resolve } from 'node:path';
import Ajv, { type ErrorObject } from 'ajv';
import { CURRENCIES, type Currency } from '../domain/currency';
import { parseAmount, type Minor } from '../domain/money';
import { environmentSchema, type Environment } from './schema';

export interface Config {
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  readonly public_url: string;
  readonly pay_url_base: string;
  readonly database_url: string | undefined;
  readonly database_owner_url: string | undefined;
  readonly database_pool_size: number;
  readonly temporal_address: string | undefined;
  readonly temporal_namespace: string;
  readonly temporal_ui_url: string | undefined;
  readonly temporal_ui_port: number;
  readonly temporal_cli: string | undefined;
  readonly workflow_bundle: string;
  readonly task_queue: string;
  readonly transfers_in_flight: number;
  /** The first is issued, all are accepted. */
  readonly key_prefixes: readonly string[];
  readonly max_transfer: Readonly<Record<Currency, Minor>>;
  readonly tls: { readonly cert_file: string; readonly key_file: string } | undefined;
  readonly trusted_proxies: readonly string[];
  readonly access_log_file: string | undefined;
  readonly data_directory: string;
  /** Settings given by hand: a taken default port may be replaced, a chosen one may not. */
  readonly given: ReadonlySet<string>;
}

/** Thrown with every fault at once, one a line, in words an operator can act on. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length} fault(s):\n${faults.map((f) => `  - ${f}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  // An empty variable means "not set", as compose files and shells write it.
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(environmentSchema.properties)) {
    if (env[name] !== undefined && env[name] !== '') values[name] = env[name];
  }
  const given = new Set(Object.keys(values));
  const faults: string[] = [];
  const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true });
  const validate = ajv.compile(environmentSchema);
  if (!validate(values)) faults.push(...(validate.errors ?? []).map(describeFault));
  const settings = values as Environment;

  if ((settings.TLS_CERT_FILE === undefined) !== (settings.TLS_KEY_FILE === undefined)) {
    faults.push('TLS_CERT_FILE and TLS_KEY_FILE go together');
  }
  const limits = CURRENCIES.map((currency) => {
    const text = settings[`MAX_TRANSFER_${currency}`];
    const parsed = parseAmount(typeof text === 'string' ? text : '', currency);
    if (!parsed.ok && typeof text === 'string') {
      faults.push(`MAX_TRANSFER_${currency} is not an amount of ${currency} (${parsed.fault})`);
    }
    return [currency, parsed.ok ? parsed.amount : 0n] as const;
  });
  const production = settings.NODE_ENV === 'production';
  if (production) {
    for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'PUBLIC_URL'] as const) {
      if (settings[name] === undefined) faults.push(`${name} is required in production`);
    }
    if (settings.PUBLIC_URL?.startsWith('http://')) {
      faults.push('PUBLIC_URL must be https in production: keys never travel in clear');
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);

  const scheme = settings.TLS_CERT_FILE === undefined ? 'http' : 'https';
  const public_url = settings.PUBLIC_URL ?? `${scheme}://${settings.HOST}:${settings.PORT}`;
  return Object.freeze({
    production,
    host: settings.HOST,
    port: settings.PORT,
    public_url,
    pay_url_base: settings.PAY_URL_BASE ?? public_url,
    database_url: settings.DATABASE_URL,
    database_owner_url: settings.DATABASE_OWNER_URL ?? settings.DATABASE_URL,
    database_pool_size: settings.DATABASE_POOL_SIZE,
    temporal_address: settings.TEMPORAL_ADDRESS,
    temporal_namespace: settings.TEMPORAL_NAMESPACE,
    temporal_ui_url: settings.TEMPORAL_UI_URL,
    temporal_ui_port: settings.TEMPORAL_UI_PORT,
    temporal_cli: settings.TEMPORAL_CLI,
    workflow_bundle: settings.WORKFLOW_BUNDLE ?? join(__dirname, '..', 'workflow-bundle.js'),
    task_queue: settings.TASK_QUEUE,
    transfers_in_flight: settings.TRANSFERS_IN_FLIGHT,
    key_prefixes: settings.KEY_PREFIXES.split(','),
    max_transfer: Object.freeze(Object.fromEntries(limits)) as Config['max_transfer'],
    tls:
      settings.TLS_CERT_FILE !== undefined && settings.TLS_KEY_FILE !== undefined
        ? { cert_file: settings.TLS_CERT_FILE, key_file: settings.TLS_KEY_FILE }
        : undefined,
    trusted_proxies: settings.TRUSTED_PROXIES.split(',')
      .map((s) => s.trim())
      .filter(Boolean),
    access_log_file: settings.ACCESS_LOG_FILE,
    data_directory: resolve(settings.DATA_DIRECTORY),
    given,
  });
}

function describeFault(error: ErrorObject): string {
  const name = error.instancePath.slice(1) || 'environment';
  return `${name} ${error.message ?? 'is not valid'}`;
}
