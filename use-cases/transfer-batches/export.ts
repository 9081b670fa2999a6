// The items of a batch as a file.

import { listItems, type ItemView } from '../../db/transfer-batches/transfer-batches';
import { itemError } from '../../domain/transfer-batch';
import { csvExport, fields, type Columns } from '../csv-pages';

const COLUMNS: Columns<ItemView> = {
  ...fields<ItemView>('index', 'to_username', 'currency', 'amount_minor', 'status', 'reference'),
  error_code: ({ refusal }) => itemError(refusal)?.code ?? null,
  error_message: ({ refusal }) => itemError(refusal)?.message ?? null,
};

export const exportItems = csvExport(COLUMNS, listItems, 'after', ({ index }) => index);
