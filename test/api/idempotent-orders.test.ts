// Every order is carried out once for its Idempotency-Key: requests at once and again get one answer, byte for byte. Each
// field that an order has is part of what its key is remembered by: a body that differs in all of them is refused with
// the name of each.

import { randomUUID } from 'node:crypto';
import { startTestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import { setUp } from '../support/database';
import { insist, type HttpResponse, type RequestOptions } from '../support/http';
import { payIntent } from '../support/refunds';
import { recordsIn, setFaults } from '../support/sandbox-gateway';
import type { TestService } from '../support/service';
import { fund } from '../support/users';
import { buildAccount } from './support/accounts';
import { callApi, refusal } from './support/contract';
import { intentBody, isReplay } from './support/intents';

const api = setUp(startTestApi);
const bob = setUp(() => buildAccount(api.database, { sandbox: { XOF: 1_000_000n } }));

beforeAll(async () => {
  for (const currency of ['XOF', 'EUR'] as const) {
    await fund(api.database.db, api.merchant.id, 'sandbox', currency, 100_000_000n);
  }
});

type Json = HttpResponse['json'];

const post = (path: string, body: Json, options: Partial<Sent> = {}): Promise<HttpResponse> => {
  const { key = api.test_key, idempotency_key = randomUUID() } = options;
  return insist(() => callApi(api.service, 'POST', path, { key, idempotency_key, body }));
};

interface Sent {
  readonly key: string;
  readonly idempotency_key: string;
}

interface Order {
  readonly path: string;
  readonly body: Json;
}

interface Pair {
  readonly first: Order;
  /** It differs from the first in each field, and may be wrong otherwise. */
  readonly other: Order;
  readonly key?: string;
}

const both = (path: string, first: Json, other: Json): Pair => ({
  first: { path, body: first },
  other: { path, body: other },
});

const payout = (digits: string) => ({
  currency: 'XOF',
  amount: 5000,
  destination: { type: 'mobile_money', phone: `+221770000${digits}` },
});

const transfer = async (): Promise<string> => {
  const body = { to_username: bob.username, currency: 'XOF', amount: 5000 };
  return (await post('/transfers', body)).json.reference;
};

const about = { description: 'Wage', metadata: { month: 'May' } };
const otherwise = { description: 'Bonus', metadata: { month: 'June' } };

const ORDERS: readonly (readonly [
  operation: string,
  /** An order makes a row of it. */
  table: string,
  fields: readonly string[],
  pair: () => Pair | Promise<Pair>,
])[] = [
  [
    'payout',
    'payouts',
    [
      'amount',
      'confirm',
      'currency',
      'description',
      'destination',
      'expires_in',
      'metadata',
      'name',
      'name_check',
      'when_closed',
    ],
    () =>
      both(
        '/payouts',
        { ...payout('100'), ...about, name: 'Awa Diop' },
        {
          ...otherwise,
          currency: 'EUR',
          amount: 60,
          destination: { type: 'bank', account: 'SN0812345678901234', name: 'Moussa Ba' },
          name: 'Moussa Ba',
          name_check: 'require',
          confirm: false,
          when_closed: 'refuse',
          expires_in: 7200,
        },
      ),
  ],
  [
    'payout_batch',
    'payout_batches',
    ['confirm', 'dry_run', 'payouts'],
    () =>
      both(
        '/payout-batches',
        { payouts: [payout('100')], confirm: false, dry_run: true },
        { payouts: [payout('101')], confirm: true, dry_run: false },
      ),
  ],
  [
    'refund',
    'refunds',
    ['amount', 'metadata', 'payment_intent', 'reason'],
    async () => {
      const [paid, another] = [
        await payIntent(api.database.db, api.merchant),
        await payIntent(api.database.db, api.merchant),
      ];
      const { metadata } = about;
      return {
        first: {
          path: `/payment-intents/${paid.id}/refunds`,
          body: { amount: 5, reason: 'broken', metadata },
        },
        other: {
          path: `/payment-intents/${another.id}/refunds`,
          body: { amount: 10, reason: 'late', metadata: otherwise.metadata },
        },
      };
    },
  ],
  [
    'transfer',
    'transfers',
    ['amount', 'currency', 'description', 'metadata', 'to_username'],
    () =>
      both(
        '/transfers',
        { ...about, to_username: bob.username, currency: 'XOF', amount: 5000 },
        { ...otherwise, to_username: 'nobody', currency: 'EUR', amount: 60 },
      ),
  ],
  [
    'reversal',
    'reversals',
    ['amount', 'reason', 'transfer'],
    async () => ({
      first: {
        path: `/transfers/${await transfer()}/reversals`,
        body: { amount: 10, reason: 'broken' },
      },
      other: {
        path: `/transfers/${await transfer()}/reversals`,
        body: { amount: 20, reason: 'late' },
      },
      key: bob.sandbox,
    }),
  ],
  [
    'transfer_batch',
    'transfer_batches',
    ['dry_run', 'mode', 'transfers'],
    () => {
      const to = (amount: number) => [{ to_username: bob.username, currency: 'XOF', amount }];
      return both(
        '/transfer-batches',
        { transfers: to(5), mode: 'atomic', dry_run: true },
        { transfers: to(10), mode: 'independent', dry_run: false },
      );
    },
  ],
  [
    'payment_intent',
    'payment_intents',
    [
      'amount',
      'cancel_url',
      'country',
      'currency',
      'customer_email',
      'customer_phone',
      'description',
      'expires_in',
      'metadata',
      'return_url',
    ],
    () => {
      const intent = (name: string, more: Json) => ({
        customer_email: `${name}@example.com`,
        return_url: `https://${name}.example/thanks`,
        cancel_url: `https://${name}.example/cart`,
        ...more,
      });
      const first = { currency: 'XOF', amount: 5000, country: 'SN', expires_in: 3600, ...about };
      const other = { currency: 'EUR', amount: 60, country: 'CI', expires_in: 7200, ...otherwise };
      return both(
        '/payment-intents',
        intent('awa', { ...first, customer_phone: '+221771234567' }),
        intent('moussa', { ...other, customer_phone: '+221771234568' }),
      );
    },
  ],
  [
    'payment_link',
    'payment_links',
    ['amount', 'currency', 'description', 'max_payments', 'metadata', 'title'],
    () =>
      both(
        '/payment-links',
        { title: 'Coffee', currency: 'XOF', amount: 5000, max_payments: 2, ...about },
        { title: 'Tea', currency: 'EUR', amount: 60, max_payments: 3, ...otherwise },
      ),
  ],
  [
    'payment_attempt',
    'payment_attempts',
    ['has_otp', 'operator', 'payment_intent_id', 'phone'],
    async () => {
      const intent = async (): Promise<string> => (await api.create()).json.id;
      return {
        first: {
          path: `/payment-intents/${await intent()}/attempts`,
          body: { operator: 'free_sn', phone: '+221760000100' },
        },
        other: {
          path: `/payment-intents/${await intent()}/attempts`,
          body: { operator: 'orange_sn', phone: '+221770000101', otp: '123456' },
        },
      };
    },
  ],
  [
    'sandbox_fund',
    'transactions',
    ['amount', 'currency'],
    () => both('/sandbox/fund', { currency: 'XOF', amount: 5000 }, { currency: 'EUR', amount: 60 }),
  ],
];

async function count(table: string): Promise<number> {
  const { rows } = await api.database.owner.raw(`select count(*)::int as count from ${table}`);
  return rows[0].count;
}

/** The texts that a body has, however deep. */
const textsIn = (body: Json): string[] =>
  typeof body === 'string' ? [body] : Object.values(Object(body)).flatMap(textsIn);

describe.each(ORDERS)('%s', (operation, table, fields, pairOf) => {
  it('gets one answer for its key, byte for byte, and refuses another body by the name of each field', async () => {
    const { first, other, key = api.test_key } = await pairOf();
    const sent = { key, idempotency_key: randomUUID() };
    const before = await count(table);
    const order = () => post(first.path, first.body, sent);
    const at_once = await Promise.all(Array.from({ length: 8 }, order));
    const { status, text, json } = at_once[0]!;
    expect([status, json]).toMatchObject([expect.any(Number), { ok: true }]);
    expect(new Set(at_once.map((response) => `${response.status} ${response.text}`)).size).toBe(1);
    // None where a busy machine had no time to answer the one that came first, which asked again.
    expect(at_once.filter((response) => !isReplay(response)).length).toBeLessThanOrEqual(1);
    const again = await order();
    expect([again.status, again.text, isReplay(again)]).toEqual([status, text, true]);
    expect(again.headers['idempotency-key']).toBe(sent.idempotency_key);
    const path = `/idempotency-keys/${sent.idempotency_key}?operation=${operation}`;
    const kept = await callApi(api.service, 'GET', path, { key });
    expect(kept.json).toMatchObject({ state: 'completed', http_status: status, response: json });

    const refused = await post(other.path, other.body, sent);
    expect(refused).toMatchObject(refusal('idempotency_key_reuse'));
    const named = (refused.json.error.details as { param: string }[]).map(({ param }) => param);
    expect(named.toSorted()).toEqual(expect.arrayContaining([...fields]));
    for (const name of fields) expect(refused.json.error.message).toContain(name);
    // A guessed key gives away nothing of the first request.
    for (const given of textsIn(first.body)) expect(refused.text).not.toContain(given);
    expect(await count(table)).toBe(before + 1);
  });
});

// One key is one intent, one workflow and one checkout, across all processes and through every fault of the gateway.
describe('a payment intent', () => {
  /** A second process of the same installation. */
  const twin = setUp(() => api.beside());

  afterEach(async () => {
    await setFaults(api.gateway, 'sandbox', {});
    await expectBooksHold(api.database.db);
  });

  function send(
    body: unknown,
    { at = api.service, ...options }: RequestOptions & { readonly at?: TestService } = {},
  ): Promise<HttpResponse> {
    return callApi(at, 'POST', '/payment-intents', { key: api.test_key, body, ...options });
  }

  /** A key's intents, and how many checkouts the gateway has for them. */
  async function traceOf(idempotency_key: string) {
    const { rows } = await api.database.owner.raw(
      'select id from payment_intents where idempotency_key = ? order by created_at',
      [idempotency_key],
    );
    const ids = (rows as { id: string }[]).map(({ id }) => id);
    return { ids, checkouts: ids.reduce((sum, id) => sum + checkoutsOf(id), 0) };
  }

  function checkoutsOf(id: string): number {
    return recordsIn(api.gateway.file, 'session').filter(({ intent_id }) => intent_id === id)
      .length;
  }

  async function expectOne(idempotency_key: string): Promise<string> {
    const { ids, checkouts } = await traceOf(idempotency_key);
    expect([ids.length, checkouts]).toEqual([1, 1]);
    return ids[0]!;
  }

  describe('a storm of one key over two services', () => {
    const storm = (count: number, body: (index: number) => unknown, idempotency_key: string) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          insist(() => send(body(index), { at: index % 2 ? twin : api.service, idempotency_key })),
        ),
      );

    it('of 100 equal requests makes one intent, one checkout and one response', async () => {
      const idempotency_key = randomUUID();
      const responses = await storm(100, () => intentBody(), idempotency_key);
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
      // The first may have been told to ask again.
      expect(responses.filter((response) => !isReplay(response)).length).toBeLessThanOrEqual(1);
      expect(await expectOne(idempotency_key)).toBe(responses[0]!.json.id);
    });
  });
});
