// `trigger`: makes an event in the sandbox the way a merchant and a customer do. It creates a payment
// intent through the API, then sends the gateway's notification or lets the intent expire.

import type { Db } from '../db/connect';
import { findEventOfIntent, type OperatorEvent } from '../db/operator-webhooks';
import type { Currency } from '../domain/currency';
import { PAYMENT_EVENT_TYPES, type PaymentEventType } from '../domain/event';
import { Decimal, renderJson } from '../domain/json';
import { formatAmount } from '../domain/money';
import { postToApi, readKey } from './api-call';
import type { Command, CommandContext } from './command';
import { CommandError } from './error';
import { deliveryStates, presentEvent } from './events';
import { sendNotification } from './gateway';
import { requireIntent } from './lookups';
import type { Options } from './options';
import { printable } from './terminal';
import { waitUntil } from './wait';
import { deliveryText, presentDelivery, type DeliveryState } from './webhook-text';

const ARGUMENT = PAYMENT_EVENT_TYPES.join('|');
const TEST_KEY = /_test_/;
const DEFAULT_AMOUNTS: Readonly<Record<Currency, string>> = {
  XOF: '5000',
  EUR: '49.90',
  USD: '49.90',
};
/** The shortest that the API accepts. */
const EXPIRES_IN_SECONDS = 3;
/** Enough for the workflow on a busy machine, including the wait for an expiry. */
const EVENT_WITHIN_MS = 30_000;
/** Enough for a receiver that responds; slower deliveries are retried later. */
const DELIVERY_WITHIN_MS = 5_000;

export const trigger: Command = {
  usage: `trigger ${ARGUMENT} [--amount A] [--currency XOF|EUR|USD] [--key-stdin]`,
  summary: 'Make a payment in the sandbox that succeeds, fails or expires, and show its event',
  async run(context) {
    const type = PAYMENT_EVENT_TYPES.find((one) => one === context.options.argument);
    if (!type) throw new CommandError('usage', `Choose one of: trigger ${ARGUMENT}`);
    const id = await createIntent(context, type);
    await settle(context, type, id);
    const event = await waitForEvent(context, id);
    const deliveries = await waitForDeliveries(context.db, event.id);
    return {
      json: { event: presentEvent(event), deliveries: deliveries.map(presentDelivery) },
      text: [
        `${event.type} #${event.sequence}: event ${event.id} of ${event.reference}`,
        ...(deliveries.length === 0
          ? ['No endpoint has subscribed to it.']
          : deliveries.map((delivery) => deliveryText(delivery))),
      ].join('\n\n'),
    };
  },
};

async function createIntent(context: CommandContext, type: PaymentEventType): Promise<string> {
  const { options } = context;
  const body = renderJson({
    ...readMoney(options),
    description: `Created by: trigger ${type}`,
    expires_in: type === 'payment.expired' ? EXPIRES_IN_SECONDS : undefined,
  });
  const key = await readKey(context);
  if (!TEST_KEY.test(key)) throw new CommandError('usage', 'The key must be a test key: …_test_…');
  const intent = await postToApi(context, '/payment-intents', { key, body });
  return intent['id'] as string;
}

function readMoney(options: Options): { readonly amount: Decimal; readonly currency: Currency } {
  const is_given = options.optional('currency') !== undefined;
  const currency = is_given ? options.currency() : 'XOF';
  const amount = options.amount(currency, DEFAULT_AMOUNTS[currency]);
  return { amount: new Decimal(formatAmount(amount)), currency };
}

/** Does what the customer would do: nothing if the intent is to expire. */
async function settle(context: CommandContext, type: PaymentEventType, id: string): Promise<void> {
  if (type === 'payment.expired') return;
  const intent = await requireIntent(context.db, id);
  const failure = {
    final: true,
    failure: { code: 'card_declined', message: 'The card was declined.' },
  };
  const { status, answer } = await sendNotification(
    context,
    intent,
    type,
    type === 'payment.failed' ? failure : {},
  );
  if (status === 200) return;
  throw new CommandError('notification_refused', `${status} ${printable(answer)}`.trimEnd());
}

async function waitForEvent({ db }: CommandContext, intent_id: string): Promise<OperatorEvent> {
  const event = await waitUntil(EVENT_WITHIN_MS, () => findEventOfIntent(db, intent_id));
  if (event) return event;
  throw new CommandError(
    'no_event',
    `Payment intent ${intent_id} did not finish within ${EVENT_WITHIN_MS / 1_000} s: intents show ${intent_id} says why`,
  );
}

/** Waits until each was attempted, within a limit, and returns them as they are then. */
async function waitForDeliveries(db: Db, event_id: string): Promise<DeliveryState[]> {
  await waitUntil(DELIVERY_WITHIN_MS, async () => {
    const deliveries = await deliveryStates(db, event_id);
    return deliveries.some(({ status, attempts }) => status === 'pending' && attempts.length === 0)
      ? undefined
      : deliveries;
  });
  return deliveryStates(db, event_id);
}
