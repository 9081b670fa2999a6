// The route table: path, method, authentication, rate class, schemas and errors are stated here and
// nowhere else. The router, the validation and the OpenAPI document are made from it.

import type { ErrorCode } from '../domain/errors';
import {
  cancelPaymentIntent,
  createPaymentIntent,
  getPaymentIntent,
  getPaymentIntentTimeline,
  listPaymentIntents,
} from './payment-intents/handlers';
import {
  createIntentBody,
  intentResponse,
  intentsResponse,
  listIntentsQuery,
  timelineResponse,
} from './payment-intents/schema';
import { getProfile } from './profile/handler';
import { profileResponse } from './profile/schema';
import type { Route } from './route';
import { getHealth, getStatus } from './status/handlers';
import { healthResponse, statusResponse } from './status/schema';
import { getTransaction, getTransactions } from './transactions/handlers';
import {
  listTransactionsQuery,
  transactionResponse,
  transactionsResponse,
} from './transactions/schema';
import { createTransfer, getTransfer } from './transfers/handlers';
import { createTransferResponse, createTransferBody, transferResponse } from './transfers/schema';
import { getWallets } from './wallets/handler';
import { walletsResponse } from './wallets/schema';
import { WEBHOOK_ROUTES } from './webhook-routes';

export type { Route } from './route';

/** Specification, header: every path is relative to an address that ends in this. */
export const PREFIX = '/api/public/v1';

const text = { type: 'string', minLength: 1, maxLength: 64 } as const;

export const ROUTES: readonly Route[] = [
  {
    operation_id: 'getHealth',
    method: 'GET',
    path: '/health',
    summary: 'Whether the service is up',
    rate: null,
    answer: { status: 200, schema: healthResponse },
    errors: [],
    handler: getHealth,
  },
  {
    operation_id: 'getStatus',
    method: 'GET',
    path: '/status',
    summary: 'Whether its parts work: operational or degraded',
    rate: 'read',
    answer: { status: 200, schema: statusResponse },
    errors: [],
    handler: getStatus,
  },
  {
    operation_id: 'getProfile',
    method: 'GET',
    path: '/me',
    summary: "The key's owner and environment",
    rate: 'read',
    answer: { status: 200, schema: profileResponse },
    errors: [],
    handler: getProfile,
  },
  {
    operation_id: 'listWallets',
    method: 'GET',
    path: '/wallets',
    summary: 'Balances, one wallet per currency',
    rate: 'read',
    answer: { status: 200, schema: walletsResponse },
    errors: [],
    handler: getWallets,
  },
  {
    operation_id: 'listTransactions',
    method: 'GET',
    path: '/transactions',
    summary: 'The history, newest first',
    rate: 'read',
    query: listTransactionsQuery,
    answer: { status: 200, schema: transactionsResponse },
    errors: [],
    handler: getTransactions,
  },
  {
    operation_id: 'getTransaction',
    method: 'GET',
    path: '/transactions/{id}',
    summary: 'One transaction',
    rate: 'read',
    params: { id: text },
    answer: { status: 200, schema: transactionResponse },
    errors: ['transaction_not_found'],
    handler: getTransaction,
  },
  {
    operation_id: 'createTransfer',
    method: 'POST',
    path: '/transfers',
    summary: 'Send money to another user; simulated with a test key',
    rate: 'write',
    idempotent: 'transfer',
    body: createTransferBody,
    answer: { status: 200, schema: createTransferResponse },
    errors: ['insufficient_funds', 'recipient_not_found'],
    handler: createTransfer,
  },
  {
    operation_id: 'getTransfer',
    method: 'GET',
    path: '/transfers/{reference}',
    summary: 'One transfer, for its sender and its recipient',
    rate: 'read',
    params: { reference: text },
    answer: { status: 200, schema: transferResponse },
    errors: ['transfer_not_found'],
    handler: getTransfer,
  },
  {
    operation_id: 'createPaymentIntent',
    method: 'POST',
    path: '/payment-intents',
    summary: 'Make a payment link',
    rate: 'write',
    idempotent: 'payment_intent',
    body: createIntentBody,
    answer: { status: 201, schema: intentResponse },
    errors: ['gateway_error', 'gateway_timeout', 'gateway_not_configured'],
    handler: createPaymentIntent,
  },
  {
    operation_id: 'listPaymentIntents',
    method: 'GET',
    path: '/payment-intents',
    summary: 'Payment links, newest first',
    rate: 'read',
    query: listIntentsQuery,
    answer: { status: 200, schema: intentsResponse },
    errors: [],
    handler: listPaymentIntents,
  },
  {
    operation_id: 'getPaymentIntent',
    method: 'GET',
    path: '/payment-intents/{id_or_code}',
    summary: 'One payment link, by its id or its short code',
    rate: 'read',
    params: { id_or_code: text },
    answer: { status: 200, schema: intentResponse },
    errors: ['payment_intent_not_found'],
    handler: getPaymentIntent,
  },
  {
    operation_id: 'cancelPaymentIntent',
    method: 'POST',
    path: '/payment-intents/{id_or_code}/cancel',
    summary: 'Cancel an open payment link; cancelling it again changes nothing',
    rate: 'write',
    params: { id_or_code: text },
    answer: { status: 200, schema: intentResponse },
    errors: [
      'payment_intent_not_found',
      'intent_not_cancelable',
      'gateway_error',
      'gateway_timeout',
    ],
    handler: cancelPaymentIntent,
  },
  {
    operation_id: 'getPaymentIntentTimeline',
    method: 'GET',
    path: '/payment-intents/{id_or_code}/timeline',
    summary: 'What happened to a payment link, in order',
    rate: 'read',
    params: { id_or_code: text },
    answer: { status: 200, schema: timelineResponse },
    errors: ['payment_intent_not_found'],
    handler: getPaymentIntentTimeline,
  },
  ...WEBHOOK_ROUTES,
];

/** Every error a route can answer, those of its kind included. */
export function errorsOf(route: Route): readonly ErrorCode[] {
  return [
    'not_found',
    'forbidden',
    'internal_error',
    'unavailable',
    ...route.errors,
    ...(route.rate ? (['unauthorized', 'rate_limited'] as const) : []),
    ...(route.query || route.body ? (['invalid_request'] as const) : []),
    ...(route.body
      ? (['invalid_json', 'payload_too_large', 'unsupported_media_type'] as const)
      : []),
    ...(route.idempotent
      ? (['invalid_idempotency_key', 'idempotency_in_progress', 'idempotency_key_reuse'] as const)
      : []),
  ];
}
