// GET /transactions and GET /transactions/{id} (specification, section 4).

import type { FromSchema } from 'json-schema-to-ts';
import { REFERENCE_PATTERN } from '../../domain/ids';
import {
  TRANSACTION_FILTERS,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
} from '../../domain/transaction';
import {
  amount,
  currency,
  direction,
  nullableText,
  optionalFields,
  page,
  paging,
  period,
  resource,
  taxAmount,
  timestamp,
  uuid,
} from '../schemas';

const status = { title: 'TransactionStatus', type: 'string', enum: TRANSACTION_STATUSES } as const;

export const listTransactionsQuery = optionalFields({
  ...paging,
  type: {
    title: 'TransactionFilter',
    type: 'string',
    enum: TRANSACTION_FILTERS,
    description: 'Rows of this type only; transfer stands for transfer_in and transfer_out.',
  },
  currency: { ...currency, description: 'Rows of this wallet only.' },
  status: { ...status, description: 'Rows with this status only.' },
  direction: { ...direction, description: 'Rows that credit (in) or debit (out) only.' },
  reference: {
    type: 'string',
    pattern: REFERENCE_PATTERN,
    description: 'Rows of this transfer, payment, refund, dispute or adjustment only.',
    examples: ['TRF-9F2C41D7A3E8B605Q7ZM'],
  },
  ...period,
});
export type ListTransactionsQuery = FromSchema<typeof listTransactionsQuery>;

export const transaction = resource('Transaction', {
  id: uuid,
  type: { title: 'TransactionType', type: 'string', enum: TRANSACTION_TYPES },
  status,
  direction,
  currency,
  amount,
  fee: amount,
  tax: taxAmount,
  net_amount: amount,
  balance_after: amount,
  reference: { type: 'string', maxLength: 64 },
  counterparty: nullableText,
  description: nullableText,
  related: nullableText,
  created_at: timestamp,
});

export const transactionsResponse = page('transactions', transaction);
