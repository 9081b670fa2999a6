// Payment links in the dashboard: made once, listed, shown with their timeline, and cancelled.

import type { VisitedPage, Visitor } from './visitor';
import { describeEntry } from '../../dashboard/links/timeline';
import { startTestApi, type TestApi } from '../support/api';
import { signInOwner, type Member } from './accounts';
import { buildLink } from './payment-links';

let api: TestApi;
let owner: Member;
let visitor: Visitor;

beforeAll(async () => {
  api = await startTestApi();
  owner = await signInOwner(api.service, api.database);
  ({ visitor } = owner);
});

const make = async (fields: Readonly<Record<string, string>> = {}): Promise<VisitedPage> => {
  await visitor.open('/links/new');
  return visitor.submit('/links', { amount: '5 000', ...fields });
};

const faultsOf = ({ document }: VisitedPage): string[] =>
  document.querySelectorAll('.fault').map((fault) => fault.textContent);

const rowsOf = ({ document }: VisitedPage): number =>
  document.querySelectorAll('main tbody tr').length;

describe('making a link', () => {
  it('leads to its page, with the URL to copy, its QR code and what happened', async () => {
    const page = await make({
      currency: 'EUR',
      amount: '12,50',
      description: 'Order 1042',
      customer_email: 'awa@example.com',
      customer_phone: '+221 77 123 45 67',
      metadata: 'order=1042\n\ncolour = blue = green',
      return_url: 'https://shop.example/thanks',
      cancel_url: 'https://shop.example/basket',
      expires_in: '3600',
    });
    expect([page.status, page.heading]).toEqual([200, 'Payment link']);
    for (const text of [
      'The link was created.',
      '€12.50',
      'Open',
      'Order 1042',
      'awa@example.com',
      '+221 77 123 45 67',
      '1042',
      'blue = green',
      'The gateway opened its checkout.',
      'https://shop.example/thanks',
      'https://shop.example/basket',
    ]) {
      expect(page.text).toContain(text);
    }
    const url = page.document.querySelector('.copyable code')!.textContent;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/p\/\w{10}$/);
    expect(page.document.querySelector('svg.qr path')).not.toBeNull();
    const paid = await fetch(url);
    const html = await paid.text();
    expect([paid.status, html]).toEqual([200, expect.stringContaining('Order 1042')]);
    expect(html).toContain('href="https://shop.example/basket?');
  });

  it.each([
    [{ expires_in: '9999999999' }, 'There is no such choice.'],
    [{ expires_in: '1' }, 'There is no such choice.'],
    [{ return_url: 'http://shop.example/' }, 'begins with https://'],
    [{ cancel_url: 'javascript:alert(1)' }, 'begins with https://'],
    [{ metadata: 'no equals sign' }, 'name=value'],
    [{ metadata: '__proto__=polluted' }, 'name=value'],
    [{ metadata: `${'n'.repeat(41)}=1` }, 'name=value'],
  ] as const)('answers 422 for %j beside its field, and keeps the values', async (fields, text) => {
    const page = await make({ description: 'kept', ...fields });
    expect([page.status, faultsOf(page)]).toEqual([422, [expect.stringContaining(text)]]);
    expect(page.document.querySelector('#description')!.getAttribute('value')).toBe('kept');
  });
});

describe('the list', () => {
  let member: Member;

  beforeAll(async () => {
    member = await signInOwner(api.service, api.database);
    const { db } = api.database;
    const { user } = member;
    for (let count = 0; count < 52; count += 1) await buildLink(db, user);
    await buildLink(db, user, { currency: 'EUR', customer_email: 'awa@example.com' });
    await buildLink(db, user, { environment: 'live' });
  });

  it('has filters and pages', async () => {
    const by = member.visitor;
    const first = await by.open('/links');
    expect(rowsOf(first)).toBe(50);
    const older = first.document
      .querySelectorAll('main a')
      .find((link) => link.textContent === 'Older')!;
    expect(rowsOf(await by.open(older.getAttribute('href')!.replaceAll('&amp;', '&')))).toBe(3);
    expect(rowsOf(await by.open('/links?currency=EUR'))).toBe(1);
    expect(rowsOf(await by.open('/links?customer_email=awa%40example.com&status=open'))).toBe(1);
    expect(rowsOf(await by.open('/links?status=expired'))).toBe(0);
    expect((await by.open('/links?status=unpaid')).status).toBe(422);
    const { rows } = (await api.database.owner.raw(
      `select reference from payment_intents where user_id = ? limit 1`,
      [member.user.id],
    )) as { rows: [{ reference: string }] };
    expect(rowsOf(await by.open(`/links?reference=${rows[0].reference}&status=`))).toBeLessThan(2);
    // Another account's reference.
    expect(rowsOf(await visitor.open(`/links?reference=${rows[0].reference}`))).toBe(0);
  });
});

describe('cancelling', () => {
  it('asks first, and then the link is cancelled', async () => {
    const page = await make();
    const asked = await visitor.open(`${page.path}/cancel`);
    expect(asked.heading).toBe('Cancel this payment link?');
    expect((await visitor.open(page.path)).text).toContain('Open');
    await visitor.open(`${page.path}/cancel`);
    const canceled = await visitor.submit('/cancel');
    expect([canceled.path, canceled.text]).toEqual([
      page.path,
      expect.stringContaining('The link was canceled.'),
    ]);
    expect(canceled.document.querySelector('.qr')).toBeNull();
    const again = await visitor.open(`${page.path}/cancel`);
    expect(again.document.querySelector('main form')).toBeNull();
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
      ...(['webhook', 'attempt', { number: 1, outcome: 'refused', status: 500 }] as const),
      'Webhook attempt 1: refused (500).',
    ],
    [
      ...(['ledger', 'held_in_suspense', { amount_minor: '500', currency: 'EUR' }] as const),
      '€5.00 could not be booked for this link: an operator decides about it.',
    ],
    [
      ...(['api', 'attempt_begun', { operator: 'MTN MoMo', phone_end: '13' }] as const),
      'A customer was asked to pay through MTN MoMo, on a phone that ends in 13.',
    ],
    [
      ...(['gateway', 'attempt_failed', { operator: 'MTN MoMo', code: 'not_approved' }] as const),
      'The attempt to pay through MTN MoMo failed. The payment was not confirmed on the phone.',
    ],
    ['workflow', 'something_new', {}, 'workflow: something_new'],
    ['gateway', 'notified', { outcome: 'constructor' }, 'constructor'],
  ] as const)('says of %s %s %j: %s', (source, kind, detail, text) => {
    const entry = { at: '2026-11-22T08:00:00Z', source, kind, detail };
    expect(describeEntry('en', entry, 'XOF')).toBe(text);
  });
});
