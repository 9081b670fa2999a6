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
  ...['u.id = m.user_id', 'm.login_id::text = operator_person(actor)'].map(
    (condition) =>
      [
        `db/transfer-batches/transfer-batches.sql order_transfer_batch: ${condition}`,
        'refuse_own_account asks it again. It saves asking for each account that the items name.',
      ] as const,
  ),
  [
    "db/operators/approvals.sql approval_subject: i.status = 'succeeded'",
    'No other intent has a payment that is booked under its reference, which the query asks for.',
  ],
  [
    "db/operators/operators.sql set_operator: w.status = 'waiting'",
    'reject_request leaves alone what is decided. It saves looking at all requests that there ever were.',
  ],
  [
    "db/operators/operators.sql credit_wallet_as: t.kind = 'adjustment'",
    'Only an adjustment is between a wallet and one of the sources, which the other conditions ask for.',
  ],
  [
    'db/sandbox/fund.sql fund_sandbox_wallet: x.user_id = q.user_id',
    'A credit stands in one history. The index of histories begins with the account.',
  ],
  ...['begin_canceling_payout', 'record_payout_check'].map(
    (where) =>
      [
        `db/payouts/payouts.sql ${where}: x.status = 'pending'`,
        'A check: only a payout that is pending has a stage, which the next condition asks for.',
      ] as const,
  ),
]);
