// Refunds: ordered, listed and shown.

import { findRefund, listRefunds as readRefunds } from '../../db/refunds/refunds';
import { MAX_REFUNDS } from '../../domain/intent';
import { Refusal } from '../../domain/refusal';
import { findLink } from '../../use-cases/payment-intents/cancel';
import { orderRefund } from '../../use-cases/refunds/order';
import { orderOf, orderResponse } from '../order';
import { readPage } from '../paging';
import { readId } from '../path-id';
import { routesOf } from '../route';
import { shown, shownList, success } from '../success';
import {
  createRefundBody,
  listIntentRefundsQuery,
  listRefundsQuery,
  refund,
  refundsResponse,
} from './schema';

const LINK = { id_or_code: 'The id or the short code of the link.' };

const on = routesOf('Refunds');

export const refundRoutes = [
  on.post('/payment-intents/{id_or_code}/refunds', {
    scope: 'refunds:write',
    path_parameters: LINK,
    summary: 'Give back a payment, whole or in part',
    description: `The money leaves your wallet at once and goes to the customer through the gateway, which may take days: \`refund.succeeded\` or \`refund.failed\` says how it ended. What fails comes back to the wallet. The fee of the payment is not given back. A payment has at most ${MAX_REFUNDS} refunds; those that failed count. Without an answer, repeat the request with the same \`Idempotency-Key\`: there is one refund then.`,
    idempotent: 'refund',
    gateway: 'created',
    body: createRefundBody,
    may_omit_body: true,
    status: 201,
    response: refund,
    errors: [
      'kyc_required',
      'payment_intent_not_found',
      'payment_intent_not_refundable',
      'refund_exceeds_payment',
      'too_many_refunds',
      'payment_disputed',
      'insufficient_funds',
      'limit_exceeded',
    ],
    handler: async function createRefund(dependencies, request) {
      const { caller, params, body, numbers } = request;
      const intent = await findLink(dependencies, caller, params['id_or_code'] ?? '');
      if (!intent) throw new Refusal('payment_intent_not_found');
      const ordered = await orderRefund(dependencies, {
        ...orderOf(request),
        intent,
        amount_text: numbers.get('/amount'),
        reason: body.reason ?? null,
        metadata: body.metadata ?? {},
        numbers,
      });
      return orderResponse(ordered);
    },
  }),
  on.get('/payment-intents/{id_or_code}/refunds', {
    path_parameters: LINK,
    summary: 'The refunds of a payment, newest first',
    description: 'Pass `next_cursor` as `cursor` to get the next page.',
    query: listIntentRefundsQuery,
    response: refundsResponse,
    errors: ['payment_intent_not_found'],
    handler: async function listPaymentIntentRefunds(dependencies, request) {
      const intent = await findLink(
        dependencies,
        request.caller,
        request.params['id_or_code'] ?? '',
      );
      if (!intent) throw new Refusal('payment_intent_not_found');
      const { rows, ...end } = await readPage(request, ({ filters, ...query }) =>
        readRefunds(dependencies.db, {
          ...query,
          filters: { ...filters, payment_intent_id: intent.id },
        }),
      );
      return success({ refunds: shownList(rows), ...end });
    },
  }),
  on.get('/refunds', {
    summary: 'Refunds, newest first',
    description:
      'Pass `next_cursor` as `cursor` to get the next page. All filters together narrow the list.',
    query: listRefundsQuery,
    response: refundsResponse,
    handler: async function listRefunds({ db }, request) {
      const { rows, ...end } = await readPage(request, (query) => readRefunds(db, query));
      return success({ refunds: shownList(rows), ...end });
    },
  }),
  on.get('/refunds/{id}', {
    path_parameters: { id: 'The id of the refund.' },
    summary: 'One refund',
    description:
      '`status` is `pending` until the gateway has made the refund or failed to; `failure` says why it failed.',
    response: refund,
    errors: ['refund_not_found'],
    handler: async function getRefund({ db }, request) {
      const id = readId(request, 'refund_not_found');
      const view = await findRefund(db, request.caller, { id });
      if (!view) throw new Refusal('refund_not_found');
      return shown(view);
    },
  }),
];
