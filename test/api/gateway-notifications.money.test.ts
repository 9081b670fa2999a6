// G2 to G4: what notifications do to money. A payment is booked once, however often and in which order its
// notifications arrive. Money that fits no intent is kept in suspense, and changes no wallet.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { CURRENCIES, EXPONENTS, type Currency } from '../../domain/currency';
import { signGatewayBody } from '../../secrets/gateway-signature';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import type { HttpResponse } from '../support/http';
import {
  deliver,
  deliverSigned,
  notificationOf,
  SIGNATURE,
  type Fields,
} from '../support/notifications';
import { fund } from '../support/users';
import { GATEWAY_SECRETS } from '../support/sandbox-gateway';
import { startTestApi, type TestApi } from '../support/api';
import { startTestService, type TestService } from '../support/service';
import { buildAccount } from './support/accounts';
import { callApi } from './support/contract';
import {
  getIntent,
  getTimeline,
  intentBody,
  postCancel,
  postIntent,
  waitForStatus,
} from './support/intents';
import { readState, listSuspense, waitForOutcome, readWallets } from './support/notifications';

let api: TestApi;
let twin: TestService;

beforeAll(async () => {
  api = await startTestApi();
  const { task_queue, gateway, pay_url_base } = api.service.config;
  twin = await startTestService({
    database: api.database,
    overrides: { task_queue, gateway, pay_url_base },
  });
});

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

const create = async (amount = '5000', fields: Fields = {}): Promise<HttpResponse['json']> =>
  (await postIntent(api, intentBody(amount, fields))).json;

const balance = (currency: Currency = 'XOF'): Promise<bigint> =>
  balanceOf(api.database.db, api.merchant, currency, 'sandbox');

/** Sends it, signed, and returns the outcome. */
async function notify(fields: Fields): Promise<string> {
  const response = await deliverSigned(api, JSON.stringify(fields));
  expect([response.status, response.text]).toEqual([200, '{"ok":true}']);
  return (await waitForOutcome(api.database, fields['event_id'])).outcome!;
}

interface Counts {
  readonly journal: number;
  readonly payments: number;
  readonly suspense: number;
  readonly inbox: number;
  readonly events: number;
}

async function counts(): Promise<Counts> {
  const { rows } = await api.database.owner.raw(
    `select (select count(*)::int from ledger_transactions) as journal,
            (select count(*)::int from gateway_payments) as payments,
            (select count(*)::int from suspense_items) as suspense,
            (select count(*)::int from gateway_notifications) as inbox,
            (select count(*)::int from events) as events`,
  );
  return rows[0];
}

function difference(before: Counts, after: Counts): Counts {
  const names = Object.keys(before) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as never;
}

describe('G2 the same event', () => {
  it('a hundred times at once, at two services, makes one journal transaction and gets 100 × 200', async () => {
    const intent = await create();
    const [before, money] = [await counts(), await balance()];
    const body = JSON.stringify(notificationOf(intent));
    const headers = { [SIGNATURE]: signGatewayBody(body, GATEWAY_SECRETS.sandbox[0]) };
    const path = '/internal/gateway/notifications';
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        deliver((index % 2 ? twin : api.service).origin + path, body, headers),
      ),
    );
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['200 {"ok":true}']),
    );
    await waitForStatus(api, intent, 'succeeded');
    expect(difference(before, await counts())).toEqual({
      journal: 1,
      payments: 1,
      suspense: 0,
      inbox: 1,
      events: 1,
    });
    expect(await balance()).toBe(money + 500_000n);
    const { json } = await getTimeline(api, intent.id);
    const kinds = json.timeline.map(({ kind }: { kind: string }) => kind);
    expect(kinds.filter((kind: string) => kind === 'notified')).toHaveLength(1);
  });

  it('again after it was applied, with other contents, changes nothing', async () => {
    const intent = await create();
    const first = notificationOf(intent);
    expect(await notify(first)).toBe('succeeded');
    const before = await readState(api.database);
    for (const fields of [
      {},
      { amount: 1 },
      { type: 'payment.failed' },
      { intent_id: randomUUID() },
    ]) {
      expect(await notify({ ...first, ...fields })).toBe('succeeded');
    }
    expect(await readState(api.database)).toBe(before);
  });

  it('under another id is the same payment: a duplicate that moves no money', async () => {
    const intent = await create();
    const first = notificationOf(intent);
    const before = await counts();
    const [a, b] = await Promise.all([
      notify(first),
      notify({ ...first, event_id: `evt_${randomUUID()}` }),
    ]);
    expect(new Set([a, b])).toEqual(new Set(['succeeded', 'duplicate']));
    expect(await notify({ ...first, event_id: `evt_${randomUUID()}`, amount: 1 })).toBe(
      'duplicate',
    );
    const { journal, payments, suspense, inbox } = difference(before, await counts());
    expect({ journal, payments, suspense, inbox }).toEqual({
      journal: 1,
      payments: 1,
      suspense: 0,
      inbox: 3,
    });
  });

  it('under fifty ids for one payment makes one journal transaction', async () => {
    const intent = await create();
    const [before, money] = [await counts(), await balance()];
    const same = notificationOf(intent);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => notify({ ...same, event_id: `evt_${randomUUID()}` })),
    );
    expect(outcomes.filter((outcome) => outcome === 'succeeded')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(49);
    expect(difference(before, await counts())).toMatchObject({ journal: 1, suspense: 0 });
    expect(await balance()).toBe(money + 500_000n);
  });

  it('id in the other environment is another event', async () => {
    const event_id = `evt_${randomUUID()}`;
    const provider_payment_id = `pay_${randomUUID()}`;
    const sandbox = await create();
    const live = (await postIntent(api, intentBody(), { key: api.live_key })).json;
    for (const [intent, environment, key] of [
      [sandbox, 'sandbox', api.test_key],
      [live, 'live', api.live_key],
    ] as const) {
      const body = JSON.stringify(notificationOf(intent, { event_id, provider_payment_id }));
      expect((await deliverSigned(api, body, environment)).status).toBe(200);
      await waitForStatus(api, intent, 'succeeded', key);
    }
  });
});

describe('G3 the order of events', () => {
  const failure = { code: 'declined', message: 'No.' };
  type Word = 'pending' | 'attempt' | 'failed' | 'succeeded' | 'cancel';

  it.each<[Word[], string[], string]>([
    [['pending', 'succeeded'], ['processing', 'succeeded'], 'succeeded'],
    [['pending', 'failed'], ['processing', 'failed'], 'failed'],
    [['attempt', 'succeeded'], ['attempt_failed', 'succeeded'], 'succeeded'],
    [['attempt', 'attempt'], ['attempt_failed', 'attempt_failed'], 'open'],
    [['pending', 'pending'], ['processing', 'processing'], 'processing'],
    [['pending', 'attempt'], ['processing', 'attempt_failed'], 'processing'],
    [['succeeded', 'failed'], ['succeeded', 'stale'], 'succeeded'],
    [['succeeded', 'pending'], ['succeeded', 'stale'], 'succeeded'],
    [['succeeded', 'attempt'], ['succeeded', 'stale'], 'succeeded'],
    [['succeeded', 'succeeded'], ['succeeded', 'suspense'], 'succeeded'],
    [['failed', 'succeeded'], ['failed', 'suspense'], 'failed'],
    [['failed', 'failed'], ['failed', 'stale'], 'failed'],
    [['failed', 'pending'], ['failed', 'stale'], 'failed'],
    [['cancel', 'succeeded'], ['suspense'], 'canceled'],
    [['cancel', 'pending'], ['stale'], 'canceled'],
    [['cancel', 'failed'], ['stale'], 'canceled'],
  ])('%j has the outcomes %j and ends %s', async (words, outcomes, status) => {
    const intent = await create();
    const money = await balance();
    const seen: string[] = [];
    for (const word of words) {
      if (word === 'cancel') {
        await postCancel(api, intent.id);
        continue;
      }
      const type = `payment.${word === 'attempt' ? 'failed' : word}`;
      const final = word === 'attempt' ? false : undefined;
      seen.push(await notify(notificationOf(intent, { type, final, failure })));
    }
    expect(seen).toEqual(outcomes);
    const shown = (await getIntent(api, intent.id)).json;
    expect(shown.status).toBe(status);
    const isTold = status === 'failed' || words.at(-1) === 'attempt' || words[0] === 'attempt';
    const isKept = isTold && status !== 'succeeded';
    expect(shown.last_payment_error).toEqual(isKept ? failure : null);
    expect(await balance()).toBe(money + (status === 'succeeded' ? 500_000n : 0n));
  });

  it('does not matter when both final events come at once: one wins, and the money is booked accordingly', async () => {
    const intents = await Promise.all(Array.from({ length: 10 }, () => create()));
    const money = await balance();
    const outcomes = await Promise.all(
      intents.map(async (intent) => {
        const [paid, failed] = await Promise.all([
          notify(notificationOf(intent)),
          notify(notificationOf(intent, { type: 'payment.failed', failure })),
        ]);
        return `${paid} ${failed}`;
      }),
    );
    for (const outcome of outcomes) {
      expect(['succeeded stale', 'suspense failed']).toContain(outcome);
    }
    const won = BigInt(outcomes.filter((outcome) => outcome === 'succeeded stale').length);
    expect(await balance()).toBe(money + won * 500_000n);
  });

  it('with a payment after the expiry keeps the money in suspense as late', async () => {
    const intent = await create('5000', { expires_in: 3 });
    await waitForStatus(api, intent, 'expired');
    const money = await readWallets(api.database);
    const late = notificationOf(intent);
    expect(await notify(late)).toBe('suspense');
    expect(await listSuspense(api.database, late['provider_payment_id'])).toEqual([
      {
        reason: 'late',
        currency: 'XOF',
        amount_minor: '500000',
        status: 'held',
        environment: 'sandbox',
        intent_id: intent.id,
        user_id: api.merchant.id,
      },
    ]);
    expect(await readWallets(api.database)).toBe(money);
    expect((await getIntent(api, intent.id)).json.status).toBe('expired');
  });
});

describe('G4 a payment that does not fit its intent', () => {
  it.each<[string, Fields, string]>([
    ['a hundredth less', { amount: 12.33 }, 'amount'],
    ['a hundredth more', { amount: 12.35 }, 'amount'],
    ['much more', { amount: 99_999.99 }, 'amount'],
    ['another currency', { currency: 'USD' }, 'currency'],
    ['another currency and amount', { currency: 'XOF', amount: 12 }, 'currency'],
  ])('by %s goes to suspense, and the intent stays open', async (_kind, fields, reason) => {
    const intent = await create('12.34', { currency: 'EUR' });
    const wallets = await readWallets(api.database);
    const wrong = notificationOf(intent, fields);
    expect(await notify(wrong)).toBe('suspense');
    expect(await listSuspense(api.database, wrong['provider_payment_id'])).toMatchObject([
      {
        reason,
        status: 'held',
        currency: wrong['currency'],
        amount_minor: String(Math.round(Number(wrong['amount']) * 100)),
        intent_id: intent.id,
        user_id: api.merchant.id,
      },
    ]);
    expect(await readWallets(api.database)).toBe(wallets);
    expect((await getIntent(api, intent.id)).json).toEqual({
      ...intent,
      amount_received: reason === 'amount' ? wrong['amount'] : null,
      last_payment_error: {
        code: `${reason}_mismatch`,
        message: expect.stringMatching(/ arrived instead of 12\.34 EUR\.$/) as string,
      },
      updated_at: expect.any(String) as string,
    });
    // The intent can still be paid.
    expect(await notify(notificationOf(intent))).toBe('succeeded');
  });

  it.each([
    ['failure', { type: 'payment.failed', failure: { code: 'x', message: 'y' } }],
    ['failed attempt', { type: 'payment.failed', final: false }],
    ['pending payment', { type: 'payment.pending' }],
  ])('%s with another amount or currency changes nothing', async (_kind, fields) => {
    const intent = await create();
    for (const wrong of [{ amount: 4999 }, { currency: 'EUR' }]) {
      expect(await notify(notificationOf(intent, { ...fields, ...wrong }))).toBe('mismatch');
    }
    expect((await getIntent(api, intent.id)).json).toEqual(intent);
  });

  it.each<[string, (intent: HttpResponse['json'], other: HttpResponse['json']) => Fields]>([
    ['an unknown intent_id and no reference', () => ({ intent_id: randomUUID(), reference: null })],
    ['an unknown reference alone', () => ({ intent_id: null, reference: 'TRX-0000000000' })],
    ['a wrong intent_id and the right reference', () => ({ intent_id: randomUUID() })],
    ['the right intent_id and a wrong reference', () => ({ reference: 'TRX-0000000000' })],
    ["another intent's id and the right reference", (_, other) => ({ intent_id: other.id })],
    ["the right id and another's reference", (_, other) => ({ reference: other.reference })],
    ['an intent_id that is no UUID', () => ({ intent_id: 'abc' })],
    ['an intent_id that is no UUID alone', () => ({ intent_id: '1', reference: null })],
    ['an intent_id that looks like SQL', () => ({ intent_id: "' or true --" })],
    ['an intent_id of zeros', () => ({ intent_id: '00000000-0000-0000-0000-000000000000' })],
    ['the short code for an id', (intent) => ({ intent_id: intent.short_code })],
    ['the id for a reference', (intent) => ({ intent_id: null, reference: intent.id })],
    [
      'a reference in small letters',
      (intent) => ({
        intent_id: null,
        reference: intent.reference.toLowerCase(),
      }),
    ],
  ])('by %s: 200, and the money is in suspense without a user', async (_kind, change) => {
    const [intent, other] = [await create(), await create()];
    const wallets = await readWallets(api.database);
    const unknown = notificationOf(intent, change(intent, other));
    expect(await notify(unknown)).toBe('suspense');
    expect(await listSuspense(api.database, unknown['provider_payment_id'])).toEqual([
      {
        reason: 'unknown_intent',
        currency: 'XOF',
        amount_minor: '500000',
        status: 'held',
        environment: 'sandbox',
        intent_id: null,
        user_id: null,
      },
    ]);
    expect(await readWallets(api.database)).toBe(wallets);
    for (const { id } of [intent, other]) {
      expect((await getIntent(api, id)).json.status).toBe('open');
    }
    // The same payment with the right name is the same money: it is not booked twice.
    const again = notificationOf(intent, { provider_payment_id: unknown['provider_payment_id'] });
    expect(await notify(again)).toBe('duplicate');
  });

  it.each<[string, (intent: HttpResponse['json']) => Fields]>([
    ['its id alone', () => ({ reference: undefined })],
    ['its id in capitals', ({ id }) => ({ intent_id: id.toUpperCase(), reference: null })],
    ['its reference alone', () => ({ intent_id: undefined })],
    ['both', () => ({})],
  ])('fits when it names the intent by %s', async (_kind, change) => {
    const intent = await create();
    expect(await notify(notificationOf(intent, change(intent)))).toBe('succeeded');
  });

  it('that names an intent of the other environment belongs to no user', async () => {
    const { json: live } = await postIntent(api, intentBody(), { key: api.live_key });
    const wallets = await readWallets(api.database);
    expect(await notify(notificationOf(live, { environment: 'sandbox' }))).toBe('suspense');
    expect((await getIntent(api, live.id, api.live_key)).json.status).toBe('open');
    expect(await readWallets(api.database)).toBe(wallets);
  });

  it('of no user is recorded and moves nothing when it carries no money', async () => {
    const before = await counts();
    const nobody = { intent_id: randomUUID(), reference: null };
    const intent = await create();
    expect(await notify(notificationOf(intent, { ...nobody, type: 'payment.failed' }))).toBe(
      'unknown_intent',
    );
    expect(await notify(notificationOf(intent, { ...nobody, type: 'payment.pending' }))).toBe(
      'unknown_intent',
    );
    expect(difference(before, await counts())).toMatchObject({ journal: 0, suspense: 0, inbox: 2 });
  });

  it('for a full wallet goes to suspense, and the intent stays open', async () => {
    const rich = await buildAccount(api.database);
    await fund(api.database.db, rich.id, 'sandbox', 'EUR', 999_999_999_999_999n);
    const { json: intent } = await postIntent(api, intentBody('0.01', { currency: 'EUR' }), {
      key: rich.sandbox,
    });
    const paid = notificationOf(intent);
    expect(await notify(paid)).toBe('suspense');
    expect(await listSuspense(api.database, paid['provider_payment_id'])).toMatchObject([
      { reason: 'balance_limit', amount_minor: '1', user_id: rich.id },
    ]);
    expect(await balanceOf(api.database.db, rich, 'EUR', 'sandbox')).toBe(999_999_999_999_999n);
  });
});

describe('G4 any notification', () => {
  interface Money {
    readonly currency: Currency;
    readonly amount: bigint;
  }
  const money: fc.Arbitrary<Money> = fc
    .record({ currency: fc.constantFrom(...CURRENCIES), units: fc.bigInt(1n, 2_000n) })
    .map(({ currency, units }) => ({
      currency,
      amount: EXPONENTS[currency] === 0 ? units * 100n : units,
    }));
  const payment = fc.record({
    asked: money,
    // Half of them have the requested amount and currency.
    paid: fc.option(money, { nil: undefined, freq: 2 }),
    by: fc.constantFrom('id', 'reference', 'both', 'a wrong id', 'a wrong reference'),
  });
  type Case = typeof payment extends fc.Arbitrary<infer T> ? T : never;
  const NAMES: Readonly<Record<string, Fields>> = {
    id: { reference: undefined },
    reference: { intent_id: undefined },
    both: {},
    'a wrong id': { intent_id: randomUUID() },
    'a wrong reference': { reference: 'TRX-00000000000000000000' },
  };
  const textOf = (amount: bigint): string =>
    `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;

  /** Returns by how much the wallet in the intent's currency has to grow. */
  async function pay({ asked, paid = asked, by }: Case): Promise<bigint> {
    const intent = await create(textOf(asked.amount), { currency: asked.currency });
    const { currency, amount } = paid;
    const fields = notificationOf(intent, { amount: 0, currency, ...NAMES[by] });
    const body = JSON.stringify(fields).replace('"amount":0', `"amount":${textOf(amount)}`);
    expect((await deliverSigned(api, body)).status).toBe(200);
    const { outcome } = await waitForOutcome(api.database, fields['event_id']);
    const fits =
      !by.startsWith('a wrong') && amount === asked.amount && currency === asked.currency;
    expect(outcome).toBe(fits ? 'succeeded' : 'suspense');
    expect((await getIntent(api, intent.id)).json.status).toBe(fits ? 'succeeded' : 'open');
    const held = { currency, amount_minor: String(amount), status: 'held' };
    expect(await listSuspense(api.database, fields['provider_payment_id'])).toMatchObject(
      fits ? [] : [held],
    );
    return fits ? amount : 0n;
  }

  it('credits the wallet with the amount of its intent, or not at all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(payment, { minLength: 1, maxLength: 8 }), async (cases) => {
        const balances = () => Promise.all(CURRENCIES.map((currency) => balance(currency)));
        const before = await balances();
        const credited = await Promise.all(cases.map(pay));
        const expected = CURRENCIES.map((currency, index) =>
          cases.reduce(
            (sum, { asked }, at) => sum + (asked.currency === currency ? credited[at]! : 0n),
            before[index]!,
          ),
        );
        expect(await balances()).toEqual(expected);
      }),
      // Each run is a few payments at once.
      { numRuns: 15 },
    );
  });
});

describe('a fee', () => {
  it('is deducted from the amount paid, and shown everywhere', async () => {
    await api.database.owner.raw(
      `update fee_policies set basis_points = 250, fixed_minor = 30
        where kind = 'payment_intent' and currency = 'USD'`,
    );
    const intent = await create('10.00', { currency: 'USD' });
    const before = await balance('USD');
    expect(await notify(notificationOf(intent))).toBe('succeeded');
    expect(await balance('USD')).toBe(before + 945n);
    const shown = await getIntent(api, intent.id);
    expect(shown.text).toContain('"fee":0.55,"net_amount":9.45');
    const path = `/transactions/${shown.json.transaction_id}`;
    const transaction = await callApi(api.service, 'GET', path, { key: api.test_key });
    expect(transaction.text).toContain('"amount":10.00,"fee":0.55,"net_amount":9.45');
    await api.database.owner.raw(
      `update fee_policies set basis_points = 0, fixed_minor = 0 where kind = 'payment_intent'`,
    );
  });
});
