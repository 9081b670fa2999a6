import { randomUUID } from 'node:crypto';
import { createTestDatabase, setUp } from '../support/database';
import { buildIdentityCheck } from '../dashboard/operators';
import { DEFAULT_SCOPES } from '../../domain/scopes';
import { request, type HttpResponse } from '../support/http';
import { buildUser, setKyc } from '../support/users';
import { startTestService } from '../support/service';
import { buildCli } from './support/cli';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
const cli = setUp(async () => buildCli(database));
const user = setUp(() => buildUser(database.db));

interface CreatedKey {
  readonly id: string;
  readonly key: string;
}

function create(environment: string, ...options: string[]): Promise<CreatedKey> {
  const whose = ['--user', user.username, '--environment', environment];
  return cli.json('keys', 'create', ...whose, ...options);
}

const me = (key: string): Promise<HttpResponse> => request(service, 'GET', '/me', { key });

describe('keys create', () => {
  it('returns an id and a key that the API accepts', async () => {
    const made = await create('live');
    expect(Object.keys(made)).toEqual(['id', 'key']);
    expect(made.key).toMatch(/^pay_live_[0-9A-Za-z]{38}$/);
    expect((await me(made.key)).json).toMatchObject({
      environment: 'live',
      profile: { username: user.username },
    });
  });

  it('sets the given limits', async () => {
    const limits = ['--requests-per-minute', '600', '--writes-per-minute', '7'];
    const { key } = await create('test', ...limits);
    const response = await request(service, 'POST', '/transfers', { key, body: {} });
    expect(response.headers['ratelimit-policy']).toBe('"requests";q=600;w=60, "writes";q=7;w=60');
  });

  it('A10 makes a key that may do a part only, for some time only, or only from some addresses', async () => {
    const limits = ['--expires-in=90d', '--daily-limit', 'XOF=500000', '--daily-limit=eur=12.50'];
    const reader = await create('test', '--scope', 'sandbox', '--scope', 'read', ...limits);
    const fixed = await create('test', '--allow-ip', '127.0.0.1, 2001:db8::/32');
    const away = await create('test', '--allow-ip', '203.0.113.0/24');
    expect((await me(reader.key)).status).toBe(200);
    const written = await request(service, 'POST', '/transfers', { key: reader.key, body: {} });
    expect(written.json.error.code).toBe('forbidden');
    expect((await me(fixed.key)).status).toBe(200);
    expect((await me(away.key)).status).toBe(401);
    const { keys } = await cli.json('keys', 'list', '--user', user.username);
    const of_id = (id: string): unknown => keys.find((one: { id: string }) => one.id === id);
    expect(of_id(reader.id)).toMatchObject({
      scopes: ['read', 'sandbox'],
      allowed_ips: null,
      daily_limit: { XOF: '50000000', EUR: '1250' },
      expires_at: expect.stringMatching(/^20/) as string,
    });
    expect(of_id(fixed.id)).toMatchObject({
      scopes: DEFAULT_SCOPES,
      expires_at: null,
      daily_limit: null,
      allowed_ips: ['127.0.0.1/32', '2001:db8::/32'],
    });
    const { stdout } = await cli.run('keys', 'list', '--user', user.username);
    expect(stdout).toMatch(/active until 20\S+ +read sandbox +anywhere/);
    expect(stdout).toContain('203.0.113.0/24');
  });

  it.each(['anywhere', '203.0.113.7/24'])(
    'A10 refuses --allow-ip %j, and makes no key',
    async (ranges) => {
      const fresh = await buildUser(database.db);
      const whose = ['--user', fresh.username, '--environment', 'test'];
      const error = await cli.fail('keys', 'create', ...whose, `--allow-ip=${ranges}`);
      expect(error.code).toBe('usage');
      expect((await cli.json('keys', 'list', '--user', fresh.username)).keys).toEqual([]);
    },
  );

  it.each([
    ['--scope=write', '--scope is one of read, transfers:write'],
    ['--expires-in=90', '--expires-in must be from 1d to 3650d, or none'],
    ['--expires-in=3651d', '--expires-in must be from 1d to 3650d, or none'],
    ['--daily-limit=500000', '--daily-limit must be an amount such as XOF=500000, or none'],
    ['--daily-limit=XOF=0.5', '--daily-limit 0.5: XOF has no decimals.'],
  ])('refuses %s, and makes no key', async (option, message) => {
    const of_user = `keys create --environment test --user ${user.username}`;
    expect((await cli.fail(of_user, option)).message).toContain(message);
  });

  it('makes a live key that pays out only with its addresses where the operators want it so', async () => {
    const strict = buildCli(database, { PAYOUT_KEYS_NEED_ADDRESSES: 'true' });
    const of = (environment: string, scope: string) =>
      `keys create --user ${user.username} --environment ${environment} --scope payouts:${scope}`;
    expect((await strict.fail(of('live', 'write'))).message).toContain('needs --allow-ip');
    await strict.json(of('test', 'write'));
    await strict.json(of('live', 'approve'));
    const { id } = await strict.json(of('live', 'write'), '--allow-ip', '203.0.113.7');
    const opened = await strict.fail('keys', 'update', id, '--allow-ip', 'none');
    expect(opened.message).toContain('needs --allow-ip');
    expect((await cli.json('keys', 'update', id, '--allow-ip', 'none')).key.allowed_ips).toBeNull();
    // A key that exists is rotated as it is.
    await strict.json('keys', 'rotate', id);
  });

  it('§5.5 refuses a live key before the identity check is approved', async () => {
    const fresh = await buildUser(database.db, { kyc: 'not_started' });
    const ask = ['keys', 'create', '--user', fresh.username, '--environment'];
    expect((await cli.fail(...ask, 'live')).code).toBe('kyc_required');
    expect((await cli.json(...ask, 'test')).key).toMatch(/^pay_test_/);
    await cli.json('kyc', 'approve', '--user', fresh.username);
    expect((await cli.json(...ask, 'live')).key).toMatch(/^pay_live_/);
    await cli.json('kyc', 'reject', '--user', fresh.username);
    expect((await cli.fail(...ask, 'live')).code).toBe('kyc_required');
  });

  it('lists the identity checks that wait, until they are decided', async () => {
    const fresh = await buildUser(database.db, { kyc: 'not_started' });
    const id = await buildIdentityCheck(database, fresh);
    const waiting = async () => (await cli.json('kyc', 'list')).identity_checks;
    expect(await waiting()).toMatchObject([{ id, username: fresh.username }]);
    await cli.json('kyc', 'reject', '--user', fresh.username);
    expect(await waiting()).toEqual([]);
    expect((await cli.run('kyc', 'list')).stdout).toBe('No identity check waits.\n');
  });

  it('refuses an unknown user or environment', async () => {
    const ask = (name: string, environment: string) =>
      cli.fail('keys', 'create', '--user', name, '--environment', environment);
    expect((await ask('nobody-at-all', 'test')).code).toBe('user_not_found');
    expect((await ask(user.username, 'production')).code).toBe('usage');
  });
});

describe('keys list', () => {
  it('shows keys by prefix and last four characters, never whole', async () => {
    const made = await create('test', '--name', 'till 3');
    const { keys } = await cli.json('keys', 'list', '--user', user.username);
    const shown = keys.find(({ id }: CreatedKey) => id === made.id);
    expect(shown).toMatchObject({
      environment: 'sandbox',
      name: 'till 3',
      key_prefix: 'pay_test',
      last_four: made.key.slice(-4),
      requests_per_minute: 60,
      writes_per_minute: 30,
      revoked_at: null,
    });
    const { stdout } = await cli.run('keys', 'list', '--user', user.username);
    for (const text of [JSON.stringify(keys), stdout]) {
      expect(text).toContain(made.id);
      expect(text).not.toContain(made.key.slice(9, 41));
    }
  });
});

describe('keys update', () => {
  it('changes what is given, for the next request, and leaves the rest', async () => {
    const { id, key } = await create('test', '--name', 'shop', '--expires-in', '1d');
    const write = () => request(service, 'POST', '/transfers', { key, body: {} });
    expect((await write()).json.error.code).toBe('invalid_request');
    const { key: shown } = await cli.json(`keys update ${id} --scope=read --daily-limit=USD=10`);
    expect(shown).toMatchObject({ name: 'shop', scopes: ['read'], daily_limit: { USD: '1000' } });
    expect((await write()).json.error).toMatchObject({ code: 'forbidden', param: 'scope' });
    const none = ['--expires-in', 'none', '--daily-limit', 'none', '--name', 'till'];
    expect((await cli.json('keys', 'update', id, ...none)).key).toMatchObject({
      name: 'till',
      scopes: ['read'],
      expires_at: null,
      daily_limit: null,
    });
    expect((await me(key)).json.key).toMatchObject({ name: 'till', scopes: ['read'] });
  });

  it('refuses what changes nothing, and a key that is unknown or revoked', async () => {
    const { id } = await create('test');
    expect((await cli.fail('keys', 'update', id)).code).toBe('usage');
    const codeOf = async (key_id: string) =>
      (await cli.fail(`keys update ${key_id} --name x`)).code;
    expect(await codeOf(randomUUID())).toBe('key_not_found');
    await cli.json('keys', 'revoke', id);
    expect(await codeOf(id)).toBe('key_not_found');
  });
});

describe('keys revoke', () => {
  it('§5.4 takes effect on the next request', async () => {
    const { id, key } = await create('live');
    expect((await me(key)).status).toBe(200);
    const revoked = await cli.json('keys', 'revoke', id);
    expect(revoked).toEqual({ id, revoked_at: expect.any(String) as string });
    expect((await me(key)).status).toBe(401);
    // Revoking again changes nothing, not even the time.
    expect(await cli.json('keys', 'revoke', id)).toEqual(revoked);
  });
});

describe('keys rotate', () => {
  it('§5.4 creates a key like the old one and revokes the old one', async () => {
    const limits = ['--requests-per-minute', '70', '--writes-per-minute', '8', '--name', 'till'];
    const old = await create('live', ...limits);
    const fresh = await cli.json('keys', 'rotate', old.id);
    expect(Object.keys(fresh)).toEqual(['id', 'key']);
    expect((await me(old.key)).status).toBe(401);
    const response = await me(fresh.key);
    expect([response.status, response.headers['x-ratelimit-limit']]).toEqual([200, '70']);
    const { keys } = await cli.json('keys', 'list', '--user', user.username);
    const shown = keys.find(({ id }: CreatedKey) => id === fresh.id);
    expect(shown).toMatchObject({ name: 'till', writes_per_minute: 8, revoked_at: null });
  });

  it('refuses a key that is revoked, unknown, or whose user is no longer approved', async () => {
    const revoked = await create('test');
    await cli.json('keys', 'revoke', revoked.id);
    expect((await cli.fail('keys', 'rotate', revoked.id)).code).toBe('key_revoked');
    expect((await cli.fail('keys', 'rotate', randomUUID())).code).toBe('key_not_found');
    const live = await create('live');
    await setKyc(database.db, user.username, 'expired');
    expect((await cli.fail('keys', 'rotate', live.id)).code).toBe('key_kyc_required');
    await setKyc(database.db, user.username, 'approved');
    expect((await me(live.key)).status).toBe(200);
  });
});
