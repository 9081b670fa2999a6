// GET /transactions and GET /transactions/{id} (specification, section 4).

import type { FromSchema } from 'json-schema-to-ts';
import {
  TRANSACTION_FILTERS,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
} from '../../domain/transaction';
import { amount, currency, ok, pageEnd, paging, timestamp, uuid } from '../schemas';

export const listTransactionsQuery = {
  type: 'object',
  required: [],
  additionalProperties: false,
  properties: {
    ...paging,
    type: {
      type: 'string',
      enum: TRANSACTION_FILTERS,
      description: 'transfer stands for transfer_in and transfer_out.',
    },
  },
} as const;
export type ListTransactionsQuery = FromSchema<typeof listTransactionsQuery>;

const nullableText = { type: ['string', 'null'], maxLength: 500 } as const;

const transaction = {
  required: [
    'id',
    'type',
    'status',
    'direction',
    'currency',
    'amount',
    'fee',
    'net_amount',
    'balance_after',
    'reference',
    'counterparty',
    'description',
    'related',
    'created_at',
  ],
  properties: {
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
  },
} as const;

export const transactionsResponse = {
  type: 'object',
  required: ['ok', 'transactions', 'next_cursor', 'has_more'],
  additionalProperties: false,
  properties: {
    ok,
    transactions: {
      type: 'array',
      maxItems: 100,
      items: { type: 'object', additionalProperties: false, ...transaction },
    },
    ...pageEnd,
  },
} as const;

export const transactionResponse = {
  type: 'object',
  required: ['ok', ...transaction.required],
  additionalProperties: false,
  properties: { ok, ...transaction.properties },
} as const;
