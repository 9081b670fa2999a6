// The first page: balances, the latest transactions, and what needs attention.

import { readToDo } from '../../db/people/attention';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { buildPaymentLink, ofLink } from '../support/payment-links';
import { postOne } from '../support/postings';
import { payIntent } from '../support/refunds';
import { startTestService, type TestService } from '../support/service';
import { buildUser, type TestUser } from '../support/users';
import { signInOwner, type Member } from './accounts';
import { buildLink } from './payment-links';
import type { VisitedPage } from './visitor';

let database: TestDatabase;
let service: TestService;
let owner: Member;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
  owner = await signInOwner(service, database, { funds: { sandbox: { XOF: 100_000_000n } } });
});

const attentionOf = ({ document }: VisitedPage): string[] =>
  document
    .querySelectorAll('.attention li')
    .map((item) => item.structuredText.replace(/\s+/g, ' ').trim());

describe('the overview', () => {
  it('shows the balances and the latest five transactions', async () => {
    const to = await buildUser(database.db);
    for (let count = 0; count < 6; count += 1) {
      const amount = BigInt(count + 1) * 100n;
      await postOne(database.db, { from: owner.user, to, amount, environment: 'sandbox' });
    }
    const page = await owner.visitor.open('/');
    expect(page.text).toContain('1,000,000 FCFA');
    const amounts = page.document
      .querySelectorAll('tbody tr')
      .map((row) => /−(\d+)\sFCFA/.exec(row.structuredText)![1]);
    expect(amounts).toEqual(['6', '5', '4', '3', '2']);
  });

  it('says nothing of what needs no attention', async () => {
    await database.owner.raw('update logins set email_verified_at = now() where email = ?', [
      owner.user.email,
    ]);
    expect(attentionOf(await owner.visitor.open('/'))).toEqual([]);
  });

  it('shows what was sold today, this week and this month, of this environment by currency', async () => {
    const seller = await signInOwner(service, database);
    const sales = ({ document }: VisitedPage): string[] =>
      document
        .querySelectorAll('[data-live-part=money] dl div')
        .map((row) => row.structuredText.replace(/\s+/g, ' ').trim());
    expect(sales(await seller.visitor.open('/'))).toEqual([]);
    await payIntent(database.db, seller.user);
    await payIntent(database.db, seller.user, { amount_minor: '1000000' });
    await payIntent(database.db, seller.user, { currency: 'EUR', amount_minor: '124990' });
    await payIntent(database.db, seller.user, { environment: 'live', amount_minor: '700000' });
    const page = await seller.visitor.open('/');
    expect(page.text).toContain('Sandbox sales');
    expect(sales(page)).toEqual([
      'Today 15,000 FCFA 2 payments',
      'This week 15,000 FCFA 2 payments',
      'This month 15,000 FCFA 2 payments',
      'Today €1,249.90 1 payment',
      'This week €1,249.90 1 payment',
      'This month €1,249.90 1 payment',
    ]);
    await seller.visitor.submit('/environment', { environment: 'live' });
    expect(sales(await seller.visitor.open('/'))[0]).toBe('Today 7,000 FCFA 1 payment');
    const french = await seller.visitor.open('/?lang=fr');
    expect(sales(french)).toEqual([
      'Aujourd’hui 7 000 FCFA 1 paiement',
      'Cette semaine 7 000 FCFA 1 paiement',
      'Ce mois-ci 7 000 FCFA 1 paiement',
    ]);
    expect(french.text).toContain('avant frais et remboursements');
  });

  it.each([
    ['a payment link', (user: TestUser) => buildLink(database.db, user)],
    ['a reusable link', (user: TestUser) => buildPaymentLink(database.db, user)],
  ])('takes the first step as done with %s', async (_, make) => {
    const user = await buildUser(database.db);
    const hasLink = async () => (await readToDo(database.db, user.id, 'sandbox')).has_link;
    expect(await hasLink()).toBe(false);
    await make(user);
    expect(await hasLink()).toBe(true);
  });

  it('names what needs attention, of this account and environment, with its link', async () => {
    const { user, visitor } = owner;
    const other = await buildUser(database.db);
    for (const [who, environment] of [
      [user, 'sandbox'],
      [user, 'live'],
      [other, 'sandbox'],
    ] as const) {
      await buildLink(database.db, who, { environment });
      await buildLink(database.db, who, { environment, expires_in_seconds: 1_000_000 });
      const reusable = await buildPaymentLink(database.db, who, { environment });
      await buildLink(database.db, who, { environment, ...ofLink(reusable) });
      await database.owner.raw(
        `insert into webhook_endpoints (id, user_id, environment, url, types, sealed_secret,
           consecutive_failures, failing_since)
         values (gen_random_uuid(), :user, :environment, 'https://example.com',
                 '{payment.succeeded}', '', 5, now())`,
        { user: who.id, environment },
      );
      await database.owner.raw(
        `insert into gateway_payments (gateway, environment, provider_payment_id, currency,
           amount_minor, booked_as, ledger_reference, booked_at)
         values ('sandbox', :environment, :payment, 'XOF', 100, 'suspense', :payment, now());
         `,
        { environment, payment: `pay-${who.id}-${environment}` },
      );
      await database.owner.raw(
        `insert into suspense_items (reference, gateway, environment, provider_payment_id, user_id,
           reason, currency, amount_minor, created_at)
         values (:payment, 'sandbox', :environment, :payment, :user, 'late', 'XOF', 100, now())`,
        { environment, payment: `pay-${who.id}-${environment}`, user: who.id },
      );
    }
    await database.owner.raw(`update users set kyc_status = 'not_started' where id = ?`, [user.id]);
    await database.owner.raw('update logins set email_verified_at = null where email = ?', [
      user.email,
    ]);
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
