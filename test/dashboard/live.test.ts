// Pages that update by themselves: what their script asks for, over real HTTP.

import { createTestDatabase, type TestDatabase } from '../support/database';
import { openIntent, receive } from '../support/refunds';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import { signInOwner, type Member } from './accounts';

let database: TestDatabase;
let service: TestService;
let owner: Member;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  owner = await signInOwner(service, database);
});

/** Asks as the page's script does. */
const look = (path: string, version: string | null = 'none', { visitor } = owner) =>
  visitor.request(`/dashboard${path}`, { headers: { 'Page-Version': version! } });

const rows = async (sql: string, values: readonly string[]): Promise<Record<string, unknown>[]> =>
  (await database.owner.raw<{ rows: Record<string, unknown>[] }>(sql, values)).rows;

describe('a look', () => {
  it('gets the content of the page when it has changed, else nothing, and no row in the access log', async () => {
    const link = await openIntent(database.db, owner.user);
    const first = await look(`/links/${link.id}`);
    expect([first.status, await first.text()]).toEqual([200, expect.stringContaining('Open')]);
    const version = first.headers.get('Page-Version');
    const same = await look(`/links/${link.id}`, version);
    expect([same.status, await same.text()]).toEqual([204, '']);
    await receive(database.db, link);
    const news = await look(`/links/${link.id}`, version);
    const html = await news.text();
    expect([news.status, html]).toEqual([200, expect.stringContaining('Paid')]);
    expect(html).not.toContain('<html');
    // Rows are written in their order.
    await owner.visitor.open('/wallets');
    const logged = await waitFor(async () => {
      const found = await rows('select route, status from access_entries order by at', []);
      return found.some(({ route }) => route === '/dashboard/wallets') ? found : undefined;
    });
    const looks = logged.filter(({ route }) => route === '/dashboard/links/:id');
    expect(looks.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('takes nothing that waits for the person, neither a key that is shown once nor the language', async () => {
    const { visitor } = owner;
    await visitor.open('/?lang=en');
    const token = visitor.page.document.querySelector('[name=form_token]')!;
    const form_token = token.getAttribute('value')!;
    const body = new URLSearchParams({ form_token, shown: `${owner.user.id}/sandbox` });
    const made = await visitor.request('/dashboard/keys/first', { method: 'POST', body });
    expect(made.status).toBe(303);
    const looked = await (await look('?lang=fr')).text();
    expect([looked.includes('Portefeuilles'), looked.includes('class="copyable"')]).toEqual([
      true,
      false,
    ]);
    const shown = await visitor.open('/');
    expect(shown.heading).toBe('Overview');
    expect(shown.document.querySelector('.copyable code')!.textContent).toMatch(/_test_/);
  });

  it('keeps no session: one that its person has left ends, whatever its pages ask', async () => {
    const { user, visitor } = await signInOwner(service, database);
    const own = `login_id = (select login_id from memberships where user_id = ?)`;
    const leave = (hours: number) =>
      rows(`update sessions set last_seen_at = now() - interval '${hours} hours' where ${own}`, [
        user.id,
      ]);
    await leave(11);
    expect((await look('/links', 'none', { user, visitor })).status).toBe(200);
    const [seen] = await rows(
      `select last_seen_at < now() - interval '10 hours' as is_left from sessions where ${own}`,
      [user.id],
    );
    expect(seen).toEqual({ is_left: true });
    await leave(13);
    const ended = await look('/links', 'none', { user, visitor });
    expect([ended.status, ended.headers.get('Location')]).toEqual([
      303,
      expect.stringContaining('/dashboard/sign-in'),
    ]);
  });

  it('takes none of the person’s pages, and has a limit of its own', async () => {
    const busy = await signInOwner(service, database);
    const statuses: number[] = [];
    // More than two minutes' worth: a slow machine may need more than one.
    for (let count = 0; count < 30 && !statuses.includes(429); count += 1) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => look('/wallets', 'none', busy)),
      );
      statuses.push(...answers.map(({ status }) => status));
      for (const { headers } of answers.filter(({ status }) => status === 429)) {
        expect(headers.get('Retry-After')).toMatch(/^\d+$/);
      }
      await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    }
    expect(statuses.indexOf(429)).toBeGreaterThan(250);
    expect((await busy.visitor.open('/wallets')).status).toBe(200);
  });
});
