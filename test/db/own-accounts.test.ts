// Operators cannot decide about an account of their own: held by the database, whichever way they take.

import { approveRequest, requestApproval } from '../../db/operators/approvals';
import { decideCheck } from '../../db/accounts/identity-checks';
import { migrate } from '../../db/schema/migrate';
import { freezeAccount, setKycStatus, unfreezeAccount } from '../../db/accounts/users';
import {
  acceptForIntent,
  acceptSuspense,
  closeSuspense,
  orderSuspenseRefund,
} from '../../db/suspense/suspense';
import { settleDispute } from '../../db/disputes/disputes';
import { creditWallet, type Credit } from '../../db/ledger/wallets';
import { makeAdjustmentReference } from '../../secrets/random';
import { expectBooksHold } from '../support/books';
import { createTestDatabase, setUp } from '../support/database';
import { disputeOf, GATEWAY, say } from '../support/disputes';
import { payIntent } from '../support/refunds';
import { readStack } from '../support/stack';
import { buildUser, type TestUser } from '../support/users';
import { buildSuspense } from '../dashboard/operators';

const PAY_URL = 'https://pay.example.com';
const OWN = { code: 'AP002' };
const OTHER = 'somebody@example.com';

const database = setUp(createTestDatabase);
let awa: TestUser;

beforeAll(async () => {
  const { app_role, operator_role } = readStack();
  const approval_above = { XOF: 1_000_000n, EUR: null, USD: null };
  await migrate({ owner_url: database.owner_url, app_role, operator_role, approval_above });
  awa = await buildUser(database.db, { kyc: 'not_started' });
});

afterEach(async () => {
  await expectBooksHold(database.db);
});

function creditOf(amount_minor: bigint): Credit {
  return {
    reference: makeAdjustmentReference(),
    user_id: awa.id,
    environment: 'live' as const,
    currency: 'XOF' as const,
    source: 'operator' as const,
    amount_minor,
    reason: 'a test',
  };
}

/** Operators are named by e-mail address or by the account's username, whatever its capitals. */
const names = (): string[] => [awa.email, awa.username, awa.email.toUpperCase()];

async function auditRows(): Promise<number> {
  const { rows } = await database.owner.raw('select count(*)::int as count from audit_log');
  return (rows as [{ count: number }])[0].count;
}

it('credits nobody’s own wallet, but another operator does', async () => {
  const { operator } = database;
  const credit = creditOf(10_000n);
  for (const actor of names()) {
    await expect(creditWallet(operator, credit, actor)).rejects.toMatchObject(OWN);
  }
  expect(await creditWallet(operator, credit, OTHER)).toMatchObject({ outcome: 'credited' });
  // It moves nothing, and says what was done.
  expect(await creditWallet(operator, credit, awa.email)).toMatchObject({ outcome: 'repeated' });
  const { id: user_id } = await buildUser(database.db);
  const others = creditWallet(operator, { ...creditOf(10_000n), user_id }, awa.email);
  expect(await others).toMatchObject({ outcome: 'credited' });
});

it('leaves an identity check to others, and every decision about one', async () => {
  const { operator } = database;
  const about = {
    username: awa.username,
    only_check: null,
    decision: 'approved',
    reason: null,
  } as const;
  const before = await auditRows();
  for (const actor of names()) {
    await expect(decideCheck(operator, about, actor)).rejects.toMatchObject(OWN);
    await expect(setKycStatus(operator, awa.username, 'approved', actor)).rejects.toMatchObject(
      OWN,
    );
  }
  expect(await auditRows()).toBe(before);
  expect(await decideCheck(operator, about, OTHER)).toBe('decided');
});

it('leaves money in suspense to others, whatever is to become of it', async () => {
  const { operator } = database;
  const [first, second] = [await buildSuspense(database, awa), await buildSuspense(database, awa)];
  const closing = {
    reason: 'paid back',
    reference: 'BANK-1',
    unmade_order: null,
    gateway_refund: null,
  };
  for (const actor of names()) {
    await expect(acceptSuspense(operator, first, actor)).rejects.toMatchObject(OWN);
    await expect(orderSuspenseRefund(operator, first, actor)).rejects.toMatchObject(OWN);
    const own = closeSuspense(operator, first, { ...closing, actor });
    await expect(own).rejects.toMatchObject(OWN);
  }
  const others = await buildSuspense(database, await buildUser(database.db));
  expect((await acceptForIntent(operator, others, awa.email, PAY_URL)).reference).toMatch(/^TRX-/);
  expect((await acceptSuspense(operator, first, OTHER)).reference).toMatch(/^SUS-/);
  const closed = await closeSuspense(operator, second, { ...closing, actor: OTHER });
  expect(closed).toBe('done');
});

it('leaves a dispute that could not be booked to others', async () => {
  const { db, operator } = database;
  const dispute = await disputeOf(database, await payIntent(db, awa, {}));
  await say(db, dispute);
  expect(await say(db, dispute, { amount_minor: '100' })).toMatchObject({ outcome: 'amount' });
  const { dispute_id, environment } = dispute;
  const named = { gateway: GATEWAY.name, environment, dispute_id };
  const settlement = { ...named, verdict: 'won', reason: 'paid by hand' } as const;
  for (const actor of names()) {
    const own = settleDispute(operator, settlement, actor);
    await expect(own).rejects.toMatchObject(OWN);
  }
  expect(await settleDispute(operator, settlement, OTHER)).toBe('done');
});

it('lets an account be frozen by its own people, and unfrozen by others only', async () => {
  const { operator } = database;
  expect(await freezeAccount(operator, awa.id, 'a stolen laptop', awa.email)).toBe(true);
  for (const actor of names()) {
    const own = unfreezeAccount(operator, awa.id, 'found again', actor);
    await expect(own).rejects.toMatchObject(OWN);
  }
  expect(await unfreezeAccount(operator, awa.id, 'found again', OTHER)).toBe(true);
});

it('counts a colleague of the account as its own', async () => {
  const colleague = await buildUser(database.db);
  await database.owner.raw(
    `insert into memberships (user_id, login_id, role)
     select ?, login_id, 'viewer' from memberships where user_id = ? and role = 'owner'`,
    [awa.id, colleague.id],
  );
  const own = creditWallet(database.operator, creditOf(1_000n), colleague.email);
  await expect(own).rejects.toMatchObject(OWN);
});

it('above the limit: is requested by anybody, and approved by somebody else', async () => {
  const { operator } = database;
  const { amount_minor, ...credit } = creditOf(2_000_000n);
  const given = { ...credit, amount_minor: amount_minor.toString() };
  const request = { action: 'wallets.credit', arguments: given, reason: 'a test' } as const;
  const { approval } = await requestApproval(operator, request, OTHER);
  for (const actor of names()) {
    await expect(approveRequest(operator, approval!, actor, PAY_URL)).rejects.toMatchObject(OWN);
  }
  const approved = await approveRequest(operator, approval!, 'moussa@example.com', PAY_URL);
  expect(approved).toBe('approved');
});
