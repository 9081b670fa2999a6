// The items of a batch as a file.

import type { Readable } from 'node:stream';
import type { Db } from '../../db/connect';
import type { ItemQuery } from '../../db/batches/batches';
import { listItems } from '../../db/transfer-batches/transfer-batches';
import type { Cell, CsvForm } from '../../domain/csv';
import { itemError, type ItemStatus, type ItemView } from '../../domain/transfer-batch';
import { csvOfPages } from '../csv-pages';

const COLUMNS = [
  'index',
  'to_username',
  'currency',
  'amount',
  'status',
  'reference',
  'error_code',
  'error_message',
];

export function exportItems(
  db: Db,
  query: Omit<ItemQuery<ItemStatus>, 'limit'>,
  { form, onError }: { readonly form: CsvForm; readonly onError: (error: Error) => void },
): Readable {
  return csvOfPages({
    columns: COLUMNS,
    cellsOf,
    form,
    list: (after, limit) => listItems(db, { ...query, after, limit }),
    from: query.after,
    positionOf: ({ index }: ItemView) => index,
    onError,
  });
}

function cellsOf(item: ItemView): readonly Cell[] {
  const error = itemError(item.refusal);
  return [
    item.index,
    item.to_username,
    item.currency,
    item.amount_minor,
    item.status,
    item.reference,
    error?.code ?? null,
    error?.message ?? null,
  ];
}
