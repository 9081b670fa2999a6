// Which tests own the files that move, release or order money, nearest first; the files are in the order of danger.

export interface Owner {
  readonly files: readonly string[];
  /** They run in turn until one of their tests has failed. */
  readonly tests: readonly string[];
}

export const OWNERS: readonly Owner[] = [
  {
    files: ['db/risk/cases.sql', 'db/risk/rules.sql', 'db/risk/settings.sql'],
    tests: ['test/db/risk.test.ts', 'test/api/risk.test.ts'],
  },
  {
    files: ['db/risk/accounts.sql', 'db/risk/lists.sql'],
    tests: ['test/db/account-cases.test.ts', 'test/use-cases/screening.test.ts'],
  },
  {
    files: ['db/risk/provider.sql'],
    tests: ['test/use-cases/risk-provider.test.ts', 'test/api/risk-provider.test.ts'],
  },
  {
    files: ['db/payouts/payouts.sql', 'db/payouts/settings.sql'],
    tests: [
      'test/db/payouts.test.ts',
      'test/db/repeated-orders.test.ts',
      'test/db/environments.test.ts',
      'test/db/idempotency.test.ts',
      'test/db/payout-batches.test.ts',
      'test/db/daily-limits.test.ts',
      'test/db/operator-payouts.test.ts',
      'test/db/sandbox-clock.test.ts',
      'test/workflows/payout.test.ts',
      'test/workflows/payout-callbacks.test.ts',
      'test/api/payouts.test.ts',
    ],
  },
  {
    files: ['db/payouts/operator-payouts.sql'],
    tests: [
      'test/db/operator-payouts.test.ts',
      'test/db/approvals.test.ts',
      'test/cli/payouts.test.ts',
    ],
  },
  {
    files: ['db/payout-batches/payout-batches.sql'],
    tests: [
      'test/db/payout-batches.test.ts',
      'test/db/idempotency.test.ts',
      'test/db/daily-limits.test.ts',
      'test/db/sandbox-clock.test.ts',
      'test/api/payout-batches.test.ts',
    ],
  },
  {
    files: ['db/refunds/refunds.sql'],
    tests: [
      'test/db/refunds.test.ts',
      'test/db/environments.test.ts',
      'test/db/idempotency.test.ts',
      'test/db/losses.test.ts',
      'test/db/disputes.test.ts',
      'test/db/wrong-amounts.test.ts',
      'test/db/decisions.test.ts',
      'test/workflows/refund.test.ts',
      'test/api/refunds.test.ts',
    ],
  },
  {
    files: ['db/suspense/suspense.sql', 'db/suspense/losses.sql'],
    tests: [
      'test/db/losses.test.ts',
      'test/db/decisions.test.ts',
      'test/db/wrong-amounts.test.ts',
      'test/db/own-accounts.test.ts',
      'test/db/intents.test.ts',
      'test/db/repeated-orders.test.ts',
      'test/db/lock-order.test.ts',
      'test/workflows/refund.test.ts',
      'test/workflows/payment-intent-notifications.test.ts',
      'test/cli/suspense.test.ts',
    ],
  },
  {
    files: ['db/suspense/notifications.sql'],
    tests: [
      'test/db/intents.test.ts',
      'test/db/environments.test.ts',
      'test/db/payment-attempts.test.ts',
      'test/workflows/notification-sweep.test.ts',
      'test/workflows/payment-intent-notifications.test.ts',
    ],
  },
  {
    files: ['db/transfers/transfers.sql'],
    tests: [
      'test/db/post-transfers.test.ts',
      'test/db/idempotency.test.ts',
      'test/db/post-transfer-batch.test.ts',
      'test/db/daily-limits.test.ts',
      'test/db/fees.test.ts',
      'test/db/environments.test.ts',
      'test/db/frozen-accounts.test.ts',
      'test/db/lock-order.test.ts',
    ],
  },
  {
    files: ['db/payment-attempts/payment-attempts.sql', 'db/payment-attempts/asked-by-phone.sql'],
    tests: [
      'test/db/payment-attempts.test.ts',
      'test/workflows/payment-attempt.test.ts',
      'test/api/payment-attempts.test.ts',
    ],
  },
  {
    files: ['db/treasury/treasury.sql', 'db/treasury/files.sql', 'db/treasury/safeguarding.sql'],
    tests: [
      'test/cli/treasury.test.ts',
      'test/use-cases/treasury-files.test.ts',
      'test/db/safeguarding.test.ts',
    ],
  },
  {
    files: ['db/disputes/disputes.sql'],
    tests: [
      'test/db/disputes.test.ts',
      'test/db/environments.test.ts',
      'test/db/lock-order.test.ts',
      'test/api/disputes.test.ts',
    ],
  },
  {
    files: ['db/payment-intents/intents.sql'],
    tests: [
      'test/db/intents.test.ts',
      'test/db/payment-links.test.ts',
      'test/db/sandbox-clock.test.ts',
      'test/db/payment-attempts.test.ts',
      'test/workflows/expiries.test.ts',
      'test/workflows/payment-intent-checkout.test.ts',
      'test/workflows/payment-intent-cancel.test.ts',
    ],
  },
  {
    files: ['db/payment-links/payment-links.sql'],
    tests: [
      'test/db/payment-links.test.ts',
      'test/db/idempotency.test.ts',
      'test/api/payment-links.test.ts',
    ],
  },
  {
    files: ['db/ledger/fees.sql', 'db/ledger/fee-invoices.sql'],
    tests: [
      'test/db/fee-rules.test.ts',
      'test/db/fees.test.ts',
      'test/db/fee-invoices.test.ts',
      'test/invariants/fees.test.ts',
      'test/cli/fees.test.ts',
    ],
  },
  {
    files: ['db/ledger/ledger.sql'],
    tests: [
      'test/db/post-transfers.test.ts',
      'test/db/credits.test.ts',
      'test/db/fees.test.ts',
      'test/db/lock-order.test.ts',
      'test/db/transactions.test.ts',
      'test/db/frozen-accounts.test.ts',
    ],
  },
  {
    files: ['db/limits/limits.sql', 'db/limits/tiers.sql'],
    tests: ['test/db/limits.test.ts', 'test/cli/tiers.test.ts', 'test/api/limits.test.ts'],
  },
  {
    files: ['db/keys/daily-limits.sql'],
    tests: ['test/db/daily-limits.test.ts', 'test/api/daily-limits.test.ts'],
  },
  {
    files: ['db/transfers/reversals.sql'],
    tests: [
      'test/db/reversals.test.ts',
      'test/db/idempotency.test.ts',
      'test/api/reversals.test.ts',
    ],
  },
  {
    files: ['db/transfer-batches/transfer-batches.sql'],
    tests: [
      'test/db/transfer-batches.test.ts',
      'test/db/idempotency.test.ts',
      'test/invariants/batches.test.ts',
      'test/api/transfer-batches.test.ts',
    ],
  },
  {
    files: ['db/webhooks/events.sql'],
    tests: [
      'test/db/environments.test.ts',
      'test/db/webhook-deliveries.added.test.ts',
      'test/db/intents.test.ts',
    ],
  },
  {
    files: ['db/requests/idempotency.sql'],
    tests: ['test/db/idempotency.test.ts'],
  },
  {
    files: ['db/operators/approvals.sql', 'db/operators/operators.sql'],
    tests: [
      'test/db/approvals.test.ts',
      'test/db/operators.test.ts',
      'test/db/credits.test.ts',
      'test/db/own-accounts.test.ts',
      'test/db/fees.test.ts',
      'test/db/decisions.test.ts',
    ],
  },
  {
    files: ['db/sandbox/fund.sql', 'use-cases/sandbox/fund.ts'],
    tests: ['test/db/idempotency.test.ts', 'test/api/sandbox-faults.test.ts'],
  },
  {
    files: [
      'use-cases/payouts/order.ts',
      'use-cases/payout-batches/order.ts',
      'use-cases/refunds/order.ts',
      'use-cases/transfers/send.ts',
      'use-cases/transfers/reverse.ts',
      'use-cases/transfer-batches/prepare.ts',
      'use-cases/payment-attempts/begin.ts',
      'use-cases/payment-intents/create.ts',
      'use-cases/payment-links/order.ts',
      'use-cases/sandbox/fund.ts',
    ],
    tests: ['test/api/idempotent-orders.test.ts', 'test/api/payment-links.test.ts'],
  },
  {
    files: ['activities/payouts.ts'],
    tests: [
      'test/workflows/pursuits.test.ts',
      'test/workflows/payout.test.ts',
      'test/workflows/payout-callbacks.test.ts',
      'test/api/sandbox-clock.test.ts',
    ],
  },
  {
    files: ['activities/payment-attempts.ts'],
    tests: [
      'test/workflows/phone-questions.test.ts',
      'test/workflows/payment-attempt.test.ts',
      'test/workflows/pursuits.test.ts',
      'test/api/payment-attempts.test.ts',
    ],
  },
  {
    files: [
      'use-cases/questions.ts',
      'activities/refund-questions.ts',
      'activities/refunds.ts',
      'activities/suspense.ts',
    ],
    tests: ['test/workflows/pursuits.test.ts', 'test/workflows/refund.test.ts'],
  },
  {
    files: ['activities/payment-intents.ts', 'activities/checkouts.ts'],
    tests: [
      'test/workflows/payment-intent-checkout.test.ts',
      'test/workflows/payment-intent-sessions.test.ts',
      'test/workflows/expiries.test.ts',
      'test/workflows/payment-intent-cancel.test.ts',
      'test/workflows/payment-intent-opening.test.ts',
      'test/workflows/payment-attempt.test.ts',
    ],
  },
  {
    files: ['activities/payout-batches.ts'],
    tests: [
      'test/workflows/payout-batch-steps.test.ts',
      'test/db/payout-batches.test.ts',
      'test/api/payout-batches.test.ts',
    ],
  },
];

export function testsOf(file: string): readonly string[] {
  return OWNERS.find(({ files }) => files.includes(file))!.tests;
}
