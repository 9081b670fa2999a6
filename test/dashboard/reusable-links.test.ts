// Reusable links in the dashboard: made, changed, taken out of use, and their payments as a page and a file.

import { freezeAccount } from '../../db/accounts/users';
import { openIntent, payIntent } from '../support/refunds';
import { buildReusableLink, ofLink } from './payment-links';
import { expectPage } from './visitor';
import { useWorld } from './world';

const w = useWorld({ gateway: {} });

const build = () => buildReusableLink(w.database.db, w.user);

describe('making one', () => {
  it('leads to its page, whose link customers open', async () => {
    const page = await w.visitor.fill('/reusable-links/new', {
      title: `  Café Touba${' '.repeat(200)}`,
      amount: '1 500',
      description: 'From Casamance',
      quantity_minimum: '2',
      quantity_maximum: '10',
      max_payments: '1 000',
      active_until: '2099-01-02T03:04',
      question_1: 'Numéro de table',
      question_1_required: 'on',
      question_3: 'Numéro de table !',
      return_url: 'https://shop.example/thanks',
    });
    expect(page.heading).toBe('Café Touba');
    expectPage(page, 200, 'The link was created.', '0 payments', 'Active', '1,500 FCFA', '2 – 10');
    expectPage(page, 200, '1000', '2 Jan 2099, 03:04 UTC', 'From Casamance');
    expectPage(page, 200, 'Numéro de table * · Numéro de table !', 'https://shop.example/thanks');
    const url = page.document.querySelector('.copyable code')!.textContent;
    const customers = await (await fetch(url)).text();
    expect(customers).toContain('name="collect_numero_de_table"');
    expect(customers).toContain('name="collect_numero_de_table_2"');
  });

  it('lets customers choose the amount, within what is typed', async () => {
    const bounds = { minimum: '200', maximum: '10 000', suggestions: '500; 1 000' };
    const page = await w.visitor.fill('/reusable-links/new', { title: 'Coffee', ...bounds });
    expectPage(page, 200, 'Free amount Active', '200 FCFA', '10,000 FCFA', '500 FCFA · 1,000 FCFA');
    expectPage(page, 200, /Received 0 FCFA\s0 payments/);
  });

  it('offers the code as a picture for a print shop', async () => {
    const page = await w.visitor.open(`/reusable-links/${(await build()).id}`);
    const href = page.document.querySelector('main a[href*="qr.svg"]')!.getAttribute('href')!;
    const picture = await fetch(href);
    expect(picture.headers.get('content-type')).toBe('image/svg+xml');
    expect(picture.headers.get('content-disposition')).toMatch(
      /^attachment; filename="qr-\w+\.svg"$/,
    );
    expect(await picture.text()).toMatch(/^<svg/);
  });

  it('is not for a frozen account, and neither is changing one', async () => {
    const { user, visitor } = await w.signIn();
    const path = `/reusable-links/${(await buildReusableLink(w.database.db, user)).id}`;
    await visitor.open(path);
    await freezeAccount(w.database.owner, user.id, 'stolen card', 'tests');
    const refused = await visitor.submit('/active', { active: 'false' });
    expect(refused.document.querySelector('main .notice.bad')!.textContent).toContain('is frozen');
    expectPage(await visitor.open('/reusable-links/new'), 200, 'is frozen, so');
    expect((await visitor.open(path)).text).not.toContain('Take out of use');
  });
});

describe('one of them', () => {
  it('shows what was paid and leads to each payment, which names it', async () => {
    const link = await build();
    const paid = await payIntent(w.database.db, w.user, ofLink(link));
    await openIntent(w.database.db, w.user, { ...ofLink(link), collected: {} });
    const page = await w.visitor.open(`/reusable-links/${link.id}`);
    expect(page.document.querySelector('[data-live-part=state]')!.structuredText).toMatch(
      /^500.FCFA Active\s+Received 1,000.FCFA\s+1 payment$/,
    );
    expect(page.rows).toEqual([
      expect.stringMatching(/TRX-.*× 2.*1,000.FCFA.*Open/s),
      expect.stringMatching(/Table number: 7.*× 2.*1,000.FCFA.*Paid/s),
    ]);
    const payment = await w.visitor.open(`/links/${paid.id}`);
    expect(payment.link('Coffee')).toBe(`/dashboard/reusable-links/${link.id}`);
    expectPage(payment, 200, /Quantity\s+2\s+Table number\s+7/);
    const list = await w.visitor.open('/reusable-links');
    expect(list.rows[0]).toMatch(/Coffee.*500.FCFA.*1 payment.*1,000.FCFA.*Active/s);
  });

  it('is a file for spreadsheets, in the reader’s language, and a plain one', async () => {
    const link = await build();
    await payIntent(w.database.db, w.user, ofLink(link));
    const path = `/dashboard/reusable-links/${link.id}/payments.csv`;
    const plain = await w.visitor.request(`${path}?form=plain`);
    const name = `attachment; filename="payments-${link.code}.csv"`;
    expect(plain.headers.get('content-disposition')).toBe(name);
    expect(await plain.text()).toMatch(/^id,.*,collected_table\n.*,1000\.00,.*,7\n$/);
    await w.visitor.open('/reusable-links?lang=fr');
    const french = await (await w.visitor.request(path)).text();
    await w.visitor.open('/reusable-links?lang=en');
    expect(french).toMatch(/;collected_table\r\n.*;1000,00;/);
  });

  it('is changed, and its end stays while it is not touched', async () => {
    const { id } = await build();
    await w.sql(`update payment_links set active_until = '2001-01-01 00:00:30+00' where id = ?`, [
      id,
    ]);
    const path = `/reusable-links/${id}/change`;
    const fields = { title: 'Tea', description: '', max_payments: '' };
    const page = await w.visitor.fill(path, fields);
    expect(page.heading).toBe('Tea');
    expectPage(page, 200, 'The link was changed.', 'Expired');
    for (const text of ['From Casamance', 'Maximum number']) expect(page.text).not.toContain(text);
    const early = await w.visitor.fill(path, { active_until: '2001-01-01T00:01', title: '' });
    expect([early.status, Object.keys(early.faults)]).toEqual([422, ['title']]);
    const late = await w.visitor.submit('/change', { title: 'Tea' });
    expect([late.status, Object.keys(late.faults)]).toEqual([422, ['active_until']]);
    expectPage(await w.visitor.submit('/change', { active_until: '' }), 200, 'Active');
  });

  it('is taken out of use and put back, and offers no poster meanwhile', async () => {
    const { id } = await build();
    const out = await w.visitor.fill(`/reusable-links/${id}`, {}, '/active');
    expectPage(out, 200, /link is out of use.*Out of use/s);
    expect(out.document.querySelector('.poster')).toBeNull();
    const back = await w.visitor.submit('/active');
    expectPage(back, 200, /back in use.*Active/s);
    expect(back.document.querySelector('.poster svg.qr')).not.toBeNull();
    const log = await w.visitor.open('/activity');
    expect(log.rows[0]).toContain('Changed a reusable link');
    expect(log.document.querySelector(`a[href$="/reusable-links/${id}"]`)).not.toBeNull();
  });
});
