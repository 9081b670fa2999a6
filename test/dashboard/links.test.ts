// Payment links in the dashboard: made, shown with their timeline, refunded and cancelled.

import { describeEntry } from '../../dashboard/links/timeline';
import { expectBooksHold } from '../support/books';
import { begin, notifyOfAttempt, openLink } from '../support/payment-attempts';
import { ordered, payIntent } from '../support/refunds';
import { waitFor } from '../support/wait';
import { expectPage, type VisitedPage } from './visitor';
import { useWorld } from './world';
import { setFees } from '../support/fees';

const w = useWorld({ gateway: {} });

const make = (fields: Readonly<Record<string, string>> = {}): Promise<VisitedPage> =>
  w.visitor.fill('/links/new', { amount: '5 000', ...fields });

it('a link that is made leads to its page, with the URL to copy, its QR code and what happened', async () => {
  const fields = {
    currency: 'EUR',
    amount: '12,50',
    description: 'Order 1042',
    customer_email: 'awa@example.com',
    customer_phone: '+221 77 123 45 67',
    metadata: 'order=1042\n\ncolour = blue = green',
    return_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/basket',
  };
  const page = await make({ ...fields, expires_in: '3600' });
  const { description, customer_email, customer_phone, return_url, cancel_url } = fields;
  const shown = [description, customer_email, customer_phone, return_url, cancel_url];
  expectPage(page, 200, 'Payment link', 'The link was created.', '€12.50', 'Open');
  expectPage(page, 200, ...shown, 'blue = green', 'opened its checkout.');
  const url = page.document.querySelector('.copyable code')!.textContent;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/p\/\w{10}$/);
  expect(page.document.querySelector('svg.qr path')).not.toBeNull();
  // It takes one payment.
  expect(page.document.querySelector('.poster, [data-print]')).toBeNull();
  const paid = await fetch(url);
  const html = await paid.text();
  expect([paid.status, html]).toEqual([200, expect.stringContaining('Order 1042')]);
  expect(html).toContain('href="https://shop.example/basket?');
});

it('cancelling asks first, and then the link is cancelled', async () => {
  const { path } = await make();
  expect((await w.visitor.open(`${path}/cancel`)).heading).toBe('Cancel this payment link?');
  expectPage(await w.visitor.open(path), 200, 'Open');
  const canceled = await w.visitor.fill(`${path}/cancel`);
  expect([canceled.path, canceled.document.querySelector('.qr')]).toEqual([path, null]);
  expectPage(canceled, 200, 'The link was canceled.');
  const again = await w.visitor.open(`${path}/cancel`);
  expect(again.document.querySelector('main form')).toBeNull();
});

describe('a paid link', () => {
  it('has the receipt first, to be sent by WhatsApp, says which phone paid, and refunds by a quiet link', async () => {
    const { db } = w.database;
    const link = await openLink(db, w.user, { customer_phone: '+221 77 123 45 67' });
    const phone = '+2250500000167';
    const { id } = await begin(db, link, { operator_name: 'Wave', phone });
    await notifyOfAttempt(db, link, id);
    const page = await w.visitor.open(`/links/${link.id}`);
    const sent = page.document.querySelector('main h2 + p a[href^="https://wa.me/"]')!;
    const whatsapp = new URL(sent.getAttribute('href')!);
    expect(page.html.indexOf('wa.me')).toBeLessThan(page.html.indexOf('<dl'));
    expect([whatsapp.host, whatsapp.pathname]).toEqual(['wa.me', '/221771234567']);
    const url = page.document.querySelector('.copyable code')!.textContent;
    expect(whatsapp.searchParams.get('text')!.replace(/\s/g, ' ')).toMatch(
      /^Hello, here is the receipt of your payment of 5,000 FCFA to .*: http.*\/p\/\w{10}\/receipt$/,
    );
    expectPage(page, 200, 'Send the receipt', 'Paid with', 'Wave ····67', 'You get');
    expect(
      page.document.querySelector('main a[href$="/refund"]')!.getAttribute('class') ?? '',
    ).toBe('');
    const receipt = await (await fetch(url)).text();
    expect(receipt).toContain('Wave ····67');
    expect(receipt).not.toContain(phone.slice(-6));
  });

  it('does not say that a phone paid whose money is in suspense', async () => {
    const { db } = w.database;
    const link = await payIntent(db, w.user);
    const { id } = await begin(db, await openLink(db, w.user));
    await w.sql('update payment_attempts set intent_id = ? where id = ?', [link.id, id]);
    await notifyOfAttempt(db, link, id, { provider_payment_id: 'pay_second' });
    const { text } = await w.visitor.open(`/links/${link.id}`);
    expect([text.includes('You get'), text.includes('Paid with')]).toEqual([true, false]);
  });
});

describe('refunding a payment', () => {
  afterEach(() => expectBooksHold(w.database.db));

  /** The gateway of tests knows nothing of it, and refuses its refunds. */
  const pay = () => payIntent(w.database.db, w.user);
  const statusOf = async (id: string) =>
    (await w.sql('select status from refunds where intent_id = ?', [id]))[0]?.['status'];
  const offersRefund = ({ document }: VisitedPage): boolean =>
    document.querySelector('main a[href$="/refund"]') !== null;

  it('asks for the amount, then for a confirmation, and is shown on the page of the link', async () => {
    const { id } = await pay();
    expect(offersRefund(await w.visitor.open(`/links/${id}`))).toBe(true);
    const form = await w.visitor.open(`/links/${id}/refund`);
    expect(form.value('amount')).toBe('5000');
    const fields = { amount: '1 500', reason: 'One book' };
    expectPage(await w.visitor.submit('/refund/check', fields), 200, 'Refund 1,500');
    expect(await statusOf(id)).toBeUndefined();
    const done = await w.visitor.submit('/refund');
    expect(done.path).toBe(`/dashboard/links/${id}`);
    expectPage(done, 200, 'The refund was ordered.', 'One book');
    expectPage(done, 200, 'A refund of 1,500 FCFA was ordered.');
    await waitFor(async () => (await statusOf(id)) === 'failed');
    const shown = await w.visitor.open(`/links/${id}`);
    expectPage(shown, 200, 'gateway made no refund', 'A refund of 1,500 FCFA failed');
  });

  it('shows on the link and the transaction what was refunded, and how each refund stands', async () => {
    const intent = await pay();
    const { id } = intent;
    await ordered(w.database.db, intent, { amount_minor: '150000' });
    const link = await w.visitor.open(`/links/${id}?lang=fr`);
    expectPage(link, 200, 'Remboursé en partie · 3 500 FCFA net');
    expectPage(link, 200, /Déjà remboursé\s1 500 FCFA\sIl vous reste\s3 500 FCFA/);
    expect(link.text).not.toContain('Vous recevez');
    const rows = await w.sql<Readonly<Record<'id' | 'type' | 'reference', string>>>(
      'select id, type, reference from transactions where related = ? order by type',
      [id],
    );
    const [deposit, refund] = rows;
    const shown = await w.visitor.open(`/transactions/${refund!.id}`);
    expect([shown.text.includes('En attente'), shown.text.includes('Effectuée')]).toEqual([
      true,
      false,
    ]);
    expectPage(await w.visitor.open(`/transactions/${deposit!.id}`), 200, refund!.reference);
    await w.visitor.open(`/links/${id}?lang=en`);
  });

  it('says that the fee is not given back, where there was one', async () => {
    const asks = async (): Promise<boolean> => {
      const { id } = await pay();
      const { text } = await w.visitor.open(`/links/${id}/refund`);
      expect(text).toContain('The money leaves your wallet at once');
      const checked = await w.visitor.submit('/refund/check', { amount: '1' });
      const says = [text, checked.text].map((one) => one.includes('fee of the payment is not'));
      expect(says[0]).toBe(says[1]);
      return says[0]!;
    };
    const setFee = (points: number) =>
      setFees(w.database.owner, { kinds: ['payment_intent'], percent: points / 100 });
    expect(await asks()).toBe(false);
    await setFee(100);
    expect(await asks()).toBe(true);
    await setFee(0);
  });

  it('is not offered for a link that is not paid', async () => {
    const open = await make({ amount: '100' });
    expect(offersRefund(open)).toBe(false);
    const { text } = await w.visitor.open(`${open.path}/refund`);
    expect(text).toContain('Only a payment that has arrived can be refunded.');
    expect(text).not.toContain('100 FCFA');
  });
});

describe('the timeline', () => {
  it.each([
    [
      'webhook',
      'attempt',
      { number: 2, outcome: 'timeout' },
      'Webhook attempt 2: no answer in time.',
    ],
    [
      'webhook',
      'attempt',
      { number: 1, outcome: 'refused', status: 500 },
      'Webhook attempt 1: refused (500).',
    ],
    [
      'ledger',
      'held_in_suspense',
      { amount_minor: '500', currency: 'EUR' },
      '€5.00 could not be booked for this link: an operator decides about it.',
    ],
    [
      'api',
      'attempt_begun',
      { operator: 'MTN MoMo', phone_end: '13' },
      'A customer was asked to pay through MTN MoMo, on a phone that ends in 13.',
    ],
    [
      'gateway',
      'attempt_failed',
      { operator: 'MTN MoMo', code: 'not_approved' },
      'The attempt to pay through MTN MoMo failed. The payment was not confirmed on the phone.',
    ],
    ['workflow', 'something_new', {}, 'workflow: something_new'],
    ['gateway', 'notified', { outcome: 'constructor' }, 'constructor'],
  ] as const)('says of %s %s %j: %s', (source, kind, detail, text) => {
    const entry = { at: '2026-11-22T08:00:00Z', source, kind, detail };
    expect(describeEntry('en', entry, 'XOF')).toBe(text);
  });
});
