// Payment links that any number of customers may pay.

import { PAYMENT_LINK_BOUNDS, PAYMENT_LINK_STATUSES } from '../../domain/payment-link';
import { createIntentBody } from '../payment-intents/schema';
import {
  amount,
  currency,
  environment,
  instant,
  nullable,
  nullableText,
  nullableTime,
  optionalFields,
  page,
  paging,
  part,
  requestAmount,
  resource,
  timestamp,
  uuid,
} from '../schemas';

const { collect, label, max_payments, quantity: most, suggestions, title } = PAYMENT_LINK_BOUNDS;
const { description, metadata, return_url } = createIntentBody.properties;

const status = {
  title: 'PaymentLinkStatus',
  type: 'string',
  enum: PAYMENT_LINK_STATUSES,
} as const;

const fields = {
  title: {
    type: 'string',
    minLength: 1,
    maxLength: title,
    description: 'What is paid for, as customers read it.',
    examples: ['Coffee'],
  },
  max_payments: {
    type: 'integer',
    minimum: 1,
    maximum: max_payments,
    description:
      'How many customers may pay. A payment that is under way counts until it ends without success.',
  },
  active_until: { ...instant, description: 'An ISO 8601 instant or date, later than now.' },
  description: { ...description, description: 'Shown below the title.' },
  return_url,
  metadata: { ...metadata, description: 'Given to each payment of the link.' },
} as const;

export const createPaymentLinkBody = {
  type: 'object',
  required: ['title', 'currency'],
  additionalProperties: false,
  properties: {
    title: fields.title,
    currency,
    amount: { ...requestAmount, description: 'The price of one; or send open_amount.' },
    open_amount: {
      title: 'OpenAmountRequest',
      type: 'object',
      additionalProperties: false,
      properties: {
        minimum: requestAmount,
        maximum: requestAmount,
        suggestions: { type: 'array', maxItems: suggestions, items: requestAmount },
      },
      description: 'The customer chooses the amount, within these bounds.',
    },
    quantity: {
      title: 'QuantityRange',
      type: 'object',
      required: ['minimum', 'maximum'],
      additionalProperties: false,
      properties: {
        minimum: { type: 'integer', minimum: 1, maximum: most },
        maximum: { type: 'integer', minimum: 1, maximum: most },
      },
      description: 'The customer chooses how many; only with amount. One when left out.',
    },
    max_payments: fields.max_payments,
    active_until: fields.active_until,
    collect: {
      type: 'array',
      maxItems: collect,
      items: {
        title: 'CollectedFieldRequest',
        type: 'object',
        required: ['key', 'label'],
        additionalProperties: false,
        properties: {
          key: { type: 'string', pattern: '^[a-z0-9_]{1,40}$', maxLength: 40, examples: ['table'] },
          label: { type: 'string', minLength: 1, maxLength: label, examples: ['Table number'] },
          required: { type: 'boolean', default: false },
        },
      },
      description: 'What customers are asked for.',
    },
    description: fields.description,
    return_url: fields.return_url,
    metadata: fields.metadata,
  },
} as const;

export const changePaymentLinkBody = optionalFields({
  title: fields.title,
  description: { ...fields.description, type: ['string', 'null'] },
  active: { type: 'boolean', description: 'False: the link takes no payment until it is true.' },
  active_until: { ...fields.active_until, type: ['string', 'null'] },
  max_payments: { ...fields.max_payments, type: ['integer', 'null'] },
  return_url: { ...fields.return_url, type: ['string', 'null'] },
  metadata: { ...fields.metadata, description: 'In place of what it has.' },
});

export const listPaymentLinksQuery = optionalFields({
  ...paging,
  status: { ...status, description: 'Links with this status only.' },
});

export const listLinkPaymentsQuery = optionalFields(paging);

const nullableAmount = { ...amount, type: ['number', 'null'] } as const;
const url = { type: 'string', maxLength: 2_048 } as const;

export const paymentLink = resource('PaymentLink', {
  id: uuid,
  code: { type: 'string', minLength: 10, maxLength: 10 },
  url: { ...url, description: 'The page to give to customers.' },
  qr_url: { ...url, description: 'Its QR code as an SVG picture; needs no key.' },
  status: {
    ...status,
    description:
      'sold_out: each of max_payments is paid or under way; one that ends without success is free again.',
  },
  title: { type: 'string', maxLength: title },
  currency,
  amount: { ...nullableAmount, description: 'The price of one; null with open_amount.' },
  open_amount: nullable(
    part('OpenAmount', {
      minimum: nullableAmount,
      maximum: nullableAmount,
      suggestions: { type: 'array', maxItems: suggestions, items: amount },
    }),
  ),
  quantity: nullable(
    part('Quantity', {
      minimum: { type: 'integer', minimum: 1, maximum: most },
      maximum: { type: 'integer', minimum: 1, maximum: most },
    }),
  ),
  max_payments: { type: ['integer', 'null'] },
  active_until: nullableTime,
  collect: {
    type: 'array',
    maxItems: collect,
    items: part('CollectedField', {
      key: { type: 'string', maxLength: 40 },
      label: { type: 'string', maxLength: label },
      required: { type: 'boolean' },
    }),
  },
  description: nullableText,
  return_url: { ...url, type: ['string', 'null'] },
  metadata: { ...metadata, description: 'What was given.' },
  payments: { type: 'integer', minimum: 0, description: 'How many have succeeded.' },
  paid_amount: {
    type: 'number',
    minimum: 0,
    description: 'The sum of those. Refunds are not subtracted.',
    examples: [5000.0],
  },
  environment,
  created_at: timestamp,
  updated_at: timestamp,
});

export const paymentLinksResponse = page('payment_links', paymentLink);
