// An upgrade as operators do it: migrate first, then replace the processes one by one. Until the last
// is replaced, processes of the previous release work on the new schema.
//
// When a change makes this fail: the previous release calls functions and writes tables as they were
// in its version. A changed function gets a new name, and the old one stays (db/functions/superseded.sql).

import { randomBytes } from 'node:crypto';
import { verifyLedger } from '../../db/verify';
import { migrate } from '../../db/migrate';
import { gatewayConfig } from '../support/api';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { pickTestPort } from '../support/ports';
import { GATEWAY_SECRETS, startTestGateway, type RunningGateway } from '../support/sandbox-gateway';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { startTestService } from '../support/service';
import { readStack } from '../support/stack';
import { startReceiver } from '../support/webhooks';
import { signInAs } from '../dashboard/accounts';
import { startTcpProxy } from '../api/support/tcp-proxy';
import { REPEATED_BESIDE_0_1, startLoad, type Load, type Merchant } from './load';
import { openRelease, PREVIOUS, type Release } from './release';

const PASSWORD = 'correct horse battery';
const NOTIFICATION_PATH = '/internal/gateway/notifications';
const LIMIT_MS = 300_000;

let database: TestDatabase;
let gateway: RunningGateway;
let previous: Release;
let load: Load | undefined;
/** Where the gateway's notifications go. */
const notified = { host: '127.0.0.1', port: 0 };
const task_queue = `upgrade-${randomBytes(8).toString('hex')}`;

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  const { url } = await startNotificationProxy();
  gateway = await startTestGateway({ notification_url: url });
  const { app_url, owner_url } = database;
  previous = openRelease(PREVIOUS, {
    DATABASE_URL: app_url,
    DATABASE_OWNER_URL: owner_url,
    TEMPORAL_ADDRESS: readStack().temporal_address,
    TASK_QUEUE: task_queue,
    SECRETS_KEYS: TEST_SECRETS_KEY,
    SANDBOX_GATEWAY_URL: gateway.url,
    SANDBOX_GATEWAY_SECRETS: GATEWAY_SECRETS.sandbox.join(','),
    WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.1',
    NOTIFICATION_SWEEP_SECONDS: '0',
  });
  await previous.run('migrate');
}, LIMIT_MS);

// Before the processes end: a caller that goes on would not let the test end.
afterEach(() => load?.abandon());

async function startNotificationProxy(): Promise<{ readonly url: string }> {
  const { host, port } = await startTcpProxy(notified);
  return { url: `http://${host}:${port}${NOTIFICATION_PATH}` };
}

/** With the previous release's own command line: this version's may need its own schema. */
async function signUp(username: string): Promise<Pick<Merchant, 'live_key' | 'test_key'>> {
  const cli = async (...args: string[]) =>
    JSON.parse(await previous.run('cli', ...args, '--json')) as { readonly key: string };
  const unlimited = ['--requests-per-minute', '100000', '--writes-per-minute', '100000'];
  await cli(
    ...['users', 'create', '--username', username, '--email', `${username}@example.com`],
    ...['--password', PASSWORD, '--country', 'SN'],
  );
  await cli('kyc', 'approve', '--user', username);
  const key = ['keys', 'create', '--user', username, ...unlimited, '--environment'];
  const [live, test] = [await cli(...key, 'live'), await cli(...key, 'test')];
  return { live_key: live.key, test_key: test.key };
}

async function signUpMerchant(): Promise<Merchant> {
  await signUp('binta');
  const keys = await signUp('awa');
  const receiver = await startReceiver();
  const awa = ['--user', 'awa'];
  await previous.run(
    ...(['cli', 'wallets', 'credit', ...awa, '--currency', 'XOF', '--amount', '1000000'] as const),
    ...['--environment', 'live', '--reason', 'deposit'],
  );
  await previous.run(
    ...(['cli', 'webhooks', 'create', ...awa, '--environment', 'test'] as const),
    ...['--url', receiver.url],
  );
  return { ...keys, to_username: 'binta', receiver };
}

it(
  `processes of ${PREVIOUS} work before, during and after the migration, and beside new ones`,
  async () => {
    const merchant = await signUpMerchant();
    const [old_api, old_worker] = await Promise.all([previous.startApi(), previous.startWorker()]);
    notified.port = Number(new URL(old_api.base_url).port);
    let targets: readonly { readonly base_url: string }[] = [old_api];
    let turn = 0;
    const busy = startLoad(merchant, () => targets[(turn += 1) % targets.length]!, {
      repeated: REPEATED_BESIDE_0_1,
    });
    load = busy;
    const expectNoFaults = (when: string): void => {
      expect({ when, faults: busy.faults }).toEqual({ when, faults: [] });
    };
    await busy.untilDone(2);
    expectNoFaults('before the migration');

    const { owner_url } = database;
    await migrate({ owner_url, app_role: readStack().app_role });
    await busy.untilDone(5);
    expectNoFaults('after the migration');

    // On the same task queue: each version's workers also run what the other's API starts.
    const port = await pickTestPort();
    const current = await startTestService({
      database,
      webhooks: true,
      overrides: {
        ...{ port, task_queue, gateway: gatewayConfig(gateway) },
      },
    });
    targets = [old_api, current];
    await busy.untilDone(5);
    expectNoFaults('beside a process of this version');

    // The dashboard is new: an account of before has an owner who can sign in.
    const { page } = await signInAs(current, 'awa', PASSWORD);
    expect(page.heading).toBe('Overview');

    notified.port = port;
    targets = [current];
    await Promise.all([old_api.terminate(), old_worker.terminate()]);
    await busy.untilDone(3);
    await busy.stop();
    expectNoFaults('after the last process was replaced');
    expect([old_api.unasked_ends(), old_worker.unasked_ends()]).toEqual([0, 0]);
    expect(await verifyLedger(database.db)).toEqual([]);
  },
  LIMIT_MS,
);
