import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { makeSealingKey } from '../../secrets/keyring';
import { createWorkflowMessages } from '../../secrets/workflow-messages';
import { balanceOf } from '../support/balances';
import { createTestDatabase, openSession, setUp, untilLocked } from '../support/database';
import { insist, type HttpResponse, type RequestOptions } from '../support/http';
import { buildApiKey } from '../support/users';
import { TEST_SECRETS_KEY } from '../support/secrets';
import { startTestService, type TestService } from '../support/service';
import { buildAccount } from './support/accounts';
import { callApi, expectContract, expectUnavailable, refusal } from './support/contract';
import { isReplay } from './support/intents';
import { requestHead, sendRaw } from './support/raw';

const FUNDS = { XOF: 100_000_000n, EUR: 1_000_000n };

const database = setUp(createTestDatabase);
const service = setUp(() => startTestService({ database }));
/** A second process of the same installation. */
const twin = setUp(() => {
  const { task_queue } = service.config;
  return startTestService({ database, overrides: { task_queue } });
});
const sender = setUp(() => buildAccount(database, { live: FUNDS, sandbox: FUNDS }));
const recipient = setUp(() => buildAccount(database));

interface Transfer extends RequestOptions {
  readonly at?: TestService;
}

function send(body: unknown, { at = service, ...options }: Transfer = {}): Promise<HttpResponse> {
  return callApi(at, 'POST', '/transfers', { key: sender.live, body, ...options });
}

const transfer = (fields: object = {}) => ({
  to_username: recipient.username,
  currency: 'XOF',
  amount: 5000,
  ...fields,
});

async function transfersWith(key: string): Promise<number> {
  const { rows } = await database.owner.raw(
    'select count(*)::int as count from transfers where idempotency_key = ?',
    [key],
  );
  return rows[0].count;
}

describe('a repeated key', () => {
  it.each([
    ['§7 insufficient_funds', { amount: 9_999_999 }, 402],
    ['§7 recipient_not_found', { to_username: 'nobody-at-all' }, 404],
  ])('gets %s again, with the first request id in the body', async (_name, fields, status) => {
    const poor = await buildAccount(database, { live: { XOF: 100n } });
    const idempotency_key = randomUUID();
    const options = { key: poor.live, idempotency_key };
    const first = await send(transfer(fields), { ...options, headers: { 'x-request-id': 'one' } });
    const again = await send(transfer(fields), { ...options, headers: { 'x-request-id': 'two' } });
    expect([first.status, again.status]).toEqual([status, status]);
    expect(again.text).toBe(first.text);
    expect(again.json.error.request_id).toBe('one');
    expect(again.headers['x-request-id']).toBe('two');
    expect(isReplay(again)).toBe(true);
  });

  it('counts as the same body when the values are equal, however they are written', async () => {
    const idempotency_key = randomUUID();
    const { username } = recipient;
    const first = await send(transfer(), { idempotency_key });
    for (const body of [
      `{"to_username":"${username}","currency":"XOF","amount":5000.00}`,
      `{"to_username":"${username}","currency":"XOF","amount":5000.0}`,
      `{"to_username":"${username}","currency":"XOF","amount":"5000"}`,
      `{"to_username":"${username}","currency":"XOF","amount":"5000.00"}`,
      `{ "amount" : 5000,\n "currency" : "XOF", "to_username" : "${username.toUpperCase()}" }`,
      `{"to_username":"${username}","currency":"\\u0058OF","amount":5000}`,
    ]) {
      expect((await send(body, { idempotency_key })).text).toBe(first.text);
    }
  });

  it('with another amount, by a hundredth, answers idempotency_key_reuse', async () => {
    const idempotency_key = randomUUID();
    const amount = { currency: 'EUR', amount: 50 };
    await send(transfer(amount), { idempotency_key });
    const response = await send(transfer({ ...amount, amount: 50.01 }), { idempotency_key });
    expect(response).toMatchObject(refusal('idempotency_key_reuse', 'amount'));
  });

  it('answers idempotency_key_reuse also after a 402 and a 404', async () => {
    for (const fields of [{ amount: 10_000_000 }, { to_username: 'nobody-at-all' }]) {
      const idempotency_key = randomUUID();
      expect([402, 404]).toContain((await send(transfer(fields), { idempotency_key })).status);
      expect(await send(transfer(), { idempotency_key })).toMatchObject(
        refusal('idempotency_key_reuse'),
      );
    }
  });
});

describe('what is not stored', () => {
  it.each<[string, () => unknown, number]>([
    ['a validation error', () => transfer({ amount: -1 }), 422],
    ['a transfer to oneself', () => transfer({ to_username: sender.username }), 422],
  ])('%s', async (_name, body, status) => {
    const idempotency_key = randomUUID();
    expect((await send(body(), { idempotency_key })).status).toBe(status);
    const good = await send(transfer(), { idempotency_key });
    expect(good.status).toBe(200);
    expect(isReplay(good)).toBe(false);
  });
});

describe('the scope of a key', () => {
  it('is the account: another key of the same account gets the same response', async () => {
    const idempotency_key = randomUUID();
    const second = await buildApiKey(database.db, { user: sender });
    const first = await send(transfer(), { idempotency_key });
    const again = await send(transfer(), { key: second.key, idempotency_key });
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
  });
});

describe('the key itself', () => {
  const post = (lines: readonly string[], path = 'transfers', fields: object = transfer()) => {
    const body = JSON.stringify(fields);
    return sendRaw(
      service,
      requestHead(service, `POST /api/public/v1/${path}`, [
        `Authorization: Bearer ${sender.live}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        ...lines,
      ]),
      body,
    );
  };

  it.each([
    ['empty', 'Idempotency-Key:'],
    ['of 256 characters', `Idempotency-Key: ${'k'.repeat(256)}`],
    ['with a letter outside of ASCII', 'Idempotency-Key: cl\u00e9'],
    ['beside another', 'Idempotency-Key: mine', 'Idempotency-Key: another'],
    ['that a client joined with another', 'Idempotency-Key: mine, another'],
  ])('%s is refused as invalid_idempotency_key', async (_kind, ...lines) => {
    const response = await post(lines);
    expectContract('POST', '/transfers', response);
    expect(response).toMatchObject(refusal('invalid_idempotency_key', 'Idempotency-Key'));
  });

  it.each([
    ['of 255 characters', 'k'.repeat(255)],
    ['with spaces inside', 'a key with spaces'],
    ['with every printable sign', String.raw`!"#$%&'()*+,-./:;<=>?@[\]^_{|}~` + '`'],
    ['that looks like a hash', `~${'0'.repeat(64)}`],
  ])('%s is accepted, and replays', async (_kind, idempotency_key) => {
    const first = await send(transfer(), { idempotency_key });
    expect([first.status, isReplay(first)]).toEqual([200, false]);
    expect(first.headers['idempotency-key']).toBe(idempotency_key);
    const again = await send(transfer(), { idempotency_key });
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
    expect(await transfersWith(idempotency_key)).toBe(1);
  });
});

describe('without a key', () => {
  it('nothing is deduplicated, and each response carries its generated key', async () => {
    const [first, second] = [await send(transfer()), await send(transfer())];
    expect(first.json.reference).not.toBe(second.json.reference);
    const made = first.headers['idempotency-key'] as string;
    expect(made).toMatch(/^[0-9a-f-]{36}$/);
    const again = await send(transfer(), { idempotency_key: made });
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
  });

  it.each<[string, () => Transfer, number]>([
    ['a validation error', () => ({ body: transfer({ amount: -1 }) }), 422],
    ['a body that is too large', () => ({ body: 'x'.repeat(70_000) }), 413],
  ])('%s is answered with a key to retry with', async (_name, options, status) => {
    const { body = transfer(), ...rest } = options();
    const response = await send(body, rest);
    expect(response.status).toBe(status);
    const idempotency_key = response.headers['idempotency-key'] as string;
    expect(idempotency_key).toMatch(/^[0-9a-f-]{36}$/);
    const good = await send(transfer(), { idempotency_key });
    expect([good.status, isReplay(good)]).toEqual([200, false]);
  });
});

describe('a key whose first request is still running', () => {
  let session: Client;

  beforeAll(async () => {
    session = await openSession(database.app_url);
  });

  /** Another session holds the key's lock, as a slow posting would. */
  async function hold(idempotency_key: string): Promise<void> {
    await session.query('begin');
    await session.query(
      `select pg_advisory_xact_lock(idempotency_lock($1, 'live', 'transfer', $2))`,
      [sender.id, idempotency_key],
    );
  }

  it('answers idempotency_in_progress in the end, and gives the first request its real outcome', async () => {
    const idempotency_key = randomUUID();
    await hold(idempotency_key);
    const before = await balanceOf(database.db, sender);
    const first = send(transfer(), { idempotency_key });
    await untilLocked(database, 'post_transfer_batch');
    const second = await send(transfer(), { idempotency_key });
    expect(second).toMatchObject(refusal('idempotency_in_progress'));
    expect(Number(second.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(second.headers['idempotency-key']).toBe(idempotency_key);
    await session.query('rollback');
    // It is carried out, or given up first; then a repetition is a new one.
    const { status } = await first;
    if (status !== 200) expectUnavailable(await first);
    const third = await send(transfer(), { idempotency_key });
    expect([third.status, isReplay(third)]).toEqual([200, status === 200]);
    expect(before - (await balanceOf(database.db, sender))).toBe(500_000n);
  });

  it("gets the first request's response when that comes in time", async () => {
    const idempotency_key = randomUUID();
    await hold(idempotency_key);
    const both = [send(transfer(), { idempotency_key }), send(transfer(), { idempotency_key })];
    await untilLocked(database, 'post_transfer_batch');
    await session.query('rollback');
    const [one, two] = await Promise.all(both);
    expect([one!.status, two!.status]).toEqual([200, 200]);
    expect(one!.text).toBe(two!.text);
    expect([one!, two!].filter(isReplay)).toHaveLength(1);
  });
});

describe('a storm of one key over two services', () => {
  const storm = (body: (index: number) => unknown, idempotency_key: string) =>
    Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        insist(() => send(body(index), { at: index % 2 ? twin : service, idempotency_key })),
      ),
    );

  it('has one effect while SECRETS_KEYS are being replaced, and its workflows have other names', async () => {
    const task_queue = `test-${randomUUID()}`;
    const keys = [TEST_SECRETS_KEY, makeSealingKey()];
    const start = (secrets_keys: string[]) =>
      startTestService({ database, overrides: { task_queue, secrets_keys } });
    const processes = [await start(keys), await start(keys.toReversed())] as const;
    const idempotency_key = `someone@example.com ${randomUUID()}`;
    const [one, other_name] = keys.map((key) =>
      createWorkflowMessages([key]).hashIdempotencyKey(idempotency_key),
    );
    expect(one).not.toBe(other_name);
    const before = await balanceOf(database.db, sender);
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        insist(() => send(transfer(), { at: processes[index % 2]!, idempotency_key })),
      ),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(await balanceOf(database.db, sender)).toBe(before - 500_000n);
    expect(await transfersWith(idempotency_key)).toBe(1);
  });

  it('of different bodies lets one of them win and refuses the others', async () => {
    const idempotency_key = randomUUID();
    const before = await balanceOf(database.db, sender);
    const responses = await storm(
      (index) => transfer({ amount: 1 + (index % 4) }),
      idempotency_key,
    );
    const won = responses.filter(({ status }) => status === 200);
    expect(won).toHaveLength(5);
    expect(new Set(won.map(({ text }) => text)).size).toBe(1);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expect(response).toMatchObject(refusal('idempotency_key_reuse', 'amount'));
    }
    const moved = before - (await balanceOf(database.db, sender));
    expect(moved).toBe(BigInt(won[0]!.json.amount) * 100n);
  });
});
