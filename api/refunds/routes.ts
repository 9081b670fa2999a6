// Money given back to customers.

import { route } from '../route';
import { createRefund, getRefund, listPaymentIntentRefunds, listRefunds } from './handlers';
import {
  createRefundBody,
  listIntentRefundsQuery,
  listRefundsQuery,
  refund,
  refundsResponse,
} from './schema';

const LINK = { id_or_code: 'The id or the short code of the link.' };

export const refundRoutes = [
  route({
    method: 'POST',
    path: '/payment-intents/{id_or_code}/refunds',
    path_parameters: LINK,
    tag: 'Refunds',
    summary: 'Give back a payment, whole or in part',
    description:
      'The money leaves your wallet at once and goes to the customer through the gateway, which may take days: `refund.succeeded` or `refund.failed` says how it ended. What fails comes back to the wallet. The fee of the payment is not given back. Without an answer, repeat the request with the same `Idempotency-Key`: there is one refund then.',
    rate: 'write',
    idempotent: 'refund',
    body: createRefundBody,
    may_omit_body: true,
    status: 201,
    response: refund,
    errors: [
      'payment_intent_not_found',
      'payment_intent_not_refundable',
      'refund_exceeds_payment',
      'insufficient_funds',
    ],
    handler: createRefund,
  }),
  route({
    method: 'GET',
    path: '/payment-intents/{id_or_code}/refunds',
    path_parameters: LINK,
    tag: 'Refunds',
    summary: 'The refunds of a payment, newest first',
    description: 'Pass `next_cursor` as `cursor` to get the next page.',
    rate: 'read',
    query: listIntentRefundsQuery,
    response: refundsResponse,
    errors: ['payment_intent_not_found'],
    handler: listPaymentIntentRefunds,
  }),
  route({
    method: 'GET',
    path: '/refunds',
    tag: 'Refunds',
    summary: 'Refunds, newest first',
    description:
      'Pass `next_cursor` as `cursor` to get the next page. All filters together narrow the list.',
    rate: 'read',
    query: listRefundsQuery,
    response: refundsResponse,
    handler: listRefunds,
  }),
  route({
    method: 'GET',
    path: '/refunds/{id}',
    path_parameters: { id: 'The id of the refund.' },
    tag: 'Refunds',
    summary: 'One refund',
    description:
      '`status` is `pending` until the gateway has made the refund or failed to; `failure` says why it failed.',
    rate: 'read',
    response: refund,
    errors: ['refund_not_found'],
    handler: getRefund,
  }),
];
