// The pay page in a real browser: on a phone and on a desktop, with and without a script.

import type { PayPageView } from '../../api/pay/view';
import { waitFor } from '../support/wait';
import {
  describeInBrowser,
  expectReadable,
  openPage,
  sidewaysScroll,
  WITH_AND_WITHOUT,
} from './browser';
import { CODE, OPEN, startPayService, type PayService } from './pay-service';

const NARROW = { width: 320, height: 640 };

const LONG_NAME =
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';

const STATES: Readonly<Record<string, Partial<PayPageView>>> = {
  open: {},
  'open-failed-attempt': {
    last_payment_error: { code: 'card_declined', message: 'Your card was declined.' },
  },
  'open-hostile': {
    merchant_name: LONG_NAME,
    description: `${'\u0645\u062a\u062c\u0631 '.repeat(8)}${'W'.repeat(300)}`,
    amount_minor: 999_999_999_999_999n,
    currency: 'USD',
    environment: 'sandbox',
  },
  held: {
    status: 'processing',
    hold: { reference: 'RSK-00000000000000000000', expires_at: '2026-11-25T15:30:00.000000Z' },
  },
  succeeded: { status: 'succeeded' },
  canceled: { status: 'canceled' },
};

let service: PayService;

const become = (changes: Partial<PayPageView>): void => {
  service.view = { ...OPEN, checkout_url: service.checkout_url, ...changes };
};

beforeEach(async () => {
  service = await startPayService();
});

describeInBrowser('the pay page in a browser', () => {
  it.each(Object.entries(STATES))(
    '%s is readable for everyone in every window, in light and dark',
    async (name, changes) => {
      become(changes);
      const { page, problems } = await openPage();
      await page.goto(service.page_url);
      await expectReadable(page, `pay-${name}`);
      await page.setViewportSize(NARROW);
      expect(await sidewaysScroll(page)).toBe(0);
      expect(await page.locator('h1').count()).toBe(1);
      expect(problems).toEqual([]);
    },
  );

  it('of a gateway that cannot be reached is for people as well', async () => {
    service.openCheckout = () => Promise.resolve({ retry_after_seconds: 7 });
    const { page } = await openPage();
    const answered = page.waitForResponse((response) => response.status() === 503);
    await page.goto(service.page_url);
    await page.getByRole('button').click();
    await page.waitForURL(/pay$/);
    await answered;
    expect(await page.getByRole('status').count()).toBe(1);
    await expectReadable(page, 'pay-gateway');
  });

  it.each(WITH_AND_WITHOUT)('%s, a short outage gives way to the payment', async (_, script) => {
    const { page } = await openPage({ javaScriptEnabled: script });
    service.outage = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    await page.goto(`${service.page_url}?back=1`);
    await page.getByRole('heading', { name: 'just now' }).waitFor();
    service.outage = undefined;
    await page.getByText('Have you just paid?').waitFor();
  });

  it('speaks French to a browser that does, with its dates in the reader’s time, and offers English', async () => {
    const { page, problems } = await openPage({ locale: 'fr-SN', timezoneId: 'Africa/Douala' });
    await page.goto(service.page_url);
    await page.getByRole('button', { name: /^Payer 25.000.FCFA$/ }).waitFor();
    expect(await page.locator('time').textContent()).toMatch(/^22 nov\. 2026.*15:30/);
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByRole('button', { name: /^Pay 25,000.FCFA$/ }).click();
    await page.waitForURL(service.checkout_url);
    expect(problems).toEqual([]);
  });

  it('lets its form lead to no origin but the checkout, redirects included', async () => {
    const { page, problems } = await openPage();
    become({ checkout_url: 'https://other.example/session' });
    await page.goto(service.page_url);
    // The service redirects as if it had not looked at the origin.
    await page.route('**/pay', (route) =>
      route.fulfill({ status: 303, headers: { location: service.checkout_url } }),
    );
    await page.getByRole('button').click();
    await waitFor(() => problems.some((problem) => problem.includes('form-action')));
    expect(page.url()).toBe(service.page_url);
  });

  it('moves on by itself when the gateway has changed in the meantime: at the second press', async () => {
    const { page, problems } = await openPage();
    become({ checkout_url: 'https://old.example/session' });
    await page.goto(service.page_url);
    service.openCheckout = () => {
      become({});
      return Promise.resolve({ checkout_url: service.checkout_url, updated_at: OPEN.updated_at });
    };
    const reloaded = page.waitForEvent('load');
    await page.getByRole('button').click();
    await reloaded;
    await page.getByRole('button').click();
    await page.waitForURL(service.checkout_url);
    expect(problems).toEqual([]);
  });

  it.each(WITH_AND_WITHOUT)('%s, it follows the payment until the end', async (_, script) => {
    const { page, problems } = await openPage({ javaScriptEnabled: script });
    await page.goto(`${service.page_url}?back=1`);
    become({ status: 'processing' });
    await page.getByRole('heading', { name: 'Confirming your payment' }).waitFor();
    become({ status: 'succeeded' });
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    expect(await page.locator('script, meta[http-equiv]').count()).toBe(0);
    expect(service.requests.some((one) => one.endsWith('/status'))).toBe(script);
    expect(problems).toEqual([]);
  });

  it('asks again after ever longer pauses, and goes on when the service was away', async () => {
    become({ status: 'processing' });
    const { page } = await openPage();
    await page.addInitScript(`
      const later = setTimeout;
      window.pauses = [];
      window.setTimeout = (work, pause) => (pauses.push(pause), later(work, 0));
    `);
    await page.goto(service.page_url);
    service.outage = new Error('down');
    const pauses = await waitFor(async () => {
      const found = await page.evaluate<number[]>('pauses');
      return found.length > 20 && found;
    });
    expect(pauses.slice(0, 3)).toEqual([2_000, 2_500, 3_125]);
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses.at(-1)).toBe(30_000);
    become({ status: 'succeeded' });
    service.outage = undefined;
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  });

  it('shows by itself that the link was paid elsewhere, and at once when it is looked at again', async () => {
    const { page } = await openPage();
    await page.clock.install();
    await page.goto(service.page_url);
    become({ status: 'processing' });
    await page.clock.runFor(2_000);
    await page.getByRole('heading', { name: 'Confirming your payment' }).waitFor();
    become({ status: 'succeeded' });
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  });

  it('takes two presses of the button for one', async () => {
    const { page } = await openPage();
    const opened: string[] = [];
    service.openCheckout = (code) => {
      opened.push(code);
      return Promise.resolve({ checkout_url: service.checkout_url, updated_at: OPEN.updated_at });
    };
    await page.goto(service.page_url);
    await page.getByRole('button').dblclick();
    await page.waitForURL(service.checkout_url);
    expect(opened).toEqual([CODE]);
  });

  it('is usable again, and up to date, when the browser brings it back as it was left', async () => {
    const { page } = await openPage();
    await page.goto(service.page_url);
    const button = page.getByRole('button');
    await page.evaluate("document.forms[0].dispatchEvent(new Event('submit'))");
    expect([await button.isDisabled(), await button.textContent()]).toEqual([true, 'One moment…']);
    const return_to_page =
      "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))";
    await page.evaluate(return_to_page);
    expect(await button.isEnabled()).toBe(true);
    expect(await button.textContent()).toMatch(/^Pay/);
    become({ status: 'succeeded' });
    await page.evaluate(return_to_page);
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  });

  it('is usable by keyboard alone, and shows where the focus is', async () => {
    const { page } = await openPage();
    await page.goto(service.page_url);
    await page.keyboard.press('Tab');
    const outline = 'getComputedStyle(document.activeElement).outlineStyle';
    expect(await page.evaluate(outline)).toBe('solid');
    await page.keyboard.press('Enter');
    await page.waitForURL(service.checkout_url);
  });
});
