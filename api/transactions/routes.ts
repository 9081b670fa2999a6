// Lists the history of all three wallets, newest first, and shows one transaction.

import type { Db } from '../../db/connect';
import {
  type HistoryQuery,
  type RenderedRow,
  listHistoryOfReference,
  listRenderedHistory,
} from '../../db/ledger/history';
import {
  findTransaction,
  listTransactions as readTransactions,
} from '../../db/ledger/transactions';
import { Refusal } from '../../domain/refusal';
import { typesMatching } from '../../domain/transaction';
import { byTime, pageOf } from '../../domain/page';
import { exportHistory } from '../../use-cases/transactions/export';
import { historySinceHeader } from '../../use-cases/transactions/history-since';
import type { ApiDependencies, ApiFile, ApiRequest, ApiResponse } from '../context';
import { readCursor, readInstant } from '../paging';
import { readId } from '../path-id';
import { sendFile } from '../file';
import { routesOf } from '../route';
import {
  type ListTransactionsQuery,
  listTransactionsQuery,
  transaction,
  transactionsResponse,
} from './schema';

function earlier(one: string | undefined, other: string | undefined): string | undefined {
  return one !== undefined && other !== undefined && other < one ? other : (one ?? other);
}

function renderFound(db: Db, found: readonly RenderedRow[], limit: number): Promise<ApiResponse> {
  const { rows, next_cursor } = pageOf(found, limit, byTime);
  return renderPage(db, rows.map(({ json }) => json).join(), next_cursor);
}

/** The rows are JSON text already, rendered when they were written. */
async function renderPage(db: Db, rows: string, next_cursor: string | null): Promise<ApiResponse> {
  const headers = next_cursor === null ? await historySinceHeader(db) : {};
  const end = `"next_cursor":${JSON.stringify(next_cursor)},"has_more":${next_cursor !== null}`;
  return { status: 200, headers, body: `{"ok":true,"transactions":[${rows}],${end}}` };
}

function exportTransactions(
  { db, log }: ApiDependencies,
  { caller, query: { reference }, request_id }: ApiRequest<ListTransactionsQuery>,
  query: HistoryQuery,
): Promise<ApiFile> {
  return sendFile(caller.user_id, async () => {
    const rows =
      reference === undefined ? query : await listHistoryOfReference(db, query, reference);
    const body = exportHistory(db, rows, {
      onError: (error) => log({ part: 'transactions', request_id, error: String(error) }),
    });
    const headers = await historySinceHeader(db);
    return { status: 200, type: 'text/csv; charset=utf-8', headers, body };
  });
}

const on = routesOf('Transactions');

export const transactionRoutes = [
  on.get('/transactions', {
    summary: 'The history, newest first; all of it as CSV',
    description:
      'Pass `next_cursor` as `cursor` to get the next page; `has_more` says whether there is one. Rows that are added meanwhile are neither skipped nor repeated on the pages that follow. With `Accept: text/csv` all rows that match come as one file, whatever the `limit`: the columns have the names of the fields, amounts two decimals, and a cell that a spreadsheet would run as a formula a leading apostrophe. A file that could not be finished breaks off. An account can have two files at a time. Operators may have moved the months before a moment to their archive: a last page and a file then name the moment in the header `History-Since`.',
    query: listTransactionsQuery,
    response: transactionsResponse,
    also: ['csv'],
    handler: async function listTransactions(dependencies, request) {
      const { limit, cursor, type, currency, status, direction, reference, ...period } =
        request.query;
      const { user_id, environment } = request.caller;
      const created_from = readInstant('created_from', period.created_from);
      const created_to = readInstant('created_to', period.created_to);
      const { db } = dependencies;
      const position = await readCursor(cursor, async (end) => {
        const newest = { user_id, environment, before: end, limit: 1, types: undefined };
        const page = await readTransactions(db, newest);
        return page.last_created_at ?? undefined;
      });
      const before = earlier(position, created_to);
      const filters = { type, currency, status, direction, created_from };
      const query = { user_id, environment, filters, before, limit };
      if (request.form === 'csv') return exportTransactions(dependencies, request, query);
      if (reference !== undefined) {
        return renderFound(db, await listHistoryOfReference(db, query, reference), limit);
      }
      if ([currency, status, direction, created_from].some((filter) => filter !== undefined)) {
        return renderFound(
          db,
          await listRenderedHistory(db, { ...query, limit: limit + 1 }),
          limit,
        );
      }
      const types = type && typesMatching(type);
      const page = await readTransactions(db, { user_id, environment, before, limit, types });
      return renderPage(db, page.transactions, page.has_more ? page.last_created_at : null);
    },
  }),
  on.get('/transactions/{id}', {
    path_parameters: { id: "The transaction's id." },
    summary: 'One transaction',
    description: 'By its id. Transactions of other users and of the other environment are unknown.',
    response: transaction,
    errors: ['transaction_not_found'],
    handler: async function getTransaction({ db }, request) {
      const { user_id, environment } = request.caller;
      const id = readId(request, 'transaction_not_found');
      const json = await findTransaction(db, user_id, environment, id);
      if (json === undefined) throw new Refusal('transaction_not_found');
      return { status: 200, body: `{"ok":true,${json.slice(1)}` };
    },
  }),
];
