// The caller's history over all three wallets, newest first.

import { findTransaction, listTransactions, type TransactionRow } from '../../db/transactions';
import { UUID_PATTERN } from '../../domain/ids';
import { parseInstant } from '../../domain/instant';
import { renderJson, type JsonValue } from '../../domain/json';
import { amountJson, subtractMinor, type Minor } from '../../domain/money';
import { typesMatching } from '../../domain/transaction';
import { ApiError } from '../api-error';
import type { Answer, ApiDependencies, ApiRequest } from '../context';
import type { ListTransactionsQuery } from './schema';

export async function getTransactions(
  { db }: ApiDependencies,
  { caller, query }: ApiRequest<ListTransactionsQuery>,
): Promise<Answer> {
  const { limit, cursor, type } = query;
  const before = cursor === undefined ? undefined : readCursor(cursor);
  // One row more than the page: whether it is there tells if another page follows.
  const rows = await listTransactions(db, {
    owner_id: caller.user_id,
    environment: caller.environment,
    before,
    limit: limit + 1,
    types: type && typesMatching(type),
  });
  const page = rows.slice(0, limit);
  const has_more = rows.length > limit;
  return {
    status: 200,
    body: renderJson({
      ok: true,
      transactions: page.map(presentTransaction),
      next_cursor: has_more ? page.at(-1)!.created_at : null,
      has_more,
    }),
  };
}

function readCursor(cursor: string): string {
  const before = parseInstant(cursor);
  if (before === undefined) {
    throw new ApiError('invalid_request', {
      param: 'cursor',
      message: 'cursor must be an ISO 8601 instant, as next_cursor gives it.',
    });
  }
  return before;
}

const UUID = new RegExp(UUID_PATTERN);

export async function getTransaction(
  { db }: ApiDependencies,
  { caller, params }: ApiRequest,
): Promise<Answer> {
  const id = params['id'] ?? '';
  const row = UUID.test(id)
    ? await findTransaction(db, caller.user_id, caller.environment, id)
    : undefined;
  if (!row) throw new ApiError('transaction_not_found');
  return { status: 200, body: renderJson({ ok: true, ...presentTransaction(row) }) };
}

function presentTransaction(row: TransactionRow): Record<string, JsonValue> {
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    direction: row.direction,
    currency: row.currency,
    amount: amountJson(row.amount_minor),
    fee: amountJson(row.fee_minor),
    net_amount: amountJson(subtractMinor(row.amount_minor as Minor, row.fee_minor as Minor)),
    balance_after: amountJson(row.balance_after_minor),
    reference: row.reference,
    counterparty: row.counterparty,
    description: row.description,
    related: row.related,
    created_at: row.created_at,
  };
}
