// Refunds: ordered, listed and shown.

import { findRefund, listRefunds as readRefunds } from '../../db/refunds';
import { presentRefund } from '../../domain/refund';
import { ApiError } from '../api-error';
import type { Handler } from '../context';
import { readPage } from '../paging';
import { readId } from '../path-id';
import { findLink } from '../payment-intents/cancel';
import { success } from '../success';
import { orderRefund } from './create';
import type { CreateRefundBody, ListIntentRefundsQuery, ListRefundsQuery } from './schema';

export const createRefund: Handler<unknown, CreateRefundBody> = async (dependencies, request) => {
  const { caller, params, body, numbers, request_id, idempotency_key } = request;
  const intent = await findLink(dependencies.db, caller, params['id_or_code'] ?? '');
  if (!intent) throw new ApiError('payment_intent_not_found');
  return orderRefund(dependencies, {
    caller,
    intent,
    amount_text: numbers.get('/amount'),
    reason: body.reason ?? null,
    metadata: body.metadata ?? {},
    numbers,
    key: idempotency_key!,
    request_id,
  });
};

export const listRefunds: Handler<ListRefundsQuery> = async ({ db }, request) => {
  const { rows, ...end } = await readPage(request, (query) => readRefunds(db, query));
  return success({ refunds: rows.map(presentRefund), ...end });
};

export const listPaymentIntentRefunds: Handler<ListIntentRefundsQuery> = async (
  { db },
  request,
) => {
  const intent = await findLink(db, request.caller, request.params['id_or_code'] ?? '');
  if (!intent) throw new ApiError('payment_intent_not_found');
  const { rows, ...end } = await readPage(request, ({ filters, ...query }) =>
    readRefunds(db, { ...query, filters: { ...filters, payment_intent_id: intent.id } }),
  );
  return success({ refunds: rows.map(presentRefund), ...end });
};

export const getRefund: Handler = async ({ db }, request) => {
  const { user_id, environment } = request.caller;
  const id = readId(request, 'refund_not_found');
  const view = await findRefund(db, user_id, environment, id);
  if (!view) throw new ApiError('refund_not_found');
  return success(presentRefund(view));
};
