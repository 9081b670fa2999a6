import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import type { ProcessKind } from '../../config/faults';
import { ConfigError, loadConfig } from '../../config/load';
import { processEnvironmentSchema, SECRET_SETTINGS } from '../../config/schema';

function faultsOf(env: Record<string, string>, kind?: ProcessKind): readonly string[] {
  try {
    loadConfig(env, kind);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

const [KEY, OTHER_KEY] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [
  string,
  string,
];

const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://app@db/payments',
  TEMPORAL_ADDRESS: 'temporal:7233',
  PUBLIC_URL: 'https://pay.example.com',
  SECRETS_KEYS: `${KEY},${OTHER_KEY}`,
};

const KEYS = [1, 2].map((letter) => `${'AB'[letter - 1]!.repeat(122)}==`);
const HOUR = 3_600;

/** Of each setting: its place in the configuration, what is there without it, a text, and what that is read as. */
const SETTINGS: Readonly<Record<string, readonly [string, unknown, string, unknown?]>> = {
  NODE_ENV: ['production', false, 'production', true],
  HOST: ['host', '127.0.0.1', '0.0.0.0'],
  PORT: ['port', 3000, '8443', 8443],
  PUBLIC_URL: ['public_url', 'http://127.0.0.1:3000', 'https://pay.example.com'],
  PAY_URL_BASE: ['pay_url_base', 'http://127.0.0.1:3000', 'https://p.example.com'],
  DASHBOARD_URL: ['dashboard_host', undefined, 'https://my.example.com', 'my.example.com'],
  DATABASE_URL: ['database_url', undefined, 'postgres://app@db/payments'],
  DATABASE_OWNER_URL: ['database_owner_url', undefined, 'postgresql://owner@db/payments'],
  OPERATOR_DATABASE_URL: ['operator_database_url', undefined, 'postgres://operator@db/payments'],
  DATABASE_READ_URL: ['database_read_url', undefined, 'postgres://app@standby/payments'],
  OPERATOR: ['operator', undefined, 'awa'],
  DATABASE_POOL_SIZE: ['database_pool_size', 20, '7', 7],
  TEMPORAL_ADDRESS: ['temporal_address', undefined, 'temporal:7233'],
  TEMPORAL_NAMESPACE: ['temporal_namespace', 'default', 'money'],
  TEMPORAL_UI_URL: ['temporal_ui_url', undefined, 'https://temporal.example.com'],
  TEMPORAL_UI_PORT: ['temporal_ui_port', 8233, '8080', 8080],
  TEMPORAL_CLI: ['temporal_cli', undefined, '/opt/temporal'],
  TEMPORAL_ENCRYPT_PAYLOADS: ['encrypt_payloads', false, 'true', true],
  TEMPORAL_CODEC_HOST: ['codec_server.host', '127.0.0.1', '10.0.0.6'],
  TEMPORAL_CODEC_PORT: ['codec_server.port', 8234, '8235', 8235],
  TEMPORAL_CODEC_ORIGIN: ['codec_server.origin', undefined, 'https://ui.example.com'],
  TEMPORAL_CODEC_TOKEN: ['codec_server.token', undefined, 'a-token-of-at-least-32-characters'],
  WORKFLOW_BUNDLE: ['workflow_bundle', expect.stringMatching(/workflow-bundle\.js$/), '/opt/b.js'],
  TASK_QUEUE: ['task_queue', 'payments', 'money'],
  TRANSFERS_IN_FLIGHT: ['transfers_in_flight', 2, '32', 32],
  TRANSFERS_PER_WORKFLOW: ['transfers_per_workflow', 64, '16', 16],
  NOTIFICATION_SWEEP_SECONDS: ['notification_sweep_seconds', 30, '0', 0],
  RECONCILE_SCHEDULE: ['reconcile_schedule', '17 3 * * *', '30 1 * * MON'],
  RECONCILE_GRACE_SECONDS: ['reconcile_grace_ms', 300_000, '600', 600_000],
  PAYOUT_KEYS_NEED_ADDRESSES: ['payout_keys_need_addresses', false, 'true', true],
  ANONYMOUS_REQUESTS_PER_MINUTE: ['anonymous_requests_per_minute', 300, '50', 50],
  MAX_TRANSFER_XOF: ['max_transfer.XOF', 1_000_000_000n, '500', 50_000n],
  MAX_TRANSFER_EUR: ['max_transfer.EUR', 10_000_000n, '12.5', 1_250n],
  MAX_TRANSFER_USD: ['max_transfer.USD', 10_000_000n, '0.01', 1n],
  MAX_PAYMENT_XOF: ['max_payment.XOF', 1_000_000_000n, '700', 70_000n],
  MAX_PAYMENT_EUR: ['max_payment.EUR', 10_000_000n, '1.5', 150n],
  MAX_PAYMENT_USD: ['max_payment.USD', 10_000_000n, '0.02', 2n],
  APPROVAL_ABOVE_XOF: ['approval_above.XOF', null, '0', 0n],
  APPROVAL_ABOVE_EUR: ['approval_above.EUR', null, '12.5', 1_250n],
  APPROVAL_ABOVE_USD: ['approval_above.USD', null, 'off', null],
  OPERATORS_NEED_SECOND_FACTOR: ['operators_need_second_factor', false, 'false', false],
  IDENTITY_CHECK_DAYS: ['identity_checks.expires_after_seconds', 720 * HOUR, '10', 240 * HOUR],
  IDENTITY_DATA_DAYS: ['identity_checks.data_days', 3_650, '365', 365],
  IDENTITY_CHECK_REMIND_DAYS: [
    'identity_checks.remind_after_seconds',
    [72 * HOUR, 168 * HOUR, 336 * HOUR],
    // Those at the submission or after the end are left out.
    '5,1,0,10',
    [24 * HOUR, 120 * HOUR],
  ],
  GATEWAY_NOTIFICATION_PATH: [
    'gateway.notification_path',
    '/internal/gateway/notifications',
    '/hooks/f00d',
  ],
  GATEWAY_NOTIFICATION_URL: [
    'gateway.simulator_process.notification_url',
    'http://127.0.0.1:3000/internal/gateway/notifications',
    'http://api:3000/hooks/f00d',
  ],
  GATEWAY_TIMEOUT_MS: ['gateway.timeout_ms', 5_000, '1500', 1_500],
  LIVE_GATEWAY: ['gateway.chosen.live', undefined, 'pawapay'],
  SANDBOX_GATEWAY_URL: ['gateway.simulator.url', undefined, 'http://simulator:8090'],
  SANDBOX_GATEWAY_SECRETS: [
    'gateway.simulator.secrets',
    undefined,
    'the-new-sandbox-secret,the-old-sandbox-secret',
    { live: [], sandbox: ['the-new-sandbox-secret', 'the-old-sandbox-secret'] },
  ],
  SANDBOX_GATEWAY_HOST: ['gateway.simulator_process.host', '127.0.0.1', '0.0.0.0'],
  SANDBOX_GATEWAY_PORT: ['gateway.simulator_process.port', 8090, '9000', 9000],
  SANDBOX_GATEWAY_PUBLIC_URL: [
    'gateway.simulator_process.public_url',
    undefined,
    'https://simulator.example.com',
  ],
  SANDBOX_GATEWAY_FILE: [
    'gateway.simulator_process.file',
    resolve('.data', 'sandbox-gateway.jsonl'),
    '/var/lib/simulator.jsonl',
  ],
  STRIPE_SECRET_KEY: ['gateway.stripe.secret_key', undefined, 'sk_live_of_stripe'],
  STRIPE_WEBHOOK_SECRETS: [
    'gateway.stripe.webhook_secrets',
    undefined,
    'whsec_0123456789abcdef',
    ['whsec_0123456789abcdef'],
  ],
  STRIPE_API_URL: ['gateway.stripe.api_url', undefined, 'https://stripe-mock:12112'],
  PAWAPAY_API_TOKEN: ['gateway.pawapay.token', undefined, 'token-of-pawapay'],
  PAWAPAY_CALLBACK_KEYS: ['gateway.pawapay.callback_keys', undefined, KEYS.join(), KEYS],
  PAWAPAY_API_URL: ['gateway.pawapay.url', undefined, 'https://api.sandbox.pawapay.io'],
  GATEWAY_MODULES: [
    'gateway.modules.paths',
    [],
    '/opt/acme.js, /opt/toy.js',
    ['/opt/acme.js', '/opt/toy.js'],
  ],
  SECRETS_KEYS: ['secrets_keys', [], `${KEY},${OTHER_KEY}`, [KEY, OTHER_KEY]],
  WEBHOOK_RETRY_SECONDS: [
    'webhooks.retry_seconds',
    [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    '1,2.5,60',
    [1, 2.5, 60],
  ],
  WEBHOOK_TIMEOUT_MS: ['webhooks.timeout_ms', 15_000, '2000', 2_000],
  WEBHOOK_CONCURRENCY: ['webhooks.concurrency', 64, '8', 8],
  WEBHOOK_DISABLE_AFTER_HOURS: ['webhooks.disable_after_hours', 120, '24', 24],
  WEBHOOK_PORTS: ['webhooks.ports', [443], '443,8443', [443, 8443]],
  WEBHOOK_ALLOWED_ADDRESSES: [
    'webhooks.allowed_addresses',
    [],
    '10.1.2.3, fd00::/8,',
    ['10.1.2.3', 'fd00::/8'],
  ],
  WEBHOOK_ATTEMPT_DAYS: ['webhooks.attempt_days', 0, '400', 400],
  WEBHOOK_SINK_PORT: ['webhooks.sink_port', 8091, '9091', 9091],
  SMTP_URL: ['smtp.url', undefined, 'smtp://user:word@mail.example.com:587'],
  MAIL_FROM: ['smtp.from', undefined, 'no-reply@example.com'],
  TLS_CERT_FILE: ['tls.cert_file', undefined, '/tls/cert.pem'],
  TLS_KEY_FILE: ['tls.key_file', undefined, '/tls/key.pem'],
  TRUSTED_PROXIES: ['trusted_proxies', [], 'loopback, 10.0.0.0/8,,', ['loopback', '10.0.0.0/8']],
  ACCESS_LOG_DAYS: ['access_log_days', 90, '7', 7],
  ARCHIVE_DIRECTORY: ['archive_directory', undefined, '/srv/archives'],
  HTTP_HEADERS_TIMEOUT_MS: ['http.headers_timeout_ms', 10_000, '2000', 2_000],
  HTTP_REQUEST_TIMEOUT_MS: ['http.request_timeout_ms', 30_000, '4000', 4_000],
  DRAIN_SECONDS: ['drain_seconds', 5, '0', 0],
  HTTP_MAX_CONNECTIONS: ['http.max_connections', 10_000, '100', 100],
  HTTP_MAX_CONNECTIONS_PER_ADDRESS: ['http.max_connections_per_address', 2_500, '50', 50],
  METRICS_HOST: ['metrics.host', '127.0.0.1', '10.0.0.5'],
  METRICS_PORT: ['metrics.port', 9464, '0', 0],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['traces', false, 'http://collector:4318', true],
  DATA_DIRECTORY: ['data_directory', resolve('.data'), '/var/lib/payments'],
};

/** Tests of their own say what these do. */
const WITHOUT_A_PLACE = ['LIVE_SIMULATOR_SECRETS', 'WEBHOOK_ALLOW_PRIVATE'];

function placesOf(config: object): Readonly<Record<string, unknown>> {
  const found = Object.values(SETTINGS).map(([place]) => {
    const names = place.split('.');
    return [place, names.reduce<any>((part, name) => part?.[name], config)]; // oxlint-disable-line typescript/no-explicit-any -- any part of a configuration
  });
  return Object.fromEntries(found) as Readonly<Record<string, unknown>>;
}

describe('loadConfig', () => {
  it('is tried with every setting', () => {
    const names = [...Object.keys(SETTINGS), ...WITHOUT_A_PLACE];
    expect(names.sort()).toEqual(Object.keys(processEnvironmentSchema.properties).sort());
  });

  describe('a secret in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    const file = join(folder, 'url');
    writeFileSync(file, 'postgres://app:word@db/payments\n');
    afterAll(() => rmSync(folder, { recursive: true }));

    it('is read without the end of its line', () => {
      const config = loadConfig({ DATABASE_URL_FILE: file });
      expect(config.database_url).toBe('postgres://app:word@db/payments');
      expect(config.given).toContain('DATABASE_URL');
    });

    it.each([
      [{ DATABASE_URL_FILE: '/nowhere' }, /^DATABASE_URL_FILE: ENOENT/],
      [{ DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://db' }, /must not be set together$/],
      [{ STRIPE_SECRET_KEY_FILE: file }, /must be set together$/],
    ])('is refused where it is %j', (env, fault) => {
      expect(faultsOf(env as Record<string, string>)).toEqual([expect.stringMatching(fault)]);
    });

    it('may be each that has a form of a secret', () => {
      const names = Object.keys(processEnvironmentSchema.properties);
      const secret = /SECRET|TOKEN|KEYS$|DATABASE(_OWNER|_READ)?_URL|SMTP_URL/;
      const public_keys = ['PAWAPAY_CALLBACK_KEYS'];
      const found = names.filter((name) => secret.test(name) && !public_keys.includes(name));
      expect(found.sort()).toEqual([...SECRET_SETTINGS].sort());
    });
  });

  it('has a default for everything that an embedded start needs', () => {
    const standard = Object.values(SETTINGS).map(([place, value]) => [place, value]);
    const config = loadConfig({});
    expect(placesOf(config)).toEqual(Object.fromEntries(standard));
    expect(config).toMatchObject({
      dashboard_url: 'http://127.0.0.1:3000/dashboard',
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
    const rows = Object.entries(SETTINGS);
    const env = Object.fromEntries(rows.map(([name, [, , text]]) => [name, text]));
    const config = loadConfig({ ...env, WEBHOOK_ALLOW_PRIVATE: 'true' });
    const read = rows.map(([, [place, , text, value = text]]) => [place, value]);
    expect(placesOf(config)).toEqual(Object.fromEntries(read));
    expect(config.given).toEqual(new Set([...Object.keys(env), 'WEBHOOK_ALLOW_PRIVATE']));
    expect(config.gateway.pawapay?.callback_url).toBe('https://pay.example.com/hooks/f00d');
    expect(config.gateway.chosen.sandbox).toBeUndefined();
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
    ['DATABASE_URL', 'postgres://app:x@a:5432,b:5432/db?target_session_attrs=standby'],
    ['DATABASE_URL', 'postgres://app:x@a/db?sslmode=require&target_session_attrs='],
    ['DATABASE_URL', 'postgres://app:x@a:5432,/db'],
    ['DATABASE_READ_URL', 'postgres://app:x@a,b/db?target_session_attrs=read-write'],
    ['DATABASE_OWNER_URL', 'postgres:///db?host=a%2Cb'],
    ['OPERATOR_DATABASE_URL', 'postgresql://a,b:99999/db'],
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

  const ORIGIN_ONLY =
    'must be an origin, such as https://pay.example.com, without a path, a query or a user name';
  const API_ONLY = 'must be a URL without a user name, a query or a fragment';

  it.each([
    ['STRIPE_API_URL', ORIGIN_ONLY],
    ['SANDBOX_GATEWAY_PUBLIC_URL', ORIGIN_ONLY],
    ['PUBLIC_URL', ORIGIN_ONLY],
    ['PAWAPAY_API_URL', API_ONLY],
    ['SANDBOX_GATEWAY_URL', API_ONLY],
  ])('refuses %s with more than an address, or a port that is none', (name, rule) => {
    const pair =
      name === 'SANDBOX_GATEWAY_URL' ? { SANDBOX_GATEWAY_SECRETS: 'the-sandbox-secret' } : {};
    const faultsWith = (url: string) => faultsOf({ ...pair, [name]: url });
    for (const url of [
      'http://user:pass@a.example',
      'http://a.example?x=1',
      'http://a.example#x',
    ]) {
      expect(faultsWith(url)).toEqual([`${name} ${rule}`]);
    }
    expect(faultsWith('http://a.example:99999')).toEqual([
      `${name} must be a URL: look at its host name and its port`,
    ]);
    expect(faultsWith('http://a.example:8090')).toEqual([]);
  });

  it.each([
    'TEMPORAL_UI_URL',
    'TEMPORAL_CODEC_ORIGIN',
    'GATEWAY_NOTIFICATION_URL',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'PAY_URL_BASE',
  ])('refuses %s with a port that is none', (name) => {
    expect(faultsOf({ [name]: 'https://a.example:99999' })).toEqual([
      `${name} must be a URL: look at its host name and its port`,
    ]);
  });

  it.each([
    ['PAWAPAY_API_URL', 'https://pay.example.com/pawapay'],
    ['TEMPORAL_ADDRESS', '[::1]:7233'],
    ['TEMPORAL_ADDRESS', 'ns.acct.tmprl.cloud:7233'],
    ['DATABASE_URL', 'postgresql://u:p@h:5432/d?sslmode=require'],
    ['DATABASE_URL', 'postgres://u:p,q@a:5432,[::1]:5433,c/d?target_session_attrs=read-write'],
    ['DATABASE_OWNER_URL', 'postgres://u:p@a,b/d'],
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
