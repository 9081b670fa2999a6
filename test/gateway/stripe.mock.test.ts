// Every request of the adapter, checked by Stripe's own mock against Stripe's API description.

import { createStripeGateway } from '../../gateway/stripe/adapter';
import type { Gateway } from '../../gateway/port';
import { CURRENCIES } from '../../domain/currency';
import type { Minor } from '../../domain/money';
import { checkoutRequest } from '../support/sandbox-gateway';
import { findStripeMock, startStripeMock } from '../support/stripe-mock';

const program = findStripeMock();
const title = 'Stripe’s API description';

if ('missing' in program) {
  console.warn(`${title} is not used: ${program.missing}.`);
  // No other test is ever skipped; this one needs a program that npm does not carry.
  const { skip: report } = it;
  report(`${title}: skipped, because ${program.missing}`, () => undefined);
} else {
  describe(title, () => {
    let api: Awaited<ReturnType<typeof startStripeMock>>;
    let gateway: Gateway;

    beforeAll(async () => {
      api = await startStripeMock(program.file);
      gateway = createStripeGateway({
        environment: 'sandbox',
        secret_key: 'sk_test_123',
        webhook_secrets: ['whsec_1'],
        timeout_ms: 10_000,
        api,
      });
    });

    const ends = {
      'less than half an hour': 15 * 60,
      'two hours': 2 * 3600,
      'a month': 30 * 86_400,
    };

    it.each(
      CURRENCIES.flatMap((currency) =>
        Object.entries(ends).map(([words, seconds]) => [currency, words, seconds] as const),
      ),
    )('accepts how a checkout is opened: %s, %s', async (currency, words, seconds) => {
      const is_bare = words === 'a month';
      const request = checkoutRequest({
        currency,
        description: is_bare ? null : 'Two seats',
        customer_email: is_bare ? null : 'awa@example.com',
        expires_at: new Date(Date.now() + seconds * 1000).toISOString(),
      });
      const checkout = await gateway.openCheckout(request);
      expect(checkout.session_id).toMatch(/^cs_test_/);
      expect(checkout.checkout_url).toMatch(/^https:/);
      expect(checkout.lapses_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    });

    it('accepts how a session is closed', async () => {
      // The mock's session stays open, and nothing is paid in it.
      expect(await gateway.closeCheckout('cs_test_1')).toEqual({ state: 'none' });
    });

    it('accepts how a payment is refunded', async () => {
      const made = await gateway.refund({
        provider_payment_id: 'pi_1',
        amount: 1999n as Minor,
        currency: 'EUR',
        idempotency_key: 'refund/1',
        reference: 'RFD-1',
      });
      // The mock's example; which states there are, the fake shows.
      expect(made).toEqual({ status: 'succeeded', refund_id: expect.stringMatching(/^re_/) });
    });

    it('accepts how a refund is read', async () => {
      const refund_id = 're_1';
      expect(await gateway.findRefund(refund_id)).toMatchObject({ status: 'succeeded' });
    });

    it('validates requests: it refuses unknown parameters', async () => {
      const { protocol, host, port } = api;
      const response = await fetch(`${protocol}://${host}:${port}/v1/checkout/sessions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk_test_123' },
        body: new URLSearchParams({ mode: 'payment', expires_in: '1800' }),
      });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('additional properties');
    });
  });
}
