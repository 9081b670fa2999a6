// An order belongs to its draft: it is carried out once, whatever is sent afterwards, and asked for again with the same key
// while its outcome is not known; and a form whose session has ended comes back as it was filled in
// (docs/decisions/dashboard.md). Each order of the dashboard is a row.

import { openSession } from '../support/database';
import { insist } from '../support/http';
import { postOne } from '../support/postings';
import { payIntent } from '../support/refunds';
import { buildUser, fund } from '../support/users';
import { PASSWORD } from './accounts';
import { checkPayout, PHONE } from './payouts';
import {
  createVisitor,
  expectPage,
  type GivenFields,
  type VisitedPage,
  type Visitor,
} from './visitor';
import { PAYS_AT_ONCE, useWorld } from './world';

const w = useWorld({
  gateway: PAYS_AT_ONCE,
  of_each: 'test',
  funds: { sandbox: { XOF: 10_000_000n }, live: { XOF: 10_000_000n } },
});

const SENT = 'This form has been sent already';
const LATE = 'Your session had ended, so nothing was sent.';
const pathOf = (path: string): string => path.split('?')[0]!;

/** A browser that goes Back shows the page again, and sends what its form has. */
async function sendAgain(
  page: VisitedPage,
  action: string,
  fields: GivenFields = {},
  by = w.visitor,
): Promise<VisitedPage> {
  const { status, to } = await by.press(page, action, fields);
  expect(status).toBe(303);
  return by.open(to!);
}

interface Order {
  readonly table: string;
  /** Leads to the page with the form that sends, and says what its action ends with. */
  readonly begin: () => Promise<string>;
  readonly given?: GivenFields;
  /** The second press has these fields instead. */
  readonly other: GivenFields;
  /** The form of an order that is checked first stands as it was typed, with a way back to it. */
  readonly typed?: Readonly<Record<string, string>>;
  readonly in_live?: true;
}

const recipient = async (): Promise<string> => (await buildUser(w.database.db)).username;

const transfer = async (amount = '10', by = w.visitor, to?: string): Promise<VisitedPage> => {
  const fields = { to_username: to ?? (await recipient()), amount, currency: 'XOF' };
  return by.fill('/transfers/new', fields, '/transfers/preview');
};

const ORDERS: Readonly<Record<string, Order>> = {
  payout: {
    table: 'payouts',
    begin: async () => {
      await checkPayout(w.visitor, { name: 'Awa Diop' });
      return '/payouts';
    },
    other: { amount: '16000.00' },
    typed: { phone: PHONE, operator: 'orange_sn', amount: '15 000', name: 'Awa Diop' },
  },
  transfer: {
    table: 'transfers',
    begin: async () => {
      await transfer('1 500');
      return '/transfers';
    },
    other: { amount: '11.00' },
    typed: { amount: '1 500' },
    in_live: true,
  },
  refund: {
    table: 'refunds',
    begin: async () => {
      const { id } = await payIntent(w.database.db, w.user);
      await w.visitor.fill(`/links/${id}/refund`, { amount: '1 500', reason: 'One book' });
      return '/refund';
    },
    other: { amount: '1600.00' },
    typed: { amount: '1 500', reason: 'One book' },
  },
  reversal: {
    table: 'reversals',
    begin: async () => {
      const from = await buildUser(w.database.db, { funds: { live: { XOF: 1_000_000n } } });
      const sent = await postOne(w.database.db, { from, to: w.user, amount: 500_000n });
      await w.visitor.fill(`/transfers/${sent.reference}/reversal`, { amount: '1 000' });
      return '/reversal';
    },
    other: { amount: '1100.00' },
    typed: { amount: '1 000' },
    in_live: true,
  },
  'payment link': {
    table: 'payment_intents',
    begin: async () => {
      await w.visitor.open('/links/new');
      return '/links';
    },
    given: { amount: '100', currency: 'XOF' },
    other: { amount: '200', currency: 'XOF' },
  },
  'reusable link': {
    table: 'payment_links',
    begin: async () => {
      await w.visitor.open('/reusable-links/new');
      return '/reusable-links';
    },
    given: { title: 'Cloth', amount: '100', currency: 'XOF' },
    other: { title: 'Wax', amount: '100', currency: 'XOF' },
  },
  'credit of play money': {
    table: 'ledger_transactions',
    begin: async () => {
      await w.visitor.open('/rehearse');
      return '/rehearse/fund';
    },
    given: { amount: '100', currency: 'XOF' },
    other: { amount: '200', currency: 'XOF' },
  },
};

describe.each(Object.entries(ORDERS))('a %s', (_name, { table, begin, given = {}, ...order }) => {
  beforeEach(async () => {
    if (order.in_live) await w.show('live');
  });

  it('is made once of its draft, whose pages and forms then lead to it', async () => {
    const action = await begin();
    const form = w.visitor.page;
    const draft = new URLSearchParams(form.path.split('?')[1]).get('draft');
    expect(draft).toMatch(/^[0-9a-f-]{36}$/);
    expect(form.value('draft')).toBe(draft);
    const before = await w.count(table);
    const made = await w.visitor.submit(action, given);
    expect([made.status, await w.count(table)]).toEqual([200, before + 1]);
    for (const again of [
      await sendAgain(form, action, given),
      await sendAgain(form, action, order.other),
      await w.visitor.open(form.path),
    ]) {
      expect(pathOf(again.path)).toBe(pathOf(made.path));
      expectPage(again, 200, SENT);
    }
    expect(await w.count(table)).toBe(before + 1);
  });

  it('is made once, though its form is sent three times at the same moment', async () => {
    const action = await begin();
    const form = w.visitor.page;
    const before = await w.count(table);
    const presses = [1, 2, 3].map(() => insist(() => w.visitor.press(form, action, given)));
    const answers = await Promise.all(presses);
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(new Set(answers.map(({ to }) => pathOf(to!))).size).toBe(1);
    expect(await w.count(table)).toBe(before + 1);
  });
});

const CHECKED = Object.entries(ORDERS).filter(([, { typed }]) => typed);

describe.each(CHECKED)('a %s that is checked first', (_name, { table, begin, typed, in_live }) => {
  beforeEach(async () => {
    if (in_live) await w.show('live');
  });

  it('can be corrected: the values come back', async () => {
    await begin();
    const form = await w.visitor.open(w.visitor.page.link('Change'));
    const names = Object.keys(typed!);
    expect(Object.fromEntries(names.map((name) => [name, form.value(name)]))).toEqual(typed);
  });

  it('is asked for again while its outcome is not known, and made once', async () => {
    const action = await begin();
    const before = await w.count(table);
    const session = await openSession(w.database.owner_url);
    await session.query('begin');
    await session.query('select 1 from ledger_accounts where user_id = $1 for update', [w.user.id]);
    const unknown = await w.visitor.submit(action);
    await session.query('rollback');
    expectPage(unknown, 503, 'It is not known yet', 'Do not begin a new one');
    expect(unknown.headers.get('retry-after')).toBe('1');
    let page = await w.visitor.submit(action);
    while (page.status === 503) page = await w.visitor.submit(action);
    expect([page.status, await w.count(table)]).toEqual([200, before + 1]);
  });
});

describe('a draft', () => {
  it('goes on after a refusal that moved nothing, and is then sent once', async () => {
    const { visitor: poor, user } = await w.signIn({ funds: { live: { XOF: 100_000n } } });
    await w.show('live', poor);
    const to = await recipient();
    const first = await transfer('1000', poor, to);
    await transfer('1000', poor, to);
    await poor.submit('/transfers');
    expectPage(await poor.open(first.path), 422, 'Your wallet holds only');
    const refused = await poor.press(first, '/transfers');
    expectPage(refused, 422, 'does not hold enough for this any more');
    await fund(w.database.db, user.id, 'live', 'XOF', 100_000n);
    const before = await w.count('transfers');
    expect((await poor.open(first.path)).heading).toBe('Check and send');
    expect((await poor.submit('/transfers')).heading).toBe('Transfer');
    expect((await sendAgain(first, '/transfers', {}, poor)).text).toContain(SENT);
    expect(await w.count('transfers')).toBe(before + 1);
  });

  it('that was sent twice at the same time with other fields shows the one that was made', async () => {
    const page = await checkPayout(w.visitor);
    const before = await w.count('payouts');
    const amounts = ['1000.00', '1001.00', '1002.00', '1003.00'];
    const answers = await Promise.all(
      amounts.map((amount) => w.visitor.press(page, '/payouts', { amount })),
    );
    const led = new Set(answers.map(({ to }) => to));
    expect([...led]).toEqual([expect.stringMatching(/^\/dashboard\/payouts\/PYT-/)]);
    expect(await w.count('payouts')).toBe(before + 1);
  });

  it('is another one for another form, and another account’s is none of this one', async () => {
    const { path } = await checkPayout(w.visitor);
    const sent = await w.visitor.submit('/payouts');
    const other = await w.signIn();
    const page = await other.visitor.open(path.replace('/check', '/new'));
    expect([page.heading, page.text.includes('PYT-')]).toEqual(['New payout', false]);
    const anew = await checkPayout(w.visitor);
    expect(anew.path).not.toContain(new URL(path, 'http://x').searchParams.get('draft')!);
    expect((await w.visitor.submit('/payouts')).path).not.toBe(sent.path);
  });

  it('is needed by a form, and must be ours', async () => {
    await checkPayout(w.visitor);
    expect((await w.visitor.submit('/payouts', { draft: 'x' })).status).toBe(403);
  });
});

describe('the same amount for the same recipient', () => {
  const WARNING = 'You ordered the same amount for the same recipient a short time ago';

  it('is said before it is sent once more, with a link to the one before', async () => {
    expect((await checkPayout(w.visitor)).text).not.toContain(WARNING);
    const { path } = await w.visitor.submit('/payouts');
    const again = await checkPayout(w.visitor);
    expectPage(again, 200, WARNING);
    expect(again.document.querySelector(`main .notice a[href="${path}"]`)).not.toBeNull();
    for (const other of [{ amount: '15 001' }, { phone: '+221 78 765 43 21' }]) {
      expect((await checkPayout(w.visitor, other)).text).not.toContain(WARNING);
    }
    await w.sql(`update payouts set created_at = created_at - interval '11 minutes'`);
    expect((await checkPayout(w.visitor)).text).not.toContain(WARNING);
  });

  it('is said of a transfer, too', async () => {
    const to = await recipient();
    expect((await transfer('10', w.visitor, to)).text).not.toContain(WARNING);
    const { path } = await w.visitor.submit('/transfers');
    expect((await transfer('11', w.visitor, to)).text).not.toContain(WARNING);
    const again = await transfer('10', w.visitor, to);
    expectPage(again, 200, WARNING);
    expect(again.document.querySelector('main .notice a')!.getAttribute('href')).toBe(path);
  });
});

it('a decision is made once by a person, who is then shown how it stands', async () => {
  const second = await w.colleague('owner');
  await w.visitor.fill('/payouts/settings', { approval_above: '1 000', approvers: '2' });
  await checkPayout(w.visitor);
  const { path } = await w.visitor.submit('/payouts');
  const form = await second.open(`${path}/approve`);
  expect((await second.submit('/approve')).text).toContain('1 of 2');
  const again = await sendAgain(form, '/approve', {}, second);
  expect(again.path).toBe(path);
  expectPage(again, 200, '1 of 2', 'Needs approval');
  // Back leads there, too.
  expect((await second.open(`${path}/approve`)).path).toBe(path);
});

describe('a page that checks', () => {
  it('asks nothing for a link that another browser or site has made', async () => {
    const { path } = await checkPayout(w.visitor, { phone: '+221770000001' });
    const other = await w.signIn();
    const page = await other.visitor.open(path);
    expect(page.path).toMatch(/^\/dashboard\/payouts\/new\?draft=/);
    expect(page.value('phone')).toBe('');
    const made = path.replace(/kept=[^&]+/, 'kept=AAAA');
    expect((await w.visitor.open(made)).path).toMatch(/^\/dashboard\/payouts\/new\?/);
  });

  it('keeps the name, the number and the amount out of its URL', async () => {
    const { path } = await checkPayout(w.visitor, { name: 'Awa Diop' });
    expect(path).not.toMatch(/Awa|771234567|77\+123|15\+?000/);
  });
});

describe('a form whose session has ended', () => {
  const endSessions = () => w.sql('update sessions set expires_at = now()');
  const signInAgain = (by: Visitor = w.visitor, username = w.user.username) =>
    by.submit('/sign-in', { username, password: PASSWORD });

  it('comes back in its environment after signing in, and is sent once by one press', async () => {
    await w.show('live');
    const checked = await checkPayout(w.visitor, { name: 'Awa Diop' });
    const before = await w.balance('live');
    await endSessions();
    expect((await w.visitor.submit('/payouts')).heading).toBe('Sign in');
    const back = await signInAgain();
    expectPage(back, 200, 'Check and send', LATE, '77 123 45 67', 'Live: real money');
    expect(back.value('draft')).toBe(checked.value('draft'));
    expect(await w.balance('live')).toBe(before);
    expect((await w.visitor.submit('/payouts')).text).toContain('The payout is ordered.');
    expect((await sendAgain(back, '/payouts')).text).toContain(SENT);
    expect(await w.balance('live')).toBe(before - 1_500_000n);
  });

  it('that had answered with a fault comes back with what was typed last', async () => {
    const typed = { amount: '100', currency: 'EUR', description: 'Deux pagnes', metadata: 'a' };
    const faulty = await w.visitor.fill('/links/new', typed);
    expect(faulty.status).toBe(422);
    await endSessions();
    await w.visitor.submit('/links', { ...typed, metadata: 'a=b' });
    const back = await signInAgain();
    expect(back.heading).toBe('New payment link');
    for (const [name, value] of Object.entries({ ...typed, metadata: 'a=b' })) {
      expect([name, back.value(name)]).toEqual([name, value]);
    }
    expect(back.value('draft')).toBe(faulty.value('draft'));
  });

  it('of a decision comes back with its reason; another session of this browser is asked no password', async () => {
    const second = await w.colleague('owner');
    await w.visitor.fill('/payouts/settings', { approval_above: '1 000' });
    await checkPayout(w.visitor);
    const { path } = await w.visitor.submit('/payouts');
    const form = await second.open(`${path}/reject`);
    // Another tab signs out and in again.
    await endSessions();
    const [other] = await w.sql<{ email: string }>(
      `select email from logins where id in (
         select login_id from memberships where user_id = ? and role = 'owner') and email <> ?`,
      [w.user.id, w.user.email],
    );
    await second.open('/sign-in');
    await signInAgain(second, other!.email);
    const back = await sendAgain(form, '/reject', { reason: 'Paid in cash already' }, second);
    expect([pathOf(back.path), back.value('reason')]).toEqual([
      `${path}/reject`,
      'Paid in cash already',
    ]);
    expectPage(back, 200, LATE);
    expect((await second.submit('/reject')).text).toContain('Rejected: Paid in cash already');
  });

  it('keeps no password, nothing of a form without our page, and nothing for another person', async () => {
    const { visitor } = w;
    await visitor.open('/security');
    await endSessions();
    const { origin } = w.service;
    const secrets = {
      current_password: 'one secret',
      password: 'another secret',
      note: 'ordinary',
    };
    const post = (Referer: string) => visitor.post('/security/password', secrets, { Referer });
    const kept = await post(`${origin}/dashboard/security`);
    const next = new URL(kept.to!, origin).searchParams.get('next')!;
    const sealed = new URL(next, origin).searchParams.get('kept')!;
    expect(sealed.length).toBeLessThan(250);
    for (const Referer of ['https://evil.example/dashboard/security', '']) {
      expect((await post(Referer)).status).toBe(403);
    }
    const stranger = await w.signIn();
    for (const [name, value] of visitor.cookies) {
      if (name.includes('visitor'))
        (stranger.visitor.cookies as Map<string, string>).set(name, value);
    }
    const page = await stranger.visitor.open(next);
    expect([page.path, page.text.includes(LATE)]).toEqual(['/dashboard/security', false]);
  });

  it('that is too long for a URL comes back without its longest fields', async () => {
    await w.visitor.open('/links/new');
    await endSessions();
    const metadata = 'é=è\n'.repeat(700);
    const asked = await w.visitor.submit('/links', { amount: '100', currency: 'XOF', metadata });
    expect(asked.path.length).toBeLessThan(8_000);
    const back = await signInAgain();
    expect([back.value('amount'), back.value('metadata')]).toEqual(['100', '']);
  });
});

it('a stranger’s browser is led to sign in, and signed in, to the upload that it wanted to send', async () => {
  const stranger = createVisitor(w.service);
  const Referer = `${w.service.origin}/dashboard/batches/new?draft=11111111-1111-4111-8111-111111111111`;
  const headers = { Referer, 'Content-Type': 'multipart/form-data; boundary=x' };
  const body = '--x--\r\n';
  const answer = await stranger.request('/dashboard/batches', { method: 'POST', headers, body });
  expect(decodeURIComponent(answer.headers.get('location')!)).toMatch(
    /^\/dashboard\/sign-in\?next=\/batches\/new\?draft=1{8}-.*&kept=/,
  );
});
