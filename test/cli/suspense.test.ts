import { randomUUID } from 'node:crypto';
import { suspenseRefundWorkflowId } from '../../domain/ids';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import type { HttpResponse } from '../support/http';
import { actAt, listPayments, setFaults } from '../support/sandbox-gateway';
import { startTestApi, type TestApi } from '../support/api';
import { createRefundWaker } from '../../temporal/suspense';
import type { RefundCourse } from '../../simulators/gateway/store';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { BUILD_LIMIT_MS, type Cli } from './support/cli';
import { buildMerchantCli } from './support/merchant-cli';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

let api: TestApi;
let cli: Cli;

beforeAll(async () => {
  api = await startTestApi();
  cli = await buildMerchantCli(api);
}, BUILD_LIMIT_MS);

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

type Item = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- tests name its fields

/** Waits for the item of a payment or an intent. */
function itemOf(field: 'provider_payment_id' | 'intent_id', id: string): Promise<Item> {
  return waitFor(async () => {
    const { items } = (await cli.json('suspense', 'list', '--all')) as { items: Item[] };
    return items.find((item) => item[field] === id);
  });
}

/** Money that arrives after the cancellation, by a made-up notification: the simulator knows nothing of it. */
async function receiveLate(fields: Readonly<Record<string, unknown>> = {}): Promise<Item> {
  const { json: intent } = await api.create();
  await api.cancel(intent.id);
  return receive(intent, fields);
}

async function receive(
  intent: HttpResponse['json'],
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Item> {
  const provider_payment_id = `pay_${randomUUID()}`;
  const { status } = await api.notify(intent, { provider_payment_id, ...fields });
  expect(status).toBe(200);
  return itemOf('provider_payment_id', provider_payment_id);
}

/** The item of a customer who paid twice at the gateway. */
async function receiveTwice(refunds?: RefundCourse['course'], delay_ms?: number): Promise<Item> {
  const { json: intent } = await api.create();
  await actAt(intent.checkout_url, 'pay_twice', {
    ...(refunds === undefined ? {} : { refunds }),
    ...(delay_ms === undefined ? {} : { delay_ms }),
  });
  return itemOf('intent_id', intent.id);
}

const statusOf = async ({ id }: Item): Promise<string> => {
  const { items } = (await cli.json('suspense', 'list', '--all')) as { items: Item[] };
  return items.find((item) => item['id'] === id)!['status'] as string;
};

describe('suspense list', () => {
  it('shows the items that wait for a decision, with merchant and reason', async () => {
    const { json: intent } = await api.create();
    await api.cancel(intent.id);
    const item = await receive(intent);
    expect(item).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      reference: expect.stringMatching(/^SUS-[0-9A-F]{20}$/) as string,
      environment: 'sandbox',
      gateway: 'sandbox',
      provider_payment_id: item['provider_payment_id'],
      intent_id: intent.id,
      username: api.merchant.username,
      reason: 'late',
      currency: 'XOF',
      status: 'held',
      created_at: expect.stringMatching(ISO) as string,
      resolved_at: null,
      closed_reason: null,
      closed_reference: null,
      refund: null,
      is_closable: false,
      amount: 5000,
    });
  });

  it('writes amounts as decimals with their currency', async () => {
    const { id } = await receiveLate({ amount: 12.5, currency: 'EUR' });
    const { stdout: json } = await cli.run('suspense', 'list', '--json');
    expect(json).toContain('"amount":12.50');
    expect(json).not.toContain('minor');
    const { stdout } = await cli.run('suspense', 'list');
    expect(stdout).toMatch(
      /^ID +STATUS +AMOUNT +ENVIRONMENT +MERCHANT +REASON +INTENT +RECEIVED +REFUND\n/,
    );
    const line = stdout.split('\n').find((one) => one.startsWith(id as string));
    expect(line).toContain('12.50 EUR');
  });

  it('leaves out decided items unless --all is given', async () => {
    const { id } = await receiveLate();
    await cli.json('suspense', 'accept', '--id', id);
    const ids = async (...flags: string[]): Promise<unknown[]> =>
      ((await cli.json('suspense', 'list', ...flags)).items as Item[]).map((item) => item['id']);
    expect(await ids()).not.toContain(id);
    expect(await ids('--all')).toContain(id);
  });
});

describe('suspense accept', () => {
  it("credits the merchant's wallet, once", async () => {
    const before = await balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox');
    const { id } = await receiveLate({ amount: 700 });
    const accepted = await cli.json('suspense', 'accept', '--id', id);
    expect(accepted).toMatchObject({
      id,
      status: 'accepted',
      amount: 700,
      currency: 'XOF',
      accepted_as: expect.stringMatching(/^SUS-/) as string,
      balance: Number(before + 70_000n) / 100,
      resolved_at: expect.stringMatching(ISO) as string,
    });
    const again = await cli.fail('suspense', 'accept', '--id', id);
    expect(again).toMatchObject({ code: 'suspense_accepted' });
    expect(await balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox')).toBe(before + 70_000n);
  });

  it('prints what it did as text', async () => {
    const { id } = await receiveLate({ amount: 0.5, currency: 'USD' });
    const { stdout } = await cli.run('suspense', 'accept', '--id', id);
    expect(stdout).toMatch(
      /^Credited 0\.50 USD to \S+ \(sandbox\); the balance is [\d.]+ USD\. SUS-/,
    );
  });

  it('--closes-intent ends the payment link with what arrived, and tells the merchant', async () => {
    const { json: intent } = await api.create();
    const { id } = await receive(intent, { amount: 4_999 });
    const { stdout } = await cli.run('suspense', 'accept', '--id', id, '--closes-intent');
    expect(stdout).toMatch(new RegExp(`^Credited 4999\\.00 XOF to .* ${intent.reference}\n$`));
    const { json } = await api.show(intent.id);
    expect(json).toMatchObject({ status: 'succeeded', amount_received: 4_999, net_amount: 4_999 });
    const { events } = await cli.json('events', 'list', '--user', api.merchant.username);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'payment.succeeded', reference: intent.reference }),
    );
    const late = await receiveLate();
    expect(
      await cli.fail('suspense', 'accept', '--id', late['id'], '--closes-intent'),
    ).toMatchObject({
      code: 'intent_not_closable',
    });
  });

  it('refuses money that belongs to no intent of ours', async () => {
    const { json: intent } = await api.create();
    const item = await receive({ ...intent, id: randomUUID() });
    expect(item).toMatchObject({ reason: 'unknown_intent', username: null, intent_id: null });
    expect(await cli.fail('suspense', 'accept', '--id', item['id'])).toMatchObject({
      code: 'no_merchant',
    });
    expect((await cli.run('suspense', 'list')).stdout).toContain('(nobody)');
  });

  it("refuses an amount above the wallet's limit", async () => {
    const item = await receiveLate({ amount: 9_999_999_999_999, currency: 'XOF' });
    const error = await cli.fail('suspense', 'accept', '--id', item['id']);
    expect(error).toMatchObject({ code: 'balance_limit' });
    expect(await statusOf(item)).toBe('held');
  });
});

describe('suspense refund', () => {
  it('has the gateway refund the money, and repeating it is one refund', async () => {
    const item = await receiveTwice();
    expect(item['reason']).toBe('second_payment');
    const ask = () => cli.json('suspense', 'refund', '--id', item['id']);
    const [first, second] = await Promise.all([ask(), ask()]);
    expect(first).toEqual({
      ...item,
      status: 'refunded',
      resolved_at: expect.stringMatching(ISO) as string,
      refund: {
        number: 1,
        status: 'succeeded',
        refund_id: expect.stringMatching(/^re_/) as string,
        detail: null,
        ordered_by: expect.any(String) as string,
      },
    });
    expect(second).toEqual(first);
    expect(await ask()).toEqual(first);
    const { payments } = await listPayments(api.gateway, 'sandbox');
    const refunded = payments.filter(
      ({ intent_id, refund_id }) => intent_id === item['intent_id'] && refund_id !== null,
    );
    expect(refunded.map((payment) => payment.provider_payment_id)).toEqual([
      item['provider_payment_id'],
    ]);
    const { stdout } = await cli.run('suspense', 'refund', '--id', item['id']);
    expect(stdout).toMatch(/^Refunded 5000\.00 XOF at \S+ SUS-\w+\n$/);
    expect((await cli.fail('suspense', 'accept', '--id', item['id'])).code).toBe(
      'suspense_refunded',
    );
  });

  it('continues until the gateway can be reached', async () => {
    const item = await receiveTwice();
    const temporal = await connectTestTemporal();
    const handle = temporal.workflow.getHandle(suspenseRefundWorkflowId(item['id'] as string));
    await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'refund', calls: 2 });
    expect(await cli.json('suspense', 'refund', '--id', item['id'])).toMatchObject({
      status: 'refunded',
    });
    await setFaults(api.gateway, 'sandbox', {});
    expect(await handle.result()).toBe('refunded');
  });

  it("fails with the gateway's own message when it refuses for good, and can be repeated", async () => {
    const item = await receiveLate();
    const ask = () => cli.fail('suspense', 'refund', '--id', item['id']);
    const error = await ask();
    expect(error.code).toBe('gateway_refused');
    expect(error.message).toContain('No such payment was made.');
    expect(await statusOf(item)).toBe('held');
    expect((await cli.run('suspense', 'list')).stdout).toContain(
      'failed: POST /refunds returned 409: No such payment was made.',
    );
    expect(await ask()).toEqual(error);
    const temporal = await connectTestTemporal();
    const handle = temporal.workflow.getHandle(suspenseRefundWorkflowId(item['id'] as string));
    const { events } = await handle.fetchHistory();
    const started = events!.filter((event) => event.activityTaskStartedEventAttributes);
    // One attempt: a refusal is not retried automatically.
    expect(started.map((event) => event.activityTaskStartedEventAttributes!.attempt)).toEqual([1]);
    expect(await handle.result()).toBe('held');
    await cli.json('suspense', 'accept', '--id', item['id']);
  });

  it('is pending until the gateway has made it, and the notification of that is followed', async () => {
    const item = await receiveTwice('slow', 3_000);
    const { status, stdout } = await cli.run('suspense', 'refund', '--id', item['id']);
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^The gateway has the refund .* not finished it: the bank is slow\. /),
    ]);
    const fail = (verb: string) => cli.fail('suspense', verb, '--id', item['id']);
    expect((await fail('accept')).code).toBe('suspense_refunding');
    await waitFor(async () => (await statusOf(item)) === 'refunded');
  });

  it('leaves the item held when a pending refund fails, and shows why', async () => {
    const item = await receiveTwice('fail', 0);
    await cli.run('suspense', 'refund', '--id', item['id']);
    const held = await waitFor(async () => {
      const found = await itemOf('provider_payment_id', item['provider_payment_id'] as string);
      return found['status'] === 'held' && found;
    });
    expect(held['refund']).toMatchObject({
      status: 'failed',
      detail: 'The account that was paid from is closed.',
    });
    await cli.json('suspense', 'accept', '--id', item['id']);
  });

  it('holds the money again when a refund fails after it was made', async () => {
    const item = await receiveTwice('fail_later', 3_000);
    expect(await cli.json('suspense', 'refund', '--id', item['id'])).toMatchObject({
      status: 'refunded',
    });
    await waitFor(async () => (await statusOf(item)) === 'held');
    expect((await cli.run('suspense', 'list')).stdout).toContain(
      'failed: The account that was paid from is closed.',
    );
  });

  it('refuses an accepted item', async () => {
    const item = await receiveLate();
    await cli.json('suspense', 'accept', '--id', item['id']);
    expect((await cli.fail('suspense', 'refund', '--id', item['id'])).code).toBe(
      'suspense_accepted',
    );
  });

  it('fails when Temporal is away, and changes nothing', async () => {
    const item = await receiveLate();
    const alone = await buildMerchantCli(api, { TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect(await alone.fail('suspense', 'refund', '--id', item['id'])).toMatchObject({
      code: 'temporal_unreachable',
    });
    expect(await statusOf(item)).toBe('held');
  });
});

describe('suspense close', () => {
  const close = (item: Item, reference: string, ...flags: string[]): string[] =>
    [
      'suspense',
      'close',
      '--id',
      item['id'],
      '--reason',
      'the card is gone',
      '--reference',
      reference,
      ...flags,
    ] as string[];

  it('closes an item that was paid back by hand, once, by its reference', async () => {
    const item = await receiveLate({ amount: 700 });
    const closed = await cli.json(...close(item, 'wire 7'));
    expect(closed).toMatchObject({
      id: item['id'],
      status: 'closed',
      closed_reason: 'the card is gone',
      closed_reference: 'wire 7',
      resolved_at: expect.stringMatching(ISO) as string,
    });
    expect(await cli.json(...close(item, 'wire 7'))).toEqual(closed);
    expect((await cli.fail(...close(item, 'wire 8'))).code).toBe('suspense_closed');
    for (const verb of ['accept', 'refund']) {
      expect((await cli.fail('suspense', verb, '--id', item['id'])).code).toBe('suspense_closed');
    }
    const { rows } = await api.database.owner.raw(
      `select a.kind, e.amount_minor::text from ledger_transactions t
         join ledger_entries e on e.transaction_id = t.id
         join ledger_accounts a on a.id = e.account_id
        where t.description = ? order by a.kind`,
      [item['reference']],
    );
    expect(rows).toEqual([
      { kind: 'operator', amount_minor: '70000' },
      { kind: 'suspense', amount_minor: '-70000' },
    ]);
  });

  it('refuses while the gateway may still refund it, unless the operator has looked', async () => {
    const item = await receiveTwice('pending');
    await cli.run('suspense', 'refund', '--id', item['id']);
    const error = await cli.fail(...close(item, 'wire 9'));
    expect(error.code).toBe('suspense_refunding');
    expect(error.message).toContain('--gateway-made-no-refund');
    await cli.json(...close(item, 'wire 9', '--gateway-made-no-refund'));
    expect(await statusOf(item)).toBe('closed');
    // Its workflow ends by itself, at its next question.
    const temporal = await connectTestTemporal();
    const id = suspenseRefundWorkflowId(item['id'] as string);
    await createRefundWaker(temporal, api.service.config.task_queue)(item['id'] as string);
    expect(await temporal.workflow.getHandle(id).result()).toBe('closed');
  });

  it('refuses money that was accepted, and an unknown item', async () => {
    const item = await receiveLate();
    await cli.json('suspense', 'accept', '--id', item['id']);
    expect((await cli.fail(...close(item, 'wire 1'))).code).toBe('suspense_accepted');
    expect((await cli.fail(...close({ id: randomUUID() }, 'wire 1'))).code).toBe(
      'suspense_not_found',
    );
  });
});

describe('an unknown item', () => {
  it.each(['accept', 'refund'])('%s says so', async (verb) => {
    for (const id of [randomUUID(), 'not-an-id']) {
      expect((await cli.fail('suspense', verb, '--id', id)).code).toBe('suspense_not_found');
    }
  });
});
