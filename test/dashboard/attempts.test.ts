// Limits on attempts: per name, per address, and for a browser that has signed in before.

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { purgeSignIn } from '../../db/people/login-tokens';
import { hashPassword } from '../../secrets/password';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { insist } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { newName, PASSWORD, signInAs } from './accounts';
import { createVisitor, type VisitedPage, type Visitor } from './visitor';

let database: TestDatabase;
let service: TestService;
let other_process: TestService;

beforeAll(async () => {
  database = await createTestDatabase();
  const overrides = { trusted_proxies: ['loopback'] };
  service = await startTestService({ database, overrides });
  other_process = await startTestService({ database, overrides });
});

async function tryPassword(
  username: string,
  password: string,
  { address = '198.51.100.1', at = service } = {},
): Promise<VisitedPage> {
  return submitAt(createVisitor(at), username, password, address);
}

async function submitAt(
  visitor: Visitor,
  username: string,
  password: string,
  address: string,
): Promise<VisitedPage> {
  const page = await visitor.open('/sign-in');
  const token = page.document.querySelector('[name=form_token]')!.getAttribute('value')!;
  const response = await visitor.request('/dashboard/sign-in', {
    method: 'POST',
    headers: { 'X-Forwarded-For': address },
    body: new URLSearchParams({ form_token: token, username, password }),
  });
  const text = await response.text();
  return { ...page, status: response.status, headers: response.headers, html: text, text };
}

async function tryWrong(username: string, times: number, address?: string): Promise<number[]> {
  const statuses = [];
  for (let count = 0; count < times; count += 1) {
    const page = await tryPassword(username, 'wrong password', address ? { address } : {});
    statuses.push(page.status);
  }
  return statuses;
}

/** Adds so many wrong attempts from the address in this hour. */
async function countAt(network: string, count: number): Promise<void> {
  const key = createHash('sha256').update(`wrong at ${network}`).digest();
  await database.owner.raw(
    `insert into attempt_counts (key, count, ends_at) values (?, ?, now() + interval '1 hour')`,
    [key, count],
  );
}

async function endWaits(): Promise<void> {
  await database.owner.raw('update attempt_counts set blocked_until = now()');
}

async function forget(): Promise<void> {
  await database.owner.raw('delete from attempt_counts');
}

beforeEach(forget);

let user: TestUser;

beforeAll(async () => {
  user = await buildUser(database.db, { password: PASSWORD });
});

describe('ten wrong passwords', () => {
  it('make a name wait, also with the right one, on every process; each further one doubles it', async () => {
    expect(await tryWrong(user.username, 10)).toEqual(Array(10).fill(401));
    for (const at of [service, other_process]) {
      const page = await tryPassword(user.username, PASSWORD, { at, address: '198.51.100.2' });
      expect(page.status).toBe(429);
      const seconds = Number(page.headers.get('Retry-After'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(30);
      expect(page.text).toContain(`${seconds} seconds`);
    }
    for (const most of [60, 120, 240, 480, 960, 1_920, 3_600, 3_600]) {
      await endWaits();
      expect(await tryWrong(user.username, 2)).toEqual([401, 429]);
      const { rows } = await database.owner.raw(
        `select ceil(extract(epoch from blocked_until - now()))::int as wait
           from attempt_counts where blocked_until > now()`,
      );
      const [{ wait }] = rows as [{ wait: number }];
      expect(wait).toBeGreaterThan(most / 2);
      expect(wait).toBeLessThanOrEqual(most);
    }
  });

  it('of a name that nobody has are answered in the same way', async () => {
    const known = await tryWrong(user.username, 11);
    const unknown = await tryWrong(newName(), 11);
    expect(unknown).toEqual(known);
    expect(known[10]).toBe(429);
  });

  it('are forgotten after the right one', async () => {
    await tryWrong(user.username, 9);
    await signInAs(service, user.email);
    expect(await tryWrong(user.username, 10)).toEqual(Array(10).fill(401));
  });

  it('sent at once are no more than ten tries', async () => {
    const pages = await Promise.all(
      Array.from({ length: 30 }, (_, number) =>
        insist(() =>
          tryPassword(user.username, 'wrong password', { address: `198.51.${number + 1}.1` }),
        ),
      ),
    );
    const statuses = pages.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(20 - 2);
  });
});

describe('a hostile person', () => {
  it('does not lock out the owner, whose browser has signed in before', async () => {
    const own = await signInAs(service, user.username);
    await own.submit('/sign-out');
    await tryWrong(user.username, 11);
    await tryWrong(user.email, 11);
    const stranger = await tryPassword(user.username, PASSWORD);
    expect(stranger.status).toBe(429);
    const page = await submitAt(own, user.username, PASSWORD, '198.51.100.1');
    expect(page.status).toBe(303);
  });

  it('gets no count of his own with a cookie that is forged, or of another person', async () => {
    const hostile = await buildUser(database.db, { password: PASSWORD });
    const own = await signInAs(service, hostile.username);
    await own.submit('/sign-out');
    const cookie = own.cookies.get('payments_device')!;
    await tryWrong(user.username, 10);
    const { rows } = await database.owner.raw('select id from logins where email = ?', [
      user.email,
    ]);
    const [{ id }] = rows as [{ id: string }];
    for (const device of [cookie, cookie.replace(/^[^.]+/, id), 'x', `${id}.x.x`]) {
      const visitor = createVisitor(service);
      await visitor.open('/sign-in');
      (visitor.cookies as Map<string, string>).set('payments_device', device);
      expect((await submitAt(visitor, user.username, PASSWORD, '198.51.100.3')).status).toBe(429);
    }
  });

  it('who had learned the password has no tries left from before it was changed', async () => {
    const thief = await signInAs(service, user.username);
    await thief.submit('/sign-out');
    await tryWrong(user.username, 10);
    const { rows } = await database.owner.raw('select password_hash from logins where email = ?', [
      user.email,
    ]);
    const [{ password_hash }] = rows as [{ password_hash: string }];
    const set = (hash: string) =>
      database.owner.raw('update logins set password_hash = ? where email = ?', [hash, user.email]);
    await set(password_hash.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')));
    expect((await submitAt(thief, user.username, 'a guess', '198.51.100.5')).status).toBe(429);
    await set(password_hash);
  });
});

describe('an address', () => {
  it('has a hundred wrong ones an hour, whatever the names; right ones do not count', async () => {
    const address = '203.0.113.77';
    await countAt(address, 98);
    expect((await tryPassword(user.username, PASSWORD, { address })).status).toBe(303);
    expect(await tryWrong(newName(), 1, address)).toEqual([401]);
    expect((await tryPassword(user.username, PASSWORD, { address })).status).toBe(303);
    expect(await tryWrong(newName(), 2, address)).toEqual([401, 429]);
    expect((await tryPassword(user.username, PASSWORD, { address })).status).toBe(429);
    expect((await tryPassword(user.username, PASSWORD)).status).toBe(303);
  });

  it('signs up twenty times an hour', async () => {
    const visitor = createVisitor(service);
    const page = await visitor.open('/sign-up');
    const token = page.document.querySelector('[name=form_token]')!.getAttribute('value')!;
    const signUp = async (address: string): Promise<number> => {
      const name = newName();
      const response = await visitor.request('/dashboard/sign-up', {
        method: 'POST',
        headers: { 'X-Forwarded-For': address },
        body: new URLSearchParams({
          form_token: token,
          username: name,
          email: `${name}@example.com`,
          // Counted before it is looked at.
          password: 'short',
          country: 'SN',
        }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    for (let count = 0; count < 20; count += 1) expect(await signUp('203.0.113.20')).toBe(422);
    expect(await signUp('203.0.113.20')).toBe(429);
    expect(await signUp('203.0.113.21')).toBe(422);
  });
});

describe('a flood of passwords from many addresses', () => {
  it('is answered 503 with Retry-After while the queue is full, which counts for nobody', async () => {
    const own = await signInAs(service, user.username);
    await own.submit('/sign-out');
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
    expect((await submitAt(own, user.username, PASSWORD, '198.51.100.1')).status).toBe(303);
    is_over = true;
    await Promise.all(flood);
    expect(refused.headers.get('Retry-After')).toBe('5');
    const { rows } = await database.owner.raw('select distinct count from attempt_counts');
    expect(rows).toEqual([{ count: wrong }]);
    expect((await tryPassword(user.username, PASSWORD)).status).toBe(303);
  });
});

describe('a fault while signing in', () => {
  it('shows a request id and nothing of the statement, the schema or the code', async () => {
    const { owner } = database;
    await owner.raw('alter function take_attempt(bytea, bytea, integer) rename to away');
    const before = service.log.length;
    try {
      const page = await tryPassword(user.username, PASSWORD);
      expect(page.status).toBe(500);
      expect(page.text).toMatch(/request id [\w-]+/);
      expect(page.text).not.toMatch(/take_attempt|select|function|\.ts|node_modules|at \w+ \(/);
      const entry = service.log.slice(before).find(({ route }) => route === '/dashboard/sign-in');
      expect(String(entry!['error'])).toContain('take_attempt');
      expect(JSON.stringify(entry)).not.toContain(PASSWORD);
    } finally {
      await owner.raw('alter function away(bytea, bytea, integer) rename to take_attempt');
    }
  });
});

it('counts, tokens and sessions that have ended are deleted', async () => {
  await signInAs(service, user.username);
  await tryWrong(newName(), 1);
  const count = async (): Promise<number[]> => {
    const { rows } = await database.owner.raw(
      'select (select count(*)::int from attempt_counts) as counts, (select count(*)::int from sessions) as sessions',
    );
    const [{ counts, sessions }] = rows as [{ counts: number; sessions: number }];
    return [counts, sessions];
  };
  const before = await count();
  await purgeSignIn(database.db, 10_000);
  expect(await count()).toEqual(before);
  await database.owner.raw(
    'update attempt_counts set ends_at = now(); update sessions set expires_at = now()',
  );
  await purgeSignIn(database.db, 10_000);
  expect(await count()).toEqual([0, 0]);
});
