// The history of the wallets.

import { route } from '../route';
import { getTransaction, listTransactions } from './handlers';
import { listTransactionsQuery, transaction, transactionsResponse } from './schema';

export const transactionRoutes = [
  route({
    method: 'GET',
    path: '/transactions',
    tag: 'Transactions',
    summary: 'The history, newest first; all of it as CSV',
    description:
      'Pass `next_cursor` as `cursor` to get the next page; `has_more` says whether there is one. Rows that are added meanwhile are neither skipped nor repeated on the pages that follow. With `Accept: text/csv` all rows that match come as one file, whatever the `limit`: the columns have the names of the fields, amounts two decimals, and a cell that a spreadsheet would run as a formula a leading apostrophe. A file that could not be finished breaks off. An account can have two files at a time.',
    rate: 'read',
    query: listTransactionsQuery,
    response: transactionsResponse,
    is_also_csv: true,
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
