// Every setting: its form, its bounds and its default. `docs/configuration.md` says what it does.

import type { FromSchema } from 'json-schema-to-ts';

const matching = (pattern: string, maxLength: number) =>
  ({ type: 'string', maxLength, pattern }) as const;
const integer = (minimum: number, maximum: number, preset: number) =>
  ({ type: 'integer', minimum, maximum, default: preset }) as const;
const port = (preset: number, minimum = 1) => integer(minimum, 65_535, preset);

const url = matching('^https?://[^\\s]+[^/\\s]$', 2048);
const database = matching('^postgres(ql)?://', 2048);
const file = { type: 'string', maxLength: 4096, minLength: 1 } as const;
const name = { type: 'string', maxLength: 255, minLength: 1 } as const;
const loopback = { ...name, default: '127.0.0.1' } as const;
const version = matching('^[A-Za-z0-9._-]{1,100}$', 100);
const secrets = matching('^[^\\s,]{16,}(,[^\\s,]{16,})*$', 2048);
// 65 bytes of a point of P-256 and 26 that say so, in base64.
const P256_KEY = '[A-Za-z0-9+/]{122}==';
const amount = matching('^[0-9]{1,13}(\\.[0-9]{1,2})?$', 16);
const amount_or_off = matching('^(off|[0-9]{1,13}(\\.[0-9]{1,2})?)$', 16);
const flag = { type: 'boolean', default: false } as const;
/** A name in the audit log, whose table checks it too. */
export const OPERATOR_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$';
// The last character of 32 bytes in base64 carries four bits.
const KEY = '[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=';
const SECONDS = '[0-9]{1,6}(\\.[0-9]{1,3})?';
const CRON = '[0-9*,/A-Za-z-]+';
const MAIL = '[^\\s<>@]+@[^\\s<>@]+';

export const processEnvironmentSchema = {
  type: 'object',
  required: [],
  properties: {
    NODE_ENV: { ...name, default: 'development' },
    HOST: loopback,
    PORT: port(3000),
    PUBLIC_URL: url,
    PAY_URL_BASE: url,
    DASHBOARD_URL: matching('^https?://[^\\s/?#@]+(/dashboard)?$', 255),
    TLS_CERT_FILE: file,
    TLS_KEY_FILE: file,
    TRUSTED_PROXIES: { type: 'string', maxLength: 4096, default: '' },
    HTTP_HEADERS_TIMEOUT_MS: integer(100, 60_000, 10_000),
    HTTP_REQUEST_TIMEOUT_MS: integer(100, 300_000, 30_000),
    DRAIN_SECONDS: integer(0, 30, 5),
    HTTP_MAX_CONNECTIONS: integer(10, 1_000_000, 10_000),
    HTTP_MAX_CONNECTIONS_PER_ADDRESS: integer(1, 1_000_000, 2_500),

    DATABASE_URL: database,
    DATABASE_OWNER_URL: database,
    OPERATOR_DATABASE_URL: database,
    DATABASE_READ_URL: database,
    OPERATOR: matching(OPERATOR_PATTERN, 64),
    DATABASE_POOL_SIZE: integer(2, 500, 20),

    TEMPORAL_ADDRESS: matching('^[^\\s:/]+:[0-9]{1,5}$|^\\[[0-9a-fA-F:]+\\]:[0-9]{1,5}$', 255),
    TEMPORAL_NAMESPACE: { ...name, default: 'default' },
    TEMPORAL_UI_URL: url,
    TEMPORAL_UI_PORT: port(8233),
    TEMPORAL_CLI: file,
    TEMPORAL_ENCRYPT_PAYLOADS: flag,
    TEMPORAL_CODEC_HOST: loopback,
    TEMPORAL_CODEC_PORT: port(8234),
    TEMPORAL_CODEC_ORIGIN: url,
    TEMPORAL_CODEC_TOKEN: matching('^[A-Za-z0-9._~+/=-]{32,}$', 255),
    WORKFLOW_BUNDLE: file,
    TRANSFERS_IN_FLIGHT: integer(1, 10_000, 2),
    TRANSFERS_PER_WORKFLOW: integer(1, 64, 64),
    TASK_QUEUE: { ...version, default: 'payments' },

    PAYOUT_KEYS_NEED_ADDRESSES: flag,
    ANONYMOUS_REQUESTS_PER_MINUTE: integer(1, 1_000_000, 300),
    MAX_TRANSFER_XOF: { ...amount, default: '10000000' },
    MAX_TRANSFER_EUR: { ...amount, default: '100000' },
    MAX_TRANSFER_USD: { ...amount, default: '100000' },
    MAX_PAYMENT_XOF: { ...amount, default: '10000000' },
    MAX_PAYMENT_EUR: { ...amount, default: '100000' },
    MAX_PAYMENT_USD: { ...amount, default: '100000' },

    APPROVAL_ABOVE_XOF: amount_or_off,
    APPROVAL_ABOVE_EUR: amount_or_off,
    APPROVAL_ABOVE_USD: amount_or_off,
    OPERATORS_NEED_SECOND_FACTOR: { type: 'boolean' },
    IDENTITY_CHECK_DAYS: integer(1, 365, 30),
    IDENTITY_DATA_DAYS: integer(0, 36_500, 3_650),
    IDENTITY_CHECK_REMIND_DAYS: {
      ...matching('^[0-9]{1,3}(,[0-9]{1,3}){0,9}$', 64),
      default: '3,7,14',
    },

    GATEWAY_NOTIFICATION_PATH: {
      ...matching('^/[A-Za-z0-9._~/-]+$', 255),
      default: '/internal/gateway/notifications',
    },
    GATEWAY_NOTIFICATION_URL: url,
    SANDBOX_GATEWAY_URL: url,
    SANDBOX_GATEWAY_SECRETS: secrets,
    LIVE_SIMULATOR_SECRETS: secrets,
    SANDBOX_GATEWAY_HOST: loopback,
    SANDBOX_GATEWAY_PORT: port(8090),
    SANDBOX_GATEWAY_PUBLIC_URL: url,
    SANDBOX_GATEWAY_FILE: file,
    STRIPE_SECRET_KEY: { type: 'string', maxLength: 255, minLength: 8 },
    STRIPE_WEBHOOK_SECRETS: secrets,
    STRIPE_API_URL: url,
    PAWAPAY_API_TOKEN: matching('^[^\\s]{8,}$', 2048),
    PAWAPAY_CALLBACK_KEYS: matching(`^${P256_KEY}(,${P256_KEY})*$`, 2048),
    PAWAPAY_API_URL: { ...url, default: 'https://api.pawapay.io' },
    GATEWAY_MODULES: { type: 'string', maxLength: 4096, default: '' },
    LIVE_GATEWAY: matching('^[a-z][a-z0-9_]{0,39}$', 40),
    NOTIFICATION_SWEEP_SECONDS: integer(0, 3_600, 30),
    RECONCILE_SCHEDULE: {
      ...matching(`^(off|${CRON}( ${CRON}){4})$`, 100),
      default: '17 3 * * *',
    },
    RECONCILE_GRACE_SECONDS: integer(0, 86_400, 300),
    // A call must end before the request of the API that waits for it.
    GATEWAY_TIMEOUT_MS: integer(100, 8_000, 5_000),

    SECRETS_KEYS: matching(`^${KEY}(,${KEY})*$`, 1024),
    WEBHOOK_RETRY_SECONDS: matching(`^${SECONDS}(,${SECONDS})*$`, 255),
    WEBHOOK_TIMEOUT_MS: integer(100, 30_000, 15_000),
    WEBHOOK_CONCURRENCY: integer(1, 1_000, 64),
    WEBHOOK_DISABLE_AFTER_HOURS: integer(1, 8_760, 120),
    WEBHOOK_PORTS: { ...matching('^[0-9]{1,5}(,[0-9]{1,5})*$', 255), default: '443' },
    WEBHOOK_ALLOWED_ADDRESSES: { ...matching('^[0-9a-fA-F.:/,\\s]*$', 4096), default: '' },
    WEBHOOK_ALLOW_PRIVATE: flag,
    WEBHOOK_SINK_PORT: port(8091),

    SMTP_URL: matching('^smtps?://[^\\s]+$', 2048),
    MAIL_FROM: matching(`^([^<>@\\r\\n]+<${MAIL}>|${MAIL})$`, 320),

    ACCESS_LOG_DAYS: integer(0, 3_650, 90),
    WEBHOOK_ATTEMPT_DAYS: integer(0, 3_650, 0),
    ARCHIVE_DIRECTORY: file,
    METRICS_HOST: loopback,
    METRICS_PORT: port(9464, 0),
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    DATA_DIRECTORY: { ...file, default: '.data' },
  },
} as const;

/** A file may hold each of these instead: its name is in the variable that has `_FILE` at the end. */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'DATABASE_OWNER_URL',
  'OPERATOR_DATABASE_URL',
  'DATABASE_READ_URL',
  'TEMPORAL_CODEC_TOKEN',
  'SANDBOX_GATEWAY_SECRETS',
  'LIVE_SIMULATOR_SECRETS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRETS',
  'PAWAPAY_API_TOKEN',
  'SECRETS_KEYS',
  'SMTP_URL',
] as const;

type Values = FromSchema<typeof processEnvironmentSchema>;
/** A setting without a default may be undefined. */
export type ProcessEnvironment = {
  readonly [Name in keyof Values]-?: object extends Pick<Values, Name>
    ? Values[Name] | undefined
    : Values[Name];
};

/** Reads a setting whose values are separated by commas. */
export function listOf(text = ''): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
}
