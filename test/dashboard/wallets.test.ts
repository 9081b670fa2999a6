// The wallets' page: balances, and what they were on each of the last days.

import { listWalletDays } from '../../db/ledger/wallets';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { buildUser } from '../support/users';
import { signInOwner, type Member } from './accounts';
import { buildLongHistory } from './history';

let database: TestDatabase;
let service: TestService;
let owner: Member;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  owner = await signInOwner(service, database, {
    funds: { sandbox: { XOF: 100_000_000n }, live: { XOF: 500_000n, EUR: 124_990n } },
  });
});

const days = (html: { querySelectorAll(selector: string): { textContent: string }[] }) =>
  html.querySelectorAll('table').map((table) => table);

describe('the wallets', () => {
  it('show what each holds, of the environment that is shown, with a picture and a table of 30 days', async () => {
    const { visitor } = owner;
    const sandbox = await visitor.open('/wallets');
    expect(sandbox.text).toContain('1,000,000 FCFA');
    expect(sandbox.text).not.toContain('1,249.90');
    expect(sandbox.text).toContain('transfers are simulated');

    await visitor.submit('/environment', { environment: 'live' });
    const live = await visitor.open('/wallets');
    expect(live.text).toContain('5,000 FCFA');
    expect(live.text).toContain('€1,249.90');
    expect(live.text).not.toContain('transfers are simulated');
    expect(days(live.document)).toHaveLength(3);
    expect(live.document.querySelectorAll('table')[0]!.querySelectorAll('tbody tr')).toHaveLength(
      30,
    );
    const picture = live.document.querySelector('svg.chart')!;
    expect(picture.getAttribute('aria-label')).toMatch(/^XOF: the balance from .* between 0\sFCFA/);
  });

  it('are in French for whoever reads French', async () => {
    const page = await owner.visitor.open('/wallets?lang=fr');
    expect(page.heading).toBe('Portefeuilles');
    expect(page.text).toContain('5 000 FCFA');
    expect(page.text).toContain('1 249,90 €');
    await owner.visitor.open('/wallets?lang=en');
  });
});

describe('the balances of the last days', () => {
  it('are what the ledger had at the end of each day, also before the first posting', async () => {
    const user = await buildUser(database.db);
    await buildLongHistory(database, { user, rows: 5_000, days: 12 });
    const found = await listWalletDays(database.db, user.id, 'live', 30);
    const { rows: expected } = (await database.owner.raw(
      `select d::date::text as day, coalesce((
         select t.balance_after_minor from transactions t
          where t.user_id = ? and t.environment = 'live' and t.created_at < d + interval '1 day'
          order by t.created_at desc limit 1), 0) as balance_minor
         from generate_series(date_trunc('day', now()) - interval '29 days', now(), '1 day') d
        order by d`,
      [user.id],
    )) as { rows: unknown[] };
    const xof = found.filter(({ currency }) => currency === 'XOF');
    expect(xof.map(({ day, balance_minor }) => ({ day, balance_minor }))).toEqual(expected);
    expect(xof[0]!.balance_minor).toBe(0n);
    expect(xof.at(-1)!.balance_minor).toBe(500_000n);
    // A wallet that nothing was ever posted to.
    expect(found.filter((one) => one.currency === 'EUR' && one.balance_minor !== 0n)).toEqual([]);
  });

  it('are found by a few look-ups, however many entries a wallet has', async () => {
    const user = await buildUser(database.db);
    await buildLongHistory(database, { user, rows: 60_000, days: 60 });
    const { rows } = (await database.owner.raw(
      `explain (analyze, buffers, format json) select * from ledger_accounts a
         cross join lateral wallet_day_ends(a.id, 30) d
        where a.user_id = ? and a.environment = 'live' and a.currency = 'XOF'`,
      [user.id],
    )) as { rows: [{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }] };
    const plan = rows[0]['QUERY PLAN'][0].Plan;
    // 30 days of at most 17 halvings with two look-ups of some 4 pages each.
    expect(plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!).toBeLessThan(30 * 17 * 10);
  });
});
