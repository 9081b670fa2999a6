import { buildUser } from '../support/users';
import { expectGenuine } from '../support/webhooks';
import { waitFor } from '../support/wait';
import { type Cli } from './support/cli';
import { buildMerchantCli } from './support/merchant-cli';
import { buildWebhookCli, type CreatedEndpoint, type WebhookCli } from './support/webhook-cli';
import { makeSealingKey } from '../../secrets/keyring';
import { isServiceSignature } from '../../secrets/webhook-secret';
import { TEST_SECRETS_KEY } from '../support/secrets';
const SECRET = /whsec_[A-Za-z0-9+/]{43}=/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

let setup: WebhookCli;
let cli: Cli;

beforeAll(async () => {
  // The second attempt, a minute after the first, comes after what a test looks at.
  setup = await buildWebhookCli({ WEBHOOK_RETRY_SECONDS: '60' });
  ({ cli } = setup);
});

afterEach(async () => {
  // The number of endpoints is limited.
  await setup.deleteAll();
});

const owner = (environment = 'test'): string[] => [
  '--user',
  setup.api.merchant.username,
  '--environment',
  environment,
];

async function show(id: string) {
  return cli.json('webhooks', 'show', id);
}

describe('webhooks create', () => {
  it('creates an endpoint and shows the secret that signs its deliveries', async () => {
    const made = await setup.create('--description', 'Till 3', '--max-per-second', '50');
    expect(made).toEqual({
      id: expect.any(String) as string,
      username: setup.api.merchant.username,
      environment: 'sandbox',
      url: made.url,
      types: ['payment.succeeded', 'payment.failed', 'payment.expired'],
      description: 'Till 3',
      max_per_second: 50,
      status: 'enabled',
      disabled_reason: null,
      consecutive_failures: 0,
      failing_since: null,
      last_failure: null,
      previous_secret_until: null,
      created_at: expect.stringMatching(ISO) as string,
      updated_at: expect.stringMatching(ISO) as string,
      secret: expect.stringMatching(SECRET) as string,
    });
    await setup.pay();
    const [webhook] = await setup.received(made);
    expectGenuine(webhook!, made.secret);
  });

  it('is listed among those of all merchants that fail', async () => {
    const { id, url } = await setup.create();
    expect((await cli.json('webhooks', 'failing')).webhook_endpoints).toEqual([]);
    const failure = { at: '2026-11-20T10:00:00Z', outcome: 'refused', status: 503 };
    await setup.api.database.owner.raw(
      'update webhook_endpoints set failing_since = now(), consecutive_failures = 4, last_failure = ? where id = ?',
      [JSON.stringify(failure), id],
    );
    expect((await cli.json('webhooks', 'failing')).webhook_endpoints).toMatchObject([
      { id, url, username: setup.api.merchant.username, last_failure: { status: 503 } },
    ]);
    expect((await cli.run('webhooks', 'failing')).stdout).toContain('refused (503)');
    await cli.json('webhooks', 'delete', id);
  });

  it('never shows the secret again', async () => {
    const { id } = await setup.create();
    for (const command of [
      ['webhooks', 'list', ...owner()],
      ['webhooks', 'show', id],
      ['webhooks', 'update', id, '--description', 'x'],
    ]) {
      for (const form of [[], ['--json']]) {
        const { status, stdout } = await cli.run(...command, ...form);
        expect([status, SECRET.test(stdout), stdout.includes('sealed')]).toEqual([0, false, false]);
      }
    }
  });

  it('prints the secret first as text', async () => {
    const url = ['--url', 'https://shop.example.com/hooks'];
    const { stdout } = await cli.run('webhooks', 'create', ...owner('live'), ...url);
    expect(stdout).toMatch(/^whsec_\S+\nShown once; .* https:\/\/shop\.example\.com\/hooks\. /);
  });

  it.each([
    ['invalid_url', ['--url', 'https://10.0.0.1/']],
    ['usage', ['--types', 'payment.refunded']],
    ['usage', ['--max-per-second', '0']],
    ['user_not_found', ['--user', 'nobody-at-all']],
  ])('answers %s to %j', async (code, options) => {
    const url = ['--url', 'https://shop.example.com/'];
    const error = await cli.fail('webhooks', 'create', ...owner(), ...url, ...options);
    expect(error.code).toBe(code);
  });

  it('needs the keys that encrypt secrets', async () => {
    const bare = buildMerchantCli(setup.api, { SECRETS_KEYS: undefined });
    const url = ['--url', 'https://shop.example.com/'];
    const error = await bare.fail('webhooks', 'create', ...owner(), ...url);
    expect(error.code).toBe('secrets_keys_missing');
  });
});

describe('webhooks list', () => {
  it("lists a merchant's endpoints of both environments unless one is given", async () => {
    const { id } = await setup.create();
    const url = ['--url', 'https://shop.example.com/live'];
    const live = await cli.json('webhooks', 'create', ...owner('live'), ...url);
    const ids = async (...args: string[]): Promise<string[]> => {
      const { webhook_endpoints } = await cli.json('webhooks', 'list', ...args);
      return webhook_endpoints.map((endpoint: { id: string }) => endpoint.id);
    };
    const user = ['--user', setup.api.merchant.username];
    expect(await ids(...user)).toEqual(expect.arrayContaining([id, live.id]));
    expect(await ids(...owner('live'))).toContain(live.id);
    expect(await ids(...owner('live'))).not.toContain(id);
    const other = await buildUser(setup.api.database.db);
    expect(await ids('--user', other.username)).toEqual([]);
    await cli.json('webhooks', 'delete', live.id);
    expect(await ids(...user)).not.toContain(live.id);
    const { stdout } = await cli.run('webhooks', 'list', ...user);
    expect(stdout).toMatch(/^ID +ENVIRONMENT +STATUS +TYPES +URL\n/);
    expect(stdout).toMatch(/^\S{36} +sandbox +enabled +payment.succeeded,[^ ]+ +http:\/\/127/m);
  });
});

it('webhooks update changes only the given fields, and removes a value with none', async () => {
  const { id } = await setup.create('--description', 'old', '--max-per-second', '5');
  const url = ['--url', 'https://shop.example.com/new', '--types', 'payment.failed'];
  const now = await cli.json('webhooks', 'update', id, ...url);
  expect(now).toMatchObject({
    url: 'https://shop.example.com/new',
    types: ['payment.failed'],
    description: 'old',
    max_per_second: 5,
  });
  const none = ['--description', 'none', '--max-per-second', 'none'];
  expect(await cli.json('webhooks', 'update', id, ...none)).toMatchObject({
    url: 'https://shop.example.com/new',
    description: null,
    max_per_second: null,
  });
});

it('webhooks delete deletes an endpoint, which operators can still see', async () => {
  const { id } = await setup.create();
  expect(await cli.json('webhooks', 'delete', id)).toEqual({ id, deleted: true });
  expect((await show(id)).endpoint.status).toBe('deleted');
  for (const verb of ['delete', 'rotate-secret', 'test']) {
    const error = await cli.fail('webhooks', verb, id);
    expect([verb, error.code]).toEqual([verb, 'webhook_endpoint_not_found']);
  }
});

it('webhooks show shows pending deliveries and the last failure', async () => {
  const made = await setup.create();
  const nowhere = ['--url', 'http://127.0.0.1:1/hooks'];
  await cli.json('webhooks', 'update', made.id, ...nowhere);
  await setup.pay();
  const state = await waitFor(async () => {
    const shown = await show(made.id);
    return shown.endpoint.last_failure !== null && shown;
  });
  expect(state.endpoint).toMatchObject({
    id: made.id,
    consecutive_failures: 1,
    last_failure: { outcome: 'connection_failed', status: null },
  });
  expect(state.backlog).toEqual({
    pending: 1,
    oldest_pending_at: expect.stringMatching(ISO) as string,
    next_attempt_at: expect.stringMatching(ISO) as string,
    held: 0,
    exhausted: 0,
    discarded: 0,
  });
  const { stdout } = await cli.run('webhooks', 'show', made.id);
  expect(stdout).toMatch(/^last failure +\S+Z connection_failed$/m);
});

/** What it sends is signed with both secrets, the older one first. */
async function expectSignedWith(made: CreatedEndpoint, next_secret: string): Promise<void> {
  await cli.json('webhooks', 'test', made.id, '--type', 'payment.failed');
  const [webhook] = await setup.received(made);
  expect(JSON.parse(webhook!.body)).toMatchObject({ type: 'payment.failed', test: true });
  expectGenuine(webhook!, made.secret);
  const next = webhook!.headers['x-service-signature-next'];
  expect(isServiceSignature(webhook!.body, next, next_secret)).toBe(true);
}

describe('webhooks reseal', () => {
  const withKeys = (...keys: string[]): Cli =>
    buildMerchantCli(setup.api, { SECRETS_KEYS: keys.join(',') });

  it('encrypts all secrets with the first key, so that the old key can be removed', async () => {
    const made = await setup.create();
    const rotated = await cli.json('webhooks', 'rotate-secret', made.id);
    const key = makeSealingKey();
    const both = withKeys(key, TEST_SECRETS_KEY);
    const { resealed, already, unreadable } = await both.json('webhooks', 'reseal');
    expect([resealed > 0, already, unreadable]).toEqual([true, 0, 0]);
    expect(await both.json('webhooks', 'reseal')).toEqual({
      resealed: 0,
      already: resealed,
      unreadable: 0,
    });
    const fresh = withKeys(key);
    expect(await fresh.json('webhooks', 'reseal')).toMatchObject({ already: resealed });
    // Back to the old key, which the service here uses. The secrets themselves have not changed.
    const back = withKeys(TEST_SECRETS_KEY, key);
    expect((await back.json('webhooks', 'reseal')).resealed).toBe(resealed);
    await expectSignedWith(made, rotated.secret);
  });

  it('counts secrets that no key decrypts, with exit status 1, and changes nothing', async () => {
    await setup.create();
    const wrong = withKeys(makeSealingKey());
    const { status, stdout } = await wrong.run('webhooks', 'reseal', '--json');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ resealed: 0, already: 0 });
    expect((await wrong.run('webhooks', 'reseal')).stdout).toMatch(/No key decrypts: \d/);
    expect(await cli.json('webhooks', 'reseal')).toMatchObject({ resealed: 0, unreadable: 0 });
  });
});
