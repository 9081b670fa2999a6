// Payouts as a file: the fields of the API's JSON, those of an object with the object's name before.

import { listPayouts, type PayoutView } from '../../db/payouts/payouts';
import { csvExport, fields, type Columns } from '../csv-pages';

/** A destination, as payouts and items of a batch have it. */
export const DESTINATION_COLUMNS: Columns<
  Pick<
    PayoutView,
    'phone' | 'operator' | 'account_end' | 'bank_code' | 'name' | 'name_found' | 'name_match'
  >
> = {
  destination_type: ({ phone }) => (phone === null ? 'bank' : 'mobile_money'),
  destination_phone: ({ phone }) => phone,
  destination_operator: ({ operator }) => operator,
  destination_account: ({ account_end }) => account_end && `…${account_end}`,
  destination_bank_code: ({ bank_code }) => bank_code,
  destination_name: ({ name }) => name,
  destination_name_found: ({ name_found }) => name_found,
  destination_name_match: ({ name_match }) => name_match,
};

const COLUMNS: Columns<PayoutView> = {
  ...fields<PayoutView>(
    'id',
    'reference',
    'status',
    'stage',
    'currency',
    'amount_minor',
    'fee_minor',
    'tax_minor',
  ),
  total: ({ amount_minor, fee_minor }) => amount_minor + fee_minor,
  ...DESTINATION_COLUMNS,
  provider_name: ({ provider }) => provider,
  provider_payment_id: ({ provider_payment_id }) => provider_payment_id,
  failure_code: ({ failure }) => failure && failure.code,
  failure_message: ({ failure }) => failure && failure.message,
  failure_provider_code: ({ failure }) => failure && failure.provider_code,
  returned_amount: ({ returned_minor }) => returned_minor,
  ...fields<PayoutView>('batch_id', 'description', 'environment', 'created_at', 'updated_at'),
  ...fields<PayoutView>('sent_at', 'completed_at'),
  // The JSON shows none either once the operator was asked: the wait is over.
  expires_at: ({ completed_at, stage, expires_at }) =>
    completed_at === null && stage !== 'sent' && stage !== 'unknown' ? expires_at : null,
};

/** Newest first. */
export const exportPayouts = csvExport(
  COLUMNS,
  listPayouts,
  'before',
  ({ created_at }) => created_at,
);
