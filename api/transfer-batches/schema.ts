// Bulk transfers: up to 10,000 in one order.

import type { FromSchema } from 'json-schema-to-ts';
import { MAX_BATCH_ITEMS, MAX_STEP_ITEMS } from '../../domain/batch-limits';
import { BATCH_MODES, BATCH_STATUSES, ITEM_STATUSES } from '../../domain/transfer-batch';
import { MAX_TRANSFER_DESCRIPTION } from '../../domain/transfer';
import {
  amount,
  currency,
  environment,
  errorCode,
  idempotencyKey,
  nullable,
  nullableTime,
  optionalFields,
  page,
  paging,
  part,
  requestAmount,
  resource,
  response,
  timestamp,
  username,
  uuid,
} from '../schemas';
import { createTransferBody } from '../transfers/schema';

/** One transfer of a batch. */
export const batchItem = {
  title: 'TransferOrder',
  type: 'object',
  required: ['to_username', 'currency', 'amount'],
  additionalProperties: false,
  properties: {
    to_username: { ...username, description: "The recipient's username; capitals do not matter." },
    currency,
    amount: requestAmount,
    idempotency_key: {
      ...idempotencyKey,
      description: 'The same as the Idempotency-Key of a single transfer, in both directions.',
    },
    description: createTransferBody.properties.description,
  },
} as const;
export type BatchItemBody = FromSchema<typeof batchItem>;

const transfers = { type: 'array', minItems: 1, maxItems: MAX_BATCH_ITEMS } as const;

const mode = { title: 'TransferBatchMode', type: 'string', enum: BATCH_MODES } as const;

const options = {
  mode: {
    ...mode,
    default: 'independent',
    description: `atomic: all of them or none, and at most ${MAX_STEP_ITEMS}.`,
  },
  dry_run: {
    type: 'boolean',
    default: false,
    description: 'Only tells what would become of each transfer.',
  },
} as const;

const shape = { type: 'object', required: ['transfers'], additionalProperties: false } as const;

export const createBatchBody = {
  ...shape,
  properties: { transfers: { ...transfers, items: batchItem }, ...options },
} as const;

/**
 * The same without the items, which are checked one by one: a body of this size could have a
 * million faults, and no reader needs more than a few.
 */
export const createBatchEnvelope = {
  ...shape,
  properties: { transfers, ...options },
} as const;
export type CreateBatchBody = FromSchema<typeof createBatchEnvelope>;

const count = { type: 'integer', minimum: 0, maximum: MAX_BATCH_ITEMS } as const;

export const batch = resource('TransferBatch', {
  id: uuid,
  status: {
    title: 'TransferBatchStatus',
    type: 'string',
    enum: BATCH_STATUSES,
    description:
      'completed: every transfer is done, and some may have failed. failed: an atomic batch of which one was refused; nothing was moved.',
  },
  mode,
  dry_run: { type: 'boolean' },
  environment,
  total: {
    ...count,
    description: 'Of its transfers; so many are completed, failed and held so far.',
  },
  completed: count,
  failed: count,
  held: {
    ...count,
    description: 'Transfers that wait for a check: they are completed or failed later.',
  },
  created_at: timestamp,
  finished_at: nullableTime,
});

export const batchesResponse = page('transfer_batches', batch);
export const listBatchesQuery = optionalFields(paging);

/** The page is longer than in other lists: a batch has up to 10,000 items. */
const MAX_ITEMS_PAGE = 1_000;

const itemStatus = { title: 'BatchedTransferStatus', type: 'string', enum: ITEM_STATUSES } as const;

const itemsQuery = {
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_ITEMS_PAGE,
    default: 25,
    description: 'How many rows a page has at most.',
  },
  cursor: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_BATCH_ITEMS,
    description: 'As next_cursor gives it; the items after it are listed.',
  },
} as const;

/** The query of a batch's items, whose statuses are these. */
export const listItemsOf = <const Status extends object>(status: Status) =>
  optionalFields({
    status: { ...status, description: 'Items with this status only.' },
    ...itemsQuery,
  });

export const listItemsQuery = listItemsOf(itemStatus);

/** `name` is the field of the items. */
export function itemsPage<Name extends string, Item>(title: string, name: Name, items: Item) {
  return response(title, {
    [name]: { type: 'array', maxItems: MAX_ITEMS_PAGE, items },
    next_cursor: {
      type: ['string', 'null'],
      maxLength: 16,
      description: 'The cursor of the next page; null on the last.',
    },
    has_more: { type: 'boolean' },
  });
}

export const itemsResponse = itemsPage(
  'BatchedTransferList',
  'transfers',
  part('BatchedTransfer', {
    index: { ...count, description: 'Its place in the order, from 0.' },
    to_username: username,
    currency,
    amount,
    status: itemStatus,
    reference: {
      type: ['string', 'null'],
      maxLength: 64,
      description: 'The reference of the transfer, once it is completed or held.',
    },
    error: nullable(
      part('BatchedTransferError', {
        code: errorCode,
        message: { type: 'string', maxLength: 1000 },
      }),
    ),
    idempotency_key: { type: ['string', 'null'], maxLength: 255 },
    description: { type: ['string', 'null'], maxLength: MAX_TRANSFER_DESCRIPTION },
    simulated: { type: 'boolean' },
    replayed: {
      type: 'boolean',
      description: 'Its key had been answered before; nothing was done for it here.',
    },
  }),
);
