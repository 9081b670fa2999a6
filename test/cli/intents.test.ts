import { intentWorkflowId } from '../../domain/ids';
import { expectBooksHold } from '../support/books';
import { actAt } from '../support/sandbox-gateway';
import { waitForStatus } from '../api/support/intents';
import { buildMerchantCli, setUpMerchantCli } from './support/merchant-cli';

const NOWHERE = '127.0.0.1:1';
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const { api, cli } = setUpMerchantCli();

afterEach(() => expectBooksHold(api.database.db));

/** Creates an intent, in the sandbox by default. */
async function open(fields: Readonly<Record<string, unknown>> = {}, key = api.test_key) {
  const { status, json } = await api.create(fields, { key });
  expect(status).toBe(201);
  return json;
}

async function paid(fields: Readonly<Record<string, unknown>> = {}) {
  const intent = await open(fields);
  await actAt(intent.checkout_url, 'pay');
  return waitForStatus(api, intent, 'succeeded');
}

describe('intents create', () => {
  it('makes a link with its addresses, and shows where it is', async () => {
    const addresses = {
      return_url: 'https://shop.example/thanks?order=1042',
      cancel_url: 'https://shop.example/basket',
    };
    const { return_url, cancel_url } = addresses;
    const made = await cli
      .withInput(api.test_key)
      .json(
        `intents create --key-stdin --amount 12.50 --currency EUR --expires-in 900 --return-url ${return_url} --cancel-url ${cancel_url}`,
        '--description',
        'Order 1042',
      );
    expect(made).toMatchObject({ ...addresses, amount: 12.5, description: 'Order 1042' });
    const { json } = await api.show(made.id);
    expect(json).toMatchObject({ ...addresses, status: 'open', pay_url: made.pay_url });
    expect(Date.parse(json.expires_at) - Date.parse(json.created_at)).toBe(900_000);
  });

  it("says what is wrong in the API's words", async () => {
    const command =
      'intents create --key-stdin --amount 5 --currency XOF --return-url http://a.example';
    expect(await cli.withInput(api.test_key).fail(command)).toEqual({
      code: 'invalid_request',
      message: expect.stringContaining('return_url must be an https address'),
    });
  });
});

describe('intents list', () => {
  it('lists the intents of every merchant and environment, newest first', async () => {
    const first = await open();
    const second = await open({ amount: 7.5, currency: 'EUR' }, api.live_key);
    const { intents, next_cursor } = await cli.json('intents', 'list', '--limit', '2');
    expect(intents.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
    expect(intents[0]).toMatchObject({
      reference: second.reference,
      short_code: second.short_code,
      status: 'open',
      amount: 7.5,
      currency: 'EUR',
      environment: 'live',
      username: api.merchant.username,
      gateway: 'sandbox',
    });
    expect(next_cursor === null || next_cursor.startsWith(first.created_at)).toBe(true);
  });
});

describe('intents show', () => {
  it('shows the row, its sessions, its timeline and its workflow', async () => {
    const intent = await paid({ description: 'Two books', metadata: { order: 'A-17' } });
    const shown = await cli.json('intents', 'show', intent.id);
    expect(Object.keys(shown)).toEqual([
      'intent',
      'sessions',
      'timeline',
      'refunds',
      'unapplied_notifications',
      'workflow',
    ]);
    const { ok: _, ...fields } = intent;
    expect(shown.intent).toMatchObject({
      ...fields,
      username: api.merchant.username,
      gateway: 'sandbox',
      idempotency_key: expect.any(String) as string,
      request_id: expect.any(String) as string,
    });
    expect(shown.sessions).toEqual([
      {
        number: 1,
        session_id: expect.any(String) as string,
        checkout_url: intent.checkout_url,
        opened_at: expect.stringMatching(ISO) as string,
        lapses_at: intent.expires_at,
      },
    ]);
    expect(shown.timeline.map(({ kind }: { kind: string }) => kind)).toEqual([
      'requested',
      'checkout_opened',
      'posted',
      'notified',
      'event',
    ]);
    expect(shown.timeline[2].detail).toMatchObject({ amount: 5000, fee: 0 });
    expect(shown.unapplied_notifications).toEqual([]);
    expect(shown.workflow).toEqual({
      id: intentWorkflowId('sandbox', intent.id),
      state: 'completed',
      current_details: expect.stringContaining('**succeeded**') as string,
      url: null,
      fault: null,
    });
  });

  it('finds it by id, by short code and by reference', async () => {
    const { id, short_code, reference } = await open();
    for (const name of [id, short_code, reference]) {
      expect((await cli.json('intents', 'show', name)).intent.id).toBe(id);
    }
  });

  it('shows the same as text, without minor units', async () => {
    const { id, reference, checkout_url } = await paid({ amount: 12.5, currency: 'EUR' });
    const { status, stdout, stderr } = await cli.run('intents', 'show', id);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${reference}: 12.50 EUR for ${api.merchant.username} (sandbox)`);
    expect(stdout).toContain(checkout_url);
    expect(stdout).toMatch(/ledger +posted +.*amount=12\.50/);
    expect(stdout).toContain(`Workflow intent/sandbox/${id}: completed`);
    expect(stdout).not.toContain('minor');
  });

  it('lets no text of a merchant steer the terminal', async () => {
    const { id } = await open({ metadata: { note: '\u009b31m' }, description: 'a\u001b[2Jb\nc' });
    const { stdout } = await cli.run('intents', 'show', id);
    expect(stdout).toContain('a�[2Jb�c');
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it('shows notifications in the inbox that are not applied yet', async () => {
    const { id, reference } = await open();
    await api.database.owner.raw(
      `insert into gateway_notifications (gateway, environment, event_id, notification, body)
       values ('sandbox', 'sandbox', 'evt_waiting', ?::jsonb, '')`,
      [JSON.stringify({ type: 'payment.pending', intent_id: id, reference })],
    );
    const { unapplied_notifications } = await cli.json('intents', 'show', id);
    expect(unapplied_notifications).toEqual([
      {
        id: expect.stringMatching(/^\d+$/) as string,
        event_id: 'evt_waiting',
        type: 'payment.pending',
        received_at: expect.stringMatching(ISO) as string,
        tries: 0,
        last_error: null,
      },
    ]);
    const { stdout } = await cli.run('intents', 'show', id);
    expect(stdout).toMatch(/evt_waiting +payment\.pending/);
    await api.database.owner.raw(
      "delete from gateway_notifications where event_id = 'evt_waiting'",
    );
  });

  it('says that there is no such intent', async () => {
    expect(await cli.fail('intents show TRX-00000000000000000000')).toEqual({
      code: 'payment_intent_not_found',
      message: 'There is no payment intent TRX-00000000000000000000',
    });
  });
});

describe('intents cancel', () => {
  it('closes the checkout and cancels, and returns the same when repeated', async () => {
    const { id, reference, short_code, checkout_url } = await open();
    const canceled = await cli.json('intents', 'cancel', reference);
    expect(canceled).toEqual({
      id,
      reference,
      status: 'canceled',
      canceled_at: expect.stringMatching(ISO) as string,
    });
    expect((await actAt(checkout_url, 'pay')).status).toBe(409);
    expect((await api.show(id)).json.status).toBe('canceled');
    expect(await cli.json('intents', 'cancel', short_code)).toEqual(canceled);
    const { stdout } = await cli.run('intents', 'cancel', id);
    expect(stdout).toBe(`Cancelled ${reference} at ${canceled.canceled_at}.\n`);
  });

  it('refuses a finished intent, with its status', async () => {
    const { id } = await paid();
    expect(await cli.fail('intents', 'cancel', id)).toEqual({
      code: 'intent_not_cancelable',
      message: 'This payment intent is succeeded and cannot be cancelled',
    });
  });

  it('fails when Temporal is away, and changes nothing', async () => {
    const { id } = await open();
    const alone = buildMerchantCli(api, { TEMPORAL_ADDRESS: NOWHERE });
    expect(await alone.fail('intents', 'cancel', id)).toMatchObject({
      code: 'temporal_unreachable',
      message: expect.stringContaining(NOWHERE) as string,
    });
    expect((await api.show(id)).json.status).toBe('open');
  });

  it("prints Temporal's own reason when it refuses", async () => {
    const { id } = await open();
    const elsewhere = buildMerchantCli(api, { TEMPORAL_NAMESPACE: 'of-somebody-else' });
    expect(await elsewhere.fail('intents', 'cancel', id)).toMatchObject({
      code: 'temporal_refused',
      message: expect.stringContaining('of-somebody-else') as string,
    });
    expect((await elsewhere.json('intents', 'show', id)).workflow.fault).toBe('unreachable');
    expect((await api.show(id)).json.status).toBe('open');
  });
});
