// G2 to G4: what notifications do to money. A payment is booked once, however often and in which order its
// notifications arrive. Money that fits no intent is kept in suspense, and changes no wallet.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { CURRENCIES, EXPONENTS, type Currency } from '../../domain/currency';
import { signGatewayBody } from '../../secrets/gateway-signature';
import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { insist, type HttpResponse } from '../support/http';
import {
  deliver,
  deliverSigned,
  notificationOf,
  SIGNATURE,
  type Fields,
} from '../support/notifications';
import { GATEWAY_SECRETS } from '../support/sandbox-gateway';
import { startTestApi } from '../support/api';
import { callApi } from './support/contract';
import {
  getIntent,
  getTimeline,
  intentBody,
  postCancel,
  postIntent,
  waitForStatus,
} from './support/intents';
import { listSuspense, waitForOutcome } from './support/notifications';
import { setFees } from '../support/fees';

const api = setUp(startTestApi);
const twin = setUp(() => api.beside());

afterEach(() => expectBooksHold(api.database.db));

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
        insist(() => deliver((index % 2 ? twin : api.service).origin + path, body, headers)),
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
});

describe('G3 the order of events', () => {
  const failure = { code: 'declined', message: 'No.' };
  type Word = 'pending' | 'attempt' | 'failed' | 'succeeded' | 'cancel';

  // Each end with each event: test/db/intents.test.ts.
  it.each<[Word[], string[], string]>([
    [['pending', 'succeeded'], ['processing', 'succeeded'], 'succeeded'],
    [['pending', 'failed'], ['processing', 'failed'], 'failed'],
    [['attempt', 'succeeded'], ['attempt_failed', 'succeeded'], 'succeeded'],
    [['attempt', 'attempt'], ['attempt_failed', 'attempt_failed'], 'open'],
    [['pending', 'pending'], ['processing', 'processing'], 'processing'],
    [['pending', 'attempt'], ['processing', 'attempt_failed'], 'processing'],
    [['succeeded', 'failed'], ['succeeded', 'stale'], 'succeeded'],
    [['succeeded', 'succeeded'], ['succeeded', 'suspense'], 'succeeded'],
    [['failed', 'succeeded'], ['failed', 'suspense'], 'failed'],
    [['cancel', 'succeeded'], ['suspense'], 'canceled'],
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
    await setFees(api.database.owner, {
      kinds: ['payment_intent'],
      currency: 'USD',
      percent: 2.5,
      fixed_minor: 30,
    });
    const intent = await create('10.00', { currency: 'USD' });
    const before = await balance('USD');
    expect(await notify(notificationOf(intent))).toBe('succeeded');
    expect(await balance('USD')).toBe(before + 945n);
    const shown = await getIntent(api, intent.id);
    expect(shown.text).toContain('"fee":0.55,"tax":0.00,"net_amount":9.45');
    const path = `/transactions/${shown.json.transaction_id}`;
    const transaction = await callApi(api.service, 'GET', path, { key: api.test_key });
    expect(transaction.text).toContain('"amount":10.00,"fee":0.55,"tax":0.00,"net_amount":9.45');
    await setFees(api.database.owner, { kinds: ['payment_intent'] });
  });
});
