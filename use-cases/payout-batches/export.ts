// The payouts of a batch as a file: the fields of the API's JSON, those of an object with the object's name before.

import type { Readable } from 'node:stream';
import type { Db } from '../../db/connect';
import { listPayoutItems, type PayoutItemQuery } from '../../db/payout-batches/payout-batches';
import type { Cell, CsvForm } from '../../domain/csv';
import { payoutItemError, type PayoutItemView } from '../../domain/payout-batch';
import { itemsAsFile } from '../transfer-batches/export';

const COLUMNS: Readonly<Record<string, (item: PayoutItemView) => Cell>> = {
  index: ({ index }) => index,
  destination_type: ({ phone }) => (phone === null ? 'bank' : 'mobile_money'),
  destination_phone: ({ phone }) => phone,
  destination_operator: ({ operator }) => operator,
  destination_account: ({ account_end }) => account_end && `…${account_end}`,
  destination_bank_code: ({ bank_code }) => bank_code,
  destination_name: ({ name }) => name,
  destination_name_found: ({ name_found }) => name_found,
  destination_name_match: ({ name_match }) => name_match,
  currency: ({ currency }) => currency,
  amount: ({ amount_minor }) => amount_minor,
  status: ({ status }) => status,
  reference: ({ reference }) => reference,
  error_code: (item) => payoutItemError(item)?.code ?? null,
  error_message: (item) => payoutItemError(item)?.message ?? null,
};

export function exportPayoutItems(
  db: Db,
  query: Omit<PayoutItemQuery, 'limit'>,
  { form, onError }: { readonly form: CsvForm; readonly onError: (error: Error) => void },
): Readable {
  const cells = Object.values(COLUMNS);
  return itemsAsFile({
    columns: Object.keys(COLUMNS),
    cellsOf: (item: PayoutItemView) => cells.map((cell) => cell(item)),
    list: (after, limit) => listPayoutItems(db, { ...query, after, limit }),
    after: query.after,
    form,
    onError,
  });
}
