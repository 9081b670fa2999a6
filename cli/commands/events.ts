// Events and their deliveries to every endpoint.

import type { Db } from '../../db/connect';
import {
  findOperatorEndpoint,
  listOperatorEvents,
  type OperatorEvent,
} from '../../db/webhooks/operator-webhooks';
import { lastSequence } from '../../db/webhooks/events';
import { listAttempts } from '../../db/webhooks/webhook-attempts';
import { deliveriesOfEvent } from '../../db/webhooks/webhook-deliveries';
import type { Environment } from '../../domain/environment';
import type { JsonValue } from '../../domain/json';
import { amountJson } from '../../domain/money';
import { command, group, run } from '../command';
import { environmentFilter, environmentsOf, limitOption, userOption } from '../options';
import { CommandError } from '../error';
import { amountText } from '../intent-text';
import { requireEvent, requireUser } from '../lookups';
import { table } from '../table';
import { deliveryText, presentDelivery, type DeliveryState } from '../webhook-text';

const MAX_DELIVERIES = 1_000;
/** Older attempts of a delivery are left out. */
const MAX_ATTEMPTS = 200;

const SEQUENCE = /^\d{1,18}$/;

function readAfter(text: string): bigint {
  if (!SEQUENCE.test(text))
    throw new CommandError('usage', '--after must be the sequence number of an event');
  return BigInt(text);
}

/** Counts back from the last sequence number: they have no gaps. */
async function beforeLast(
  db: Db,
  user_id: string,
  environment: Environment,
  count: number,
): Promise<bigint> {
  const first = (await lastSequence(db, user_id, environment)) - BigInt(count);
  return first > 0n ? first : 0n;
}

/** The deliveries of an event, each with its endpoint's URL and its attempts, oldest first. */
export async function deliveryStates(db: Db, event_id: string): Promise<DeliveryState[]> {
  const states: DeliveryState[] = [];
  for (const delivery of await deliveriesOfEvent(db, event_id, MAX_DELIVERIES)) {
    const { id: delivery_id, endpoint_id } = delivery;
    const endpoint = await findOperatorEndpoint(db, endpoint_id);
    const newest = await listAttempts(db, { delivery_id, before: undefined, limit: MAX_ATTEMPTS });
    states.push({
      ...delivery,
      url: endpoint!.url,
      attempts_made: delivery.attempts,
      attempts: [...newest].reverse(),
    });
  }
  return states;
}

export function presentEvent(event: OperatorEvent): Record<string, JsonValue> {
  const { user_id: _a, body: _b, sequence, amount_minor, ...rest } = event;
  return {
    ...rest,
    sequence: Number(sequence),
    amount: amount_minor === null ? null : amountJson(amount_minor),
  };
}

function listText(events: readonly OperatorEvent[]): string {
  return table([
    ['SEQUENCE', 'CREATED', 'TYPE', 'AMOUNT', 'ENVIRONMENT', 'ID', 'PAYMENT INTENT'],
    ...events.map((event) => [
      event.sequence === 0n ? 'test' : String(event.sequence),
      event.created_at,
      event.type,
      event.amount_minor === null ? '' : amountText(event.amount_minor, event.currency!),
      event.environment,
      event.id,
      event.reference ?? '',
    ]),
  ]);
}

export const events = group([
  command(
    'list',
    "List a merchant's events in order: the last ones, or those after a sequence number",
  )
    .addOption(userOption)
    .addOption(environmentFilter)
    .option('--after <n>', 'after this sequence number', readAfter)
    .addOption(limitOption)
    .action(
      run(async ({ db }, options) => {
        const { id: user_id } = await requireUser(db, options.user);
        const { limit, after } = options;
        const found: OperatorEvent[] = [];
        for (const environment of environmentsOf(options.environment)) {
          const from = after ?? (await beforeLast(db, user_id, environment, limit));
          found.push(
            ...(await listOperatorEvents(db, { user_id, environment, after: from, limit })),
          );
        }
        return { json: { events: found.map(presentEvent) }, text: listText(found) };
      }),
    ),
  command('show', 'Show an event, its deliveries and every attempt')
    .argument('<id>', 'of the event')
    .action(
      run(async (context, id) => {
        const { db } = context;
        const event = await requireEvent(db, id);
        const deliveries = await deliveryStates(db, event.id);
        return {
          json: {
            event: { ...presentEvent(event), body: event.body },
            deliveries: deliveries.map(presentDelivery),
          },
          text: [
            listText([event]),
            event.body,
            ...(deliveries.length === 0
              ? ['It was queued for no endpoint.']
              : deliveries.map((delivery) => deliveryText(delivery))),
          ].join('\n\n'),
        };
      }),
    ),
]);
