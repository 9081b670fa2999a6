// Pages of lists, with the words below them.

import { pageOf, type Page } from '../domain/page';

export interface ListedPage<Row> extends Page<Row> {
  /** How to ask for the next page, on a line of its own below the table. */
  readonly more: string;
}

export function listedPage<Row>(...read: Parameters<typeof pageOf<Row>>): ListedPage<Row> {
  const page = pageOf(...read);
  const { next_cursor } = page;
  return { ...page, more: next_cursor === null ? '' : `\nMore: --cursor ${next_cursor}` };
}
