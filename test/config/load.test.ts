import { resolve } from 'node:path';
import fc from 'fast-check';
import type { ProcessKind } from '../../config/faults';
import { ConfigError, loadConfig } from '../../config/load';
import { processEnvironmentSchema } from '../../config/schema';

function faultsOf(env: Record<string, string>, kind?: ProcessKind): readonly string[] {
  try {
    loadConfig(env, kind);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

const GATEWAYS = {
  GATEWAY_NOTIFICATION_PATH: '/hooks/f00d',
  GATEWAY_NOTIFICATION_URL: 'http://api:3000/hooks/f00d',
  GATEWAY_TIMEOUT_MS: '1500',
  SANDBOX_GATEWAY_URL: 'http://simulator:8090',
  SANDBOX_GATEWAY_SECRETS: 'the-new-sandbox-secret,the-old-sandbox-secret',
  SANDBOX_GATEWAY_HOST: '0.0.0.0',
  SANDBOX_GATEWAY_PORT: '9000',
  SANDBOX_GATEWAY_PUBLIC_URL: 'https://simulator.example.com',
  SANDBOX_GATEWAY_FILE: '/var/lib/simulator.jsonl',
  STRIPE_SECRET_KEY: 'sk_live_of_stripe',
  STRIPE_WEBHOOK_SECRETS: 'whsec_0123456789abcdef',
  STRIPE_API_URL: 'https://stripe-mock:12112',
  PAWAPAY_API_TOKEN: 'token-of-pawapay',
  PAWAPAY_CALLBACK_KEYS: `${'A'.repeat(122)}==,${'B'.repeat(122)}==`,
  PAWAPAY_API_URL: 'https://api.sandbox.pawapay.io',
  GATEWAY_MODULES: '/opt/acme.js, /opt/toy.js',
  LIVE_GATEWAY: 'pawapay',
};

const OPERATORS = {
  APPROVAL_ABOVE_XOF: '0',
  APPROVAL_ABOVE_EUR: '12.5',
  APPROVAL_ABOVE_USD: 'off',
  OPERATORS_NEED_SECOND_FACTOR: 'false',
  IDENTITY_CHECK_DAYS: '10',
  IDENTITY_DATA_DAYS: '365',
  // Those at the submission or after the end are left out.
  IDENTITY_CHECK_REMIND_DAYS: '5,1,0,10',
};

const [KEY, OTHER_KEY] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [
  string,
  string,
];

const WEBHOOKS = {
  WEBHOOK_RETRY_SECONDS: '1,2.5,60',
  WEBHOOK_TIMEOUT_MS: '2000',
  WEBHOOK_CONCURRENCY: '8',
  WEBHOOK_DISABLE_AFTER_HOURS: '24',
  WEBHOOK_PORTS: '443,8443',
  WEBHOOK_ALLOWED_ADDRESSES: '10.1.2.3, fd00::/8,',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  WEBHOOK_ATTEMPT_DAYS: '400',
  WEBHOOK_SINK_PORT: '9091',
};

const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://app@db/payments',
  TEMPORAL_ADDRESS: 'temporal:7233',
  PUBLIC_URL: 'https://pay.example.com',
  SECRETS_KEYS: `${KEY},${OTHER_KEY}`,
};

describe('loadConfig', () => {
  it('has a default for everything that an embedded start needs', () => {
    const { workflow_bundle, ...config } = loadConfig({});
    expect(workflow_bundle).toMatch(/workflow-bundle\.js$/);
    expect(config).toEqual({
      production: false,
      host: '127.0.0.1',
      port: 3000,
      public_url: 'http://127.0.0.1:3000',
      pay_url_base: 'http://127.0.0.1:3000',
      dashboard_url: 'http://127.0.0.1:3000/dashboard',
      dashboard_host: undefined,
      database_url: undefined,
      database_owner_url: undefined,
      database_pool_size: 20,
      temporal_address: undefined,
      temporal_namespace: 'default',
      temporal_ui_url: undefined,
      temporal_ui_port: 8233,
      temporal_cli: undefined,
      encrypt_payloads: false,
      codec_server: { host: '127.0.0.1', port: 8234, origin: undefined, token: undefined },
      task_queue: 'payments',
      transfers_in_flight: 2,
      transfers_per_workflow: 64,
      notification_sweep_seconds: 30,
      reconcile_schedule: '17 3 * * *',
      reconcile_grace_ms: 300_000,
      payout_keys_need_addresses: false,
      anonymous_requests_per_minute: 300,
      max_transfer: { XOF: 1_000_000_000n, EUR: 10_000_000n, USD: 10_000_000n },
      max_payment: { XOF: 1_000_000_000n, EUR: 10_000_000n, USD: 10_000_000n },
      approval_above: { XOF: null, EUR: null, USD: null },
      operators_need_second_factor: false,
      identity_checks: {
        remind_after_seconds: [259_200, 604_800, 1_209_600],
        expires_after_seconds: 2_592_000,
        data_days: 3_650,
      },
      gateway: {
        notification_path: '/internal/gateway/notifications',
        timeout_ms: 5_000,
        chosen: { live: undefined, sandbox: undefined },
        simulator: undefined,
        simulator_process: {
          host: '127.0.0.1',
          port: 8090,
          file: resolve('.data', 'sandbox-gateway.jsonl'),
          public_url: undefined,
          notification_url: 'http://127.0.0.1:3000/internal/gateway/notifications',
        },
        stripe: undefined,
        pawapay: undefined,
        modules: { paths: [], env: {} },
      },
      secrets_keys: [],
      webhooks: {
        retry_seconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
        timeout_ms: 15_000,
        concurrency: 64,
        disable_after_hours: 120,
        ports: [443],
        allowed_addresses: [],
        attempt_days: 0,
        sink_port: 8091,
      },
      tls: undefined,
      trusted_proxies: [],
      access_log_days: 90,
      http: {
        headers_timeout_ms: 10_000,
        request_timeout_ms: 30_000,
        max_connections: 10_000,
        max_connections_per_address: 2_500,
      },
      metrics: { host: '127.0.0.1', port: 9464 },
      traces: false,
      data_directory: resolve('.data'),
      given: new Set(),
    });
  });

  it('cannot be changed afterwards', () => {
    const config = loadConfig({});
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.max_transfer)).toBe(true);
    expect(Object.isFrozen(config.max_payment)).toBe(true);
  });

  it('treats an empty variable as unset', () => {
    const empty = Object.fromEntries(
      Object.keys(processEnvironmentSchema.properties).map((name) => [name, '']),
    );
    expect(loadConfig(empty)).toEqual(loadConfig({}));
  });

  it('ignores variables that are not its own', () => {
    expect(loadConfig({ PATH: '/bin', port: '1', PGHOST: 'x' })).toEqual(loadConfig({}));
  });

  it('reads every setting', () => {
    const config = loadConfig({
      ...PRODUCTION,
      HOST: '0.0.0.0',
      PORT: '8443',
      PAY_URL_BASE: 'https://p.example.com',
      DATABASE_OWNER_URL: 'postgresql://owner@db/payments',
      DATABASE_POOL_SIZE: '7',
      TEMPORAL_NAMESPACE: 'money',
      TEMPORAL_UI_URL: 'https://temporal.example.com',
      TEMPORAL_UI_PORT: '8080',
      TEMPORAL_CLI: '/opt/temporal',
      WORKFLOW_BUNDLE: '/opt/bundle.js',
      TASK_QUEUE: 'money',
      TRANSFERS_IN_FLIGHT: '32',
      TRANSFERS_PER_WORKFLOW: '16',
      ANONYMOUS_REQUESTS_PER_MINUTE: '50',
      MAX_TRANSFER_XOF: '500',
      MAX_TRANSFER_EUR: '12.5',
      MAX_TRANSFER_USD: '0.01',
      MAX_PAYMENT_XOF: '700',
      MAX_PAYMENT_EUR: '1.5',
      MAX_PAYMENT_USD: '0.02',
      ...OPERATORS,
      ...GATEWAYS,
      ...WEBHOOKS,
      NOTIFICATION_SWEEP_SECONDS: '0',
      RECONCILE_SCHEDULE: '30 1 * * MON',
      RECONCILE_GRACE_SECONDS: '600',
      TLS_CERT_FILE: '/tls/cert.pem',
      TLS_KEY_FILE: '/tls/key.pem',
      TRUSTED_PROXIES: 'loopback, 10.0.0.0/8,,',
      ACCESS_LOG_DAYS: '7',
      ARCHIVE_DIRECTORY: '/srv/archives',
      HTTP_HEADERS_TIMEOUT_MS: '2000',
      HTTP_REQUEST_TIMEOUT_MS: '4000',
      HTTP_MAX_CONNECTIONS: '100',
      HTTP_MAX_CONNECTIONS_PER_ADDRESS: '50',
      METRICS_HOST: '10.0.0.5',
      METRICS_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      DATA_DIRECTORY: '/var/lib/payments',
    });
    expect(config).toMatchObject({
      production: true,
      host: '0.0.0.0',
      port: 8443,
      public_url: 'https://pay.example.com',
      pay_url_base: 'https://p.example.com',
      database_url: 'postgres://app@db/payments',
      database_owner_url: 'postgresql://owner@db/payments',
      database_pool_size: 7,
      temporal_address: 'temporal:7233',
      temporal_namespace: 'money',
      temporal_ui_url: 'https://temporal.example.com',
      temporal_ui_port: 8080,
      temporal_cli: '/opt/temporal',
      workflow_bundle: '/opt/bundle.js',
      task_queue: 'money',
      transfers_in_flight: 32,
      transfers_per_workflow: 16,
      anonymous_requests_per_minute: 50,
      max_transfer: { XOF: 50_000n, EUR: 1_250n, USD: 1n },
      max_payment: { XOF: 70_000n, EUR: 150n, USD: 2n },
      approval_above: { XOF: 0n, EUR: 1_250n, USD: null },
      operators_need_second_factor: false,
      identity_checks: {
        remind_after_seconds: [86_400, 432_000],
        expires_after_seconds: 864_000,
        data_days: 365,
      },
      notification_sweep_seconds: 0,
      reconcile_schedule: '30 1 * * MON',
      reconcile_grace_ms: 600_000,
      gateway: {
        notification_path: '/hooks/f00d',
        timeout_ms: 1_500,
        simulator: {
          url: 'http://simulator:8090',
          secrets: { live: [], sandbox: ['the-new-sandbox-secret', 'the-old-sandbox-secret'] },
        },
        simulator_process: {
          host: '0.0.0.0',
          port: 9000,
          file: '/var/lib/simulator.jsonl',
          public_url: 'https://simulator.example.com',
          notification_url: 'http://api:3000/hooks/f00d',
        },
        stripe: {
          secret_key: 'sk_live_of_stripe',
          webhook_secrets: ['whsec_0123456789abcdef'],
          api_url: 'https://stripe-mock:12112',
        },
        chosen: { live: 'pawapay', sandbox: undefined },
        pawapay: {
          url: 'https://api.sandbox.pawapay.io',
          token: 'token-of-pawapay',
          callback_keys: [`${'A'.repeat(122)}==`, `${'B'.repeat(122)}==`],
          callback_url: 'https://pay.example.com/hooks/f00d',
        },
        modules: { paths: ['/opt/acme.js', '/opt/toy.js'] },
      },
      secrets_keys: [KEY, OTHER_KEY],
      webhooks: {
        retry_seconds: [1, 2.5, 60],
        timeout_ms: 2_000,
        concurrency: 8,
        disable_after_hours: 24,
        ports: [443, 8443],
        allowed_addresses: ['10.1.2.3', 'fd00::/8'],
        attempt_days: 400,
        sink_port: 9091,
      },
      tls: { cert_file: '/tls/cert.pem', key_file: '/tls/key.pem' },
      trusted_proxies: ['loopback', '10.0.0.0/8'],
      access_log_days: 7,
      archive_directory: '/srv/archives',
      http: {
        headers_timeout_ms: 2_000,
        request_timeout_ms: 4_000,
        max_connections: 100,
        max_connections_per_address: 50,
      },
      metrics: { host: '10.0.0.5', port: 0 },
      traces: true,
      data_directory: '/var/lib/payments',
    });
    expect(config.given).toEqual(
      new Set(
        Object.keys({ ...PRODUCTION, ...GATEWAYS, ...WEBHOOKS, ...OPERATORS })
          .concat('MAX_PAYMENT_XOF', 'MAX_PAYMENT_EUR', 'MAX_PAYMENT_USD')
          .concat('ANONYMOUS_REQUESTS_PER_MINUTE')
          .concat('NOTIFICATION_SWEEP_SECONDS')
          .concat('RECONCILE_SCHEDULE', 'RECONCILE_GRACE_SECONDS')
          .concat('HOST', 'PORT', 'PAY_URL_BASE', 'DATABASE_OWNER_URL', 'DATABASE_POOL_SIZE')
          .concat('TEMPORAL_NAMESPACE', 'TEMPORAL_UI_URL', 'TEMPORAL_UI_PORT', 'TEMPORAL_CLI')
          .concat(
            'TRANSFERS_IN_FLIGHT',
            'TRANSFERS_PER_WORKFLOW',
            'WORKFLOW_BUNDLE',
            'TASK_QUEUE',
            'MAX_TRANSFER_XOF',
          )
          .concat('MAX_TRANSFER_EUR', 'MAX_TRANSFER_USD', 'TLS_CERT_FILE', 'TLS_KEY_FILE')
          .concat('TRUSTED_PROXIES', 'DATA_DIRECTORY')
          .concat('METRICS_HOST', 'METRICS_PORT')
          .concat('OTEL_EXPORTER_OTLP_ENDPOINT')
          .concat('ACCESS_LOG_DAYS', 'ARCHIVE_DIRECTORY')
          .concat('HTTP_HEADERS_TIMEOUT_MS', 'HTTP_REQUEST_TIMEOUT_MS')
          .concat('HTTP_MAX_CONNECTIONS', 'HTTP_MAX_CONNECTIONS_PER_ADDRESS'),
      ),
    );
  });

  it('takes a mail server with the sender, and in production only one that encrypts', () => {
    const from = 'Payments <no-reply@example.com>';
    const smtpOf = (SMTP_URL: string, more = {}) =>
      loadConfig({ SMTP_URL, MAIL_FROM: from, ...more }).smtp;
    const url = 'smtp://user:word@mail.example.com:587';
    expect(smtpOf(url)).toEqual({ url, from, require_tls: false });
    expect(smtpOf(url, PRODUCTION)?.require_tls).toBe(true);
    expect(smtpOf('smtp://127.0.0.1:25', PRODUCTION)?.require_tls).toBe(false);
    expect(faultsOf({ SMTP_URL: url })).toEqual(['SMTP_URL and MAIL_FROM must be set together']);
    for (const MAIL_FROM of ['nobody', 'a@b.c\r\nBcc: d@e.f', 'A <a@b.c>, B <d@e.f>']) {
      expect(faultsOf({ SMTP_URL: url, MAIL_FROM })).toHaveLength(1);
    }
  });

  it('asks for a second operator and a second factor in production, unless told otherwise', () => {
    expect(loadConfig(PRODUCTION)).toMatchObject({
      approval_above: { XOF: 100_000_000n, EUR: 150_000n, USD: 150_000n },
      operators_need_second_factor: true,
    });
  });

  it('derives the public URL from host and port, with https if there is a certificate', () => {
    expect(loadConfig({ PORT: '4000' }).public_url).toBe('http://127.0.0.1:4000');
    expect(loadConfig({ TLS_CERT_FILE: 'c', TLS_KEY_FILE: 'k' }).public_url).toBe(
      'https://127.0.0.1:3000',
    );
  });

  it("uses the application's role as the schema's owner by default", () => {
    const url = 'postgres://app@db/payments';
    expect(loadConfig({ DATABASE_URL: url }).database_owner_url).toBe(url);
  });

  it('lists all faults at once, each with its variable', () => {
    const faults = faultsOf({
      PORT: '99999',
      PUBLIC_URL: 'ftp://x',
      DATABASE_URL: 'mysql://x',
      DATABASE_POOL_SIZE: 'many',
      TEMPORAL_ADDRESS: 'http://temporal:7233',
      TASK_QUEUE: 'a b',
      MAX_TRANSFER_XOF: '10.50',
      MAX_TRANSFER_EUR: '-1',
      MAX_PAYMENT_XOF: '0.5',
      APPROVAL_ABOVE_XOF: '10.50',
      APPROVAL_ABOVE_EUR: 'never',
      GATEWAY_NOTIFICATION_PATH: 'hooks',
      SANDBOX_GATEWAY_URL: 'simulator:8090',
      SANDBOX_GATEWAY_SECRETS: 'short',
      STRIPE_WEBHOOK_SECRETS: 'whsec_0123456789abcdef',
      SECRETS_KEYS: 'short',
      WEBHOOK_PORTS: '0',
      TLS_CERT_FILE: '/tls/cert.pem',
    });
    for (const name of [
      'PORT',
      'PUBLIC_URL',
      'DATABASE_URL',
      'DATABASE_POOL_SIZE',
      'TEMPORAL_ADDRESS',
      'TASK_QUEUE',
      'MAX_TRANSFER_XOF',
      'MAX_TRANSFER_EUR',
      'MAX_PAYMENT_XOF',
      'APPROVAL_ABOVE_XOF',
      'APPROVAL_ABOVE_EUR',
      'GATEWAY_NOTIFICATION_PATH',
      'SANDBOX_GATEWAY_URL',
      'SANDBOX_GATEWAY_SECRETS',
      'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRETS must be set together',
      'SECRETS_KEYS',
      'WEBHOOK_PORTS',
      'TLS_KEY_FILE',
    ]) {
      expect(faults).toContainEqual(expect.stringContaining(name));
    }
  });

  it('shows one fault per line', () => {
    const error = new ConfigError(['PORT must be >= 1', 'HOST is missing']);
    expect(error.message).toBe(
      'The configuration has 2 faults:\n  - PORT must be >= 1\n  - HOST is missing',
    );
  });

  it.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '3.5'],
    ['DATABASE_POOL_SIZE', '1'],
    ['DATABASE_POOL_SIZE', '501'],
    ['PUBLIC_URL', 'https://pay.example.com/'],
    ['PUBLIC_URL', 'pay.example.com'],
    ['PUBLIC_URL', 'https://pay.example.com/payments'],
    ['PUBLIC_URL', 'https://pay.example.com?x=1'],
    ['PAY_URL_BASE', 'https://pay.example.com/#x'],
    ['PAY_URL_BASE', 'https://user:pass@pay.example.com'],
    ['DATABASE_URL', 'postgres://app:x@a:5432,b:5432/db?target_session_attrs=read-write'],
    ['DATABASE_OWNER_URL', 'postgres:///db?host=a%2Cb'],
    ['OPERATOR_DATABASE_URL', 'postgresql://a,b/db'],
    ['TEMPORAL_ADDRESS', 'temporal'],
    ['MAX_TRANSFER_USD', '0'],
    ['MAX_TRANSFER_USD', '1e3'],
    ['MAX_TRANSFER_USD', '10000000000000'],
    ['TLS_KEY_FILE', 'k'],
    ['TRANSFERS_IN_FLIGHT', '0'],
    ['TRANSFERS_PER_WORKFLOW', '0'],
    ['TRANSFERS_PER_WORKFLOW', '65'],
    ['MAX_PAYMENT_USD', '0'],
    ['MAX_PAYMENT_XOF', '5000.50'],
    ['GATEWAY_NOTIFICATION_PATH', '/'],
    ['GATEWAY_NOTIFICATION_PATH', '/hooks/:name'],
    ['GATEWAY_NOTIFICATION_PATH', '/hooks?x=y'],
    ['GATEWAY_TIMEOUT_MS', '99'],
    // A gateway call must end before the API request that waits for it.
    ['GATEWAY_TIMEOUT_MS', '8001'],
    ['NOTIFICATION_SWEEP_SECONDS', '-1'],
    ['RECONCILE_SCHEDULE', 'daily'],
    ['RECONCILE_SCHEDULE', '* * * *'],
    ['RECONCILE_GRACE_SECONDS', '86401'],
    ['SANDBOX_GATEWAY_PORT', '0'],
    ['STRIPE_WEBHOOK_SECRETS', 'whsec_0123456789abcdef,'],
    ['PAWAPAY_CALLBACK_KEYS', 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE'],
    ['LIVE_GATEWAY', 'Pay Pal'],
    ['SECRETS_KEYS', KEY.slice(1)],
    // Decodes to the same bytes as another text.
    ['SECRETS_KEYS', `${KEY.slice(0, 42)}F=`],
    ['SECRETS_KEYS', `${KEY},`],
    ['SECRETS_KEYS', `${KEY},${OTHER_KEY},${KEY}`],
    ['WEBHOOK_RETRY_SECONDS', '5,,300'],
    ['WEBHOOK_RETRY_SECONDS', '-5'],
    ['WEBHOOK_TIMEOUT_MS', '30001'],
    ['WEBHOOK_CONCURRENCY', '0'],
    ['WEBHOOK_DISABLE_AFTER_HOURS', '0'],
    ['WEBHOOK_PORTS', '443,65536'],
    // Host names are not addresses.
    ['WEBHOOK_ALLOWED_ADDRESSES', 'localhost'],
    // The database drops nothing younger.
    ['WEBHOOK_ATTEMPT_DAYS', '30'],
    ['WEBHOOK_SINK_PORT', '0'],
    // The database deletes nothing younger.
    ['IDENTITY_DATA_DAYS', '29'],
  ])('refuses %s=%s', (name, value) => {
    expect(faultsOf({ [name]: value })).toContainEqual(expect.stringContaining(name));
  });

  it.each([
    ['TEMPORAL_ADDRESS', '[::1]:7233'],
    ['TEMPORAL_ADDRESS', 'ns.acct.tmprl.cloud:7233'],
    ['DATABASE_URL', 'postgresql://u:p@h:5432/d?sslmode=require'],
    ['PUBLIC_URL', 'http://localhost:3000'],
  ])('accepts %s=%s', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([]);
  });

  describe('the dashboard', () => {
    const addressOf = (DASHBOARD_URL: string) => {
      const { dashboard_url, dashboard_host } = loadConfig({ ...PRODUCTION, DASHBOARD_URL });
      return [dashboard_url, dashboard_host];
    };
    const faultsWith = (DASHBOARD_URL: string, more: Record<string, string> = {}) =>
      faultsOf({ ...PRODUCTION, ...more, DASHBOARD_URL });

    it('is under PUBLIC_URL, also when that is said', () => {
      const address = ['https://pay.example.com/dashboard', undefined];
      expect(addressOf('')).toEqual(address);
      expect(addressOf('https://pay.example.com')).toEqual(address);
      expect(addressOf('https://PAY.example.com:443/dashboard')).toEqual(address);
    });

    it('has the host name that it is given, with or without its path', () => {
      const address = ['https://my.example.com/dashboard', 'my.example.com'];
      expect(addressOf('https://my.example.com')).toEqual(address);
      expect(addressOf('https://My.example.com/dashboard')).toEqual(address);
      expect(addressOf('https://my.example.com:8443')).toEqual([
        'https://my.example.com:8443/dashboard',
        'my.example.com:8443',
      ]);
    });

    it('shares no host name with the API or the pay pages, because cookies know no ports', () => {
      const because = (name: string) => [
        `DASHBOARD_URL must not have the host name of ${name}, because browsers send cookies to every ` +
          'port of a name: leave it out, or give the dashboard a name of its own',
      ];
      expect(faultsWith('https://pay.example.com:8443')).toEqual(because('PUBLIC_URL'));
      expect(
        faultsWith('https://p.example.com', { PAY_URL_BASE: 'https://p.example.com' }),
      ).toEqual(because('PAY_URL_BASE'));
    });

    it('has an origin, and in production one by https', () => {
      expect(faultsWith('http://my.example.com')).toEqual([
        'DASHBOARD_URL must be https in production, so that nobody on the way reads a password',
      ]);
      for (const url of ['my.example.com', 'https://my.example.com/', 'https://a@my.example.com']) {
        expect(faultsWith(url)).toContainEqual(
          'DASHBOARD_URL must match pattern "^https?://[^\\s/?#@]+(/dashboard)?$"',
        );
      }
      expect(faultsWith('https://[::1')).toEqual(['DASHBOARD_URL must be a URL']);
      expect(faultsOf({ DASHBOARD_URL: 'https://my.example.com', HOST: '::' })).toEqual([
        'PUBLIC_URL must be a URL when DASHBOARD_URL is set',
      ]);
    });
  });

  it('requires all settings of a gateway together', () => {
    const url = { SANDBOX_GATEWAY_URL: 'http://127.0.0.1:8090' };
    const secrets = { SANDBOX_GATEWAY_SECRETS: 'the-sandbox-secret' };
    const live = { LIVE_SIMULATOR_SECRETS: 'the-live-simulator-secret' };
    const stripe = {
      STRIPE_SECRET_KEY: 'sk_test_of_stripe',
      STRIPE_WEBHOOK_SECRETS: 'whsec_0123456789abcdef',
    };
    expect(faultsOf({ ...url, ...secrets, ...live })).toEqual([]);
    expect(faultsOf({ ...url, ...secrets, ...stripe })).toEqual([]);
    expect(faultsOf(stripe)).toEqual([]);
    for (const half of [url, secrets]) {
      expect(faultsOf(half)).toEqual([
        'SANDBOX_GATEWAY_URL and SANDBOX_GATEWAY_SECRETS must be set together',
      ]);
    }
    expect(faultsOf({ STRIPE_SECRET_KEY: 'sk_test_of_stripe' })).toEqual([
      'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRETS must be set together',
    ]);
    expect(faultsOf(live)).toEqual(['LIVE_SIMULATOR_SECRETS needs SANDBOX_GATEWAY_URL']);
    expect(faultsOf({ ...url, ...secrets, ...live, ...stripe })).toEqual([
      'LIVE_SIMULATOR_SECRETS and STRIPE_SECRET_KEY are both for live payments: say with LIVE_GATEWAY which takes new ones',
    ]);
    const both = { ...url, ...secrets, ...live, ...stripe };
    expect(faultsOf({ ...both, LIVE_GATEWAY: 'sandbox' })).toEqual([]);
    const pawapay = {
      PAWAPAY_API_TOKEN: 'token-of-pawapay',
      PAWAPAY_CALLBACK_KEYS: `${'A'.repeat(122)}==`,
    };
    expect(faultsOf({ PAWAPAY_API_TOKEN: 'token-of-pawapay' })).toEqual([
      'PAWAPAY_API_TOKEN and PAWAPAY_CALLBACK_KEYS must be set together',
    ]);
    expect(faultsOf(pawapay)).toEqual([]);
    expect(faultsOf({ ...both, ...pawapay })).toEqual([
      'LIVE_SIMULATOR_SECRETS and PAWAPAY_API_TOKEN and STRIPE_SECRET_KEY are all for live payments: say with LIVE_GATEWAY which takes new ones',
    ]);
    for (const [chosen, needed] of [
      ['stripe', 'STRIPE_SECRET_KEY'],
      ['pawapay', 'PAWAPAY_API_TOKEN'],
      ['acme', 'GATEWAY_MODULES'],
    ] as const) {
      expect(faultsOf({ LIVE_GATEWAY: chosen })).toEqual([
        `LIVE_GATEWAY=${chosen} needs ${needed}`,
      ]);
    }
    expect(faultsOf({ LIVE_GATEWAY: 'acme', GATEWAY_MODULES: './acme.js' })).toEqual([]);
  });

  it('refuses one secret for both environments, because the secret decides the environment', () => {
    expect(
      faultsOf({
        SANDBOX_GATEWAY_URL: 'http://127.0.0.1:8090',
        SANDBOX_GATEWAY_SECRETS: 'a-secret-of-its-own,a-secret-of-both',
        LIVE_SIMULATOR_SECRETS: 'a-secret-of-both',
      }),
    ).toEqual(['LIVE_SIMULATOR_SECRETS and SANDBOX_GATEWAY_SECRETS must differ']);
  });

  it('refuses the simulator for live payments in production', () => {
    const simulator = {
      SANDBOX_GATEWAY_URL: 'http://127.0.0.1:8090',
      SANDBOX_GATEWAY_SECRETS: 'the-sandbox-secret',
    };
    expect(faultsOf({ ...PRODUCTION, ...simulator })).toEqual([]);
    expect(
      faultsOf({ ...PRODUCTION, ...simulator, LIVE_SIMULATOR_SECRETS: 'the-live-secret-x' }),
    ).toEqual([
      'LIVE_SIMULATOR_SECRETS is refused in production: live payments need a real gateway',
    ]);
  });

  it("derives the simulator's public URL and the notification URL", () => {
    const { simulator_process } = loadConfig({
      PUBLIC_URL: 'https://pay.example.com',
      SANDBOX_GATEWAY_URL: 'http://simulator:8090',
      SANDBOX_GATEWAY_SECRETS: 'the-sandbox-secret',
      GATEWAY_NOTIFICATION_PATH: '/hooks/f00d',
      DATA_DIRECTORY: '/var/lib/payments',
    }).gateway;
    expect(simulator_process).toMatchObject({
      public_url: 'http://simulator:8090',
      notification_url: 'https://pay.example.com/hooks/f00d',
      file: '/var/lib/payments/sandbox-gateway.jsonl',
    });
  });

  it('requires a database, Temporal, a public https URL and an encryption key in production', () => {
    expect(faultsOf(PRODUCTION)).toEqual([]);
    expect(faultsOf({ NODE_ENV: 'production' })).toEqual([
      'DATABASE_URL is required in production',
      'TEMPORAL_ADDRESS is required in production',
      'PUBLIC_URL is required in production',
      'SECRETS_KEYS is required in production',
    ]);
    expect(faultsOf({ ...PRODUCTION, PUBLIC_URL: 'http://pay.example.com' })).toEqual([
      'PUBLIC_URL must be https in production, so that keys are never sent unencrypted',
    ]);
  });

  it('gives the simulator and the migrations to production without the secrets of the service', () => {
    const simulator = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://pay.example.com',
      SANDBOX_GATEWAY_URL: 'http://simulator:8090',
      SANDBOX_GATEWAY_SECRETS: 'the-sandbox-secret',
    };
    expect(loadConfig(simulator, 'simulator').gateway.simulator?.url).toBe('http://simulator:8090');
    const migrations = { NODE_ENV: 'production', DATABASE_URL: 'postgres://app@db/payments' };
    expect(loadConfig(migrations, 'migrations').database_url).toBe('postgres://app@db/payments');
    expect(() => loadConfig({ NODE_ENV: 'production' }, 'simulator')).toThrow(
      'PUBLIC_URL is required in production',
    );
  });

  it('requires of the codec server its keys, and a token in production and beyond loopback', () => {
    const faultsOfCodec = (env: Record<string, string>): readonly string[] =>
      faultsOf(env, 'codec_server');
    expect(faultsOfCodec({ SECRETS_KEYS: KEY })).toEqual([]);
    expect(faultsOfCodec({ TEMPORAL_CODEC_HOST: '0.0.0.0' })).toEqual([
      'SECRETS_KEYS is required: what payloads are encrypted with',
      'TEMPORAL_CODEC_TOKEN is required when TEMPORAL_CODEC_HOST is not 127.0.0.1',
    ]);
    expect(faultsOfCodec({ NODE_ENV: 'production' })).toEqual([
      'SECRETS_KEYS is required in production',
      'TEMPORAL_CODEC_TOKEN is required in production',
    ]);
  });

  it.each([
    ['PAY_URL_BASE', 'nobody on the way can change where a customer pays'],
    ['STRIPE_API_URL', "Stripe's key is never sent unencrypted"],
    ['PAWAPAY_API_URL', "pawaPay's token is never sent unencrypted"],
  ])('refuses http for %s in production', (name, reason) => {
    expect(faultsOf({ ...PRODUCTION, [name]: 'https://example.com' })).toEqual([]);
    expect(faultsOf({ [name]: 'http://example.com' })).toEqual([]);
    expect(faultsOf({ ...PRODUCTION, [name]: 'http://example.com' })).toEqual([
      `${name} must be https in production, so that ${reason}`,
    ]);
  });

  it('lets webhooks call a private network in production only with a second setting', () => {
    const opened = { ...PRODUCTION, WEBHOOK_ALLOWED_ADDRESSES: '10.0.0.0/8' };
    expect(faultsOf(opened)).toEqual([
      expect.stringMatching(
        /^WEBHOOK_ALLOWED_ADDRESSES lets every merchant .*WEBHOOK_ALLOW_PRIVATE=true/,
      ),
    ]);
    expect(faultsOf({ ...opened, WEBHOOK_ALLOW_PRIVATE: 'false' })).toHaveLength(1);
    expect(faultsOf({ ...opened, WEBHOOK_ALLOW_PRIVATE: 'true' })).toEqual([]);
    expect(faultsOf({ WEBHOOK_ALLOWED_ADDRESSES: '10.0.0.0/8' })).toEqual([]);
  });

  it('returns a configuration or throws faults for any environment, never another error', () => {
    const name = fc.constantFrom(...Object.keys(processEnvironmentSchema.properties));
    fc.assert(
      fc.property(fc.dictionary(name, fc.string()), (env) => {
        faultsOf(env);
      }),
    );
  });
});
