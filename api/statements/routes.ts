// Lists the monthly statements of the wallets, and shows one: as JSON, as CSV, as PDF.

import { Readable } from 'node:stream';
import { isCurrency, type Currency } from '../../domain/currency';
import { amountJson } from '../../domain/money';
import { Refusal } from '../../domain/refusal';
import { pageOf } from '../../domain/page';
import {
  findStatement,
  listStatements as readStatements,
  readMonth,
  type StatementPosition,
} from '../../use-cases/statements/months';
import { writeStatementPdf } from '../../use-cases/statements/pdf';
import { renderStatementCsv, renderStatementJson } from '../../use-cases/statements/text-files';
import type { ApiDependencies, ApiFile, ApiRequest } from '../context';
import { sendFile } from '../file';
import { routesOf } from '../route';
import { success } from '../success';
import { listStatementsQuery, statementResponse, statementsResponse } from './schema';

/** The schema has let through what has this form. */
function positionOf(cursor: string): StatementPosition {
  const [month, currency] = cursor.split('/') as [string, Currency];
  return { month, currency };
}

function ownerOf({ user_id, environment }: ApiRequest['caller']) {
  return { user_id, environment };
}

async function write(
  { db, log }: ApiDependencies,
  { caller, form, language, request_id }: ApiRequest,
  position: StatementPosition,
): Promise<Pick<ApiFile, 'type' | 'body'>> {
  const statement = await findStatement(db, ownerOf(caller), position);
  if (!statement) throw new Refusal('statement_not_found');
  const onError = (error: Error) => log({ part: 'statements', request_id, error: String(error) });
  const stream = (texts: AsyncGenerator<string>): Readable =>
    Readable.from(texts, { objectMode: false }).on('error', onError);
  switch (form) {
    case 'json':
      return {
        type: 'application/json; charset=utf-8',
        body: stream(renderStatementJson(db, statement)),
      };
    case 'csv':
      return { type: 'text/csv; charset=utf-8', body: stream(renderStatementCsv(db, statement)) };
    case 'pdf': {
      const options = { username: caller.username, language, onError };
      return { type: 'application/pdf', body: await writeStatementPdf(db, statement, options) };
    }
  }
}

const on = routesOf('Statements');

export const statementRoutes = [
  on.get('/statements', {
    summary: 'The monthly statements, newest first',
    description:
      'One for each wallet and month (of UTC) since the account was made; months that operators have moved to their archive are left out. The running month is there with what it has so far. Each closing balance is the opening balance of the next month.',
    query: listStatementsQuery,
    response: statementsResponse,
    handler: async function listStatements({ db }, { caller, query }) {
      const { limit, cursor } = query;
      const after = cursor === undefined ? undefined : positionOf(cursor);
      const found = await readStatements(db, ownerOf(caller), { after, limit: limit + 1 });
      const place = ({ month, currency }: (typeof found)[number]): string => `${month}/${currency}`;
      const { rows, next_cursor, has_more } = pageOf(found, limit, place);
      return success({
        statements: rows.map(({ currency, month, opening_minor, closing_minor, is_closed }) => ({
          currency,
          month,
          opening: amountJson(opening_minor),
          closing: amountJson(closing_minor),
          is_closed,
        })),
        next_cursor,
        has_more,
      });
    },
  }),
  on.get('/statements/{currency}/{month}', {
    path_parameters: {
      currency: 'The currency of the wallet.',
      month: 'A year and a month, such as 2026-11.',
    },
    summary: 'A monthly statement: JSON, CSV or PDF',
    description:
      'All that moved the wallet in the month, oldest first; what was simulated moved nothing and is left out. With `Accept: text/csv` a file comes with a line for the opening balance, one for each transaction with the balance after it, and one for the closing balance; with `Accept: application/pdf` a document to print, in French if `Accept-Language` prefers it, which lists 10,000 transactions at most. A response that could not be finished breaks off. An account can have two at a time.',
    response: statementResponse,
    also: ['csv', 'pdf'],
    errors: ['statement_not_found'],
    handler: async function getStatement(dependencies, request) {
      const { caller, params } = request;
      const month = readMonth(params['month'] ?? '');
      const currency = params['currency'] ?? '';
      if (month === undefined || !isCurrency(currency)) throw new Refusal('statement_not_found');
      return sendFile(caller.user_id, async () => {
        const file = await write(dependencies, request, { month, currency });
        return { status: 200, ...file, headers: { Vary: 'Accept, Accept-Language' } };
      });
    },
  }),
];
