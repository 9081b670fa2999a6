// A page of a list. It is read with one row more than it has, which shows that another page follows.

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

export function pageOf<Row>(
  found: readonly Row[],
  most: number,
  cursorOf: (last: Row) => string,
): Page<Row> {
  const rows = found.slice(0, most);
  const has_more = found.length > most;
  return { rows, next_cursor: has_more ? cursorOf(rows.at(-1)!) : null, has_more };
}

export const byTime = ({ created_at }: { readonly created_at: string }): string => created_at;
export const byNumber = ({ id }: { readonly id: bigint }): string => String(id);
