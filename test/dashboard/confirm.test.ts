// A form that a stolen session must not send asks for the password or a code again, unless it was given a moment ago.

import { randomUUID } from 'node:crypto';
import { ROUTES } from '../../dashboard/routes';
import { PASSWORD, setUpTotp, signInAs } from './accounts';
import { signInOperator } from './operators';
import { expectPage, type Visitor } from './visitor';
import { useWorld } from './world';

const w = useWorld({ of_each: 'test' });

/** Forms that open an account, move its money or say where its events go; and operators' decisions. */
const ASKED: Readonly<Record<string, 'in_live' | 'always'>> = {
  '/security/totp': 'always',
  '/security/totp/confirm': 'always',
  '/identity/correct': 'always',
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
  '/operators/risk/:id/decide': 'always',
  '/operators/disputes/settle': 'always',
  '/operators/payouts/:id/settle': 'always',
  '/operators/treasury/settle': 'always',
  '/operators/identity-checks/:id/decide': 'always',
  '/operators/accounts/:username/credits/:reference': 'always',
  '/operators/accounts/:username/tier': 'always',
  '/operators/accounts/:username/limits': 'always',
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
  '/identity',
  '/identity/back',
  '/identity/front',
  '/keys/:id/revoke',
  '/keys/first',
  '/links',
  '/links/again',
  '/links/:id/cancel',
  '/links/:id/refund/check',
  '/operators/reconciliations',
  '/operators/treasury',
  '/payouts/:reference/cancel',
  '/payouts/:reference/reject',
  '/payouts/check',
  '/payout-batches',
  '/payout-batches/:id/cancel',
  '/payout-batches/:id/reject',
  '/payout-batches/typed',
  '/profile/logo',
  '/profile/logo/remove',
  '/profile/mails',
  '/profile/public',
  '/rehearse/clock',
  '/rehearse/faults',
  '/rehearse/faults/end',
  '/rehearse/fund',
  '/reusable-links',
  '/reusable-links/again',
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
const age = () =>
  w.sql(
    `update sessions set created_at = created_at - interval '11 minutes',
                         confirmed_at = confirmed_at - interval '11 minutes'`,
  );

it('decides for every form of somebody who is signed in', () => {
  const unasked = Object.fromEntries(NOT_ASKED.map((path) => [path, 'not asked']));
  expect(
    Object.fromEntries(FORMS.map(({ path, confirmed }) => [path, confirmed ?? 'not asked'])),
  ).toEqual({ ...unasked, ...ASKED });
});

it.each(['sandbox', 'live'] as const)(
  'after ten minutes each form asks, in %s, as it says',
  async (environment) => {
    const operator = (await signInOperator(w.service, w.database)).visitor;
    for (const visitor of [w.visitor, operator]) await w.show(environment, visitor);
    await age();
    for (const [path, confirmed] of Object.entries(ASKED)) {
      const visitor = path.startsWith('/operators') ? operator : w.visitor;
      const url = path.replace(/:\w+/, '0190a7c0-0000-7000-8000-000000000000');
      const { status, text } = await visitor.post(url, { draft: randomUUID() });
      const isAsked = confirmed === 'always' || environment === 'live';
      expect([path, text.includes('confirm_proof')]).toEqual([path, isAsked]);
      if (isAsked) expect(status).toBe(403);
    }
  },
);

const liveKeys = () =>
  w.sql(
    `select name, allowed_ips from api_keys
      where user_id = ? and environment = 'live' and name <> '' order by created_at`,
    [w.user.id],
  );

async function openNewKey(visitor: Visitor): Promise<void> {
  await w.show('live', visitor);
  await age();
  await visitor.open('/keys/new');
}

const KEY = { name: 'Till "2" <b>', allowed_ips: '192.0.2.1\n192.0.2.2' };

it('keeps the form, counts wrong passwords, carries it out, and asks no more for ten minutes', async () => {
  const { visitor } = w;
  await openNewKey(visitor);
  expectPage(await visitor.submit('/keys/new', KEY), 403, 'Is it you?');
  for (const confirm_proof of ['', 'a wrong password']) {
    const refused = await visitor.submit('/keys/new', { confirm_proof });
    expectPage(refused, 422, 'This is not your password.');
    expect(refused.html).not.toContain('a wrong password');
  }
  expect(await liveKeys()).toEqual([]);
  const done = await visitor.submit('/keys/new', { confirm_proof: PASSWORD });
  expect(done.path).toBe('/dashboard/keys');
  expectPage(done, 200, 'Shown only this once');
  const allowed_ips = ['192.0.2.1/32', '192.0.2.2/32'];
  expect(await liveKeys()).toEqual([{ name: KEY.name, allowed_ips }]);
  await visitor.fill('/keys/new', { name: 'Till 3' });
  expect(await liveKeys()).toHaveLength(2);
  // Another browser of the person has confirmed nothing.
  const other = await signInAs(w.service, w.user.username);
  await openNewKey(other);
  for (let attempt = 0; attempt < 11; attempt += 1) {
    await other.submit('/keys/new', attempt === 0 ? KEY : { confirm_proof: 'wrong' });
  }
  expect((await other.submit('/keys/new', { confirm_proof: PASSWORD })).status).toBe(429);
  expect(await liveKeys()).toHaveLength(2);
});

it('takes a code where there is a second factor, and the password is not enough', async () => {
  const { visitor } = w;
  const { code } = await setUpTotp(w.owner);
  await w.sql('update logins set totp_last_step = null');
  await openNewKey(visitor);
  await visitor.submit('/keys/new', KEY);
  const refused = await visitor.submit('/keys/new', { confirm_proof: PASSWORD });
  expect(refused.text).toContain('This code is wrong');
  await visitor.submit('/keys/new', { confirm_proof: code });
  expect(await liveKeys()).toHaveLength(1);
});
