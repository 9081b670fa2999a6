// Every setting, its bounds and its default. `docs/configuration.md` explains them to operators.

import type { FromSchema } from 'json-schema-to-ts';

const url = { type: 'string', maxLength: 2048, pattern: '^https?://[^\\s]+[^/\\s]$' } as const;
const file = { type: 'string', maxLength: 4096, minLength: 1 } as const;
const port = { type: 'integer', minimum: 1, maximum: 65535 } as const;
const secrets = {
  type: 'string',
  maxLength: 2048,
  pattern: '^[^\\s,]{16,}(,[^\\s,]{16,})*$',
} as const;
const amount = { type: 'string', pattern: '^[0-9]{1,13}(\\.[0-9]{1,2})?$' } as const;

export const environmentSchema = {
  type: 'object',
  required: [],
  properties: {
    NODE_ENV: { type: 'string', maxLength: 64, default: 'development' },
    HOST: { type: 'string', maxLength: 255, minLength: 1, default: '127.0.0.1' },
    PORT: { ...port, default: 3000 },
    /** Origin under which callers reach the API; made from host and port when absent. */
    PUBLIC_URL: url,
    /** Payment links are `{PAY_URL_BASE}/p/{short_code}`; the public URL when absent. */
    PAY_URL_BASE: url,

    DATABASE_URL: { type: 'string', maxLength: 2048, pattern: '^postgres(ql)?://' },
    /** The role that owns the schema and runs migrations; DATABASE_URL when absent. */
    DATABASE_OWNER_URL: { type: 'string', maxLength: 2048, pattern: '^postgres(ql)?://' },
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
    /** Path of the workflow bundle that `npm run build` makes. */
    WORKFLOW_BUNDLE: file,
    /** Transfers that one API process has in Temporal's hands at once; the others wait their turn. */
    TRANSFERS_IN_FLIGHT: { type: 'integer', minimum: 1, maximum: 10000, default: 3 },
    TASK_QUEUE: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,100}$', default: 'payments' },

    /** Prefixes of API keys, separated by commas: the first is issued, all are accepted. */
    KEY_PREFIXES: {
      type: 'string',
      maxLength: 255,
      pattern: '^[a-z][a-z0-9]{1,15}(,[a-z][a-z0-9]{1,15})*$',
      default: 'pay,sk',
    },
    MAX_TRANSFER_XOF: { ...amount, default: '10000000' },
    MAX_TRANSFER_EUR: { ...amount, default: '100000' },
    MAX_TRANSFER_USD: { ...amount, default: '100000' },

    MAX_PAYMENT_XOF: { ...amount, default: '10000000' },
    MAX_PAYMENT_EUR: { ...amount, default: '100000' },
    MAX_PAYMENT_USD: { ...amount, default: '100000' },

    /** Where gateways send their notifications: outside of the public prefix. */
    GATEWAY_NOTIFICATION_PATH: {
      type: 'string',
      maxLength: 255,
      pattern: '^/[A-Za-z0-9._~/-]+$',
      default: '/internal/gateway/notifications',
    },
    /** The simulator; each list of secrets signs with its first and accepts all. */
    SANDBOX_GATEWAY_URL: url,
    SANDBOX_GATEWAY_SECRETS: secrets,
    /** Lets the simulator stand in for the live gateway; refused in production. */
    LIVE_SIMULATOR_SECRETS: secrets,
    SANDBOX_GATEWAY_HOST: { type: 'string', maxLength: 255, minLength: 1, default: '127.0.0.1' },
    SANDBOX_GATEWAY_PORT: { ...port, default: 8090 },
    /** Where customers reach the simulator's pages; SANDBOX_GATEWAY_URL when absent. */
    SANDBOX_GATEWAY_PUBLIC_URL: url,
    /** Where the simulator sends its notifications; the public URL and path when absent. */
    GATEWAY_NOTIFICATION_URL: url,
    /** The simulator's journal; a file in DATA_DIRECTORY when absent. */
    SANDBOX_GATEWAY_FILE: file,
    /** Stripe takes live payments when both are given. */
    STRIPE_SECRET_KEY: { type: 'string', maxLength: 255, minLength: 8 },
    STRIPE_WEBHOOK_SECRETS: secrets,
    /** Another address than Stripe's own, for tests. */
    STRIPE_API_URL: url,
    /** How often stored notifications that nobody applied are handed over again; 0: never. */
    NOTIFICATION_SWEEP_SECONDS: { type: 'integer', minimum: 0, maximum: 3600, default: 30 },
    /** One call to a gateway, in ms. */
    GATEWAY_TIMEOUT_MS: { type: 'integer', minimum: 100, maximum: 8000, default: 5000 },

    /** What webhook secrets are encrypted with, 32 bytes in base64 each: the first encrypts, all decrypt. */
    SECRETS_KEYS: {
      type: 'string',
      maxLength: 1024,
      // The last character of such a text has four bits.
      pattern: '^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=(,[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)*$',
    },
    /** Waits between the tries of a delivery, in seconds; Standard Webhooks' schedule when absent. */
    WEBHOOK_RETRY_SECONDS: {
      type: 'string',
      maxLength: 255,
      pattern: '^[0-9]{1,6}(\\.[0-9]{1,3})?(,[0-9]{1,6}(\\.[0-9]{1,3})?)*$',
    },
    /** One attempt from the look-up of the name to the end of the answer's body, in ms. */
    WEBHOOK_TIMEOUT_MS: { type: 'integer', minimum: 100, maximum: 30_000, default: 15_000 },
    /** Deliveries under way at once to one endpoint that answers well. */
    WEBHOOK_CONCURRENCY: { type: 'integer', minimum: 1, maximum: 1000, default: 64 },
    /** An endpoint that only failed for so long is switched off. */
    WEBHOOK_DISABLE_AFTER_HOURS: { type: 'integer', minimum: 1, maximum: 8760, default: 120 },
    /** Ports that https endpoints may have, separated by commas. */
    WEBHOOK_PORTS: {
      type: 'string',
      maxLength: 255,
      pattern: '^[0-9]{1,5}(,[0-9]{1,5})*$',
      default: '443',
    },
    /** Addresses and CIDR ranges that may be called although they are not public, also by plain http. */
    WEBHOOK_ALLOWED_ADDRESSES: {
      type: 'string',
      maxLength: 4096,
      pattern: '^[0-9a-fA-F.:/,\\s]*$',
      default: '',
    },
    /** How often overdue deliveries are looked for whose wake-up was lost; 0: never. */
    WEBHOOK_SWEEP_SECONDS: { type: 'integer', minimum: 0, maximum: 3600, default: 5 },
    /** Of the demo receiver that `npm start` brings. */
    WEBHOOK_SINK_PORT: { ...port, default: 8091 },

    TLS_CERT_FILE: file,
    TLS_KEY_FILE: file,
    /** Proxies whose X-Forwarded-* headers are believed: addresses, CIDR ranges, `loopback`. */
    TRUSTED_PROXIES: { type: 'string', maxLength: 4096, default: '' },
    /** Where access lines go; standard output when absent. */
    ACCESS_LOG_FILE: file,
    /** Embedded parts keep everything here. */
    DATA_DIRECTORY: { ...file, default: '.data' },
  },
} as const;

export type Environment = FromSchema<typeof environmentSchema>;
