// Slips of made.ts that no test can notice, each with its reason: another rule holds what it drops. made.test.ts says when
// one is no longer made.

export const EQUIVALENT: ReadonlyMap<string, string> = new Map([
  [
    'db/payouts/payouts.sql exceeded_payout_limit: v.most is not null',
    'No sum exceeds null. It saves the sums of limits that are not set.',
  ],
  [
    'db/payout-batches/payout-batches.sql payout_batch_approvals_needed: s.new_destination_above_minor is not null',
    'No sum is above null. It saves the sums of each destination where there is no rule of new ones.',
  ],
  [
    'db/payout-batches/payout-batches.sql count_payout_batch_items: succeeded + refused > 0',
    'Without an item that has ended it changes nothing but the moment of the last progress.',
  ],
  [
    "db/payout-batches/payout-batches.sql end_payout_batch_item: i.status = 'pending'",
    'A payout ends once. It keeps a second end from being counted, if there ever were one.',
  ],
  ...['begin_canceling_payout', 'record_payout_check'].map(
    (where) =>
      [
        `db/payouts/payouts.sql ${where}: x.status = 'pending'`,
        'A check: only a payout that is pending has a stage, which the next condition asks for.',
      ] as const,
  ),
  [
    'db/transfers/transfers.sql read_transfers: fees.user_id is null',
    'Only wallets have a user. The index of accounts begins with it.',
  ],
  [
    'db/transfers/transfers.sql lock_transfers: lock is not null',
    'To lock null locks nothing. It says that an order without a key, or of an unknown recipient, has no such lock.',
  ],
  ...[
    'w.user_id = any (array(select x.id from unnest(orders) o cross join lateral (values (o.sender_id), (o.recipient_id)) x (id)))',
    "w.status <> 'deleted'",
    "'transfer' = any (event_nouns(w.types))",
  ].map(
    (condition) =>
      [
        `db/transfers/transfers.sql write_transfers: ${condition}`,
        'add_transfer_events asks the same of each endpoint. It saves its statements where there is none.',
      ] as const,
  ),
]);
