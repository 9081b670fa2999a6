import { randomUUID } from 'node:crypto';
import {
  connectAgain,
  createTestDatabase,
  openSession,
  setUp,
  untilLocked,
} from '../support/database';
import {
  ACTOR,
  type TestUser,
  addMember,
  buildApiKey,
  buildUser,
  ownerOf,
  revokeKey,
  setKyc,
} from '../support/users';
import {
  authenticate,
  identify,
  createApiKey,
  isKeyActive,
  listApiKeys,
  rotateApiKey,
} from '../../db/keys/api-keys';
import type { Environment } from '../../domain/environment';
import { hashApiKey, makeApiKey } from '../../secrets/api-key';

const database = setUp(createTestDatabase);

const STATUSES = ['not_started', 'pending', 'approved', 'rejected', 'expired'] as const;

async function create(user: TestUser, environment: Environment, db = database.db) {
  const { key: _, ...material } = makeApiKey('pay', environment);
  const options = {
    user_id: user.id,
    environment,
    name: 'shop',
    requests_per_minute: 60,
    writes_per_minute: 30,
  };
  return createApiKey(db, material, options, {
    user_id: user.id,
    login_id: await ownerOf(database, user),
  });
}

/** Rotates and returns the new key with what rotation said. */
async function rotate(id: string, overlap_seconds = 0) {
  let key = '';
  const rotation = await rotateApiKey(
    database.operator,
    id,
    (environment) => {
      const { key: made, ...material } = makeApiKey('pay', environment);
      key = made;
      return material;
    },
    { overlap_seconds },
    { actor: ACTOR },
  );
  return { rotation, key };
}

const opens = async (key: string): Promise<boolean> =>
  (await authenticate(database.db, hashApiKey(key), false))?.is_revoked === false;

describe('createApiKey', () => {
  it.each(STATUSES)('§5 makes a live key only after KYC: %s', async (kyc) => {
    const user = await buildUser(database.db, { kyc });
    const id = await create(user, 'live');
    expect(id !== undefined).toBe(kyc === 'approved');
    expect(await listApiKeys(database.db, user.id)).toHaveLength(kyc === 'approved' ? 1 : 0);
  });

  it.each(STATUSES)('makes a test key whatever the KYC status: %s', async (kyc) => {
    const user = await buildUser(database.db, { kyc });
    expect(await create(user, 'sandbox')).toBeDefined();
  });

  it('makes none for a user who does not exist', async () => {
    const nobody = { id: randomUUID(), username: 'nobody', email: '' };
    expect(await create(nobody, 'sandbox')).toBeUndefined();
  });

  it('waits for a withdrawal of the approval under way, and then refuses', async () => {
    const user = await buildUser(database.db);
    const session = await openSession(database.operator_url);
    await session.query('begin');
    await session.query(`select set_kyc_status($1, 'rejected', 'test')`, [user.username]);
    const created = create(user, 'live', connectAgain(database, 2));
    await untilLocked(database, 'select create_api_key');
    await session.query('commit');
    expect(await created).toBeUndefined();
  });

  it('makes the fiftieth active key once, and none beyond, of both environments together: rotated ones are not counted twice', async () => {
    const user = await buildUser(database.db);
    for (let made = 0; made < 49; made += 1) await create(user, made % 2 ? 'sandbox' : 'live');
    const together = await Promise.allSettled(
      Array.from({ length: 4 }, () => create(user, 'sandbox', connectAgain(database, 2))),
    );
    expect(together.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(create(user, 'sandbox')).rejects.toMatchObject({ code: 'KY001' });
    await expect(buildApiKey(database.db, { user, environment: 'sandbox' })).rejects.toThrow(
      'too many active keys',
    );
    await expect(create(user, 'live')).rejects.toMatchObject({ code: 'KY001' });
    const { rotation } = await rotate((await listApiKeys(database.db, user.id))[0]!.id);
    expect(rotation.ok).toBe(true);
    await expect(create(user, 'sandbox')).rejects.toMatchObject({ code: 'KY001' });
    await revokeKey(database.db, rotation.ok ? rotation.id : '');
    expect(await create(user, 'sandbox')).toBeDefined();
  });

  it('keeps no key, only its hash and what the owner recognises it by', async () => {
    const user = await buildUser(database.db);
    const { key } = await buildApiKey(database.db, { user });
    const { rows } = await database.owner.raw('select * from api_keys where user_id = ?', [
      user.id,
    ]);
    const text = JSON.stringify(rows, (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    expect(text).not.toContain(key);
    expect(text).not.toContain(key.slice('pay_live_'.length, -4));
    expect((rows as { key_hash: Buffer }[])[0]!.key_hash).toEqual(hashApiKey(key));
  });
});

describe('revokeApiKey', () => {
  it('closes the key at once and keeps the time of the first revocation', async () => {
    const user = await buildUser(database.db);
    const { id, key } = await buildApiKey(database.db, { user });
    expect(await isKeyActive(database.db, hashApiKey(key))).toBe(true);
    const first = await revokeKey(database.db, id);
    expect(first?.revoked_at).toMatch(/Z$/);
    expect(await opens(key)).toBe(false);
    expect(await isKeyActive(database.db, hashApiKey(key))).toBe(false);
    expect((await revokeKey(database.db, id))?.revoked_at).toBe(first?.revoked_at);
  });

  it('knows no key of another id', async () => {
    expect(await revokeKey(database.db, randomUUID())).toBeUndefined();
  });
});

describe('rotateApiKey', () => {
  it('§5 makes a key with the old one’s settings and revokes the old', async () => {
    const user = await buildUser(database.db);
    const old = await buildApiKey(database.db, {
      user,
      requests_per_minute: 7,
      writes_per_minute: 5,
    });
    const { rotation, key } = await rotate(old.id);
    expect(rotation).toEqual({ ok: true, id: expect.any(String) });
    expect([await opens(old.key), await opens(key)]).toEqual([false, true]);
    const [revoked, fresh] = await listApiKeys(database.db, user.id);
    expect(revoked).toMatchObject({ id: old.id, revoked_at: expect.any(String) });
    expect(fresh).toMatchObject({
      environment: 'live',
      name: 'test',
      requests_per_minute: 7,
      writes_per_minute: 5,
      revoked_at: null,
      last_four: key.slice(-4),
    });
  });

  it('leaves both valid for the overlap, and of keys rotated one after the other only two', async () => {
    const user = await buildUser(database.db);
    const first = await buildApiKey(database.db, { user });
    const second = await rotate(first.id, 3_600);
    expect([await opens(first.key), await opens(second.key)]).toEqual([true, true]);
    expect((await rotate(first.id)).rotation).toEqual({ ok: false, error: 'revoked' });
    const third = await rotate(second.rotation.ok ? second.rotation.id : '', 3_600);
    const keys = [first.key, second.key, third.key];
    expect(await Promise.all(keys.map(opens))).toEqual([false, true, true]);
  });

  it('ends the overlap by itself, also for a call that was reserved', async () => {
    const user = await buildUser(database.db);
    const old = await buildApiKey(database.db, { user });
    await rotate(old.id, 3_600);
    const passed = `update api_keys set revoked_at = clock_timestamp() where id = ?`;
    const known = async () => (await identify(database.db, hashApiKey(old.key)))?.key_id;
    expect(await known()).toBe(old.id);
    await database.owner.raw(passed, [old.id]);
    expect([await opens(old.key), await known()]).toEqual([false, undefined]);
  });

  it('gives no scopes that the person who rotates it may not give by now', async () => {
    const user = await buildUser(database.db);
    const login_id = await addMember(database, user, 'developer');
    const { id, key } = await buildApiKey(database.db, { user });
    const material = () => {
      const { key: _, ...made } = makeApiKey('pay', 'live');
      return made;
    };
    const author = { user_id: user.id, login_id };
    const options = { overlap_seconds: 0 };
    const refused = await rotateApiKey(database.db, id, material, options, author);
    expect(refused).toEqual({ ok: false, error: 'not_found' });
    expect(await opens(key)).toBe(true);
    await database.owner.raw(`update api_keys set scopes = '{read}' where id = ?`, [id]);
    const rotated = await rotateApiKey(database.db, id, material, options, author);
    expect(rotated).toMatchObject({ ok: true });
  });

  it('is neither half done nor seen half done', async () => {
    const user = await buildUser(database.db);
    let { id, key } = await buildApiKey(database.db, { user });
    const watcher = connectAgain(database);
    for (let round = 0; round < 10; round += 1) {
      let isDone = false;
      const counts = new Set<number>();
      const watch = async (): Promise<void> => {
        while (!isDone) {
          const keys = await listApiKeys(watcher, user.id);
          counts.add(keys.filter(({ revoked_at }) => revoked_at === null).length);
        }
      };
      const watching = watch();
      const rotated = await rotate(id);
      isDone = true;
      await watching;
      expect([...counts]).toEqual([1]);
      expect(await opens(key)).toBe(false);
      key = rotated.key;
      id = rotated.rotation.ok ? rotated.rotation.id : '';
    }
  });

  it('makes one new key when asked for twice at the same time', async () => {
    const user = await buildUser(database.db);
    const { id } = await buildApiKey(database.db, { user });
    const results = await Promise.all([rotate(id), rotate(id), rotate(id)]);
    const made = results.filter(({ rotation }) => rotation.ok);
    expect(made).toHaveLength(1);
    for (const { rotation } of results) {
      if (!rotation.ok) expect(rotation.error).toBe('revoked');
    }
    const keys = await listApiKeys(database.db, user.id);
    expect(keys.filter(({ revoked_at }) => revoked_at === null)).toHaveLength(1);
  });

  it('refuses a key that is unknown or revoked', async () => {
    const user = await buildUser(database.db);
    const { id } = await buildApiKey(database.db, { user });
    await revokeKey(database.db, id);
    expect((await rotate(id)).rotation).toEqual({ ok: false, error: 'revoked' });
    expect((await rotate(randomUUID())).rotation).toEqual({ ok: false, error: 'not_found' });
  });

  it('keeps the old live key when a new one needs an approval that is gone', async () => {
    const user = await buildUser(database.db);
    const { id, key } = await buildApiKey(database.db, { user });
    await setKyc(database.db, user.username, 'expired');
    expect((await rotate(id)).rotation).toEqual({ ok: false, error: 'kyc_required' });
    expect(await opens(key)).toBe(true);
  });
});
