// A merchant creates, changes and deletes endpoints: every field at its bounds, every refusal. Nothing is
// delivered here.

import { createTestDatabase, setUp } from '../support/database';
import { insist, request } from '../support/http';
import { startTestService } from '../support/service';
import { buildAccount, type Account } from './support/accounts';
import { expectContract, refusal } from './support/contract';
import {
  call,
  getEndpoint,
  createEndpoint,
  patchEndpoint,
  postEndpoint,
  SOME_URL,
  type Merchant,
} from './support/webhooks';

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
let account: Account;
let merchant: Merchant;

// An account may have few.
beforeEach(async () => {
  account = await buildAccount(database);
  merchant = { service, key: account.sandbox };
});

const TYPES = ['payment.succeeded', 'payment.failed', 'payment.expired'];
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

describe('POST /webhook-endpoints', () => {
  it('creates one for all types from a URL alone, and shows its secret', async () => {
    const response = await postEndpoint(merchant);
    expect(response.status).toBe(201);
    expect(response.json).toEqual({
      ok: true,
      id: expect.any(String) as string,
      url: SOME_URL,
      types: TYPES,
      description: null,
      max_per_second: null,
      status: 'enabled',
      disabled_reason: null,
      consecutive_failures: 0,
      failing_since: null,
      last_failure: null,
      previous_secret_until: null,
      created_at: expect.any(String) as string,
      updated_at: expect.any(String) as string,
      secret: expect.stringMatching(SECRET) as string,
    });
    const { ok, secret, ...shown } = response.json;
    expect(await getEndpoint(merchant, shown.id)).toEqual({ ok, ...shown });
    expect(secret).not.toBe((await createEndpoint(merchant)).secret);
  });

  it('stores a URL in the form in which it will be used', async () => {
    const { json } = await postEndpoint(merchant, { url: 'HTTPS://Shop.Example.com:443/a b#' });
    expect(json.url).toBe('https://shop.example.com/a%20b');
  });

  it('stops at sixteen, also with many requests at once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => insist(() => postEndpoint(merchant))),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(16);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect(response).toMatchObject(refusal('webhook_endpoint_limit'));
    }
  });
});

describe('GET /webhook-endpoints', () => {
  it('lists all of them, newest first, each as GET by id shows it', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.unshift((await createEndpoint(merchant)).id);
    const { json } = await call(merchant, 'GET', '/webhook-endpoints');
    expect(json).toMatchObject({ ok: true, next_cursor: null, has_more: false });
    expect(json.webhook_endpoints.map(({ id }: { id: string }) => id)).toEqual(ids);
    for (const shown of json.webhook_endpoints) {
      expect(await getEndpoint(merchant, shown.id)).toEqual({ ok: true, ...shown });
    }
  });
});

describe('PATCH /webhook-endpoints/{id}', () => {
  it.each([
    ['types', ['payment.expired']],
    ['status', 'disabled'],
  ])('changes %s and nothing else', async (name, value) => {
    const fields = { description: 'one', max_per_second: 5, types: ['payment.failed'] };
    const { id } = await createEndpoint(merchant, fields);
    const before = await getEndpoint(merchant, id);
    const { status, json } = await patchEndpoint(merchant, id, { [name]: value });
    expect(status).toBe(200);
    expect(json.updated_at > before.updated_at).toBe(true);
    expect(json).toEqual({
      ...before,
      [name]: value,
      ...(name === 'status' ? { disabled_reason: 'merchant' } : {}),
      updated_at: json.updated_at,
    });
    expect(await getEndpoint(merchant, id)).toEqual(json);
  });

  it('refuses an empty object', async () => {
    const { id } = await createEndpoint(merchant);
    const response = await patchEndpoint(merchant, id, {});
    expect(response).toMatchObject(refusal('invalid_request'));
    expect(response.json.error.message).toBe('The request must have at least one field.');
  });
});

describe('DELETE /webhook-endpoints/{id}', () => {
  it('answers once, and the endpoint is gone from then on', async () => {
    const { id } = await createEndpoint(merchant);
    const deleted = await call(merchant, 'DELETE', `/webhook-endpoints/${id}`);
    expect(deleted).toMatchObject({ status: 200, json: { ok: true, id, deleted: true } });
    expect(Object.keys(deleted.json)).toEqual(['ok', 'id', 'deleted']);
    const path = `/webhook-endpoints/${id}`;
    for (const response of [
      await call(merchant, 'DELETE', path),
      await call(merchant, 'GET', path),
      await call(merchant, 'PATCH', path, { status: 'enabled' }),
      await call(merchant, 'POST', `${path}/rotate-secret`),
      await call(merchant, 'POST', `${path}/test`),
      await call(merchant, 'POST', `${path}/resend`),
    ]) {
      expect(response).toMatchObject(refusal('webhook_endpoint_not_found'));
    }
    expect((await call(merchant, 'GET', '/webhook-endpoints')).json.webhook_endpoints).toEqual([]);
  });
});

describe('POST /webhook-endpoints/{id}/rotate-secret', () => {
  const DAY_MS = 86_400_000;

  it.each([
    [undefined, DAY_MS],
    [{ overlap_seconds: 604_800 }, 7 * DAY_MS],
  ])('with %j answers a new secret, and until when the old one is valid', async (body, ms) => {
    const { id, secret } = await createEndpoint(merchant);
    const before = Date.now();
    const path = `/webhook-endpoints/${id}/rotate-secret`;
    const { status, json } = await call(merchant, 'POST', path, body);
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['ok', 'id', 'secret', 'previous_secret_until']);
    expect(json.secret).toMatch(SECRET);
    expect(json.secret).not.toBe(secret);
    const until = Date.parse(json.previous_secret_until);
    expect(until).toBeGreaterThanOrEqual(before + ms - 5);
    expect(until).toBeLessThanOrEqual(Date.now() + ms + 5);
    const shown = await getEndpoint(merchant, id);
    expect(shown.previous_secret_until).toBe(json.previous_secret_until);
    expect(shown).not.toHaveProperty('secret');
  });
});

it.each(['test', 'resend'])(
  'POST /webhook-endpoints/{id}/%s is refused while it is disabled',
  async (act) => {
    const { id } = await createEndpoint(merchant);
    await patchEndpoint(merchant, id, { status: 'disabled' });
    const response = await call(merchant, 'POST', `/webhook-endpoints/${id}/${act}`);
    expect(response).toMatchObject(refusal('webhook_endpoint_disabled'));
  },
);

describe('a body that may be omitted', () => {
  it.each([
    ['nothing', {}, undefined],
    ['nothing, named JSON', { 'content-type': 'application/json' }, undefined],
    ['an empty object', {}, '{}'],
  ])('is taken as empty: %s', async (_way, headers, body) => {
    const { id } = await createEndpoint(merchant);
    const path = `/webhook-endpoints/${id}/test`;
    const response = await request(service, 'POST', path, { key: merchant.key, headers, body });
    expectContract('POST', path, response);
    expect(response.status).toBe(202);
  });
});

it('the secret is in no later response, and nowhere in the database', async () => {
  const { id, secret } = await createEndpoint(merchant);
  const path = `/webhook-endpoints/${id}`;
  const rotated = (await call(merchant, 'POST', `${path}/rotate-secret`)).json.secret as string;
  await call(merchant, 'POST', `${path}/test`);
  const responses = [
    await call(merchant, 'GET', path),
    await call(merchant, 'GET', '/webhook-endpoints'),
    await call(merchant, 'PATCH', path, { description: 'x' }),
    await call(merchant, 'GET', '/webhook-deliveries'),
    await call(merchant, 'POST', `${path}/resend`),
    await call(merchant, 'DELETE', path),
  ];
  const dump = await dumpDatabase();
  expect(dump).toContain(id);
  for (const one of [secret, rotated]) {
    const raw = Buffer.from(one.slice('whsec_'.length), 'base64');
    for (const form of [one.slice(6, 40), raw.toString('hex'), Buffer.from(one).toString('hex')]) {
      for (const { text } of responses) expect(text).not.toContain(form);
      expect(dump).not.toContain(form);
    }
  }
  for (const { text } of responses) expect(text).not.toContain('whsec_');
  expect(JSON.stringify(service.log)).not.toContain('whsec_');
});

/** Every row of every table as text. */
async function dumpDatabase(): Promise<string> {
  const { rows } = await database.owner.raw(
    `select c.oid::regclass::text as name from pg_class c
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`,
  );
  const texts: string[] = [];
  for (const { name } of rows as { name: string }[]) {
    const found = await database.owner.raw(`select t::text as row from ${name} t`);
    texts.push(...(found.rows as { row: string }[]).map(({ row }) => row));
  }
  return texts.join('\n');
}
