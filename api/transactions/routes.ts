// The history of the wallets.

import { route } from '../route';
import { getTransaction, listTransactions } from './handlers';
import { listTransactionsQuery, transaction, transactionsResponse } from './schema';

export const transactionRoutes = [
  route({
    method: 'GET',
    path: '/transactions',
    tag: 'Transactions',
    summary: 'The history, newest first',
    description:
      'Pass `next_cursor` as `cursor` to get the next page; `has_more` says whether there is one. Rows that are added meanwhile are neither skipped nor repeated on the pages that follow.',
    rate: 'read',
    query: listTransactionsQuery,
    response: transactionsResponse,
    handler: listTransactions,
  }),
  route({
    method: 'GET',
    path: '/transactions/{id}',
    path_parameters: { id: "The transaction's id." },
    tag: 'Transactions',
    summary: 'One transaction',
    description: 'By its id. Transactions of other users and of the other environment are unknown.',
    rate: 'read',
    response: transaction,
    errors: ['transaction_not_found'],
    handler: getTransaction,
  }),
];
