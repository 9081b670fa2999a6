// The merchant as customers see them: the name, how to reach them, the logo, the receipt, and a messenger's preview of
// a link.

import { setLogo, setPublicProfile } from '../../db/accounts/public-profiles';
import { readLogo } from '../../use-cases/logos';
import { setUp } from '../support/database';
import { startTestApi, sendNotification } from '../support/api';
import { request, type HttpResponse } from '../support/http';
import { buildPng } from '../support/pictures';
import { actAt, listPayments } from '../support/sandbox-gateway';
import { waitForStatus } from './support/intents';
import { payLink, postRefund, untilRefund } from './support/refunds';
import type { ApiDependencies } from '../../api/context';
import { createPayDependencies } from '../../api/payment-intents/pay';
import { GatewayError } from '../../domain/gateway-error';
import type { PaymentState } from '../../domain/payment';
import { buildLink } from '../dashboard/payment-links';
import { expectBooksHold } from '../support/books';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';

const api = setUp(startTestApi);

afterEach(async () => {
  await setPublicProfile(api.database.db, api.merchant.id, { display_name: null, contact: null });
  await setLogo(api.database.db, api.merchant.id, null);
});

const open = (address: string, given: Readonly<Record<string, string>> = {}) => {
  const headers = { 'Accept-Language': 'en', ...given };
  const { pathname, search } = new URL(address);
  const service = { base_url: api.service.origin };
  return request(service, 'GET', pathname + search, { headers });
};

const textOf = ({ text }: HttpResponse): string =>
  text.replace(/<style>[^]*?<\/style>|<[^>]*>/g, ' ').replace(/\s+/g, ' ');

const makeLink = async (fields: Readonly<Record<string, unknown>> = {}) =>
  (await api.create({ description: 'Order 1042', ...fields })).json;

async function makePaid(fields: Readonly<Record<string, unknown>> = {}) {
  const link = await makeLink(fields);
  await actAt(link.checkout_url, 'pay');
  return waitForStatus(api, link, 'succeeded');
}

async function buildLogo(): Promise<Buffer> {
  const read = await readLogo('test', buildPng(64, 32));
  if (!read.ok) throw new Error(read.fault);
  return read.image;
}

describe('a merchant', () => {
  it('is shown by the public name, the country and the contact, also at the checkout', async () => {
    const contact = 'awa@example.com, +221 77 123 45 67';
    const { db } = api.database;
    await setPublicProfile(db, api.merchant.id, { display_name: 'Atelier Awa', contact });
    const link = await makeLink();
    const page = textOf(await open(link.pay_url));
    expect(page).toContain('Pay Atelier Awa');
    expect(page).toContain(`Contact ${contact}`);
    expect(page).not.toContain(api.merchant.username);
    const checkout = await fetch(link.checkout_url);
    expect(await checkout.text()).toContain('<bdi>Atelier Awa</bdi>');
  });

  it('without a public name has the name of the account', async () => {
    const page = textOf(await open((await makeLink()).pay_url));
    expect(page).toContain('Pay Test Person');
    expect(page).not.toContain('Contact');
  });
});

describe('a logo', () => {
  it('is on the page and at the checkout, and is nothing but a picture wherever it is opened', async () => {
    const before = await makeLink();
    expect((await open(`${before.pay_url}/logo`)).status).toBe(404);
    expect((await open(before.pay_url)).text).not.toContain('<img');
    await setLogo(api.database.db, api.merchant.id, await buildLogo());
    const link = await makeLink();
    const [, path] = /<img class="logo" src="([^"]*)" alt\/>/.exec(
      (await open(link.pay_url)).text,
    )!;
    const address = `${api.service.origin}${path}`;
    const logo = await fetch(address);
    expect(Buffer.from(await logo.arrayBuffer())).toEqual(await buildLogo());
    expect(Object.fromEntries(logo.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': expect.stringContaining('immutable'),
      'content-disposition': 'inline; filename="logo.png"',
    });
    // The address without a version may show another logo tomorrow.
    expect((await open(`${link.pay_url}/logo`)).headers['cache-control']).toBe('no-cache');
    const checkout = await fetch(link.checkout_url);
    expect(await checkout.text()).toContain(`src="${address}"`);
    expect(checkout.headers.get('content-security-policy')).toContain(
      `img-src ${api.service.origin};`,
    );
  });
});

describe('what a messenger shows of a link', () => {
  it('is whom and how much to pay, and nothing of the customer', async () => {
    await setPublicProfile(api.database.db, api.merchant.id, { display_name: 'Awa & "Sœurs"' });
    await setLogo(api.database.db, api.merchant.id, await buildLogo());
    const customer = { customer_email: 'moussa@example.com', customer_phone: '+221771234567' };
    const link = await makeLink({ ...customer, metadata: { secret: 'A-17' } });
    const { text } = await open(link.pay_url);
    const tags = new Map(
      Array.from(
        text.matchAll(/<meta property="og:(\w+)" content="([^"]*)"\/>/g),
        ([, name, content]) => [
          name,
          content!.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('\u00a0', ' '),
        ],
      ),
    );
    expect([...tags]).toEqual([
      ['type', 'website'],
      ['title', 'Pay 5,000 FCFA to Awa & "Sœurs"'],
      ['description', 'Order 1042'],
      ['url', link.pay_url],
      ['image', expect.stringMatching(new RegExp(`^${link.pay_url}/logo\\?v=\\d+$`))],
      ['locale', 'en_GB'],
    ]);
    for (const private_text of ['moussa', '77123', 'A-17'])
      expect(text).not.toContain(private_text);
  });
});

describe('a receipt', () => {
  it('shows date, amount, merchant and reference once the link is paid, and nothing of the customer', async () => {
    const { db } = api.database;
    const contact = 'awa@example.com';
    await setPublicProfile(db, api.merchant.id, { display_name: 'Atelier Awa', contact });
    const paid = await makePaid({ customer_email: 'moussa@example.com' });
    const page = await open(paid.pay_url);
    expect(page.text).toContain(`href="/p/${paid.short_code}/receipt"`);
    const receipt = await open(`${paid.pay_url}/receipt`);
    expect(receipt.status).toBe(200);
    const text = textOf(receipt);
    for (const part of ['Receipt from Atelier Awa', 'Order 1042', paid.reference, contact]) {
      expect(text).toContain(part);
    }
    expect(text).toMatch(/Amount 5,000.FCFA/);
    expect(receipt.text).toContain(
      `<time datetime="${new Date(paid.succeeded_at).toISOString()}">`,
    );
    expect(receipt.text).not.toContain('moussa');
    const french = textOf(await open(`${paid.pay_url}/receipt?lang=fr`));
    expect(french).toContain('Reçu délivré par Atelier Awa');
    expect(french).toMatch(/Montant 5.000.FCFA/);
  });

  it('shows what was given back, and what is on its way, but not what the merchant says of it', async () => {
    const paid = await payLink(api);
    const first = await postRefund(api, paid.id, { amount: 2000, reason: 'One book was missing' });
    await untilRefund(api, first.json, 'succeeded');
    const at = (json: HttpResponse['json']) =>
      `<time datetime="${new Date(json.created_at).toISOString()}">`;
    const one = await open(`${paid.pay_url}/receipt`);
    expect(textOf(one)).toMatch(/Amount 5,000.FCFA Refunded 2,000.FCFA \d/);
    expect(one.text).toContain(at(first.json));
    expect(one.text).not.toContain('book');
    const page = await open(`${paid.pay_url}?lang=fr`);
    expect(textOf(page)).toMatch(/Remboursé 2.000.FCFA/);
    const second = await postRefund(api, paid.id, { amount: 500 });
    await untilRefund(api, second.json, 'succeeded');
    const two = textOf(await open(`${paid.pay_url}/receipt?lang=fr`));
    expect(two).toMatch(/Remboursé 2.500.FCFA 2.000.FCFA, .* 500.FCFA, /);
  });

  it('says of a refund that it is on its way, and nothing of one that failed', async () => {
    const slow = await payLink(api, { refunds: 'pending' });
    await postRefund(api, slow.id, { amount: 500 });
    expect(textOf(await open(`${slow.pay_url}/receipt`))).toMatch(
      /Refunded 500.FCFA [^(]* UTC \(on its way\)/,
    );
    const failing = await payLink(api, { refunds: 'fail' });
    await untilRefund(api, (await postRefund(api, failing.id)).json, 'failed');
    expect(textOf(await open(`${failing.pay_url}/receipt`))).not.toContain('Refunded');
  });

  it('leads to the page of a link that is not paid, and is unknown for an unknown one', async () => {
    const link = await makeLink();
    const response = await open(`${link.pay_url}/receipt`);
    expect([response.status, response.headers['location']]).toEqual([303, `/p/${link.short_code}`]);
    expect((await open(`${api.service.origin}/p/2222222222/receipt`)).status).toBe(404);
  });
});

describe('coming back from the gateway', () => {
  interface Asked {
    /** Calls of the gateway. */
    readonly questions: string[];
  }

  /** The pay page beside the service: what it is told and by whom, the tests decide. */
  function createPay(findPayment?: (session_id: string) => Promise<PaymentState>) {
    const asked: Asked = { questions: [] };
    const sandbox = findPayment && {
      name: 'sandbox',
      findPayment(session_id: string) {
        asked.questions.push(session_id);
        return findPayment(session_id);
      },
    };
    const delivered: unknown[] = [];
    const dependencies = {
      db: api.database.db,
      gateways: { live: [], sandbox: sandbox ? [sandbox] : [] },
      deliverNotification: (notification: unknown) => {
        delivered.push(notification);
        return Promise.resolve();
      },
      log: () => undefined,
      config: { pay_url_base: 'https://pay.example.com' },
    };
    return {
      ...createPayDependencies(dependencies as unknown as ApiDependencies),
      ...asked,
      delivered,
    };
  }

  const makeLink = async (): Promise<string> =>
    (await buildLink(api.database.db, await buildUser(api.database.db))).short_code;

  describe('whoever comes back', () => {
    it('sees what changes meanwhile, with all who wait for it', async () => {
      const short_code = await makeLink();
      const { findPayable, awaitNews } = createPay();
      // The moment may be over before the change on a busy machine.
      const news = await waitFor(async () => {
        const view = (await findPayable(short_code))!;
        const waiting = [awaitNews(view), awaitNews(view)];
        await api.database.owner.raw(
          'update payment_intents set updated_at = clock_timestamp() where short_code = ?',
          [short_code],
        );
        const [one, other] = await Promise.all(waiting);
        expect(other).toEqual(one);
        return one!.view.updated_at !== view.updated_at && one!;
      });
      expect(news).toMatchObject({ view: { short_code }, is_unpaid: false });
    });

    it('is told by the gateway itself that nothing was paid', async () => {
      const pay = createPay(() => Promise.resolve({ state: 'none' }));
      const view = (await pay.findPayable(await makeLink()))!;
      // The answer may come after the moment on a busy machine.
      await waitFor(async () => {
        const another = (await pay.findPayable(await makeLink()))!;
        return (await pay.awaitNews(another)).is_unpaid;
      });
      expect(pay.delivered).toEqual([]);
      expect(view.status).toBe('open');
    });

    it.each<[string, () => Promise<PaymentState>]>([
      ['is away', () => Promise.reject(new GatewayError('unreachable', 'away'))],
      ['never answers', () => new Promise(() => undefined)],
    ])('sees the page as it was when the gateway %s', async (_what, findPayment) => {
      const pay = createPay(findPayment);
      const view = (await pay.findPayable(await makeLink()))!;
      expect(await pay.awaitNews(view)).toEqual({ view, is_unpaid: false });
    });

    it('has the gateway asked once, however many come and however often', async () => {
      const pay = createPay(() => Promise.resolve({ state: 'none' }));
      const view = (await pay.findPayable(await makeLink()))!;
      const come = () => Promise.all(Array.from({ length: 5 }, () => pay.awaitNews(view)));
      await come();
      await come();
      expect(pay.questions).toHaveLength(1);
    });

    it('has what the gateway says applied once, in the way of its notification', async () => {
      const payment = {
        provider_payment_id: 'pay_asked',
        amount_minor: '500000',
        currency: 'XOF' as const,
        occurred_at: '2026-11-22T08:30:00Z',
      };
      const pay = createPay(() => Promise.resolve({ state: 'paid', payment }));
      const view = (await pay.findPayable(await makeLink()))!;
      await pay.awaitNews(view);
      await waitFor(() => pay.delivered.length > 0);
      expect(pay.delivered).toEqual([
        expect.objectContaining({ gateway: 'sandbox', intent_id: view.id, outcome: null }),
      ]);
    });
  });

  describe('a gateway whose notifications are lost', () => {
    it('is asked, and the payment is booked, once, also when a notification comes after all', async () => {
      const notification_url = 'http://127.0.0.1:9/nobody';
      const deaf = await startTestApi({ gateway: { notification_url } });
      const { json: intent } = await deaf.create();
      await actAt(intent.checkout_url, 'pay');
      const { pathname } = new URL(intent.pay_url);
      const service = { base_url: deaf.service.origin };
      await waitFor(async () =>
        (await request(service, 'GET', `${pathname}?back=1`)).text.includes('Merci'),
      );
      const { json } = await deaf.show(intent.id);
      expect(json).toMatchObject({ status: 'succeeded', amount_received: 5_000 });
      const { payments } = await listPayments(deaf.gateway, 'sandbox');
      const { provider_payment_id } = payments[0]!;
      const url = `${deaf.service.origin}/internal/gateway/notifications`;
      const notified = await sendNotification(url, intent, { provider_payment_id });
      expect(notified.status).toBe(200);
      await waitFor(async () => {
        const { rows } = await deaf.database.owner.raw(
          'select outcome from gateway_notifications where intent_id = ? order by id',
          [intent.id],
        );
        const outcomes = (rows as { outcome: string | null }[]).map(({ outcome }) => outcome);
        return outcomes.length === 2 && outcomes[1] === 'duplicate';
      });
      expect((await deaf.show(intent.id)).json).toEqual(json);
      await expectBooksHold(deaf.database.db);
    });
  });
});
