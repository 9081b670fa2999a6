// A command line, a service that delivers webhooks, and a receiver.

import { loadConfig } from '../../../config/load';
import {
  listWebhookEndpoints,
  updateWebhookEndpoint,
} from '../../../db/webhooks/webhook-endpoints';
import { ENVIRONMENTS } from '../../../domain/environment';
import { startTestApi, type TestApi } from '../../support/api';
import { startReceiver, type ReceivedWebhook, type TestReceiver } from '../../support/webhooks';
import { waitFor } from '../../support/wait';
import type { Cli } from './cli';
import { buildMerchantCli } from './merchant-cli';

export interface WebhookCli {
  readonly api: TestApi;
  readonly cli: Cli;
  readonly receiver: TestReceiver;
  /** Creates an endpoint of the merchant in the sandbox, at its own path of the receiver. */
  create(...options: string[]): Promise<CreatedEndpoint>;
  deleteAll(): Promise<void>;
  /** Makes a payment that succeeds, and returns its event's id. */
  pay(fields?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Waits until an endpoint has received `count` webhooks. */
  received(endpoint: CreatedEndpoint, count?: number): Promise<readonly ReceivedWebhook[]>;
}

export interface CreatedEndpoint {
  readonly id: string;
  readonly secret: string;
  readonly url: string;
}

const SETTINGS = { WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1' };

export async function buildWebhookCli(
  more: Readonly<Record<string, string>> = {},
): Promise<WebhookCli> {
  const { webhooks } = loadConfig({ ...SETTINGS, ...more });
  const api = await startTestApi({ webhooks: true, overrides: { webhooks } });
  const cli = buildMerchantCli(api);
  const receiver = await startReceiver();
  let made = 0;
  return {
    api,
    cli,
    receiver,
    create(...options) {
      made += 1;
      const owner = ['--user', api.merchant.username, '--environment', 'test'];
      const url = ['--url', `${receiver.url}/${made}`];
      return cli.json('webhooks', 'create', ...owner, ...url, ...options);
    },
    async deleteAll() {
      const { db } = api.database;
      for (const environment of ENVIRONMENTS) {
        for (const { id } of await listWebhookEndpoints(db, api.merchant.id, environment)) {
          await updateWebhookEndpoint(db, id, { status: 'deleted' });
        }
      }
    },
    async pay(fields = {}) {
      const { json: intent } = await api.create(fields);
      await api.notify(intent);
      return waitFor(async () => {
        const { rows } = await api.database.owner.raw('select id from events where intent_id = ?', [
          intent.id,
        ]);
        return rows[0]?.id as string | undefined;
      });
    },
    received: (endpoint, count = 1) =>
      waitFor(() => {
        const { pathname } = new URL(endpoint.url);
        const all = receiver.received.filter(({ path }) => path === pathname);
        return all.length >= count && all;
      }),
  };
}
