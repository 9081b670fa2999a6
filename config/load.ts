// Reads the environment variables into one frozen, validated object at start, and lists all faults at
// once. No other file knows the names of the variables.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Ajv, { type ErrorObject } from 'ajv';
import type { Environment } from '../domain/environment';
import { counted } from '../domain/language';
import { LOOPBACK } from '../domain/url';
import { RETRY_SECONDS } from '../domain/webhook';
import { readAmounts, type Amounts } from './amounts';
import { dashboardAddress, publicUrlOf } from './dashboard-address';
import { faultsOf, type ProcessKind } from './faults';
import {
  listOf,
  processEnvironmentSchema,
  SECRET_SETTINGS,
  type ProcessEnvironment,
} from './schema';

export type Config = Readonly<ReturnType<typeof configOf>>;

/** Lists every fault, one per line, so that an operator can mend all of them at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    const count = counted('en', faults.length, 'fault', 'faults');
    super(`The configuration has ${count}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true });
const validate = ajv.compile(processEnvironmentSchema);

export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  kind: ProcessKind = 'service',
): Config {
  // An empty variable counts as unset: compose files and shells write unset variables so.
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(processEnvironmentSchema.properties)) {
    if (env[name]) values[name] = env[name];
  }
  const unread = readSecretFiles(env, values);
  const given: ReadonlySet<string> = new Set(Object.keys(values));
  validate(values);
  const faults = [...unread, ...(validate.errors ?? []).map(describeFault)];
  const settings = values as ProcessEnvironment;
  const amounts = readAmounts(settings, faults);
  faults.push(...faultsOf(settings, kind));
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(configOf(settings, amounts, { given, env }));
}

/** Adds to `values` what the files of secrets hold, without the line's end. Returns the faults. */
function readSecretFiles(
  env: Readonly<Record<string, string | undefined>>,
  values: Record<string, unknown>,
): string[] {
  return SECRET_SETTINGS.flatMap((name) => {
    const variable = `${name}_FILE`;
    const file = env[variable];
    if (!file) return [];
    if (values[name] !== undefined) return [`${name} and ${variable} must not be set together`];
    try {
      values[name] = readFileSync(file, 'utf8').trimEnd();
      return [];
    } catch (error) {
      return [`${variable}: ${(error as Error).message}`];
    }
  });
}

function describeFault(error: ErrorObject): string {
  const name = error.instancePath.slice(1) || 'environment';
  return `${name} ${error.message ?? 'is not valid'}`;
}

/** The environment as it was given, and which of the settings it has. */
interface Source {
  readonly given: ReadonlySet<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

function configOf(settings: ProcessEnvironment, amounts: Amounts, { given, env }: Source) {
  const public_url = publicUrlOf(settings);
  const is_production = settings.NODE_ENV === 'production';
  return {
    production: is_production,
    host: settings.HOST,
    port: settings.PORT,
    public_url,
    pay_url_base: settings.PAY_URL_BASE ?? public_url,
    ...dashboardAddress(settings.DASHBOARD_URL, public_url),
    database_url: settings.DATABASE_URL,
    database_owner_url: settings.DATABASE_OWNER_URL ?? settings.DATABASE_URL,
    operator_database_url: settings.OPERATOR_DATABASE_URL,
    /** Undefined: what may be read from a standby is read from the primary. */
    database_read_url: settings.DATABASE_READ_URL,
    /** The operator's name. */
    operator: settings.OPERATOR,
    database_pool_size: settings.DATABASE_POOL_SIZE,
    temporal_address: settings.TEMPORAL_ADDRESS,
    temporal_namespace: settings.TEMPORAL_NAMESPACE,
    temporal_ui_url: settings.TEMPORAL_UI_URL,
    temporal_ui_port: settings.TEMPORAL_UI_PORT,
    temporal_cli: settings.TEMPORAL_CLI,
    /** Covers what this process says to Temporal; what others encrypted is always read. */
    encrypt_payloads: settings.TEMPORAL_ENCRYPT_PAYLOADS,
    codec_server: codecServerOf(settings),
    workflow_bundle: settings.WORKFLOW_BUNDLE ?? join(__dirname, '..', 'workflow-bundle.js'),
    task_queue: settings.TASK_QUEUE,
    transfers_in_flight: settings.TRANSFERS_IN_FLIGHT,
    transfers_per_workflow: settings.TRANSFERS_PER_WORKFLOW,
    notification_sweep_seconds: settings.NOTIFICATION_SWEEP_SECONDS,
    /** A schedule of cron, in UTC; undefined for never. */
    reconcile_schedule:
      settings.RECONCILE_SCHEDULE === 'off' ? undefined : settings.RECONCILE_SCHEDULE,
    reconcile_grace_ms: settings.RECONCILE_GRACE_SECONDS * 1000,
    payout_keys_need_addresses: settings.PAYOUT_KEYS_NEED_ADDRESSES,
    anonymous_requests_per_minute: settings.ANONYMOUS_REQUESTS_PER_MINUTE,
    ...amounts,
    operators_need_second_factor: settings.OPERATORS_NEED_SECOND_FACTOR ?? is_production,
    identity_checks: identityChecksOf(settings),
    gateway: gatewayOf(settings, public_url, env),
    /** The first encrypts, all decrypt. */
    secrets_keys: listOf(settings.SECRETS_KEYS),
    webhooks: webhooksOf(settings),
    /** Undefined: mails stay in the table. */
    smtp: smtpOf(settings),
    tls: tlsOf(settings),
    /** An API that is stopping takes new connections for so long. */
    drain_seconds: settings.DRAIN_SECONDS,
    trusted_proxies: listOf(settings.TRUSTED_PROXIES),
    http: {
      headers_timeout_ms: settings.HTTP_HEADERS_TIMEOUT_MS,
      request_timeout_ms: settings.HTTP_REQUEST_TIMEOUT_MS,
      max_connections: settings.HTTP_MAX_CONNECTIONS,
      max_connections_per_address: settings.HTTP_MAX_CONNECTIONS_PER_ADDRESS,
    },
    /** Zero: rows are kept for ever. */
    access_log_days: settings.ACCESS_LOG_DAYS,
    /** Undefined: nothing is archived. */
    archive_directory: settings.ARCHIVE_DIRECTORY && resolve(settings.ARCHIVE_DIRECTORY),
    /** Port 0: metrics are not shown. */
    metrics: { host: settings.METRICS_HOST, port: settings.METRICS_PORT },
    /** Whether a collector is set; OpenTelemetry's SDK reads its variables itself. */
    traces: settings.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    data_directory: resolve(settings.DATA_DIRECTORY),
    /** A default port that is in use may be replaced, one of these may not. */
    given,
  };
}

function codecServerOf(settings: ProcessEnvironment) {
  const url = settings.TEMPORAL_CODEC_ORIGIN ?? settings.TEMPORAL_UI_URL;
  return {
    host: settings.TEMPORAL_CODEC_HOST,
    port: settings.TEMPORAL_CODEC_PORT,
    /** The origin as browsers send it. Pages of another are refused; undefined refuses all. */
    origin: url === undefined ? undefined : new URL(url).origin,
    /** Undefined requires none. */
    token: settings.TEMPORAL_CODEC_TOKEN,
  };
}

function tlsOf({ TLS_CERT_FILE, TLS_KEY_FILE }: ProcessEnvironment) {
  if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) return undefined;
  return { cert_file: TLS_CERT_FILE, key_file: TLS_KEY_FILE };
}

const DAY_SECONDS = 86_400;

function identityChecksOf(settings: ProcessEnvironment) {
  const expires_after_seconds = settings.IDENTITY_CHECK_DAYS * DAY_SECONDS;
  const remind_after_seconds = listOf(settings.IDENTITY_CHECK_REMIND_DAYS)
    .map((days) => Number(days) * DAY_SECONDS)
    .filter((seconds) => seconds > 0 && seconds < expires_after_seconds)
    .sort((one, other) => one - other);
  return { remind_after_seconds, expires_after_seconds, data_days: settings.IDENTITY_DATA_DAYS };
}

function gatewayOf(settings: ProcessEnvironment, public_url: string, env: Source['env']) {
  const { SANDBOX_GATEWAY_URL: url, STRIPE_SECRET_KEY: secret_key } = settings;
  const path = settings.GATEWAY_NOTIFICATION_PATH;
  const folder = resolve(settings.DATA_DIRECTORY);
  return {
    notification_path: path,
    timeout_ms: settings.GATEWAY_TIMEOUT_MS,
    /** Which gateway takes new payments; undefined where there is no choice. */
    chosen: { live: settings.LIVE_GATEWAY, sandbox: undefined },
    /** The simulator's two accounts with their secrets. */
    simulator: url === undefined ? undefined : { url, secrets: simulatorSecretsOf(settings) },
    /** Settings of the simulator's own process. */
    simulator_process: {
      host: settings.SANDBOX_GATEWAY_HOST,
      port: settings.SANDBOX_GATEWAY_PORT,
      file: settings.SANDBOX_GATEWAY_FILE ?? join(folder, 'sandbox-gateway.jsonl'),
      public_url: settings.SANDBOX_GATEWAY_PUBLIC_URL ?? url,
      notification_url: settings.GATEWAY_NOTIFICATION_URL ?? public_url + path,
    },
    stripe:
      secret_key === undefined
        ? undefined
        : {
            secret_key,
            webhook_secrets: listOf(settings.STRIPE_WEBHOOK_SECRETS),
            api_url: settings.STRIPE_API_URL,
          },
    pawapay: pawapayOf(settings, public_url + path),
    /** Adapters of one's own: the compiled modules, and the variables in which they find their settings. */
    modules: { paths: listOf(settings.GATEWAY_MODULES), env: settings.GATEWAY_MODULES ? env : {} },
  };
}

function pawapayOf(settings: ProcessEnvironment, callback_url: string) {
  const { PAWAPAY_API_TOKEN: token, PAWAPAY_API_URL: url } = settings;
  if (token === undefined) return undefined;
  return { url, token, callback_keys: listOf(settings.PAWAPAY_CALLBACK_KEYS), callback_url };
}

function simulatorSecretsOf(
  settings: ProcessEnvironment,
): Readonly<Record<Environment, readonly string[]>> {
  return {
    live: listOf(settings.LIVE_SIMULATOR_SECRETS),
    sandbox: listOf(settings.SANDBOX_GATEWAY_SECRETS),
  };
}

function webhooksOf(settings: ProcessEnvironment) {
  const { WEBHOOK_RETRY_SECONDS: retries } = settings;
  return {
    retry_seconds: retries === undefined ? RETRY_SECONDS : listOf(retries).map(Number),
    timeout_ms: settings.WEBHOOK_TIMEOUT_MS,
    /** Concurrent deliveries to one endpoint. */
    concurrency: settings.WEBHOOK_CONCURRENCY,
    disable_after_hours: settings.WEBHOOK_DISABLE_AFTER_HOURS,
    ports: listOf(settings.WEBHOOK_PORTS).map(Number),
    /** Non-public addresses and ranges that webhooks may call. */
    allowed_addresses: listOf(settings.WEBHOOK_ALLOWED_ADDRESSES),
    /** Days after the end of an attempt's month; zero: never. */
    attempt_days: settings.WEBHOOK_ATTEMPT_DAYS,
    sink_port: settings.WEBHOOK_SINK_PORT,
  };
}

function smtpOf({ SMTP_URL: url, MAIL_FROM: from, NODE_ENV }: ProcessEnvironment) {
  if (url === undefined || from === undefined) return undefined;
  // A relay on the same machine has no certificate, and its mails cross no network.
  const is_loopback = LOOPBACK.includes(new URL(url).hostname);
  return { url, from, require_tls: NODE_ENV === 'production' && !is_loopback };
}
