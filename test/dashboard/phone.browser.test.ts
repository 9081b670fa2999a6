// The dashboard on a shop owner's phone, in French, and what is printed: what only a browser decides.

import {
  describeInBrowser,
  fillIn,
  keepScreenshot,
  openAs,
  PHONE,
  plain,
  press,
  sidewaysScroll,
} from '../pages/browser';
import { setLogo, setPublicProfile } from '../../db/accounts/public-profiles';
import { openIntent } from '../support/refunds';
import { buildPng } from '../support/pictures';
import { buildReusableLink } from './payment-links';
import { useWorld } from './world';

const w = useWorld({
  kyc: 'not_started',
  funds: { sandbox: { XOF: 1_500_000n, EUR: 124_990n } },
});

/** A phone shows this much above a page's heading, and no more. */
const HEADER_PX = 100;

const open = async (path: string, options: object = {}) =>
  (await openAs(w.service, w.visitor, path, { ...PHONE, ...options })).page;

describeInBrowser('the dashboard on a phone', () => {
  it('has a low header, whose menu leads everywhere and marks the page, without a script', async () => {
    const page = await open('/transactions', { javaScriptEnabled: false });
    const header = page.getByRole('banner');
    expect((await header.boundingBox())!.height).toBeLessThanOrEqual(HEADER_PX);
    await header.getByText('Menu').click();
    const here = header.getByRole('link', { name: 'Transactions' });
    expect(await here.getAttribute('aria-current')).toBe('page');
    expect(await header.getByRole('button', { name: 'Mode réel' }).isVisible()).toBe(true);
    expect(await sidewaysScroll(page)).toBe(0);
    await header.getByRole('link', { name: 'Équipe' }).click();
    await page.getByRole('heading', { name: 'Équipe', level: 1 }).waitFor();
  });

  it('shows a transaction in two lines, the amount at the right; filters are behind a button, which is open once one is set', async () => {
    const page = await open('/transactions', { javaScriptEnabled: false });
    const row = page.locator('tbody tr').filter({ hasText: 'FCFA' });
    expect(plain(await row.locator('.as-amount').innerText())).toBe('+15 000 FCFA');
    const [what, amount, when, state] = await Promise.all(
      ['what', 'amount', 'when', 'state'].map(
        async (name) => (await row.locator(`.as-${name}`).boundingBox())!,
      ),
    );
    const end = Math.round(amount!.x + amount!.width);
    expect([Math.round(state!.x + state!.width), when!.y > what!.y]).toEqual([end, true]);
    expect(Math.abs(amount!.y - what!.y)).toBeLessThan(what!.height);
    expect(await row.locator('.as-number').isVisible()).toBe(false);
    const currency = page.getByLabel('Devise');
    expect(await currency.isVisible()).toBe(false);
    await page.locator('summary', { hasText: 'Filtres' }).click();
    await currency.selectOption('FCFA (XOF)');
    await page.getByRole('button', { name: 'Filtrer' }).click();
    await page.locator('summary', { hasText: 'Filtres · 1' }).waitFor();
    expect(await currency.isVisible()).toBe(true);
    expect(await page.locator('tbody tr').count()).toBe(1);
  });

  it('says beside the field what an amount is read as, in the currency that is chosen', async () => {
    const page = await open('/links/new');
    const expectShown = (text: string): Promise<void> => {
      const hasText = new RegExp(`^${text.replaceAll(' ', '\\s')}$`);
      return page.locator('output').filter({ hasText }).waitFor();
    };
    await fillIn(page, { amount: '15.000' });
    await expectShown('15 000 FCFA');
    await fillIn(page, { amount: '1.249,9' });
    await page.getByLabel('Devise').selectOption('EUR');
    await expectShown('1 249,90 €');
    // A thousand, or one: it is asked, and read as neither.
    await fillIn(page, { amount: '1.000' });
    await press(page, 'Créer le lien');
    const fault = await page.locator('.fault').innerText();
    expect(plain(fault)).toContain('Est-ce 1 000,00 € ou 1,00 € ?');
  });

  it('asks for times in the reader’s zone, and the address has them in UTC', async () => {
    const page = await open('/requests?before=2026-11-25T10:00', { timezoneId: 'Asia/Kolkata' });
    const field = page.getByLabel('Avant le', { exact: true });
    expect(await field.inputValue()).toBe('2026-11-25T15:30');
    await field.fill('2026-11-25T17:00');
    await page.getByRole('button', { name: 'Afficher' }).click();
    await page.waitForURL(/before=2026-11-25T11%3A30/);
    expect(await field.inputValue()).toBe('2026-11-25T17:00');
  });

  it('asks for what a person or a company has, also without a script', async () => {
    const page = await open('/identity', { javaScriptEnabled: false });
    const shown = () =>
      Promise.all(
        ['birth_date', 'registration_number'].map((name) => page.locator(`#${name}`).isVisible()),
      );
    expect(await shown()).toEqual([true, false]);
    await page.selectOption('#kind', 'company');
    expect(await shown()).toEqual([false, true]);
  });

  describe('with a payment link', () => {
    const link = () =>
      openIntent(w.database.db, w.user, {
        amount_minor: '1500000',
        description: 'Commande 1042',
        customer_phone: '+221 77 123 45 67',
      });

    beforeAll(async () => {
      const { db } = w.database;
      await setPublicProfile(db, w.user.id, { display_name: 'Boutique Fatou & Fils' });
      await setLogo(db, w.user.id, buildPng(400, 200));
    });

    it('is shared, sent by WhatsApp and SMS to the customer’s number, and shown as a code', async () => {
      const path = `/links/${(await link()).id}`;
      const page = await open(path);
      const url = await page.locator('.copyable code').first().innerText();
      const sent = async (name: string) =>
        new URL((await page.getByRole('link', { name }).getAttribute('href'))!);
      const [whatsapp, sms] = [await sent('WhatsApp'), await sent('SMS')];
      const to = [whatsapp.host, whatsapp.pathname, sms.pathname];
      expect(to).toEqual(['wa.me', '/221771234567', '+221771234567']);
      for (const text of [whatsapp.searchParams.get('text')!, sms.searchParams.get('body')!]) {
        expect(plain(text)).toBe(
          `Bonjour, voici le lien pour payer 15 000 FCFA à Boutique Fatou & Fils (Commande 1042) : ${url}`,
        );
      }
      // This browser cannot share, and a page without a script cannot either.
      expect(await page.locator('[data-share]').isVisible()).toBe(false);
      await page.addInitScript('navigator.share = async ({ text }) => { window.shared = text; };');
      await page.reload();
      await press(page, 'Partager');
      expect(await page.evaluate('window.shared')).toContain(url);
      const without = await open(path, { javaScriptEnabled: false });
      expect(await without.locator('main button:visible').count()).toBe(0);
    });

    it('prints nothing across a page of real money', async () => {
      const page = await open('/wallets', { viewport: { width: 1280, height: 900 } });
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('.test-mark').isVisible()).toBe(true);
      await page.emulateMedia({ media: 'screen' });
      await page.getByRole('button', { name: 'Mode réel', exact: true }).first().click();
      await page.locator('body.live').waitFor();
      expect(await page.locator('.test-mark').count()).toBe(0);
      await w.show('sandbox');
    });

    it.each([
      ['portrait', 794, 1123],
      ['landscape', 1123, 794],
    ])(
      'prints a poster of a reusable one on one sheet, %s: shop, title, amount, code, across it TEST, and nothing else',
      async (look, width, height) => {
        const title = 'Café Touba et thiakry, '.repeat(5);
        const { id } = await buildReusableLink(w.database.db, w.user, { title });
        const path = `/reusable-links/${id}`;
        const page = await open(path, { viewport: { width, height } });
        await page.emulateMedia({ media: 'print' });
        const text = await page.locator('body').innerText();
        const url = await page.locator('.paper p').last().innerText();
        expect(text.replace(/\s+/g, ' ').trim()).toBe(
          `Boutique Fatou & Fils ${title}500 FCFA Scannez pour payer ${url} TEST Mode test : sans argent réel`,
        );
        // In one line, and as wide as half of the sheet.
        const size = (side: string): Promise<number> =>
          page.evaluate<number>(`document.querySelector('.test-mark b').offset${side}`);
        const [wide, high] = [await size('Width'), await size('Height')];
        expect([wide > 794 / 2, high < wide / 2]).toEqual([true, true]);
        for (const part of ['.paper', '.paper img', '.poster .qr']) {
          const box = (await page.locator(part).boundingBox())!;
          const isIn = [box.x >= 0, box.x + box.width <= width, box.y + box.height <= height];
          expect([part, ...isIn, box.height > 50]).toEqual([part, true, true, true, true]);
        }
        await keepScreenshot(page, `poster-${look}`);
        const pdf = await page.pdf({ format: 'A4', landscape: look === 'landscape' });
        expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
      },
    );
  });
});
