// Lists the history of all three wallets, newest first, and shows one transaction.

import {
  listHistoryOfReference,
  listRenderedHistory,
  type HistoryQuery,
  type RenderedRow,
} from '../../db/history';
import { findTransaction, listTransactions as readTransactions } from '../../db/transactions';
import { typesMatching } from '../../domain/transaction';
import { ApiError } from '../api-error';
import type { ApiDependencies, ApiFile, ApiRequest, ApiResponse, Handler } from '../context';
import { readInstant } from '../paging';
import { readId } from '../path-id';
import { exportHistory, reserveExport } from './export';
import type { ListTransactionsQuery } from './schema';

export const listTransactions: Handler<ListTransactionsQuery> = async (dependencies, request) => {
  const { limit, cursor, type, currency, status, direction, reference, ...period } = request.query;
  const { user_id, environment } = request.caller;
  const created_from = readInstant('created_from', period.created_from);
  const created_to = readInstant('created_to', period.created_to);
  const before = earlier(readInstant('cursor', cursor), created_to);
  const filters = { type, currency, status, direction, created_from };
  const query = { user_id, environment, filters, before, limit };
  if (request.accepts_csv) return exportTransactions(dependencies, request, query);
  const { db } = dependencies;
  if (reference !== undefined) {
    return pageOf(await listHistoryOfReference(db, query, reference), limit);
  }
  if ([currency, status, direction, created_from].some((filter) => filter !== undefined)) {
    return pageOf(await listRenderedHistory(db, query), limit);
  }
  const types = type && typesMatching(type);
  const page = await readTransactions(db, { user_id, environment, before, limit, types });
  return renderPage(page.transactions, page.has_more ? page.last_created_at : null);
};

function earlier(one: string | undefined, other: string | undefined): string | undefined {
  return one !== undefined && other !== undefined && other < one ? other : (one ?? other);
}

function pageOf(found: readonly RenderedRow[], limit: number): ApiResponse {
  const rows = found.slice(0, limit);
  const next_cursor = found.length > limit ? rows.at(-1)!.created_at : null;
  return renderPage(rows.map(({ json }) => json).join(), next_cursor);
}

/** The rows are JSON text already, rendered when they were written. */
function renderPage(rows: string, next_cursor: string | null): ApiResponse {
  const end = `"next_cursor":${JSON.stringify(next_cursor)},"has_more":${next_cursor !== null}`;
  return { status: 200, body: `{"ok":true,"transactions":[${rows}],${end}}` };
}

async function exportTransactions(
  { db, log }: ApiDependencies,
  { caller, query: { reference }, request_id }: ApiRequest<ListTransactionsQuery>,
  query: HistoryQuery,
): Promise<ApiFile> {
  const release = reserveExport(caller.user_id);
  if (!release) {
    throw new ApiError('rate_limited', {
      message: 'Two files of this account are being read already: wait until one is complete.',
      headers: { 'Retry-After': '1' },
    });
  }
  try {
    const rows =
      reference === undefined ? query : await listHistoryOfReference(db, query, reference);
    const body = exportHistory(db, rows, (error) =>
      log({ part: 'transactions', request_id, error: String(error) }),
    );
    body.once('close', release);
    return { status: 200, type: 'text/csv; charset=utf-8', body };
  } catch (error) {
    release();
    throw error;
  }
}

export const getTransaction: Handler = async ({ db }, request) => {
  const { user_id, environment } = request.caller;
  const id = readId(request, 'transaction_not_found');
  const json = await findTransaction(db, user_id, environment, id);
  if (json === undefined) throw new ApiError('transaction_not_found');
  return { status: 200, body: `{"ok":true,${json.slice(1)}` };
};
