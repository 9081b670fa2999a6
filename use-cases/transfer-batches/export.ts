// The items of a batch as a file.

import type { Readable } from 'node:stream';
import type { Db } from '../../db/connect';
import type { ItemQuery } from '../../db/batches/batches';
import { listItems, type ItemView } from '../../db/transfer-batches/transfer-batches';
import type { CsvForm } from '../../domain/csv';
import { itemError, type ItemStatus } from '../../domain/transfer-batch';
import { csvOfPages, fields, type Columns } from '../csv-pages';

const COLUMNS: Columns<ItemView> = {
  ...fields<ItemView>('index', 'to_username', 'currency', 'amount_minor', 'status', 'reference'),
  error_code: ({ refusal }) => itemError(refusal)?.code ?? null,
  error_message: ({ refusal }) => itemError(refusal)?.message ?? null,
};

export function exportItems(
  db: Db,
  query: Omit<ItemQuery<ItemStatus>, 'limit'>,
  { form, onError }: { readonly form: CsvForm; readonly onError: (error: Error) => void },
): Readable {
  return csvOfPages({
    db,
    columns: COLUMNS,
    form,
    list: (source, after, limit) => listItems(source, { ...query, after, limit }),
    from: query.after,
    positionOf: ({ index }) => index,
    onError,
  });
}
