// `trigger`: makes an event in the sandbox the way a merchant and a customer do. It creates a
// payment intent through the API, then pays or declines it at the simulator, or lets it expire.

import { Argument } from '@commander-js/extra-typings';
import type { Db } from '../../db/connect';
import { findEventOfIntent, type OperatorEvent } from '../../db/webhooks/operator-webhooks';
import type { Currency } from '../../domain/currency';
import { PAYMENT_EVENT_TYPES, type PaymentEventType } from '../../domain/event';
import { Decimal, renderJson } from '../../domain/json';
import { formatAmount } from '../../domain/money';
import { postToApi, readKey } from '../api-call';
import { command, run } from '../command';
import { otherCurrency, readAmount } from '../options';
import { secretFromStdin, secretInPlain, type GivenSecret } from '../secret-input';
import type { CommandContext } from '../context';
import { CommandError, fetchFailure } from '../error';
import { deliveryStates, presentEvent } from './events';
import { SIMULATOR } from './gateway';
import { requireIntent } from '../lookups';
import { waitUntil } from '../wait';
import { deliveryText, presentDelivery, type DeliveryState } from '../webhook-text';

const TEST_KEY = /_test_/;
const DEFAULT_AMOUNTS: Readonly<Record<Currency, string>> = {
  XOF: '5000',
  EUR: '49.90',
  USD: '49.90',
};
/** The API accepts no shorter one. */
const EXPIRES_IN_SECONDS = 3;
/** The workflow has enough time on a busy machine, including the wait for an expiry. */
const EVENT_WITHIN_MS = 30_000;
const CHECKOUT_WITHIN_MS = 10_000;
/** A receiver that responds needs less; slower deliveries are retried later. */
const DELIVERY_WITHIN_MS = 5_000;

export const trigger = command(
  'trigger',
  'Make a payment in the sandbox that succeeds, fails or expires, and show its event',
)
  .addArgument(
    new Argument('<event>', 'what is to happen').choices(PAYMENT_EVENT_TYPES).argParser(readType),
  )
  .option('--amount <amount>', 'such as 25.00')
  .addOption(otherCurrency)
  .addOption(secretFromStdin('key', 'the key'))
  .addOption(secretInPlain('key'))
  .action(
    run(async (context, type, options) => {
      const id = await createIntent(context, type, {
        amount: options.amount,
        currency: options.currency,
        from_stdin: options.keyStdin,
        in_plain: options.key,
      });
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
    }),
  );

interface Given extends GivenSecret {
  readonly amount: string | undefined;
  readonly currency: Currency | undefined;
}

async function createIntent(
  context: CommandContext,
  type: PaymentEventType,
  { amount, currency = 'XOF', ...secret }: Given,
): Promise<string> {
  const amount_minor = readAmount(amount ?? DEFAULT_AMOUNTS[currency], currency);
  const body = renderJson({
    amount: new Decimal(formatAmount(amount_minor)),
    currency,
    description: `Created by: trigger ${type}`,
    expires_in: type === 'payment.expired' ? EXPIRES_IN_SECONDS : undefined,
  });
  const key = await readKey(context, secret);
  if (!TEST_KEY.test(key)) throw new CommandError('usage', 'The key must be a test key: …_test_…');
  const intent = await postToApi(context, '/payment-intents', { key, body });
  return intent['id'] as string;
}

function readType(word: string): PaymentEventType {
  const type = PAYMENT_EVENT_TYPES.find((one) => one === word);
  if (type !== undefined) return type;
  throw new CommandError('usage', `Choose one of: trigger ${PAYMENT_EVENT_TYPES.join('|')}`);
}

/**
 * Does what the customer would do at the simulator's checkout, so that the gateway knows the payment
 * too: nothing if the intent is to expire.
 */
async function settle(context: CommandContext, type: PaymentEventType, id: string): Promise<void> {
  if (type === 'payment.expired') return;
  const { gateway, checkout_url } = await requireIntent(context, id);
  if (gateway !== SIMULATOR || checkout_url === null) {
    const message = `The gateway of this intent is ${gateway}, not the simulator: pay at ${checkout_url}`;
    throw new CommandError('not_simulator', message);
  }
  const body = new URLSearchParams({ action: type === 'payment.failed' ? 'decline' : 'pay' });
  const signal = AbortSignal.timeout(CHECKOUT_WITHIN_MS);
  let status: number;
  try {
    ({ status } = await fetch(checkout_url, { method: 'POST', body, redirect: 'manual', signal }));
  } catch (error) {
    throw new CommandError('no_answer', `No response from ${checkout_url}: ${fetchFailure(error)}`);
  }
  // It leads the customer back.
  if (status === 303) return;
  throw new CommandError('payment_refused', `The simulator answered ${status}: ${checkout_url}`);
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
