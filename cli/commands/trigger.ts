// `trigger`: makes an event in the sandbox the way a merchant and a customer do, over the API and the simulator's
// checkout, with a merchant's test key.

import { Argument } from '@commander-js/extra-typings';
import type { Currency } from '../../domain/currency';
import { EVENT_TYPES, type EventType } from '../../domain/event';
import { Decimal, renderJson } from '../../domain/json';
import { formatAmount } from '../../domain/money';
import { command, runAlone } from '../command';
import { otherCurrency, readAmount } from '../options';
import { secretFromStdin, secretInPlain } from '../secret-input';
import { pressButton } from '../checkout';
import { CommandError } from '../error';
import {
  accepted,
  apiOption,
  merchantApi,
  openMerchantApi,
  requireTestKey,
  type ApiAnswer,
  type MerchantApi,
} from '../merchant-api';
import { waitUntil } from '../wait';

const DEFAULT_AMOUNTS: Readonly<Record<Currency, string>> = {
  XOF: '5000',
  EUR: '49.90',
  USD: '49.90',
};
/** The API accepts no shorter one. */
const EXPIRES_IN_SECONDS = 3;
/** The workflow has enough time on a busy machine, including the wait for an expiry. */
const EVENT_WITHIN_MS = 30_000;
/** A receiver that responds needs less; slower deliveries are retried later. */
const DELIVERY_WITHIN_MS = 20_000;
/** Two requests a turn: 30 of the 60 that a key with the usual limits has in a minute. */
const POLL_MS = 2_000;

/**
 * A payout comes back after a day at the simulator: order one to a phone that ends in 010, and wait. What is held or
 * refused takes a rule of an operator.
 */
const UNTRIGGERED = [
  'payout.returned',
  'payment.held',
  'transfer.held',
  'transfer.refused',
  'payout.held',
] as const satisfies readonly EventType[];
type Triggered = Exclude<EventType, (typeof UNTRIGGERED)[number]>;
const TRIGGERED = EVENT_TYPES.filter(
  (type): type is Triggered => !(UNTRIGGERED as readonly EventType[]).includes(type),
);

export const trigger = command(
  'trigger',
  'Make a payment, a refund, a payout or a transfer in the sandbox, and show its event',
)
  .addArgument(new Argument('<event>', 'what is to happen').choices(TRIGGERED).argParser(readType))
  .option('--amount <amount>', 'such as 25.00')
  .addOption(otherCurrency)
  .option('--to <username>', 'who gets the transfer of transfer.sent')
  .addOption(apiOption)
  .addOption(secretFromStdin('key', 'the test key'))
  .addOption(secretInPlain('key'))
  .action(
    runAlone(async (printer, type, options) => {
      const { amount, currency = 'XOF' } = options;
      const amount_minor = readAmount(amount ?? DEFAULT_AMOUNTS[currency], currency);
      const api = await openMerchantApi(printer, options);
      requireTestKey(api);
      const wish = { type, amount: new Decimal(formatAmount(amount_minor)), currency };
      const id = await make(api, { ...wish, to: options.to });
      const event = await waitForEvent(api, type, id);
      const deliveries = await waitForDeliveries(api, event.id);
      return {
        json: { event, deliveries },
        text: [
          `${event.type} #${event.sequence}: event ${event.id} of ${event.data.reference}`,
          ...(deliveries.length === 0
            ? ['No endpoint has subscribed to it.']
            : deliveries.map(deliveryText)),
        ].join('\n'),
      };
    }),
  );

/** The events of transfers are written for the endpoints that name them, and for none else. */
async function requireEndpoint(api: MerchantApi, type: Triggered): Promise<void> {
  if (!type.startsWith('transfer.')) return;
  const { webhook_endpoints } = accepted(await api.call('GET', '/webhook-endpoints'));
  const names = ({ types, status }: ApiEvent): boolean =>
    status === 'enabled' && types.includes(type);
  if (webhook_endpoints.some(names)) return;
  throw new CommandError(
    'no_endpoint',
    `No endpoint of yours names ${type}: make one, or add it to one`,
  );
}

function readType(word: string): Triggered {
  const type = TRIGGERED.find((one) => one === word);
  if (type !== undefined) return type;
  throw new CommandError('usage', `Choose one of: trigger ${TRIGGERED.join('|')}`);
}

interface Wish {
  readonly type: Triggered;
  readonly amount: Decimal;
  readonly currency: Currency;
  readonly to: string | undefined;
}

/** Returns the id of what the event will be about. */
function make(api: MerchantApi, wish: Wish): Promise<string> {
  switch (wish.type) {
    case 'payment.succeeded':
      return pay(api, wish, { action: 'pay' });
    case 'payment.failed':
      return pay(api, wish, { action: 'decline' });
    case 'payment.expired':
      return pay(api, wish, undefined);
    case 'refund.succeeded':
      return refund(api, wish, { action: 'pay' });
    case 'refund.failed':
      return refund(api, wish, { action: 'pay', refunds: 'fail', delay_ms: '0' });
    case 'dispute.opened':
    case 'dispute.won':
    case 'dispute.lost':
      return disputed(api, wish);
    case 'payout.requires_action':
      return payOut(api, wish, { confirm: false });
    case 'payout.sent':
    case 'payout.succeeded':
      return payOut(api, wish, {});
    case 'payout.failed':
      return payOut(api, wish, { phone: '+221770000001' });
    case 'transfer.sent':
      return requireEndpoint(api, wish.type).then(() =>
        send(api, wish, wish.to ?? api.demo?.users?.[1]?.username),
      );
    case 'transfer.received':
      return receive(api, wish);
  }
}

/** The customer pays, and then plays the bank that takes it back. */
async function disputed(api: MerchantApi, wish: Wish): Promise<string> {
  const id = await pay(api, wish, { action: 'pay' });
  await waitForEvent(api, 'payment.succeeded', id);
  const { checkout_url } = accepted(await api.call('GET', `/payment-intents/${id}`));
  const courses = wish.type === 'dispute.opened' ? ['open'] : ['open', wish.type.slice(8)];
  for (const course of courses) await pressButton(`${checkout_url}/dispute`, { course });
  const find = async (): Promise<string | undefined> =>
    accepted(await api.call('GET', `/disputes?payment_intent_id=${id}`)).disputes[0]?.id;
  const dispute = await waitUntil(EVENT_WITHIN_MS, find, POLL_MS);
  if (dispute !== undefined) return dispute;
  throw new CommandError('no_event', `${id} was not disputed within ${EVENT_WITHIN_MS / 1_000} s`);
}

/** Does what the customer does at the simulator's checkout; without a form the link expires. */
async function pay(
  api: MerchantApi,
  { type, amount, currency }: Wish,
  form: Readonly<Record<string, string>> | undefined,
): Promise<string> {
  const description = `Created by: trigger ${type}`;
  const expires_in = form === undefined ? EXPIRES_IN_SECONDS : undefined;
  const body = renderJson({ amount, currency, description, expires_in });
  const intent = accepted(await api.call('POST', '/payment-intents', body));
  if (form === undefined) return intent.id;
  await pressButton(intent.checkout_url, form);
  return intent.id;
}

async function refund(
  api: MerchantApi,
  wish: Wish,
  form: Readonly<Record<string, string>>,
): Promise<string> {
  const id = await pay(api, wish, form);
  await waitForEvent(api, 'payment.succeeded', id);
  const body = renderJson({ reason: `Created by: trigger ${wish.type}` });
  return accepted(await api.call('POST', `/payment-intents/${id}/refunds`, body)).id;
}

/** The phone decides the payout's outcome, in the sandbox. */
async function payOut(
  api: MerchantApi,
  { type, amount, currency }: Wish,
  { phone = '+221770000100', confirm = true }: { phone?: string; confirm?: boolean },
): Promise<string> {
  const description = `Created by: trigger ${type}`;
  const destination = { type: 'mobile_money', phone };
  const body = renderJson({ amount, currency, destination, confirm, description });
  return accepted(await api.call('POST', '/payouts', body)).id;
}

async function send(
  api: MerchantApi,
  { type, amount, currency }: Wish,
  to_username: string | undefined,
): Promise<string> {
  if (to_username === undefined) throw new CommandError('usage', '--to is required');
  const description = `Created by: trigger ${type}`;
  const body = renderJson({ to_username, amount, currency, description });
  return accepted(await api.call('POST', '/transfers', body)).reference;
}

/** Another account has to send it: of `npm start` the customer does. */
async function receive(api: MerchantApi, wish: Wish): Promise<string> {
  const { demo } = api;
  const other = demo?.users?.[1];
  if (other === undefined || demo?.base_url === undefined) {
    throw new CommandError(
      'usage',
      'Another account has to send it: trigger transfer.sent --to YOU, with a test key of theirs',
    );
  }
  await requireEndpoint(api, wish.type);
  const { username } = accepted(await api.call('GET', '/me')).profile;
  return send(merchantApi(demo.base_url, other.test_key), wish, username);
}

type ApiEvent = ApiAnswer['json'];

async function waitForEvent(api: MerchantApi, type: EventType, id: string): Promise<ApiEvent> {
  const find = async (): Promise<ApiEvent> => {
    const last = accepted(await api.call('GET', '/events?after=latest')).events[0]?.sequence ?? 0;
    const after = Math.max(0, last - LOOKED_THROUGH);
    const { events } = accepted(
      await api.call('GET', `/events?limit=100&type=${type}&after=${after}`),
    );
    return events.find(({ data }: ApiEvent) => data.id === id || data.reference === id);
  };
  const event = await waitUntil(EVENT_WITHIN_MS, find, POLL_MS);
  if (event) return event;
  throw new CommandError('no_event', `${id} did not finish within ${EVENT_WITHIN_MS / 1_000} s`);
}

/** The account's newest events that are looked at: others happen meanwhile. */
const LOOKED_THROUGH = 100;

/** Waits until each was attempted, within a limit, and returns them as they are then. */
async function waitForDeliveries(api: MerchantApi, event_id: string): Promise<ApiEvent[]> {
  const read = async (): Promise<ApiEvent[]> =>
    accepted(await api.call('GET', `/events/${event_id}`)).deliveries;
  const isDone = ({ status, attempts }: ApiEvent): boolean => status !== 'pending' || attempts > 0;
  const done = await waitUntil(
    DELIVERY_WITHIN_MS,
    async () => {
      const deliveries = await read();
      return deliveries.every(isDone) ? deliveries : undefined;
    },
    POLL_MS,
  );
  return done ?? read();
}

function deliveryText({ id, endpoint_id, status, last_attempts }: ApiEvent): string {
  const [last] = last_attempts;
  const answer = last ? `, ${last.status ?? last.outcome} in ${last.duration_ms} ms` : '';
  return `Delivery ${id} to endpoint ${endpoint_id}: ${status}${answer}`;
}
