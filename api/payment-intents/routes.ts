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
  intentResponse,
  intentsResponse,
  listIntentsQuery,
  timelineResponse,
} from './schema';

export const paymentIntentRoutes = [
  route({
    method: 'POST',
    path: '/payment-intents',
    summary: 'Make a payment link',
    rate: 'write',
    idempotent: 'payment_intent',
    body: createIntentBody,
    status: 201,
    response: intentResponse,
    errors: ['gateway_error', 'gateway_timeout', 'gateway_not_configured'],
    handler: createPaymentIntent,
  }),
  route({
    method: 'GET',
    path: '/payment-intents',
    summary: 'Payment links, newest first',
    rate: 'read',
    query: listIntentsQuery,
    response: intentsResponse,
    handler: listPaymentIntents,
  }),
  route({
    method: 'GET',
    path: '/payment-intents/{id_or_code}',
    summary: 'One payment link, by its id or its short code',
    rate: 'read',
    response: intentResponse,
    errors: ['payment_intent_not_found'],
    handler: getPaymentIntent,
  }),
  route({
    method: 'POST',
    path: '/payment-intents/{id_or_code}/cancel',
    summary: 'Cancel an open payment link; cancelling it again changes nothing',
    rate: 'write',
    response: intentResponse,
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
    summary: 'What happened to a payment link, in order',
    rate: 'read',
    response: timelineResponse,
    errors: ['payment_intent_not_found'],
    handler: getPaymentIntentTimeline,
  }),
];
