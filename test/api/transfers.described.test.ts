// A transfer's description, which both sides see, and its metadata, which only the sender sees.

import { randomUUID } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { request, type RequestOptions } from '../support/http';
import { startTestService, type TestService } from '../support/service';
import { buildBusyAccount, finished, itemsOf, orderBatch } from './support/batches';
import type { Account } from './support/accounts';
import { callApi, insist, refusal } from './support/contract';

let database: TestDatabase;
let service: TestService;
let sender: Account;
let recipient: Account;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  const funds = { live: { XOF: 1_000_000n }, sandbox: { XOF: 1_000_000n } };
  sender = await buildBusyAccount(database, funds);
  recipient = await buildBusyAccount(database);
});

const METADATA = { order: 'A-1', count: 2, paid: true, none: null, '%1$s"\\': '%2$s\u2028\u0001' };
const DESCRIPTION = 'Loyer "mars" % %1$s \\ \u2028\u0007 😀 é';

const send = (more: object, { key = sender.live, ...options }: RequestOptions = {}) =>
  callApi(service, 'POST', '/transfers', {
    ...{ key, ...options },
    body: { to_username: recipient.username, currency: 'XOF', amount: 1, ...more },
  });

const show = (path: string, key: string) => callApi(service, 'GET', path, { key });

describe.each(['live', 'sandbox'] as const)('%s', (environment) => {
  it('shows the description to both sides, and the metadata to the sender', async () => {
    const given = { description: DESCRIPTION, metadata: METADATA };
    const sent = await send(given, { key: sender[environment] });
    expect(sent).toMatchObject({ status: 200, json: given });
    const { reference } = sent.json;
    const shown = await show(`/transfers/${reference}`, sender[environment]);
    expect(shown.json).toMatchObject(given);
    const received = await show(`/transfers/${reference}`, recipient[environment]);
    expect(received.json).toMatchObject({ description: DESCRIPTION, metadata: null });
    for (const side of [sender, recipient]) {
      const history = await show(`/transactions?reference=${reference}`, side[environment]);
      expect(history.json.transactions).toMatchObject([{ reference, description: DESCRIPTION }]);
      // None of it is beside the row either.
      expect(history.text).not.toContain('A-1');
    }
    const file = await request(service, 'GET', `/transactions?reference=${reference}`, {
      ...{ key: recipient[environment], headers: { Accept: 'text/csv' } },
    });
    expect(parse(file.text, { columns: true })).toMatchObject([{ description: DESCRIPTION }]);
  });
});

it('has neither when none is given, nor with an empty object', async () => {
  for (const given of [{}, { metadata: {} }]) {
    const sent = await send(given);
    expect(sent.json).toMatchObject({ description: null, metadata: {} });
    const shown = await show(`/transfers/${sent.json.reference}`, sender.live);
    expect(shown.json).toMatchObject({ description: null, metadata: {} });
  }
});

describe('an idempotency key', () => {
  it('replays the first response with them, byte for byte, whatever the order of the metadata', async () => {
    const options = { idempotency_key: 'described-1' };
    const first = await send({ description: DESCRIPTION, metadata: METADATA }, options);
    const metadata = Object.fromEntries(Object.entries(METADATA).reverse());
    const again = await send({ description: DESCRIPTION, metadata }, options);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.text).toBe(first.text);
  });

  it.each([
    [{}, { description: 'x' }, 'description'],
    [{ description: 'x' }, {}, 'description'],
    [{ description: 'x' }, { description: '' }, 'description'],
    [{ description: 'x' }, { description: 'X' }, 'description'],
    [{ metadata: { a: 1 } }, { metadata: { a: '1' } }, 'metadata'],
    [{ metadata: { a: 1 } }, {}, 'metadata'],
  ])('is refused when %j becomes %j', async (first, second, param) => {
    const options = { idempotency_key: JSON.stringify([first, second]) };
    expect((await send(first, options)).status).toBe(200);
    expect(await send(second, options)).toMatchObject(refusal('idempotency_key_reuse', param));
  });

  it('of a request from before there were any is the same', async () => {
    const options = { idempotency_key: 'from-before' };
    const { text } = await send({}, options);
    // As the version before has stored it.
    const before = text.replace(',"description":null,"metadata":{}', '');
    await database.owner.raw(`update idempotency_keys set body = ? where key = 'from-before'`, [
      before,
    ]);
    expect((await send({ metadata: {} }, options)).text).toBe(before);
  });
});

it.each([
  [{ description: 'x'.repeat(256) }, 'description'],
  [{ description: 1 }, 'description'],
  [{ description: null }, 'description'],
  [{ description: 'a\u0000b' }, undefined],
  [{ metadata: [] }, 'metadata'],
  [{ metadata: { a: {} } }, 'metadata/a'],
  [{ metadata: { ['k'.repeat(41)]: 1 } }, undefined],
  [{ metadata: { a: 'v'.repeat(501) } }, 'metadata/a'],
  [{ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, n])) }, 'metadata'],
  [{ metadata: { a: 1e30 } }, 'metadata/a'],
])('refuses %j', async (given, param) => {
  const response = await send(given);
  expect(response).toMatchObject({ status: 422, json: { error: { code: 'invalid_request' } } });
  if (param !== undefined) expect(response.json.error.param).toBe(param);
});

it('takes 255 characters, however many bytes they are', async () => {
  const description = '😀'.repeat(255);
  expect((await send({ description })).json).toMatchObject({ description });
});

// More than 2 MB together, which Temporal refuses as one message.
it('holds up nobody with the longest metadata that there may be', async () => {
  const hostile = await buildBusyAccount(database, { live: { XOF: 100_000n } });
  const metadata = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [`k${n}`, '€'.repeat(400)]),
  );
  const sendAgain = (more: object, key = sender.live) => {
    const options = { key, idempotency_key: randomUUID() };
    return insist(() => send(more, options));
  };
  const many = Array.from({ length: 60 }, () => sendAgain({ metadata }, hostile.live));
  const small = await Promise.all([sendAgain({}), sendAgain({ description: 'rent' })]);
  for (const { status, text } of [...small, ...(await Promise.all(many))]) {
    expect([status, text]).toEqual([200, expect.any(String)]);
  }
  // None was in a message that Temporal would not take.
  expect(service.log.filter(({ refused }) => refused === true)).toEqual([]);
});

describe('an item of a batch', () => {
  const order = async (transfers: object[]) => {
    const body = {
      transfers: transfers.map((item) => ({
        ...{ to_username: recipient.username, currency: 'XOF', amount: 2 },
        ...item,
      })),
    };
    const ordered = await orderBatch(service, body, { key: sender.live });
    expect([ordered.status, ordered.text]).toEqual([202, expect.any(String)]);
    await finished(service, ordered.json.id, sender.live);
    return itemsOf(service, ordered.json.id, sender.live);
  };

  it('has a description of its own, in its transfer and in both histories', async () => {
    const items = await order([{ description: DESCRIPTION }, {}]);
    expect(items).toMatchObject([{ description: DESCRIPTION }, { description: null }]);
    const received = await show(`/transfers/${items[0].reference}`, recipient.live);
    expect(received.json).toMatchObject({ description: DESCRIPTION, metadata: null });
    const history = await show(`/transactions?reference=${items[0].reference}`, recipient.live);
    expect(history.json.transactions).toMatchObject([{ description: DESCRIPTION }]);
  });

  it('shares its key with a single transfer of the same description, and of no other', async () => {
    const options = { idempotency_key: 'item-and-single' };
    const single = await send({ amount: 2, description: 'rent' }, options);
    const item = { idempotency_key: 'item-and-single' };
    expect(await order([{ ...item, description: 'rent' }])).toMatchObject([
      { reference: single.json.reference, replayed: true, status: 'completed' },
    ]);
    expect(await order([item])).toMatchObject([{ error: { code: 'idempotency_key_reuse' } }]);
  });

  it('is refused with a description that is too long, by its place', async () => {
    const body = {
      transfers: [
        {
          ...{ to_username: recipient.username, currency: 'XOF', amount: 2 },
          description: 'x'.repeat(256),
        },
      ],
    };
    const ordered = await orderBatch(service, body, { key: sender.live });
    expect(ordered).toMatchObject(refusal('invalid_request', 'transfers/0/description'));
  });
});
