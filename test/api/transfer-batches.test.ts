// Bulk transfers over HTTP: the order, its progress, its transfers, and what it may not do.

import { randomUUID } from 'node:crypto';
import { bulkTransferWorkflowId } from '../../domain/ids';
import { searchAttributes } from '../../workflows/messages';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { request, type HttpResponse, type RequestOptions } from '../support/http';
import { connectTestTemporal } from '../support/temporal';
import { fund } from '../support/users';
import { waitFor } from '../support/wait';
import type { Account } from './support/accounts';
import { buildBusyAccount, finished, itemsOf, orderBatch } from './support/batches';
import { callApi, refusal } from './support/contract';

const api = setUp(startTestApi);
let alice: Account;
let bob: Account;
let carol: Account;

beforeEach(async () => {
  alice = await buildBusyAccount(api.database, {
    live: { XOF: 1_000_000n, EUR: 100_000n },
    sandbox: { XOF: 1_000_000n },
  });
  bob = await buildBusyAccount(api.database, { live: { XOF: 1_000_000n } });
  carol = await buildBusyAccount(api.database);
});

afterEach(() => expectBooksHold(api.database.db));

type Json = HttpResponse['json'];

const to = (user: Account, amount = 1, more: object = {}) => ({
  to_username: user.username,
  currency: 'XOF',
  amount,
  ...more,
});

const order = (body: unknown, options: RequestOptions = {}): Promise<HttpResponse> =>
  orderBatch(api.service, body, { key: alice.live, ...options });

const get = (path: string, options: RequestOptions = {}): Promise<HttpResponse> =>
  callApi(api.service, 'GET', path, { key: alice.live, ...options });

const single = (body: unknown, idempotency_key: string): Promise<HttpResponse> =>
  callApi(api.service, 'POST', '/transfers', { key: alice.live, body, idempotency_key });

/** Ordered and over. */
async function done(body: unknown, options: RequestOptions = {}) {
  const ordered = await order(body, options);
  expect(ordered.status).toBe(202);
  const key = options.key ?? alice.live;
  const batch = await finished(api.service, ordered.json.id, key);
  return { batch, items: await itemsOf(api.service, ordered.json.id, key) };
}

describe('POST /transfer-batches', () => {
  it('answers 202 with the order, and carries it out', async () => {
    const transfers = [to(bob, 5), to(carol, 7, { currency: 'EUR' }), to(bob, 6)];
    const ordered = await order({ transfers });
    expect(ordered).toMatchObject({
      status: 202,
      json: {
        ok: true,
        status: 'processing',
        mode: 'independent',
        dry_run: false,
        environment: 'live',
        total: 3,
        completed: 0,
        failed: 0,
        finished_at: null,
      },
    });
    const { id } = ordered.json;
    const batch = await finished(api.service, id, alice.live);
    expect(batch).toMatchObject({ id, status: 'completed', completed: 3, failed: 0 });
    expect(batch.created_at).toBe(ordered.json.created_at);
    expect(await balanceOf(api.database.db, alice)).toBe(1_000_000n - 1_100n);
    expect(await balanceOf(api.database.db, bob)).toBe(1_000_000n + 1_100n);

    const items = await itemsOf(api.service, id, alice.live);
    expect(items).toMatchObject(
      transfers.map((item, index) => ({ index, ...item, status: 'completed', error: null })),
    );
    const shown = await get(`/transfers/${items[1].reference}`);
    expect(shown.json).toMatchObject({
      batch_id: id,
      amount: 7,
      currency: 'EUR',
      direction: 'out',
    });
    const received = await get(`/transfers/${items[1].reference}`, { key: carol.live });
    expect(received.json).toMatchObject({ batch_id: null, direction: 'in' });
    const history = await get('/transactions?type=transfer');
    expect(new Set(history.json.transactions.map((row: Json) => row.reference))).toEqual(
      new Set(items.map((item: Json) => item.reference)),
    );
  });

  it('reports each refusal at its item, with the code of a single transfer', async () => {
    await fund(api.database.db, carol.id, 'live', 'XOF', 999_999_999_999_900n);
    const { batch, items } = await done({
      transfers: [
        to(bob, 1),
        { ...to(bob), to_username: 'nobody-at-all' },
        to(bob, 9_999_999),
        to(carol, 1),
        to(bob, 2),
      ],
    });
    expect(batch).toMatchObject({ status: 'completed', completed: 2, failed: 3 });
    expect(items.map((item: Json) => item.error?.code ?? null)).toEqual([
      null,
      'recipient_not_found',
      'insufficient_funds',
      'limit_exceeded',
      null,
    ]);
    expect(items[2]).toMatchObject({ status: 'failed', reference: null });
  });

  it('lists what came before by its order, newest first, and only the own', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await order({ transfers: [to(bob)] })).json.id);
    const first = await get('/transfer-batches?limit=2');
    expect(first.json.transfer_batches.map(({ id }: Json) => id)).toEqual(ids.slice(0, 2));
    expect(first.json.has_more).toBe(true);
    const rest = await get(`/transfer-batches?limit=2&cursor=${first.json.next_cursor}`);
    expect(rest.json).toMatchObject({ next_cursor: null, has_more: false });
    expect(rest.json.transfer_batches.map(({ id }: Json) => id)).toEqual(ids.slice(2));
    expect((await get('/transfer-batches', { key: alice.sandbox })).json.transfer_batches).toEqual(
      [],
    );
  });

  it.each([
    ['is no object', 7, ''],
    ['has a fraction of a franc', { to_username: 'x', currency: 'XOF', amount: 1.5 }, '/amount'],
    ['is above the limit', { to_username: 'x', currency: 'EUR', amount: 100_001 }, '/amount'],
    [
      'has a key that is not ASCII',
      { to_username: 'x', currency: 'EUR', amount: 1, idempotency_key: 'clé' },
      '/idempotency_key',
    ],
  ])('refuses all when one item %s, and names it', async (_, item, field) => {
    const response = await order({ transfers: [to(bob), to(bob), item, to(bob)] });
    expect(response).toMatchObject(refusal('invalid_request', `transfers/2${field}`));
    expect(await balanceOf(api.database.db, alice)).toBe(1_000_000n);
  });

  it('refuses a transfer to oneself, however it is written', async () => {
    const response = await order({
      transfers: [to(bob), { ...to(alice), to_username: alice.username.toUpperCase() }],
    });
    expect(response).toMatchObject(refusal('invalid_request', 'transfers/1/to_username'));
  });

  it('refuses one key twice in a batch', async () => {
    const response = await order({
      transfers: [
        to(bob, 1, { idempotency_key: 'a' }),
        to(bob),
        to(bob, 1, { idempotency_key: 'a' }),
      ],
    });
    expect(response).toMatchObject(refusal('invalid_request', 'transfers/2/idempotency_key'));
    expect(response.json.error.message).toContain('transfers/0');
  });

  it('does not walk millions of values, for which its body has room', async () => {
    const zeros = `{"transfers":[${'0,'.repeat(2_000_000)}0]}`;
    const response = await order(zeros);
    expect(response.status).toBe(400);
    expect(response.json).toMatchObject({
      error: { code: 'invalid_json', message: 'The body has more than 100000 values.' },
    });
  });

  it('takes bodies up to 4 MiB, and other routes do not', async () => {
    const body = { transfers: [to(bob)] };
    const padded = (bytes: number) => {
      const text = JSON.stringify(body);
      return `${text.slice(0, -1)}${' '.repeat(bytes - text.length)}}`;
    };
    const fits = await order(padded(4 * 1024 * 1024));
    expect(fits.status).toBe(202);
    const larger = await order(padded(4 * 1024 * 1024 + 1));
    expect(larger).toMatchObject(refusal('payload_too_large'));
    expect(larger.json.error.message).toContain('4096 KiB');
    const elsewhere = await callApi(api.service, 'POST', '/transfers', {
      key: alice.live,
      body: padded(65 * 1024),
    });
    expect(elsewhere).toMatchObject(refusal('payload_too_large'));
  });

  it('runs as a workflow that shows its progress and has only ids in it', async () => {
    const { batch } = await done({ transfers: [to(bob), to(carol)] });
    const temporal = await connectTestTemporal();
    const handle = temporal.workflow.getHandle(bulkTransferWorkflowId('live', batch.id));
    expect(await handle.result()).toEqual({
      status: 'completed',
      total: 2,
      completed: 2,
      failed: 0,
    });
    const shown = await handle.describe();
    expect(await shown.staticSummary()).toBe(`2 transfers · ${alice.username} · independent`);
    expect(shown.typedSearchAttributes.get(searchAttributes.account)).toBe(alice.username);
    await waitFor(async () => {
      const found = (await handle.describe()).typedSearchAttributes.get(searchAttributes.state);
      return found === 'completed';
    });
    const { events } = await handle.fetchHistory();
    const text = JSON.stringify(events);
    expect(text).not.toContain(bob.username);
    expect(events!.length).toBeLessThan(40);
  });
});

it('is the same for its Idempotency-Key however a username is spelled', async () => {
  const idempotency_key = randomUUID();
  const first = await order({ transfers: [to(bob, 5)] }, { idempotency_key });
  const spelled = [{ ...to(bob, 5), to_username: bob.username.toUpperCase() }];
  expect((await order({ transfers: spelled }, { idempotency_key })).text).toBe(first.text);
});

describe("an item's idempotency_key", () => {
  it('is a single transfer’s: one that was sent before is shown, and moves nothing', async () => {
    const key = randomUUID();
    const sent = await single(to(bob, 5), key);
    const { items } = await done({ transfers: [to(bob, 5, { idempotency_key: key }), to(bob, 1)] });
    expect(items[0]).toMatchObject({
      status: 'completed',
      replayed: true,
      reference: sent.json.reference,
    });
    expect(items[1]).toMatchObject({ status: 'completed', replayed: false });
    expect(await balanceOf(api.database.db, alice)).toBe(1_000_000n - 600n);
    expect((await get(`/transfers/${sent.json.reference}`)).json.batch_id).toBeNull();
  });

  it('is a single transfer’s: sent afterwards it gets the response to the item', async () => {
    const key = randomUUID();
    const refused = randomUUID();
    const { items } = await done({
      transfers: [
        to(bob, 5, { idempotency_key: key }),
        to(bob, 9_999_999, { idempotency_key: refused }),
      ],
    });
    const replay = await single(to(bob, 5), key);
    expect(replay.status).toBe(200);
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect(replay.json).toMatchObject({
      ok: true,
      status: 'completed',
      reference: items[0].reference,
      environment: 'live',
      to_username: bob.username,
      currency: 'XOF',
      amount: 5,
      simulated: false,
    });
    expect(replay.text).toContain('"amount":5.00,');
    expect(await single(to(bob, 9_999_999), refused)).toMatchObject(
      refusal('insufficient_funds', 'amount'),
    );
    expect(await single(to(bob, 6), key)).toMatchObject(refusal('idempotency_key_reuse', 'amount'));
    expect(await balanceOf(api.database.db, alice)).toBe(1_000_000n - 500n);
  });
});

describe('an atomic batch', () => {
  it('is carried out as a whole', async () => {
    const transfers = Array.from({ length: 500 }, (_, i) => to(i % 2 ? bob : carol, 1));
    const { batch, items } = await done({ transfers, mode: 'atomic' });
    expect(batch).toMatchObject({ status: 'completed', completed: 500, failed: 0 });
    expect(new Set(items.map((item: Json) => item.reference)).size).toBe(500);
    expect(await balanceOf(api.database.db, alice)).toBe(1_000_000n - 50_000n);
    // No account is locked for longer than a step takes.
    const too_many = await order({ transfers: [...transfers, to(bob)], mode: 'atomic' });
    expect(too_many).toMatchObject(refusal('invalid_request', 'transfers'));
  });

  it.each([false, true])('is refused as a whole (dry_run %s)', async (dry_run) => {
    const transfers = [to(bob, 5_000), to(bob, 6_000), { ...to(bob), to_username: 'nobody-here' }];
    const { batch, items } = await done({ transfers, mode: 'atomic', dry_run });
    expect(batch).toMatchObject({ status: 'failed', completed: 0, failed: 3, dry_run });
    expect(items.map((item: Json) => [item.status, item.error.code, item.reference])).toEqual([
      ['failed', 'batch_refused', null],
      ['failed', 'insufficient_funds', null],
      ['failed', 'recipient_not_found', null],
    ]);
    expect(await balanceOf(api.database.db, alice)).toBe(1_000_000n);
    expect((await get('/transactions?type=transfer')).json.transactions).toEqual([]);
  });
});

describe('a dry run', () => {
  it('tells what would happen, against balances as they would become, and stores nothing else', async () => {
    const key = randomUUID();
    await single(to(bob, 5), key);
    const transfers = [
      to(bob, 6_000, { idempotency_key: randomUUID() }),
      to(bob, 5_000),
      to(bob, 3_000),
      { ...to(bob), to_username: 'nobody-here' },
      to(bob, 5, { idempotency_key: key }),
    ];
    const dry = await done({ transfers, dry_run: true });
    expect(dry.batch).toMatchObject({
      status: 'completed',
      dry_run: true,
      completed: 3,
      failed: 2,
    });
    expect(dry.items.map((item: Json) => item.error?.code ?? item.status)).toEqual([
      'completed',
      'insufficient_funds',
      'completed',
      'recipient_not_found',
      'completed',
    ]);
    expect(dry.items[0].reference).toBeNull();
    expect(await balanceOf(api.database.db, alice)).toBe(1_000_000n - 500n);
    const real = await done({ transfers });
    const outcomes = (items: Json[]) => items.map((item) => item.error?.code ?? item.status);
    expect(outcomes(real.items)).toEqual(outcomes(dry.items));
  });
});

describe('GET /transfer-batches/{id}/transfers', () => {
  it('has pages, and a filter by status', async () => {
    const transfers = Array.from({ length: 30 }, (_, i) => to(bob, i % 3 === 2 ? 9_999_999 : 1));
    const { batch } = await done({ transfers });
    const path = `/transfer-batches/${batch.id}/transfers`;
    const first = await get(path);
    expect(first.json.transfers.map(({ index }: Json) => index)).toEqual([...Array(25).keys()]);
    expect(first.json).toMatchObject({ next_cursor: '24', has_more: true });
    const second = await get(`${path}?cursor=24&limit=5`);
    expect(second.json).toMatchObject({ next_cursor: null, has_more: false });
    expect(second.json.transfers).toHaveLength(5);
    const failed = await get(`${path}?status=failed&limit=4`);
    expect(failed.json.transfers.map(({ index }: Json) => index)).toEqual([2, 5, 8, 11]);
    expect(failed.json.next_cursor).toBe('11');
    expect((await get(`${path}?status=pending`)).json.transfers).toEqual([]);
  });

  it('streams all of them as CSV', async () => {
    const transfers = Array.from({ length: 1_201 }, (_, i) =>
      i === 700 ? { ...to(bob), to_username: '=x,"y"' } : to(bob, 1),
    );
    const { batch } = await done({ transfers });
    const response = await request(
      ...([api.service, 'GET', `/transfer-batches/${batch.id}/transfers`] as const),
      { key: alice.live, headers: { Accept: 'text/csv' } },
    );
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
    const lines = response.text.trimEnd().split('\n');
    expect(lines).toHaveLength(1_202);
    expect(lines[0]).toBe(
      'index,to_username,currency,amount,status,reference,error_code,error_message',
    );
    expect(lines[1]).toMatch(
      new RegExp(`^0,${bob.username},XOF,1\\.00,completed,TRF-[0-9A-Z]{20},,$`),
    );
    expect(lines[701]).toBe(
      `700,"'=x,""y""",XOF,1.00,failed,,recipient_not_found,No user has this username.`,
    );
  });
});
