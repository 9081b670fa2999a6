// The payouts of a batch as a file: the fields of the API's JSON, those of an object with the object's name before.

import type { Readable } from 'node:stream';
import type { Db } from '../../db/connect';
import type { ItemQuery } from '../../db/batches/batches';
import { listPayoutItems, type PayoutItemView } from '../../db/payout-batches/payout-batches';
import type { CsvForm } from '../../domain/csv';
import { payoutItemError } from '../../domain/payout-batch';
import { csvOfPages, fields, type Columns } from '../csv-pages';
import { DESTINATION_COLUMNS } from '../payouts/export';

const COLUMNS: Columns<PayoutItemView> = {
  ...fields<PayoutItemView>('index'),
  ...DESTINATION_COLUMNS,
  ...fields<PayoutItemView>('currency', 'amount_minor', 'description', 'status', 'reference'),
  error_code: (item) => payoutItemError(item)?.code ?? null,
  error_message: (item) => payoutItemError(item)?.message ?? null,
};

export function exportPayoutItems(
  db: Db,
  query: Omit<ItemQuery<PayoutItemView['status']>, 'limit'>,
  { form, onError }: { readonly form: CsvForm; readonly onError: (error: Error) => void },
): Readable {
  return csvOfPages({
    db,
    columns: COLUMNS,
    form,
    list: (source, after, limit) => listPayoutItems(source, { ...query, after, limit }),
    from: query.after,
    positionOf: ({ index }) => index,
    onError,
  });
}
