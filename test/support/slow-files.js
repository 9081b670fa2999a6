// What `npm test` leaves to `npm run test:slow`: servers of its own, browsers, hosts that vanish, long
// histories, proofs of documents and slips. Each takes long, or seldom fails when the rest passes.

const SLOW = [
  '.browser.test.ts',
  'test/api/outages.vanished.test.ts',
  'test/db/vanished-host.test.ts',
  'test/docs/',
  'test/dev/embedded/',
  'test/gateway/stripe.mock.test.ts',
  'test/mutants/',
  'test/pages/',
  'test/workflows/busy-machine.test.ts',
  'test/workflows/payment-intent-long.test.ts',
  'test/workflows/webhook-status-changes.test.ts',
];

const isSlow = (file) => SLOW.some((part) => file.includes(part));

/** Jest's `--filter` wants a module that is a function. */
module.exports = async (files) => ({ filtered: files.filter(isSlow) });
module.exports.isSlow = isSlow;
