// Payout batches: up to 10,000 payouts in one order.

import type { FromSchema } from 'json-schema-to-ts';
import { MAX_BATCH_ITEMS } from '../../domain/batch-limits';
import { BATCH_CHECKS, PAYOUT_BATCH_STATUSES } from '../../domain/payout-batch';
import { LONGEST_REASON } from '../../domain/payout';
import {
  approval,
  createPayoutBody,
  destinationFields,
  recipientName,
  rejectPayoutBody,
  shownDestination,
} from '../payouts/schema';
import {
  amount,
  currency,
  environment,
  nullable,
  nullableTime,
  optionalFields,
  page,
  paging,
  part,
  requestAmount,
  resource,
  timestamp,
  uuid,
} from '../schemas';
import { itemsPage, listItemsOf } from '../transfer-batches/schema';

export { rejectPayoutBody };

const itemStatus = {
  title: 'BatchedItemStatus',
  type: 'string',
  enum: ['pending', 'completed', 'failed'],
} as const;
export const listItemsQuery = listItemsOf(itemStatus);

/** One payout of a batch. */
export const payoutItem = {
  title: 'PayoutOrder',
  type: 'object',
  required: ['destination', 'currency', 'amount'],
  additionalProperties: false,
  properties: {
    destination: destinationFields,
    currency,
    amount: { ...requestAmount, description: createPayoutBody.properties.amount.description },
    name: recipientName,
    description: createPayoutBody.properties.description,
  },
} as const;
export type PayoutItemBody = FromSchema<typeof payoutItem>;

const payouts = { type: 'array', minItems: 1, maxItems: MAX_BATCH_ITEMS } as const;

const options = {
  confirm: {
    type: 'boolean',
    default: false,
    description:
      'True: the batch is confirmed with the order, and sent once its destinations were looked at. Otherwise it waits in requires_confirmation until you confirm it.',
  },
  dry_run: {
    type: 'boolean',
    default: false,
    description: 'Only tells what would become of each payout.',
  },
} as const;

const shape = { type: 'object', required: ['payouts'], additionalProperties: false } as const;

export const createPayoutBatchBody = {
  ...shape,
  properties: { payouts: { ...payouts, items: payoutItem }, ...options },
} as const;

/** The items are left out: each is checked by itself (api/transfer-batches/schema.ts). */
export const createPayoutBatchEnvelope = {
  ...shape,
  properties: { payouts, ...options },
} as const;
export type CreatePayoutBatchBody = FromSchema<typeof createPayoutBatchEnvelope>;

const check = { title: 'PayoutBatchCheck', type: 'string', enum: BATCH_CHECKS } as const;

export const confirmPayoutBatchBody = optionalFields({
  exclude: {
    type: 'array',
    maxItems: BATCH_CHECKS.length,
    uniqueItems: true,
    items: check,
    description: 'Payouts of which this was found are not sent: they fail with `excluded`.',
  },
});

const count = { type: 'integer', minimum: 0, maximum: MAX_BATCH_ITEMS } as const;

export const payoutBatch = resource('PayoutBatch', {
  id: uuid,
  status: {
    title: 'PayoutBatchStatus',
    type: 'string',
    enum: PAYOUT_BATCH_STATUSES,
    description:
      'processing: its destinations are looked at, or its payouts are under way. completed: every payout has ended, and some may have failed.',
  },
  confirm: { type: 'boolean' },
  dry_run: { type: 'boolean' },
  environment,
  total: {
    ...count,
    description: 'How many payouts it has. completed and failed say how many have ended so far.',
  },
  completed: count,
  failed: count,
  checks: {
    ...part('PayoutBatchChecks', {
      match: count,
      close: count,
      no_match: count,
      unavailable: {
        ...count,
        description: 'No name was given, or the operator tells none.',
      },
      unreachable: { ...count, description: 'The operator says that it would not pay them.' },
    }),
    description: 'What was found of its destinations so far.',
  },
  approval,
  reject_reason: nullable({
    type: 'string',
    maxLength: LONGEST_REASON,
    description: 'What the person who rejected it gave as the reason.',
  }),
  created_at: timestamp,
  finished_at: nullableTime,
  expires_at: nullable({
    ...timestamp,
    description: 'While it waits for people: when it is canceled.',
  }),
});

export const payoutBatchesResponse = page('payout_batches', payoutBatch);
export const listPayoutBatchesQuery = optionalFields(paging);

export const payoutItemsResponse = itemsPage(
  'BatchedPayoutList',
  'payouts',
  part('BatchedPayout', {
    index: { ...count, description: 'Its place in the order, from 0.' },
    destination: shownDestination,
    currency,
    amount,
    status: itemStatus,
    reference: {
      type: ['string', 'null'],
      maxLength: 64,
      description: 'The reference of the payout, once it was ordered.',
    },
    error: nullable(
      part('BatchedPayoutError', {
        code: {
          type: 'string',
          maxLength: 64,
          description:
            'The code of the payout’s failure, or that with which POST /payouts refuses it; canceled when it was stopped before it was sent, excluded when it was left out.',
        },
        message: { type: 'string', maxLength: 1000 },
      }),
    ),
  }),
);
