// An account in which every page has something to show, for the tests that visit all of them.

import { listHistory } from '../../db/ledger/history';
import { addLoginToken } from '../../db/people/login-tokens';
import { findLogin } from '../../db/people/logins';
import { inviteMember } from '../../db/people/team';
import { payoutReference } from '../../secrets/hash';
import { hashSessionToken, makeSessionToken } from '../../secrets/session-token';
import type { TestDatabase } from '../support/database';
import type { TestService } from '../support/service';
import { answerPayout, orderedPayout } from '../support/payouts';
import { disputeOf, say } from '../support/disputes';
import { postOne } from '../support/postings';
import { ordered, payIntent } from '../support/refunds';
import { buildReversalRequest, reverse } from '../support/reversals';
import { buildUser, type TestUser } from '../support/users';
import { PASSWORD, signInAs, signInOwner, type Member } from './accounts';
import { buildCheckedBatch, buildPayoutBatch } from './batches';
import { buildLink, buildReusableLink, ofLink } from './payment-links';
import { buildDeveloperParams } from './developer-examples';
import { buildOperatorParams, signInOperator } from './operators';
import { createVisitor, type Visitor } from './visitor';

export interface Example {
  /** With parameters and query. */
  readonly path: string;
  /** The visitor who opens it; anyone when left out. */
  readonly visitor?: Visitor;
  /** 200 when left out. */
  readonly status?: number;
}

export interface Examples {
  readonly owner: Member;
  /** Finds the example of a route's path. @throws Error when there is none */
  find(path: string): Example | 'no page';
}

/** Answered with another page, a picture or a file; a path that ends in `.csv` is a file, too. */
const NO_PAGES = [
  '/amounts',
  '/payouts/check',
  '/profile/logo',
  '/operators/identity-checks/:id/:side',
  '/operators/accounts/:username/credits/new',
  '/transfers',
  '/transfers/preview',
  '/transfers/:reference/reversal/check',
  '/links/:id/refund/check',
  '/statements/:currency/:file',
  '/fees/:file',
];

/** For those who are not signed in. */
const OUTSIDE = ['/sign-in', '/sign-up', '/sign-up/sent', '/password/forgotten'];

export async function buildExamples(
  service: TestService,
  database: TestDatabase,
): Promise<Examples> {
  const owner = await signInOwner(service, database, {
    funds: { sandbox: { XOF: 100_000_000n, EUR: 1_234_567n }, live: { XOF: 5_000_000n } },
  });
  const operator = await signInOperator(service, database);
  const outside = createVisitor(service);
  const awaiting = await signInHalf(service, database);
  const params = await buildParams(owner.user, database);
  const links = await buildLinks(owner.user, database);
  // Begun, and not confirmed: /security/totp shows the key.
  await owner.visitor.fill('/security', {}, '/security/totp');
  return {
    owner,
    find(path) {
      if (/\.(csv|json)$/.test(path) || NO_PAGES.includes(path)) return 'no page';
      if (OUTSIDE.includes(path)) return { path, visitor: outside };
      if (path === '/sign-in/code') return { path, visitor: awaiting };
      const mailed = links.get(path);
      if (mailed !== undefined) return { path: mailed, visitor: outside };
      const filled = path.replace(/:\w+/g, (name) => {
        const value = params[`${path} ${name}`];
        if (value === undefined) throw new Error(`${path} has no example for ${name}.`);
        return value;
      });
      const { visitor } = path.startsWith('/operators') ? operator : owner;
      return { path: filled === '/' ? '' : filled, visitor };
    },
  };
}

/** A person who has a second factor and has not shown it. */
export async function signInHalf(
  service: TestService,
  { db, owner }: TestDatabase,
): Promise<Visitor> {
  const { username, email } = await buildUser(db, { password: PASSWORD });
  await owner.raw(
    `update logins set sealed_totp_secret = 'none', totp_confirmed_at = now() where email = ?`,
    [email],
  );
  return signInAs(service, username);
}

/** Pages that are reached by a link in a mail, by route. */
async function buildLinks(
  { id: user_id, username, email }: TestUser,
  { db }: TestDatabase,
): Promise<ReadonlyMap<string, string>> {
  const login = (await findLogin(db, username))!;
  const mail = async (kind: 'email' | 'password', path: string) => {
    const token = makeSessionToken();
    const token_hash = hashSessionToken(token);
    await addLoginToken(db, { token_hash, kind, login_id: login.id, email, lasts_seconds: 3_600 });
    return [path, `${path}?token=${token}`] as const;
  };
  const invitation = makeSessionToken();
  await inviteMember(db, {
    user_id,
    email: 'colleague@example.com',
    role: 'viewer',
    invited_by: login.id,
    token_hash: hashSessionToken(invitation),
    lasts_seconds: 3_600,
  });
  return new Map([
    await mail('email', '/email/confirm'),
    await mail('password', '/password/reset'),
    ['/invitation', `/invitation?token=${invitation}`],
  ]);
}

/** Values of path parameters, by route and parameter. */
export async function buildParams(
  user: TestUser,
  database: TestDatabase,
): Promise<Readonly<Record<string, string>>> {
  const { db } = database;
  const { id } = user;
  const sent = { from: user, to: await buildUser(db), amount: 1_250_000n } as const;
  await postOne(db, { ...sent, environment: 'sandbox' });
  const of = { user_id: id, environment: 'sandbox', before: undefined } as const;
  const rows = await listHistory(db, { ...of, limit: 1, filters: {} });
  const transfer = await receivePart(user, database);
  const link = await buildLink(db, user, {
    description: 'Order 1042: two wax prints, 6 yards each',
    customer_email: 'awa@example.com',
    metadata: { order: '1042' },
  });
  const reusable = await buildReusableLink(db, user);
  const paid = await payIntent(db, user, ofLink(reusable));
  await ordered(db, paid, { amount_minor: '50000', reason: 'One book' });
  await say(db, await disputeOf(database, paid, { amount_minor: '100000' }));
  await say(db, await disputeOf(database, paid, { currency: 'EUR' }));
  return {
    '/batches/:id :id': await buildCheckedBatch(db, user),
    ...(await buildPayouts(user, database)),
    '/payout-batches/:id :id': await buildPayoutBatch(db, user),
    '/links/:id :id': paid.id,
    '/links/:id/cancel :id': link.id,
    '/links/:id/refund :id': paid.id,
    '/reusable-links/:id :id': reusable.id,
    '/reusable-links/:id/change :id': reusable.id,
    '/transactions/:id :id': rows[0]!.id,
    ...(await buildDeveloperParams(database, user)),
    ...(await buildOperatorParams(database, user)),
    '/transfers/:reference :reference': transfer,
    '/transfers/:reference/reversal :reference': transfer,
  };
}

/** Payouts that wait for the page's decision, by route. */
async function buildPayouts(
  user: TestUser,
  database: TestDatabase,
): Promise<Readonly<Record<string, string>>> {
  const { db, owner } = database;
  const settings = { user_id: user.id, currency: 'XOF', approval_above_minor: 4_000_000 };
  await owner('payout_settings').insert(settings);
  const named = { name: 'Awa Diop', name_found: 'A*** D***', name_match: 'close' } as const;
  const waiting = payoutReference(
    await orderedPayout(db, user, { ...named, amount_minor: '5000000' }),
  );
  const paid = await orderedPayout(db, user, { ...named, description: 'October wages' });
  await answerPayout(db, paid, { status: 'succeeded' });
  const toConfirm = payoutReference(await orderedPayout(db, user, { ...named, confirm: false }));
  return {
    '/payouts/:reference :reference': payoutReference(paid),
    '/payouts/:reference/approve :reference': waiting,
    '/payouts/:reference/reject :reference': waiting,
    '/payouts/:reference/confirm :reference': toConfirm,
    '/payouts/:reference/cancel :reference': toConfirm,
  };
}

/** The reference of a transfer to the user, of which a part was given back. */
async function receivePart(user: TestUser, { db }: TestDatabase): Promise<string> {
  const from = await buildUser(db, { funds: { sandbox: { XOF: 1_000_000n } } });
  const sent = { from, to: user, amount: 500_000n, environment: 'sandbox' } as const;
  const { reference } = await postOne(db, sent);
  const part = buildReversalRequest({
    by: user,
    transfer_reference: reference!,
    environment: 'sandbox',
    amount: 120_000n,
    reason: 'Two yards too many on the invoice',
  });
  await reverse(db, part);
  return reference!;
}
