// Pages of lists, newest first. `created_at` is unique per user, so a bare instant is the cursor
// (docs/decisions/0013-paging-by-unique-timestamp.md).

import { parseInstant } from '../domain/instant';
import { invalidRequest } from './api-error';

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The last row's `created_at`; null on the last page. */
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** Takes up to `limit + 1` rows: the extra one tells that another page follows. */
export function pageOf<Row extends { readonly created_at: string }>(
  found: readonly Row[],
  limit: number,
): Page<Row> {
  const rows = found.slice(0, limit);
  const has_more = found.length > limit;
  return { rows, next_cursor: has_more ? rows.at(-1)!.created_at : null, has_more };
}

/** Normalised; undefined when absent. @throws ApiError invalid_request */
export function readInstant(param: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const instant = parseInstant(text);
  if (instant === undefined) {
    throw invalidRequest(param, `${param} must be an ISO 8601 instant.`);
  }
  return instant;
}
