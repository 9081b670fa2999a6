// Every setting with its bounds and default. `docs/configuration.md` explains them to operators.

import type { FromSchema } from 'json-schema-to-ts';

const url = { type: 'string', maxLength: 2048, pattern: '^https?://[^\\s]+[^/\\s]$' } as const;
const file = { type: 'string', maxLength: 4096, minLength: 1 } as const;
const port = { type: 'integer', minimum: 1, maximum: 65535 } as const;
const secrets = {
  type: 'string',
  maxLength: 2048,
  pattern: '^[^\\s,]{16,}(,[^\\s,]{16,})*$',
} as const;
/** A name in the audit log, whose table checks it too. */
export const OPERATOR_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$';
const amount = { type: 'string', pattern: '^[0-9]{1,13}(\\.[0-9]{1,2})?$' } as const;
const amount_or_off = { type: 'string', pattern: '^(off|[0-9]{1,13}(\\.[0-9]{1,2})?)$' } as const;

export const processEnvironmentSchema = {
  type: 'object',
  required: [],
  properties: {
    NODE_ENV: { type: 'string', maxLength: 64, default: 'development' },
    HOST: { type: 'string', maxLength: 255, minLength: 1, default: '127.0.0.1' },
    PORT: { ...port, default: 3000 },
    /** The origin that callers use; by default made from HOST and PORT. */
    PUBLIC_URL: url,
    /** Payment links are `{PAY_URL_BASE}/p/{short_code}`; by default PUBLIC_URL. */
    PAY_URL_BASE: url,
    /** The dashboard's origin, `/dashboard` at its end or not; by default that of PUBLIC_URL. */
    DASHBOARD_URL: {
      type: 'string',
      maxLength: 255,
      pattern: '^https?://[^\\s/?#@]+(/dashboard)?$',
    },

    DATABASE_URL: { type: 'string', maxLength: 2048, pattern: '^postgres(ql)?://' },
    /** The role that owns the schema and runs migrations; by default DATABASE_URL. */
    DATABASE_OWNER_URL: { type: 'string', maxLength: 2048, pattern: '^postgres(ql)?://' },
    /** The role of operators: the command line's, and nobody else's. */
    OPERATOR_DATABASE_URL: { type: 'string', maxLength: 2048, pattern: '^postgres(ql)?://' },
    /** The operator's name in the audit log; by default that of the user of the operating system. */
    OPERATOR: { type: 'string', pattern: OPERATOR_PATTERN },
    DATABASE_POOL_SIZE: { type: 'integer', minimum: 2, maximum: 500, default: 20 },

    TEMPORAL_ADDRESS: {
      type: 'string',
      maxLength: 255,
      pattern: '^[^\\s:/]+:[0-9]{1,5}$|^\\[[0-9a-fA-F:]+\\]:[0-9]{1,5}$',
    },
    TEMPORAL_NAMESPACE: { type: 'string', maxLength: 255, minLength: 1, default: 'default' },
    TEMPORAL_UI_URL: url,
    TEMPORAL_UI_PORT: { ...port, default: 8233 },
    TEMPORAL_CLI: file,
    /** Encrypts all that Temporal keeps of workflows, with SECRETS_KEYS; search attributes stay in clear. */
    TEMPORAL_ENCRYPT_PAYLOADS: { type: 'boolean', default: false },
    /** The server that decrypts payloads for Temporal's UI and CLI: a process of its own. */
    TEMPORAL_CODEC_HOST: { type: 'string', maxLength: 255, minLength: 1, default: '127.0.0.1' },
    TEMPORAL_CODEC_PORT: { ...port, default: 8234 },
    /** The only origin whose pages may use it; by default TEMPORAL_UI_URL. */
    TEMPORAL_CODEC_ORIGIN: url,
    /** The bearer token that it requires; without one, in development only, it requires none. */
    TEMPORAL_CODEC_TOKEN: { type: 'string', maxLength: 255, pattern: '^[A-Za-z0-9._~+/=-]{32,}$' },
    /** Path of the workflow bundle that `npm run build` writes. */
    WORKFLOW_BUNDLE: file,
    /** Transfer workflows of one API process at once; further transfers wait for a slot. */
    TRANSFERS_IN_FLIGHT: { type: 'integer', minimum: 1, maximum: 10000, default: 2 },
    /** With 1 every transfer has a workflow of its own. */
    TRANSFERS_PER_WORKFLOW: { type: 'integer', minimum: 1, maximum: 64, default: 64 },
    TASK_QUEUE: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,100}$', default: 'payments' },
    /** Of Temporal's worker versioning: this process' workers take the workflows of this version only. */
    WORKER_DEPLOYMENT: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,100}$' },
    WORKER_BUILD_ID: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,100}$' },

    /** Prefixes of API keys, separated by commas: the first is issued, all are accepted. */
    KEY_PREFIXES: {
      type: 'string',
      maxLength: 255,
      pattern: '^[a-z][a-z0-9]{1,15}(,[a-z][a-z0-9]{1,15})*$',
      default: 'pay,sk',
    },
    /** Requests without a valid key that one address may make in a minute, per API process. */
    ANONYMOUS_REQUESTS_PER_MINUTE: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 300,
    },
    MAX_TRANSFER_XOF: { ...amount, default: '10000000' },
    MAX_TRANSFER_EUR: { ...amount, default: '100000' },
    MAX_TRANSFER_USD: { ...amount, default: '100000' },

    MAX_PAYMENT_XOF: { ...amount, default: '10000000' },
    MAX_PAYMENT_EUR: { ...amount, default: '100000' },
    MAX_PAYMENT_USD: { ...amount, default: '100000' },

    /**
     * Above this amount a second operator has to approve; 0 is every amount, `off` none. `migrate` writes it
     * into the database. By default off, in production the amounts of APPROVAL_ABOVE in config/load.ts.
     */
    APPROVAL_ABOVE_XOF: amount_or_off,
    APPROVAL_ABOVE_EUR: amount_or_off,
    APPROVAL_ABOVE_USD: amount_or_off,
    /** Whether operators' pages need a second factor; by default in production only. */
    OPERATORS_NEED_SECOND_FACTOR: { type: 'boolean' },
    /** An identity check that nobody has decided expires after so many days. */
    IDENTITY_CHECK_DAYS: { type: 'integer', minimum: 1, maximum: 365, default: 30 },
    /** What a check submitted is deleted so many days after its decision; 0 never, else at least 30. */
    IDENTITY_DATA_DAYS: { type: 'integer', minimum: 0, maximum: 36500, default: 3650 },
    /** The days after which operators and the merchant are reminded of it. */
    IDENTITY_CHECK_REMIND_DAYS: {
      type: 'string',
      maxLength: 64,
      pattern: '^[0-9]{1,3}(,[0-9]{1,3}){0,9}$',
      default: '3,7,14',
    },

    /** Where gateways send their notifications: outside the API's public prefix. */
    GATEWAY_NOTIFICATION_PATH: {
      type: 'string',
      maxLength: 255,
      pattern: '^/[A-Za-z0-9._~/-]+$',
      default: '/internal/gateway/notifications',
    },
    /** The simulator. The first secret of a list signs, all are accepted. */
    SANDBOX_GATEWAY_URL: url,
    SANDBOX_GATEWAY_SECRETS: secrets,
    /** Makes the simulator take live payments; refused in production. */
    LIVE_SIMULATOR_SECRETS: secrets,
    SANDBOX_GATEWAY_HOST: { type: 'string', maxLength: 255, minLength: 1, default: '127.0.0.1' },
    SANDBOX_GATEWAY_PORT: { ...port, default: 8090 },
    /** The origin of the simulator's pages for customers; by default SANDBOX_GATEWAY_URL. */
    SANDBOX_GATEWAY_PUBLIC_URL: url,
    /** Where the simulator sends its notifications; by default PUBLIC_URL and the path above. */
    GATEWAY_NOTIFICATION_URL: url,
    /** The simulator's journal; by default a file in DATA_DIRECTORY. */
    SANDBOX_GATEWAY_FILE: file,
    /** Stripe takes live payments when both are given. */
    STRIPE_SECRET_KEY: { type: 'string', maxLength: 255, minLength: 8 },
    STRIPE_WEBHOOK_SECRETS: secrets,
    /** For tests: an address to use instead of Stripe's. */
    STRIPE_API_URL: url,
    /** Which one takes new live payments, when two are configured: the other one carries on with its own. */
    LIVE_GATEWAY: { type: 'string', enum: ['stripe', 'sandbox'] },
    /** How often stored notifications that were not applied are delivered again; 0 never. */
    NOTIFICATION_SWEEP_SECONDS: { type: 'integer', minimum: 0, maximum: 3600, default: 30 },
    /** When a reconciliation begins: five fields of cron, UTC; off never. */
    RECONCILE_SCHEDULE: {
      type: 'string',
      maxLength: 100,
      pattern: '^(off|[0-9*,/A-Za-z-]+( [0-9*,/A-Za-z-]+){4})$',
      default: '17 3 * * *',
    },
    /** What is younger than this is under way for a reconciliation, and no finding. */
    RECONCILE_GRACE_SECONDS: { type: 'integer', minimum: 0, maximum: 86_400, default: 300 },
    /** One call to a gateway, in ms. */
    GATEWAY_TIMEOUT_MS: { type: 'integer', minimum: 100, maximum: 8000, default: 5000 },

    /** Keys that encrypt webhook secrets, 32 bytes in base64 each: the first encrypts, all decrypt. */
    SECRETS_KEYS: {
      type: 'string',
      maxLength: 1024,
      // The last character of 32 bytes in base64 carries four bits.
      pattern: '^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=(,[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)*$',
    },
    /** Waits between the attempts of a delivery, in seconds; by default Standard Webhooks' schedule. */
    WEBHOOK_RETRY_SECONDS: {
      type: 'string',
      maxLength: 255,
      pattern: '^[0-9]{1,6}(\\.[0-9]{1,3})?(,[0-9]{1,6}(\\.[0-9]{1,3})?)*$',
    },
    /** One attempt, from the DNS lookup to the end of the response body, in ms. */
    WEBHOOK_TIMEOUT_MS: { type: 'integer', minimum: 100, maximum: 30_000, default: 15_000 },
    /** Concurrent deliveries to one healthy endpoint. */
    WEBHOOK_CONCURRENCY: { type: 'integer', minimum: 1, maximum: 1000, default: 64 },
    /** An endpoint that has only failed for this long is disabled. */
    WEBHOOK_DISABLE_AFTER_HOURS: { type: 'integer', minimum: 1, maximum: 8760, default: 120 },
    /** Ports that https endpoints may use, separated by commas. */
    WEBHOOK_PORTS: {
      type: 'string',
      maxLength: 255,
      pattern: '^[0-9]{1,5}(,[0-9]{1,5})*$',
      default: '443',
    },
    /** Non-public addresses and CIDR ranges that webhooks may call, also by plain http. */
    WEBHOOK_ALLOWED_ADDRESSES: {
      type: 'string',
      maxLength: 4096,
      pattern: '^[0-9a-fA-F.:/,\\s]*$',
      default: '',
    },
    /** Needed beside WEBHOOK_ALLOWED_ADDRESSES in production. */
    WEBHOOK_ALLOW_PRIVATE: { type: 'boolean', default: false },
    /** How often the sweeper looks for overdue deliveries whose wake-up was lost; 0 never. */
    WEBHOOK_SWEEP_SECONDS: { type: 'integer', minimum: 0, maximum: 3600, default: 5 },
    /** Port of the webhook sink of `npm start`. */
    WEBHOOK_SINK_PORT: { ...port, default: 8091 },

    /** The server that takes mails: `smtp://` or `smtps://`, with user and password if it asks for them. */
    SMTP_URL: { type: 'string', maxLength: 2048, pattern: '^smtps?://[^\\s]+$' },
    /** The sender of mails, such as `Payments <no-reply@example.com>`. */
    MAIL_FROM: {
      type: 'string',
      maxLength: 320,
      pattern: '^([^<>@\\r\\n]+<[^\\s<>@]+@[^\\s<>@]+>|[^\\s<>@]+@[^\\s<>@]+)$',
    },

    TLS_CERT_FILE: file,
    TLS_KEY_FILE: file,
    /** Proxies whose X-Forwarded-* headers are trusted: addresses, CIDR ranges, `loopback`. */
    TRUSTED_PROXIES: { type: 'string', maxLength: 4096, default: '' },
    /** From the connection, or the end of the request before, to the end of a request's headers. */
    HTTP_HEADERS_TIMEOUT_MS: { type: 'integer', minimum: 100, maximum: 60_000, default: 10_000 },
    /** To the end of its body. */
    HTTP_REQUEST_TIMEOUT_MS: { type: 'integer', minimum: 100, maximum: 300_000, default: 30_000 },
    /** Open connections of one API process; more are closed at once. */
    HTTP_MAX_CONNECTIONS: { type: 'integer', minimum: 10, maximum: 1_000_000, default: 10_000 },
    /** Of one address that is no trusted proxy. */
    HTTP_MAX_CONNECTIONS_PER_ADDRESS: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 2_500,
    },
    /** Access rows older than this are dropped; 0 never, else at least a week. */
    ACCESS_LOG_DAYS: { type: 'integer', minimum: 0, maximum: 3650, default: 90 },
    /** Attempts of webhooks of months that ended so long ago are dropped; 0 never, else at least 31 days. */
    WEBHOOK_ATTEMPT_DAYS: { type: 'integer', minimum: 0, maximum: 3650, default: 0 },
    /** Where workers keep months as files: the books, and attempts before they are dropped. */
    ARCHIVE_DIRECTORY: file,
    /** Where metrics are shown, and whether the process is ready: on no public address. 0 shows none. */
    METRICS_HOST: { type: 'string', maxLength: 255, minLength: 1, default: '127.0.0.1' },
    METRICS_PORT: { ...port, minimum: 0, default: 9464 },
    /** Where traces go; none are made without it. OpenTelemetry's SDK reads it, and its other variables. */
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    /** The data folder of `npm start`. */
    DATA_DIRECTORY: { ...file, default: '.data' },
  },
} as const;

export type ProcessEnvironment = FromSchema<typeof processEnvironmentSchema>;
