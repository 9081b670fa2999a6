import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATOR_URL_FILE } from '../../cli/running-system';
import { setUp } from '../support/database';
import { pickTestPort } from '../support/ports';
import { startTestApi } from '../support/api';
import { readStack } from '../support/stack';
import { startReceiver } from '../support/webhooks';
import { buildUser, fund } from '../support/users';
import { waitFor } from '../support/wait';
import { buildCli, type Cli } from './support/cli';
import { merchantVariables } from './support/merchant-cli';
import { buildWebhookCli } from './support/webhook-cli';

const setup = setUp(buildWebhookCli);
let cli: Cli;

beforeAll(async () => {
  // A merchant has no database and no setting.
  cli = buildCli(undefined, {}).withInput(setup.api.test_key);
});

describe('trigger', () => {
  const service = (url = setup.api.service.origin): string[] => ['--api', url, '--key-stdin'];

  it.each([
    ['payment.succeeded', 'succeeded'],
    ['payment.failed', 'failed'],
    ['payment.expired', 'expired'],
    ['refund.succeeded', 'succeeded'],
    ['refund.failed', 'failed'],
    ['payout.requires_action', 'requires_confirmation'],
    ['payout.sent', 'pending'],
    ['payout.succeeded', 'succeeded'],
    ['payout.failed', 'failed'],
  ])('makes %s as a merchant and a customer do, and shows its event', async (type, status) => {
    const { db } = setup.api.database;
    await fund(db, setup.api.merchant.id, 'sandbox', 'XOF', 500_000n);
    const made = await setup.create('--types', type);
    const { event, deliveries } = await cli.json('trigger', type, ...service());
    expect(event).toMatchObject({
      type,
      environment: 'sandbox',
      data: { currency: 'XOF', status },
    });
    expect(deliveries).toMatchObject([
      { endpoint_id: made.id, status: 'delivered', last_attempts: [{ status: 200 }] },
    ]);
    await setup.deleteAll();
  });

  it('makes transfer.sent to whom it is told, and transfer.received to them', async () => {
    const { api } = setup;
    const other = await buildUser(api.database.db);
    const to = ['trigger', 'transfer.sent', '--to', other.username, ...service()];
    // Before anything is sent, and not after waiting for what cannot come.
    expect(await cli.fail(...to)).toMatchObject({ code: 'no_endpoint' });
    const sent = await setup.create('--types', 'transfer.sent');
    const { event, deliveries } = await cli.json(...to);
    expect(event).toMatchObject({ data: { to_username: other.username, amount: 5000 } });
    expect(deliveries).toMatchObject([{ endpoint_id: sent.id, status: 'delivered' }]);
    const received = await cli.fail('trigger', 'transfer.received', ...service());
    expect(received.message).toContain('trigger transfer.sent --to YOU');
    await setup.deleteAll();
  });

  it('refuses a live key, and fails when the API is unreachable', async () => {
    const live = cli.withInput(setup.api.live_key);
    expect((await live.fail('trigger', 'payment.failed', ...service())).code).toBe('usage');
    const nowhere = `http://127.0.0.1:${await pickTestPort()}`;
    const error = await cli.fail('trigger', 'payment.failed', ...service(nowhere));
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
