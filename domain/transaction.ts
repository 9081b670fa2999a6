// The words of the transaction history (specification, section 2; design for what it leaves open).

export const TRANSACTION_TYPES = [
  'deposit',
  'withdrawal',
  'transfer_in',
  'transfer_out',
  'refund',
  'dispute',
  'reversal',
  'adjustment',
] as const;
export type TransactionType = (typeof TRANSACTION_TYPES)[number];

/** The description that sign_up in db/accounts/users.sql gives the sandbox's first money. */
export const OPENING_BALANCE = 'sandbox opening balance';

export const TRANSACTION_STATUSES = [
  'pending',
  'completed',
  'failed',
  'reversed',
  'simulated',
] as const;

export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

export const DIRECTIONS = ['in', 'out'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The directions in which rows of each type move money. */
export const TYPE_DIRECTIONS: Readonly<Record<TransactionType, readonly Direction[]>> = {
  deposit: ['in'],
  withdrawal: ['out'],
  transfer_in: ['in'],
  transfer_out: ['out'],
  refund: DIRECTIONS,
  dispute: ['out'],
  reversal: DIRECTIONS,
  adjustment: DIRECTIONS,
};

/** `transfer` stands for both directions. */
export const TRANSACTION_FILTERS = [...TRANSACTION_TYPES, 'transfer'] as const;
export type TransactionFilter = (typeof TRANSACTION_FILTERS)[number];

export function typesMatching(filter: TransactionFilter): readonly TransactionType[] {
  return filter === 'transfer' ? ['transfer_in', 'transfer_out'] : [filter];
}
