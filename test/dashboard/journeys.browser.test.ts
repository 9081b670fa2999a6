// Journeys of people from end to end in a real browser: a merchant's first hour from signing up to a live key that is revoked
// again, as the README tells it; a shop owner who signs up on a phone; a counter; a payment that the bank takes back.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { noteDisputeNotice } from '../../db/disputes/disputes';
import { callApi } from '../api/support/contract';
import {
  describeInBrowser,
  expectReadable,
  fillIn,
  heading,
  keepScreenshot,
  openAs,
  openPage,
  PHONE,
  plain,
  press,
} from '../pages/browser';
import { expectBooksHold } from '../support/books';
import { insist } from '../support/http';
import { buildPng } from '../support/pictures';
import { buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { expectGenuine, startReceiver, type TestReceiver } from '../support/webhooks';
import { newName, PASSWORD } from './accounts';
import { linkIn, mailsTo } from './mails';
import { signInOperator } from './operators';
import { useWorld } from './world';

const run = promisify(execFile);

const w = useWorld({ gateway: {}, webhooks: true });

const open = (page: Page, path: string) => page.goto(`${w.service.origin}/dashboard${path}`);
const main = (page: Page) => page.getByRole('main');
const copyable = async (page: Page, within = ''): Promise<string> =>
  (await page.locator(`${within} .copyable code`).first().innerText()).trim();
/** Refusals are what the page shows; of scripts and styles nothing may be refused. */
const expectNone = (problems: readonly string[]): void =>
  expect(problems.filter((problem) => !problem.includes('status of 4'))).toEqual([]);

/** A customer opens the link, and pays at the gateway, whose page it returns. */
async function pay(customer: Page, pay_url: string): Promise<string> {
  await customer.goto(pay_url);
  await customer.click('form[action*="/pay"] button');
  await customer.waitForURL('**/checkout/**');
  const checkout = customer.url();
  await customer.locator('button.pay').click();
  await customer.waitForURL(`${pay_url}**`);
  return checkout;
}

describeInBrowser('the first hour', () => {
  it('leads from signing up to a payment, a webhook and a live key, without a script', async () => {
    const receiver = await startReceiver();
    const { page, problems } = await openPage({ javaScriptEnabled: false });
    const username = newName();
    const test_key = await signUp(page, username);
    await makeFirstCall(page, test_key);
    await open(page, '/webhooks/new');
    await fillIn(page, { url: receiver.url });
    await press(page, 'Add an endpoint');
    const secret = await copyable(page, '.notice');
    await takePayment(page);
    await seeWebhook(page, receiver, secret);
    await passIdentityCheck(page, username);
    await tryLiveKeys(page);
    expectNone(problems);
  });
});

async function signUp(page: Page, username: string): Promise<string> {
  await open(page, '/sign-up');
  await fillIn(page, { email: `${username}@example.com`, username, password: PASSWORD });
  await fillIn(page, { first_name: 'Awa', last_name: 'Diop' });
  await press(page, 'Create an account');
  await heading(page, 'Check your e-mails');
  const [mail] = await mailsTo(w.database, `${username}@example.com`);
  await page.goto(w.service.origin + linkIn(mail!));
  await press(page, 'Confirm and sign in');
  await heading(page, 'Overview');
  await page.locator('.frame > nav').getByRole('link', { name: 'For developers' }).click();
  await press(page, 'Make a test key');
  return copyable(page, '.notice');
}

/** The page's own command, pasted. */
async function makeFirstCall(page: Page, key: string): Promise<void> {
  const command = await page.locator('.snippet code').first().innerText();
  expect(command).toContain(key);
  const answer = await waitFor(async () => {
    const json = JSON.parse((await run('sh', ['-c', command])).stdout);
    return json.error?.retryable !== true && json;
  });
  expect(answer).toMatchObject({ ok: true });
  const { username: to_username } = await buildUser(w.database.db);
  const body = { to_username, currency: 'XOF', amount: 5000 };
  const options = { key, idempotency_key: randomUUID(), body };
  const sent = await insist(() => callApi(w.service, 'POST', '/transfers', options));
  expect(sent.json).toMatchObject({ ok: true, simulated: true });
  await open(page, '/transactions');
  await page.getByText(to_username).first().waitFor();
}

async function takePayment(page: Page): Promise<void> {
  await open(page, '/links/new');
  await fillIn(page, { amount: '49.90', description: 'Two books' });
  await page.selectOption('[name=currency]', 'EUR');
  await press(page, 'Create the link');
  const link = page.url();
  await page.locator('.qr').waitFor();
  await pay(page, await copyable(page));
  await waitFor(async () => {
    await page.goto(link);
    return (await main(page).innerText()).includes('Paid');
  });
}

async function seeWebhook(page: Page, { received, url }: TestReceiver, secret: string) {
  const webhook = await waitFor(() =>
    received.find(({ body }) => body.includes('payment.succeeded')),
  );
  expectGenuine(webhook, secret);
  await open(page, '/webhooks');
  await main(page).getByRole('link', { name: url }).first().click();
  await waitFor(async () => {
    await page.reload();
    return (await main(page).innerText()).includes('payment.succeeded');
  });
}

async function passIdentityCheck(page: Page, username: string): Promise<void> {
  const environments = page.getByRole('group', { name: 'Environment' });
  await environments.getByRole('button', { name: 'Live' }).click();
  await open(page, '/keys');
  await main(page).getByRole('link', { name: 'To the identity check' }).click();
  await heading(page, /Profile|Identity/);
  await fillIn(page, { legal_name: 'Awa Diop', birth_date: '1990-01-31' });
  await fillIn(page, { address: '12 rue Carnot, Dakar', document_number: 'SN1234567' });
  await press(page, 'Send for checking');
  await page.getByText('Waiting').first().waitFor();
  const photo = { name: 'front.png', mimeType: 'image/png', buffer: buildPng(640, 400) };
  await page.setInputFiles('[name=front]', photo);
  await main(page).locator('form[action$="/front"] button').click();
  await page.getByText('The photo was sent.').waitFor();
  const operator = await signInOperator(w.service, w.database);
  const { page: desk } = await openAs(w.service, operator.visitor, '/operators/identity-checks');
  const waiting = desk.getByRole('row').filter({ hasText: username });
  await waiting.getByRole('link', { name: 'Decide' }).click();
  await waitFor(() =>
    desk.evaluate<boolean>('document.querySelector("figure img").naturalWidth === 640'),
  );
  await press(desk, 'Approve');
  await press(desk, 'Approve Awa Diop');
  await main(desk)
    .getByText(/approved/i)
    .first()
    .waitFor();
}

async function tryLiveKeys(page: Page): Promise<void> {
  const call = async (key: string) => (await callApi(w.service, 'GET', '/me', { key })).status;
  const follow = (name: string) =>
    main(page).getByRole('link', { name, exact: true }).first().click();
  await open(page, '/keys/new');
  await fillIn(page, { name: 'shop server' });
  await press(page, 'Create a key');
  const first = await copyable(page, '.notice');
  expect(await call(first)).toBe(200);
  await follow('Rotate');
  await press(page, 'Rotate now');
  const second = await copyable(page, '.notice');
  expect([await call(first), await call(second)]).toEqual([401, 200]);
  await follow('Revoke');
  await press(page, 'Revoke now');
  expect(await call(second)).toBe(401);
}

describeInBrowser('on a phone in French', () => {
  it('a shop’s owner signs up, is signed in by the mail’s link, and sees what to do next', async () => {
    const { page, problems } = await openPage(PHONE);
    await open(page, '/sign-up');
    await fillIn(page, { email: 'fatou', username: '!!', password: 'court' });
    await press(page, 'Créer un compte');
    await page.locator('#username-fault').waitFor();
    // The rest of the page may come later, and is counted below.
    await page.waitForLoadState('domcontentloaded');
    expect(await page.locator('.fault').count()).toBe(3);
    await page.locator('#email:focus').waitFor();

    const username = newName();
    const email = `${username}@example.com`;
    await fillIn(page, { shop_name: 'Boutique Fatou', email, username, password: PASSWORD });
    const type = () => page.getAttribute('#password', 'type');
    await press(page, 'Afficher');
    expect(await type()).toBe('text');
    await press(page, 'Masquer');
    expect(await type()).toBe('password');
    await press(page, 'Créer un compte');
    await heading(page, 'Vérifiez vos e-mails');
    const [mail] = await mailsTo(w.database, email);
    await page.goto(w.service.origin + linkIn(mail!));
    await press(page, 'Confirmer et se connecter');
    await heading(page, 'Accueil');
    await page.waitForLoadState('domcontentloaded');
    const done = expect.stringContaining('nom de votre commerce') as string;
    expect(await page.locator('.steps .done').allInnerTexts()).toEqual([done]);
    // Code is for developers, who ask for it.
    const menu = page.locator('details.menu');
    await menu.locator('> summary').click();
    expect(await menu.getByText('Clés d’API').count()).toBe(0);
    await menu.getByRole('link', { name: 'Pour les développeurs' }).click();
    await press(page, 'Créer une clé de test');
    const notice = await page.locator('.notice').first().innerText();
    expect(notice).toContain('Affichée une seule fois');
    await open(page, '');
    await menu.locator('> summary').click();
    const folded = menu.locator('details');
    expect(await folded.getByText('Clés d’API').isVisible()).toBe(false);
    await folded.locator('summary').click();
    await folded.getByText('Clés d’API').waitFor();
    const links = main(page).getByRole('link', { name: 'Créer un lien de paiement' });
    await links.first().click();
    await heading(page, 'Nouveau lien de paiement');
    expectNone(problems);
  });

  it('a reusable link is made, and says by itself that a customer has paid', async () => {
    const look = { ...PHONE, timezoneId: 'Europe/Paris' };
    const { page, problems } = await openAs(w.service, w.visitor, '/reusable-links', look);
    await page.getByRole('link', { name: 'Nouveau lien réutilisable' }).click();
    await fillIn(page, { title: 'Café Touba', amount: '1 500' });
    await page.getByText('1 500 FCFA').waitFor();
    await page.getByText('Autres champs').click();
    await fillIn(page, { active_until: '2099-07-01T12:00', quantity_maximum: '10' });
    await fillIn(page, { question_1: 'Numéro de table' });
    await page.check('[name=question_1_required]');
    await press(page, 'Créer le lien');
    await heading(page, 'Café Touba');
    await page.getByText('Mise à jour automatique.').waitFor();
    // Typed in the time of Paris, and shown so.
    await page.getByText('1 juil. 2099, 12:00').waitFor();
    const until = page.locator('time', { hasText: '2099' });
    expect(await until.getAttribute('datetime')).toContain('T10:00');
    const url = await copyable(page);
    const sms = await page.getByRole('link', { name: 'SMS' }).getAttribute('href');
    const text = plain(new URL(sms!).searchParams.get('body')!);
    expect(text).toMatch(new RegExp(`payer 1 500 FCFA à .* \\(Café Touba\\) : ${url}$`));

    const list = await page.context().newPage();
    await open(list, '/reusable-links');
    await list.getByText('0 paiement', { exact: true }).waitFor();
    await list.getByText('Mise à jour automatique.').waitFor();
    const { page: customer } = await openPage(look);
    await customer.goto(url);
    await fillIn(customer, { quantity: '2', collect_numero_de_table: '12' });
    await customer.click('form.order button');
    await customer.waitForURL('**/p/**');
    await pay(customer, customer.url());

    await page.getByText('1 paiement', { exact: true }).waitFor();
    await list.getByText('1 paiement', { exact: true }).waitFor();
    const row = page.locator('tbody tr', { hasText: 'Numéro de table : 12' });
    await row.getByText('Payé').waitFor();
    expect(await page.locator('[data-live-part=state]').innerText()).toMatch(
      /^1\s500\sFCFA Actif\s+Reçu 3\s000\sFCFA/,
    );
    await row.getByRole('link').click();
    await page.getByRole('link', { name: 'Café Touba' }).click();
    await page.getByText('Désactiver').waitFor();
    expect(problems).toEqual([]);
  });

  it('a disputed payment is shown to its merchant until it is lost, and to operators', async () => {
    const { visitor, user } = await w.signIn();
    const { page, problems } = await openAs(w.service, visitor, '/disputes', PHONE);
    await main(page).getByText('Aucun paiement n’est contesté.').waitFor();
    await open(page, '/links/new');
    await fillIn(page, { amount: '5 000' });
    await press(page, 'Créer le lien');
    const link_url = page.url();
    const { page: bank } = await openPage(PHONE);
    const checkout = await pay(bank, await copyable(page));
    await page.getByText('Mise à jour automatique.').waitFor();
    const refund = main(page).getByRole('link', { name: 'Rembourser' });
    await refund.waitFor();
    await bank.goto(checkout);
    await bank.getByRole('button', { name: 'Contester ce paiement' }).click();

    // It appears by itself.
    await main(page).getByText('La marchandise n’est pas arrivée').waitFor();
    expect(await refund.count()).toBe(0);
    await expectReadable(page, 'dispute-open');
    await open(page, '/');
    const attention = main(page).locator('.attention');
    await attention.getByText('1 paiement est contesté.').waitFor();
    await attention.getByRole('link', { name: 'Réclamations' }).click();
    await main(page).getByText('En cours').waitFor();

    await bank.getByRole('button', { name: 'Trancher pour le client' }).click();
    await waitFor(async () => {
      await page.goto(link_url);
      return (await main(page).innerText()).includes('Perdu');
    });
    const lost = await main(page).innerText();
    expect(lost).toMatch(/Reste dû.*10\s000\sFCFA/);
    expect(lost).toMatch(/La réclamation de 5\s000\sFCFA est perdue/);
    await keepScreenshot(page, 'dispute-lost');
    await open(page, '/transactions?lang=en');
    await page.getByText('The goods did not arrive').waitFor();
    await page.goto(`${link_url}?lang=en`);
    await page.getByText('10,000 FCFA still owed').waitFor();
    await expectBooksHold(w.database.db);

    const of = { environment: 'sandbox', dispute_id: 'dp_nobody' } as const;
    await noteDisputeNotice(w.database.db, 'sandbox', of);
    const operator = await signInOperator(w.service, w.database);
    const { page: desk, problems: faults } = await openAs(w.service, operator.visitor, '');
    await waitFor(async () => {
      await open(desk, '/operators/disputes');
      return (await main(desk).innerText()).includes('dp_nobody');
    });
    const row = desk.locator('tbody tr', { hasText: user.username });
    expect(await row.innerText()).toMatch(/Lost[^]*still owed/);
    // The simulator knows none of that id, which may pass: only what was answered is an operator's to settle.
    const button = desk.getByRole('button', { name: 'It is settled' });
    expect(await button.count()).toBe(0);
    const notice = w.database.owner('dispute_notices').where({ dispute_id: 'dp_nobody' });
    // An answer that is under way is out of date.
    await notice.update({ problem: 'unknown_payment', next_try_at: 'infinity', asks: 100 });
    await desk.reload();
    await desk.getByLabel('What was done').fill('Not one of ours');
    await button.click();
    await desk.getByText('The dispute is off the list.').waitFor();
    expect(await main(desk).innerText()).not.toContain('dp_nobody');
    expect([problems, faults]).toEqual([[], []]);
  });
});
