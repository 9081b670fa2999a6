// Slips of made.ts that no test can notice, each with its reason: another rule holds what it drops. made.test.ts says when
// one is no longer made.

export const EQUIVALENT: ReadonlyMap<string, string> = new Map([
  [
    'db/refunds/refunds.sql create_refund: d.intent_id = i.id',
    'A payment is of one intent, and disputes are found by their intent.',
  ],
  [
    'db/payment-intents/intents.sql create_intent: for update',
    'The insert before it waits for each change that is under way: all of them change an index.',
  ],
  [
    "db/payment-intents/intents.sql abandon_lost_intents: p.status = 'creating'",
    'abandon_intent asks for it again. It saves a look at each intent that has expired.',
  ],
  [
    "db/payment-intents/intents.sql expire_intent: d.status = 'pending'",
    'The event is being made, so each of its deliveries is pending. The index of what is due wants it.',
  ],
  ...["p.status in ('open', 'processing')", 'coalesce(p.next_check_at, p.expires_at) <= now()'].map(
    (condition) =>
      [
        `db/payment-intents/intents.sql claim_due_intents: ${condition}`,
        'It is asked again under the lock. It is the index of what is due.',
      ] as const,
  ),
  ...[
    "p.status in ('open', 'processing') (2)",
    'coalesce(p.next_check_at, p.expires_at) <= now() (2)',
  ].map(
    (condition) =>
      [
        `db/payment-intents/intents.sql claim_due_intents: ${condition}`,
        'It counts when another session commits between the look and the lock of this one statement.',
      ] as const,
  ),
  [
    'db/suspense/suspense.sql record_refund_fault: r.number = order_number',
    'Of the orders of an item one is open, and the next condition asks for that.',
  ],
  ...(
    [
      ['payment_link_id: id', "The key is made of the link's id."],
      ['quantity: String(quantity)', "It follows from the amount: a link's price stays."],
    ] as const
  ).map(
    ([field, why]) =>
      [`use-cases/payment-intents/create.ts fingerprintedLink: ${field},`, why] as const,
  ),
  [
    'db/suspense/losses.sql unsettled_losses: p.contradicted_at is not null',
    'A payout that was not contradicted has lost nothing. It is the index of those that were.',
  ],
  [
    'db/ledger/ledger.sql system_account: a.user_id is null',
    'Only a wallet has a user. It is how the index finds the account.',
  ],
  ...['s.key_id = l.first_key', 's.currency = cur'].map(
    (condition) =>
      [
        `db/keys/daily-limits.sql count_key_spending: ${condition}`,
        'What it deletes counts for no key any more; an order takes away what is its own, so that none waits for another.',
      ] as const,
  ),
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
  ...['', ' (2)'].map(
    (nth) =>
      [
        `db/transfers/transfers.sql read_transfers: a.user_id is null${nth}`,
        'Only wallets have a user. The index of accounts begins with it.',
      ] as const,
  ),
  [
    'db/transfers/transfers.sql decide_transfers: o.limited_key is not null',
    'count_key_spending counts nothing without a key. It saves that call in each transfer.',
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
  ...(
    [
      [
        'body is null',
        'What has a stored response is answered with it, also when it was given up.',
      ],
      ['not lapsed', 'Past its moment nothing is posted anyway.'],
    ] as const
  ).map(
    ([condition, why]) =>
      [
        `db/requests/idempotency.sql resolve_idempotency_key: ${condition}`,
        `${why} It saves a row.`,
      ] as const,
  ),
  [
    'activities/payout-batches.ts createPayoutBatchActivities: batch.step !== null',
    'A batch without a step has been through its items, or they are over: none is asked about or paid. It saves looking for half a second.',
  ],
  [
    'activities/suspense.ts followSuspenseRefund: questions.length === 0',
    'A question is of a refund. It keeps an order that came after the item was read from being logged as missing.',
  ],
  ...['closed.is_paying', 'isTerminal(closed.status)'].map(
    (guard) =>
      [
        `activities/payment-intents.ts createIntentActivities: ${guard}`,
        'cancel_intent leaves alone what is being paid or has ended. It saves asking it.',
      ] as const,
  ),
]);
