// Statements against the ledger: what they sum up to, when a month is closed, and how little they read.

import fc from 'fast-check';
import {
  balancesStatement,
  closeMonths,
  linesStatement,
  listBalancesBefore,
} from '../../db/ledger/statements';
import type { Owner } from '../../db/list-filters';
import { listWalletDays, listWallets } from '../../db/ledger/wallets';
import { CURRENCIES } from '../../domain/currency';
import { ENVIRONMENTS } from '../../domain/environment';
import {
  findStatement,
  listStatements,
  readLines,
  type RunningLine,
  type StatementPosition,
  type Sums,
} from '../../use-cases/statements/months';
import { buildLongHistory } from '../dashboard/history';
import { PEOPLE } from '../invariants/ledger-model';
import { operations, run, setScene } from '../invariants/operations';
import { createTestDatabase, openSession, setUp } from '../support/database';
import { countRowsRead, PLAN_MODES } from '../support/plans';
import { buildTransferRequest, postOne, postingValues } from '../support/postings';
import { passTime } from '../support/time';
import { buildUser, type TestUser } from '../support/users';
import { setFees } from '../support/fees';

const database = setUp(createTestDatabase);

const live = ({ id }: Pick<TestUser, 'id'>): Owner => ({ user_id: id, environment: 'live' });

async function monthNow(): Promise<string> {
  const { rows } = await database.db.raw(`select to_char(now(), 'YYYY-MM') as month`);
  return (rows as [{ month: string }])[0].month;
}

async function read(
  owner: Owner,
  position: StatementPosition,
): Promise<{ lines: RunningLine[]; sums: Sums; opening_minor: bigint; is_closed: boolean }> {
  const statement = await findStatement(database.db, owner, position);
  const reader = readLines(database.db, statement!);
  const lines: RunningLine[] = [];
  for (;;) {
    const { done, value } = await reader.next();
    if (done) return { ...statement!, lines, sums: value };
    lines.push(...value);
  }
}

/** Returns what the journal's entries add to the wallet, by month. */
async function journalOf(owner: Owner, currency: string): Promise<Map<string, bigint>> {
  const { rows } = await database.db.raw(
    `select to_char(t.created_at at time zone 'UTC', 'YYYY-MM') as month, sum(e.amount_minor)::bigint as minor
       from ledger_accounts a
       join ledger_entries e on e.account_id = a.id
       join ledger_transactions t on t.id = e.transaction_id
      where a.user_id = :user_id and a.environment = :environment and a.currency = :currency
      group by 1`,
    { ...owner, currency },
  );
  return new Map((rows as { month: string; minor: bigint }[]).map((row) => [row.month, row.minor]));
}

async function expectStatementsHold(owner: Owner): Promise<number> {
  const all = await listStatements(database.db, owner, { after: undefined, limit: 1_000 });
  const wallets = await listWallets(database.db, owner.user_id, owner.environment);
  let lines_seen = 0;
  for (const currency of CURRENCIES) {
    const months = all.filter((row) => row.currency === currency).reverse();
    const journal = await journalOf(owner, currency);
    let held = 0n;
    for (const { month, opening_minor, closing_minor } of months) {
      const { lines, sums, ...statement } = await read(owner, { currency, month });
      const moved = lines.reduce((sum, { moved_minor }) => sum + moved_minor, 0n);
      const added = journal.get(month) ?? 0n;
      expect({ month, currency, opening_minor, closing_minor, moved }).toEqual({
        month,
        currency,
        opening_minor: held,
        closing_minor: held + added,
        moved: added,
      });
      expect([statement.opening_minor, sums.closing_minor]).toEqual([held, held + added]);
      // Each running balance is what the posting itself has left.
      expect(lines.map(({ balance_minor }) => balance_minor)).toEqual(
        lines.map(({ line }) => line.balance_after_minor),
      );
      const counted = sums.totals.reduce((sum, { count }) => sum + count, 0);
      expect(counted).toBe(lines.length);
      held += added;
      lines_seen += lines.length;
    }
    expect(
      [...journal.keys()].filter((month) => !months.some((row) => row.month === month)),
    ).toEqual([]);
    expect(held).toBe(wallets.find((wallet) => wallet.currency === currency)!.balance_minor);
  }
  return lines_seen;
}

it('sums up to the ledger in every month, whatever was posted and when', async () => {
  await setFees(database.owner, { percent: 1.5, fixed_minor: 100 });
  let lines = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          load: fc.array(operations, { minLength: 20, maxLength: 40, size: 'max' }),
          days: fc.integer({ min: 1, max: 45 }),
        }),
        { minLength: 3, maxLength: 4 },
      ),
      async (periods) => {
        const people = await Promise.all(
          PEOPLE.map(async (name) => {
            const funds = { live: { XOF: 30_000n, EUR: 300n, USD: 300n } };
            return [name, await buildUser(database.db, { funds })] as const;
          }),
        );
        const users = Object.fromEntries(people) as Record<(typeof PEOPLE)[number], TestUser>;
        for (const { load, days } of periods) {
          const scene = await setScene(database, users, new Map());
          await Promise.allSettled(load.map((operation) => run(database.db, scene, operation)));
          await passTime(database, days);
        }
        for (const { id } of Object.values(users)) {
          for (const environment of ENVIRONMENTS) {
            lines += await expectStatementsHold({ user_id: id, environment });
          }
        }
      },
    ),
    { numRuns: 6, endOnFailure: true },
  );
  expect(lines).toBeGreaterThan(150);
  await setFees(database.owner);
});

describe('a month that is over', () => {
  let awa: TestUser;
  let moussa: TestUser;

  beforeEach(async () => {
    const funds = { live: { XOF: 10_000n } };
    awa = await buildUser(database.db, { funds });
    moussa = await buildUser(database.db, { funds });
  });

  /** Whether the month before the running one is closed, by currency. */
  async function closedOf(user: TestUser): Promise<Record<string, boolean>> {
    const [newest] = await listStatements(database.db, live(user), { after: undefined, limit: 1 });
    const after = { month: newest!.month, currency: CURRENCIES.at(-1)! };
    const rows = await listStatements(database.db, live(user), { after, limit: CURRENCIES.length });
    return Object.fromEntries(rows.map(({ currency, is_closed }) => [currency, is_closed]));
  }

  it('is closed in wallets that nobody posts to; the running one is not', async () => {
    await passTime(database, 40);
    expect(await closedOf(awa)).toEqual({ XOF: true, EUR: true, USD: true });
    const [running] = await listStatements(database.db, live(awa), { after: undefined, limit: 1 });
    expect([running!.month, running!.is_closed]).toEqual([await monthNow(), false]);
  });

  it('stays open while a posting that took its moment in it is not committed, and has it then', async () => {
    await passTime(database, 100);
    const session = await openSession(database.owner_url);
    const request = buildTransferRequest({ from: awa, to: moussa, amount: 700n });
    await session.query('begin');
    await session.query('select * from post_transfer_batch($1, $2)', postingValues([request]));
    // Its moment is put before the end of the month: this is what is left of the clock passing midnight.
    await session.query('set local session_replication_role = replica');
    const late = `date_trunc('month', now()) - interval '1 microsecond'`;
    const { reference } = request;
    for (const table of ['ledger_transactions', 'transactions']) {
      await session.query(`update ${table} set created_at = ${late} where reference = $1`, [
        reference,
      ]);
    }
    const wallets = `user_id = any ($1) and environment = 'live' and currency = 'XOF'`;
    await session.query(`update ledger_accounts set last_posted_at = ${late} where ${wallets}`, [
      [awa.id, moussa.id],
    ]);
    expect(await closedOf(awa)).toEqual({ XOF: false, EUR: true, USD: true });
    await session.query('commit');
    expect(await closedOf(awa)).toEqual({ XOF: true, EUR: true, USD: true });
    const after = { month: await monthNow(), currency: 'USD' } as const;
    const [closed] = await listStatements(database.db, live(awa), { after, limit: 1 });
    const { lines } = await read(live(awa), closed!);
    expect(lines.map(({ line }) => line.reference)).toEqual([reference]);
    await expectStatementsHold(live(awa));
  });

  it('is closed for good: every later posting of the wallet comes after it, whatever the clock says', async () => {
    await passTime(database, 100);
    const month = await monthNow();
    const before = await closeMonths(database.db, live(awa));
    // No posting is at it or before it (transactions.test.ts: "never goes before the last posting").
    expect(before.map(({ complete_until }) => complete_until)).toEqual(
      CURRENCIES.map(() => `${month}-01T00:00:00.000000Z`),
    );
    // Postings since then say more, and are kept.
    await postOne(database.db, { from: awa, to: moussa, amount: 100n });
    const after = await closeMonths(database.db, live(awa));
    const later = after.map(({ complete_until }, i) => complete_until > before[i]!.complete_until);
    expect(later).toEqual(after.map(({ currency }) => currency === 'XOF'));
    // The chart of the wallet still knows when the older balance was there.
    const days = await listWalletDays(database.db, moussa.id, 'live', 1);
    expect(days.find(({ currency }) => currency === 'XOF')?.balance_minor).toBe(10_100n);
  });
});

describe('a wallet with 20,000 entries', () => {
  const ROWS = 20_000;
  const rich = setUp(() => buildUser(database.db));

  beforeAll(async () => {
    await buildLongHistory(database, { user: rich, rows: ROWS, days: 300 });
    await database.owner.raw(`update users set created_at = created_at - interval '1 year'`);
  });

  it.each(PLAN_MODES)('reads a page of lines and no more, with %s', async (mode) => {
    const { statement, values } = linesStatement({
      ...live(rich),
      currency: 'XOF',
      after: '2000-01-01T00:00:00.000000Z',
      before: '2100-01-01T00:00:00.000000Z',
      limit: 500,
    });
    const read_rows = await countRowsRead(database.db, statement, values, { mode });
    expect(read_rows).toBeLessThan(2_000);
  });

  it('lists the balances of ten months by some look-ups', async () => {
    const at = Array.from({ length: 10 }, (_, n) => ({
      currency: 'XOF' as const,
      at: new Date(Date.now() - n * 30 * 86_400_000).toISOString(),
    }));
    const { statement, values } = balancesStatement(live(rich), at);
    for (const mode of PLAN_MODES) {
      expect(await countRowsRead(database.db, statement, values, { mode })).toBeLessThan(500);
    }
    const balances = await listBalancesBefore(database.db, live(rich), at);
    expect(balances[0]).toBe(BigInt(ROWS) * 100n);
    expect(balances.every((one, index) => index === 0 || one < balances[index - 1]!)).toBe(true);
  });

  it('shows the chart of the days as before, once its months are closed', async () => {
    const shown = await listWalletDays(database.db, rich.id, 'live', 40);
    await database.owner.raw(
      `update ledger_accounts set last_posted_at = '-infinity' where user_id = ?`,
      [rich.id],
    );
    await closeMonths(database.db, live(rich));
    expect(await listWalletDays(database.db, rich.id, 'live', 40)).toEqual(shown);
  });
});
