// Payment links.

import { route } from '../route';
import { pathName } from '../schemas';
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
    operation_id: 'createPaymentIntent',
    method: 'POST',
    path: '/payment-intents',
    summary: 'Make a payment link',
    rate: 'write',
    idempotent: 'payment_intent',
    body: createIntentBody,
    response: { status: 201, schema: intentResponse },
    errors: ['gateway_error', 'gateway_timeout', 'gateway_not_configured'],
    handler: createPaymentIntent,
  }),
  route({
    operation_id: 'listPaymentIntents',
    method: 'GET',
    path: '/payment-intents',
    summary: 'Payment links, newest first',
    rate: 'read',
    query: listIntentsQuery,
    response: { status: 200, schema: intentsResponse },
    errors: [],
    handler: listPaymentIntents,
  }),
  route({
    operation_id: 'getPaymentIntent',
    method: 'GET',
    path: '/payment-intents/{id_or_code}',
    summary: 'One payment link, by its id or its short code',
    rate: 'read',
    params: { id_or_code: pathName },
    response: { status: 200, schema: intentResponse },
    errors: ['payment_intent_not_found'],
    handler: getPaymentIntent,
  }),
  route({
    operation_id: 'cancelPaymentIntent',
    method: 'POST',
    path: '/payment-intents/{id_or_code}/cancel',
    summary: 'Cancel an open payment link; cancelling it again changes nothing',
    rate: 'write',
    params: { id_or_code: pathName },
    response: { status: 200, schema: intentResponse },
    errors: [
      'payment_intent_not_found',
      'intent_not_cancelable',
      'gateway_error',
      'gateway_timeout',
    ],
    handler: cancelPaymentIntent,
  }),
  route({
    operation_id: 'getPaymentIntentTimeline',
    method: 'GET',
    path: '/payment-intents/{id_or_code}/timeline',
    summary: 'What happened to a payment link, in order',
    rate: 'read',
    params: { id_or_code: pathName },
    response: { status: 200, schema: timelineResponse },
    errors: ['payment_intent_not_found'],
    handler: getPaymentIntentTimeline,
  }),
];
