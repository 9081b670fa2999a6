// The section `webhooks` of the OpenAPI document: what merchants' endpoints receive.

import { EVENT_TYPES, type EventType } from '../domain/event';
import { event } from './events/schema';
import { paymentIntent } from './payment-intents/schema';
import { refund } from './refunds/schema';
import { transfer } from './transfers/schema';
import type { Tag } from './tags';

type Json = Readonly<Record<string, unknown>>;

const TAG: Tag = 'Webhooks';

interface DescribedWebhook {
  readonly summary: string;
  readonly description: string;
  /** The schema of what the event is about. */
  readonly data: unknown;
}

// The types are keys, so that a new one does not compile until it is described.
const WEBHOOKS: Readonly<Record<EventType, DescribedWebhook>> = {
  'payment.succeeded': {
    summary: 'A payment link was paid',
    description:
      'The money, less the fee, is in your wallet. Deliver what was bought when `data.id` is yours.',
    data: paymentIntent,
  },
  'payment.failed': {
    summary: 'A payment failed for good',
    description: '`data.last_payment_error` says why. Nobody can pay the link any more.',
    data: paymentIntent,
  },
  'payment.expired': {
    summary: 'A payment link expired unpaid',
    description: 'Nobody can pay it any more.',
    data: paymentIntent,
  },
  'refund.succeeded': {
    summary: 'A refund was made',
    description:
      'The gateway has sent the money to the customer. For endpoints that name this type. A bank may send it back weeks later: `refund.failed` follows then.',
    data: refund,
  },
  'refund.failed': {
    summary: 'A refund failed',
    description:
      '`data.failure` says why, and the money is in your wallet again. For endpoints that name this type.',
    data: refund,
  },
  'transfer.received': {
    summary: 'A transfer came in',
    description:
      'The money, less the fee, is in your wallet; in the sandbox it is simulated. For endpoints that name this type. Delivered after the events of payments and refunds that are due.',
    data: transfer,
  },
  'transfer.sent': {
    summary: 'A transfer was carried out',
    description:
      'One of yours, single or in a batch; in the sandbox it is simulated. For endpoints that name this type. Delivered after the events of payments and refunds that are due.',
    data: transfer,
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

/** An example is a body that was delivered. */
export function describeWebhooks(
  refer: (schema: unknown) => unknown,
  exampleOf: (type: EventType) => unknown,
): Json {
  const webhooks = EVENT_TYPES.map((type) => {
    const { data, ...texts } = WEBHOOKS[type];
    const own = { properties: { type: { type: 'string', const: type }, data: refer(data) } };
    const schema = { allOf: [refer(event), own] };
    return [type, { post: webhook(type, texts, { schema, example: exampleOf(type) }) }] as const;
  });
  return Object.fromEntries(webhooks);
}

function webhook(
  type: EventType,
  texts: Omit<DescribedWebhook, 'data'>,
  body: { readonly schema: unknown; readonly example: unknown },
): Json {
  return {
    operationId: type.replace(/\W(\w)/g, (_all, letter: string) => letter.toUpperCase()),
    tags: [TAG],
    ...texts,
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
