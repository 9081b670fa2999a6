import { connectAgain, createTestDatabase, setUp } from '../support/database';
import {
  buildApiKey,
  buildUser,
  revokeKey,
  type TestKeyOptions,
  type TestUser,
} from '../support/users';
import { countRowsRead, LOOK_UP_PLAN } from '../support/plans';
import { buildTransferRequest, post, responsesOf } from '../support/postings';
import { waitFor } from '../support/wait';
import { authenticate, identify, IDENTIFY, type Caller } from '../../db/keys/api-keys';
import { hashApiKey, makeApiKey } from '../../secrets/api-key';

const database = setUp(createTestDatabase);
let user: TestUser;

// An account has a limit of keys.
beforeEach(async () => {
  user = await buildUser(database.db);
});

interface Key {
  readonly id: string;
  readonly hash: Buffer;
}

async function makeKey(limits: Omit<TestKeyOptions, 'user'> = {}): Promise<Key> {
  const { id, key } = await buildApiKey(database.db, { user, ...limits });
  return { id, hash: hashApiKey(key) };
}

async function call({ hash }: Key, kind: 'read' | 'write' = 'read'): Promise<Caller> {
  return (await authenticate(database.db, hash, kind === 'write'))!;
}

/** Calls until one is refused and returns how many were let in. */
async function callUntilRefused(key: Key, kind: 'read' | 'write' = 'read'): Promise<number> {
  for (let count = 0; ; count += 1) {
    if (!(await call(key, kind)).allowed) return count;
  }
}

/** Moves the window `seconds` back, not the clock. */
async function age({ id }: Key, seconds: number): Promise<void> {
  await database.owner.raw(
    `update rate_windows r set last_second = r.last_second - :seconds,
       requests = (select array_agg(requests[(i + :seconds) % 61 + 1] order by i) from generate_series(0, 60) i),
       writes = (select array_agg(writes[(i + :seconds) % 61 + 1] order by i) from generate_series(0, 60) i)
      where key_id = :id`,
    { id, seconds },
  );
}

/** Repeats it, with another key, when it takes a second: real time moves the window too. */
async function atOnce<T>(
  limits: Omit<TestKeyOptions, 'user'>,
  work: (key: Key) => Promise<T>,
): Promise<T> {
  const { done } = await waitFor(async () => {
    const key = await makeKey(limits);
    const began = performance.now();
    const result = await work(key);
    return performance.now() - began < 1_000 && { done: result };
  });
  return done;
}

async function windowOf({ id }: Key): Promise<{ requests: number; writes: number }> {
  const { rows } = await database.owner.raw(
    `select (select sum(n)::int from unnest(requests) n) as requests,
            (select sum(n)::int from unnest(writes) n) as writes
       from rate_windows where key_id = ?`,
    [id],
  );
  return (rows as { requests: number; writes: number }[])[0]!;
}

describe('authenticate', () => {
  it('§5 knows a key by its hash and tells whose it is and in which environment', async () => {
    const live = await makeKey();
    const sandbox = await makeKey({ environment: 'sandbox' });
    const identity = { user_id: user.id, username: user.username, allowed: true };
    expect(await call(live)).toMatchObject({ ...identity, key_id: live.id, environment: 'live' });
    expect(await call(sandbox)).toMatchObject({ ...identity, environment: 'sandbox' });
  });

  it('§7 unauthorized: knows no foreign key, and lets a revoked one do nothing', async () => {
    const key = await makeKey();
    expect(
      await authenticate(database.db, makeApiKey('pay', 'live').key_hash, false),
    ).toBeUndefined();
    await revokeKey(database.db, key.id);
    expect(await call(key)).toMatchObject({ is_revoked: true, allowed: false });
    expect(await windowOf(key)).toBeUndefined();
  });

  it('revokes for the very next call on every process', async () => {
    const key = await makeKey();
    const elsewhere = connectAgain(database);
    expect(await authenticate(elsewhere, key.hash, false)).toBeDefined();
    await revokeKey(database.db, key.id);
    const after = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        authenticate(index % 2 === 0 ? database.db : elsewhere, key.hash, false),
      ),
    );
    expect(new Set(after.map((caller) => caller!.is_revoked))).toEqual(new Set([true]));
  });

  it("tells the database's time", async () => {
    const { now } = await call(await makeKey());
    expect(now).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(5_000);
  });
});

describe('authenticate with an idempotency key', () => {
  it('finds the answer kept for it, and only for this caller, environment and key', async () => {
    const payer = await buildUser(database.db, { funds: { live: { XOF: 1_000n } } });
    const request = buildTransferRequest({ from: payer, to: user, amount: 100n, key: 'kept' });
    await post(database.db, [request]);
    const ask = async (owner: TestUser, key: string, environment: 'live' | 'sandbox' = 'live') => {
      const { key: api_key } = await buildApiKey(database.db, { user: owner, environment });
      const operation_key = { operation: 'transfer', key } as const;
      return (await authenticate(database.db, hashApiKey(api_key), true, { operation_key }))!;
    };
    const { fingerprint } = request;
    expect((await ask(payer, 'kept')).stored).toEqual({
      ...responsesOf(request).completed,
      fingerprint,
    });
    expect((await ask(payer, 'other')).stored).toBeUndefined();
    expect((await ask(payer, 'kept', 'sandbox')).stored).toBeUndefined();
    expect((await ask(user, 'kept')).stored).toBeUndefined();
    expect((await call(await makeKey())).stored).toBeUndefined();
  });

  it('counts and limits the call all the same', async () => {
    const key = await makeKey({ writes_per_minute: 1 });
    const operation_key = { operation: 'transfer', key: 'k' } as const;
    const write = () => authenticate(database.db, key.hash, true, { operation_key });
    expect(await write()).toMatchObject({ allowed: true, write_remaining: 0 });
    expect(await write()).toMatchObject({ allowed: false });
  });
});

describe('§8 rate limits', () => {
  it('are 60 requests and 30 writes a minute for a new key', async () => {
    const { rows } = await database.owner.raw(
      `select column_name, column_default from information_schema.columns
        where table_name = 'api_keys' and column_name like '%_per_minute' order by 1`,
    );
    expect(rows).toEqual([
      { column_name: 'requests_per_minute', column_default: '60' },
      { column_name: 'writes_per_minute', column_default: '30' },
    ]);
  });

  it('let exactly the limit in and count down to it', async () => {
    const key = await makeKey({ requests_per_minute: 5, writes_per_minute: 5 });
    const remaining = [];
    for (let i = 0; i < 5; i += 1) remaining.push((await call(key)).request_remaining);
    expect(remaining).toEqual([4, 3, 2, 1, 0]);
    expect(await call(key)).toMatchObject({
      allowed: false,
      request_limit: 5,
      request_remaining: 0,
      write_limit: 5,
      write_remaining: 5,
    });
  });

  it('count a write in both windows and a read in one', async () => {
    const key = await makeKey({ requests_per_minute: 10, writes_per_minute: 3 });
    expect(await callUntilRefused(key, 'write')).toBe(3);
    expect(await call(key, 'write')).toMatchObject({
      allowed: false,
      write_remaining: 0,
      request_remaining: 7,
    });
    expect(await callUntilRefused(key, 'read')).toBe(7);
    expect(await windowOf(key)).toEqual({ requests: 10, writes: 3 });
  });

  it('do not count what they refuse', async () => {
    const key = await makeKey({ requests_per_minute: 2 });
    await callUntilRefused(key);
    for (let i = 0; i < 20; i += 1) await call(key);
    expect(await windowOf(key)).toMatchObject({ requests: 2 });
  });

  it('are kept apart for each key, also of one user', async () => {
    const first = await makeKey({ requests_per_minute: 1 });
    const second = await makeKey({ requests_per_minute: 1 });
    expect(await callUntilRefused(first)).toBe(1);
    expect(await callUntilRefused(second)).toBe(1);
  });

  it.each([60, 120])(
    'let exactly %i of 200 simultaneous calls in, over several processes',
    async (limit) => {
      const key = await makeKey({ requests_per_minute: limit });
      const pools = [database.db, connectAgain(database), connectAgain(database)];
      const callers = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          authenticate(pools[index % pools.length]!, key.hash, false),
        ),
      );
      expect(callers.filter((caller) => caller!.allowed)).toHaveLength(limit);
      expect(await windowOf(key)).toMatchObject({ requests: limit });
    },
  );

  it('let exactly 30 of 200 simultaneous writes in', async () => {
    const key = await makeKey({ requests_per_minute: 60, writes_per_minute: 30 });
    const callers = await Promise.all(Array.from({ length: 200 }, () => call(key, 'write')));
    expect(callers.filter((caller) => caller.allowed)).toHaveLength(30);
  });
});

describe('the keys of an account together', () => {
  const USUAL = { requests_per_minute: 60, writes_per_minute: 30 };

  async function buildKeys(
    count: number,
    limits: Omit<TestKeyOptions, 'user'> = USUAL,
  ): Promise<[TestUser, Key[]]> {
    const owner = await buildUser(database.db);
    const keys: Key[] = [];
    for (let made = 0; made < count; made += 1) {
      const environment = made % 2 === 0 ? 'live' : 'sandbox';
      const { id, key } = await buildApiKey(database.db, { user: owner, environment, ...limits });
      keys.push({ id, hash: hashApiKey(key) });
    }
    return [owner, keys];
  }

  /** One after the other: calls at the same time may be let in beyond the limit, one of each key. */
  async function callAll(keys: readonly Key[], times: number, kind: 'read' | 'write' = 'read') {
    let let_in = 0;
    for (const key of keys)
      for (let i = 0; i < times; i += 1) if ((await call(key, kind)).allowed) let_in += 1;
    return let_in;
  }

  it('have ten times the usual limits of one, whichever of them calls', async () => {
    const [, keys] = await buildKeys(12);
    expect(await callAll(keys, 29, 'write')).toBe(300);
    expect(await call(keys[0]!, 'write')).toMatchObject({ allowed: false, write_remaining: 0 });
    expect(await callAll(keys, 60)).toBe(300);
    const refused = await call(keys[11]!);
    expect(refused).toMatchObject({ allowed: false, request_limit: 60, request_remaining: 0 });
    expect(refused.retry_after_seconds).toBeGreaterThan(0);
    for (const key of keys) await age(key, refused.retry_after_seconds);
    expect((await call(keys[11]!)).allowed).toBe(true);
  });

  it('count those that were revoked or rotated a moment ago, and none whose limits operators have raised', async () => {
    const [owner, keys] = await buildKeys(11);
    expect(await callAll(keys, 50)).toBe(550);
    for (const { id } of keys) await revokeKey(database.db, id);
    const { id, key } = await buildApiKey(database.db, { user: owner, ...USUAL });
    const fresh = { id, hash: hashApiKey(key) };
    expect(await callAll([fresh], 60)).toBe(50);
    const raised = { requests_per_minute: 61, writes_per_minute: 30 };
    const high = await buildApiKey(database.db, { user: owner, ...raised });
    expect(await callAll([{ id: high.id, hash: hashApiKey(high.key) }], 61)).toBe(61);
    // Once the calls have left the window, so have the keys.
    for (const one of [...keys, fresh]) await age(one, 61);
    expect(await callAll([fresh], 60)).toBe(60);
  });

  it('of at most ten are not added up: they cannot have more', async () => {
    const [owner, keys] = await buildKeys(10);
    const has_many = async () =>
      (await database.owner('users').where({ id: owner.id }).first('has_many_keys')).has_many_keys;
    expect(await has_many()).toBe(false);
    expect(await callAll(keys, 60)).toBe(600);
    await buildApiKey(database.db, { user: owner, ...USUAL });
    expect(await has_many()).toBe(true);
  });
});

describe('the rolling window', () => {
  it.each([
    [0, false],
    [1, false],
    [59, false],
    [61, true],
    [62, true],
    [3_600, true],
  ])('%i s after the last call lets another in: %s', async (seconds, isLetIn) => {
    const { allowed } = await atOnce({ requests_per_minute: 3 }, async (key) => {
      await callUntilRefused(key);
      await age(key, seconds);
      return call(key);
    });
    expect(allowed).toBe(isLetIn);
  });

  it('never holds more than the limit in any 60 s, however the calls are spread', async () => {
    const key = await makeKey({ requests_per_minute: 10 });
    let moved = 0;
    const let_in: number[] = [];
    for (const pause of [0, 7, 0, 20, 1, 31, 0, 5, 59, 1, 1, 60, 0, 13, 47, 2, 58, 61, 0, 30, 30]) {
      await age(key, pause);
      moved += pause;
      for (let i = 0; i < 4; i += 1) {
        const { allowed, now } = await call(key);
        if (allowed) let_in.push(Math.floor(Date.parse(now) / 1_000) + moved);
      }
    }
    for (const start of let_in) {
      const within = let_in.filter((at) => at >= start && at <= start + 59);
      expect(within.length).toBeLessThanOrEqual(10);
    }
    expect(let_in.length).toBeGreaterThan(40);
  });

  it('tells when to come back, and lets in whoever does', async () => {
    const limits = { requests_per_minute: 4, writes_per_minute: 2 };
    const [refused, back, again] = await atOnce(limits, async (key) => {
      await call(key, 'write');
      await age(key, 10);
      await call(key, 'write');
      const first = await call(key, 'write');
      await age(key, first.retry_after_seconds);
      return [first, await call(key, 'write'), await call(key, 'write')] as const;
    });
    expect(refused.allowed).toBe(false);
    expect(refused.retry_after_seconds).toBeGreaterThanOrEqual(49);
    expect(refused.retry_after_seconds).toBeLessThanOrEqual(51);
    expect([back.allowed, again.allowed]).toEqual([true, false]);
  });

  it('never asks for less than one second or more than 61', async () => {
    const key = await makeKey({ requests_per_minute: 5 });
    await callUntilRefused(key);
    for (const seconds of [0, 15, 15, 15, 10]) {
      await age(key, seconds);
      const { allowed, retry_after_seconds } = await call(key);
      expect(allowed).toBe(false);
      expect(retry_after_seconds).toBeGreaterThanOrEqual(1);
      expect(retry_after_seconds).toBeLessThanOrEqual(61);
    }
  });

  it('is not reopened by a clock that steps back', async () => {
    const key = await makeKey({ requests_per_minute: 3 });
    await callUntilRefused(key);
    // The last call lies ahead of the clock, by less and by more than a whole window.
    for (const seconds of [30, 3_600]) {
      await database.owner.raw(
        'update rate_windows set last_second = last_second + ? where key_id = ?',
        [seconds, key.id],
      );
      await database.owner.raw(
        `update rate_windows set requests = array_fill(0, array[61])
          where key_id = ?`,
        [key.id],
      );
      await database.owner.raw(
        'update rate_windows set requests[last_second % 61 + 1] = 3 where key_id = ?',
        [key.id],
      );
      expect((await call(key)).allowed).toBe(false);
    }
  });

  it('holds a limit that was lowered below what is counted', async () => {
    const [key, caller] = await atOnce({ requests_per_minute: 10 }, async (lowered) => {
      await callUntilRefused(lowered);
      await database.owner.raw('update api_keys set requests_per_minute = 2 where id = ?', [
        lowered.id,
      ]);
      return [lowered, await call(lowered)] as const;
    });
    expect(caller).toMatchObject({ allowed: false, request_limit: 2, request_remaining: 0 });
    expect(caller.retry_after_seconds).toBeGreaterThanOrEqual(59);
    await age(key, 61);
    expect(await callUntilRefused(key)).toBe(2);
  });
});

describe('reserved calls', () => {
  const reserve = async ({ hash }: Key, kind: 'read' | 'write' = 'read', db = database.db) =>
    (await authenticate(db, hash, kind === 'write', { may_reserve: true }))!;

  it('are not for a key with default limits', async () => {
    const key = await makeKey({ requests_per_minute: 60, writes_per_minute: 30 });
    expect(await reserve(key, 'write')).toMatchObject({ reserved_requests: 1, reserved_writes: 1 });
    expect(await windowOf(key)).toEqual({ requests: 1, writes: 1 });
  });

  it('are a 600th of the limit, all of them counted at once', async () => {
    const key = await makeKey({ requests_per_minute: 60_000, writes_per_minute: 30_000 });
    const read = await reserve(key, 'read');
    expect(read).toMatchObject({ allowed: true, reserved_requests: 100, reserved_writes: 0 });
    const write = await reserve(key, 'write');
    expect(write).toMatchObject({ allowed: true, reserved_requests: 100, reserved_writes: 50 });
    expect(await windowOf(key)).toEqual({ requests: 200, writes: 50 });
    expect((await call(key)).request_remaining).toBe(60_000 - 201);
  });

  it('last until the end of the second they are counted in', async () => {
    const key = await makeKey({ requests_per_minute: 60_000 });
    const { reservation_ms, now } = await reserve(key);
    expect(reservation_ms).toBeGreaterThanOrEqual(0);
    expect(reservation_ms).toBeLessThanOrEqual(1_000 - Number(now.slice(20, 23)));
  });

  it('never add up to more than the limit, over several processes', async () => {
    const key = await makeKey({ requests_per_minute: 6_050, writes_per_minute: 1_801 });
    const pools = [database.db, connectAgain(database), connectAgain(database)];
    const calls = await Promise.all(
      Array.from({ length: 900 }, (_, index) => reserve(key, 'write', pools[index % 3])),
    );
    const let_in = calls.filter(({ allowed }) => allowed);
    const sum = (of: 'reserved_requests' | 'reserved_writes') =>
      calls.reduce((total, one) => total + one[of], 0);
    expect(let_in.length).toBeGreaterThanOrEqual(600);
    expect(sum('reserved_writes')).toBe(1_801);
    expect(sum('reserved_requests')).toBeLessThanOrEqual(6_050);
    for (const one of calls) expect(one.reserved_writes > 0).toBe(one.allowed);
    const { requests, writes } = await windowOf(key);
    expect([requests, writes]).toEqual([sum('reserved_requests'), sum('reserved_writes')]);
  });

  it('are what is left of the limit, near it', async () => {
    const key = await makeKey({ requests_per_minute: 1_205 });
    const reserved = [];
    for (let i = 0; i < 604; i += 1) reserved.push((await reserve(key)).reserved_requests);
    expect(reserved.slice(0, 602)).toEqual(Array<number>(602).fill(2));
    expect(reserved.slice(602)).toEqual([1, 0]);
    expect(await reserve(key)).toMatchObject({
      allowed: false,
      reserved_requests: 0,
      reserved_writes: 0,
    });
  });
});

describe('identify', () => {
  it('tells who is calling without counting', async () => {
    const key = await makeKey({ requests_per_minute: 1 });
    await call(key);
    for (let i = 0; i < 3; i += 1) {
      expect(await identify(database.db, key.hash)).toMatchObject({
        key_id: key.id,
        user_id: user.id,
        username: user.username,
        environment: 'live',
        request_limit: 1,
        stored: undefined,
      });
    }
    expect(await windowOf(key)).toMatchObject({ requests: 1 });
  });

  it('§5 knows no revoked key from the very next call on', async () => {
    const key = await makeKey();
    await revokeKey(database.db, key.id);
    expect(await identify(database.db, key.hash)).toBeUndefined();
  });

  it('reads no key of another account, however many chose the same since it was planned', async () => {
    const fresh = await createTestDatabase();
    const { key } = await buildApiKey(fresh.db, { user: await buildUser(fresh.db) });
    const values = [[`\\x${hashApiKey(key).toString('hex')}`], ['transfer'], ['order-1']];
    const read = await countRowsRead(fresh.db, IDENTIFY, values, {
      ...LOOK_UP_PLAN,
      meanwhile: () =>
        fresh.owner.raw(
          `insert into idempotency_keys (user_id, environment, operation, key, fingerprint, status, body, request_id)
           select gen_random_uuid(), 'live', 'transfer', 'order-1', '{}', 200, '{}', 'x'
             from generate_series(1, 500)`,
        ),
    });
    expect(read).toBeLessThan(10);
  });
});
