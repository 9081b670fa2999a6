// Pages that update by themselves, in a real browser.

import { describeInBrowser, openAs, type OpenPage } from '../pages/browser';
import { openIntent, receive } from '../support/refunds';
import { waitFor } from '../support/wait';
import { buildReusableLink, ofLink } from './payment-links';
import { useWorld } from './world';

const w = useWorld({ of_each: 'test' });

const NOTE = /Updates by itself\.|Mise à jour automatique\./;

interface Watched extends OpenPage {
  /** The answers to its looks, so far. */
  readonly looks: readonly number[];
}

async function watch(path: string, { has_clock = false, script = true, look = {} } = {}) {
  const opened = await openAs(w.service, w.visitor, '/guides', {
    javaScriptEnabled: script,
    ...look,
  });
  const { page } = opened;
  const looks: number[] = [];
  page.on('response', (response) => {
    if ('page-version' in response.request().headers()) looks.push(response.status());
  });
  if (has_clock) await page.clock.install();
  await page.goto(`${w.service.origin}/dashboard${path}`);
  if (script) await page.getByText(NOTE).waitFor();
  return { ...opened, looks };
}

/** Lets the page's time pass until it has looked so often. */
async function lookAgain({ page, looks }: Watched, times = 1, pause = 2_500): Promise<void> {
  for (let left = times; left > 0; left -= 1) {
    const before = looks.length;
    await page.clock.runFor(pause);
    await waitFor(() => looks.length > before);
  }
}

describeInBrowser('a page that updates by itself', () => {
  it('shows a payment that is paid elsewhere, and says nothing of what is as before', async () => {
    const link = await buildReusableLink(w.database.db, w.user);
    const { page, problems } = await watch(`/reusable-links/${link.id}`);
    await page.evaluate(`
      window.changes = 0;
      new MutationObserver(() => window.changes += 1).observe(
        document.querySelector('[data-live-part=state]'), { childList: true, subtree: true })`);
    const intent = await openIntent(w.database.db, w.user, ofLink(link));
    const row = page.locator(`a[href$="${intent.id}"]`);
    await row.waitFor();
    await row.focus();
    expect(await page.evaluate('window.changes')).toBe(0);
    await receive(w.database.db, intent);
    await page.locator('[data-live-part=state]').getByText('1 payment').waitFor();
    expect(await page.evaluate('window.changes')).toBe(1);
    // The keyboard is where it was.
    const focused = await page.evaluate<string>('document.activeElement.getAttribute("href")');
    expect(focused).toBe(`/dashboard/links/${intent.id}`);
    expect(problems).toEqual([]);
  });

  it('leaves what the person types', async () => {
    const intent = await openIntent(w.database.db, w.user);
    const { page } = await watch('/links');
    await page.getByText('Filters', { exact: true }).click();
    await page.getByLabel('Reference').pressSequentially('half a ref');
    await receive(w.database.db, intent);
    const row = page.locator('tr', { has: page.locator(`a[href$="${intent.id}"]`) });
    await row.getByText('Paid').waitFor();
    await page.keyboard.type('erence');
    expect(await page.getByLabel('Reference').inputValue()).toBe('half a reference');
  });

  it('asks nothing while it is not seen, and catches up at once', async () => {
    const intent = await openIntent(w.database.db, w.user);
    const watched = await watch(`/links/${intent.id}`, { has_clock: true });
    const { page, looks } = watched;
    const see = (is_seen: boolean): Promise<unknown> =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${!is_seen}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await lookAgain(watched, 2);
    await see(false);
    await receive(w.database.db, intent);
    await page.clock.runFor('10:00');
    expect(looks).toEqual([200, 204]);
    await see(true);
    await page.clock.runFor(1);
    await page.getByText('Paid').first().waitFor();
  });

  it('asks less often when nothing has changed for five minutes', async () => {
    const watched = await watch('/links', { has_clock: true });
    await lookAgain(watched, 122);
    const asked = watched.looks.length;
    await watched.page.clock.runFor(14_000);
    expect(watched.looks.length).toBe(asked);
    await lookAgain(watched, 1, 1_000);
  });

  it.each([
    ['the session has ended', '/sign-out', {}],
    ['another tab shows other money', '/environment', { environment: 'live' }],
  ])('offers to be loaded again when %s, and asks no more', async (_, form, fields) => {
    const { id } = await openIntent(w.database.db, w.user);
    const watched = await watch('/links', { has_clock: true });
    const { page, looks } = watched;
    await w.visitor.open('/');
    await w.visitor.submit(form, fields);
    await lookAgain(watched);
    await page.getByRole('link', { name: 'Reload' }).waitFor();
    expect(await page.locator(`a[href$="${id}"]`).count()).toBe(1);
    await page.clock.runFor('10:00');
    expect(looks).toHaveLength(1);
  });

  it('offers a link to load it again without a script', async () => {
    const intent = await openIntent(w.database.db, w.user);
    const { page } = await watch(`/links/${intent.id}`, { script: false });
    await receive(w.database.db, intent);
    await page.getByRole('link', { name: 'Reload' }).click();
    await page.getByText('Paid').first().waitFor();
  });
});
