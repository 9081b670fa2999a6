// Bulk transfers and the count of usernames that nobody has: what an account may still be told of is read
// once for a whole batch, and nobody else's transfers wait for it.

import { randomUUID } from 'node:crypto';
import type { Tx } from '../../db/connect';
import { checkBatch, createBatch } from '../../db/transfer-batches';
import { postTransfers } from '../../db/transfers';
import type { Environment } from '../../domain/environment';
import type { BatchMode } from '../../domain/transfer-batch';
import { prepareBatch } from '../../use-cases/transfer-batches';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { buildTransferRequest, ERROR_DOCS, post } from '../support/postings';
import { buildUser, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';

const LIMIT = 30;

let database: TestDatabase;
let alice: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
});

beforeEach(async () => {
  const funds = { XOF: 1_000_000n };
  alice = await buildUser(database.db, { funds: { live: funds, sandbox: funds } });
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

async function order(
  environment: Environment,
  names: readonly string[],
  fields: { readonly mode?: BatchMode; readonly dry_run?: boolean },
): Promise<string> {
  const { batch, items } = prepareBatch({
    ...{ id: randomUUID(), user_id: alice.id, environment, mode: 'independent', dry_run: false },
    items: names.map((to_username) => ({
      ...{ to_username, currency: 'XOF' as const, amount_minor: '100', idempotency_key: null },
    })),
    ...{ idempotency_key: randomUUID(), request_id: 'test' },
    ...fields,
  });
  await createBatch(database.db, batch, items, 10);
  return batch.id;
}

async function refusalsOf(id: string): Promise<(string | null)[]> {
  const { rows } = await database.owner.raw(
    'select refusal from transfer_batch_items where batch_id = ? order by index',
    [id],
  );
  return (rows as { refusal: string | null }[]).map(({ refusal }) => refusal);
}

/** By table, since Postgres has last collected them from this session. */
async function rowsRead(tx: Tx): Promise<Readonly<Record<string, number>>> {
  const { rows } = await tx.raw(
    `select relname as name, (seq_tup_read + idx_tup_fetch)::int as count
       from pg_stat_xact_user_tables`,
  );
  const counts = rows as { readonly name: string; readonly count: number }[];
  return Object.fromEntries(counts.map(({ name, count }) => [name, count]));
}

const nobodies = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `nobody-${index}`);

describe.each([
  ['a dry run', { dry_run: true }],
  ['an atomic batch that is refused', { mode: 'atomic' }],
] as const)('%s past the limit', (_what, fields) => {
  it('reads the latest transfers of the account once, for all of its items', async () => {
    const [known, stranger] = [await buildUser(database.db), await buildUser(database.db)];
    for (const _ of [1, 2]) {
      const transfers = Array.from({ length: 500 }, () =>
        buildTransferRequest({ from: alice, to: known, amount: 100n, environment: 'sandbox' }),
      );
      await post(database.db, transfers);
    }
    const told = Array.from({ length: 100 }, () => [known.username, stranger.username]).flat();
    const id = await order('sandbox', [...nobodies(LIMIT), ...told, 'nobody-more'], fields);
    const read = await database.db.transaction(async (tx) => {
      const before = await rowsRead(tx);
      await tx.raw('select check_transfer_batch(?)', [id]);
      const after = await rowsRead(tx);
      return (table: string) => (after[table] ?? 0) - (before[table] ?? 0);
    });
    // Twice when the batch is refused: for the check, and for the innocent items.
    expect(read('transactions')).toBeLessThanOrEqual(2_000);
    // The account has a thousand keys, and the items have keys of their own.
    expect(read('idempotency_keys')).toBe(0);
    const refusals = await refusalsOf(id);
    expect(refusals.slice(0, LIMIT)).toEqual(Array(LIMIT).fill('recipient_not_found'));
    const is_dry = 'dry_run' in fields;
    expect(refusals.slice(LIMIT, LIMIT + 2)).toEqual([
      is_dry ? null : 'batch_refused',
      'unknown_recipient_limit',
    ]);
    expect(refusals.at(-1)).toBe('unknown_recipient_limit');
    expect(new Set(refusals).size).toBe(3);
  });
});

it('a name counts once in a batch, also when it was counted more than an hour ago', async () => {
  await checkBatch(database.db, await order('sandbox', nobodies(2), { dry_run: true }));
  await database.owner.raw(
    `update unknown_recipients set tried_at = tried_at - interval '61 minutes' where user_id = ?`,
    [alice.id],
  );
  const names = [...nobodies(LIMIT), ...nobodies(LIMIT), 'nobody-more'];
  const id = await order('sandbox', names, { dry_run: true });
  await checkBatch(database.db, id);
  const refusals = await refusalsOf(id);
  expect(refusals.slice(0, -1)).toEqual(Array(2 * LIMIT).fill('recipient_not_found'));
  expect(refusals.at(-1)).toBe('unknown_recipient_limit');
});

it('while a check counts the names of an account, a batch of several accounts does not wait for it', async () => {
  const bob = await buildUser(database.db, { funds: { live: { XOF: 1_000n } } });
  const checking = await openSession(database.app_url);
  await checking.query('begin');
  await checking.query(
    `select pg_advisory_xact_lock(idempotency_lock($1, 'live', 'unknown_recipient', ''))`,
    [alice.id],
  );
  const unknown = buildTransferRequest({ from: alice, to_username: 'nobody', amount: 100n });
  const innocent = buildTransferRequest({ from: bob, to: alice, amount: 100n });
  const together = postTransfers(database.db, [unknown, innocent], ERROR_DOCS);
  // Its activity tries each alone after this.
  await expect(together).rejects.toMatchObject({ code: '55P03' });
  const [alone] = await postTransfers(database.db, [innocent], ERROR_DOCS);
  expect(alone!.outcome).toBe('completed');
  await checking.query('rollback');
  const [told] = await postTransfers(database.db, [unknown], ERROR_DOCS);
  expect(told!.outcome).toBe('recipient_not_found');
});

it('a batch of several accounts takes the count of unknown names in the order of all locks', async () => {
  const bob = await buildUser(database.db, { funds: { live: { XOF: 1_000n } } });
  const count = `idempotency_lock('${alice.id}', 'live', 'unknown_recipient', '')`;
  // A key of Alice's with a lock that comes before that of her count.
  const { rows } = await database.owner.raw(
    `select key from (select n::text as key from generate_series(1, 100000) n) k
      where idempotency_lock(?, 'live', 'transfer', key) < ${count} limit 1`,
    [alice.id],
  );
  const { key } = (rows as { readonly key: string }[])[0]!;
  const holder = await openSession(database.app_url);
  await holder.query('begin');
  await holder.query(`select pg_advisory_xact_lock(idempotency_lock($1, 'live', 'transfer', $2))`, [
    alice.id,
    key,
  ]);
  const unknown = buildTransferRequest({ from: alice, to_username: 'nobody', amount: 100n, key });
  const innocent = buildTransferRequest({ from: bob, to: alice, amount: 100n });
  const together = postTransfers(database.db, [unknown, innocent], ERROR_DOCS);
  await waitFor(async () => {
    const waiting = await database.owner.raw(
      `select from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return waiting.rows.length > 0;
  });
  // Who holds the key, as a posting of Alice's own would, gets the count, too.
  const taken = await holder.query(`select pg_try_advisory_xact_lock(${count}) as is_taken`);
  expect(taken.rows).toEqual([{ is_taken: true }]);
  await holder.query('rollback');
  expect((await together).map(({ outcome }) => outcome)).toEqual([
    'recipient_not_found',
    'completed',
  ]);
});
