// What `npm test` leaves to `npm run test:slow`: servers of its own, browsers, hosts that vanish, long
// histories, races, random histories, proofs of documents and slips. Each takes long, or seldom fails when the
// rest passes.

const SLOW = [
  '.browser.test.ts',
  'test/api/idempotency-keys.test.ts',
  'test/api/outages.vanished.test.ts',
  'test/api/payment-intents.fields.test.ts',
  'test/api/samples.test.ts',
  'test/api/sandbox-clock.test.ts',
  'test/api/sandbox-faults.test.ts',
  'test/api/transactions.filters.test.ts',
  'test/cli/listen.test.ts',
  'test/cli/scenes.test.ts',
  'test/cli/trigger.test.ts',
  'test/dashboard/hostile.test.ts',
  'test/dashboard/rehearse.test.ts',
  'test/db/migrate.test.ts',
  'test/db/vanished-host.test.ts',
  'test/dev/simulators/gateway.restart.test.ts',
  'test/docs/',
  'test/dev/embedded/',
  'test/e2e/api-process.test.ts',
  'test/gateway/stripe.mock.test.ts',
  'test/invariants/',
  'test/mutants/',
  'test/pages/',
  'test/reconciliation/',
  'test/telemetry/metrics.test.ts',
  'test/workflows/payment-attempt.test.ts',
  'test/use-cases/logos.test.ts',
  'test/workflows/batch-too-long.test.ts',
  'test/workflows/busy-machine.test.ts',
  'test/workflows/hanging-gateway.test.ts',
  'test/workflows/payment-intent-expiry.test.ts',
  'test/workflows/payment-intent-histories.test.ts',
  'test/workflows/payment-intent-long.test.ts',
  'test/workflows/payment-intent-retries.test.ts',
  'test/workflows/payment-intent-sessions.test.ts',
  'test/workflows/payout-callbacks.test.ts',
  'test/workflows/unknown-rows.test.ts',
  'test/workflows/webhook-backlog.test.ts',
  'test/workflows/webhook-direct.test.ts',
  'test/workflows/webhook-faults.test.ts',
  'test/workflows/webhook-histories.test.ts',
  'test/workflows/webhook-races.test.ts',
  'test/workflows/webhook-retries.test.ts',
  'test/workflows/webhook-status-changes.test.ts',
  'test/workflows/worker-versions.test.ts',
];

const isSlow = (file) => SLOW.some((part) => file.includes(part));

/** Jest's `--filter` wants a module that is a function. */
module.exports = async (files) => ({ filtered: files.filter(isSlow) });
module.exports.isSlow = isSlow;
