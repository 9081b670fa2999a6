// The dashboard on a shop owner's phone: French, 390 pixels, with and without scripts.

import type { Page } from 'playwright-core';
import { describeInBrowser, openPage, sidewaysScroll } from '../pages/browser';
import { createTestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { signInOwner, type Member } from './accounts';

let service: TestService;
let owner: Member;

/** A phone shows this much above a page's heading, and no more. */
const HEADER_PX = 100;

async function openPhone(path: string, options: object = {}): Promise<Page> {
  const viewport = { width: 390, height: 844 };
  const { page } = await openPage({ locale: 'fr-FR', viewport, ...options });
  const cookies = [...owner.visitor.cookies].filter(([name]) => !name.includes('lang'));
  await page
    .context()
    .addCookies(cookies.map(([name, value]) => ({ name, value, url: service.origin })));
  await page.goto(`${service.origin}/dashboard${path}`);
  return page;
}

/** The spaces of French amounts are not those of tests. */
const plain = (text: string): string => text.replace(/\s/g, ' ');

describeInBrowser('the dashboard on a phone', () => {
  beforeAll(async () => {
    const database = await createTestDatabase();
    service = await startTestService({ database });
    owner = await signInOwner(service, database, {
      funds: { sandbox: { XOF: 1_500_000n, EUR: 124_990n } },
    });
  });

  it('has a low header, whose menu leads everywhere and marks the page, without a script', async () => {
    const page = await openPhone('/transactions', { javaScriptEnabled: false });
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

  it('shows a transaction in two lines, the amount at the right', async () => {
    const page = await openPhone('/transactions');
    const row = page.locator('tbody tr').filter({ hasText: 'FCFA' });
    expect(plain(await row.locator('.as-amount').innerText())).toBe('+15 000 FCFA');
    const [what, amount, when, state] = await Promise.all(
      ['what', 'amount', 'when', 'state'].map(
        async (name) => (await row.locator(`.as-${name}`).boundingBox())!,
      ),
    );
    const end = amount!.x + amount!.width;
    expect([Math.round(state!.x + state!.width), when!.y > what!.y]).toEqual([
      Math.round(end),
      true,
    ]);
    expect(Math.abs(amount!.y - what!.y)).toBeLessThan(what!.height);
    expect(await row.locator('.as-number').isVisible()).toBe(false);
  });

  it('has its filters behind a button, which is open once one is set', async () => {
    const page = await openPhone('/transactions', { javaScriptEnabled: false });
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
    const page = await openPhone('/links/new');
    const field = page.getByLabel('Montant');
    const shown = page.locator('output');
    const expectShown = (text: string): Promise<void> =>
      shown.filter({ hasText: new RegExp(`^${text.replaceAll(' ', '\\s')}$`) }).waitFor();
    await field.fill('15.000');
    await expectShown('15 000 FCFA');
    await field.fill('1.249,9');
    await page.getByLabel('Devise').selectOption('EUR');
    await expectShown('1 249,90 €');
    // A thousand, or one: it is asked, and read as neither.
    await field.fill('1.000');
    await page.getByRole('button', { name: 'Créer le lien' }).click();
    const fault = await page.locator('.fault').innerText();
    expect(plain(fault)).toContain('Est-ce 1 000,00 € ou 1,00 € ?');
  });

  it('asks for times in the reader’s zone, and the address has them in UTC', async () => {
    const page = await openPhone('/requests?before=2026-11-25T10:00', {
      timezoneId: 'Asia/Kolkata',
    });
    const field = page.getByLabel('Avant le', { exact: true });
    expect(await field.inputValue()).toBe('2026-11-25T15:30');
    await field.fill('2026-11-25T17:00');
    await page.getByRole('button', { name: 'Afficher' }).click();
    await page.waitForURL(/before=2026-11-25T11%3A30/);
    expect(await field.inputValue()).toBe('2026-11-25T17:00');
  });
});
