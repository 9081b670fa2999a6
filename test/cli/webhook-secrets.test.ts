import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSealingKey } from '../../secrets/seal';
import { isServiceSignature } from '../../secrets/webhook-secret';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { readStack } from '../support/stack';
import { expectGenuine } from '../support/webhooks';
import { BUILD_LIMIT_MS, buildCli, type Cli } from './support/cli';
import { buildMerchantCli } from './support/merchant-cli';
import { buildWebhookCli, type WebhookCli } from './support/webhook-cli';

let setup: WebhookCli;
let cli: Cli;

beforeAll(async () => {
  setup = await buildWebhookCli();
  ({ cli } = setup);
}, BUILD_LIMIT_MS);

const withKeys = (...keys: string[]): Promise<Cli> =>
  buildMerchantCli(setup.api, { SECRETS_KEYS: keys.join(',') });

describe('webhooks rotate-secret', () => {
  it('shows a new secret, and both sign for a day', async () => {
    const made = await setup.create();
    const { id, secret, previous_secret_until } = await cli.json(
      ...['webhooks', 'rotate-secret', '--id', made.id],
    );
    expect(id).toBe(made.id);
    expect(secret).not.toBe(made.secret);
    const hours = (Date.parse(previous_secret_until) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThan(24.1);
    await cli.json('webhooks', 'test', '--id', made.id);
    const [webhook] = await setup.received(made);
    expectGenuine(webhook!, made.secret);
    const next = webhook!.headers['x-service-signature-next'];
    expect(isServiceSignature(webhook!.body, next, secret)).toBe(true);
    expect((await cli.json('webhooks', 'show', made.id)).endpoint.previous_secret_until).toBe(
      previous_secret_until,
    );
  });

  it('with --overlap-seconds 0 the old secret stops signing at once', async () => {
    const made = await setup.create();
    const rotated = await cli.json(
      ...['webhooks', 'rotate-secret', '--id', made.id, '--overlap-seconds', '0'],
    );
    expect(rotated.previous_secret_until).toBeNull();
    await cli.json('webhooks', 'test', '--id', made.id);
    expectGenuine((await setup.received(made))[0]!, rotated.secret);
    const { stdout } = await cli.run(
      ...['webhooks', 'rotate-secret', '--id', made.id, '--overlap-seconds', '60'],
    );
    expect(stdout).toMatch(/^whsec_\S+\nShown once\. The old one also signs until 20\S+Z\.\n$/);
  });

  it.each(['-1', '604801', 'long', '1.5'])('refuses --overlap-seconds=%s', async (seconds) => {
    const { id } = await setup.create();
    const error = await cli.fail(
      ...['webhooks', 'rotate-secret', '--id', id, `--overlap-seconds=${seconds}`],
    );
    expect(error.code).toBe('usage');
  });
});

describe('webhooks reseal', () => {
  it('encrypts all secrets with the first key, so that the old key can be removed', async () => {
    const made = await setup.create();
    const rotated = await cli.json('webhooks', 'rotate-secret', '--id', made.id);
    const key = makeSealingKey();
    const both = await withKeys(key, TEST_SECRETS_KEY);
    const { resealed, already, unreadable } = await both.json('webhooks', 'reseal');
    expect([resealed > 0, already, unreadable]).toEqual([true, 0, 0]);
    expect(await both.json('webhooks', 'reseal')).toEqual({
      resealed: 0,
      already: resealed,
      unreadable: 0,
    });
    const fresh = await withKeys(key);
    expect(await fresh.json('webhooks', 'reseal')).toMatchObject({ already: resealed });
    // Back to the old key, which the service here uses. The secrets themselves have not changed.
    const back = await withKeys(TEST_SECRETS_KEY, key);
    expect((await back.json('webhooks', 'reseal')).resealed).toBe(resealed);
    await cli.json('webhooks', 'test', '--id', made.id);
    const [webhook] = await setup.received(made);
    expectGenuine(webhook!, made.secret);
    const next = webhook!.headers['x-service-signature-next'];
    expect(isServiceSignature(webhook!.body, next, rotated.secret)).toBe(true);
  });

  it('counts secrets that no key decrypts, with exit status 1, and changes nothing', async () => {
    await setup.create();
    const wrong = await withKeys(makeSealingKey());
    const { status, stdout } = await wrong.run('webhooks', 'reseal', '--json');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ resealed: 0, already: 0 });
    expect((await wrong.run('webhooks', 'reseal')).stdout).toMatch(/No key decrypts: \d/);
    expect(await cli.json('webhooks', 'reseal')).toMatchObject({ resealed: 0, unreadable: 0 });
  });

  it('reads the key that npm start keeps in its data folder, for that system only', async () => {
    const directory = mkdtempSync(join(readStack().folder, 'demo-'));
    const { app_url } = setup.api.database;
    writeFileSync(join(directory, 'demo.json'), JSON.stringify({ database_url: app_url }));
    writeFileSync(join(directory, 'secrets-key'), `${TEST_SECRETS_KEY}\n`);
    const beside = await buildCli(undefined, { DATA_DIRECTORY: directory });
    expect(await beside.json('webhooks', 'reseal')).toMatchObject({ resealed: 0, unreadable: 0 });
    const other = { app_url: app_url.replace('127.0.0.1', 'localhost') };
    const elsewhere = await buildCli(other, { DATA_DIRECTORY: directory });
    expect((await elsewhere.fail('webhooks', 'reseal')).code).toBe('secrets_keys_missing');
  });
});
