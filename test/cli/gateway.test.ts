import { isGatewaySignature } from '../../secrets/gateway-signature';
import { expectBooksHold } from '../support/books';
import { startNotificationReceiver } from '../support/sandbox-gateway';
import { waitFor } from '../support/wait';
import { waitForStatus } from '../api/support/intents';
import { buildCli } from './support/cli';
import { buildMerchantCli, setUpMerchantCli } from './support/merchant-cli';

const { api, cli } = setUpMerchantCli();

afterEach(() => expectBooksHold(api.database.db));

async function open(fields: Readonly<Record<string, unknown>> = {}, key = api.test_key) {
  const { status, json } = await api.create(fields, { key });
  expect(status).toBe(201);
  return json;
}

const notify = (name: string, type: string, ...options: string[]): string[] => [
  `gateway notify --intent ${name} --type payment.${type}`,
  ...options,
];

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
    await waitForStatus(api, intent, 'succeeded');
    expect((await cli.run(...notify(intent.id, 'pending'))).stdout).toBe('200 {"ok":true}\n');
  });

  it('fails an intent with a code and a message', async () => {
    const intent = await open();
    const reason = ['--code', 'card_declined', '--message', 'The card was declined.'];
    await cli.json(...notify(intent.id, 'failed', ...reason));
    expect(await waitForStatus(api, intent, 'failed')).toMatchObject({
      last_payment_error: { code: 'card_declined', message: 'The card was declined.' },
    });
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

  it.each([
    ['a type it does not know', 'paid', []],
    ['--not-final of a pending one', 'pending', ['--not-final']],
  ])('refuses %s', async (_what, type, options) => {
    const { id } = await open();
    expect((await cli.fail(...notify(id, type, ...options))).code).toBe('usage');
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
    const wrong = buildMerchantCli(api, { SANDBOX_GATEWAY_SECRETS: 'not-the-secret-of-anybody' });
    const refused = await wrong.run(...notify(id, 'succeeded'), '--json');
    expect(refused.status).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      status: 401,
      answer: { ok: false, error: { code: 'unauthorized' } },
    });
  });
});

describe('gateway notify without the simulator', () => {
  it('refuses when the simulator is not configured', async () => {
    const { id } = await open();
    const bare = buildCli(api.database);
    expect((await bare.fail(...notify(id, 'succeeded'))).code).toBe('not_simulator');
  });

  it('refuses live payments that Stripe takes, and still works in the sandbox', async () => {
    const stripe = {
      LIVE_SIMULATOR_SECRETS: undefined,
      STRIPE_SECRET_KEY: 'sk_test_of_the_tests',
      STRIPE_WEBHOOK_SECRETS: 'whsec_of_the_tests_0001',
    };
    const mixed = buildMerchantCli(api, stripe);
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
