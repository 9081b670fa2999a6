// Bulk transfers while they run: cancelled, frozen, lost, refused by Postgres, and beside others.

import { randomUUID } from 'node:crypto';
import { createBatch } from '../../db/transfer-batches/transfer-batches';
import { freezeAccount } from '../../db/accounts/users';
import { MAX_WAITING_BATCHES } from '../../domain/batch-limits';
import { bulkTransferWorkflowId, transferBatchWorkflowId } from '../../domain/ids';
import { prepareBatch } from '../../use-cases/transfer-batches/prepare';
import { startTestApi } from '../support/api';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { openSession, setUp } from '../support/database';
import { insist, type HttpResponse } from '../support/http';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { keepHistory } from '../workflows/saved-histories';
import type { Account } from './support/accounts';
import { buildBusyAccount, finished, itemsOf, orderBatch } from './support/batches';
import { callApi, refusal } from './support/contract';

const api = setUp(startTestApi);
let alice: Account;
let bob: Account;
let carol: Account;

const FUNDS = { live: { XOF: 10_000_000n }, sandbox: { XOF: 10_000_000n } };

beforeEach(async () => {
  alice = await buildBusyAccount(api.database, FUNDS);
  bob = await buildBusyAccount(api.database);
  carol = await buildBusyAccount(api.database);
});

afterEach(() => expectBooksHold(api.database.db));

const to = (user: Account, amount = 1) => ({
  to_username: user.username,
  currency: 'XOF',
  amount,
});
const many = (count: number, user: Account) => Array.from({ length: count }, () => to(user));

/** Accepted; its id. */
async function order(body: unknown, key = alice.live): Promise<string> {
  const { status, json } = await orderBatch(api.service, body, { key });
  expect(status).toBe(202);
  return json.id;
}

const show = async (id: string, key = alice.live): Promise<HttpResponse['json']> =>
  (await insist(() => callApi(api.service, 'GET', `/transfer-batches/${id}`, { key }))).json;

const cancel = (id: string, key = alice.live): Promise<HttpResponse> =>
  callApi(api.service, 'POST', `/transfer-batches/${id}/cancel`, { key });

/** Nothing is posted to this account until the returned function is called. */
async function holdWallets({ id }: Account): Promise<() => Promise<void>> {
  const session = await openSession(api.database.owner_url);
  await session.query('begin');
  await session.query('select 1 from ledger_accounts where user_id = $1 for update', [id]);
  return async () => {
    await session.query('commit');
    await session.end();
  };
}

/** A batch that has done its first step and cannot do the second. */
async function halfDone(): Promise<{ id: string; release: () => Promise<void> }> {
  const release = await holdWallets(carol);
  const id = await order({ transfers: [...many(500, bob), ...many(300, carol)] });
  await waitFor(async () => (await show(id)).completed === 500);
  return { id, release };
}

describe('cancelling', () => {
  it('stops what is not posted yet; twice is once', async () => {
    const { id, release } = await halfDone();
    // The step that waits for the wallet has the batch; it gives up after three seconds.
    const canceled = await insist(() => cancel(id));
    await release();
    expect(canceled).toMatchObject({
      status: 200,
      json: { ok: true, id, status: 'canceled', completed: 500, failed: 0, total: 800 },
    });
    expect((await cancel(id)).text).toBe(canceled.text);
    const items = await itemsOf(api.service, id, alice.live);
    expect(items[499].status).toBe('completed');
    expect(items[500]).toMatchObject({ status: 'pending', reference: null, error: null });
    const temporal = await connectTestTemporal();
    const handle = temporal.workflow.getHandle(bulkTransferWorkflowId('live', id));
    expect(await handle.result()).toMatchObject({ status: 'canceled', completed: 500 });
    expect(await balanceOf(api.database.db, carol)).toBe(0n);
  });

  it('answers 409 when the batch is over', async () => {
    const id = await order({ transfers: many(2, bob) });
    await finished(api.service, id, alice.live);
    const response = await cancel(id);
    expect(response).toMatchObject(refusal('batch_not_cancelable'));
    expect(response.json.error.message).toContain('completed');
  });

  it('of one that waits for its turn moves nothing of it, and the one after it goes on', async () => {
    const release = await holdWallets(carol);
    const first = await order({ transfers: many(3, carol) });
    const second = await order({ transfers: many(3, bob) });
    const third = await order({ transfers: many(2, bob) });
    expect((await cancel(second)).json).toMatchObject({ status: 'canceled', completed: 0 });
    await release();
    expect(await finished(api.service, first, alice.live)).toMatchObject({ completed: 3 });
    expect(await finished(api.service, third, alice.live)).toMatchObject({ completed: 2 });
    expect(await balanceOf(api.database.db, bob)).toBe(200n);
  });
});

describe('a batch', () => {
  it('stops when its account is frozen: what is left fails, nothing leaves', async () => {
    const { id, release } = await halfDone();
    const freezing = freezeAccount(api.database.owner, alice.id, 'stolen card', 'tests');
    await release();
    await freezing;
    await waitFor(async () => {
      const { rows } = await api.database.owner.raw(
        `select status, completed, failed from transfer_batches where id = ?`,
        [id],
      );
      const [batch] = rows as { status: string; completed: number; failed: number }[];
      return batch!.status === 'completed' && batch!.completed + batch!.failed === 800;
    });
    expect(
      await callApi(api.service, 'GET', `/transfer-batches/${id}`, { key: alice.live }),
    ).toMatchObject(refusal('account_frozen'));
    const left = 10_000_000n - (await balanceOf(api.database.db, alice));
    expect(left).toBe(
      (await balanceOf(api.database.db, bob)) + (await balanceOf(api.database.db, carol)),
    );
  });

  it('goes on by itself when its workflow was lost', async () => {
    const { id, release } = await halfDone();
    const temporal = await connectTestTemporal();
    await temporal.workflow.getHandle(bulkTransferWorkflowId('live', id)).terminate('lost');
    await release();
    await api.database.owner.raw(
      `update transfer_batches set progressed_at = progressed_at - interval '1 hour' where id = ?`,
      [id],
    );
    await temporal.workflow.execute('sweepNotifications', {
      workflowId: `sweep/${randomUUID()}`,
      taskQueue: api.service.config.task_queue,
    });
    const batch = await finished(api.service, id, alice.live);
    expect(batch).toMatchObject({ status: 'completed', completed: 800 });
  });

  it('is started by a retry with its key when its process died before it could', async () => {
    const idempotency_key = randomUUID();
    const body = { transfers: many(3, bob) };
    const first = await orderBatch(api.service, body, { key: alice.live, idempotency_key });
    const { id } = first.json;
    await finished(api.service, id, alice.live);
    // This copy of the batch has never begun.
    const { rows } = await api.database.owner.raw(
      `insert into transfer_batches (id, user_id, environment, mode, dry_run, total, idempotency_key,
         request_id, created_at, progressed_at)
       select gen_random_uuid(), user_id, environment, mode, dry_run, total, 'x', request_id,
              created_at + interval '1 microsecond', progressed_at
         from transfer_batches where id = ? returning id`,
      [id],
    );
    const lost = (rows as { id: string }[])[0]!.id;
    await api.database.owner.raw(
      `insert into transfer_batch_items (batch_id, index, to_username, currency, amount_minor)
       select ?, index, to_username, currency, amount_minor from transfer_batch_items where batch_id = ?`,
      [lost, id],
    );
    const again = await orderBatch(api.service, body, { key: alice.live, idempotency_key });
    expect(again.text).toBe(first.text);
    expect(await finished(api.service, lost, alice.live)).toMatchObject({ completed: 3 });
  });

  it('loses only the item that Postgres refuses, and logs it', async () => {
    await api.database.owner.raw(
      `create or replace function refuse_666() returns trigger language plpgsql as
       'begin if new.amount_minor = 66600 then raise exception ''no such number'' using errcode = ''check_violation''; end if; return new; end'`,
    );
    await api.database.owner.raw(
      'create trigger refuse_666 before insert on transfers for each row execute function refuse_666()',
    );
    try {
      const transfers = [...many(40, bob), to(bob, 666), ...many(40, bob)];
      const id = await order({ transfers });
      const batch = await finished(api.service, id, alice.live);
      expect(batch).toMatchObject({ status: 'completed', completed: 80, failed: 1 });
      const items = await itemsOf(api.service, id, alice.live);
      expect(items[40]).toMatchObject({ status: 'failed', error: { code: 'internal_error' } });
      const atomic = await order({ transfers, mode: 'atomic' });
      expect(await finished(api.service, atomic, alice.live)).toMatchObject({
        status: 'failed',
        failed: 81,
        completed: 0,
      });
    } finally {
      await api.database.owner.raw('drop trigger refuse_666 on transfers');
    }
  });

  it('with more usernames that nobody has than its account may name is refused, and names some', async () => {
    const wrong = Array.from({ length: 31 }, (_, i) => ({
      ...to(bob),
      to_username: `nobody-${i}`,
    }));
    const response = await orderBatch(
      ...([api.service, { transfers: [to(bob), ...wrong] }, { key: alice.live }] as const),
    );
    const { details } = response.json.error;
    expect(response).toMatchObject(refusal('rate_limited', details[0].param));
    expect(response.headers['retry-after']).toMatch(/^\d+$/);
    expect(details).toHaveLength(10);
    expect(details[0].param).toMatch(/^transfers\/[12]\/to_username$/);
  });

  it('is refused when so many of the account wait', async () => {
    for (let i = 0; i < MAX_WAITING_BATCHES; i += 1) {
      const { batch, items } = prepareBatch({
        id: randomUUID(),
        user_id: alice.id,
        environment: 'live',
        mode: 'independent',
        dry_run: false,
        idempotency_key: randomUUID(),
        request_id: 'test',
        items: [
          {
            to_username: bob.username,
            currency: 'XOF',
            amount_minor: '100',
            idempotency_key: null,
          },
        ],
      });
      await createBatch(api.database.db, batch, items, MAX_WAITING_BATCHES);
    }
    const response = await orderBatch(
      ...([api.service, { transfers: many(1, bob) }, { key: alice.live }] as const),
    );
    expect(response).toMatchObject(refusal('batch_limit'));
    // Another environment has its own queue.
    await order({ transfers: many(1, bob) }, alice.sandbox);
  });
});

describe('beside others', () => {
  it('a batch of 10,000 is carried out while single transfers go on', async () => {
    const payer = await buildBusyAccount(api.database, FUNDS);
    const id = await order({ transfers: Array.from({ length: 10_000 }, () => to(bob)) });
    let singles = 0;
    let batch = await show(id);
    while (batch.status === 'processing') {
      const single = { key: payer.live, idempotency_key: randomUUID(), body: to(bob) };
      const response = await insist(() => callApi(api.service, 'POST', '/transfers', single));
      expect(response.status).toBe(200);
      singles += 1;
      batch = await show(id);
    }
    expect(batch).toMatchObject({ status: 'completed', completed: 10_000 });
    expect(await balanceOf(api.database.db, bob)).toBe(1_000_000n + BigInt(singles) * 100n);
    expect(await balanceOf(api.database.db, alice)).toBe(9_000_000n);
    const temporal = await connectTestTemporal();
    const handle = temporal.workflow.getHandle(bulkTransferWorkflowId('live', id));
    await handle.result();
    keepHistory('transfer-batch', await handle.fetchHistory());
    const items = await itemsOf(api.service, id, alice.live);
    expect(new Set(items.map(({ reference }) => reference)).size).toBe(10_000);
  });

  it('an account with forty batches delays that of another by one step only', async () => {
    const other = await buildBusyAccount(api.database, FUNDS);
    const release = await holdWallets(carol);
    // The first waits for a wallet; the others wait for the first.
    await order({ transfers: many(1, carol) });
    const backlog: string[] = [];
    for (let i = 0; i < 40; i += 1) backlog.push(await order({ transfers: many(400, bob) }));
    const ordered = await order({ transfers: many(3, bob) }, other.live);
    await release();
    const over = await finished(api.service, ordered, other.live);
    const { rows } = await api.database.owner.raw(
      `select count(*)::int as count from transfer_batches
        where user_id = ? and finished_at is not null and finished_at < ?`,
      [alice.id, over.finished_at],
    );
    // The one at work, and those of the turns until the other's came: not forty.
    expect((rows as { count: number }[])[0]!.count).toBeLessThan(10);
    for (const id of backlog) await cancel(id);
  });

  it('live transfers and payments are not in the queue of batches', async () => {
    const release = await holdWallets(carol);
    const id = await order({ transfers: many(1, carol) });
    const temporal = await connectTestTemporal();
    await waitFor(async () => {
      const { status } = await temporal.workflow
        .getHandle(bulkTransferWorkflowId('live', id))
        .describe();
      return status.name === 'RUNNING';
    });
    // Its step waits for a lock; the sandbox has a queue of its own.
    const sandbox = await order({ transfers: many(2, bob) }, alice.sandbox);
    expect(await finished(api.service, sandbox, alice.sandbox)).toMatchObject({ completed: 2 });
    const payer = await buildBusyAccount(api.database, FUNDS);
    const single = await callApi(api.service, 'POST', '/transfers', {
      key: payer.live,
      idempotency_key: randomUUID(),
      body: to(bob),
    });
    expect(single.status).toBe(200);
    await release();
    await finished(api.service, id, alice.live);
    expect(transferBatchWorkflowId('live', 'x')).not.toBe(bulkTransferWorkflowId('live', 'x'));
  });
});
