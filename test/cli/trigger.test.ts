import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATOR_URL_FILE } from '../../cli/running-system';
import { pickTestPort } from '../support/ports';
import { startTestApi } from '../support/api';
import { readStack } from '../support/stack';
import { startReceiver } from '../support/webhooks';
import { waitFor } from '../support/wait';
import { buildCli, type Cli } from './support/cli';
import { buildMerchantCli, merchantVariables } from './support/merchant-cli';
import { buildWebhookCli, type WebhookCli } from './support/webhook-cli';

let setup: WebhookCli;
let cli: Cli;

beforeAll(async () => {
  setup = await buildWebhookCli();
  cli = setup.cli.withInput(setup.api.test_key);
});

describe('trigger', () => {
  const key = (): string[] => ['--key-stdin'];

  it.each([
    ['payment.succeeded', 'succeeded'],
    ['payment.failed', 'failed'],
    ['payment.expired', 'expired'],
  ])('makes %s and shows its event', async (type, status) => {
    const made = await setup.create();
    const { event, deliveries } = await cli.json('trigger', type, ...key());
    expect(event).toMatchObject({ type, environment: 'sandbox', amount: 5000, currency: 'XOF' });
    expect((await setup.api.show(event.intent_id)).json.status).toBe(status);
    expect(deliveries).toMatchObject([
      { endpoint_id: made.id, status: 'delivered', attempts: [{ status: 200 }] },
    ]);
    await cli.json('webhooks', 'delete', made.id);
  });

  it('fails when the API is unreachable', async () => {
    const nowhere = `http://127.0.0.1:${await pickTestPort()}`;
    const away = buildMerchantCli(setup.api, { PUBLIC_URL: nowhere });
    const error = await away
      .withInput(setup.api.test_key)
      .fail('trigger', 'payment.failed', ...key());
    expect(error.code).toBe('no_answer');
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('finds the system and its merchant in the data folder of npm start, like listen', async () => {
    const api = await startTestApi({ webhooks: true });
    const directory = mkdtempSync(join(readStack().folder, 'demo-'));
    const demo = {
      base_url: api.service.base_url,
      database_url: api.database.app_url,
      gateway: {
        notification_url: api.notification_url,
        secret: api.gateway.secrets.sandbox[0],
      },
      users: [{ username: api.merchant.username, test_key: api.test_key }],
    };
    writeFileSync(join(directory, 'demo.json'), JSON.stringify(demo));
    writeFileSync(join(directory, 'secrets-key'), merchantVariables(api)['SECRETS_KEYS']!);
    writeFileSync(join(directory, OPERATOR_URL_FILE), api.database.operator_url);
    const beside = buildCli(undefined, { DATA_DIRECTORY: directory });
    const receiver = await startReceiver();
    const running = beside.start('listen', '--forward-to', receiver.url, '--json');
    await waitFor(() => running.lines().length === 1);
    const { event } = await beside.json('trigger', 'payment.succeeded');
    await waitFor(() => running.lines().length === 2);
    expect(JSON.parse(running.lines()[1]!)).toMatchObject({ event_id: event.id, status: 200 });
    await running.interrupt();
  });
});
