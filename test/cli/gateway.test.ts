import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATOR_URL_FILE } from '../../cli/running-system';
import { listSuspense } from '../../db/suspense';
import { isGatewaySignature } from '../../secrets/gateway-signature';
import { expectBooksHold } from '../support/books';
import { pickTestPort } from '../support/ports';
import { startNotificationReceiver } from '../support/sandbox-gateway';
import { startTestApi, type TestApi } from '../support/api';
import { readStack } from '../support/stack';
import { waitFor } from '../support/wait';
import { BUILD_LIMIT_MS, buildCli, type Cli } from './support/cli';
import { buildMerchantCli } from './support/merchant-cli';

let api: TestApi;
let cli: Cli;

beforeAll(async () => {
  api = await startTestApi();
  cli = await buildMerchantCli(api);
}, BUILD_LIMIT_MS);

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

async function open(fields: Readonly<Record<string, unknown>> = {}, key = api.test_key) {
  const { status, json } = await api.create(fields, { key });
  expect(status).toBe(201);
  return json;
}

const notify = (name: string, type: string, ...options: string[]): string[] => [
  ...['gateway', 'notify', '--intent', name, '--type', `payment.${type}`],
  ...options,
];

/** Waits until the intent has the status. */
function until({ id }: { id: string }, status: string, key = api.test_key) {
  return waitFor(async () => {
    const { json } = await api.show(id, key);
    return json.status === status && json;
  });
}

/** Waits until a notification is applied, and returns its outcome. */
function outcomeOf(event_id: string): Promise<string> {
  return waitFor(async () => {
    const { rows } = await api.database.owner.raw(
      'select outcome from gateway_notifications where event_id = ?',
      [event_id],
    );
    return (rows[0]?.outcome ?? undefined) as string | undefined;
  });
}

describe('gateway notify', () => {
  it('pays an intent, and prints the response and its status', async () => {
    const intent = await open();
    const sent = await cli.json(...notify(intent.id, 'succeeded'));
    expect(sent).toEqual({
      status: 200,
      answer: { ok: true },
      url: api.notification_url,
      notification: {
        event_id: expect.stringMatching(/^evt_/) as string,
        type: 'payment.succeeded',
        intent_id: intent.id,
        reference: intent.reference,
        amount: 5000,
        currency: 'XOF',
        environment: 'sandbox',
        provider_payment_id: expect.stringMatching(/^pay_/) as string,
        occurred_at: expect.any(String) as string,
      },
    });
    await until(intent, 'succeeded');
    expect((await cli.run(...notify(intent.id, 'pending'))).stdout).toBe('200 {"ok":true}\n');
  });

  it('names the intent by short code and by reference, in live too', async () => {
    const [sandbox, live] = [await open(), await open({ currency: 'EUR' }, api.live_key)];
    await cli.json(...notify(sandbox.short_code, 'succeeded'));
    await cli.json(...notify(live.reference, 'succeeded'));
    await until(sandbox, 'succeeded');
    await until(live, 'succeeded', api.live_key);
  });

  it('fails an intent with a code and a message', async () => {
    const intent = await open();
    const reason = ['--code', 'card_declined', '--message', 'The card was declined.'];
    await cli.json(...notify(intent.id, 'failed', ...reason));
    expect(await until(intent, 'failed')).toMatchObject({
      last_payment_error: { code: 'card_declined', message: 'The card was declined.' },
    });
  });

  it('leaves it open when the failure is not final', async () => {
    const intent = await open();
    const reason = ['--code', 'card_declined', '--message', 'Try again.'];
    const { notification } = await cli.json(
      ...notify(intent.id, 'failed', '--not-final', ...reason),
    );
    expect(notification).toMatchObject({ final: false });
    expect(await outcomeOf(notification.event_id)).toBe('attempt_failed');
    expect((await api.show(intent.id)).json).toMatchObject({
      status: 'open',
      last_payment_error: { code: 'card_declined', message: 'Try again.' },
    });
  });

  it('reports that a payment is pending', async () => {
    const intent = await open();
    await cli.json(...notify(intent.id, 'pending'));
    await until(intent, 'processing');
  });

  it('sends another amount or currency, which goes into suspense', async () => {
    const intent = await open();
    const amount = await cli.json(...notify(intent.id, 'succeeded', '--amount', '4999'));
    const euros = ['--amount', '0.1', '--currency', 'eur'];
    const { stdout } = await cli.run(...notify(intent.id, 'succeeded', ...euros), '--json');
    expect(stdout).toContain('"amount":0.10,"currency":"EUR"');
    expect(await outcomeOf(amount.notification.event_id)).toBe('suspense');
    expect(await outcomeOf(JSON.parse(stdout).notification.event_id)).toBe('suspense');
    const items = await listSuspense(api.database.db, false);
    expect(items.map(({ reason, amount_minor }) => [reason, amount_minor])).toEqual([
      ['amount', 499_900n],
      ['currency', 10n],
    ]);
  });

  it('sends one event twice, and one payment in two events', async () => {
    const intent = await open();
    const ids = (event: string): string[] => ['--event-id', event, '--payment-id', 'pay_same'];
    await cli.json(...notify(intent.id, 'succeeded', ...ids('evt_same')));
    await cli.json(...notify(intent.id, 'succeeded', ...ids('evt_same')));
    expect(await outcomeOf('evt_same')).toBe('succeeded');
    await cli.json(...notify(intent.id, 'succeeded', ...ids('evt_other')));
    expect(await outcomeOf('evt_other')).toBe('duplicate');
  });

  it.each(['0', '-1', '5000.50', '0.001', 'much'])('refuses --amount=%s XOF', async (amount) => {
    const { id } = await open();
    expect(await cli.fail(...notify(id, 'succeeded', `--amount=${amount}`))).toMatchObject({
      code: 'invalid_amount',
    });
  });

  it.each([
    ['a type it does not know', 'paid', []],
    ['a currency it does not know', 'succeeded', ['--currency', 'GBP']],
    ['a code without a message', 'failed', ['--code', 'card_declined']],
    ['a reason of a success', 'succeeded', ['--code', 'a', '--message', 'b']],
    ['--not-final of a pending one', 'pending', ['--not-final']],
    ['an address that is none', 'pending', ['--url', 'file:///etc/passwd']],
  ])('refuses %s', async (_what, type, options) => {
    const { id } = await open();
    expect((await cli.fail(...notify(id, type, ...options))).code).toBe('usage');
  });

  it('says that there is no such intent', async () => {
    const error = await cli.fail(...notify('TRX-00000000000000000000', 'succeeded'));
    expect(error.code).toBe('payment_intent_not_found');
  });
});

describe('where gateway notify sends to', () => {
  it('is the address of --url, with a signature over the sent bytes', async () => {
    const receiver = await startNotificationReceiver();
    const { id } = await open();
    await cli.json(...notify(id, 'succeeded', '--url', receiver.url));
    const { raw, headers } = receiver.accepted[0]!;
    const { sandbox, live } = api.gateway.secrets;
    expect(isGatewaySignature(raw, headers['x-gateway-signature'], sandbox)).toBe(true);
    expect(isGatewaySignature(raw, headers['x-gateway-signature'], live)).toBe(false);
    expect(raw.toString('utf8')).toContain('"amount":5000.00,');
    expect((await api.show(id)).json.status).toBe('open');
  });

  it('prints any response, with exit status 1 unless it is 200', async () => {
    const receiver = await startNotificationReceiver();
    receiver.answerWith(503);
    const { id } = await open();
    const line = notify(id, 'succeeded', '--url', receiver.url);
    const { status, stdout, stderr } = await cli.run(...line, '--json');
    expect([status, stderr]).toEqual([1, '']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 503, answer: '' });
    const wrong = await buildMerchantCli(api, {
      SANDBOX_GATEWAY_SECRETS: 'not-the-secret-of-anybody',
    });
    const refused = await wrong.run(...notify(id, 'succeeded'), '--json');
    expect(refused.status).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      status: 401,
      answer: { ok: false, error: { code: 'unauthorized' } },
    });
  });

  it('fails when the address is unreachable', async () => {
    const { id } = await open();
    const nowhere = `http://127.0.0.1:${await pickTestPort()}/notifications`;
    const error = await cli.fail(...notify(id, 'succeeded', '--url', nowhere));
    expect(error.code).toBe('no_answer');
    expect(error.message).toContain(nowhere);
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('is read with its secrets from the data folder of npm start', async () => {
    const directory = mkdtempSync(join(readStack().folder, 'demo-'));
    const { sandbox, live } = api.gateway.secrets;
    const gateway = { notification_url: api.notification_url, secret: sandbox[0] };
    const demo = { database_url: api.database.app_url, gateway };
    writeFileSync(join(directory, 'demo.json'), JSON.stringify(demo));
    writeFileSync(
      join(directory, 'gateway-secrets.json'),
      JSON.stringify({ live: live[0], sandbox: sandbox[0] }),
    );
    writeFileSync(join(directory, OPERATOR_URL_FILE), api.database.operator_url);
    const beside = await buildCli(undefined, { DATA_DIRECTORY: directory });
    const intents = [await open(), await open({}, api.live_key)] as const;
    for (const { id } of intents) {
      expect((await beside.json(...notify(id, 'succeeded'))).status).toBe(200);
    }
    await until(intents[0], 'succeeded');
    await until(intents[1], 'succeeded', api.live_key);
    // The file is only used for its own database.
    const other = await buildCli(
      { app_url: api.database.app_url.replace('127.0.0.1', 'localhost') },
      { DATA_DIRECTORY: directory },
    );
    expect((await other.fail(...notify(intents[0].id, 'succeeded'))).code).toBe('not_simulator');
  });
});

describe('gateway notify without the simulator', () => {
  it('refuses when the simulator is not configured', async () => {
    const { id } = await open();
    const bare = await buildCli(api.database);
    expect((await bare.fail(...notify(id, 'succeeded'))).code).toBe('not_simulator');
  });

  it('refuses live payments that Stripe takes, and still works in the sandbox', async () => {
    const stripe = {
      LIVE_SIMULATOR_SECRETS: undefined,
      STRIPE_SECRET_KEY: 'sk_test_of_the_tests',
      STRIPE_WEBHOOK_SECRETS: 'whsec_of_the_tests_0001',
    };
    const mixed = await buildMerchantCli(api, stripe);
    const [sandbox, live] = [await open(), await open({}, api.live_key)];
    expect((await mixed.fail(...notify(live.id, 'succeeded'))).code).toBe('not_simulator');
    expect((await mixed.json(...notify(sandbox.id, 'succeeded'))).status).toBe(200);
  });

  it('refuses an intent of another gateway', async () => {
    const { id } = await open({}, api.live_key);
    await api.database.owner.raw("update payment_intents set gateway = 'stripe' where id = ?", [
      id,
    ]);
    expect(await cli.fail(...notify(id, 'succeeded'))).toEqual({
      code: 'not_simulator',
      message: 'The gateway of this intent is stripe, not the simulator',
    });
  });
});
