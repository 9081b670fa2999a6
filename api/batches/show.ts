// The items of a batch of either kind: a page of them, or all as a file.

import type { Readable } from 'node:stream';
import type { ItemQuery } from '../../db/batches/batches';
import type { Db } from '../../db/connect';
import { PLAIN_CSV, type CsvForm } from '../../domain/csv';
import type { JsonValue } from '../../domain/json';
import { pageOf } from '../../domain/page';
import type { ApiDependencies, ApiFile, ApiRequest, ApiResponse } from '../context';
import { success } from '../success';

interface ListItemsQuery<Status> {
  readonly status?: Status;
  readonly limit: number;
  readonly cursor?: number;
}

interface Items<Item, Status extends string> {
  /** Their field of the response. */
  readonly name: 'transfers' | 'payouts';
  readonly list: (db: Db, query: ItemQuery<Status>) => Promise<readonly Item[]>;
  readonly present: (item: Item) => JsonValue;
  readonly file: (
    db: Db,
    query: Omit<ItemQuery<Status>, 'limit'>,
    options: { readonly form: CsvForm; readonly onError: (error: Error) => void },
  ) => Readable;
}

export async function showItems<Item extends { readonly index: number }, Status extends string>(
  { db, log }: ApiDependencies,
  { form, query: { status, limit, cursor = -1 }, request_id }: ApiRequest<ListItemsQuery<Status>>,
  batch_id: string,
  { name, list, present, file }: Items<Item, Status>,
): Promise<ApiResponse | ApiFile> {
  const query = { batch_id, status, after: cursor };
  if (form === 'csv') {
    const part = name === 'payouts' ? 'payout-batches' : 'batches';
    const onError = (error: Error) => log({ part, request_id, error: String(error) });
    const body = file(db, query, { form: PLAIN_CSV, onError });
    return { status: 200, type: 'text/csv; charset=utf-8', body };
  }
  const found = await list(db, { ...query, limit: limit + 1 });
  const { rows, next_cursor, has_more } = pageOf(found, limit, ({ index }) => String(index));
  return success({ [name]: rows.map(present), next_cursor, has_more });
}
