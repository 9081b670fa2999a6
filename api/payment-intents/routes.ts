// Payment links.

import { route } from '../route';
import { createPaymentIntent } from './create';
import {
  cancelPaymentIntent,
  getPaymentIntent,
  getPaymentIntentTimeline,
  listPaymentIntents,
} from './handlers';
import {
  createIntentBody,
  paymentIntent,
  intentsResponse,
  listIntentsQuery,
  timelineResponse,
} from './schema';

export const paymentIntentRoutes = [
  route({
    method: 'POST',
    path: '/payment-intents',
    tag: 'Payment links',
    summary: 'Make a payment link',
    description:
      'Give `pay_url` to the customer, who pays at the gateway. What became of it comes as a webhook, and can be read here. Without an answer, repeat the request with the same `Idempotency-Key`: there is one link then.',
    rate: 'write',
    idempotent: 'payment_intent',
    body: createIntentBody,
    status: 201,
    response: paymentIntent,
    errors: ['gateway_error', 'gateway_timeout', 'gateway_not_configured'],
    handler: createPaymentIntent,
  }),
  route({
    method: 'GET',
    path: '/payment-intents',
    tag: 'Payment links',
    summary: 'Payment links, newest first',
    description:
      'Pass `next_cursor` as `cursor` to get the next page. All filters together narrow the list.',
    rate: 'read',
    query: listIntentsQuery,
    response: intentsResponse,
    handler: listPaymentIntents,
  }),
  route({
    method: 'GET',
    path: '/payment-intents/{id_or_code}',
    path_parameters: { id_or_code: 'The id or the short code of the link.' },
    tag: 'Payment links',
    summary: 'One payment link, by its id or its short code',
    description:
      '`status` is `open` until the customer pays, the link expires or you cancel it. `processing` means that the gateway has the payment and does not know its outcome yet.',
    rate: 'read',
    response: paymentIntent,
    errors: ['payment_intent_not_found'],
    handler: getPaymentIntent,
  }),
  route({
    method: 'POST',
    path: '/payment-intents/{id_or_code}/cancel',
    path_parameters: { id_or_code: 'The id or the short code of the link.' },
    tag: 'Payment links',
    summary: 'Cancel an open payment link; cancelling it again changes nothing',
    description:
      'Nobody can pay it any more. A link that is paid, failed or expired cannot be cancelled.',
    rate: 'write',
    response: paymentIntent,
    errors: [
      'payment_intent_not_found',
      'intent_not_cancelable',
      'gateway_error',
      'gateway_timeout',
    ],
    handler: cancelPaymentIntent,
  }),
  route({
    method: 'GET',
    path: '/payment-intents/{id_or_code}/timeline',
    path_parameters: { id_or_code: 'The id or the short code of the link.' },
    tag: 'Payment links',
    summary: 'What happened to a payment link, in order',
    description:
      'Creation, what the gateway notified, the posting to the ledger and each delivery of a webhook, oldest first.',
    rate: 'read',
    response: timelineResponse,
    errors: ['payment_intent_not_found'],
    handler: getPaymentIntentTimeline,
  }),
];
