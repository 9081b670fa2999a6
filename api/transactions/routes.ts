// The history of the wallets.

import { route } from '../route';
import { pathName } from '../schemas';
import { getTransaction, listTransactions } from './handlers';
import { listTransactionsQuery, transactionResponse, transactionsResponse } from './schema';

export const transactionRoutes = [
  route({
    operation_id: 'listTransactions',
    method: 'GET',
    path: '/transactions',
    summary: 'The history, newest first',
    rate: 'read',
    query: listTransactionsQuery,
    response: { status: 200, schema: transactionsResponse },
    errors: [],
    handler: listTransactions,
  }),
  route({
    operation_id: 'getTransaction',
    method: 'GET',
    path: '/transactions/{id}',
    summary: 'One transaction',
    rate: 'read',
    params: { id: pathName },
    response: { status: 200, schema: transactionResponse },
    errors: ['transaction_not_found'],
    handler: getTransaction,
  }),
];
