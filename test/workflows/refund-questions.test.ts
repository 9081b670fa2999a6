// A question about a refund may be the order itself, so it is sent soon or never.

import { askAboutRefund, SENT_WITHIN_MS } from '../../activities/refund-questions';
import type { Gateway } from '../../gateway/port';

it.each([
  ['at once', 0, { status: 'succeeded', refund_id: 're_1' }],
  [
    'not after its process stood still',
    SENT_WITHIN_MS + 1,
    { fault: expect.any(String) as string },
  ],
])('is sent %s', async (_, stood_still_ms, wanted) => {
  const refund = () => Promise.resolve({ status: 'succeeded', refund_id: 're_1' });
  const sandbox = { name: 'sandbox', refund } as unknown as Gateway;
  const answer = await askAboutRefund(
    { gateways: { live: [], sandbox: [sandbox] } },
    {
      of: {
        environment: 'sandbox',
        gateway: 'sandbox',
        provider_payment_id: 'pay_1',
        amount_minor: 100n,
        currency: 'XOF',
      },
      refund_id: null,
      idempotency_key: 'refund/1',
      reference: undefined,
      asks: 1,
      begun_at: performance.now() - stood_still_ms,
    },
  );
  expect(answer).toEqual(wanted);
});
