// GET /idempotency-keys/{key}: what became of a request whose response was lost.

import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { Client } from 'pg';
import { request as upload } from 'undici';
import type { ApiDependencies } from '../../api/context';
import { nothingChanged } from '../../use-cases/requests/failures';
import { orderBatch as orderNow } from '../../use-cases/transfer-batches/order';
import { findStoredResponse } from '../../db/requests/orders';
import { createIntentBefore } from '../../db/payment-intents/intents';
import { ENVIRONMENTS } from '../../domain/environment';
import { IDEMPOTENT_OPERATIONS, type IdempotentOperation } from '../../domain/idempotency';
import { startTestApi, type TestApi } from '../support/api';
import { openSession } from '../support/database';
import type { HttpResponse } from '../support/http';
import { waitFor } from '../support/wait';
import { buildNewIntent } from '../workflows/intents';
import type { Account } from './support/accounts';
import { buildBusyAccount, finished, orderBatch } from './support/batches';
import { callApi, expectUnavailable, refusal } from './support/contract';

let api: TestApi;
let sender: Account;
let recipient: Account;
let session: Client;

beforeAll(async () => {
  // One transfer at a time, so that the next ones wait in the process.
  api = await startTestApi({ overrides: { transfers_in_flight: 1 } });
  sender = await buildBusyAccount(api.database, { live: { XOF: 10_000_000n } });
  recipient = await buildBusyAccount(api.database);
  session = await openSession(api.database.owner_url);
});

afterEach(async () => {
  await session.query('rollback');
});

const ask = (
  key: string,
  operation: IdempotentOperation = 'transfer',
  api_key = sender.live,
): Promise<HttpResponse> =>
  callApi(
    api.service,
    'GET',
    `/idempotency-keys/${encodeURIComponent(key)}?operation=${operation}`,
    { key: api_key },
  );

const send = (idempotency_key: string, amount = 100): Promise<HttpResponse> =>
  callApi(api.service, 'POST', '/transfers', {
    key: sender.live,
    idempotency_key,
    body: { to_username: recipient.username, currency: 'XOF', amount },
  });

const notFound = refusal('idempotency_key_not_found');

/** Holds the key's lock, as a posting that takes long does. */
const hold = async (key: string): Promise<void> => {
  await session.query('begin');
  await session.query(
    `select pg_advisory_xact_lock(idempotency_lock($1, 'live', 'transfer', $2))`,
    [sender.id, key],
  );
};

const untilPosting = (count = 1): Promise<boolean> =>
  waitFor(async () => {
    const { rows } = await api.database.owner.raw(
      `select 1 from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and query like '%post_transfer_batch%'`,
    );
    return rows.length >= count;
  });

describe('a key that has its response', () => {
  it('of a transfer is completed, with the response, its reference and the first request', async () => {
    const key = `order 1042/é?&%`.replace('é', 'e');
    const sent = await send(key);
    const again = await send(key);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const asked = await ask(key);
    expect(asked.json).toEqual({
      ok: true,
      key,
      operation: 'transfer',
      state: 'completed',
      http_status: 200,
      response: sent.json,
      reference: sent.json.reference,
      request_id: sent.headers['x-request-id'],
      created_at: expect.any(String) as string,
    });
    // The same bytes, decimals included.
    expect(asked.text).toContain(`"response":${sent.text}`);
  });

  it('of a payment intent and of a batch is completed', async () => {
    const idempotency_key = randomUUID();
    const link = await api.create({}, { idempotency_key });
    expect((await ask(idempotency_key, 'payment_intent', api.test_key)).json).toMatchObject({
      state: 'completed',
      http_status: 201,
      response: link.json,
      reference: link.json.reference,
    });
    const transfers = [{ to_username: recipient.username, currency: 'XOF', amount: 1 }];
    const options = { key: sender.live, idempotency_key };
    const ordered = await orderBatch(api.service, { transfers }, options);
    expect((await ask(idempotency_key, 'transfer_batch')).json).toMatchObject({
      state: 'completed',
      http_status: 202,
      response: ordered.json,
      reference: ordered.json.id,
    });
  });

  it('is unknown to others, in the other environment, and to other operations', async () => {
    const key = randomUUID();
    await send(key);
    const asked = await Promise.all([
      ask(key, 'transfer', sender.sandbox),
      ask(key, 'transfer', recipient.live),
      ...IDEMPOTENT_OPERATIONS.filter((one) => one !== 'transfer').map((one) => ask(key, one)),
    ]);
    for (const response of asked) expect(response).toMatchObject(notFound);
  });
});

describe('a request that is under way', () => {
  it('of a transfer is waited for, and never said to be unknown', async () => {
    const key = randomUUID();
    await hold(key);
    const sent = send(key);
    await untilPosting();
    // This one waits for a slot: no row and no workflow speaks of it.
    const next = randomUUID();
    const queued = send(next);
    const asked = [ask(key), ask(next)];
    await session.query('rollback');
    const [first, second] = await Promise.all(asked);
    expect(first!.json).toMatchObject({ state: 'completed', response: (await sent).json });
    expect(second!.json).toMatchObject({ state: 'completed', response: (await queued).json });
  });

  it('and whose posting hangs is not said to be unknown either', async () => {
    const key = randomUUID();
    await hold(key);
    const sent = send(key);
    await untilPosting();
    expectUnavailable(await ask(key));
    await session.query('rollback');
    // Its workflow may go on, and this may give it up; what is said then stays true.
    const { status } = await sent;
    const said = await ask(key);
    expect(said).toMatchObject(status === 200 || said.status === 200 ? { status: 200 } : notFound);
    const { rows } = await api.database.owner.raw(
      'select from transfers where idempotency_key = ?',
      [key],
    );
    expect(rows).toHaveLength(said.status === 200 ? 1 : 0);
  });

  it('of an item of a batch is in progress, then completed', async () => {
    const key = randomUUID();
    await session.query('begin');
    await session.query(`select from ledger_accounts where user_id = $1 for update`, [sender.id]);
    const transfers = [
      { to_username: recipient.username, currency: 'XOF', amount: 1 },
      { to_username: recipient.username, currency: 'XOF', amount: 2, idempotency_key: key },
    ];
    const ordered = await orderBatch(api.service, { transfers }, { key: sender.live });
    expect((await ask(key)).json).toEqual({
      ok: true,
      key,
      operation: 'transfer',
      state: 'in_progress',
      http_status: null,
      response: null,
      reference: null,
      request_id: ordered.headers['x-request-id'],
      created_at: ordered.json.created_at,
    });
    await session.query('rollback');
    await finished(api.service, ordered.json.id, sender.live);
    expect((await ask(key)).json).toMatchObject({ state: 'completed', http_status: 200 });
  });

  it('of an item of a batch that was cancelled, or only checked, is unknown', async () => {
    const order = (more: object) => {
      const item = { to_username: recipient.username, currency: 'XOF', amount: 1, ...more };
      return orderBatch(api.service, { transfers: [item] }, { key: sender.live });
    };
    const [canceled, checked] = [randomUUID(), randomUUID()];
    await session.query('begin');
    await session.query(`select from ledger_accounts where user_id = $1 for update`, [sender.id]);
    const first = await order({});
    // It waits for the first one.
    const second = await order({ idempotency_key: canceled });
    expect((await ask(canceled)).json).toMatchObject({ state: 'in_progress' });
    const path = `/transfer-batches/${second.json.id}/cancel`;
    expect((await callApi(api.service, 'POST', path, { key: sender.live })).status).toBe(200);
    const asked = ask(canceled);
    await session.query('rollback');
    await finished(api.service, first.json.id, sender.live);
    const item = { to_username: recipient.username, currency: 'XOF', amount: 1 };
    const body = { transfers: [{ ...item, idempotency_key: checked }], dry_run: true };
    const third = await orderBatch(api.service, body, { key: sender.live });
    await finished(api.service, third.json.id, sender.live);
    for (const response of [await asked, await ask(checked)]) {
      expect(response).toMatchObject(notFound);
    }
  });

  it('of a batch is waited for while it is uploaded', async () => {
    const key = randomUUID();
    const body = JSON.stringify({
      transfers: [{ to_username: recipient.username, currency: 'XOF', amount: 1 }],
    });
    const stream = new PassThrough();
    stream.write(body.slice(0, 20));
    const uploading = upload(`${api.service.base_url}/transfer-batches`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sender.live}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: stream,
    });
    const asked = ask(key, 'transfer_batch');
    // So long takes the answer about any other operation.
    expect(await ask(key, 'reversal')).toMatchObject(notFound);
    stream.end(body.slice(20));
    const ordered = await uploading;
    expect((await asked).json).toMatchObject({
      state: 'completed',
      http_status: 202,
      response: await ordered.body.json(),
    });
  });

  it('stores no batch past its moment', async () => {
    const key = randomUUID();
    const { config } = api.service;
    const dependencies = { config, db: api.database.db } as ApiDependencies;
    const scope = { user_id: sender.id, environment: 'live', operation: 'transfer_batch' } as const;
    const ordering = orderNow(dependencies, {
      mode: 'independent',
      dry_run: false,
      key,
      has_own_key: true,
      request_id: 'test',
      items: [
        {
          to_username: recipient.username,
          currency: 'XOF',
          amount_minor: '1',
          idempotency_key: null,
        },
      ],
      caller: { ...scope, now: new Date(0).toISOString(), stored: undefined },
    });
    await expect(ordering).rejects.toMatchObject(nothingChanged());
    expect(await findStoredResponse(api.database.db, { ...scope, key })).toBeUndefined();
  });

  it('writes no payment intent past its moment', async () => {
    const intent = buildNewIntent(sender, 'sandbox');
    const { rows } = await api.database.owner.raw(
      `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as past`,
    );
    expect(await createIntentBefore(api.database.db, intent, rows[0].past)).toBeUndefined();
    const asked = await ask(intent.idempotency_key, 'payment_intent', sender.sandbox);
    expect(asked).toMatchObject(notFound);
  });
});

it('is unknown when no request can have had it', async () => {
  for (const key of ['é', 'x'.repeat(256)]) expect(await ask(key)).toMatchObject(notFound);
});

it('keeps nothing of a question: the key is free', async () => {
  const key = randomUUID();
  for (let turn = 0; turn < 2; turn += 1) {
    const asked = ENVIRONMENTS.map((environment) => ask(key, 'transfer', sender[environment]));
    for (const response of await Promise.all(asked)) expect(response).toMatchObject(notFound);
  }
});
