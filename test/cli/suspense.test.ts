import { randomUUID } from 'node:crypto';
import { pursuitWorkflowId } from '../../domain/ids';
import { movedBy } from '../support/postings';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import type { HttpResponse } from '../support/http';
import { askedLongAgo } from '../support/refunds';
import { actAt, listPayments } from '../support/sandbox-gateway';
import type { RefundCourse } from '../../dev/simulators/gateway/courses';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { testPursuer } from '../workflows/intents';
import { setUpMerchantCli } from './support/merchant-cli';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const { api, cli } = setUpMerchantCli();

afterEach(() => expectBooksHold(api.database.db));

type Item = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- tests name its fields

/** Waits for the item of a payment or an intent. */
const itemOf = (field: 'provider_payment_id' | 'intent_id' | 'id', id: string): Promise<Item> =>
  waitFor(async () => {
    const { items } = (await cli.json('suspense list --all')) as { items: Item[] };
    return items.find((item) => item[field] === id);
  });

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
async function receiveTwice(refunds?: RefundCourse): Promise<Item> {
  const { json: intent } = await api.create();
  await actAt(intent.checkout_url, 'pay_twice', refunds === undefined ? {} : { refunds });
  return itemOf('intent_id', intent.id);
}

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
      limit: null,
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
});

describe('suspense accept', () => {
  it("credits the merchant's wallet, once", async () => {
    const before = await balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox');
    const { id } = await receiveLate({ amount: 700 });
    const accepted = await cli.json('suspense', 'accept', id);
    expect(accepted).toMatchObject({
      id,
      status: 'accepted',
      amount: 700,
      currency: 'XOF',
      accepted_as: expect.stringMatching(/^SUS-/) as string,
      balance: Number(before + 70_000n) / 100,
      resolved_at: expect.stringMatching(ISO) as string,
    });
    const again = await cli.fail('suspense', 'accept', id);
    expect(again).toMatchObject({ code: 'suspense_accepted' });
    expect(await balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox')).toBe(before + 70_000n);
  });

  it('--closes-intent ends the payment link with what arrived, and tells the merchant', async () => {
    const { json: intent } = await api.create();
    const { id } = await receive(intent, { amount: 4_999 });
    const { stdout } = await cli.run('suspense', 'accept', id, '--closes-intent');
    expect(stdout).toMatch(new RegExp(`^Credited 4999\\.00 XOF to .* ${intent.reference}\n$`));
    const { json } = await api.show(intent.id);
    expect(json).toMatchObject({ status: 'succeeded', amount_received: 4_999, net_amount: 4_999 });
    const { events } = await cli.json('events', 'list', '--user', api.merchant.username);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'payment.succeeded', reference: intent.reference }),
    );
    const late = await receiveLate();
    expect(await cli.fail('suspense', 'accept', late['id'], '--closes-intent')).toMatchObject({
      code: 'intent_not_closable',
    });
  });
});

describe('suspense refund', () => {
  it('has the gateway refund the money, and repeating it is one refund', async () => {
    const item = await receiveTwice();
    expect(item['reason']).toBe('second_payment');
    const ask = (by = cli) => by.json('suspense', 'refund', item['id']);
    const [first, second] = await Promise.all([ask(), ask(cli.asProcess())]);
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
    const { stdout } = await cli.run('suspense', 'refund', item['id']);
    expect(stdout).toMatch(/^Refunded 5000\.00 XOF at \S+ SUS-\w+\n$/);
    expect((await cli.fail('suspense', 'accept', item['id'])).code).toBe('suspense_refunded');
  });
});

describe('suspense close', () => {
  const close = (item: Item, reference: string, ...flags: string[]): string[] => [
    `suspense close ${item['id'] as string} --reason card-gone --reference`,
    reference,
    ...flags,
  ];

  it('closes an item that was paid back by hand, once, by its reference', async () => {
    const item = await receiveLate({ amount: 700 });
    const closed = await cli.json(...close(item, 'wire 7'));
    expect(closed).toMatchObject({
      id: item['id'],
      status: 'closed',
      closed_reason: 'card-gone',
      closed_reference: 'wire 7',
      resolved_at: expect.stringMatching(ISO) as string,
    });
    expect(await cli.json(...close(item, 'wire 7'))).toEqual(closed);
    expect((await cli.fail(...close(item, 'wire 8'))).code).toBe('suspense_closed');
    for (const verb of ['accept', 'refund']) {
      expect((await cli.fail('suspense', verb, item['id'])).code).toBe('suspense_closed');
    }
    // As it came in, and as it went out.
    const moved = await movedBy(api.database, item['reference'] as string);
    expect(moved).toEqual({ gateway_clearing: -70_000n, operator: 70_000n });
  });

  it('refuses while the gateway may still refund it, unless the operator has looked', async () => {
    const item = await receiveTwice('pending');
    await cli.run('suspense', 'refund', item['id']);
    const error = await cli.fail(...close(item, 'wire 9'));
    expect(error.code).toBe('suspense_refunding');
    expect(error.message).toContain('--gateway-made-no-refund');
    const known = await cli.fail(...close(item, 'wire 9', '--gateway-made-no-refund'));
    expect(known.code).toBe('refund_at_gateway');
    const named = /--gateway-refund re_\w+/.exec(known.message)![0].split(' ');
    expect((await cli.fail(...close(item, 'wire 9', ...named))).code).toBe('gateway_is_asked');
    // Its workflow asks again and again.
    await waitFor(async () => {
      await askedLongAgo(api.database, item['id'] as string);
      return (await cli.run(...close(item, 'wire 9', ...named))).status === 0;
    });
    expect(await itemOf('id', item['id'] as string)).toMatchObject({ status: 'closed' });
    // Its workflow ends by itself, at its next question.
    const temporal = await connectTestTemporal();
    const id = pursuitWorkflowId('suspense-refund', 'sandbox', item['id'] as string);
    const pursue = testPursuer(api.database.db, temporal, api.service.config.task_queue);
    await pursue('suspense-refund', [item['id'] as string]);
    expect(await temporal.workflow.getHandle(id).result()).toBe('closed');
  });
});
