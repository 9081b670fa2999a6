// The events of transfers: for endpoints that name them, with the transfer as GET answers it to that side.

import { randomUUID } from 'node:crypto';
import { EVENT_TYPES, PAYMENT_EVENT_TYPES } from '../../domain/event';
import type { Environment } from '../../domain/environment';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import { insist } from '../support/http';
import { waitFor } from '../support/wait';
import { expectGenuine, startReceiver, type TestReceiver } from '../support/webhooks';
import type { Account } from './support/accounts';
import { buildBusyAccount, finished, itemsOf, orderBatch } from './support/batches';
import { callApi } from './support/contract';

const api = setUp(() => startTestApi({ webhooks: true }));
let sender: Account;
let recipient: Account;

beforeEach(async () => {
  const funds = { live: { XOF: 1_000_000n }, sandbox: { XOF: 1_000_000n } };
  sender = await buildBusyAccount(api.database, funds);
  recipient = await buildBusyAccount(api.database, funds);
});

afterEach(() => expectBooksHold(api.database.db));

async function listen(key: string, types?: readonly string[]) {
  const receiver = await startReceiver();
  const body = { url: receiver.url, ...(types ? { types } : {}) };
  const { json } = await callApi(api.service, 'POST', '/webhook-endpoints', { key, body });
  return { receiver, endpoint: json };
}

function send(from: Account, to: Account, more = {}, environment: Environment = 'live') {
  const body = { to_username: to.username, currency: 'XOF', amount: 5, ...more };
  const options = { key: from[environment], idempotency_key: randomUUID(), body };
  return insist(() => callApi(api.service, 'POST', '/transfers', options));
}

interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly reference: string; readonly simulated?: boolean };
}

const eventsAt = ({ received }: TestReceiver): SentEvent[] =>
  received.map(({ body }) => JSON.parse(body) as SentEvent);

const eventsOf = async (key: string): Promise<SentEvent[]> => {
  const events: SentEvent[] = [];
  for (let after = '0'; ;) {
    const path = `/events?limit=100&after=${after}`;
    const { json } = await callApi(api.service, 'GET', path, { key });
    events.push(...json.events);
    if (!json.has_more) return events;
    after = json.next_cursor;
  }
};

describe.each(['live', 'sandbox'] as const)('in %s', (environment) => {
  it('each side that names them gets its own, signed, with the transfer as GET answers it', async () => {
    const sent = await listen(sender[environment], ['transfer.sent']);
    const got = await listen(recipient[environment], ['transfer.received', 'payment.succeeded']);
    const usual = await listen(recipient[environment]);
    expect(usual.endpoint.types).toEqual(PAYMENT_EVENT_TYPES);
    const words = { description: 'Loyer "mars" % \u2028 é', metadata: { order: 'A-1', n: 2 } };
    const { json } = await send(sender, recipient, words, environment);
    for (const [account, { receiver, endpoint }, type] of [
      [sender, sent, 'transfer.sent'],
      [recipient, got, 'transfer.received'],
    ] as const) {
      await waitFor(() => receiver.received.length === 1);
      const [webhook] = receiver.received;
      expectGenuine(webhook!, endpoint.secret);
      const path = `/transfers/${json.reference}`;
      const shown = await callApi(api.service, 'GET', path, { key: account[environment] });
      const { ok: _, ...data } = shown.json;
      expect(JSON.parse(webhook!.body)).toEqual({
        id: expect.any(String),
        type,
        api_version: 'v1',
        created_at: data.created_at,
        environment,
        sequence: 1,
        data,
      });
      // Byte for byte, with two decimals.
      expect(webhook!.body.endsWith(`"data":${shown.text.replace('"ok":true,', '')}}`)).toBe(true);
      expect(await eventsOf(account[environment])).toEqual([JSON.parse(webhook!.body)]);
    }
    expect(got.receiver.received[0]!.body).not.toContain('A-1');
    expect(usual.receiver.received).toEqual([]);
  });

  it('of both directions at once keep their order, without a gap', async () => {
    for (const { [environment]: key } of [sender, recipient]) {
      await listen(key, ['transfer.sent', 'transfer.received']);
    }
    const both = Array.from({ length: 30 }, (_, n) =>
      n % 2 === 0
        ? send(sender, recipient, {}, environment)
        : send(recipient, sender, {}, environment),
    );
    for (const { status } of await Promise.all(both)) expect(status).toBe(200);
    for (const { [environment]: key } of [sender, recipient]) {
      const events = await eventsOf(key);
      expect(events.map(({ sequence }) => sequence)).toEqual(
        Array.from({ length: 30 }, (_, n) => n + 1),
      );
      expect(new Set(events.map(({ id }) => id)).size).toBe(30);
      expect(events.filter(({ type }) => type === 'transfer.sent')).toHaveLength(15);
    }
  });
});

it('are none of a refusal, of a replay, and of an account without such an endpoint', async () => {
  const { receiver } = await listen(recipient.live, ['transfer.received']);
  await listen(sender.live);
  const options = { key: sender.live, idempotency_key: 'once' };
  const body = { to_username: recipient.username, currency: 'XOF', amount: 5 };
  for (const amount of [99_999_999, 5]) await send(sender, recipient, { amount });
  await callApi(api.service, 'POST', '/transfers', { ...options, body });
  await callApi(api.service, 'POST', '/transfers', { ...options, body });
  await waitFor(() => receiver.received.length === 2);
  expect(await eventsOf(recipient.live)).toHaveLength(2);
  const { rows } = await api.database.owner.raw('select from events where user_id = ?', [
    sender.id,
  ]);
  expect(rows).toEqual([]);
});

it('of a batch are one for each item, in its order; of one that is refused there are none', async () => {
  const { receiver } = await listen(recipient.live, ['transfer.received']);
  const item = { to_username: recipient.username, currency: 'XOF', amount: 1 };
  const order = async (body: object) => {
    const { json } = await orderBatch(api.service, body, { key: sender.live });
    await finished(api.service, json.id, sender.live);
    return itemsOf(api.service, json.id, sender.live);
  };
  const wrong = { ...item, amount: 9_999_999 };
  await order({ transfers: [item, wrong], mode: 'atomic' });
  await order({ transfers: [item], dry_run: true });
  const items = await order({ transfers: Array.from({ length: 600 }, () => item) });
  await waitFor(() => receiver.counts().size === 600);
  const events = await eventsOf(recipient.live);
  expect(events.map(({ data }) => data.reference)).toEqual(
    items.map(({ reference }: { reference: string }) => reference),
  );
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, n) => n + 1));
});

it.each([
  ['transfer.received', 'TRF'],
  ['transfer.sent', 'TRF'],
  ['refund.succeeded', 'RFD'],
  ['refund.failed', 'RFD'],
])('can be tried: %s', async (type, prefix) => {
  const { receiver, endpoint } = await listen(recipient.sandbox);
  const path = `/webhook-endpoints/${endpoint.id}/test`;
  await callApi(api.service, 'POST', path, { key: recipient.sandbox, body: { type } });
  await waitFor(() => receiver.received.length === 1);
  expect(eventsAt(receiver)).toMatchObject([
    { type, test: true, sequence: 0, data: { reference: `${prefix}-${'0'.repeat(20)}` } },
  ]);
  expect(EVENT_TYPES).toContain(type);
});
