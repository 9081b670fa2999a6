// Payment intents (specification, sections 2 and 4).

import { INTENT_REFERENCE_PATTERN } from '../../domain/ids';
import { INTENT_STATUSES, LINK_BOUNDS } from '../../domain/intent';
import { PHONE_PATTERN } from '../../domain/phone';
import { MAX_RETURN_ADDRESS } from '../../domain/return-address';
import {
  amount,
  currency,
  email,
  environment,
  hold,
  nullable,
  nullableText,
  nullableTime,
  optionalFields,
  page,
  paging,
  part,
  period,
  requestAmount,
  resource,
  response,
  taxAmount,
  timestamp,
  uuid,
} from '../schemas';

const status = { title: 'PaymentIntentStatus', type: 'string', enum: INTENT_STATUSES } as const;

const url = { type: 'string', maxLength: MAX_RETURN_ADDRESS } as const;

export const createIntentBody = {
  type: 'object',
  required: ['amount', 'currency'],
  additionalProperties: false,
  properties: {
    amount: requestAmount,
    currency,
    country: {
      type: 'string',
      format: 'country-code',
      description: 'ISO 3166-1 alpha-2; the United Kingdom is GB.',
      examples: ['SN'],
    },
    description: {
      type: 'string',
      maxLength: LINK_BOUNDS.description,
      description: 'Shown on the pay page.',
    },
    customer_email: email,
    customer_phone: {
      type: 'string',
      pattern: PHONE_PATTERN,
      maxLength: 32,
      description:
        'In international format (E.164), with spaces, dots, hyphens and brackets as you like.',
      examples: ['+221771234567'],
    },
    metadata: {
      title: 'Metadata',
      type: 'object',
      maxProperties: LINK_BOUNDS.metadata.entries,
      propertyNames: { minLength: 1, maxLength: LINK_BOUNDS.metadata.name },
      additionalProperties: {
        type: ['string', 'number', 'boolean', 'null'],
        maxLength: LINK_BOUNDS.metadata.value,
      },
      description:
        'Given back with the same names and values, perhaps in another order. Numbers have at most 15 digits and no exponent.',
    },
    return_url: {
      ...url,
      minLength: 1,
      description:
        'Where the pay page leads after a success: https, without user info. payment_intent, reference and status are added to its query. They prove nothing: ask the API, or wait for the webhook.',
      examples: ['https://shop.example/orders/1042'],
    },
    cancel_url: {
      ...url,
      minLength: 1,
      description:
        'Where it leads a customer who gives up; the same is added. The payment intent stays open.',
      examples: ['https://shop.example/basket'],
    },
    expires_in: {
      type: 'integer',
      ...LINK_BOUNDS.expires_in,
      default: 86_400,
      description: 'Seconds; at least 900 with a live key.',
    },
  },
} as const;

export const listIntentsQuery = optionalFields({
  ...paging,
  status: { ...status, description: 'Links with this status only.' },
  currency: { ...currency, description: 'Links in this currency only.' },
  reference: {
    type: 'string',
    pattern: INTENT_REFERENCE_PATTERN,
    description: 'The link with this reference, TRX-….',
  },
  customer_email: {
    ...email,
    description: 'Links for this e-mail address only, however it is written.',
  },
  ...period,
});

const nullableUrl = { ...url, type: ['string', 'null'] } as const;

export const paymentIntent = resource('PaymentIntent', {
  id: uuid,
  short_code: { type: 'string', minLength: 10, maxLength: 10 },
  reference: { type: 'string', pattern: '^TRX-', maxLength: 64 },
  amount,
  currency,
  status,
  checkout_url: { ...url, description: "The gateway's page." },
  pay_url: { ...url, description: 'The link to give to the customer.' },
  environment,
  country: nullableText,
  description: nullableText,
  customer_email: nullableText,
  customer_phone: nullableText,
  metadata: {
    ...createIntentBody.properties.metadata,
    description: 'What was given on creation.',
  },
  return_url: nullableUrl,
  cancel_url: nullableUrl,
  fee: amount,
  tax: taxAmount,
  net_amount: amount,
  amount_received: {
    ...amount,
    type: ['number', 'null'],
    description:
      'What has arrived for it in its currency, also what an operator has yet to decide about; null until something has. Refunds are not subtracted.',
  },
  refunded_amount: {
    ...amount,
    type: ['number', 'null'],
    description: 'What was given back, pending refunds included; null before the payment.',
  },
  last_payment_error: nullable(
    part('PaymentError', {
      code: { type: 'string', maxLength: 255 },
      message: { type: 'string', maxLength: 1000 },
    }),
  ),
  hold: nullable(hold),
  transaction_id: {
    ...uuid,
    type: ['string', 'null'],
    description: 'Of the payment in GET /transactions, once it is paid.',
  },
  created_at: timestamp,
  updated_at: timestamp,
  expires_at: timestamp,
  succeeded_at: nullableTime,
  failed_at: nullableTime,
  expired_at: nullableTime,
  canceled_at: nullableTime,
  payment_link_id: {
    ...uuid,
    type: ['string', 'null'],
    description: 'The reusable link that the customer paid by; null for any other payment intent.',
  },
  quantity: {
    type: ['integer', 'null'],
    description: 'How many the customer pays by a reusable link; null without one.',
  },
  collected: nullable({
    title: 'Collected',
    type: 'object',
    additionalProperties: { type: ['string', 'null'], maxLength: 200 },
    description: 'What the customer answered to a reusable link, by key; null without one.',
  }),
});

export const intentsResponse = page('payment_intents', paymentIntent);

export const timelineResponse = response('PaymentIntentTimeline', {
  timeline: {
    type: 'array',
    items: part('TimelineEntry', {
      at: timestamp,
      source: {
        title: 'TimelineSource',
        type: 'string',
        enum: ['api', 'workflow', 'gateway', 'ledger', 'webhook'],
      },
      kind: { type: 'string', maxLength: 64, description: 'What happened, such as ledger.posted.' },
      detail: {
        title: 'TimelineDetail',
        type: 'object',
        additionalProperties: true,
        description: 'What belongs to it; differs by kind.',
      },
    }),
  },
});
