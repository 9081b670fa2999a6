// Pages of lists, newest first. `created_at` is unique per user, so a bare instant is the cursor
// (docs/decisions/api.md).

import { endOfTruncated, parseInstant } from '../domain/instant';
import { byTime, pageOf, type Page } from '../domain/page';
import { invalidRequest } from '../domain/refusal';
import type { ApiRequest } from './context';

interface ListQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly created_from?: string | undefined;
  readonly created_to?: string | undefined;
}

/** All rows that the filters of a list let through, for a file. @throws Refusal invalid_request */
export function readFilters<Query extends ListQuery>({
  caller: { user_id, environment },
  query,
}: ApiRequest<Query>): Omit<PageQuery<Query>, 'limit'> {
  const { limit: _, cursor, created_from, created_to, ...filters } = query;
  return {
    user_id,
    environment,
    before: readInstant('cursor', cursor),
    filters: {
      ...filters,
      created_from: readInstant('created_from', created_from),
      created_to: readInstant('created_to', created_to),
    },
  };
}

/**
 * One page of the caller's rows: `list` is called for one row more than the limit, which tells that
 * another page follows. What else the query holds are filters.
 * @throws Refusal invalid_request
 */
export async function readPage<
  Query extends ListQuery,
  Row extends { readonly created_at: string },
>(
  { caller, query }: ApiRequest<Query>,
  list: (query: PageQuery<Query>) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const { limit, cursor, created_from, created_to, ...filters } = query;
  const listBefore = (before: string | undefined, count: number) =>
    list({
      user_id: caller.user_id,
      environment: caller.environment,
      before,
      limit: count,
      filters: {
        ...filters,
        created_from: readInstant('created_from', created_from),
        created_to: readInstant('created_to', created_to),
      },
    });
  const before = await readCursor(cursor, async (end) => (await listBefore(end, 1))[0]?.created_at);
  const found = await listBefore(before, limit + 1);
  return pageOf(found, limit, byTime);
}

type PageQuery<Query> = Pick<ApiRequest['caller'], 'user_id' | 'environment'> & {
  readonly before: string | undefined;
  readonly limit: number;
  readonly filters: Omit<Query, keyof ListQuery> & Pick<ListQuery, 'created_from' | 'created_to'>;
};

/** Normalised; undefined when absent. @throws Refusal invalid_request */
export function readInstant(param: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const instant = parseInstant(text);
  if (instant === undefined) {
    throw invalidRequest(param, `${param} must be an ISO 8601 instant.`);
  }
  return instant;
}

/**
 * A client that keeps milliseconds gives back less than it got. When rows lie in what it has cut
 * off, some of them would be skipped without a word.
 * @param findNewest the newest row before an instant
 * @throws Refusal invalid_request
 */
export async function readCursor(
  text: string | undefined,
  findNewest: (before: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const cursor = text === undefined ? undefined : parseInstant(text);
  if (text !== undefined && cursor === undefined) {
    throw invalidRequest(
      'cursor',
      'cursor is not one of ours: pass next_cursor unchanged, or an ISO 8601 instant.',
    );
  }
  const end = cursor === undefined ? undefined : endOfTruncated(text!);
  if (end === undefined) return cursor;
  const newest = await findNewest(end);
  if (newest !== undefined && newest > cursor!) {
    throw invalidRequest('cursor', 'cursor has lost digits: pass next_cursor unchanged.');
  }
  return cursor;
}
