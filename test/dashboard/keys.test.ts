// API keys: made, shown once, rotated and revoked by the people of an account, each with a real call.

import { listApiKeys, type ApiKeyRow } from '../../db/keys/api-keys';
import { DEFAULT_SCOPES } from '../../domain/scopes';
import { callApi } from '../api/support/contract';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { buildApiKey } from '../support/users';
import { waitFor } from '../support/wait';
import { signInColleague, signInOwner, type Member } from './accounts';
import type { GivenFields, VisitedPage, Visitor } from './visitor';

let database: TestDatabase;
let service: TestService;
let owner: Member;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  owner = await signInOwner(service, database);
});

/** The key that the page after a form shows once. */
function shownKey({ document }: VisitedPage): string {
  return document.querySelector('.notice .copyable code')?.textContent ?? '';
}

async function makeKey(visitor: Visitor, fields: GivenFields = {}): Promise<string> {
  await visitor.open('/keys/new');
  const page = await visitor.submit('/keys/new', { name: 'shop', ...fields });
  expect([page.status, page.path]).toEqual([200, '/dashboard/keys']);
  return shownKey(page);
}

async function statusWith(key: string): Promise<number> {
  return (await callApi(service, 'GET', '/me', { key })).status;
}

async function keyOf(key: string): Promise<ApiKeyRow> {
  const keys = await listApiKeys(database.db, owner.user.id);
  return keys.find(({ last_four }) => last_four === key.slice(-4))!;
}

async function idOf(key: string): Promise<string> {
  return (await keyOf(key)).id;
}

async function switchTo(visitor: Visitor, environment: 'live' | 'sandbox'): Promise<void> {
  await visitor.open('/');
  await visitor.submit('/environment', { environment });
}

describe('making a key', () => {
  it('shows a key that works, once, and lists its prefix and last four only', async () => {
    const key = await makeKey(owner.visitor, { name: 'first shop' });
    expect(key).toMatch(/^pay_test_\w+$/);
    expect(await statusWith(key)).toBe(200);
    const list = await owner.visitor.open('/keys');
    expect(list.html).not.toContain(key);
    expect(list.text).toContain('first shop');
    expect(list.text).toContain(`pay_test_…${key.slice(-4)}`);
  });

  it('makes a key that may do a part only, for some time, up to an amount a day, from some addresses', async () => {
    const key = await makeKey(owner.visitor, {
      scopes: ['read', 'payouts:write'],
      expires: '90',
      daily_XOF: '500 000 F',
      daily_EUR: '',
      allowed_ips: '203.0.113.7\n 198.51.100.0/24',
    });
    const { text } = owner.visitor.page;
    expect(text).toMatch(
      /read, payouts:write[^]*500,000 FCFA a day at most[^]*203\.0\.113\.7\/32, 198\.51\.100\.0\/24/,
    );
    expect(await keyOf(key)).toMatchObject({
      daily_limit: { XOF: '50000000' },
      scopes: ['read', 'payouts:write'],
    });
    expect(await statusWith(key)).toBe(401);
  });

  it('makes one that may do all but pay out, for good, where nothing was chosen', async () => {
    const key = await makeKey(owner.visitor);
    expect(owner.visitor.page.text).toContain('Everything but payouts');
    expect(await keyOf(key)).toMatchObject({
      scopes: DEFAULT_SCOPES,
      expires_at: null,
      daily_limit: null,
    });
  });

  it('changes a key: the form shows what it has, and takes it away or adds to it', async () => {
    const { visitor } = owner;
    const key = await makeKey(visitor, {
      name: 'to change',
      expires: '30',
      daily_USD: '10',
      allowed_ips: '127.0.0.1',
    });
    const before = await keyOf(key);
    const path = `/keys/${before.id}/edit`;
    await visitor.open(path);
    await visitor.submit(path);
    expect(await keyOf(key)).toEqual(before);
    await visitor.open(path);
    const page = await visitor.submit(path, {
      scopes: 'read',
      daily_USD: '',
      expires: 'never',
      allowed_ips: '',
    });
    expect(page.text).toContain('The key is changed.');
    const changes = { scopes: ['read'], daily_limit: null, expires_at: null, allowed_ips: null };
    expect(await keyOf(key)).toEqual({ ...before, ...changes });
    const { rows } = await database.owner.raw(
      `select action, subject from activities where subject = ? order by id desc limit 1`,
      [`api_key/${before.id}`],
    );
    expect(rows).toMatchObject([{ action: 'keys.update' }]);
    await visitor.open(path);
    await database.owner.raw('update api_keys set revoked_at = now() where id = ?', [before.id]);
    expect((await visitor.submit(path)).text).toContain('This key is revoked already');
  });

  it.each([
    ['addresses', { name: 'kept', allowed_ips: 'shop.example' }, 'Write addresses or ranges'],
    ['an amount', { name: 'kept', daily_EUR: '1.000' }, 'Is it €1,000.00 or €1.00?'],
  ] as [string, GivenFields, string][])(
    'asks for %s again, and keeps what was written',
    async (_what, fields, fault) => {
      const { visitor } = owner;
      await visitor.open('/keys/new');
      const page = await visitor.submit('/keys/new', { name: 'kept', ...fields });
      expect([page.status, page.text]).toEqual([422, expect.stringContaining(fault)]);
      expect(page.document.querySelector('[name=name]')?.getAttribute('value')).toBe(
        fields['name'] ?? 'kept',
      );
    },
  );
});

describe('a live key', () => {
  it('says why there is none before the identity check, and the way there', async () => {
    const { visitor } = await signInOwner(service, database, { kyc: 'pending' });
    await switchTo(visitor, 'live');
    for (const path of ['/keys', '/keys/new']) {
      const page = await visitor.open(path);
      expect(page.text).toContain('Live keys need an approved identity check');
      expect(page.document.querySelector('main a[href="/dashboard/profile"]')).not.toBeNull();
      expect(page.document.querySelector('main form')).toBeNull();
    }
  });

  it('is refused by the database too, whatever form is sent', async () => {
    const { user, visitor } = await signInOwner(service, database);
    await switchTo(visitor, 'live');
    await visitor.open('/keys/new');
    await database.owner.raw(`update users set kyc_status = 'expired' where id = ?`, [user.id]);
    const page = await visitor.submit('/keys/new', { name: 'late' });
    expect([page.status, page.text]).toEqual([
      403,
      expect.stringContaining('Live keys need an approved identity check'),
    ]);
    const keys = await listApiKeys(database.db, user.id);
    expect(keys.filter(({ environment }) => environment === 'live')).toEqual([]);
  });
});

describe('rotating and revoking', () => {
  it('rotates: says before what becomes of the old key, then shows the new one', async () => {
    const { visitor } = owner;
    const old = await makeKey(visitor, { name: 'to rotate' });
    const id = await idOf(old);
    const asked = await visitor.open(`/keys/${id}/rotate`);
    expect(asked.text).toContain('Once the old one is revoked');
    expect(await statusWith(old)).toBe(200);
    const page = await visitor.submit(`/keys/${id}/rotate`);
    const key = shownKey(page);
    expect([await statusWith(old), await statusWith(key)]).toEqual([401, 200]);
    expect(page.text).toContain('to rotate');
    // Another tab still has the page that was open before.
    await visitor.open('/keys');
    const again = await visitor.open(`/keys/${id}/rotate`);
    expect(again.text).toContain('This key is revoked already');
    expect(again.document.querySelector('main form')).toBeNull();
  });

  it('makes a key that somebody else rotates that person’s', async () => {
    const colleague = await signInColleague(service, database, owner.user, 'owner');
    const old = await makeKey(owner.visitor, { name: 'to hand over' });
    const before = await colleague.open(`/keys/${await idOf(old)}/rotate`);
    expect(before.text).toContain(owner.user.email);
    const key = shownKey(await colleague.submit('/rotate'));
    const page = await colleague.open(`/keys/${await idOf(key)}/revoke`);
    const email = page.document.querySelector('.who span')!.text;
    expect(page.document.querySelector('main dl')!.text).toContain(email);
    expect(page.document.querySelector('main')!.text).not.toContain(owner.user.email);
  });

  it('keeps the old key beside the new one for an hour, says until when, and ends it sooner', async () => {
    const { visitor } = owner;
    const old = await makeKey(visitor, { name: 'to overlap' });
    const id = await idOf(old);
    await visitor.open(`/keys/${id}/rotate`);
    const page = await visitor.submit(`/keys/${id}/rotate`, { overlap: '3600' });
    const key = shownKey(page);
    expect([await statusWith(old), await statusWith(key)]).toEqual([200, 200]);
    const row = page.document
      .querySelectorAll('tr')
      .find((one) => one.text.includes(old.slice(-4)))!;
    const until = row.querySelector('.hint time')!.getAttribute('datetime')!;
    const { rows } = await database.owner.raw(
      `select abs(extract(epoch from ?::timestamptz - now()) - 3600) < 300 as is_an_hour`,
      [until],
    );
    expect(rows).toEqual([{ is_an_hour: true }]);
    expect((await visitor.open(`/keys/${id}/rotate`)).text).toContain('revoked already');
    await visitor.open(`/keys/${id}/revoke`);
    await visitor.submit(`/keys/${id}/revoke`);
    expect([await statusWith(old), await statusWith(key)]).toEqual([401, 200]);
  });

  it('revokes after it has asked, and lists the key behind the filter', async () => {
    const { visitor } = owner;
    const key = await makeKey(visitor, { name: 'to revoke' });
    const id = await idOf(key);
    await visitor.open(`/keys/${id}/revoke`);
    expect(await statusWith(key)).toBe(200);
    const page = await visitor.submit(`/keys/${id}/revoke`);
    expect(page.text).toContain('The key to revoke is revoked.');
    expect(await statusWith(key)).toBe(401);
    expect((await visitor.open('/keys')).text).not.toContain(key.slice(-4));
    expect((await visitor.open('/keys?show=revoked')).text).toContain(`…${key.slice(-4)}`);
  });
});

describe('the list of keys', () => {
  it('says when and from where a key was last used', async () => {
    const { visitor } = owner;
    const key = await makeKey(visitor, { name: 'used' });
    const rowOf = async (): Promise<string> => {
      const { document } = await visitor.open('/keys');
      const rows = document.querySelectorAll('tbody tr').map((row) => row.structuredText);
      return rows.find((text) => text.includes(key.slice(-4)))!;
    };
    expect(await rowOf()).toContain('Never');
    await statusWith(key);
    await waitFor(async () => (await rowOf()).includes('from 127.0.0.1'));
  });

  it('gives a developer no live key that can send money, by making or by rotating one', async () => {
    const developer = await signInColleague(service, database, owner.user, 'developer');
    await switchTo(developer, 'live');
    const page = await developer.open('/keys/new');
    expect(page.text).toContain('In your role you send no live money');
    const key = await makeKey(developer);
    const own = (await listApiKeys(database.db, owner.user.id)).at(-1)!;
    expect(own).toMatchObject({
      scopes: ['read', 'webhooks:write'],
      last_four: key.slice(-4),
      environment: 'live',
    });
    expect((await developer.open(`/keys/${own.id}/rotate`)).status).toBe(200);

    const writes = await buildApiKey(database.db, { user: owner.user, environment: 'live' });
    const list = await developer.open('/keys');
    expect(list.document.querySelector(`a[href$="${writes.id}/rotate"]`)).toBeNull();
    expect((await developer.open(`/keys/${writes.id}/rotate`)).status).toBe(403);
    expect((await developer.open(`/keys/${writes.id}/edit`)).status).toBe(403);
    await developer.open(`/keys/${own.id}/rotate`);
    const form = developer.page.document.querySelector(`form[action$="rotate"]`)!;
    const fields = form
      .querySelectorAll('input')
      .map((input) => [input.getAttribute('name')!, input.getAttribute('value')!]);
    const response = await developer.request(`/dashboard/keys/${writes.id}/rotate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
    expect([response.status, await statusWith(writes.key)]).toEqual([403, 200]);
    // Taking one away is safe.
    await developer.open(`/keys/${writes.id}/revoke`);
    await developer.submit('/revoke');
    expect(await statusWith(writes.key)).toBe(401);
  });

  describe('when the end of what was done cannot be written', () => {
    /** Makes each such change of the table fail, until the returned function is called. */
    async function failUpdates(table: string, condition: string): Promise<() => Promise<void>> {
      await database.owner.raw(
        `create or replace function refuse_change() returns trigger language plpgsql as
         $$ begin raise exception 'refused by a test'; end $$`,
      );
      await database.owner.raw(
        `create trigger refused before update on ${table} for each row when (${condition})
         execute function refuse_change()`,
      );
      return async () => {
        await database.owner.raw(`drop trigger refused on ${table}`);
      };
    }

    it('shows the result of the form all the same, and the row says that its outcome is not known', async () => {
      const { user, visitor } = await signInOwner(service, database);
      const allow = await failUpdates('activities', 'new.outcome is not null');
      try {
        const key = await makeKey(visitor);
        expect(await statusWith(key)).toBe(200);
      } finally {
        await allow();
      }
      const { rows } = await database.owner.raw<{ rows: unknown[] }>(
        `select action, outcome from activities where user_id = ? order by id desc limit 1`,
        [user.id],
      );
      expect(rows).toEqual([{ action: 'keys.create', outcome: null }]);
      const [, latest] = (await visitor.open('/activity')).document.querySelectorAll('tr');
      expect(latest!.text).toContain('Unknown');
      expect(
        service.log.some((entry) => String(entry['error']).includes('refused by a test')),
      ).toBe(true);
    });

    it('shows a new key itself when it cannot be kept for the next page', async () => {
      const { visitor } = await signInOwner(service, database);
      await visitor.open('/keys/new');
      const allow = await failUpdates('sessions', 'new.sealed_flash is not null');
      let page: VisitedPage;
      try {
        page = await visitor.submit('/keys/new', { name: 'till' });
      } finally {
        await allow();
      }
      expect([page.status, page.heading]).toEqual([200, 'Done']);
      expect(await statusWith(shownKey(page))).toBe(200);
      const to = page.document.querySelector('main p a')!.getAttribute('href')!;
      expect((await visitor.open(to)).status).toBe(200);
    });
  });
});
