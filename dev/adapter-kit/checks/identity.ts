// Our id is the one key of an order.

import { made, takes } from './callbacks';
import { demand, each, nameOf, Skip, tryTo, type Check } from '../check';
import { holds, type Side } from '../stand';
import { refundOfPaid } from './money';

/** So many that ids made of the time, or of a short counter, meet. */
const AT_ONCE = 20;
const REFUNDS = 4;

export const IDENTITY: readonly Check[] = [
  {
    id: 'identity.key',
    name: 'our id stands in the request of an order',
    protects_from: 'Without it nobody can find out what became of an order whose answer was lost.',
    advice: 'Send `order.id` as the provider’s own id or idempotency key, whole.',
    run: each(async (side, stand) => {
      const order = stand.order(side);
      const { requests } = await stand.duringOrders(side, {}, () => side.ask(order));
      const got = requests.map(({ method, path, body }) => `${method} ${path} ${body}`).join(' ');
      const isThere = requests.some((one) => holds(one, order.id));
      demand(isThere, nameOf(side, order), 'its id in the request', got);
    }),
  },
  {
    id: 'identity.twice',
    name: 'the same order twice is one payment',
    protects_from: 'Saleor captured a payment twice when a request was repeated (saleor#14648).',
    advice: 'Send the same key for the same order; no random ones, no time, no counter.',
    run: each(async (side, stand) => {
      requireKeys(side);
      const order = stand.order(side);
      const first = await side.ask(order);
      await stand.settle(side, order);
      const second = await side.ask(order);
      const ids = [first, second].map((told) => told.provider_payment_id);
      demand(new Set(ids).size === 1, `twice ${nameOf(side, order)}`, 'one payment', ids);
    }),
  },
  {
    id: 'identity.other_amount',
    name: 'another amount with the id of an earlier order is an error',
    protects_from: 'A state in answer to it would be booked with an amount that nobody paid.',
    advice: 'Where the provider answers with the first order, compare its amount, and throw.',
    run: each(async (side, stand) => {
      requireKeys(side);
      const order = stand.order(side);
      await side.ask(order);
      const other = { ...order, amount: order.amount + 10_000n };
      const result = await tryTo(() => side.ask(other));
      demand(
        result.status === 'error',
        `${order.amount}, then ${nameOf(side, other)}`,
        'an error',
        result,
      );
    }),
  },
  {
    id: 'identity.length',
    name: 'ids that differ in the last of 36 characters are two payments',
    protects_from: 'Providers that keep 35 characters take the second order for the first.',
    advice: 'Where an id is too long for the provider, leave out the dashes, and cut nothing off.',
    run: each(async (side, stand) => {
      const { id } = stand.order(side);
      const orders = ['1', '2'].map((end) => stand.order(side, { id: id.slice(0, -1) + end }));
      const told = [];
      for (const order of orders) {
        await side.ask(order);
        told.push((await stand.settle(side, order)).provider_payment_id);
      }
      demand(
        told[0] !== told[1],
        orders.map((order) => order.id).join(' and '),
        'two payments',
        told,
      );
    }),
  },
  {
    id: 'identity.environments',
    name: 'live and sandbox have nothing in common: a callback of one is refused by the other',
    protects_from: 'Whoever may read the sandbox’s secret would announce payments in live.',
    advice:
      'Give each environment its own settings, and refuse what its own secrets have not signed.',
    run: each(async (side, stand) => {
      if (!side.other) throw new Skip('the adapter has one environment');
      const { bench, proxy } = stand;
      const textBy = async (by: Pick<Side, 'ask'>): Promise<string> => {
        const before = proxy.exchanges.length;
        await tryTo(() => by.ask(stand.order(side)));
        return JSON.stringify(proxy.exchanges.slice(before));
      };
      const [one, other] = [await textBy(side), await textBy(side.other)];
      const shared = bench.secrets.filter(
        (secret) => one.includes(secret) && other.includes(secret),
      );
      demand(shared.length === 0, 'an order by each', 'no secret in both', shared.length);
      if (!takes(stand, side)) return;
      const { secrets } = bench.callbacks!;
      const foreign = [
        ['other', secrets.current],
        ['checked', secrets.other],
      ] as const;
      for (const [by, secret] of foreign) {
        if (secret === null) continue;
        const { raw, headers } = made(stand, side, { secret });
        const reading = side.read(raw, headers, by);
        const sent = `a callback of ${by === 'other' ? 'this environment to the other' : 'the other environment'}`;
        demand(reading === 'signature', sent, 'the fault `signature`', reading);
      }
    }),
  },
  {
    id: 'identity.provider',
    name: 'the provider’s id of a payment never changes',
    protects_from: 'Money is booked once for each id of the provider: a second id books it twice.',
    advice:
      'Take the id that the provider has from the first answer on; not that of a transaction that is made later.',
    run: each(async (side, stand) => {
      const order = stand.order(side);
      const asked = (await side.ask(order)).provider_payment_id;
      const settled = (await stand.settle(side, order)).provider_payment_id;
      const found = await side.find(order.id);
      const later = found === 'never_seen' ? found : found.provider_payment_id;
      const isSame = settled !== undefined && settled === later && (asked ?? settled) === settled;
      demand(isSame, nameOf(side, order), 'one id', [asked, settled, later]);
    }),
  },
  {
    id: 'identity.given_once',
    name: 'the provider gives none of its ids out again',
    protects_from:
      'Money is booked once for each id of the provider: a payment with the id of another one is not booked.',
    advice:
      'Where the provider counts anew each day or by branch, put what tells them apart into the id.',
    run: each(async (side, stand) => {
      const orders = Array.from({ length: AT_ONCE }, () => stand.order(side));
      const paid = orders.map(async (order) => {
        await side.ask(order);
        return (await stand.settle(side, order)).provider_payment_id;
      });
      demandDistinct(`${AT_ONCE} ${side.kind}s at once`, await Promise.all(paid));
      if (side.kind !== 'charge' || stand.bench.refunds === false) return;
      const refunds = [];
      while (refunds.length < REFUNDS) {
        const refund = await refundOfPaid(stand, side);
        refunds.push((await stand.call(() => stand.gateway!.refund(refund))).refund_id);
      }
      demandDistinct(`refunds of ${REFUNDS} payments`, refunds);
    }),
  },
];

function demandDistinct(sent: string, ids: readonly (string | undefined)[]): void {
  const again = ids.filter((id, index) => ids.indexOf(id) !== index);
  demand(again.length === 0, sent, 'an id of its own for each', { given_again: again });
}

export function requireKeys({ kind, promises }: Side): void {
  if (!promises.idempotent_by_id) throw new Skip(`${kind}s are not idempotent, by its promises`);
}
