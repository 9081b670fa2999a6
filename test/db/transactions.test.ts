import { randomUUID } from 'node:crypto';
import { expectBooksHold } from '../support/books';
import {
  createTestDatabase,
  connectAgain,
  openSession,
  setUp,
  whileUncommitted,
} from '../support/database';
import { buildUser, fund, type TestUser } from '../support/users';
import { buildTransferRequest, post, postOne } from '../support/postings';
import { buildReversalRequest, reverse } from '../support/reversals';
import { listTransactions, type TransactionRow } from '../support/transactions';
import type { TransactionQuery } from '../../db/ledger/transactions';
import { CURRENCIES } from '../../domain/currency';
import type { Environment } from '../../domain/environment';
import { renderJson } from '../../domain/json';
import { amountJson } from '../../domain/money';
import { TRANSACTION_TYPES } from '../../domain/transaction';

const database = setUp(createTestDatabase);

afterEach(async () => {
  await expectBooksHold(database.db);
});

function list(user: TestUser, query: Partial<TransactionQuery> = {}): Promise<TransactionRow[]> {
  return listTransactions(database.db, {
    user_id: user.id,
    environment: 'live',
    before: undefined,
    limit: 100,
    types: undefined,
    ...query,
  });
}

/** Follows the cursor from page to page, as a caller does, until a page is empty. */
async function readPages(user: TestUser, query: Partial<TransactionQuery>) {
  const rows: TransactionRow[] = [];
  for (;;) {
    const before = rows.at(-1)?.created_at;
    const page = await list(user, { ...query, before });
    if (page.length === 0) return rows;
    rows.push(...page);
  }
}

const FUNDS = { XOF: 10_000_000n, EUR: 10_000_000n, USD: 10_000_000n };

describe('created_at', () => {
  let people: TestUser[];

  beforeAll(async () => {
    people = await Promise.all(
      [1, 2, 3].map(() => buildUser(database.db, { funds: { live: FUNDS, sandbox: FUNDS } })),
    );
    // All three wallets of three people, both ways and in both worlds, over two pools, singly and
    // in batches.
    const pools = [database.db, connectAgain(database)];
    const request = (index: number) =>
      buildTransferRequest({
        from: people[index % 3]!,
        to: people[(index + 1 + (index % 2)) % 3]!,
        amount: 100n,
        currency: CURRENCIES[(index % 7) % 3]!,
        environment: index % 5 === 0 ? 'sandbox' : 'live',
      });
    // More are sent at once than the pools have places for.
    for (let wave = 0; wave < 10; wave += 1) {
      await Promise.all([
        ...Array.from({ length: 30 }, (_, index) =>
          post(pools[index % 2]!, [request(wave * 30 + index)]),
        ),
        post(
          pools[wave % 2]!,
          Array.from({ length: 30 }, (_, index) => request(wave + index)),
        ),
      ]);
    }
  });

  it('is unique per owner and environment, in microseconds', async () => {
    for (const user of people) {
      for (const environment of ['live', 'sandbox'] as const) {
        const rows = await readPages(user, { environment });
        expect(new Set(rows.map((row) => row.created_at)).size).toBe(rows.length);
        for (const row of rows) {
          expect(row.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
        }
      }
    }
  });

  it.each([1, 2, 7, 100])('neither skips nor repeats a row in pages of %i', async (limit) => {
    for (const user of people) {
      const whole = await list(user, { limit: 10_000 });
      const paged = await readPages(user, { limit });
      expect(paged.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    }
  });

  it('stays unique and in order when the clock stands still or steps back', async () => {
    const [alice, bob] = [people[0]!, people[1]!];
    const wallets = [alice.id, bob.id];
    // The wallets' last posting lies an hour ahead, as after a clock that stepped back.
    await database.owner.raw(
      `update ledger_accounts set last_posted_at = now() + interval '1 hour'
        where user_id = any(?::uuid[]) and environment = 'live'`,
      [wallets],
    );
    const before = (await list(alice, { limit: 1 }))[0]!.created_at;
    for (let i = 0; i < 5; i += 1) {
      for (const currency of CURRENCIES) {
        await postOne(database.db, { from: alice, to: bob, amount: 100n, currency });
      }
    }
    await fund(database.db, alice.id, 'live', 'EUR', 100n);
    const rows = await list(alice, { limit: 16 });
    const times = rows.map(({ created_at }) => created_at);
    expect(new Set(times).size).toBe(16);
    expect(times.at(-1)! > before).toBe(true);
    expect(rows[0]!.type).toBe('adjustment');
    const balances = rows
      .filter((row) => row.currency === 'XOF')
      .map((row) => row.balance_after_minor);
    expect(balances).toEqual([...balances].sort((a, b) => Number(a - b)));
    // The journal agrees: no two postings of one wallet have the same moment.
    const { rows: moments } = await database.owner.raw(
      `select from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
        where e.account_id in (select id from ledger_accounts where user_id = ?)
        group by e.account_id, t.created_at having count(*) > 1`,
      [alice.id],
    );
    expect(moments).toEqual([]);
  });

  /** Shows a credit of an hour from now in a history, as after a clock that stepped back. */
  async function creditAhead({ id }: TestUser, environment: Environment): Promise<void> {
    await database.owner.raw(
      `update ledger_accounts set last_posted_at = now() + interval '1 hour'
        where user_id = ? and environment = ? and currency = 'EUR'`,
      [id, environment],
    );
    await fund(database.db, id, environment, 'EUR', 100n);
  }

  it('follows the history of its account and environment, and no other', async () => {
    const [user, other] = [await buildUser(database.db), await buildUser(database.db)];
    await creditAhead(user, 'sandbox');
    await creditAhead(other, 'live');
    const [{ created_at: late }] = (await list(user, { environment: 'sandbox' })) as [
      TransactionRow,
    ];
    for (const { id } of [user, other]) await fund(database.db, id, 'live', 'XOF', 100n);
    expect((await list(user))[0]!.created_at < late).toBe(true);
    expect((await list(other))[0]!.created_at > late).toBe(true);
  });

  it('moves on when one side loses it to another session, and shows both sides once', async () => {
    const [alice, bob] = [await buildUser(database.db), await buildUser(database.db)];
    await fund(database.db, alice.id, 'live', 'XOF', 100_000n);
    const { reference } = await postOne(database.db, { from: alice, to: bob, amount: 100n });
    await creditAhead(bob, 'live');
    const [latest] = await list(bob);
    const second = alice.id > bob.id ? alice : bob;
    const take = `insert into transactions
      select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'user_id', $2::uuid,
               'reference', 'TAKEN', 'created_at', t.created_at + interval '1 microsecond'))).*
        from transactions t where t.id = $1`;
    await whileUncommitted(
      database,
      (session) => session.query(take, [latest!.id, second.id]),
      () => reverse(database.db, buildReversalRequest({ by: bob, transfer_reference: reference! })),
    );
    const types = ['reversal'] as const;
    const shown = await Promise.all([alice, bob].map((user) => list(user, { types })));
    expect(shown.map((rows) => rows.length)).toEqual([1, 1]);
    await database.owner.raw(`delete from transactions where reference = 'TAKEN'`);
  });

  /** Two postings that wrote their rows in different orders would wait for each other's moments in a circle. */
  async function expectOneOrder(posting: () => Promise<unknown>): Promise<void> {
    await database.owner.raw('truncate written');
    await posting();
    const { rows } = await database.owner.raw(
      `select w.*, row_number() over (order by user_id, environment, created_at) as expected_place
         from written w order by place`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(2);
    const first = BigInt(rows[0].place) - 1n;
    expect(
      rows.filter(
        (row: { place: string; expected_place: string }) =>
          BigInt(row.place) - first !== BigInt(row.expected_place),
      ),
    ).toEqual([]);
  }

  it('is written history by history, in one order for each posting', async () => {
    // Where rows lie on disk would not tell: Postgres puts them wherever there is space.
    await database.owner.raw(`
      create table written (
        place bigint generated always as identity, user_id uuid, environment text, created_at timestamptz);
      create function note_written() returns trigger language plpgsql security definer as $$ begin
        insert into public.written (user_id, environment, created_at)
        values (new.user_id, new.environment, new.created_at);
        return new;
      end $$;
      create trigger note_written before insert on transactions
        for each row execute function note_written()`);
    const [low, high] = [...people].sort((a, b) => (a.id < b.id ? -1 : 1)) as [TestUser, TestUser];
    const there = buildTransferRequest({ from: low, to: high, amount: 100n });
    const back = buildTransferRequest({ from: high, to: low, amount: 100n });
    for (const request of [there, back]) {
      await expectOneOrder(() => post(database.db, [request]));
    }
    const batch = Array.from({ length: 12 }, (_, index) =>
      buildTransferRequest({
        from: people[index % 3]!,
        to: people[(index + 1 + (index % 2)) % 3]!,
        amount: 100n,
        environment: index % 4 === 0 ? 'sandbox' : 'live',
      }),
    );
    await expectOneOrder(() => post(database.db, batch));
    const reversals = [
      buildReversalRequest({ by: high, transfer_reference: there.reference }),
      buildReversalRequest({ by: low, transfer_reference: back.reference }),
    ];
    for (const request of reversals) {
      await expectOneOrder(() => reverse(database.db, request));
    }
    await database.owner.raw('drop trigger note_written on transactions');
  });

  it.each(['payer', 'payee'] as const)(
    'never goes before the last posting of the %s',
    async (who) => {
      const payer = await buildUser(database.db, { funds: { live: FUNDS } });
      const payee = await buildUser(database.db, { funds: { live: FUNDS } });
      const ahead = { payer, payee }[who];
      await database.owner.raw(
        `update ledger_accounts set last_posted_at = now() + interval '1 hour' where user_id = ?`,
        [ahead.id],
      );
      const start = Date.now();
      await postOne(database.db, { from: payer, to: payee, amount: 100n });
      const [row] = await list(ahead, { limit: 1, types: ['transfer_in', 'transfer_out'] });
      expect(Date.parse(row!.created_at)).toBeGreaterThan(start + 3_590_000);
    },
  );
});

describe('listTransactions', () => {
  const alice = setUp(() => buildUser(database.db, { funds: { live: FUNDS, sandbox: FUNDS } }));
  const bob = setUp(() => buildUser(database.db, { funds: { live: FUNDS } }));

  beforeAll(async () => {
    for (let i = 0; i < 4; i += 1) {
      await postOne(database.db, { from: alice, to: bob, amount: 100n });
      await postOne(database.db, { from: bob, to: alice, amount: 100n });
      await postOne(database.db, { from: alice, to: bob, amount: 100n, environment: 'sandbox' });
    }
  });

  it('takes the instant of the cursor itself out, to the microsecond', async () => {
    const [first, second] = await list(alice, { limit: 2 });
    expect((await list(alice, { before: first!.created_at, limit: 1 }))[0]).toEqual(second);
    expect(await list(alice, { before: '0001-01-01T00:00:00.000000Z' })).toEqual([]);
    expect(await list(alice, { before: '9999-12-31T23:59:59.999999Z', limit: 1 })).toEqual([first]);
  });
});

describe('the JSON text of a transaction', () => {
  const TEXTS = [
    null,
    '',
    'plain',
    'null',
    `"quotes" \\ and / 'apostrophes' and %s %% $1`,
    'controls \b\f\n\r\t\u0001\u001f\u007f\u0080',
    'lines \u2028\u2029, marks \ufeff, tags <b>&amp;',
    'Fàtou Ñ, Москва, 東京, 🦁',
  ];
  const AMOUNTS = [
    [1n, 0n, 0n],
    [10n, 9n, 1n],
    [100n, 100n, 99n],
    [123_456_789n, 5n, 100_000n],
    [999_999_999_999_999n, 999_999_999_999_999n, 999_999_999_999_999n],
  ] as const;
  const INSTANTS = [
    '2026-11-21T04:39:12.123456Z',
    '2026-11-21T04:39:12.100000Z',
    '2026-11-21T23:59:59.000000Z',
    '0999-01-01T00:00:00.000001Z',
    '9999-12-31T23:59:59.999999Z',
  ];

  it('is what renderJson makes of its fields, byte for byte', async () => {
    const session = await openSession(database.owner_url);
    // The text is kept, so nothing of a session may have a say in it.
    await session.query(`set datestyle = 'SQL, DMY'; set timezone = 'Asia/Kolkata';
      set lc_numeric = 'C'; set bytea_output = 'escape'; set extra_float_digits = 0`);
    let compared = 0;
    for (const [index, text] of TEXTS.entries()) {
      for (const [amount_minor, fee_minor, balance_after_minor] of AMOUNTS) {
        const created_at = INSTANTS[compared % INSTANTS.length]!;
        const { id, ...row } = {
          id: randomUUID(),
          type: TRANSACTION_TYPES[compared % TRANSACTION_TYPES.length]!,
          status: ['completed', 'reversed', 'pending'][compared % 3]!,
          direction: compared % 2 === 0 ? 'in' : 'out',
          currency: CURRENCIES[compared % 3]!,
        };
        const texts = {
          reference: text ?? 'REF',
          counterparty: text,
          description: TEXTS[(index + 1) % TEXTS.length]!,
          related: TEXTS[(index + 2) % TEXTS.length]!,
        };
        await session.query(
          `insert into transactions (id, user_id, environment, type, status, direction, currency,
             amount_minor, fee_minor, balance_after_minor, reference, counterparty, description,
             related, created_at, ledger_transaction_id, json)
           values ($1, gen_random_uuid(), 'live', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
             $13, gen_random_uuid(), '')`,
          [
            id,
            row.type,
            row.status,
            row.direction,
            row.currency,
            ...[amount_minor, fee_minor, balance_after_minor].map(String),
            texts.reference,
            texts.counterparty,
            texts.description,
            texts.related,
            created_at,
          ],
        );
        const { rows } = await session.query<{ json: string }>(
          'update transactions t set json = transaction_json(t) where id = $1 returning json',
          [id],
        );
        const shown = {
          id,
          ...row,
          amount: amountJson(amount_minor),
          fee: amountJson(fee_minor),
          tax: amountJson(0n),
          net_amount: amountJson(amount_minor - fee_minor),
          balance_after: amountJson(balance_after_minor),
          ...texts,
          created_at,
        };
        expect(rows[0]!.json).toBe(renderJson(shown));
        compared += 1;
      }
    }
    expect(compared).toBe(40);
    await session.query('delete from transactions where user_id <> all (select id from users)');
  });
});
