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
import { getIntent, getTimeline, intentBody, postIntent, waitForStatus } from './support/intents';
import { listSuspense, waitForOutcome } from './support/notifications';

const api = setUp(startTestApi);
const twin = setUp(() => api.beside());

afterEach(() => expectBooksHold(api.database.db));

const create = async (amount = '5000', fields: Fields = {}): Promise<HttpResponse['json']> =>
  (await postIntent(api, intentBody(amount, fields))).json;

const balance = (currency: Currency = 'XOF'): Promise<bigint> =>
  balanceOf(api.database.db, api.merchant, currency, 'sandbox');

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
