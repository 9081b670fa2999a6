// The section `webhooks` of the OpenAPI document: what merchants' endpoints receive.

import { EVENT_TYPES, type EventType } from '../domain/event';
import type { Tag } from './tags';

type Json = Readonly<Record<string, unknown>>;

const TAG: Tag = 'Webhooks';

// By type, so that a new one does not compile until it is described.
const TEXTS: Readonly<
  Record<EventType, { readonly summary: string; readonly description: string }>
> = {
  'payment.succeeded': {
    summary: 'A payment link was paid',
    description:
      'The money, less the fee, is in your wallet. Deliver what was bought when `data.id` is yours.',
  },
  'payment.failed': {
    summary: 'A payment failed for good',
    description: '`data.last_payment_error` says why. Nobody can pay the link any more.',
  },
  'payment.expired': {
    summary: 'A payment link expired unpaid',
    description: 'Nobody can pay it any more.',
  },
  'refund.succeeded': {
    summary: 'A refund was made',
    description:
      'The gateway has sent the money to the customer. For endpoints that name this type. A bank may send it back weeks later: `refund.failed` follows then.',
  },
  'refund.failed': {
    summary: 'A refund failed',
    description:
      '`data.failure` says why, and the money is in your wallet again. For endpoints that name this type.',
  },
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

/** `event` is the schema of every body; an example is a body that was delivered. */
export function describeWebhooks(event: unknown, exampleOf: (type: EventType) => unknown): Json {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => [type, { post: webhook(type, event, exampleOf(type)) }]),
  );
}

function webhook(type: EventType, event: unknown, example: unknown): Json {
  const schema = { allOf: [event, { properties: { type: { type: 'string', const: type } } }] };
  return {
    operationId: type.replace(/\W(\w)/g, (_all, letter: string) => letter.toUpperCase()),
    tags: [TAG],
    ...TEXTS[type],
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
      content: { 'application/json': { schema, example } },
    },
    responses: {
      '2XX': { description: 'Received: it is not sent again. The body is kept for you to read.' },
      '410': { description: 'The endpoint is gone: it is disabled, and nothing more is sent.' },
      default: { description: 'Tried again later, for days.' },
    },
  };
}
