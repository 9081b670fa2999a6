// The payouts of a batch as a file: the fields of the API's JSON, those of an object with the object's name before.

import { listPayoutItems, type PayoutItemView } from '../../db/payout-batches/payout-batches';
import { payoutItemError } from '../../domain/payout-batch';
import { csvExport, fields, type Columns } from '../csv-pages';
import { DESTINATION_COLUMNS } from '../payouts/export';

const COLUMNS: Columns<PayoutItemView> = {
  ...fields<PayoutItemView>('index'),
  ...DESTINATION_COLUMNS,
  ...fields<PayoutItemView>('currency', 'amount_minor', 'description', 'status', 'reference'),
  error_code: (item) => payoutItemError(item)?.code ?? null,
  error_message: (item) => payoutItemError(item)?.message ?? null,
};

export const exportPayoutItems = csvExport(COLUMNS, listPayoutItems, 'after', ({ index }) => index);
