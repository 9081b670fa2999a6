// Limits on attempts: per name, per address, and for a browser that has signed in before.

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { purgeSignIn } from '../../db/people/login-tokens';
import { hashPassword } from '../../secrets/password';
import { insist } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { waitFor } from '../support/wait';
import { newName, PASSWORD, signInAs } from './accounts';
import { createVisitor, expectPage, type Sent } from './visitor';
import { useWorld } from './world';

const overrides = { trusted_proxies: ['loopback'] };
const w = useWorld({ overrides });
let other_process: TestService;

beforeAll(async () => {
  other_process = await startTestService({ database: w.database, overrides });
});

const forget = () => w.sql('delete from attempt_counts');
beforeEach(forget);

interface From {
  readonly address?: string;
  readonly at?: TestService;
  readonly visitor?: ReturnType<typeof createVisitor>;
}

async function tryPassword(
  username: string,
  password: string,
  { address = '198.51.100.1', at = w.service, visitor = createVisitor(at) }: From = {},
): Promise<Sent> {
  await visitor.open('/sign-in');
  return visitor.post('/sign-in', { username, password }, { 'X-Forwarded-For': address });
}

async function tryWrong(username: string, times: number, from: From = {}): Promise<number[]> {
  const statuses = [];
  for (let count = 0; count < times; count += 1) {
    statuses.push((await tryPassword(username, 'wrong password', from)).status);
  }
  return statuses;
}

/** A browser in which the person has signed in before. */
async function knownBrowser(username = w.user.username) {
  const visitor = await signInAs(w.service, username);
  await visitor.submit('/sign-out');
  return visitor;
}

describe('ten wrong passwords', () => {
  it('make a name wait, also with the right one, on every process; each further one doubles it', async () => {
    const { username } = w.user;
    expect(await tryWrong(username, 10)).toEqual(Array(10).fill(401));
    for (const at of [w.service, other_process]) {
      const page = await tryPassword(username, PASSWORD, { at, address: '198.51.100.2' });
      const seconds = Number(page.headers.get('Retry-After'));
      expectPage(page, 429, `${seconds} seconds`);
      expect([seconds > 0, seconds <= 30]).toEqual([true, true]);
    }
    for (const most of [60, 120, 240, 480, 960, 1_920, 3_600, 3_600]) {
      await w.sql('update attempt_counts set blocked_until = now()');
      expect(await tryWrong(username, 2)).toEqual([401, 429]);
      const [row] = await w.sql<{ wait: number }>(
        `select ceil(extract(epoch from blocked_until - now()))::int as wait
           from attempt_counts where blocked_until > now()`,
      );
      expect(row!.wait).toBeGreaterThan(most / 2);
      expect(row!.wait).toBeLessThanOrEqual(most);
    }
  });

  it('of a name that nobody has are answered in the same way', async () => {
    const known = await tryWrong(w.user.username, 11);
    expect([known[10], await tryWrong(newName(), 11)]).toEqual([429, known]);
  });

  it('are forgotten after the right one', async () => {
    await tryWrong(w.user.username, 9);
    await signInAs(w.service, w.user.email);
    expect(await tryWrong(w.user.username, 10)).toEqual(Array(10).fill(401));
  });

  it('sent at once are no more than ten tries', async () => {
    const tries = Array.from({ length: 30 }, (_, number) =>
      insist(() =>
        tryPassword(w.user.username, 'wrong password', { address: `198.51.${number + 1}.1` }),
      ),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(20 - 2);
  });
});

describe('a hostile person', () => {
  it('does not lock out the owner, whose browser has signed in before', async () => {
    const { username, email } = w.user;
    const visitor = await knownBrowser();
    await tryWrong(username, 11);
    await tryWrong(email, 11);
    expect((await tryPassword(username, PASSWORD)).status).toBe(429);
    expect((await tryPassword(username, PASSWORD, { visitor })).status).toBe(303);
  });

  it('gets no count of his own with a cookie that is forged, or of another person', async () => {
    const hostile = await w.signIn();
    const cookie = (await knownBrowser(hostile.user.username)).cookies.get('payments_device')!;
    await tryWrong(w.user.username, 10);
    const [row] = await w.sql<{ id: string }>('select id from logins where email = ?', [
      w.user.email,
    ]);
    const { id } = row!;
    for (const device of [cookie, cookie.replace(/^[^.]+/, id), 'x', `${id}.x.x`]) {
      const visitor = createVisitor(w.service);
      (visitor.cookies as Map<string, string>).set('payments_device', device);
      const from = { visitor, address: '198.51.100.3' };
      expect((await tryPassword(w.user.username, PASSWORD, from)).status).toBe(429);
    }
  });

  it('who had learned the password has no tries left from before it was changed', async () => {
    const { username, email } = w.user;
    const thief = await knownBrowser();
    await tryWrong(username, 10);
    const [row] = await w.sql<{ hash: string }>(
      'select password_hash as hash from logins where email = ?',
      [email],
    );
    const { hash } = row!;
    const set = (to: string) =>
      w.sql('update logins set password_hash = ? where email = ?', [to, email]);
    await set(hash.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')));
    const from = { visitor: thief, address: '198.51.100.5' };
    expect((await tryPassword(username, 'a guess', from)).status).toBe(429);
    await set(hash);
  });
});

describe('an address', () => {
  it('has a hundred wrong ones an hour, whatever the names; right ones do not count', async () => {
    const from = { address: '203.0.113.77' };
    await w.sql(
      `insert into attempt_counts (key, count, ends_at) values (?, 98, now() + interval '1 hour')`,
      [createHash('sha256').update(`wrong at ${from.address}`).digest()],
    );
    const tryRight = async (by: From = from) =>
      (await tryPassword(w.user.username, PASSWORD, by)).status;
    expect([await tryRight(), await tryWrong(newName(), 1, from)]).toEqual([303, [401]]);
    expect([await tryRight(), await tryWrong(newName(), 2, from)]).toEqual([303, [401, 429]]);
    expect([await tryRight(), await tryRight({})]).toEqual([429, 303]);
  });

  it('signs up twenty times an hour', async () => {
    const visitor = createVisitor(w.service);
    await visitor.open('/sign-up');
    const signUp = async (address: string): Promise<number> => {
      const username = newName();
      // It is counted before it is looked at.
      const fields = { username, email: `${username}@example.com`, password: 'short' };
      return (await visitor.post('/sign-up', fields, { 'X-Forwarded-For': address })).status;
    };
    for (let count = 0; count < 20; count += 1) expect(await signUp('203.0.113.20')).toBe(422);
    expect([await signUp('203.0.113.20'), await signUp('203.0.113.21')]).toEqual([429, 422]);
  });
});

describe('a flood of passwords from many addresses', () => {
  it('is answered 503 with Retry-After while the queue is full, which counts for nobody', async () => {
    const visitor = await knownBrowser();
    await forget();
    let is_over = false;
    const flood = Array.from({ length: 60 }, async (_, number) => {
      while (!is_over) {
        const caller = { network: `address ${number}`, is_known: false };
        await hashPassword('tomato', caller).catch(() => setImmediate());
      }
    });
    const name = newName();
    let wrong = 0;
    const refused = await waitFor(async () => {
      const page = await tryPassword(name, 'wrong password');
      if (page.status === 401) wrong += 1;
      return page.status === 503 && page;
    });
    // A known browser has a place meanwhile.
    expect((await tryPassword(w.user.username, PASSWORD, { visitor })).status).toBe(303);
    is_over = true;
    await Promise.all(flood);
    expect(refused.headers.get('Retry-After')).toBe('5');
    const counted = await w.sql('select distinct count from attempt_counts');
    expect(counted).toEqual([{ count: wrong }]);
    expect((await tryPassword(w.user.username, PASSWORD)).status).toBe(303);
  });
});

it('a fault while signing in shows a request id and nothing of the statement, the schema or the code', async () => {
  await w.sql('alter function take_attempt(bytea, bytea, integer) rename to away');
  const before = w.service.log.length;
  try {
    const page = await tryPassword(w.user.username, PASSWORD);
    expectPage(page, 500, /request id [\w-]+/);
    expect(page.text).not.toMatch(/take_attempt|select|function|\.ts|node_modules|at \w+ \(/);
    const entry = w.service.log.slice(before).find(({ route }) => route === '/dashboard/sign-in');
    expect(String(entry!['error'])).toContain('take_attempt');
    expect(JSON.stringify(entry)).not.toContain(PASSWORD);
  } finally {
    await w.sql('alter function away(bytea, bytea, integer) rename to take_attempt');
  }
});

it('counts, tokens and sessions that have ended are deleted', async () => {
  await tryWrong(newName(), 1);
  const count = async () => [await w.count('attempt_counts'), await w.count('sessions')];
  const before = await count();
  await purgeSignIn(w.database.db, 10_000);
  expect(await count()).toEqual(before);
  await w.sql('update attempt_counts set ends_at = now()');
  await w.sql('update sessions set expires_at = now()');
  await purgeSignIn(w.database.db, 10_000);
  expect(await count()).toEqual([0, 0]);
});
