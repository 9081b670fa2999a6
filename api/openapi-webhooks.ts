// The section `webhooks` of the OpenAPI document: what merchants' endpoints receive.

import {
  EVENT_TYPES,
  EVENTS,
  nounOf,
  type EventNoun,
  type EventType,
  type EventWords,
} from '../domain/event';
import { dispute } from './disputes/schema';
import { event } from './events/schema';
import { paymentIntent } from './payment-intents/schema';
import { payout } from './payouts/schema';
import { refund } from './refunds/schema';
import { transfer } from './transfers/schema';
import type { Tag } from './tags';

type Json = Readonly<Record<string, unknown>>;

const TAG: Tag = 'Webhooks';

/** The schema of an event's data, by the noun that its type begins with. */
const DATA: Readonly<Record<EventNoun, unknown>> = {
  payment: paymentIntent,
  refund,
  dispute,
  transfer,
  payout,
};

const HEADERS: readonly (readonly [name: string, required: boolean, description: string])[] = [
  [
    'x-service-signature',
    true,
    "The HMAC-SHA256 of the body's bytes in lower-case hex, with the endpoint's secret as it was shown. During a rotation of the secret: with the old one.",
  ],
  ['x-service-signature-next', false, 'During a rotation: the same with the new secret.'],
  ['webhook-id', true, "The event's id, as in the body: the same at each attempt."],
  ['webhook-timestamp', true, 'When this attempt was made, in Unix seconds.'],
  [
    'webhook-signature',
    true,
    'The signature of Standard Webhooks 1.0.0, `v1,…`; two of them, with a space between, during a rotation.',
  ],
];

/** An example is a body that was delivered. */
export function describeWebhooks(
  refer: (schema: unknown) => unknown,
  exampleOf: (type: EventType) => unknown,
): Json {
  const webhooks = EVENT_TYPES.map((type) => {
    const data = refer(DATA[nounOf(type)]);
    const own = { properties: { type: { type: 'string', const: type }, data } };
    const schema = { allOf: [refer(event), own] };
    const body = { schema, example: exampleOf(type) };
    return [type, { post: webhook(type, EVENTS[type], body) }] as const;
  });
  return Object.fromEntries(webhooks);
}

function webhook(
  type: EventType,
  words: EventWords,
  body: { readonly schema: unknown; readonly example: unknown },
): Json {
  return {
    operationId: type.replace(/\W(\w)/g, (_all, letter: string) => letter.toUpperCase()),
    tags: [TAG],
    ...words,
    security: [],
    parameters: HEADERS.map(([name, required, description]) => ({
      name,
      in: 'header',
      required,
      description,
      schema: { type: 'string', maxLength: 512 },
    })),
    requestBody: {
      required: true,
      content: { 'application/json': body },
    },
    responses: {
      '2XX': { description: 'Received: it is not sent again. The body is kept for you to read.' },
      '410': { description: 'The endpoint is gone: it is disabled, and nothing more is sent.' },
      default: { description: 'Tried again later, for days.' },
    },
  };
}
