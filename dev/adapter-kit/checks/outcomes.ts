// An adapter's answer when it does not know. A caller that believes `not_done` orders again.

import { GatewayError } from '../../../domain/gateway-error';
import type { RefundState } from '../../../domain/payment';
import type { RefundRequest } from '../../../gateway/port';
import { made, takes } from './callbacks';
import {
  demand,
  each,
  isAccepted,
  nameOf,
  orderUnder,
  shown,
  Skip,
  tryTo,
  type Check,
} from '../check';
import type { Exchange, Fault } from '../proxy';
import { holds, outcomeOf, type Order, type Side, type Stand } from '../stand';
import { waitFor } from '../wait';
import { requireKeys } from './identity';
import { refundOfPaid, settleRefund } from './money';

const CALLBACK_WITHIN_MS = 2_000;

export const OUTCOMES: readonly Check[] = [
  afterFault({
    id: 'outcome.lost_before',
    fault: 'lost_before',
    name: 'an order that got no answer is unknown, even if the provider has not seen it yet',
    protects_from:
      'A request under way arrives after the look that did not find it: it is paid twice.',
    advice: 'A deadline that has passed is `unknown`, whatever a look right after it finds.',
  }),
  afterFault({
    id: 'outcome.lost_after',
    fault: 'lost_after',
    name: 'an order whose answer was lost is unknown',
    protects_from:
      'Medusa took a lost answer for a failure, and the customer paid again (medusa#13301).',
    advice: 'A deadline that has passed is `unknown`.',
  }),
  afterFault({
    id: 'outcome.reset',
    fault: 'reset',
    name: 'a connection that breaks after the order was sent leaves it unknown',
    protects_from: 'The provider may have done its work before the connection broke.',
    advice: 'Only a connection that was never made is `not_done`.',
  }),
  afterFault({
    id: 'outcome.500',
    fault: '500',
    name: 'a 500 leaves an order unknown',
    protects_from: 'A provider that fails while it answers has often done the work.',
    advice: 'Every 5xx is `unknown`.',
  }),
  afterFault({
    id: 'outcome.502',
    fault: '502',
    name: 'a 502 with a page of HTML leaves an order unknown',
    protects_from: 'A proxy in between answers for a provider that went on with its work.',
    advice:
      'Every 5xx is `unknown`, and a body that is no JSON is an error of the port, not a SyntaxError.',
  }),
  afterFault({
    id: 'outcome.unreadable',
    fault: 'unreadable',
    name: 'a 200 that cannot be read leaves an order unknown',
    protects_from: 'An answer that broke off says that the provider has begun.',
    advice: 'Turn every error of reading into one with the outcome `unknown`.',
  }),
  {
    id: 'outcome.not_connected',
    name: 'an order for which no connection was made is not done',
    protects_from:
      'What is unknown is asked about for hours: while a provider is down, each order would hold its money so long.',
    advice: 'An error before the socket is connected is `not_done`.',
    run: each(async (side, stand) => {
      const order = stand.order(side);
      const result = await tryTo(() => side.away.ask(order));
      const outcome = result.status === 'error' ? outcomeOf(result.error) : undefined;
      const sent = `${nameOf(side, order)}, where nothing listens`;
      demand(outcome === 'not_done', sent, 'an error with the outcome not_done', result);
    }),
  },
  afterFault({
    id: 'outcome.401',
    fault: '401',
    name: 'a 401 is an error, and no failed payment',
    protects_from: 'A token that has run out is no reason that a customer or a merchant can mend.',
    advice: 'Throw: it is about our access, and the same order is good tomorrow.',
    allowed: ['not_done', 'unknown'],
  }),
  afterFault({
    id: 'outcome.429',
    fault: '429',
    name: 'a 429 is an error, and no failed payment',
    protects_from:
      'A payment that failed is told to the customer; one that was asked for too early is asked for again.',
    advice: 'Throw, with `not_done` if the provider says that it does nothing then.',
    allowed: ['not_done', 'unknown'],
  }),
  {
    id: 'outcome.never_seen',
    name: '`never_seen` is said of what was never sent, and of nothing else',
    protects_from: 'An order that is at the provider, and is taken for never seen, is sent again.',
    advice:
      'Read the provider’s own code for an id that it does not know; any other 404 is of a wrong address.',
    run: each(async (side, stand) => {
      const { id } = stand.order(side);
      const unsent = await side.find(id);
      demand(
        unsent === 'never_seen',
        `a look for ${id}, which was never sent`,
        'never_seen',
        unsent,
      );
      const order = stand.order(side);
      await side.ask(order);
      for (const fault of ['404', '500', '502', 'unreadable'] as const) {
        const found = await stand.proxy.during({ fault }, () =>
          side.find(order.id).catch((error: unknown) => error),
        );
        const sent = `a look for ${order.id}, answered with ${NAMES[fault]}`;
        demand(outcomeOf(found) !== undefined, sent, 'an error of the port', found);
      }
    }),
  },
  {
    id: 'outcome.acknowledged',
    name: 'what was acknowledged with an id of the provider is not `never_seen` any more',
    protects_from:
      'A look that is behind the order takes it for never seen: what is sent again is paid twice.',
    advice:
      'Throw while a look does not find what an order has found; ask the provider’s own books.',
    run: each(async (side, stand) => {
      const order = stand.order(side);
      const { provider_payment_id } = await side.ask(order);
      if (provider_payment_id === undefined) throw new Skip('the first answer has no id');
      const seen = [await side.find(order.id)];
      await stand.settle(side, order);
      seen.push(await side.find(order.id));
      const sent = `a look for ${order.id}, which the provider has as ${provider_payment_id}`;
      demand(!seen.includes('never_seen'), sent, 'its state', seen);
    }),
  },
  {
    id: 'outcome.repeat',
    name: 'the repeat of an order that the provider has is not refused',
    protects_from:
      'The first order holds the rest of the float: a refusal that is about it gives the money back, and it is paid.',
    advice:
      'Answer a repeat with the state of the first order; what refuses the repeat alone is an error, `unknown`.',
    run: each(async (side, stand) => {
      requireKeys(side);
      const repeat = async (order: Order, when: string): Promise<void> => {
        const told = await tryTo(() => side.ask(order));
        const isRight =
          isAccepted(told) || (told.status === 'error' && outcomeOf(told.error) === 'unknown');
        const wanted = 'its state, or an error with the outcome unknown';
        demand(isRight, `${nameOf(side, order)}, again ${when}`, wanted, told);
      };
      const [order, lost] = [stand.order(side), stand.order(side)];
      await side.ask(order);
      await repeat(order, 'after it was accepted');
      await stand.settle(side, order);
      await repeat(order, 'after it was paid');
      await orderUnder(stand, side, lost, { fault: 'reset' });
      await repeat(lost, 'after its answer was lost');
    }),
  },
  {
    id: 'outcome.truth',
    name: 'a look after an unknown outcome says what became of the order',
    protects_from:
      'What nobody can find out holds the customer’s money until a person asks the provider.',
    advice: 'Ask the provider by our id; keep nothing in memory about earlier calls.',
    run: each(async (side, stand) => {
      const order = stand.order(side);
      await orderUnder(stand, side, order, { fault: 'reset' });
      const settled = await tryTo(() => stand.settle(side, order));
      const sent = `${nameOf(side, order)} that was done before the connection broke`;
      demand(settled.status === 'paid', sent, '`paid` in the end', settled);
    }),
  },
  {
    id: 'outcome.refusal',
    name: 'a refusal is the state `failed` with a reason of ours',
    protects_from: 'An error would be asked again for days, and the customer would see no reason.',
    advice: 'Return `failed`, and give each of the provider’s codes one of ours.',
    run: each(async (side, stand) => {
      const { phone_that_is_refused: refused, phone_that_fails: fails } = side.examples;
      if (refused === undefined && fails === undefined)
        throw new Skip('the bench has no such phones');
      for (const phone of [refused, fails].filter((one) => one !== undefined)) {
        const order = stand.order(side, { phone });
        const asked = await tryTo(() => side.ask(order));
        const told = asked.status === 'under_way' ? await stand.settle(side, order) : asked;
        const isRight = told.status === 'failed' && told.failure !== undefined;
        demand(isRight, nameOf(side, order), '`failed` with a code', told);
        const isKnown =
          phone !== refused || (told as { failure?: string }).failure !== 'unspecified';
        demand(isKnown, nameOf(side, order), 'a code that says why', told);
      }
    }),
  },
  {
    id: 'outcome.callback',
    name: 'a look agrees with what a callback has announced',
    protects_from:
      'A wait of two seconds “mended” this race in Medusa (#5838): the look was behind the callback.',
    advice: 'Ask the provider each time: no cache of states.',
    run: each(async (side, stand) => {
      const order = stand.order(side);
      await side.ask(order);
      await stand.settle(side, order);
      const isOfOrder = ({ raw }: { readonly raw: Buffer }): boolean => raw.includes(order.id);
      const sent = await waitFor(() => stand.callbacks.find(isOfOrder), CALLBACK_WITHIN_MS);
      if (!sent && !takes(stand, side))
        throw new Skip('no callback came, and the bench makes none');
      const { raw, headers } = sent ?? made(stand, side, { id: order.id });
      const reading = side.read(raw, headers);
      demand(reading === order.id, `the callback ${shown(raw.toString())}`, order.id, reading);
      const found = await side.find(order.id);
      const isSettled = found !== 'never_seen' && found.status === 'paid';
      demand(isSettled, `a look for ${order.id} after its callback`, '`paid`', found);
    }),
  },
  {
    id: 'outcome.refunds',
    name: 'a refund whose answer was lost is unknown, its repeat is not refused by a 429 or 401, and is the same refund',
    protects_from:
      'A refused refund returns the money to the merchant: the customer may have got it by the first request.',
    advice:
      'A 401 and a 403 have `is_about_access`, a 429 is `unreachable`; our key is the provider’s key of the refund.',
    run: each(
      async (side, stand) => {
        for (const fault of ['lost_after', 'reset', '500', '502', 'unreadable'] as const) {
          await loseRefund(stand, side, fault);
        }
      },
      ['charge'],
    ),
  },
];

const NAMES: Readonly<Record<Fault, string>> = {
  lost_before: 'nothing, and never forwarded',
  lost_after: 'nothing, though forwarded',
  reset: 'a connection that was reset after it was forwarded',
  drip: 'one byte after the other, without an end',
  401: '401, without being forwarded',
  429: '429, without being forwarded',
  404: 'a 404 page of HTML',
  500: '500, though it was forwarded',
  502: '502 and a page of HTML, though it was forwarded',
  unreadable: '200 and half a JSON object',
};

function afterFault({
  fault,
  allowed = ['unknown'],
  ...words
}: Omit<Check, 'run'> & { readonly fault: Fault; readonly allowed?: readonly string[] }): Check {
  return {
    ...words,
    run: each(async (side, stand) => {
      const order = stand.order(side);
      const by = fault.startsWith('lost') ? side.hurried : side;
      const { result } = await orderUnder(stand, side, order, { fault }, by);
      const outcome = result.status === 'error' ? outcomeOf(result.error) : undefined;
      const isRight = outcome !== undefined && allowed.includes(outcome);
      const wanted = `an error with the outcome ${allowed.join(' or ')}`;
      demand(isRight, `${nameOf(side, order)}, answered with ${NAMES[fault]}`, wanted, result);
    }),
  };
}

/** Has a refund made whose answer is lost, and asks for it again: in vain, and then with success. */
async function loseRefund(stand: Stand, side: Side, fault: Fault): Promise<void> {
  const request = await refundOfPaid(stand, side);
  const repeat = { ...request, may_exist: true };
  const refund = (one: RefundRequest, by = stand.gateway): Promise<RefundState | Error> =>
    stand.call(() => by!.refund(one)).catch((error: Error) => error);
  const isRefund = (exchange: Exchange): boolean =>
    exchange.method !== 'GET' && holds(exchange, request.provider_payment_id);

  const before = stand.proxy.exchanges.length;
  const by = fault.startsWith('lost') ? stand.hurried : stand.gateway;
  const lost = await stand.proxy.during({ fault, on: isRefund }, () => refund(request, by));
  if (!stand.proxy.exchanges.slice(before).some(isRefund)) {
    throw new Skip('no request for a refund has its `provider_payment_id`');
  }
  const sent = `a refund of ${request.provider_payment_id}, answered with ${NAMES[fault]}`;
  const isUnknown = outcomeOf(lost) === 'unknown' && (lost as GatewayError).fault !== 'refused';
  demand(isUnknown, sent, 'an error with the outcome unknown, and not `refused`', lost);

  for (const answer of ['429', '401'] as const) {
    const met = await stand.proxy.during({ fault: answer }, () => refund(repeat));
    const isRight = met instanceof GatewayError && !isRefusal(met);
    const wanted = 'an error with `is_about_access`, or one that is not `refused`';
    demand(isRight, `${sent}, then again, answered with ${NAMES[answer]}`, wanted, met);
  }
  const again = await refund(repeat);
  const status = again instanceof Error ? again : await settleRefund(stand, again);
  demand(status === 'succeeded', `${sent}, then again`, 'the one refund, made', status);
}

/** Whether the service takes it for a refusal of the refund: that ends a first order, and leaves a repeat to people. */
function isRefusal({ fault, outcome, is_about_access }: GatewayError): boolean {
  return fault === 'refused' && outcome === 'not_done' && !is_about_access;
}
