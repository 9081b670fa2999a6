// GET /transactions and GET /transactions/{id} (specification, section 4).

import type { FromSchema } from 'json-schema-to-ts';
import {
  TRANSACTION_FILTERS,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
} from '../../domain/transaction';
import {
  amount,
  currency,
  nullableText,
  optionalFields,
  page,
  paging,
  resource,
  response,
  timestamp,
  uuid,
} from '../schemas';

export const listTransactionsQuery = optionalFields({
  ...paging,
  type: {
    type: 'string',
    enum: TRANSACTION_FILTERS,
    description: 'transfer stands for transfer_in and transfer_out.',
  },
});
export type ListTransactionsQuery = FromSchema<typeof listTransactionsQuery>;

const transaction = {
  id: uuid,
  type: { type: 'string', enum: TRANSACTION_TYPES },
  status: { type: 'string', enum: TRANSACTION_STATUSES },
  direction: { type: 'string', enum: ['in', 'out'] },
  currency,
  amount,
  fee: amount,
  net_amount: amount,
  balance_after: amount,
  reference: { type: 'string', maxLength: 64 },
  counterparty: nullableText,
  description: nullableText,
  related: nullableText,
  created_at: timestamp,
} as const;

export const transactionsResponse = page('transactions', resource(transaction));
export const transactionResponse = response(transaction);
