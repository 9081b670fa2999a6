// The history of the wallets.

import { route } from '../route';
import { getTransaction, listTransactions } from './handlers';
import { listTransactionsQuery, transactionResponse, transactionsResponse } from './schema';

export const transactionRoutes = [
  route({
    method: 'GET',
    path: '/transactions',
    summary: 'The history, newest first',
    rate: 'read',
    query: listTransactionsQuery,
    response: transactionsResponse,
    handler: listTransactions,
  }),
  route({
    method: 'GET',
    path: '/transactions/{id}',
    summary: 'One transaction',
    rate: 'read',
    response: transactionResponse,
    errors: ['transaction_not_found'],
    handler: getTransaction,
  }),
];
