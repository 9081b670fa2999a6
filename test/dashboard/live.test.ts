// Pages that update by themselves: what their script asks for, over real HTTP.

import { openIntent, receive } from '../support/refunds';
import { waitFor } from '../support/wait';
import { useWorld } from './world';

const w = useWorld();

/** Asks as the page's script does. */
const look = (path: string, version: string | null = 'none', { visitor } = w.owner) =>
  visitor.request(`/dashboard${path}`, { headers: { 'Page-Version': version! } });

describe('a look', () => {
  it('gets the content of the page when it has changed, else nothing, and no row in the access log', async () => {
    const link = await openIntent(w.database.db, w.user);
    const first = await look(`/links/${link.id}`);
    expect([first.status, await first.text()]).toEqual([200, expect.stringContaining('Open')]);
    const version = first.headers.get('Page-Version');
    const same = await look(`/links/${link.id}`, version);
    expect([same.status, await same.text()]).toEqual([204, '']);
    await receive(w.database.db, link);
    const news = await look(`/links/${link.id}`, version);
    const html = await news.text();
    expect([news.status, html]).toEqual([200, expect.stringContaining('Paid')]);
    expect(html).not.toContain('<html');
    // Rows are written in their order.
    await w.visitor.open('/wallets');
    const logged = await waitFor(async () => {
      const found = await w.sql('select route, status from access_entries order by at');
      return found.some(({ route }) => route === '/dashboard/wallets') ? found : undefined;
    });
    const looks = logged.filter(({ route }) => route === '/dashboard/links/:id');
    expect(looks.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('takes nothing that waits for the person, neither a key that is shown once nor the language', async () => {
    await w.visitor.open('/?lang=en');
    expect((await w.visitor.post('/keys/first')).status).toBe(303);
    const looked = await (await look('?lang=fr')).text();
    expect(looked).toContain('Mon argent');
    expect(looked).not.toContain('class="copyable"');
    const shown = await w.visitor.open('/guides');
    expect(shown.heading).toBe('Guides');
    expect(shown.document.querySelector('.copyable code')!.textContent).toMatch(/_test_/);
  });

  it('keeps no session: one that its person has left ends, whatever its pages ask', async () => {
    const left = await w.signIn();
    const own = `login_id = (select login_id from memberships where user_id = ?)`;
    const leave = (hours: number) =>
      w.sql(`update sessions set last_seen_at = now() - interval '${hours} hours' where ${own}`, [
        left.user.id,
      ]);
    await leave(11);
    expect((await look('/links', 'none', left)).status).toBe(200);
    const [seen] = await w.sql(
      `select last_seen_at < now() - interval '10 hours' as is_left from sessions where ${own}`,
      [left.user.id],
    );
    expect(seen).toEqual({ is_left: true });
    await leave(13);
    const ended = await look('/links', 'none', left);
    expect([ended.status, ended.headers.get('Location')]).toEqual([
      303,
      expect.stringContaining('/dashboard/sign-in'),
    ]);
  });

  it('takes none of the person’s pages, and has a limit of its own', async () => {
    const busy = await w.signIn();
    const statuses: number[] = [];
    // More than two minutes' worth: a slow machine may need more than one.
    for (let count = 0; count < 30 && !statuses.includes(429); count += 1) {
      const looks = Array.from({ length: 20 }, () => look('/wallets', 'none', busy));
      for (const answer of await Promise.all(looks)) {
        statuses.push(answer.status);
        const after = answer.headers.get('Retry-After');
        if (answer.status === 429) expect(after).toMatch(/^\d+$/);
        await answer.arrayBuffer();
      }
    }
    expect(statuses.indexOf(429)).toBeGreaterThan(250);
    expect((await busy.visitor.open('/wallets')).status).toBe(200);
  });
});
