// Operators who are signed in, and something for each of their pages.

import { randomUUID } from 'node:crypto';
import { findLogin } from '../../db/people/logins';
import {
  addReconciliationFindings,
  beginReconciliation,
  beginReconciliationCheck,
  endReconciliation,
  endReconciliationCheck,
} from '../../db/reconciliation/reconciliations';
import type { Identity } from '../../domain/identity';
import { RECONCILIATION_CHECKS } from '../../domain/reconciliation';
import { refundReference } from '../../secrets/hash';
import { createSealer } from '../../secrets/seal';
import { submitIdentity } from '../../use-cases/identity-checks';
import { sendPicture } from '../../use-cases/identity-pictures';
import { grantOperator } from '../../use-cases/operators';
import type { TestDatabase } from '../support/database';
import { TEST_SECRETS_KEY } from '../support/secrets';
import type { TestService } from '../support/service';
import { buildPng } from '../support/pictures';
import { begin } from '../support/payment-attempts';
import { contradictedPayout, payoutInDoubt } from '../support/payouts';
import { openIntent, ordered, receive } from '../support/refunds';
import { orderHeld, removeRules, setRule } from '../support/risk';
import { buildTreasury } from '../support/treasury';
import { buildUser, type TestUser, type TestUserOptions } from '../support/users';
import { signInAs, signInOwner, type Member } from './accounts';
import { buildLink } from './payment-links';

export async function signInOperator(
  service: TestService,
  database: TestDatabase,
  options: TestUserOptions = {},
): Promise<Member> {
  const { user } = await signInOwner(service, database, options);
  await grantOperator({ db: database.operator, actor: 'root' }, user.username, true);
  return { user, visitor: await signInAs(service, user.username) };
}

export const IDENTITY: Identity = {
  kind: 'person',
  legal_name: 'Awa Confidential',
  birth_date: '1990-02-03',
  registration_number: '',
  address: '17 rue Secrète, Dakar',
  country: 'SN',
  document_type: 'passport',
  document_number: 'A0-SECRET-77',
};

/** A check that waits; its id. */
export async function buildIdentityCheck(
  { db }: TestDatabase,
  user: Pick<TestUser, 'id' | 'username'>,
): Promise<string> {
  const { id: login_id } = (await findLogin(db, user.username))!;
  const submitting = {
    db,
    sealer: createSealer([TEST_SECRETS_KEY]),
    times: { remind_after_seconds: [], expires_after_seconds: 86_400 },
  };
  const owner = { user_id: user.id, login_id };
  return (await submitIdentity(submitting, owner, IDENTITY))!;
}

/** Money in suspense, paid after the link was cancelled; its id. */
export async function buildSuspense({ db, owner }: TestDatabase, user: TestUser): Promise<string> {
  const { id } = await buildLink(db, user, { amount_minor: '750000', currency: 'XOF' });
  await owner.raw(
    `select hold_in_suspense(
       jsonb_populate_record(null::gateway_notifications,
         '{"environment": "sandbox", "gateway": "sandbox"}'),
       i, 'late', ?::text, i.currency, i.amount_minor)
       from payment_intents i where i.id = ?`,
    [`pay_${randomUUID()}`, id],
  );
  const found = await owner.raw('select id from suspense_items where intent_id = ?', [id]);
  return (found.rows as [{ id: string }])[0].id;
}

/** Asked of a phone, paid twice, and refunded in part. */
export async function buildPayment({ db }: Pick<TestDatabase, 'db'>, user: TestUser) {
  const intent = await openIntent(db, user, { amount_minor: '1234500' });
  const phone = `+22505${String(Date.now()).slice(-8)}`;
  const attempt = await begin(db, intent, { phone });
  await receive(db, intent);
  await receive(db, intent);
  const refund = refundReference(await ordered(db, intent, { amount_minor: '500000' }));
  return { id: intent.id, phone, attempt: attempt.id, payment: intent.reference, refund };
}

/** One that found something, and could not ask the live gateway; its id. */
export async function buildReconciliation({ db }: Pick<TestDatabase, 'db'>): Promise<bigint> {
  const id = await beginReconciliation(db, randomUUID());
  for (const check of RECONCILIATION_CHECKS) {
    await beginReconciliationCheck(db, { id, check, since: null, overlap_seconds: 0 });
    if (check === 'gateway_sandbox') {
      await addReconciliationFindings(db, id, check, [
        {
          kind: 'payment_missing',
          reference: 'pay_lost_on_the_way',
          detail: '5000.00 XOF, taken 2026-11-20T10:00:00Z',
          is_repaired: true,
        },
      ]);
    }
    const is_away = check === 'gateway_live';
    await endReconciliationCheck(db, id, check, {
      outcome: is_away ? 'not_checked' : 'compared',
      compared: 12,
      why: is_away ? 'GET /payments returned 503' : null,
    });
  }
  await endReconciliation(db, id);
  return id;
}

/** Keys are a route and a parameter. Something waits on each of the pages. */
export async function buildOperatorParams(
  database: TestDatabase,
  account: TestUser,
): Promise<Readonly<Record<string, string>>> {
  const merchant = await buildUser(database.db, { kyc: 'not_started' });
  const check = await buildIdentityCheck(database, merchant);
  for (const side of ['front', 'back'] as const) {
    const { id: login_id } = (await findLogin(database.db, merchant.username))!;
    const sending = { db: database.db, sealer: createSealer([TEST_SECRETS_KEY]) };
    await sendPicture(sending, { check_id: check, login_id }, side, buildPng(320, 200));
  }
  const item = await buildSuspense(database, account);
  const paying = await buildUser(database.db, { funds: { sandbox: { XOF: 10_000_000n } } });
  const payout = await payoutInDoubt(database, paying, { since: '2 days', name: 'Awa Diop' });
  await contradictedPayout(database, paying);
  await buildTreasury(database);
  const approval = await database.owner.raw(
    `insert into approvals (action, subject, arguments, username, environment, currency,
       amount_minor, reason, requested_by, expires_at)
     values ('suspense.accept', ?, jsonb_build_object('item', ?::text), ?, 'live', 'XOF', 125000000, 'The customer has the goods',
       'moussa@example.com', now() + interval '1 day') returning id`,
    [`suspense/${item}`, item, account.username],
  );
  await database.owner.raw(
    `update webhook_endpoints set consecutive_failures = 12, failing_since = now() - interval '1 day',
       last_failure = jsonb_build_object('at', now(), 'outcome', 'refused', 'status', 503)
      where user_id = ?`,
    [account.id],
  );
  await setRule(database.operator);
  const { reference } = await orderHeld(database, paying);
  await removeRules(database.owner);
  return {
    '/operators/risk/:id :id': reference,
    '/operators/risk/:id.json :id': reference,
    '/operators/accounts/:username :username': account.username,
    '/operators/accounts/:username/credits/:reference :username': account.username,
    '/operators/accounts/:username/credits/:reference :reference': 'ADJ-00000001',
    '/operators/identity-checks/:id :id': check,
    '/operators/suspense/:id :id': item,
    '/operators/payments/:id :id': (await buildPayment(database, account)).id,
    '/operators/payouts/:id :id': payout,
    '/operators/approvals/:id :id': (approval.rows as [{ id: string }])[0].id,
    '/operators/reconciliations/:id :id': String(await buildReconciliation(database)),
  };
}
