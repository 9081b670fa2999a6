// Amounts on the way out, and on the way back.

import { setTimeout as delay } from 'node:timers/promises';
import { EXPONENTS } from '../../../domain/currency';
import type { Minor } from '../../../domain/money';
import type { RefundState } from '../../../domain/payment';
import type { RefundRequest } from '../../../gateway/port';
import { demand, each, isAccepted, nameOf, orderUnder, Skip, tryTo, type Check } from '../check';
import type { Exchange } from '../proxy';
import { outcomeOf, type Order, type Side, type Stand } from '../stand';

export const MONEY: readonly Check[] = [
  {
    id: 'money.decimals',
    name: 'an amount stands on the wire as the provider writes it',
    protects_from: 'A client for PI-SPI multiplied francs, which have no decimals, by 100.',
    advice:
      'Write minor units at two decimals as the provider wants them: 500000n XOF is 5000 francs.',
    run: each(async (side, stand) => stands(stand, side, stand.order(side))),
  },
  {
    id: 'money.exact',
    name: 'large amounts and cents are neither rounded on the way out nor on the way back',
    protects_from:
      'Amounts that pass through a float lose a cent: 0.29 * 100 is 28.999999999999996.',
    advice:
      'Make text of the bigint, and read amounts from text; never use Number, parseFloat or toFixed.',
    run: each(async (side, stand) => {
      if (side.examples.exact.length === 0) throw new Skip('the bench has no `exact` examples');
      for (const example of side.examples.exact) {
        const order = stand.order(side, example);
        await stands(stand, side, order);
        const { status, paid } = await stand.settle(side, order);
        const is_exact = status === 'paid' && paid === order.amount;
        demand(is_exact, nameOf(side, order), `${order.amount} to be paid`, { status, paid });
      }
    }),
  },
  {
    id: 'money.bounds',
    name: 'an amount that the currency or the operator does not have is not ordered',
    protects_from: 'A part of a franc that was cut off on the wire is owed to somebody for ever.',
    advice:
      'Refuse what cannot be written before the call, with the outcome not_done; what is out of bounds is `failed` with amount_out_of_bounds.',
    run: each(async (side, stand) => {
      const part = stand.order(side, { amount: side.examples.pays.amount + 50n });
      if (EXPONENTS[part.currency] === 0) {
        const { result, requests } = await orderUnder(stand, side, part, {});
        const is_refused = result.status === 'error' && outcomeOf(result.error) === 'not_done';
        const isRight = requests === 0 && (is_refused || result.status === 'failed');
        const wanted = 'no request, and an error with the outcome not_done';
        demand(isRight, nameOf(side, part), wanted, { requests, result });
      }
      const { minimum, maximum } = await side.bounds();
      const unit = 10n ** BigInt(2 - EXPONENTS[part.currency]);
      for (const amount of [minimum - unit, maximum + 100n].filter((one) => one > 0n)) {
        const order = stand.order(side, { amount });
        const result = await tryTo(() => side.ask(order));
        const isRight =
          result.status === 'error'
            ? outcomeOf(result.error) === 'not_done'
            : result.status === 'failed' && result.failure === 'amount_out_of_bounds';
        const wanted = '`failed` with amount_out_of_bounds, or an error with the outcome not_done';
        demand(isRight, nameOf(side, order), wanted, result);
      }
    }),
  },
  {
    id: 'money.currency',
    name: 'an amount is never converted',
    protects_from: 'An order of 12 euros that goes out as 12 francs is accepted, and is wrong.',
    advice: 'Send the currency of the order, and refuse what the operator does not have.',
    run: each(async (side, stand) => {
      const other = stand.order(side, { currency: side.examples.other_currency, amount: 500_000n });
      const result = await tryTo(() => side.ask(other));
      demand(!isAccepted(result), nameOf(side, other), 'a refusal', result);
      const order = stand.order(side);
      await side.ask(order);
      const { currency } = await stand.settle(side, order);
      const isSame = currency === undefined || currency === order.currency;
      demand(isSame, nameOf(side, order), order.currency, currency);
    }),
  },
  {
    id: 'money.paid',
    name: 'what was paid is read from the answer, and is not what was ordered',
    protects_from:
      'An operator that takes part of an amount pays for the whole if the order is believed.',
    advice: 'Read the amount of the answer of `find`; never copy that of the order.',
    run: each(async (side, stand) => {
      const order = stand.order(side);
      await side.ask(order);
      await stand.settle(side, order);
      const digits = /\d+(?:\.\d+)?/.exec(order.on_wire)?.[0] ?? '';
      const other = digits.replace(/^\d/, (first) => String((Number(first) % 9) + 1));
      let changed = 0;
      const change = (answer: string): string =>
        answer.replace(new RegExp(`(?<![\\d.])${digits}(?!\\d|\\.\\d*[1-9])`, 'g'), () => {
          changed += 1;
          return other;
        });
      const result = await stand.proxy.during({ change }, () =>
        tryTo(async () => stand.settle(side, order)),
      );
      if (changed === 0) throw new Skip('the answer says no amount');
      const whole = (text: string): bigint => BigInt(text.replace('.', ''));
      const paid = (order.amount * whole(other)) / whole(digits);
      const isRight = result.status === 'error' || result.paid === paid;
      demand(
        isRight,
        `an answer that says ${other} where ${digits} was ordered`,
        `${paid}`,
        result,
      );
    }),
  },
  {
    id: 'money.refunds',
    name: 'a payment is given back in parts, and never more than it was',
    protects_from: 'A second part that goes out as the whole payment gives the money back twice.',
    advice: 'Send the amount of each refund, and its key as the id of the provider.',
    run: each(
      async (side, stand) => {
        const whole = await refundOfPaid(stand, side);
        const part = (whole.amount / 400n) * 100n;
        const refund = async (amount: bigint, key: string): Promise<RefundState['status']> => {
          const request = { ...whole, amount: amount as Minor, idempotency_key: `refund/${key}` };
          return settleRefund(stand, await stand.call(() => stand.gateway!.refund(request)));
        };
        const [first, second, third] = Array.from({ length: 3 }, () => stand.order(side).id);
        const sent = `refunds of ${part} and ${whole.amount - part} of a payment of ${whole.amount}`;
        const made = [await refund(part, first!), await refund(whole.amount - part, second!)];
        demand(
          made.every((one) => one === 'succeeded'),
          sent,
          'both made',
          made,
        );
        const repeated = await refund(part, first!);
        demand(
          repeated === 'succeeded',
          'the first refund with its key again',
          'the same',
          repeated,
        );
        const more = await refund(part, third!).catch((error: unknown) => error);
        const isRefused = more === 'failed' || outcomeOf(more) === 'not_done';
        demand(isRefused, `${sent}, then ${part} once more`, 'a refusal', more);
      },
      ['charge'],
    ),
  },
];

/** Orders it, and looks how the amount stands in the request. */
async function stands(stand: Stand, side: Side, order: Order): Promise<void> {
  const { requests } = await stand.duringOrders(side, {}, () => side.ask(order));
  const isThere = requests.some((request) => textOf(request).includes(order.on_wire));
  const got = requests.length === 0 ? 'no request' : requests.map(textOf).join(' ');
  demand(isThere, nameOf(side, order), order.on_wire, got);
}

function textOf({ path, body }: Exchange): string {
  return `${decodeURIComponent(path)} ${body}`;
}

/** Has an order paid. Returns the request for a refund of the whole. */
export async function refundOfPaid(stand: Stand, side: Side): Promise<RefundRequest> {
  if (stand.bench.refunds === false) throw new Skip('the provider makes no refunds');
  const order = stand.order(side);
  await side.ask(order);
  const { provider_payment_id } = await stand.settle(side, order);
  return {
    provider_payment_id: provider_payment_id!,
    amount: order.amount as Minor,
    currency: order.currency,
    idempotency_key: `refund/${order.id}`,
    reference: 'RFD-0123456789ABCDEF',
  };
}

const REFUND_WITHIN_MS = 5_000;

export async function settleRefund(
  stand: Stand,
  state: RefundState,
): Promise<RefundState['status']> {
  const limit = Date.now() + REFUND_WITHIN_MS;
  let current = state;
  while (current.status === 'pending' && Date.now() < limit) {
    await delay(25);
    current = await stand.call(() => stand.gateway!.findRefund(state.refund_id));
  }
  return current.status;
}
