// The filters of a history: what they find, and how little of it they read.

import {
  historyStatement,
  listHistory,
  listRenderedHistory,
  type HistoryFilters,
  type HistoryRow,
} from '../../db/ledger/history';
import { transactionsStatement } from '../../db/ledger/transactions';
import { CURRENCIES } from '../../domain/currency';
import { ENVIRONMENTS, type Environment } from '../../domain/environment';
import {
  DIRECTIONS,
  TRANSACTION_FILTERS,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
  TYPE_DIRECTIONS,
  typesMatching,
} from '../../domain/transaction';
import { buildLongHistory } from '../dashboard/history';
import { createTestDatabase, setUp } from '../support/database';
import { countRowsRead, LOOK_UP_PLAN, PLAN_MODES } from '../support/plans';
import { fund, buildUser } from '../support/users';

const database = setUp(createTestDatabase);
const user = setUp(() => buildUser(database.db));

/** One row of each type, status, direction and currency that there can be, and a second one. */
async function buildEveryKind(environment: Environment): Promise<void> {
  for (const type of TRANSACTION_TYPES) {
    for (const direction of TYPE_DIRECTIONS[type]) {
      for (const currency of CURRENCIES) {
        for (const status of TRANSACTION_STATUSES) {
          const is_transfer = type === 'transfer_in' || type === 'transfer_out';
          const is_simulated = environment === 'sandbox' && is_transfer;
          if (status === 'completed' && is_simulated) continue;
          if (status === 'simulated' && !is_simulated) continue;
          await database.owner.raw(
            `insert into transactions (user_id, environment, type, status, direction, currency,
               amount_minor, fee_minor, balance_after_minor, reference, ledger_transaction_id,
               created_at, json)
             select :user, :environment, :type, :status, :direction, :currency, 100, 0, 0, 'X' || n,
                    case when :status in ('completed', 'reversed') then gen_random_uuid() end,
                    clock_timestamp() + random() * interval '-300 days', '{}'
               from generate_series(1, 2) n`,
            { user: user.id, environment, type, status, direction, currency },
          );
        }
      }
    }
  }
}

beforeAll(async () => {
  for (const environment of ENVIRONMENTS) await buildEveryKind(environment);
});

describe.each(ENVIRONMENTS)('in %s, every combination of filters', (environment) => {
  const ALL = 10_000;

  it('finds what reading all rows finds, newest first', async () => {
    const scope = { user_id: user.id, environment, before: undefined };
    const rows = await listHistory(database.db, { ...scope, filters: {}, limit: ALL });
    expect(rows.length).toBeGreaterThan(150);
    const fromMiddle = rows[rows.length >> 1]!.created_at;
    const matching = ({ type, created_from, ...exact }: HistoryFilters): HistoryRow[] =>
      rows.filter(
        (row) =>
          (type === undefined || typesMatching(type).includes(row.type)) &&
          (created_from === undefined || row.created_at >= created_from) &&
          Object.entries(exact).every(
            ([name, value]) => value === undefined || row[name as 'status'] === value,
          ),
      );
    const wrong: unknown[] = [];
    for (const type of [undefined, ...TRANSACTION_FILTERS]) {
      for (const currency of [undefined, ...CURRENCIES]) {
        for (const status of [undefined, ...TRANSACTION_STATUSES]) {
          for (const direction of [undefined, ...DIRECTIONS]) {
            const created_from = type === 'refund' ? fromMiddle : undefined;
            const filters = { type, currency, status, direction, created_from };
            const found = await listHistory(database.db, { ...scope, filters, limit: ALL });
            const expected = matching(filters);
            if (
              JSON.stringify(found.map(({ id }) => id)) !==
              JSON.stringify(expected.map(({ id }) => id))
            ) {
              wrong.push({ ...filters, found: found.length, expected: expected.length });
            }
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('ends a page in the middle of the kinds that it merges', async () => {
    const scope = { user_id: user.id, environment, filters: { currency: 'EUR' } as const };
    const all = await listHistory(database.db, { ...scope, before: undefined, limit: ALL });
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const page = await listHistory(database.db, { ...scope, before, limit: 7 });
      seen.push(...page.map(({ id }) => id));
      before = page.at(-1)?.created_at;
    } while (before !== undefined);
    expect(seen).toEqual(all.map(({ id }) => id));
    const rendered = await listRenderedHistory(database.db, { ...scope, before, limit: 7 });
    expect(rendered.map(({ created_at }) => created_at)).toEqual(
      all.slice(0, 7).map(({ created_at }) => created_at),
    );
  });
});

describe('in a history of 15,000 deposits in one currency, beside small ones', () => {
  const rich = setUp(() => buildUser(database.db));

  beforeAll(async () => {
    await buildLongHistory(database, { user: rich, rows: 15_000, days: 300 });
    await fund(database.db, rich.id, 'live', 'EUR', 100n);
    // Most accounts have few rows, so a plan for any account expects few.
    await database.owner.raw(
      `insert into transactions (user_id, environment, type, status, direction, currency, amount_minor,
         fee_minor, balance_after_minor, reference, ledger_transaction_id, created_at, json)
       select gen_random_uuid(), 'live', 'deposit', 'completed', 'in', 'XOF', 100, 0, 0, 'X' || n,
              gen_random_uuid(), clock_timestamp(), '{}'
         from generate_series(1, 2000) n`,
    );
    await database.owner.raw('analyze transactions');
  });

  const FILTERS: readonly HistoryFilters[] = [
    {},
    { currency: 'XOF' },
    { currency: 'EUR' },
    { currency: 'USD' },
    { direction: 'in' },
    { direction: 'out' },
    { status: 'completed' },
    { status: 'simulated' },
    { status: 'failed' },
    { status: 'reversed', currency: 'XOF' },
    { type: 'deposit' },
    { type: 'transfer' },
    { type: 'deposit', currency: 'EUR' },
    { type: 'adjustment', status: 'completed', direction: 'in' },
    { created_from: '2000-01-01' },
    { direction: 'out', created_from: '2000-01-01' },
  ];

  it.each(FILTERS.flatMap((filters) => PLAN_MODES.map((mode) => ({ filters, mode }))))(
    '$filters reads a few rows more than a page, with $mode',
    async ({ filters, mode }) => {
      const scope = { user_id: rich.id, environment: 'live', before: undefined } as const;
      const query = { ...scope, limit: 25, filters };
      const { statement, values } = historyStatement('planned', 't.json', query);
      // 30 kinds at most, each with a page and one row.
      expect(await countRowsRead(database.db, statement, values, { mode })).toBeLessThan(1_000);
    },
  );

  it.each([...TRANSACTION_FILTERS, undefined])(
    'a page of the API with type=%s reads a few rows more than it shows',
    async (type) => {
      const types = type && typesMatching(type);
      const scope = { user_id: rich.id, environment: 'live', before: undefined } as const;
      const { statement, values } = transactionsStatement({ ...scope, limit: 25, types });
      // Several callers are sent together; here it is one.
      const arrays = values.map((value) => [value]);
      expect(await countRowsRead(database.db, statement, arrays, LOOK_UP_PLAN)).toBeLessThan(1_000);
    },
  );
});
