// Limits on the dashboard: what an account sees of its own, what a sender is told, and what operators set.

import { approveRequest } from '../../db/operators/approvals';
import { limitOperators } from '../support/database';
import { limitAccount, limitTier } from '../support/limits';
import { openIntent, receive } from '../support/refunds';
import { buildUser, type TestUser } from '../support/users';
import { signInOperator } from './operators';
import type { Member } from './accounts';
import { expectPage, type VisitedPage } from './visitor';
import { useWorld } from './world';

const w = useWorld({ gateway: {}, funds: { sandbox: { XOF: 199_900_000n } } });
let operator: Member;
let merchant: TestUser;

beforeAll(async () => {
  operator = await signInOperator(w.service, w.database);
  merchant = await buildUser(w.database.db);
});

const set = (form: 'tier' | 'limits', fields: Record<string, string>): Promise<VisitedPage> =>
  operator.visitor.fill(`/operators/accounts/${merchant.username}`, fields, `/${form}`);

it('the wallets have a bar for each limit of a day, a month and the balance, with its figures in words', async () => {
  const limits = { balance: '2000000', single_out: '500000', daily_out: '1000000' };
  await limitAccount(w.database, w.user, limits, 'sandbox');
  const page = await w.visitor.open('/wallets');
  expectPage(
    page,
    200,
    '1,999,000 FCFA of 2,000,000 FCFA',
    'at most 500,000 FCFA',
    /0 FCFA of 1,000,000 FCFA, begins anew .* UTC/,
  );
  const bars = page.document.querySelectorAll('meter');
  expect(bars.map((bar) => [bar.getAttribute('value'), bar.getAttribute('max')])).toEqual([
    ['199900000', '200000000'],
    ['0', '100000000'],
  ]);
  expectPage(await w.visitor.open('/wallets?lang=fr'), 200, '1 999 000 FCFA sur 2 000 000 FCFA');
  await w.visitor.open('/wallets?lang=en');
});

it('a sender is told the figures of their own limit, and none of the recipient', async () => {
  const bob = await buildUser(w.database.db);
  await limitAccount(w.database, bob, { single_in: '100' }, 'sandbox');
  const send = async (amount: string): Promise<VisitedPage> => {
    await w.visitor.fill('/transfers/new', { to_username: bob.username, amount, currency: 'XOF' });
    return w.visitor.submit('/transfers');
  };
  expectPage(await send('101'), 422, 'Above a limit of the recipient');
  expectPage(await send('500 001'), 422, /Sent at once: 0 FCFA of 500,000 FCFA/);
});

it('a customer whose payment waits is told that it was received, and is offered no other one', async () => {
  const intent = await openIntent(w.database.db, w.user);
  await receive(w.database.db, intent);
  const path = `/p/${intent.short_code}`;
  const page = await (await fetch(`${w.service.origin}${path}?lang=en`)).text();
  expect(page).toContain('Your payment was received');
  expect(page).not.toContain('<form');
  const pressed = await fetch(`${w.service.origin}${path}/pay`, {
    method: 'POST',
    redirect: 'manual',
  });
  expect(pressed.status).toBeGreaterThanOrEqual(300);
});

describe('operators', () => {
  it('see the tier, figures and use of an account, and set both with a reason', async () => {
    await limitTier(w.database, 'merchant', { single_out: '70000' }, 'EUR');
    expectPage(
      await set('tier', { tier: 'merchant', reason: 'a shop' }),
      200,
      'Merchant',
      'set by an operator',
    );
    const page = await set('limits', {
      environment: 'live',
      currency: 'EUR',
      daily_out: '1 000,50',
      single_out: 'off',
      reason: 'the contract',
    });
    expectPage(page, 200, 'Set: Limits.', '€0.00 of €1,000.50', 'own', 'the contract');
    expect(page.text).toContain('of the tier');
    expectPage(await set('tier', { tier: 'auto', reason: 'closed' }), 200, 'by the identity check');
  });

  it('are shown what is wrong, and nothing is set', async () => {
    const fields = { environment: 'live', currency: 'XOF', balance: '1.50', reason: 'x' };
    expectPage(await set('limits', fields), 422, 'An amount, off or tier');
    expectPage(await set('tier', { tier: 'agent', reason: '' }), 422);
    const rows = await w.sql('select tier from users where id = ?', [merchant.id]);
    expect(rows).toEqual([{ tier: null }]);
  });

  it('request what takes a second operator, who approves it', async () => {
    await limitOperators(w.database, 100n);
    expectPage(
      await set('tier', { tier: 'agent', reason: 'x' }),
      200,
      'Set the tier of an account',
      'agent',
    );
    const [request] = await w.sql<{ id: string }>(
      `select id from approvals where action = 'users.tier'`,
    );
    await limitOperators(w.database, null);
    expect(await approveRequest(w.database.operator, request!.id, 'binta', '')).toBe('approved');
    const rows = await w.sql('select tier from users where id = ?', [merchant.id]);
    expect(rows).toEqual([{ tier: 'agent' }]);
  });

  it('see which limit money in suspense is above', async () => {
    const ann = await buildUser(w.database.db);
    await limitAccount(w.database, ann, { daily_in: '3000' }, 'sandbox');
    await receive(w.database.db, await openIntent(w.database.db, ann));
    const [item] = await w.sql<{ id: string }>('select id from suspense_items where user_id = ?', [
      ann.id,
    ]);
    expectPage(
      await operator.visitor.open(`/operators/suspense/${item!.id}`),
      200,
      'Above a limit',
      'Received today',
    );
  });
});
