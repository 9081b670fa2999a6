// A command line beside a shop whose service delivers webhooks, and a receiver that takes them.

import { loadConfig } from '../../../config/load';
import { listWebhookEndpoints, updateWebhookEndpoint } from '../../../db/webhook-endpoints';
import { ENVIRONMENTS } from '../../../domain/environment';
import { openShop, type Shop } from '../../support/shop';
import { startReceiver, type ReceivedWebhook, type TestReceiver } from '../../support/webhooks';
import { waitFor } from '../../support/wait';
import type { CommandLine } from './command-line';
import { openShopLine } from './shop-line';

export interface WebhookLine {
  readonly shop: Shop;
  readonly cli: CommandLine;
  readonly receiver: TestReceiver;
  /** Of the shop's merchant in the sandbox, at a path of the receiver of its own. */
  create(...options: string[]): Promise<MadeEndpoint>;
  deleteAll(): Promise<void>;
  /** A payment that succeeded; says its event's id. */
  pay(fields?: Readonly<Record<string, unknown>>): Promise<string>;
  /** What came to an endpoint, once there are so many. */
  received(endpoint: MadeEndpoint, count?: number): Promise<readonly ReceivedWebhook[]>;
}

export interface MadeEndpoint {
  readonly id: string;
  readonly secret: string;
  readonly url: string;
}

// What is asked for while Temporal is away is found soon.
const SETTINGS = { WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1', WEBHOOK_SWEEP_SECONDS: '1' };

export async function openWebhookLine(): Promise<WebhookLine> {
  const { webhooks } = loadConfig(SETTINGS);
  const shop = await openShop({ webhooks: true, overrides: { webhooks } });
  const cli = await openShopLine(shop);
  const receiver = await startReceiver();
  let made = 0;
  return {
    shop,
    cli,
    receiver,
    create(...options) {
      made += 1;
      const owner = ['--user', shop.merchant.username, '--environment', 'test'];
      const url = ['--url', `${receiver.url}/${made}`];
      return cli.json('webhooks', 'create', ...owner, ...url, ...options);
    },
    async deleteAll() {
      const { db } = shop.database;
      for (const environment of ENVIRONMENTS) {
        for (const { id } of await listWebhookEndpoints(db, shop.merchant.id, environment)) {
          await updateWebhookEndpoint(db, id, { status: 'deleted' });
        }
      }
    },
    async pay(fields = {}) {
      const { json: intent } = await shop.create(fields);
      await shop.notify(intent);
      return waitFor(async () => {
        const { rows } = await shop.database.owner.raw(
          'select id from events where intent_id = ?',
          [intent.id],
        );
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
