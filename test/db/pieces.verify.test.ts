// The nightly check of the books, in pieces of time: it finds what is wrong in the time that it reads, takes what two
// pieces share for whole, and keeps no old snapshot. That it finds what `ledger verify` finds is shown by each damage of
// damages.verify.test.ts.

import { isStatementTimeout } from '../../db/errors';
import { sealLedger } from '../../db/ledger/ledger-seals';
import { monthInTurn, verifyOthers, verifyPeriod, verifySealsOf } from '../../db/verify/pieces';
import { verifyLedger } from '../../db/verify/verify';
import {
  createTestDatabase,
  openSession,
  setUp,
  untilLocked,
  waitingTransaction,
} from '../support/database';
import { buildTransferRequest, post } from '../support/postings';
import { decide, latestCase, removeRules, setRule } from '../support/risk';
import { buildUser } from '../support/users';

const DAY_MS = 24 * 60 * 60_000;
const NOW = Date.now();
const ENDPOINT = '00000000-0000-4000-8000-000000000001';
const EVENT = '00000000-0000-4000-8000-000000000002';

const database = setUp(createTestDatabase);
const alice = setUp(() => buildUser(database.db, { funds: { live: { XOF: 1_000_000n } } }));
const bob = setUp(() => buildUser(database.db));

async function damage(...statements: string[]): Promise<void> {
  await database.owner.transaction(async (tx) => {
    await tx.raw('set local session_replication_role = replica');
    for (const sql of statements) {
      const { rowCount } = (await tx.raw(sql)) as { rowCount: number | null };
      expect(rowCount).not.toBe(0);
    }
  });
}

/** An id of version 7 that tells an earlier moment. */
const earlier = (id: string, ms: number): string =>
  `(lpad(to_hex(('x' || substr(replace(${id}::text, '-', ''), 1, 12))::bit(48)::bigint - ${ms}), 12, '0')
     || substr(replace(${id}::text, '-', ''), 13))::uuid`;

/** Puts a transfer into the past; its rows of the histories by another time, as if its posting had taken long. */
async function moveBack(reference: string, ms: number, histories_ms = ms): Promise<void> {
  const ago = (by: number): string => `- interval '${by} milliseconds'`;
  const journal = `(select id from ledger_transactions where reference = '${reference}')`;
  await damage(
    `update transactions set id = ${earlier('id', histories_ms)}, created_at = created_at ${ago(histories_ms)},
            ledger_transaction_id = ${earlier('ledger_transaction_id', ms)} where reference = '${reference}'`,
    'update transactions t set json = transaction_json(t)',
    `update ledger_entries set transaction_id = ${earlier('transaction_id', ms)} where transaction_id = ${journal}`,
    `update ledger_transactions set id = ${earlier('id', ms)}, created_at = created_at ${ago(ms)}
      where reference = '${reference}'`,
    ...['transfers', 'idempotency_keys'].map(
      (table) =>
        `update ${table} set created_at = created_at ${ago(ms)} where reference = '${reference}'`,
    ),
  );
}

/** A transfer that was posted so long ago. */
async function transferred(ms: number, histories_ms = ms): Promise<string> {
  const transfer = buildTransferRequest({ from: alice, to: bob, amount: 100n });
  await post(database.db, [transfer]);
  await moveBack(transfer.reference, ms, histories_ms);
  return transfer.reference;
}

/** A transfer that the rule of setRule holds. */
async function transferHeld(): Promise<{ reference: string }> {
  const transfer = buildTransferRequest({ from: alice, to: bob, amount: 200_000n });
  await post(database.db, [transfer]);
  return transfer;
}

const before = (column: string, ms: number): string => `${column} - interval '${ms} milliseconds'`;

const period = (from_days: number, to_days: number) => ({
  from: NOW - from_days * DAY_MS,
  to: NOW - to_days * DAY_MS,
});

it('finds a history that was changed in the piece that has it, and in no other', async () => {
  const old = await transferred(40 * DAY_MS);
  await transferred(0);
  let entries = 0;
  const onEntries = (read: number): void => void (entries += read);
  expect(await verifyPeriod(database.db, period(41, 39), { onEntries })).toEqual([]);
  expect(entries).toBe(2);
  await damage(`update transactions set counterparty = 'mallory' where reference = '${old}'`);
  const found = { invariant: 'I5', what: 'history has another JSON text than its row' };
  expect(await verifyPeriod(database.db, period(41, 39))).toContainEqual({
    ...found,
    reference: old,
  });
  expect(await verifyPeriod(database.db, { ...period(30, 0), to: null })).toEqual([]);
  await damage('update transactions t set json = transaction_json(t)');
});

it('a posting whose rows are in two pieces is no defect, and a missing row of it is one', async () => {
  const minute = 60_000;
  const torn = await transferred(20 * DAY_MS + minute, 20 * DAY_MS - minute);
  for (const [from, to] of [
    [21, 20],
    [20, 19],
  ] as const) {
    expect(await verifyPeriod(database.db, period(from, to))).toEqual([]);
  }
  await damage(`delete from transactions where reference = '${torn}' and direction = 'in'`);
  const [first, second] = [period(21, 20), period(20, 19)];
  const found = [
    ...(await verifyPeriod(database.db, first)),
    ...(await verifyPeriod(database.db, second)),
  ];
  expect(found).toContainEqual({
    invariant: 'I5',
    what: 'transfer is not shown exactly once to each side with its figures',
    reference: torn,
  });
});

it('a transfer that was held is checked with the day of its order, whenever it was released', async () => {
  await setRule(database.operator);
  const { reference } = await transferHeld();
  const held = await latestCase(database.db);
  expect(await decide(database.operator, held.reference, 'release')).toBeNull();
  await removeRules(database.owner);
  const [hold, release] = [held.reference, reference].map(
    (name) => `(select id from ledger_transactions where reference = '${name}')`,
  ) as [string, string];
  const [ordered_ms, released_ms] = [30 * DAY_MS, 28 * DAY_MS];
  await damage(
    `update risk_cases set created_at = ${before('created_at', ordered_ms)},
            decided_at = ${before('decided_at', released_ms)},
            subject_id = ${earlier('subject_id', ordered_ms)} where reference = '${held.reference}'`,
    ...['transfers', 'idempotency_keys'].map(
      (table) =>
        `update ${table} set created_at = ${before('created_at', ordered_ms)} where reference = '${reference}'`,
    ),
    ...(
      [
        [hold, ordered_ms],
        [release, released_ms],
      ] as const
    ).flatMap(([journal, ms]) => [
      `update transactions set id = ${earlier('id', ms)}, created_at = ${before('created_at', ms)},
              ledger_transaction_id = ${earlier('ledger_transaction_id', ms)} where ledger_transaction_id = ${journal}`,
      `update ledger_entries set transaction_id = ${earlier('transaction_id', ms)} where transaction_id = ${journal}`,
      `update ledger_transactions set id = ${earlier('id', ms)}, created_at = ${before('created_at', ms)}
        where id = ${journal}`,
    ]),
    'update transactions t set json = transaction_json(t)',
  );
  const [order, later] = [period(31, 29), period(29, 27)];
  expect(await verifyPeriod(database.db, order)).toEqual([]);
  expect(await verifyPeriod(database.db, later)).toEqual([]);
  expect(await verifyOthers(database.db)).toEqual([]);
  await damage(`delete from transactions where reference = '${reference}' and direction = 'in'`);
  expect(await verifyPeriod(database.db, order)).toContainEqual({
    invariant: 'I5',
    what: 'transfer is not shown exactly once to each side with its figures',
    reference,
  });
});

it('an entry that does not continue one of an earlier piece is found', async () => {
  await transferred(10 * DAY_MS);
  const next = await transferred(5 * DAY_MS);
  expect(await verifyPeriod(database.db, period(6, 4))).toEqual([]);
  const change = (by: number): Promise<void> =>
    damage(
      `update ledger_entries set balance_after_minor = balance_after_minor + ${by} where transaction_id =
         (select id from ledger_transactions where reference = '${next}') and amount_minor < 0`,
    );
  await change(1);
  expect(await verifyPeriod(database.db, period(6, 4))).toContainEqual({
    invariant: 'I3',
    what: 'entry does not continue the balance before it',
    reference: next,
  });
  await change(-1);
});

it('a balance that is not that of the last entry is found, without the entries before it', async () => {
  const change = (by: number): Promise<void> =>
    damage(`update ledger_accounts set balance_minor = balance_minor + ${by} where user_id = '${bob.id}'
             and environment = 'live' and currency = 'XOF'`);
  await change(100);
  const found = await verifyOthers(database.db);
  expect(found.map(({ what }) => what)).toContain('balance is not that of its last entry');
  await change(-100);
  expect(await verifyOthers(database.db)).toEqual([]);
});

it('seals of a time are checked with the one before them', async () => {
  await sealLedger(database.db);
  const { rows } = await database.owner.raw(
    `select extract(epoch from sealed_at) * 1000 + 1 as at from ledger_seals order by id desc limit 1`,
  );
  const from = Math.ceil(Number((rows as { at: string }[])[0]!.at));
  await transferred(0);
  await database.owner.raw(`select pg_sleep(0.01)`);
  await sealLedger(database.db);
  const whole = (await verifyLedger(database.db)).filter(({ invariant }) => invariant === 'I15');
  const newest = { from, to: null };
  expect(await verifySealsOf(database.db, newest)).toEqual([]);
  await damage(`update ledger_seals set previous_hash = sha256('x')
                 where id = (select max(id) from ledger_seals)`);
  const found = (await verifySealsOf(database.db, newest)).map(({ what }) => what);
  expect(found).toContain('the seal before it is another one');
  expect(await verifySealsOf(database.db, { from: null, to: from })).toEqual(whole);
});

it('a delivery that is added long after its event is no defect, and one of another type is', async () => {
  await damage(
    `insert into webhook_endpoints (id, user_id, environment, url, types, sealed_secret)
     values ('${ENDPOINT}', '${alice.id}', 'live', 'https://shop.example/', array['transfer.sent'], '-')`,
    `insert into events (id, user_id, environment, sequence, type, body, created_at)
     values ('${EVENT}', '${alice.id}', 'live', 0, 'transfer.sent', '{}', now() - interval '100 days')`,
    `insert into webhook_deliveries (event_id, endpoint_id, user_id, environment, type, status, created_at)
     values ('${EVENT}', '${ENDPOINT}', '${alice.id}', 'live', 'transfer.sent', 'discarded', now())`,
  );
  const newest = { from: NOW - DAY_MS, to: null };
  expect(await verifyPeriod(database.db, newest)).toEqual([]);
  await damage(`update webhook_deliveries set type = 'transfer.received'`);
  const found = (await verifyPeriod(database.db, newest)).map(({ what }) => what);
  expect(found).toEqual(['delivery is not of the account, environment and type of its event']);
  await damage(`delete from webhook_deliveries`);
});

it('every older month has its turn', async () => {
  const begins = (ago: number): number =>
    Date.UTC(new Date(NOW).getUTCFullYear(), new Date(NOW).getUTCMonth() - ago);
  await transferred(70 * DAY_MS);
  const turns = new Set<number | null>();
  for (let day = 0; day < 5; day += 1) {
    turns.add((await monthInTurn(database.db, new Date(begins(0) + day * DAY_MS)))!.from);
  }
  expect([...turns]).toEqual(expect.arrayContaining([begins(1), begins(2)]));
  expect(turns).not.toContain(begins(0));
});

it('a day that takes too long is read in halves, and what is left is given up', async () => {
  const session = await openSession(database.owner_url);
  await session.query('begin; lock table transfers');
  let checked = 0;
  const limits = { statement_timeout_ms: 50, onCheck: () => void (checked += 1) };
  const verified = verifyPeriod(database.db, period(2, 1), limits);
  await expect(verified.catch((error: unknown) => isStatementTimeout(error))).resolves.toBe(true);
  // A day is halved eleven times; each time the checks before that of transfers are made.
  expect(checked).toBeGreaterThan(11);
  await session.query('rollback');
});

it('keeps no snapshot from one statement to the next, which would keep dead rows', async () => {
  const early = await openSession(database.owner_url);
  await early.query('begin; lock table transfers');
  const verified = verifyPeriod(database.db, { from: NOW - DAY_MS, to: null });
  await untilLocked(database, 'transfers as not materialized');
  const late = await openSession(database.owner_url);
  await late.query('begin; lock table webhook_endpoints');
  const begun = await waitingTransaction(database);
  await early.query('rollback');
  await untilLocked(database, 'join webhook_endpoints');
  expect(await waitingTransaction(database)).not.toEqual(begun);
  await late.query('rollback');
  await verified;
});
