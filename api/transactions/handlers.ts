// Lists the history of all three wallets, newest first, and shows one transaction.

import { findTransaction, listTransactions as readTransactions } from '../../db/transactions';
import { typesMatching } from '../../domain/transaction';
import { ApiError } from '../api-error';
import type { Handler } from '../context';
import { readInstant } from '../paging';
import { readId } from '../path-id';
import type { ListTransactionsQuery } from './schema';

export const listTransactions: Handler<ListTransactionsQuery> = async (
  { db },
  { caller, query },
) => {
  const { limit, cursor, type } = query;
  const { transactions, last_created_at, has_more } = await readTransactions(db, {
    user_id: caller.user_id,
    environment: caller.environment,
    before: readInstant('cursor', cursor),
    limit,
    types: type && typesMatching(type),
  });
  const next_cursor = JSON.stringify(has_more ? last_created_at : null);
  // The rows are JSON text already, rendered when they were written.
  const body = `{"ok":true,"transactions":[${transactions}],"next_cursor":${next_cursor},"has_more":${has_more}}`;
  return { status: 200, body };
};

export const getTransaction: Handler = async ({ db }, request) => {
  const { user_id, environment } = request.caller;
  const id = readId(request, 'transaction_not_found');
  const json = await findTransaction(db, user_id, environment, id);
  if (json === undefined) throw new ApiError('transaction_not_found');
  return { status: 200, body: `{"ok":true,${json.slice(1)}` };
};
