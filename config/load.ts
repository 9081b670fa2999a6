// Reads the environment variables into one frozen, validated object at start, and lists all faults at
// once. No other file knows the names of the variables.

import { join, resolve } from 'node:path';
import Ajv, { type ErrorObject } from 'ajv';
import { CURRENCIES, type Currency } from '../domain/currency';
import type { Environment } from '../domain/environment';
import { counted } from '../domain/language';
import { parseAmount, type Minor } from '../domain/money';
import { RETRY_SECONDS } from '../domain/webhook';
import { dashboardAddress, dashboardFaults, type DashboardAddress } from './dashboard-address';
import { processEnvironmentSchema, type ProcessEnvironment } from './schema';

export interface Config extends DashboardAddress {
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  readonly public_url: string;
  readonly pay_url_base: string;
  readonly database_url: string | undefined;
  readonly database_owner_url: string | undefined;
  readonly operator_database_url: string | undefined;
  /** The operator's name. */
  readonly operator: string | undefined;
  readonly database_pool_size: number;
  readonly temporal_address: string | undefined;
  readonly temporal_namespace: string;
  readonly temporal_ui_url: string | undefined;
  readonly temporal_ui_port: number;
  readonly temporal_cli: string | undefined;
  /** Whether what this process says to Temporal is encrypted; what others encrypted is always read. */
  readonly encrypt_payloads: boolean;
  readonly codec_server: CodecServerConfig;
  readonly workflow_bundle: string;
  readonly task_queue: string;
  /** With Temporal's worker versioning. */
  readonly worker_version:
    { readonly deployment_name: string; readonly build_id: string } | undefined;
  readonly transfers_in_flight: number;
  readonly transfers_per_workflow: number;
  readonly notification_sweep_seconds: number;
  /** Of cron, in UTC; undefined for never. */
  readonly reconcile_schedule: string | undefined;
  readonly reconcile_grace_ms: number;
  /** The first is issued, all are accepted. */
  readonly key_prefixes: readonly string[];
  /** Of one address without a valid key, in one process. */
  readonly anonymous_requests_per_minute: number;
  readonly max_transfer: Readonly<Record<Currency, Minor>>;
  readonly max_payment: Readonly<Record<Currency, Minor>>;
  /** What needs a second operator: more than this; null: nothing. For `migrate`. */
  readonly approval_above: Readonly<Record<Currency, Minor | null>>;
  /** Operators' pages open only to who has shown a second factor. */
  readonly operators_need_second_factor: boolean;
  readonly identity_checks: IdentityCheckConfig;
  readonly gateway: GatewayConfig;
  /** The first encrypts, all decrypt. */
  readonly secrets_keys: readonly string[];
  readonly webhooks: WebhookConfig;
  /** Undefined: mails stay in the table. */
  readonly smtp: SmtpConfig | undefined;
  readonly tls: { readonly cert_file: string; readonly key_file: string } | undefined;
  readonly trusted_proxies: readonly string[];
  readonly http: HttpConfig;
  /** Zero: rows are kept for ever. */
  readonly access_log_days: number;
  /** Undefined: nothing is archived. */
  readonly archive_directory: string | undefined;
  /** Port 0: metrics are not shown. */
  readonly metrics: { readonly host: string; readonly port: number };
  /** Whether a collector of traces is set; OpenTelemetry's SDK reads its variables itself. */
  readonly traces: boolean;
  readonly data_directory: string;
  /** The variables that are set: a default port that is in use may be replaced, a set one may not. */
  readonly given: ReadonlySet<string>;
}

/** Times of identity checks, in seconds after their submission. */
export interface IdentityCheckConfig {
  /** Ascending. */
  readonly remind_after_seconds: readonly number[];
  readonly expires_after_seconds: number;
  /** What was submitted is deleted so long after the decision; zero: never. */
  readonly data_days: number;
}

/** What slow and many connections may cost. */
export interface HttpConfig {
  readonly headers_timeout_ms: number;
  readonly request_timeout_ms: number;
  readonly max_connections: number;
  /** IPv6: of one /64. Trusted proxies are left out. */
  readonly max_connections_per_address: number;
}

/** The server that decrypts payloads for Temporal's UI. */
export interface CodecServerConfig {
  readonly host: string;
  readonly port: number;
  /** Pages of another origin are refused; undefined refuses all. */
  readonly origin: string | undefined;
  /** Undefined requires none. */
  readonly token: string | undefined;
}

export interface WebhookConfig {
  readonly retry_seconds: readonly number[];
  readonly timeout_ms: number;
  /** Concurrent deliveries to one endpoint. */
  readonly concurrency: number;
  readonly disable_after_hours: number;
  readonly ports: readonly number[];
  /** Non-public addresses and ranges that webhooks may call. */
  readonly allowed_addresses: readonly string[];
  readonly sweep_seconds: number;
  /** After the end of the month in which an attempt was recorded, it is dropped; zero: never. */
  readonly attempt_days: number;
  /** Of the webhook sink of `npm start`. */
  readonly sink_port: number;
}

/** Where mails are handed over. */
export interface SmtpConfig {
  readonly url: string;
  readonly from: string;
  readonly require_tls: boolean;
}

export interface GatewayConfig {
  readonly notification_path: string;
  readonly timeout_ms: number;
  /** The name of the gateway that takes new payments; undefined where there is no choice. */
  readonly chosen: Readonly<Record<Environment, string | undefined>>;
  /** The simulator's two accounts with their secrets. */
  readonly simulator:
    | {
        readonly url: string;
        readonly secrets: Readonly<Record<Environment, readonly string[]>>;
      }
    | undefined;
  /** For the simulator's own process. */
  readonly simulator_process: {
    readonly host: string;
    readonly port: number;
    readonly file: string;
    readonly public_url: string | undefined;
    readonly notification_url: string;
  };
  readonly stripe:
    | {
        readonly secret_key: string;
        readonly webhook_secrets: readonly string[];
        readonly api_url: string | undefined;
      }
    | undefined;
}

/** Lists every fault, one per line, so that an operator can mend all of them at once. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${counted('en', faults.length, 'fault', 'faults')}:\n${faults.map((f) => `  - ${f}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** Which process reads the configuration: each one gets no more secrets than it needs. */
export type ProcessKind = keyof typeof REQUIRED_IN_PRODUCTION;

const REQUIRED_IN_PRODUCTION = {
  service: ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'PUBLIC_URL', 'SECRETS_KEYS'],
  migrations: ['DATABASE_URL'],
  command_line: [],
  // It runs code that strangers reach, and gets no password and no key but its own.
  simulator: ['PUBLIC_URL'],
  codec_server: ['SECRETS_KEYS', 'TEMPORAL_CODEC_TOKEN'],
} as const;

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
  const given = new Set(Object.keys(values));
  validate(values);
  const faults = (validate.errors ?? []).map(describeFault);
  const settings = values as ProcessEnvironment;
  faults.push(...together(settings, 'TLS_CERT_FILE', 'TLS_KEY_FILE'));
  faults.push(...together(settings, 'SMTP_URL', 'MAIL_FROM'));
  faults.push(...together(settings, 'WORKER_DEPLOYMENT', 'WORKER_BUILD_ID'));
  const max_transfer = readLimits(settings, 'TRANSFER', faults);
  const max_payment = readLimits(settings, 'PAYMENT', faults);
  const approval_above = readApprovalLimits(settings, faults);
  faults.push(
    ...gatewayFaults(settings),
    ...webhookFaults(settings),
    ...accessLogFaults(settings),
    ...attemptFaults(settings),
    ...identityDataFaults(settings),
    ...httpFaults(settings),
    ...dashboardFaults(settings, publicUrlOf(settings)),
    ...(kind === 'codec_server' ? codecServerFaults(settings) : []),
    ...productionFaults(settings, kind),
  );
  if (faults.length > 0) throw new ConfigError(faults);

  const public_url = publicUrlOf(settings);
  return Object.freeze({
    production: settings.NODE_ENV === 'production',
    host: settings.HOST,
    port: settings.PORT,
    public_url,
    pay_url_base: settings.PAY_URL_BASE ?? public_url,
    ...dashboardAddress(settings.DASHBOARD_URL, public_url),
    database_url: settings.DATABASE_URL,
    database_owner_url: settings.DATABASE_OWNER_URL ?? settings.DATABASE_URL,
    operator_database_url: settings.OPERATOR_DATABASE_URL,
    operator: settings.OPERATOR,
    database_pool_size: settings.DATABASE_POOL_SIZE,
    temporal_address: settings.TEMPORAL_ADDRESS,
    temporal_namespace: settings.TEMPORAL_NAMESPACE,
    temporal_ui_url: settings.TEMPORAL_UI_URL,
    temporal_ui_port: settings.TEMPORAL_UI_PORT,
    temporal_cli: settings.TEMPORAL_CLI,
    encrypt_payloads: settings.TEMPORAL_ENCRYPT_PAYLOADS,
    codec_server: {
      host: settings.TEMPORAL_CODEC_HOST,
      port: settings.TEMPORAL_CODEC_PORT,
      origin: originOf(settings.TEMPORAL_CODEC_ORIGIN ?? settings.TEMPORAL_UI_URL),
      token: settings.TEMPORAL_CODEC_TOKEN,
    },
    workflow_bundle: settings.WORKFLOW_BUNDLE ?? join(__dirname, '..', 'workflow-bundle.js'),
    task_queue: settings.TASK_QUEUE,
    worker_version:
      settings.WORKER_DEPLOYMENT === undefined || settings.WORKER_BUILD_ID === undefined
        ? undefined
        : { deployment_name: settings.WORKER_DEPLOYMENT, build_id: settings.WORKER_BUILD_ID },
    transfers_in_flight: settings.TRANSFERS_IN_FLIGHT,
    transfers_per_workflow: settings.TRANSFERS_PER_WORKFLOW,
    notification_sweep_seconds: settings.NOTIFICATION_SWEEP_SECONDS,
    reconcile_schedule:
      settings.RECONCILE_SCHEDULE === 'off' ? undefined : settings.RECONCILE_SCHEDULE,
    reconcile_grace_ms: settings.RECONCILE_GRACE_SECONDS * 1000,
    key_prefixes: settings.KEY_PREFIXES.split(','),
    anonymous_requests_per_minute: settings.ANONYMOUS_REQUESTS_PER_MINUTE,
    max_transfer,
    max_payment,
    approval_above,
    operators_need_second_factor:
      settings.OPERATORS_NEED_SECOND_FACTOR ?? settings.NODE_ENV === 'production',
    identity_checks: identityCheckConfig(settings),
    gateway: gatewayConfig(settings, public_url),
    secrets_keys: listOf(settings.SECRETS_KEYS),
    webhooks: webhookConfig(settings),
    smtp: smtpConfig(settings),
    tls:
      settings.TLS_CERT_FILE !== undefined && settings.TLS_KEY_FILE !== undefined
        ? { cert_file: settings.TLS_CERT_FILE, key_file: settings.TLS_KEY_FILE }
        : undefined,
    trusted_proxies: wordsOf(settings.TRUSTED_PROXIES),
    http: {
      headers_timeout_ms: settings.HTTP_HEADERS_TIMEOUT_MS,
      request_timeout_ms: settings.HTTP_REQUEST_TIMEOUT_MS,
      max_connections: settings.HTTP_MAX_CONNECTIONS,
      max_connections_per_address: settings.HTTP_MAX_CONNECTIONS_PER_ADDRESS,
    },
    access_log_days: settings.ACCESS_LOG_DAYS,
    archive_directory:
      settings.ARCHIVE_DIRECTORY === undefined ? undefined : resolve(settings.ARCHIVE_DIRECTORY),
    metrics: { host: settings.METRICS_HOST, port: settings.METRICS_PORT },
    traces: settings.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    data_directory: resolve(settings.DATA_DIRECTORY),
    given,
  });
}

function publicUrlOf(settings: ProcessEnvironment): string {
  const scheme = settings.TLS_CERT_FILE === undefined ? 'http' : 'https';
  return settings.PUBLIC_URL ?? `${scheme}://${settings.HOST}:${settings.PORT}`;
}

type Name = keyof ProcessEnvironment;

function together(settings: ProcessEnvironment, first: Name, second: Name): string[] {
  const is_one_set = (settings[first] === undefined) !== (settings[second] === undefined);
  return is_one_set ? [`${first} and ${second} must be set together`] : [];
}

function readLimits(settings: ProcessEnvironment, what: 'TRANSFER' | 'PAYMENT', faults: string[]) {
  const limits = CURRENCIES.map((currency) => {
    const name = `MAX_${what}_${currency}` as const;
    const parsed = parseAmount(settings[name], currency);
    if (!parsed.ok) {
      faults.push(`${name} is not a valid amount of ${currency} (${parsed.fault})`);
    }
    return [currency, parsed.ok ? parsed.amount : 0n] as const;
  });
  return Object.freeze(Object.fromEntries(limits)) as Readonly<Record<Currency, Minor>>;
}

/** In production: about what a shop turns over in a good week. */
const APPROVAL_ABOVE: Readonly<Record<Currency, string>> = {
  XOF: '1000000',
  EUR: '1500',
  USD: '1500',
};

function readApprovalLimits(
  settings: ProcessEnvironment,
  faults: string[],
): Readonly<Record<Currency, Minor | null>> {
  const limits = CURRENCIES.map((currency) => {
    const name = `APPROVAL_ABOVE_${currency}` as const;
    const usual = settings.NODE_ENV === 'production' ? APPROVAL_ABOVE[currency] : 'off';
    const text = settings[name] ?? usual;
    if (text === 'off') return [currency, null] as const;
    // No amount of money, and so not one for parseAmount.
    if (/^0+(\.0+)?$/.test(text)) return [currency, 0n as Minor] as const;
    const parsed = parseAmount(text, currency);
    if (!parsed.ok) faults.push(`${name} is not a valid amount of ${currency} (${parsed.fault})`);
    return [currency, parsed.ok ? parsed.amount : null] as const;
  });
  return Object.freeze(Object.fromEntries(limits)) as Readonly<Record<Currency, Minor | null>>;
}

const DAY_SECONDS = 86_400;

function identityCheckConfig(settings: ProcessEnvironment): IdentityCheckConfig {
  const days = settings.IDENTITY_CHECK_REMIND_DAYS.split(',').map(Number);
  const expires_after_seconds = settings.IDENTITY_CHECK_DAYS * DAY_SECONDS;
  const remind_after_seconds = days
    .map((day) => day * DAY_SECONDS)
    .filter((seconds) => seconds > 0 && seconds < expires_after_seconds)
    .sort((one, other) => one - other);
  const data_days = settings.IDENTITY_DATA_DAYS;
  return Object.freeze({ remind_after_seconds, expires_after_seconds, data_days });
}

const KEYS_OF_LIVE_GATEWAYS = {
  stripe: 'STRIPE_SECRET_KEY',
  sandbox: 'LIVE_SIMULATOR_SECRETS',
} as const;

function gatewayFaults(settings: ProcessEnvironment): string[] {
  const faults = [
    ...together(settings, 'SANDBOX_GATEWAY_URL', 'SANDBOX_GATEWAY_SECRETS'),
    ...together(settings, 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRETS'),
  ];
  if (settings.LIVE_SIMULATOR_SECRETS !== undefined) {
    if (settings.SANDBOX_GATEWAY_URL === undefined) {
      faults.push('LIVE_SIMULATOR_SECRETS needs SANDBOX_GATEWAY_URL');
    }
    if (settings.STRIPE_SECRET_KEY !== undefined && settings.LIVE_GATEWAY === undefined) {
      faults.push(
        'LIVE_SIMULATOR_SECRETS and STRIPE_SECRET_KEY are both for live payments: say with LIVE_GATEWAY which takes new ones',
      );
    }
  }
  const key_of_chosen = settings.LIVE_GATEWAY && KEYS_OF_LIVE_GATEWAYS[settings.LIVE_GATEWAY];
  if (key_of_chosen && settings[key_of_chosen] === undefined) {
    faults.push(`LIVE_GATEWAY=${settings.LIVE_GATEWAY} needs ${key_of_chosen}`);
  }
  const live = listOf(settings.LIVE_SIMULATOR_SECRETS);
  const sandbox = listOf(settings.SANDBOX_GATEWAY_SECRETS);
  // The secret that signed a call decides its environment.
  if (live.some((secret) => sandbox.includes(secret))) {
    faults.push('LIVE_SIMULATOR_SECRETS and SANDBOX_GATEWAY_SECRETS must differ');
  }
  return faults;
}

function gatewayConfig(settings: ProcessEnvironment, public_url: string): GatewayConfig {
  const { SANDBOX_GATEWAY_URL: url, STRIPE_SECRET_KEY: secret_key } = settings;
  return {
    notification_path: settings.GATEWAY_NOTIFICATION_PATH,
    timeout_ms: settings.GATEWAY_TIMEOUT_MS,
    chosen: { live: settings.LIVE_GATEWAY, sandbox: undefined },
    simulator:
      url === undefined
        ? undefined
        : {
            url,
            secrets: {
              live: listOf(settings.LIVE_SIMULATOR_SECRETS),
              sandbox: listOf(settings.SANDBOX_GATEWAY_SECRETS),
            },
          },
    simulator_process: {
      host: settings.SANDBOX_GATEWAY_HOST,
      port: settings.SANDBOX_GATEWAY_PORT,
      file:
        settings.SANDBOX_GATEWAY_FILE ??
        join(resolve(settings.DATA_DIRECTORY), 'sandbox-gateway.jsonl'),
      public_url: settings.SANDBOX_GATEWAY_PUBLIC_URL ?? url,
      notification_url:
        settings.GATEWAY_NOTIFICATION_URL ?? public_url + settings.GATEWAY_NOTIFICATION_PATH,
    },
    stripe:
      secret_key === undefined
        ? undefined
        : {
            secret_key,
            webhook_secrets: listOf(settings.STRIPE_WEBHOOK_SECRETS),
            api_url: settings.STRIPE_API_URL,
          },
  };
}

function webhookFaults({ SECRETS_KEYS, WEBHOOK_PORTS }: ProcessEnvironment): string[] {
  const faults: string[] = [];
  const keys = listOf(SECRETS_KEYS);
  if (new Set(keys).size < keys.length) faults.push('SECRETS_KEYS contains a key twice');
  if (listOf(WEBHOOK_PORTS).some((port) => Number(port) < 1 || Number(port) > 65_535)) {
    faults.push('WEBHOOK_PORTS must be from 1 to 65535');
  }
  return faults;
}

function httpFaults(settings: ProcessEnvironment): string[] {
  const { HTTP_HEADERS_TIMEOUT_MS: headers, HTTP_REQUEST_TIMEOUT_MS: request } = settings;
  return headers > request
    ? ['HTTP_HEADERS_TIMEOUT_MS must not be longer than HTTP_REQUEST_TIMEOUT_MS']
    : [];
}

// The database keeps a week in any case (`drop_access_days`).
function accessLogFaults({ ACCESS_LOG_DAYS: days }: ProcessEnvironment): string[] {
  return days > 0 && days < 7 ? ['ACCESS_LOG_DAYS must be 0, or at least 7'] : [];
}

// The database keeps so much in any case (`drop_attempt_month`).
function attemptFaults({ WEBHOOK_ATTEMPT_DAYS: days }: ProcessEnvironment): string[] {
  return days > 0 && days < 31 ? ['WEBHOOK_ATTEMPT_DAYS must be 0, or at least 31'] : [];
}

// The database keeps a month in any case (`purge_identity_data`).
function identityDataFaults({ IDENTITY_DATA_DAYS: days }: ProcessEnvironment): string[] {
  return days > 0 && days < 30 ? ['IDENTITY_DATA_DAYS must be 0, or at least 30'] : [];
}

// Outside of production too: it decrypts, for whoever reaches it.
function codecServerFaults(settings: ProcessEnvironment): string[] {
  if (settings.NODE_ENV === 'production') return [];
  const faults: string[] = [];
  if (settings.SECRETS_KEYS === undefined) {
    faults.push('SECRETS_KEYS is required: what payloads are encrypted with');
  }
  if (settings.TEMPORAL_CODEC_TOKEN === undefined && settings.TEMPORAL_CODEC_HOST !== '127.0.0.1') {
    faults.push('TEMPORAL_CODEC_TOKEN is required when TEMPORAL_CODEC_HOST is not 127.0.0.1');
  }
  return faults;
}

function productionFaults(settings: ProcessEnvironment, kind: ProcessKind): string[] {
  if (settings.NODE_ENV !== 'production') return [];
  const faults: string[] = [];
  if (settings.LIVE_SIMULATOR_SECRETS !== undefined) {
    faults.push(
      'LIVE_SIMULATOR_SECRETS is refused in production: live payments need a real gateway',
    );
  }
  for (const name of REQUIRED_IN_PRODUCTION[kind]) {
    if (settings[name] === undefined) faults.push(`${name} is required in production`);
  }
  const unencrypted = [
    ['PUBLIC_URL', 'keys are never sent unencrypted'],
    ['PAY_URL_BASE', 'nobody on the way can change where a customer pays'],
    ['DASHBOARD_URL', 'nobody on the way reads a password'],
    ['STRIPE_API_URL', "Stripe's key is never sent unencrypted"],
  ] as const;
  for (const [name, reason] of unencrypted) {
    if (settings[name]?.startsWith('http://')) {
      faults.push(`${name} must be https in production, so that ${reason}`);
    }
  }
  const opened = wordsOf(settings.WEBHOOK_ALLOWED_ADDRESSES);
  if (opened.length > 0 && !settings.WEBHOOK_ALLOW_PRIVATE) {
    faults.push(
      'WEBHOOK_ALLOWED_ADDRESSES lets every merchant call addresses of this network: ' +
        'set WEBHOOK_ALLOW_PRIVATE=true as well when that is what you want in production',
    );
  }
  return faults;
}

function webhookConfig(settings: ProcessEnvironment): WebhookConfig {
  return Object.freeze({
    retry_seconds: settings.WEBHOOK_RETRY_SECONDS?.split(',').map(Number) ?? RETRY_SECONDS,
    timeout_ms: settings.WEBHOOK_TIMEOUT_MS,
    concurrency: settings.WEBHOOK_CONCURRENCY,
    disable_after_hours: settings.WEBHOOK_DISABLE_AFTER_HOURS,
    ports: settings.WEBHOOK_PORTS.split(',').map(Number),
    allowed_addresses: wordsOf(settings.WEBHOOK_ALLOWED_ADDRESSES),
    sweep_seconds: settings.WEBHOOK_SWEEP_SECONDS,
    attempt_days: settings.WEBHOOK_ATTEMPT_DAYS,
    sink_port: settings.WEBHOOK_SINK_PORT,
  });
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

function smtpConfig({ SMTP_URL, MAIL_FROM, NODE_ENV }: ProcessEnvironment): SmtpConfig | undefined {
  if (SMTP_URL === undefined || MAIL_FROM === undefined) return undefined;
  // A relay on the same machine has no certificate, and nobody is on the way.
  const is_loopback = LOOPBACK.includes(new URL(SMTP_URL).hostname);
  const require_tls = NODE_ENV === 'production' && !is_loopback;
  return Object.freeze({ url: SMTP_URL, from: MAIL_FROM, require_tls });
}

/** As browsers send it. */
function originOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).origin;
}

function wordsOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
}

function listOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(',');
}

function describeFault(error: ErrorObject): string {
  const name = error.instancePath.slice(1) || 'environment';
  return `${name} ${error.message ?? 'is not valid'}`;
}
