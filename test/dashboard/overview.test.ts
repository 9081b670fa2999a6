// The first page and the wallets': balances and what they were on each of the last days, the latest transactions, sales, and
// what needs attention.

import { listWalletDays } from '../../db/ledger/wallets';
import { readToDo } from '../../db/people/attention';
import { buildPaymentLink, ofLink } from '../support/payment-links';
import { postOne } from '../support/postings';
import { payIntent } from '../support/refunds';
import { buildUser, type TestUser } from '../support/users';
import { buildLongHistory } from './history';
import { buildLink } from './payment-links';
import { expectPage, type VisitedPage } from './visitor';
import { useWorld } from './world';

const w = useWorld({
  funds: { sandbox: { XOF: 100_000_000n }, live: { XOF: 500_000n, EUR: 124_990n } },
});

const linesOf = ({ document }: VisitedPage, selector: string): string[] =>
  document.querySelectorAll(selector).map((one) => one.structuredText.replace(/\s+/g, ' ').trim());
const attentionOf = (page: VisitedPage): string[] => linesOf(page, '.attention li');

describe('the overview', () => {
  it('shows the balances and the latest five transactions', async () => {
    const to = await buildUser(w.database.db);
    for (const amount of [100n, 200n, 300n, 400n, 500n, 600n]) {
      await postOne(w.database.db, { from: w.user, to, amount, environment: 'sandbox' });
    }
    const page = await w.visitor.open('/');
    expectPage(page, 200, '1,000,000 FCFA');
    expect(page.rows.map((row) => /−(\d+)\sFCFA/.exec(row)![1])).toEqual(['6', '5', '4', '3', '2']);
  });

  it('shows what was sold today, this week and this month, of this environment by currency', async () => {
    const { user, visitor } = await w.signIn();
    const sales = async (path = '/'): Promise<string[]> =>
      linesOf(await visitor.open(path), '[data-live-part=money] dl div');
    expect(await sales()).toEqual([]);
    for (const fields of [
      {},
      { amount_minor: '1000000' },
      { currency: 'EUR', amount_minor: '124990' },
      { environment: 'live', amount_minor: '700000' },
    ] as const) {
      await payIntent(w.database.db, user, fields);
    }
    expect(await sales()).toEqual([
      'Today 15,000 FCFA 2 payments',
      'This week 15,000 FCFA 2 payments',
      'This month 15,000 FCFA 2 payments',
      'Today €1,249.90 1 payment',
      'This week €1,249.90 1 payment',
      'This month €1,249.90 1 payment',
    ]);
    expectPage(visitor.page, 200, 'Sandbox sales');
    await visitor.submit('/environment', { environment: 'live' });
    expect(await sales('/?lang=fr')).toEqual([
      'Aujourd’hui 7 000 FCFA 1 paiement',
      'Cette semaine 7 000 FCFA 1 paiement',
      'Ce mois-ci 7 000 FCFA 1 paiement',
    ]);
    expectPage(visitor.page, 200, 'avant frais et remboursements');
    const picture = visitor.page.document.querySelector('svg.chart')!;
    expect(picture.getAttribute('aria-label')).toMatch(
      /^XOF\u00a0: les ventes de chaque jour du .* au plus 7\s000\u00a0FCFA le /,
    );
    const heights = picture.querySelectorAll('rect').map((bar) => bar.getAttribute('height'));
    expect(heights).toEqual([...Array<string>(29).fill('1'), '100']);
    const days = linesOf(visitor.page, '[data-live-part=money] details tbody tr');
    expect([days.length, days[0]]).toEqual([
      30,
      expect.stringMatching(/ \(aujourd’hui\) 7\s000\sFCFA 1$/),
    ]);
  });

  it.each([
    ['a payment link', (user: TestUser) => buildLink(w.database.db, user)],
    ['a reusable link', (user: TestUser) => buildPaymentLink(w.database.db, user)],
  ])('takes the first step as done with %s', async (_, make) => {
    const user = await buildUser(w.database.db);
    const hasLink = async () => (await readToDo(w.database.db, user.id, 'sandbox')).has_link;
    expect(await hasLink()).toBe(false);
    await make(user);
    expect(await hasLink()).toBe(true);
  });

  it('names what needs attention, of this account and environment, with its link, and nothing else', async () => {
    const { user, visitor } = w;
    expect(attentionOf(await visitor.open('/'))).toEqual([]);
    const other = await buildUser(w.database.db);
    for (const [who, environment] of [
      [user, 'sandbox'],
      [user, 'live'],
      [other, 'sandbox'],
    ] as const) {
      const { db } = w.database;
      await buildLink(db, who, { environment });
      await buildLink(db, who, { environment, expires_in_seconds: 1_000_000 });
      const reusable = await buildPaymentLink(db, who, { environment });
      await buildLink(db, who, { environment, ...ofLink(reusable) });
      const payment = `pay-${who.id}-${environment}`;
      await w.database.owner.raw(
        `with endpoint as (
         insert into webhook_endpoints (id, user_id, environment, url, types, sealed_secret,
           consecutive_failures, failing_since)
         values (gen_random_uuid(), :user, :environment, 'https://example.com',
                 '{payment.succeeded}', '', 5, now())), payment as (
         insert into gateway_payments (gateway, environment, provider_payment_id, currency,
           amount_minor, booked_as, ledger_reference, booked_at)
         values ('sandbox', :environment, :payment, 'XOF', 100, 'suspense', :payment, now()))
         insert into suspense_items (reference, gateway, environment, provider_payment_id, user_id,
           reason, currency, amount_minor, created_at)
         values (:payment, 'sandbox', :environment, :payment, :user, 'late', 'XOF', 100, now())`,
        { user: who.id, environment, payment },
      );
    }
    await w.sql(`update users set kyc_status = 'not_started' where id = ?`, [user.id]);
    await w.sql('update logins set email_verified_at = null where email = ?', [user.email]);
    const page = await visitor.open('/');
    expect(attentionOf(page)).toEqual([
      '1 webhook endpoint is failing. Webhooks',
      '1 payment could not be booked, and waits for an operator. Payment links',
      '1 open payment link expires within a day. Open links',
      'Your e-mail address is not confirmed. Confirm it',
    ]);
    const links = page.document.querySelectorAll('.attention a');
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      '/dashboard/webhooks',
      '/dashboard/links',
      '/dashboard/links?status=open',
      '/dashboard/security',
    ]);
  });
});

it('the history of a payment names events only where an endpoint receives them', async () => {
  const { user, visitor } = await w.signIn();
  const { id } = await payIntent(w.database.db, user, { environment: 'sandbox' });
  await visitor.open('/?lang=en');
  expect((await visitor.open(`/links/${id}`)).text).not.toContain('payment.succeeded');
  await w.sql(
    `insert into webhook_endpoints (id, user_id, environment, url, types, sealed_secret)
     values (gen_random_uuid(), ?, 'sandbox', 'https://example.com', '{payment.succeeded}', '')`,
    [user.id],
  );
  expectPage(await visitor.open(`/links/${id}`), 200, 'The event payment.succeeded was written');
});

describe('the wallets', () => {
  it('of currencies that are not used are folded away', async () => {
    await w.show('live');
    const { document } = await w.visitor.open('/wallets?lang=en');
    const folded = document.querySelectorAll('main > details .big').map((one) => one.text);
    expect([document.querySelectorAll('.big').length, folded]).toEqual([
      3,
      [expect.stringContaining('$0.00')],
    ]);
    await w.show('sandbox');
  });

  it('show what each holds, of the environment that is shown, with a picture and a table of 30 days', async () => {
    const sandbox = await w.visitor.open('/wallets');
    expectPage(sandbox, 200, '1,000,000 FCFA', 'transfers are simulated');
    expect(sandbox.text).not.toContain('1,249.90');
    await w.show('live');
    const live = await w.visitor.open('/wallets');
    expectPage(live, 200, '5,000 FCFA', '€1,249.90');
    expect(live.text).not.toContain('transfers are simulated');
    const tables = live.document.querySelectorAll('table');
    expect([tables.length, tables[0]!.querySelectorAll('tbody tr').length]).toEqual([3, 30]);
    const picture = live.document.querySelector('svg.chart')!;
    expect(picture.getAttribute('aria-label')).toMatch(/^XOF: the balance from .* between 0\sFCFA/);
    const french = await w.visitor.open('/wallets?lang=fr');
    expectPage(french, 200, 'Mon argent', '5 000 FCFA', '1 249,90 €');
  });

  it('are what the ledger had at the end of each day, also before the first posting, by a few look-ups', async () => {
    const user = await buildUser(w.database.db);
    await buildLongHistory(w.database, { user, rows: 60_000, days: 12 });
    const found = await listWalletDays(w.database.db, user.id, 'live', 30);
    const expected = await w.sql(
      `select d::date::text as day, coalesce((
         select t.balance_after_minor from transactions t
          where t.user_id = ? and t.environment = 'live' and t.created_at < d + interval '1 day'
          order by t.created_at desc limit 1), 0) as balance_minor
         from generate_series(date_trunc('day', now()) - interval '29 days', now(), '1 day') d
        order by d`,
      [user.id],
    );
    const xof = found.filter(({ currency }) => currency === 'XOF');
    expect(xof.map(({ day, balance_minor }) => ({ day, balance_minor }))).toEqual(expected);
    expect([xof[0]!.balance_minor, xof.at(-1)!.balance_minor]).toEqual([0n, 6_000_000n]);
    // A wallet that nothing was ever posted to.
    expect(found.filter((one) => one.currency === 'EUR' && one.balance_minor !== 0n)).toEqual([]);

    type Plan = { readonly 'QUERY PLAN': readonly [{ readonly Plan: Record<string, number> }] };
    const [explained] = await w.sql<Plan>(
      `explain (analyze, buffers, format json) select * from ledger_accounts a
         cross join lateral wallet_day_ends(a.id, 30) d
        where a.user_id = ? and a.environment = 'live' and a.currency = 'XOF'`,
      [user.id],
    );
    const plan = explained!['QUERY PLAN'][0].Plan;
    // 30 days of at most 17 halvings with two look-ups of some 4 pages each.
    expect(plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!).toBeLessThan(30 * 17 * 10);
  });
});

it('the first page shows a cashier what was sold, and neither a balance nor what was sent', async () => {
  await payIntent(w.database.db, w.user, { environment: 'sandbox' });
  const cashier = await w.colleague('cashier');
  const page = await cashier.open('/?lang=en');
  expectPage(page, 200, 'Sandbox sales', '5,000 FCFA');
  expect(page.text).not.toMatch(/1,000,000|Wallets|Latest transactions|Payouts/);
  const statuses = [];
  for (const path of [
    '/wallets',
    '/transactions',
    '/payouts',
    '/statements',
    '/keys',
    '/activity',
  ]) {
    statuses.push((await cashier.open(path)).status);
  }
  expect(new Set(statuses)).toEqual(new Set([403]));
});
