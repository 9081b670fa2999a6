// The simulator's checkout page as a browser receives it.

import * as fc from 'fast-check';
import type { Minor } from '../../../domain/money';
import type { Checkout, CheckoutRequest, Gateway } from '../../../gateway/port';
import { ACTIONS, type Action } from '../../../dev/simulators/gateway/courses';
import { setUp } from '../../support/database';
import {
  actAt,
  adapterOf,
  checkoutRequest,
  startNotificationReceiver,
  startTestGateway,
} from '../../support/sandbox-gateway';

const running = setUp(async () =>
  startTestGateway({ notification_url: (await startNotificationReceiver()).url }),
);
let gateway: Gateway;

beforeAll(async () => {
  gateway = adapterOf(running, 'sandbox');
});

const open = (overrides: Partial<CheckoutRequest> = {}): Promise<Checkout> =>
  gateway.openCheckout(checkoutRequest(overrides));

async function pageAt(url: string): Promise<string> {
  return (await fetch(url)).text();
}

const textOf = (page: string): string => page.replace(/<style>[^]*<\/style>|<[^>]*>/g, ' ');

describe('the checkout page', () => {
  it('shows amount, currency, reference and description, and a form for each action', async () => {
    const request = checkoutRequest({ currency: 'EUR', amount: 123_456_750n as Minor });
    const { checkout_url } = await gateway.openCheckout(request);
    expect(checkout_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/checkout\/cs_[a-z2-9]{24}$/);
    const page = await pageAt(checkout_url);
    for (const shown of ['€1,234,567.50', request.reference, 'Order 1001', 'awa@example.com']) {
      expect(textOf(page)).toContain(shown);
    }
    const offered = Array.from(page.matchAll(/name="action" value="(\w+)"/g), ([, word]) => word);
    expect(new Set(offered)).toEqual(new Set(ACTIONS));
    // Paying has two: at once, and with what becomes of a refund.
    expect(page.match(/<form method="post">/g)).toHaveLength(ACTIONS.length + 1);
  });

  it('shows francs without hundredths', async () => {
    const { checkout_url } = await open({ amount: 123_456_700n as Minor });
    expect(textOf(await pageAt(checkout_url))).toMatch(/1,234,567\sFCFA/);
  });

  it('is in French for a browser that is', async () => {
    const { checkout_url } = await open({ amount: 123_456_700n as Minor });
    const response = await fetch(checkout_url, { headers: { 'Accept-Language': 'fr-SN' } });
    const page = await response.text();
    expect(page).toContain('<html lang="fr">');
    expect(textOf(page)).toMatch(/Payer 1\s234\s567\sFCFA/);
    expect(textOf(page)).toContain('Aucun argent réel ne circule.');
    expect(textOf(page)).not.toMatch(/ (the|your|Refunds|Pay) /);
  });

  it('says that it is a simulator, and for which gateway', async () => {
    const sandbox = textOf(await pageAt((await open()).checkout_url));
    expect(sandbox).toContain('Payment simulator, sandbox account.');
    expect(sandbox).not.toContain('stands in');
    const { checkout_url } = await adapterOf(running, 'live').openCheckout(checkoutRequest());
    const live = textOf(await pageAt(checkout_url));
    expect(live).toContain('This page stands in for the live payment gateway.');
    for (const page of [sandbox, live]) expect(page).toContain('No real money moves.');
  });

  it('leaves out fields that were not given', async () => {
    const { checkout_url } = await open({ description: null, customer_email: null });
    expect(textOf(await pageAt(checkout_url))).not.toMatch(/null|undefined|Customer/);
  });

  it('says why the last attempt failed, and allows another', async () => {
    const { checkout_url } = await open();
    await actAt(checkout_url, 'decline_retry');
    const page = await pageAt(checkout_url);
    expect(textOf(page)).toContain('The last attempt failed.');
    expect(page).toContain('value="pay"');
  });

  it.each<[string, Action | 'close', Partial<CheckoutRequest>]>([
    ['This payment was made', 'pay', {}],
    ['This payment is pending', 'pay_slowly', {}],
    ['This payment was refused', 'decline', {}],
    ['This checkout is closed', 'close', {}],
    ['This checkout has expired', 'come_back_later', { expires_at: '2026-01-01T00:00:00Z' }],
  ])('says "%s" after %s, offers no payment, and links back', async (title, action, overrides) => {
    const { checkout_url, session_id } = await open(overrides);
    if (action === 'close') await gateway.closeCheckout(session_id);
    else await actAt(checkout_url, action);
    const pressed = await actAt(checkout_url, 'pay');
    expect(pressed.status).toBe(409);
    for (const page of [await pageAt(checkout_url), await pressed.text()]) {
      expect(textOf(page)).toContain(title);
      expect(page).not.toMatch(/name="action"|class="pay"/);
      expect(page).toContain('href="https://shop.example.com/back?order=1001"');
    }
  });

  it('responds 404 for an unknown session', async () => {
    const url = `${running.url}/checkout/cs_unknown`;
    const [shown, pressed] = [await fetch(url), await actAt(url, 'pay')];
    expect([shown.status, pressed.status]).toEqual([404, 404]);
    expect(await shown.text()).toContain('No such checkout');
  });

  it('uses the public origin when one is configured', async () => {
    const public_url = 'https://checkout.example.com';
    const own = await startTestGateway({ notification_url: running.url, public_url });
    const { checkout_url, session_id } = await adapterOf(own, 'sandbox').openCheckout(
      checkoutRequest(),
    );
    expect(checkout_url).toBe(`${public_url}/checkout/${session_id}`);
  });
});

describe('every response', () => {
  it('forbids caching, framing, scripts and referrers', async () => {
    const { checkout_url } = await open();
    const missing = `${running.url}/checkout/cs_unknown`;
    const responses = [
      await fetch(checkout_url),
      await fetch(missing),
      await fetch(checkout_url, { method: 'POST', body: 'nonsense' }),
      await actAt(checkout_url, 'pay'),
      await actAt(checkout_url, 'pay'),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 422, 303, 409]);
    for (const { headers } of responses) {
      const policy = headers.get('content-security-policy')!;
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action /);
      expect(policy).toContain("; base-uri 'none'; frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('lets its forms lead to the return address, and nowhere else', async () => {
    const policyFor = async (return_url: string): Promise<string> => {
      const { headers } = await fetch((await open({ return_url })).checkout_url);
      return /form-action ([^;]*);/.exec(headers.get('content-security-policy')!)![1]!;
    };
    expect(await policyFor('https://shop.example.com:8443/x?y')).toBe(
      "'self' https://shop.example.com:8443",
    );
    // A host with a character that would end the directive or the policy.
    expect(await policyFor("http://a;script-src'unsafe-inline'/")).toBe("'self'");
    expect(await policyFor('http://a,b/')).toBe("'self'");
  });

  it('escapes everything that the service sent', async () => {
    const nasty = fc
      .array(fc.constantFrom('<script>', '"', "'", '&', '</style>', '<!--', 'é', '\n', '`', ' x='))
      .map((parts) => `y${parts.join('')}`);
    await fc.assert(
      fc.asyncProperty(nasty, async (text) => {
        const { checkout_url } = await open({
          description: text,
          reference: text,
          customer_email: text,
          return_url: `https://shop.example.com/?${text.replaceAll('\n', '')}`,
        });
        for (const action of ['decline_retry', 'pay'] as const) {
          await actAt(checkout_url, action);
          const page = await pageAt(checkout_url);
          expect(page).not.toMatch(/<script|<!--/);
          expect(page.match(/<\/style>/g)).toHaveLength(1);
          const shown = text.replace(
            /[&<"]/g,
            (one) => ({ '&': '&amp;', '<': '&lt;' })[one] ?? '&quot;',
          );
          expect(page).toContain(`>${shown}</dd>`);
        }
      }),
      { numRuns: 30 },
    );
  });
});
