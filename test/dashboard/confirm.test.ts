// A form that a stolen session must not send asks for the password or a code again, unless it was given a moment ago.

import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { ROUTES } from '../../dashboard/routes';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startTestService, type TestService } from '../support/service';
import { PASSWORD, signInAs, signInOwner, type Member } from './accounts';
import { signInOperator } from './operators';
import type { Visitor } from './visitor';

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database });
});

/** Forms that open an account, move its money or say where its events go; and operators' decisions. */
const ASKED: Readonly<Record<string, 'in_live' | 'always'>> = {
  '/security/totp': 'always',
  '/security/totp/confirm': 'always',
  '/profile/identity-check/correct': 'always',
  '/team/invite': 'always',
  '/team/invitations/resend': 'always',
  '/team/invitations/withdraw': 'always',
  '/team/role': 'always',
  '/team/remove': 'always',
  '/transfers': 'in_live',
  '/transfers/:reference/reversal': 'in_live',
  '/batches/:id/send': 'in_live',
  '/payouts': 'in_live',
  '/payouts/settings': 'always',
  '/payouts/:reference/approve': 'in_live',
  '/payouts/:reference/confirm': 'in_live',
  '/payout-batches/:id/confirm': 'in_live',
  '/payout-batches/:id/approve': 'in_live',
  '/links/:id/refund': 'in_live',
  '/keys/new': 'in_live',
  '/keys/:id/edit': 'in_live',
  '/keys/:id/rotate': 'in_live',
  '/webhooks/new': 'in_live',
  '/webhooks/:id/edit': 'in_live',
  '/webhooks/:id/status': 'in_live',
  '/webhooks/:id/delete': 'in_live',
  '/webhooks/:id/secret': 'in_live',
  '/operators/suspense/:id/decide': 'always',
  '/operators/suspense/:id/close': 'always',
  '/operators/disputes/settle': 'always',
  '/operators/payouts/:id/settle': 'always',
  '/operators/identity-checks/:id/decide': 'always',
  '/operators/accounts/:username/freeze': 'always',
  '/operators/accounts/:username/unfreeze': 'always',
  '/operators/approvals/:id/approve': 'always',
  '/operators/approvals/:id/reject': 'always',
  '/operators/deliveries/:id/disable': 'always',
};

/** Forms that take access away, send nothing anew, or ask for the password by themselves. */
const NOT_ASKED = [
  '/accounts',
  '/batches',
  '/batches/:id/cancel',
  '/deliveries/:id/resend',
  '/environment',
  '/keys/:id/revoke',
  '/keys/first',
  '/links',
  '/links/:id/cancel',
  '/links/:id/refund/check',
  '/operators/reconciliations',
  '/payouts/:reference/cancel',
  '/payouts/:reference/reject',
  '/payouts/check',
  '/payout-batches',
  '/payout-batches/:id/cancel',
  '/payout-batches/:id/reject',
  '/profile/identity-check',
  '/profile/logo',
  '/profile/logo/remove',
  '/profile/mails',
  '/profile/public',
  '/rehearse/clock',
  '/rehearse/faults',
  '/rehearse/faults/end',
  '/rehearse/fund',
  '/reusable-links',
  '/reusable-links/:id/active',
  '/reusable-links/:id/change',
  '/security/codes',
  '/security/email',
  '/security/password',
  '/security/sessions/end',
  '/security/sign-out-everywhere',
  '/security/totp/off',
  '/team/leave',
  '/transfers/preview',
  '/transfers/:reference/reversal/check',
  '/webhooks/:id/faults',
  '/webhooks/:id/faults/delete',
  '/webhooks/:id/resend',
  '/webhooks/:id/test',
];

const FORMS = ROUTES.filter(({ method, access }) => method === 'POST' && access !== 'anyone');

/** Moves the sign-in and its confirmation eleven minutes back. */
async function age(): Promise<void> {
  await database.owner.raw(
    `update sessions set created_at = created_at - interval '11 minutes',
                         confirmed_at = confirmed_at - interval '11 minutes'`,
  );
}

async function show(visitor: Visitor, environment: 'sandbox' | 'live'): Promise<void> {
  await visitor.open('/');
  await visitor.submit('/environment', { environment });
}

function askedBy({ page }: Visitor): boolean {
  return page.heading === 'Is it you?';
}

it('decides for every form of somebody who is signed in', () => {
  const unasked = Object.fromEntries(NOT_ASKED.map((path) => [path, 'not asked']));
  expect(
    Object.fromEntries(FORMS.map(({ path, confirmed }) => [path, confirmed ?? 'not asked'])),
  ).toEqual({ ...unasked, ...ASKED });
});

describe.each(['sandbox', 'live'] as const)('after ten minutes, in %s', (environment) => {
  let owner: Visitor;
  let operator: Visitor;

  beforeAll(async () => {
    owner = (await signInOwner(service, database)).visitor;
    operator = (await signInOperator(service, database)).visitor;
    await show(owner, environment);
    await show(operator, environment);
    await age();
  });

  it.each(Object.entries(ASKED))('%s asks %s', async (path, confirmed) => {
    const visitor = path.startsWith('/operators') ? operator : owner;
    const token = visitor.page.document.querySelector('[name=form_token]')!.getAttribute('value')!;
    const response = await visitor.request(
      `/dashboard${path.replace(/:\w+/, '0190a7c0-0000-7000-8000-000000000000')}`,
      { method: 'POST', body: new URLSearchParams({ form_token: token, draft: randomUUID() }) },
    );
    const html = await response.text();
    const isAsked = confirmed === 'always' || environment === 'live';
    expect([path, html.includes('confirm_proof')]).toEqual([path, isAsked]);
    if (isAsked) expect(response.status).toBe(403);
  });
});

async function liveKeys({ user }: Member): Promise<unknown[]> {
  const { rows } = await database.owner.raw(
    `select name, allowed_ips from api_keys
      where user_id = ? and environment = 'live' and name <> '' order by created_at`,
    [user.id],
  );
  return rows as unknown[];
}

async function openNewKey(member: Member): Promise<void> {
  await show(member.visitor, 'live');
  await age();
  await member.visitor.open('/keys/new');
}

const KEY = { name: 'Till "2" <b>', allowed_ips: '192.0.2.1\n192.0.2.2' };

it('keeps the form, counts wrong passwords, carries it out, and asks no more for ten minutes', async () => {
  const owner = await signInOwner(service, database);
  const { visitor } = owner;
  await openNewKey(owner);
  await visitor.submit('/keys/new', KEY);
  expect([askedBy(visitor), visitor.page.status]).toEqual([true, 403]);
  for (const confirm_proof of ['', 'a wrong password']) {
    const refused = await visitor.submit('/keys/new', { confirm_proof });
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('This is not your password.'),
    ]);
    expect(refused.html).not.toContain('a wrong password');
  }
  expect(await liveKeys(owner)).toEqual([]);
  const done = await visitor.submit('/keys/new', { confirm_proof: PASSWORD });
  expect([done.path, done.text]).toEqual([
    '/dashboard/keys',
    expect.stringContaining('Shown only this once'),
  ]);
  expect(await liveKeys(owner)).toEqual([
    { name: KEY.name, allowed_ips: ['192.0.2.1/32', '192.0.2.2/32'] },
  ]);
  await visitor.open('/keys/new');
  await visitor.submit('/keys/new', { name: 'Till 3' });
  expect(await liveKeys(owner)).toHaveLength(2);
  // Another browser of the person has confirmed nothing.
  const other = await signInAs(service, owner.user.username);
  await openNewKey({ ...owner, visitor: other });
  for (let attempt = 0; attempt < 11; attempt += 1) {
    await other.submit('/keys/new', attempt === 0 ? KEY : { confirm_proof: 'wrong' });
  }
  expect((await other.submit('/keys/new', { confirm_proof: PASSWORD })).status).toBe(429);
  expect(await liveKeys(owner)).toHaveLength(2);
});

it('takes a code where there is a second factor, and the password is not enough', async () => {
  const owner = await signInOwner(service, database);
  const { visitor } = owner;
  await visitor.open('/security');
  const page = await visitor.submit('/security/totp');
  const secret = page.document.querySelector('.copyable code')!.textContent;
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await visitor.submit('/security/totp/confirm', { code });
  await database.owner.raw('update logins set totp_last_step = null');
  await openNewKey(owner);
  await visitor.submit('/keys/new', KEY);
  const refused = await visitor.submit('/keys/new', { confirm_proof: PASSWORD });
  expect(refused.text).toContain('This code is wrong');
  await visitor.submit('/keys/new', { confirm_proof: code });
  expect(await liveKeys(owner)).toHaveLength(1);
});
