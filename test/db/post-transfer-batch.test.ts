// Posting many transfers in one call against posting each in a call of its own, and what only larger batches can
// get wrong.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import {
  connectAgain,
  createTestDatabase,
  openSession,
  untilLocked,
  type TestDatabase,
} from '../support/database';
import {
  buildTransferRequest,
  insist,
  post,
  postingValues,
  responsesOf,
} from '../support/postings';
import { buildUser, fund, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { postTransfers } from '../../db/transfers/transfers';
import { freezeAccount, unfreezeAccount } from '../../db/accounts/users';
import { CURRENCIES, type Currency } from '../../domain/currency';
import { ENVIRONMENTS, type Environment } from '../../domain/environment';
import { type TransferRequest, type TransferResult } from '../../domain/transfer';
import { setFees } from '../support/fees';

const PEOPLE = ['ann', 'ben', 'cem', 'dot'] as const;
type Person = (typeof PEOPLE)[number];

/** Two installations with the same people: one posts one by one, one set by set. */
interface Side {
  readonly database: TestDatabase;
  readonly users: Readonly<Record<Person, TestUser>>;
  readonly post: (requests: readonly TransferRequest[]) => Promise<TransferResult[]>;
}

async function openSide(names: (person: Person) => string, is_one_by_one: boolean): Promise<Side> {
  const database = await createTestDatabase();
  const made: [Person, TestUser][] = [];
  for (const person of PEOPLE) {
    const user = await buildUser(database.db, { username: names(person) });
    made.push([person, user]);
  }
  const users = Object.fromEntries(made) as Record<Person, TestUser>;
  const postAll = (requests: readonly TransferRequest[]) =>
    is_one_by_one ? postOneByOne(database, requests) : post(database.db, requests);
  return { database, users, post: postAll };
}

/** Nothing that belongs to a set can go wrong; what one transfer does is proved in post-transfers.test.ts. */
async function postOneByOne(
  { db }: TestDatabase,
  requests: readonly TransferRequest[],
): Promise<TransferResult[]> {
  const results: TransferResult[] = [];
  for (const request of requests) results.push(...(await post(db, [request])));
  return results;
}

/** Everything that a posting leaves, by names instead of ids, and in order instead of times. */
async function readAll({ database }: Side): Promise<Record<string, unknown>> {
  const account = `coalesce(u.username, a.kind) || '/' || a.environment || '/' || a.currency`;
  const queries = {
    accounts: `select ${account} as account, a.balance_minor, a.version from ledger_accounts a
      left join users u on u.id = a.user_id order by 1`,
    entries: `select ${account} as account, e.account_version, e.amount_minor, e.balance_after_minor,
        e.environment, e.currency, t.reference, t.kind
      from ledger_entries e join ledger_accounts a on a.id = e.account_id
      join ledger_transactions t on t.id = e.transaction_id left join users u on u.id = a.user_id
     where t.kind = 'transfer' order by 1, 2`,
    transfers: `select t.reference, t.environment, s.username as sender, r.username as recipient,
        t.currency, t.amount_minor, t.fee_minor, t.status, t.simulated, t.idempotency_key,
        t.request_id
      from transfers t join users s on s.id = t.sender_id join users r on r.id = t.recipient_id
     order by 1`,
    histories: `select u.username, h.environment, row_number() over (
          partition by h.user_id, h.environment order by h.created_at) as place,
        h.type, h.status, h.direction, h.currency, h.amount_minor, h.fee_minor,
        h.balance_after_minor, h.counterparty, h.description, h.related,
        case when h.type <> 'adjustment' then h.reference end as reference
      from transactions h join users u on u.id = h.user_id order by 1, 2, 3`,
    keys: `select u.username, k.environment, k.operation, k.key, k.fingerprint, k.status, k.body,
        k.reference, k.request_id from idempotency_keys k join users u on u.id = k.user_id
     order by 1, 2, 3, 4`,
  };
  const read: Record<string, unknown> = {};
  for (const [name, sql] of Object.entries(queries)) {
    read[name] = (await database.owner.raw(sql)).rows as unknown;
  }
  return read;
}

/** A wallet of either currency holds little more. */
const MUCH = 999_999_900_000_000n;

const person = fc.constantFrom(...PEOPLE);
const currency = fc.constantFrom<Currency[]>('XOF', 'EUR');

const wish = fc.record({
  from: person,
  to: fc.oneof(
    { weight: 8, arbitrary: person },
    { weight: 1, arbitrary: fc.constantFrom('nobody-1', 'nobody-2', 'nobody-3', 'nobody-4') },
  ),
  environment: fc.constantFrom(...ENVIRONMENTS),
  currency,
  steps: fc.oneof(
    { weight: 8, arbitrary: fc.bigInt({ min: 1n, max: 300n }) },
    { weight: 1, arbitrary: fc.constant(MUCH / 111n) },
  ),
  key: fc.oneof(
    { weight: 3, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: fc.constantFrom('k1', 'k2', 'K2', 'a key / with "signs" %s') },
  ),
  is_late: fc.nat(15).map((n) => n === 0),
  reference: fc.uuid(),
  request_id: fc.uuid(),
});
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

function requestOf(
  { from, to, steps, is_late, reference, ...fields }: Wish,
  { users }: Side,
): TransferRequest {
  return buildTransferRequest({
    from: users[from],
    to_username: to.startsWith('nobody') ? to : users[to as Person].username,
    amount: steps * (fields.currency === 'XOF' ? 100n : 1n),
    reference: `TRF-${reference}`,
    ...fields,
    accept_before: new Date(is_late ? 0 : Date.now() + 600_000).toISOString(),
  });
}

type Step = (side: Side) => Promise<unknown>;
const describeStep = (text: string, step: Step): Step =>
  Object.assign(step, { toString: () => text, [fc.toStringMethod]: () => text });

const batchOf = (batch: readonly Wish[]): Step =>
  describeStep(`batch(${fc.stringify(batch)})`, (side) =>
    side.post(batch.map((one) => requestOf(one, side))),
  );

/** Refused when the wallet cannot hold it. */
const fundOf = (who: Person, environment: Environment, cur: Currency, amount: bigint): Step =>
  describeStep(`fund(${who}, ${environment}, ${cur}, ${amount})`, (side) =>
    fund(side.database.db, side.users[who].id, environment, cur, amount).catch(
      ({ constraint }: { constraint?: string }) => constraint,
    ),
  );

const feeOf = (cur: Currency, points: number, fixed: number): Step =>
  describeStep(`fee(${cur}, ${points}, ${fixed})`, (side) =>
    setFees(side.database.owner, {
      kinds: ['transfer'],
      currency: cur,
      percent: points / 100,
      fixed_minor: fixed,
    }),
  );

const freezeOf = (who: Person, is_frozen: boolean): Step =>
  describeStep(`${is_frozen ? 'freeze' : 'unfreeze'}(${who})`, (side) =>
    (is_frozen ? freezeAccount : unfreezeAccount)(
      side.database.operator,
      side.users[who].id,
      'test',
      'test',
    ),
  );

const environment = fc.constantFrom(...ENVIRONMENTS);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(wish, { minLength: 1, maxLength: 60, size: 'max' }).map(batchOf),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(person, environment, currency, fc.constantFrom(2_000_000n, 90_000n, MUCH))
      .map((fields) => fundOf(...fields)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(currency, fc.constantFrom(0, 150, 10_000), fc.constantFrom(0, 7, 250))
      .map(([cur, points, steps]) => feeOf(cur, points, cur === 'XOF' ? steps * 100 : steps)),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(person, fc.boolean()).map((fields) => freezeOf(...fields)),
  },
);

/** Every run goes through these first, so that no outcome is left to chance. */
function everyOutcome(): Step[] {
  const one = (fields: Partial<Wish>): Wish => ({
    from: 'ann',
    to: 'ben',
    environment: 'live',
    currency: 'EUR',
    steps: 100n,
    key: randomUUID(),
    is_late: false,
    reference: randomUUID(),
    request_id: randomUUID(),
    ...fields,
  });
  const fields = { reference: randomUUID(), request_id: randomUUID() };
  return [
    fundOf('ann', 'live', 'EUR', MUCH),
    fundOf('ben', 'live', 'EUR', MUCH),
    fundOf('ann', 'sandbox', 'EUR', 1_000n),
    batchOf([
      one({ steps: MUCH / 2n }),
      one({ to: 'cem', key: 'first', ...fields }),
      one({ to: 'cem', key: 'first' }),
      one({ environment: 'sandbox', key: 'first' }),
      one({ environment: 'sandbox', key: 'first' }),
      one({ from: 'cem', steps: 101n, key: 'first' }),
      one({ from: 'cem', steps: 100n, key: 'first' }),
      one({ from: 'cem', to: 'cem' }),
      one({ is_late: true }),
      one({ to: 'nobody-1', key: 'unknown' }),
      one({ to: 'nobody-2', key: 'unknown' }),
      one({ to: 'cem', steps: MUCH }),
    ]),
    freezeOf('ann', true),
    batchOf([one({ to: 'cem' })]),
    freezeOf('ann', false),
  ];
}

describe('post_transfer_batch', () => {
  it('leaves exactly what posting one by one leaves', async () => {
    const run = randomUUID().slice(0, 8);
    const names = (one: Person): string => `${one}-${run}`;
    const sides = [await openSide(names, true), await openSide(names, false)] as const;
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 8, maxLength: 8 }), async (sequence) => {
        for (const step of sequence) {
          const [before, after] = [await step(sides[0]), await step(sides[1])];
          expect(after).toEqual(before);
          if (!Array.isArray(after)) continue;
          for (const { outcome, is_replay } of after as TransferResult[]) {
            const what = is_replay ? `${outcome} again` : outcome;
            outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
          }
        }
        const [before, after] = [await readAll(sides[0]), await readAll(sides[1])];
        for (const [table, rows] of Object.entries(before)) {
          expect({ [table]: after[table] }).toEqual({ [table]: rows });
        }
      }),
      // The next run goes on where this one ended, so that a smaller failure cannot be looked for.
      { numRuns: 15, endOnFailure: true, examples: [[everyOutcome()]] },
    );
    for (const { database } of sides) await expectBooksHold(database.db);
    // Otherwise less was compared than it seems.
    expect([...outcomes.keys()].sort()).toEqual([...EVERYTHING].sort());
  });

  it('makes the bytes that the renderer makes, whatever a request contains', async () => {
    const database = await createTestDatabase();
    const alice = await buildUser(database.db, { funds: { live: { EUR: 10n ** 12n } } });
    const bob = await buildUser(database.db);
    const url = 'https://pay.example.com/%7Edocs/%1$s/"\\u00001"';
    const text = fc.oneof(
      fc.string({ unit: 'binary', minLength: 8, maxLength: 32 }),
      fc.constantFrom(
        '%1$s %s %% %',
        '"\\u00001" \\u00002',
        '\\',
        '{{reference}}',
        '\u2028 é \u007f',
      ),
    );
    const fields = fc.record({
      reference: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.constantFrom('%1$s %% %', '"\\u00001"'),
      ),
      request_id: text,
      amount: fc.bigInt({ min: 1n, max: 999_999n }),
      kind: fc.constantFrom('completed', 'simulated', 'insufficient_funds', 'recipient_not_found'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fields, { minLength: 1, maxLength: 40 }), async (batch) => {
        const requests = batch.map(({ kind, amount, reference, request_id }) =>
          buildTransferRequest({
            from: kind === 'insufficient_funds' ? bob : alice,
            to_username: kind === 'recipient_not_found' ? 'nobody' : alice.username,
            ...(kind === 'completed' || kind === 'simulated' ? { to_username: bob.username } : {}),
            // Only alice has money, and only live.
            amount: kind === 'insufficient_funds' ? 10n ** 13n : amount,
            currency: 'EUR',
            reference: `${randomUUID()} ${reference}`.replaceAll('\0', '0'),
            request_id: request_id.replaceAll('\0', '0'),
          }),
        );
        const results = await postTransfers(database.db, requests, url);
        for (const [index, { outcome, response }] of results.entries()) {
          const rendered = responsesOf(requests[index]!, url);
          const { status, body } = rendered[outcome as 'completed'];
          expect(response).toEqual({ status, body, fingerprint: requests[index]!.fingerprint });
        }
      }),
      { numRuns: 60 },
    );
  });

  it('posts without a key what its batch makes exactly once, and keeps no answer of it', async () => {
    const database = await createTestDatabase();
    const alice = await buildUser(database.db, { funds: { live: { EUR: 1_000n } } });
    const bob = await buildUser(database.db);
    const batch_id = randomUUID();
    const item = (amount: bigint) => {
      const {
        key: _,
        fingerprint: __,
        ...rest
      } = buildTransferRequest({
        from: alice,
        to: bob,
        amount,
        currency: 'EUR',
      });
      return { ...rest, batch_id };
    };
    // The same again is another transfer.
    const items = [item(400n), item(400n), item(400n)];
    const call =
      'select outcome, status, body, reference, is_replay from post_transfer_batch(?, ?)';
    const { rows } = await database.db.raw(call, [JSON.stringify(items), null]);
    const shared = { status: null, body: null, is_replay: false };
    expect(rows).toEqual([
      { ...shared, outcome: 'completed', reference: items[0]!.reference },
      { ...shared, outcome: 'completed', reference: items[1]!.reference },
      { ...shared, outcome: 'insufficient_funds', reference: null },
    ]);
    // The batch's own transaction marks them so (I16).
    await database.owner.raw(
      `insert into transfer_batches (id, user_id, environment, status, mode, dry_run, total, completed,
         failed, idempotency_key, request_id, created_at, progressed_at, finished_at)
       values (?, ?, 'live', 'completed', 'independent', false, 3, 2, 1, 'k', 'r', now(), now(), now())`,
      [batch_id, alice.id],
    );
    await database.owner.raw(
      `insert into transfer_batch_items (batch_id, index, to_username, currency, amount_minor, status,
         reference, refusal)
       values (:batch_id, 0, :to, 'EUR', 400, 'completed', :first, null),
              (:batch_id, 1, :to, 'EUR', 400, 'completed', :second, null),
              (:batch_id, 2, :to, 'EUR', 400, 'failed', null, 'insufficient_funds')`,
      {
        batch_id,
        to: bob.username,
        first: items[0]!.reference,
        second: items[1]!.reference,
      },
    );
    const kept = await database.owner.raw(
      `select idempotency_key, batch_id, (select count(*)::int from idempotency_keys) as answers
         from transfers`,
    );
    const row = { idempotency_key: null, batch_id, answers: 0 };
    expect(kept.rows).toEqual([row, row]);
    expect(await balanceOf(database.db, bob, 'EUR')).toBe(800n);
    await expectBooksHold(database.db);
    // A transfer with neither key nor batch could be made twice.
    const { batch_id: ___, ...orphan } = item(100n);
    await expect(database.db.raw(call, [JSON.stringify([orphan]), null])).rejects.toMatchObject({
      code: '23514',
      constraint: 'transfers_key_or_batch',
    });
  });

  it('shows a transfer a moment later when a payment has taken its moment', async () => {
    const database = await createTestDatabase();
    const alice = await buildUser(database.db, { funds: { live: { EUR: 1_000n } } });
    const bob = await buildUser(database.db);
    // Ahead of the clock, so that all take the next microseconds. A transfer takes the second.
    await database.owner.raw(
      `update ledger_accounts set last_posted_at = '2099-01-01T00:00:00Z' where user_id = ?`,
      [alice.id],
    );
    const crediting = await openSession(database.owner_url);
    await crediting.query('begin');
    for (const reference of ['ADJ-FIRST', 'ADJ-SECOND']) {
      await crediting.query(
        `select post_adjustment($1, $2, 'live', 'USD', 'operator', 100, 'test')`,
        [reference, alice.id],
      );
    }
    const posting = post(database.db, [
      buildTransferRequest({ from: alice, to: bob, amount: 100n, currency: 'EUR' }),
    ]);
    await untilLocked(database, 'post_transfer_batch');
    await crediting.query('commit');
    expect(await posting).toMatchObject([{ outcome: 'completed' }]);
    const { rows } = await database.owner.raw(
      `select currency, extract(microseconds from created_at)::int as microseconds from transactions
        where user_id = ? and created_at > '2098-01-01' order by created_at`,
      [alice.id],
    );
    expect(rows).toEqual([
      { currency: 'USD', microseconds: 1 },
      { currency: 'USD', microseconds: 2 },
      { currency: 'EUR', microseconds: 3 },
    ]);
    await expectBooksHold(database.db);
  });

  it('waits for the histories that another batch writes, and not for their rows', async () => {
    const database = await createTestDatabase();
    const alice = await buildUser(database.db, { funds: { sandbox: { EUR: 1_000n } } });
    const bob = await buildUser(database.db);
    // The sandbox locks no account.
    const batch = () =>
      [1, 2].map(() =>
        buildTransferRequest({
          from: alice,
          to: bob,
          amount: 100n,
          currency: 'EUR',
          environment: 'sandbox',
        }),
      );
    const first = await openSession(database.app_url);
    await first.query('begin');
    await first.query('select from post_transfer_batch($1, $2)', postingValues(batch()));
    const second = post(database.db, batch());
    const ended = second.then(() => 'it did not wait');
    const waits = waitFor(async () => {
      const { rows } = await database.owner.raw(
        `select wait_event from pg_stat_activity where datname = current_database()
            and wait_event_type = 'Lock' and query like '%post_transfer_batch%'`,
      );
      return (rows as { wait_event: string }[])[0]?.wait_event;
    });
    expect(await Promise.race([waits, ended])).toBe('advisory');
    await first.query('commit');
    expect(await second).toMatchObject([{ outcome: 'simulated' }, { outcome: 'simulated' }]);
  });

  it('locks, beside its keys, the histories that it writes more than once', async () => {
    const database = await createTestDatabase();
    const [alice, bob, cem] = await Promise.all([1, 2, 3].map(() => buildUser(database.db)));
    const requests = [bob, cem].map((to) =>
      buildTransferRequest({ from: alice!, to: to!, amount: 100n, environment: 'sandbox' }),
    );
    const session = await openSession(database.owner_url);
    await session.query('begin');
    await session.query('select from post_transfer_batch($1, $2)', postingValues(requests));
    const { rows } = await session.query(
      `select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
    );
    // And, with others, the rules of fees.
    expect(rows).toEqual([{ count: 4 }]);
  });

  it('posts large batches of the same people at once: no deadlock, and every history in order', async () => {
    const database = await createTestDatabase();
    const funds = { XOF: 10n ** 9n, EUR: 10n ** 9n, USD: 10n ** 9n };
    const people = await Promise.all(
      [1, 2, 3].map(() => buildUser(database.db, { funds: { live: funds, sandbox: funds } })),
    );
    const pools = [1, 2, 3, 4].map(() => connectAgain(database, 2));
    const batch = (seed: number): TransferRequest[] =>
      Array.from({ length: 250 }, (_, i) => {
        const from = (seed + i) % 3;
        return buildTransferRequest({
          from: people[from]!,
          to: people[(from + 1 + (i % 2)) % 3]!,
          amount: 100n,
          currency: CURRENCIES[seed % 3]!,
          environment: seed % 4 === 3 ? 'live' : 'sandbox',
        });
      });
    const results = await Promise.all(
      Array.from({ length: 24 }, (_, seed) =>
        insist(() => post(pools[seed % pools.length]!, batch(seed))),
      ),
    );
    const outcomes = new Set(results.flat().map(({ outcome }) => outcome));
    expect(outcomes).toEqual(new Set(['completed', 'simulated']));
    await expectBooksHold(database.db);
    const { rows } = await database.owner.raw(`
      select count(*)::int as disorder from (
        select t.created_at <= lag(t.created_at) over (
                 partition by e.account_id order by e.account_version) as late
          from ledger_entries e
          join ledger_accounts a on a.id = e.account_id and a.kind = 'wallet'
          join ledger_transactions j on j.id = e.transaction_id
          join transactions t on t.ledger_transaction_id = j.id and t.user_id = a.user_id) t
       where late`);
    expect(rows).toEqual([{ disorder: 0 }]);
  });
});

const EVERYTHING = [
  ...['completed', 'simulated', 'insufficient_funds', 'recipient_not_found'].flatMap((one) => [
    one,
    `${one} again`,
  ]),
  'lapsed',
  'account_frozen',
  'limit_exceeded',
  'self_transfer',
];
