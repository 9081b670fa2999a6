// Pages of lists. A list is asked for one row more than a page has, which shows that another page follows.

export interface Page<Row> {
  readonly page: readonly Row[];
  readonly next_cursor: string | null;
  /** How to ask for the next page, on a line of its own below the table. */
  readonly more: string;
}

export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string,
): Page<Row> {
  const page = rows.slice(0, limit);
  const next_cursor = rows.length > limit ? cursorOf(page.at(-1)!) : null;
  return { page, next_cursor, more: next_cursor === null ? '' : `\nMore: --cursor ${next_cursor}` };
}
