// The rules between settings: pairs, differences, and the needs of production.

import { hasSoundHosts, targetOf } from '../domain/database-url';
import { parseUrl } from '../domain/url';
import { dashboardFaults } from './dashboard-address';
import { listOf, type ProcessEnvironment } from './schema';

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

const PAIRS = [
  ['TLS_CERT_FILE', 'TLS_KEY_FILE'],
  ['SMTP_URL', 'MAIL_FROM'],
  ['SANDBOX_GATEWAY_URL', 'SANDBOX_GATEWAY_SECRETS'],
  ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRETS'],
  ['PAWAPAY_API_TOKEN', 'PAWAPAY_CALLBACK_KEYS'],
] as const;

/** The database keeps so many days in any case; 0 keeps everything. */
const DAYS_KEPT = { ACCESS_LOG_DAYS: 7, WEBHOOK_ATTEMPT_DAYS: 31, IDENTITY_DATA_DAYS: 30 };

const ENCRYPTED_IN_PRODUCTION = {
  PUBLIC_URL: 'keys are never sent unencrypted',
  PAY_URL_BASE: 'nobody on the way can change where a customer pays',
  DASHBOARD_URL: 'nobody on the way reads a password',
  STRIPE_API_URL: "Stripe's key is never sent unencrypted",
  PAWAPAY_API_URL: "pawaPay's token is never sent unencrypted",
};

const KEYS_OF_LIVE_GATEWAYS: Readonly<Record<string, keyof ProcessEnvironment>> = {
  stripe: 'STRIPE_SECRET_KEY',
  pawapay: 'PAWAPAY_API_TOKEN',
  sandbox: 'LIVE_SIMULATOR_SECRETS',
};

/** Paths are added to it, and browsers compare it with where a page came from. */
const ORIGINS = [
  'PUBLIC_URL',
  'PAY_URL_BASE',
  'SANDBOX_GATEWAY_PUBLIC_URL',
  // Stripe's library is given a host and a port.
  'STRIPE_API_URL',
] as const;
const ORIGIN = /^https?:\/\/[^\s/?#@]+$/;

/** The paths of calls are added to it, so that a query would take them in. */
const APIS = ['SANDBOX_GATEWAY_URL', 'PAWAPAY_API_URL'] as const;
const API = /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/;

/** The pattern of a setting does not see a port that is none, such as 99999. */
const URLS = [
  ...ORIGINS,
  ...APIS,
  'TEMPORAL_UI_URL',
  'TEMPORAL_CODEC_ORIGIN',
  'GATEWAY_NOTIFICATION_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
] as const;

/** Which of several hosts each of them wants. */
const DATABASES = {
  DATABASE_URL: 'read-write',
  DATABASE_OWNER_URL: 'read-write',
  OPERATOR_DATABASE_URL: 'read-write',
  DATABASE_READ_URL: 'prefer-standby',
};
const HOSTS_IN_QUERY = /[?&]host=[^&#]*(?:,|%2c)/i;

type Rule = readonly [is_broken: boolean, fault: string];

export function faultsOf(settings: ProcessEnvironment, kind: ProcessKind): string[] {
  const is_production = settings.NODE_ENV === 'production';
  const rules = [
    ...sharedRules(settings),
    ...(kind === 'codec_server' && !is_production ? codecServerRules(settings) : []),
    ...(is_production ? productionRules(settings, kind) : []),
  ];
  const broken = rules.flatMap(([is_broken, fault]) => (is_broken ? [fault] : []));
  return [...dashboardFaults(settings), ...broken];
}

function sharedRules(settings: ProcessEnvironment): Rule[] {
  const is_set = (name: keyof ProcessEnvironment): boolean =>
    settings[name] !== undefined && settings[name] !== '';
  const keys = listOf(settings.SECRETS_KEYS);
  const sandbox = listOf(settings.SANDBOX_GATEWAY_SECRETS);
  const { LIVE_GATEWAY: chosen, LIVE_SIMULATOR_SECRETS: live } = settings;
  const keys_of_live = Object.values(KEYS_OF_LIVE_GATEWAYS).filter(is_set).reverse();
  return [
    ...PAIRS.map(([one, other]): Rule => {
      return [is_set(one) !== is_set(other), `${one} and ${other} must be set together`];
    }),
    ...ORIGINS.map((name): Rule => {
      const { [name]: url } = settings;
      const rule = `${name} must be an origin, such as https://pay.example.com, without a path, a query or a user name`;
      return [url !== undefined && !ORIGIN.test(url), rule];
    }),
    ...APIS.map((name): Rule => {
      const { [name]: url } = settings;
      const rule = `${name} must be a URL without a user name, a query or a fragment`;
      return [url !== undefined && !API.test(url), rule];
    }),
    ...URLS.map((name): Rule => {
      const { [name]: url } = settings;
      const rule = `${name} must be a URL: look at its host name and its port`;
      return [url !== undefined && parseUrl(url) === undefined, rule];
    }),
    ...entriesOf(DATABASES).flatMap(([name, target]) => {
      return databaseRules({ name, target, url: settings[name] ?? '' });
    }),
    ...entriesOf(DAYS_KEPT).map(([name, days]): Rule => {
      const is_dropped_early = settings[name] > 0 && settings[name] < days;
      return [is_dropped_early, `${name} must be 0, or at least ${days}`];
    }),
    [
      settings.HTTP_HEADERS_TIMEOUT_MS > settings.HTTP_REQUEST_TIMEOUT_MS,
      'HTTP_HEADERS_TIMEOUT_MS must not be longer than HTTP_REQUEST_TIMEOUT_MS',
    ],
    [new Set(keys).size < keys.length, 'SECRETS_KEYS contains a key twice'],
    [
      listOf(settings.WEBHOOK_PORTS).some((port) => Number(port) < 1 || Number(port) > 65_535),
      'WEBHOOK_PORTS must be from 1 to 65535',
    ],
    [
      live !== undefined && !is_set('SANDBOX_GATEWAY_URL'),
      'LIVE_SIMULATOR_SECRETS needs SANDBOX_GATEWAY_URL',
    ],
    [
      keys_of_live.length > 1 && chosen === undefined,
      `${keys_of_live.join(' and ')} are ${keys_of_live.length === 2 ? 'both' : 'all'} for live payments: say with LIVE_GATEWAY which takes new ones`,
    ],
    // A module's name is known when it is loaded.
    [
      chosen !== undefined && !is_set(KEYS_OF_LIVE_GATEWAYS[chosen] ?? 'GATEWAY_MODULES'),
      `LIVE_GATEWAY=${chosen} needs ${(chosen && KEYS_OF_LIVE_GATEWAYS[chosen]) ?? 'GATEWAY_MODULES'}`,
    ],
    // The secret that signed a call decides its environment.
    [
      listOf(live).some((secret) => sandbox.includes(secret)),
      'LIVE_SIMULATOR_SECRETS and SANDBOX_GATEWAY_SECRETS must differ',
    ],
  ];
}

function databaseRules({ name, target, url }: Record<'name' | 'target' | 'url', string>): Rule[] {
  return [
    [
      HOSTS_IN_QUERY.test(url) || !hasSoundHosts(url),
      `${name} must name its hosts before the database: postgres://role:password@a:5432,b:5432/payments`,
    ],
    [
      ![undefined, target].includes(targetOf(url)),
      `${name} may have no other target_session_attrs than ${target}`,
    ],
  ];
}

// These rules hold outside of production too: the server decrypts for every caller that reaches it.
function codecServerRules(settings: ProcessEnvironment): Rule[] {
  const { SECRETS_KEYS, TEMPORAL_CODEC_TOKEN, TEMPORAL_CODEC_HOST } = settings;
  return [
    [SECRETS_KEYS === undefined, 'SECRETS_KEYS is required: what payloads are encrypted with'],
    [
      TEMPORAL_CODEC_TOKEN === undefined && TEMPORAL_CODEC_HOST !== '127.0.0.1',
      'TEMPORAL_CODEC_TOKEN is required when TEMPORAL_CODEC_HOST is not 127.0.0.1',
    ],
  ];
}

function productionRules(settings: ProcessEnvironment, kind: ProcessKind): Rule[] {
  return [
    [
      settings.LIVE_SIMULATOR_SECRETS !== undefined,
      'LIVE_SIMULATOR_SECRETS is refused in production: live payments need a real gateway',
    ],
    ...REQUIRED_IN_PRODUCTION[kind].map((name): Rule => {
      return [settings[name] === undefined, `${name} is required in production`];
    }),
    ...entriesOf(ENCRYPTED_IN_PRODUCTION).map(([name, reason]): Rule => {
      const is_plain = settings[name]?.startsWith('http://') === true;
      return [is_plain, `${name} must be https in production, so that ${reason}`];
    }),
    [
      listOf(settings.WEBHOOK_ALLOWED_ADDRESSES).length > 0 && !settings.WEBHOOK_ALLOW_PRIVATE,
      'WEBHOOK_ALLOWED_ADDRESSES lets every merchant call addresses of this network: ' +
        'set WEBHOOK_ALLOW_PRIVATE=true as well when that is what you want in production',
    ],
  ];
}

function entriesOf<Name extends string, Value>(
  record: Readonly<Record<Name, Value>>,
): [Name, Value][] {
  return Object.entries(record) as [Name, Value][];
}
