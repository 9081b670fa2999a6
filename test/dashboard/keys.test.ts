// API keys: made, shown once, rotated and revoked by the people of an account, each with a real call.

import { listApiKeys, type ApiKeyRow } from '../../db/keys/api-keys';
import { DEFAULT_SCOPES } from '../../domain/scopes';
import { callApi } from '../api/support/contract';
import { buildApiKey } from '../support/users';
import { waitFor } from '../support/wait';
import { expectPage, type GivenFields, type VisitedPage } from './visitor';
import { useWorld } from './world';

const w = useWorld();

/** The key that the page after a form shows once. */
const shownKey = ({ document }: VisitedPage): string =>
  document.querySelector('.notice .copyable code')?.textContent ?? '';

async function makeKey(fields: GivenFields = {}, by = w.visitor): Promise<string> {
  const page = await by.fill('/keys/new', { name: 'shop', ...fields });
  expect([page.status, page.path]).toEqual([200, '/dashboard/keys']);
  return shownKey(page);
}

const statusWith = async (key: string): Promise<number> =>
  (await callApi(w.service, 'GET', '/me', { key })).status;

const keyOf = async (key: string): Promise<ApiKeyRow> =>
  (await listApiKeys(w.database.db, w.user.id)).find((one) => one.last_four === key.slice(-4))!;

describe('making a key', () => {
  it('shows a key that works, once, and lists its prefix and last four only', async () => {
    const key = await makeKey({ name: 'first shop' });
    expect(key).toMatch(/^pay_test_\w+$/);
    expect(await statusWith(key)).toBe(200);
    const list = await w.visitor.open('/keys');
    expect(list.html).not.toContain(key);
    expectPage(list, 200, 'first shop', `pay_test_…${key.slice(-4)}`);
  });

  it('makes a key that may do a part only, for some time, up to an amount a day, from some addresses', async () => {
    const key = await makeKey({
      scopes: ['read', 'payouts:write'],
      expires: '90',
      daily_XOF: '500 000 F',
      daily_EUR: '',
      allowed_ips: '203.0.113.7\n 198.51.100.0/24',
    });
    expect(w.visitor.page.text).toMatch(
      /read, payouts:write[^]*500,000 FCFA a day at most[^]*203\.0\.113\.7\/32, 198\.51\.100\.0\/24/,
    );
    const kept = { daily_limit: { XOF: '50000000' }, scopes: ['read', 'payouts:write'] };
    expect(await keyOf(key)).toMatchObject(kept);
    expect(await statusWith(key)).toBe(401);
  });

  it('makes one that may do all but pay out, for good, where nothing was chosen', async () => {
    const key = await makeKey();
    expect(w.visitor.page.text).toContain('Everything but payouts');
    const kept = { scopes: DEFAULT_SCOPES, expires_at: null, daily_limit: null };
    expect(await keyOf(key)).toMatchObject(kept);
  });

  it('changes a key: the form shows what it has, and takes it away or adds to it', async () => {
    const { visitor } = w;
    const more = { expires: '30', daily_USD: '10', allowed_ips: '127.0.0.1' };
    const key = await makeKey({ name: 'to change', ...more });
    const before = await keyOf(key);
    const path = `/keys/${before.id}/edit`;
    await visitor.fill(path);
    expect(await keyOf(key)).toEqual(before);
    const less = { scopes: 'read', daily_USD: '', expires: 'never', allowed_ips: '' };
    expectPage(await visitor.fill(path, less), 200, 'The key is changed.');
    const changes = { scopes: ['read'], daily_limit: null, expires_at: null, allowed_ips: null };
    expect(await keyOf(key)).toEqual({ ...before, ...changes });
    const [latest] = await w.sql('select action, subject from activities order by id desc limit 1');
    expect(latest).toEqual({ action: 'keys.update', subject: `api_key/${before.id}` });
    await visitor.open(path);
    await w.sql('update api_keys set revoked_at = now() where id = ?', [before.id]);
    expectPage(await visitor.submit(path), 200, 'This key is revoked already');
  });
});

describe('a live key', () => {
  const CHECK = 'Live keys need an approved identity check';

  it('says why there is none before the identity check, and the way there', async () => {
    const { visitor } = await w.signIn({ kyc: 'pending' });
    await w.show('live', visitor);
    for (const path of ['/keys', '/keys/new']) {
      const page = await visitor.open(path);
      expectPage(page, 200, CHECK);
      expect(page.document.querySelector('main a[href="/dashboard/identity"]')).not.toBeNull();
      expect(page.document.querySelector('main form')).toBeNull();
    }
  });

  it('is refused by the database too, whatever form is sent', async () => {
    const { user, visitor } = await w.signIn();
    await w.show('live', visitor);
    await visitor.open('/keys/new');
    await w.sql(`update users set kyc_status = 'expired' where id = ?`, [user.id]);
    expectPage(await visitor.submit('/keys/new', { name: 'late' }), 403, CHECK);
    const keys = await listApiKeys(w.database.db, user.id);
    expect(keys.filter(({ environment }) => environment === 'live')).toEqual([]);
  });
});

describe('rotating and revoking', () => {
  it('rotates: says before what becomes of the old key, then shows the new one', async () => {
    const old = await makeKey({ name: 'to rotate' });
    const path = `/keys/${(await keyOf(old)).id}/rotate`;
    expectPage(await w.visitor.open(path), 200, 'Once the old one is revoked');
    expect(await statusWith(old)).toBe(200);
    const page = await w.visitor.submit(path);
    expectPage(page, 200, 'to rotate');
    expect([await statusWith(old), await statusWith(shownKey(page))]).toEqual([401, 200]);
    // Another tab still has the page that was open before.
    const again = await w.visitor.open(path);
    expectPage(again, 200, 'This key is revoked already');
    expect(again.document.querySelector('main form')).toBeNull();
  });

  it('makes a key that somebody else rotates that person’s', async () => {
    const colleague = await w.colleague('owner');
    const old = await makeKey({ name: 'to hand over' });
    expectPage(await colleague.open(`/keys/${(await keyOf(old)).id}/rotate`), 200, w.user.email);
    const key = shownKey(await colleague.submit('/rotate'));
    const page = await colleague.open(`/keys/${(await keyOf(key)).id}/revoke`);
    const email = page.document.querySelector('.who span')!.text;
    expect(page.document.querySelector('main dl')!.text).toContain(email);
    expect(page.document.querySelector('main')!.text).not.toContain(w.user.email);
  });

  it('keeps the old key beside the new one for an hour, says until when, and ends it sooner', async () => {
    const old = await makeKey({ name: 'to overlap' });
    const { id } = await keyOf(old);
    const page = await w.visitor.fill(`/keys/${id}/rotate`, { overlap: '3600' });
    const key = shownKey(page);
    expect([await statusWith(old), await statusWith(key)]).toEqual([200, 200]);
    const row = page.document
      .querySelectorAll('tr')
      .find((one) => one.text.includes(old.slice(-4)));
    const until = row!.querySelector('.hint time')!.getAttribute('datetime')!;
    const hour = 'select abs(extract(epoch from ?::timestamptz - now()) - 3600) < 300 as is_one';
    expect(await w.sql(hour, [until])).toEqual([{ is_one: true }]);
    expectPage(await w.visitor.open(`/keys/${id}/rotate`), 200, 'revoked already');
    await w.visitor.fill(`/keys/${id}/revoke`);
    expect([await statusWith(old), await statusWith(key)]).toEqual([401, 200]);
  });

  it('revokes after it has asked, and lists the key behind the filter', async () => {
    const key = await makeKey({ name: 'to revoke' });
    await w.visitor.open(`/keys/${(await keyOf(key)).id}/revoke`);
    expect(await statusWith(key)).toBe(200);
    expectPage(await w.visitor.submit('/revoke'), 200, 'The key to revoke is revoked.');
    expect(await statusWith(key)).toBe(401);
    expect((await w.visitor.open('/keys')).text).not.toContain(key.slice(-4));
    expectPage(await w.visitor.open('/keys?show=revoked'), 200, `…${key.slice(-4)}`);
  });
});

describe('the list of keys', () => {
  it('says when and from where a key was last used', async () => {
    const key = await makeKey({ name: 'used' });
    const rowOf = async (): Promise<string> =>
      (await w.visitor.open('/keys')).rows.find((text) => text.includes(key.slice(-4)))!;
    expect(await rowOf()).toContain('Never');
    await statusWith(key);
    await waitFor(async () => (await rowOf()).includes('from 127.0.0.1'));
  });

  it('gives a developer no live key that can send money, by making or by rotating one', async () => {
    const developer = await w.colleague('developer');
    await w.show('live', developer);
    expectPage(await developer.open('/keys/new'), 200, 'In your role you send no live money');
    const own = await keyOf(await makeKey({}, developer));
    expect(own).toMatchObject({ scopes: ['read', 'webhooks:write'], environment: 'live' });

    const writes = await buildApiKey(w.database.db, { user: w.user, environment: 'live' });
    const list = await developer.open('/keys');
    expect(list.document.querySelector(`a[href$="${own.id}/rotate"]`)).not.toBeNull();
    expect(list.document.querySelector(`a[href$="${writes.id}/rotate"]`)).toBeNull();
    for (const page of ['rotate', 'edit']) {
      expect((await developer.open(`/keys/${writes.id}/${page}`)).status).toBe(403);
    }
    await developer.open(`/keys/${own.id}/rotate`);
    const { status } = await developer.post(`/keys/${writes.id}/rotate`, { overlap: '0' });
    expect([status, await statusWith(writes.key)]).toEqual([403, 200]);
    // Taking one away is safe.
    await developer.fill(`/keys/${writes.id}/revoke`);
    expect(await statusWith(writes.key)).toBe(401);
  });
});

describe('when the end of what was done cannot be written', () => {
  /** Each such change of the table fails meanwhile. */
  async function refusing<T>(table: string, condition: string, body: () => Promise<T>): Promise<T> {
    await w.sql(
      `create or replace function refuse_change() returns trigger language plpgsql as
       $$ begin raise exception 'refused by a test'; end $$;
       create trigger refused before update on ${table} for each row when (${condition})
         execute function refuse_change()`,
    );
    try {
      return await body();
    } finally {
      await w.sql(`drop trigger refused on ${table}`);
    }
  }

  it('shows the result of the form all the same, and the row says that its outcome is not known', async () => {
    const { visitor } = await w.signIn();
    const key = await refusing('activities', 'new.outcome is not null', () => makeKey({}, visitor));
    expect(await statusWith(key)).toBe(200);
    const [latest] = await w.sql('select action, outcome from activities order by id desc limit 1');
    expect(latest).toEqual({ action: 'keys.create', outcome: null });
    expect((await visitor.open('/activity')).rows[0]).toContain('Unknown');
    const logged = w.service.log.map((entry) => String(entry['error']));
    expect(logged.some((error) => error.includes('refused by a test'))).toBe(true);
  });

  it('shows a new key itself when it cannot be kept for the next page', async () => {
    const { visitor } = await w.signIn();
    const page = await refusing('sessions', 'new.sealed_flash is not null', () =>
      visitor.fill('/keys/new', { name: 'till' }),
    );
    expect([page.status, page.heading]).toEqual([200, 'Done']);
    expect(await statusWith(shownKey(page))).toBe(200);
    const to = page.document.querySelector('main p a')!.getAttribute('href')!;
    expect((await visitor.open(to)).status).toBe(200);
  });
});
