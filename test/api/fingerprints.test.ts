// A key is of one body: each field that an order has is part of what its key is remembered by, and a body that differs in
// all of them is refused with the name of each.

import { randomUUID } from 'node:crypto';
import { startTestApi, type TestApi } from '../support/api';
import { insist, type HttpResponse } from '../support/http';
import { payIntent } from '../support/refunds';
import { fund } from '../support/users';
import { buildAccount, type Account } from './support/accounts';
import { callApi, refusal } from './support/contract';

let api: TestApi;
let bob: Account;

beforeAll(async () => {
  api = await startTestApi();
  bob = await buildAccount(api.database, { sandbox: { XOF: 1_000_000n } });
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

const PAIRS: readonly (readonly [
  operation: string,
  fields: readonly string[],
  pair: () => Pair | Promise<Pair>,
])[] = [
  [
    'payout',
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
];

it.each(PAIRS)('%s: a key is of all fields of its body', async (_, fields, pairOf) => {
  const { first, other, key = api.test_key } = await pairOf();
  const sent = { key, idempotency_key: randomUUID() };
  const made = await post(first.path, first.body, sent);
  expect(made.json).toMatchObject({ ok: true });
  const refused = await post(other.path, other.body, sent);
  expect(refused).toMatchObject(refusal('idempotency_key_reuse'));
  const named = (refused.json.error.details as { param: string }[]).map(({ param }) => param);
  expect(named.toSorted()).toEqual(expect.arrayContaining([...fields]));
});
