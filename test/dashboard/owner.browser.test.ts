// A shop owner's first minutes on a phone, in French, and the counter: what only a browser decides.

import type { Page } from 'playwright-core';
import { openIntent, receive } from '../support/refunds';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import type { NewIntent } from '../../db/payment-intents/intents';
import { describeInBrowser, expectReadable, keepScreenshot, openPage } from '../pages/browser';
import { newName, PASSWORD, signInOwner, type Member } from './accounts';
import { linkIn, mailsTo } from './mails';
import { buildReusableLink } from './payment-links';
import { buildPng } from '../support/pictures';
import { setLogo, setPublicProfile } from '../../db/accounts/public-profiles';

let database: TestDatabase;
let service: TestService;

const PHONE = { locale: 'fr-FR', viewport: { width: 390, height: 844 } };

const open = (page: Page, path: string) => page.goto(`${service.origin}/dashboard${path}`);
const press = (page: Page, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).click();
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

describeInBrowser('a shop’s owner', () => {
  beforeAll(async () => {
    database = await createTestDatabase();
    service = await startTestService({ database });
  });

  it.each([
    ['with a script', true],
    ['without one', false],
  ])(
    'signs up on a phone, is signed in by the mail’s link, and sees what to do next, %s',
    async (how, javaScriptEnabled) => {
      const { page, problems } = await openPage({ ...PHONE, javaScriptEnabled });
      const keep = (name: string) => keepScreenshot(page, `${name}-${how.replaceAll(' ', '-')}`);
      await open(page, '/sign-up');
      await page.fill('[name=email]', 'fatou');
      await page.fill('[name=username]', 'Fatou !');
      await page.fill('[name=password]', 'court');
      await press(page, 'Créer un compte');
      await page.locator('#username-fault').waitFor();
      // The rest of the page may come later, and is counted below.
      await page.waitForLoadState('domcontentloaded');
      await keep('sign-up-faults');
      expect(await page.locator('.fault').count()).toBe(3);
      await page.locator('#email:focus').waitFor();

      const username = newName();
      await page.fill('[name=shop_name]', 'Boutique Fatou');
      await page.fill('[name=email]', `${username}@example.com`);
      await page.fill('[name=username]', username);
      await page.fill('[name=password]', PASSWORD);
      const type = () => page.getAttribute('#password', 'type');
      if (javaScriptEnabled) {
        await press(page, 'Afficher');
        expect(await type()).toBe('text');
        await press(page, 'Masquer');
      }
      expect([await type(), await page.getByText('Afficher').isVisible()]).toEqual([
        'password',
        javaScriptEnabled,
      ]);
      await press(page, 'Créer un compte');
      await heading(page, 'Vérifiez vos e-mails');
      await keep('sign-up-sent');

      const [mail] = await mailsTo(database, `${username}@example.com`);
      await page.goto(service.origin + linkIn(mail!));
      await keep('email-confirm');
      await press(page, 'Confirmer et se connecter');
      await heading(page, 'Vue d’ensemble');
      await page.waitForLoadState('domcontentloaded');
      await keep('overview-first');
      expect(await page.locator('.steps .done').allInnerTexts()).toEqual([
        expect.stringContaining('nom de votre commerce'),
      ]);
      // Code is for developers, who ask for it.
      const sample = page.locator('.snippet').first();
      expect(await sample.isVisible()).toBe(false);
      await page.getByText('Pour les développeurs').click();
      await press(page, 'Créer une clé de test');
      await sample.waitFor();
      expect(await page.locator('.notice').first().innerText()).toContain(
        'Affichée une seule fois',
      );
      await keep('overview-key');
      await page
        .getByRole('main')
        .getByRole('link', { name: 'Créer un lien de paiement' })
        .first()
        .click();
      await heading(page, 'Nouveau lien de paiement');
      await keep('new-link');
      expect(problems.filter((problem) => !problem.includes('status of 4'))).toEqual([]);
    },
  );

  it('is asked for what a person or a company has, also without a script', async () => {
    const { visitor } = await signInOwner(service, database, { kyc: 'not_started' });
    const { page } = await openPage({ ...PHONE, javaScriptEnabled: false });
    const cookies = [...visitor.cookies];
    await page
      .context()
      .addCookies(cookies.map(([name, value]) => ({ name, value, url: service.origin })));
    await open(page, '/profile');
    const shown = () =>
      Promise.all(
        ['birth_date', 'registration_number'].map((name) => page.locator(`#${name}`).isVisible()),
      );
    expect(await shown()).toEqual([true, false]);
    await page.selectOption('#kind', 'company');
    expect(await shown()).toEqual([false, true]);
    await keepScreenshot(page, 'profile-company');
  });

  describe('with a payment link', () => {
    let owner: Member;
    let link: NewIntent;

    beforeAll(async () => {
      owner = await signInOwner(service, database);
      await setPublicProfile(database.db, owner.user.id, { display_name: 'Boutique Fatou & Fils' });
      await setLogo(database.db, owner.user.id, buildPng(400, 200));
    });

    beforeEach(async () => {
      link = await openIntent(database.db, owner.user, {
        amount_minor: '1500000',
        description: 'Commande 1042',
        customer_phone: '+221 77 123 45 67',
      });
    });

    const openAsOwner = (path: string, options: Parameters<typeof openPage>[0] = PHONE) =>
      openAs(owner, path, options);

    async function openAs(
      { visitor }: Member,
      path: string,
      options: Parameters<typeof openPage>[0] = PHONE,
    ): Promise<Page> {
      const { page } = await openPage(options);
      const cookies = [...visitor.cookies];
      await page
        .context()
        .addCookies(cookies.map(([name, value]) => ({ name, value, url: service.origin })));
      await open(page, path);
      return page;
    }

    it.each([
      ['its page', () => `/links/${link.id}`, 'main'],
      ['the list', () => '/links', 'main tbody tr:first-child'],
    ])('says on %s that it was paid, without being loaded again', async (_, path, where) => {
      const page = await openAsOwner(path());
      await page.getByText('Mise à jour automatique.').waitFor();
      await receive(database.db, link);
      await page.locator(where).getByText('Payé ✓').waitFor();
      expect(await page.locator(where).innerText()).toMatch(/15\s000\sFCFA/);
      await keepScreenshot(page, `links-paid-${where.length}`);
    });

    it('shows on the overview that money has come', async () => {
      const other = await signInOwner(service, database, { kyc: 'not_started' });
      const first = await openIntent(database.db, other.user, { amount_minor: '777700' });
      const page = await openAs(other, '');
      await page.getByText('Mise à jour automatique.').waitFor();
      expect(await page.locator('.steps .done').count()).toBe(1);
      await receive(database.db, first);
      // Less the fee.
      await page.getByText(/\+7\s\d{3}\sFCFA/).waitFor();
      expect(await page.locator('main').innerText()).toMatch(
        /Aujourd’hui\s+7\s777\sFCFA 1 paiement\n/,
      );
      expect(await page.locator('.steps .done').count()).toBe(2);
      await expectReadable(page, 'overview-steps');
    });

    it('is shared, sent by WhatsApp and SMS to the customer’s number, and shown as a code', async () => {
      const page = await openAsOwner(`/links/${link.id}`);
      await expectReadable(page, 'links-share');
      const url = await page.locator('.copyable code').first().innerText();
      const sent = async (name: string) =>
        new URL((await page.getByRole('link', { name }).getAttribute('href'))!);
      const [whatsapp, sms] = [await sent('WhatsApp'), await sent('SMS')];
      expect([whatsapp.host, whatsapp.pathname, sms.pathname]).toEqual([
        'wa.me',
        '/221771234567',
        '+221771234567',
      ]);
      for (const text of [whatsapp.searchParams.get('text')!, sms.searchParams.get('body')!]) {
        expect(text.replace(/\s/g, ' ')).toBe(
          `Bonjour, voici le lien pour payer 15 000 FCFA à Boutique Fatou & Fils (Commande 1042) : ${url}`,
        );
      }
      // This browser cannot share, and a page without a script cannot either.
      expect(await page.locator('[data-share]').isVisible()).toBe(false);
      await page.addInitScript('navigator.share = async ({ text }) => { window.shared = text; };');
      await page.reload();
      await press(page, 'Partager');
      expect(await page.evaluate('window.shared')).toContain(url);
      const plain = await openAsOwner(`/links/${link.id}`, { ...PHONE, javaScriptEnabled: false });
      expect(await plain.locator('main button:visible').count()).toBe(0);
      await keepScreenshot(plain, 'links-share-without');
    });

    it('prints nothing across a page of real money', async () => {
      const page = await openAsOwner('/wallets', {});
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('.test-mark').isVisible()).toBe(true);
      await page.emulateMedia({ media: 'screen' });
      await page.getByRole('button', { name: 'Live', exact: true }).first().click();
      await page.locator('html.live, body.live').waitFor();
      expect(await page.locator('.test-mark').count()).toBe(0);
      await owner.visitor.open('/');
      await owner.visitor.submit('/environment', { environment: 'sandbox' });
    });

    it.each([
      ['portrait', 'link', 794, 1123],
      ['landscape', 'link', 1123, 794],
      ['portrait', 'reusable link', 794, 1123],
      ['landscape', 'reusable link', 1123, 794],
    ])(
      'prints a poster on one sheet, %s, of a %s: shop, title, amount, code, across it TEST, and nothing else',
      async (look, kind, width, height) => {
        const isReusable = kind === 'reusable link';
        const title = 'Café Touba et thiakry, '.repeat(5);
        const path = isReusable
          ? `/reusable-links/${(await buildReusableLink(database.db, owner.user, { title })).id}`
          : `/links/${link.id}`;
        const page = await openAsOwner(path, {
          locale: 'fr-FR',
          viewport: { width, height },
        });
        await page.emulateMedia({ media: 'print' });
        const text = await page.locator('body').innerText();
        const url = await page.locator('.paper p').last().innerText();
        expect(text.replace(/\s+/g, ' ').trim()).toBe(
          `Boutique Fatou & Fils ${isReusable ? `${title}500` : '15 000'} FCFA Scannez pour payer ${url} TEST Mode test : sans argent réel`,
        );
        // In one line, and as wide as half of the sheet.
        const size = (side: string): Promise<number> =>
          page.evaluate<number>(`document.querySelector('.test-mark b').offset${side}`);
        const [wide, high] = [await size('Width'), await size('Height')];
        expect([wide > 794 / 2, high < wide / 2]).toEqual([true, true]);
        const boxes = await Promise.all(
          ['.paper', '.paper img', '.poster .qr'].map((one) => page.locator(one).boundingBox()),
        );
        for (const box of boxes) {
          expect([look, box!.x >= 0, box!.x + box!.width <= width]).toEqual([look, true, true]);
          expect([look, box!.height > 50, box!.y + box!.height <= height]).toEqual([
            look,
            true,
            true,
          ]);
        }
        await keepScreenshot(page, `poster-${kind}-${look}`);
        const pdf = await page.pdf({ format: 'A4', landscape: look === 'landscape' });
        expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
      },
    );
  });
});
