// An order belongs to its draft: it is carried out once, whatever is sent afterwards; and a form whose session has ended
// comes back as it was filled in (docs/decisions/dashboard.md).

import { listWallets } from '../../db/ledger/wallets';
import type { TestApi } from '../support/api';
import type { TestDatabase } from '../support/database';
import { insist } from '../support/http';
import { payIntent } from '../support/refunds';
import { fund } from '../support/users';
import { PASSWORD, signInColleague, signInOwner, type Member } from './accounts';
import { checkPayout, PHONE, startPayoutApi } from './payouts';
import { createVisitor, type GivenFields, type VisitedPage, type Visitor } from './visitor';

let api: TestApi;
let database: TestDatabase;
let owner: Member;
let visitor: Visitor;

beforeAll(async () => {
  api = await startPayoutApi();
  ({ database } = api);
});

beforeEach(async () => {
  owner = await signInOwner(api.service, database, {
    funds: { sandbox: { XOF: 10_000_000n }, live: { XOF: 10_000_000n } },
  });
  ({ visitor } = owner);
});

const SENT = 'This form has been sent already';

const count = async (table: string): Promise<number> => {
  const [row] = (await database.owner(table).count('* as count')) as [{ count: string | number }];
  return Number(row.count);
};

const balance = async (environment: 'live' | 'sandbox'): Promise<bigint> =>
  (await listWallets(database.db, owner.user.id, environment)).find(
    ({ currency }) => currency === 'XOF',
  )!.balance_minor;

const valueOf = ({ document }: VisitedPage, selector: string): string | undefined =>
  document.querySelector(selector)?.getAttribute('value');

/** Sends what the form of a page has, as it was, but for these fields. */
function press(page: VisitedPage, action: string, fields: GivenFields): Promise<Response> {
  const form = page.document
    .querySelectorAll('form')
    .find((one) => one.getAttribute('action')!.endsWith(action))!;
  const body = new URLSearchParams(
    form
      .querySelectorAll('input')
      .map((input): [string, string] => [
        input.getAttribute('name')!,
        input.getAttribute('value') ?? '',
      ]),
  );
  for (const [name, value] of Object.entries(fields)) body.set(name, String(value));
  const headers = { Referer: api.service.origin + page.path };
  return visitor.request(form.getAttribute('action')!, { method: 'POST', body, headers });
}

/** A browser that goes Back shows the page again, and sends what its form has. */
async function sendAgain(
  page: VisitedPage,
  action: string,
  fields: GivenFields,
): Promise<VisitedPage> {
  const answer = await press(page, action, fields);
  expect(answer.status).toBe(303);
  return visitor.open(answer.headers.get('location')!);
}

interface Order {
  readonly table: string;
  /** Leads to the page with the form that sends, and says what its action ends with. */
  readonly begin: () => Promise<string>;
  readonly given?: GivenFields;
  /** The second press has these fields instead. */
  readonly other: GivenFields;
}

const recipient = async (): Promise<string> =>
  (await signInOwner(api.service, database)).user.username;

const ORDERS: Readonly<Record<string, Order>> = {
  payout: {
    table: 'payouts',
    begin: async () => {
      await checkPayout(visitor);
      return '/payouts';
    },
    other: { amount: '16000.00' },
  },
  transfer: {
    table: 'transfers',
    begin: async () => {
      await visitor.open('/transfers/new');
      const to_username = await recipient();
      await visitor.submit('/transfers/preview', { to_username, amount: '10', currency: 'XOF' });
      return '/transfers';
    },
    other: { amount: '11.00' },
  },
  refund: {
    table: 'refunds',
    begin: async () => {
      const { id } = await payIntent(database.db, owner.user);
      await visitor.open(`/links/${id}/refund`);
      await visitor.submit('/refund/check', { amount: '1500' });
      return '/refund';
    },
    other: { amount: '1600.00' },
  },
  reversal: {
    table: 'reversals',
    begin: async () => {
      const sender = await signInOwner(api.service, database, {
        funds: { live: { XOF: 10_000_000n } },
      });
      await sender.visitor.submit('/environment', { environment: 'live' });
      await sender.visitor.open('/transfers/new');
      await sender.visitor.submit('/transfers/preview', {
        to_username: owner.user.username,
        amount: '5000',
        currency: 'XOF',
      });
      const { path } = await sender.visitor.submit('/transfers');
      await visitor.submit('/environment', { environment: 'live' });
      await visitor.open(`${path}/reversal`);
      await visitor.submit('/reversal/check', { amount: '1000' });
      return '/reversal';
    },
    other: { amount: '1100.00' },
  },
  'payment link': {
    table: 'payment_intents',
    begin: async () => {
      await visitor.open('/links/new');
      return '/links';
    },
    given: { amount: '100', currency: 'XOF' },
    other: { amount: '200', currency: 'XOF' },
  },
  'reusable link': {
    table: 'payment_links',
    begin: async () => {
      await visitor.open('/reusable-links/new');
      return '/reusable-links';
    },
    given: { title: 'Cloth', amount: '100', currency: 'XOF' },
    other: { title: 'Wax', amount: '100', currency: 'XOF' },
  },
  'credit of play money': {
    table: 'ledger_transactions',
    begin: async () => {
      await visitor.open('/rehearse');
      return '/rehearse/fund';
    },
    given: { amount: '100', currency: 'XOF' },
    other: { amount: '200', currency: 'XOF' },
  },
};

describe.each(Object.entries(ORDERS))('a %s', (_name, { table, begin, given = {}, other }) => {
  it('is made once of its draft, whose pages and forms then lead to it', async () => {
    const action = await begin();
    const form = visitor.page;
    const draft = new URLSearchParams(form.path.split('?')[1]).get('draft');
    expect(draft).toMatch(/^[0-9a-f-]{36}$/);
    expect(valueOf(form, '[name=draft]')).toBe(draft);
    const before = await count(table);
    const made = await visitor.submit(action, given);
    expect([made.status, await count(table)]).toEqual([200, before + 1]);
    const pathOf = ({ path }: VisitedPage): string => path.split('?')[0]!;
    for (const fields of [given, other]) {
      const again = await sendAgain(form, action, fields);
      expect([pathOf(again), again.text]).toEqual([pathOf(made), expect.stringContaining(SENT)]);
    }
    const back = await visitor.open(form.path);
    expect([pathOf(back), back.text]).toEqual([pathOf(made), expect.stringContaining(SENT)]);
    expect(await count(table)).toBe(before + 1);
  });

  it('is made once, though its form is sent three times at the same moment', async () => {
    const action = await begin();
    const form = visitor.page;
    const before = await count(table);
    const presses = [1, 2, 3].map(() => insist(() => press(form, action, given)));
    const answers = await Promise.all(presses);
    const led = new Set(answers.map(({ headers }) => headers.get('location')!.split('?')[0]));
    expect([answers.map(({ status }) => status), led.size]).toEqual([[303, 303, 303], 1]);
    expect(await count(table)).toBe(before + 1);
  });
});

describe('a draft', () => {
  it('goes on after a refusal that moved nothing, and is then sent once', async () => {
    const { visitor: poor, user } = await signInOwner(api.service, database, {
      funds: { live: { XOF: 100_000n } },
    });
    await poor.submit('/environment', { environment: 'live' });
    visitor = poor;
    const to_username = await recipient();
    const preview = async (): Promise<VisitedPage> => {
      await poor.open('/transfers/new');
      return poor.submit('/transfers/preview', { to_username, amount: '1000', currency: 'XOF' });
    };
    const first = await preview();
    await preview();
    await poor.submit('/transfers');
    await poor.open(first.path);
    expect(poor.page.text).toContain('Your wallet holds only');
    const refused = await poor.request('/dashboard/transfers', {
      method: 'POST',
      body: new URLSearchParams(
        first.document
          .querySelectorAll('form[action="/dashboard/transfers"] input')
          .map((one): [string, string] => [one.getAttribute('name')!, one.getAttribute('value')!]),
      ),
    });
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringContaining('does not hold enough for this any more'),
    ]);
    await fund(database.db, user.id, 'live', 'XOF', 100_000n);
    const before = await count('transfers');
    expect((await poor.open(first.path)).heading).toBe('Check and send');
    expect((await poor.submit('/transfers')).heading).toBe('Transfer');
    expect((await sendAgain(first, '/transfers', {})).text).toContain(SENT);
    expect(await count('transfers')).toBe(before + 1);
  });

  it('that was sent twice at the same time with other fields shows the one that was made', async () => {
    await checkPayout(visitor);
    const fieldsOf = (amount: string): URLSearchParams => {
      const body = new URLSearchParams(
        visitor.page.document
          .querySelectorAll('form[action="/dashboard/payouts"] input')
          .map((one): [string, string] => [one.getAttribute('name')!, one.getAttribute('value')!]),
      );
      body.set('amount', amount);
      return body;
    };
    const before = await count('payouts');
    const answers = await Promise.all(
      ['1000.00', '1001.00', '1002.00', '1003.00'].map((amount) =>
        visitor.request('/dashboard/payouts', { method: 'POST', body: fieldsOf(amount) }),
      ),
    );
    const led = answers.map(({ headers }) => headers.get('location'));
    expect(led[0]).toMatch(/^\/dashboard\/payouts\/PYT-/);
    expect(new Set(led).size).toBe(1);
    expect(await count('payouts')).toBe(before + 1);
  });

  it('is another one for another form, and another account’s is none of this one', async () => {
    const { path } = await checkPayout(visitor);
    const sent = await visitor.submit('/payouts');
    const other = await signInOwner(api.service, database);
    const page = await other.visitor.open(path.replace('/check', '/new'));
    expect([page.heading, page.text]).toEqual([
      'New payout',
      expect.not.stringContaining('PYT-') as string,
    ]);
    const anew = await visitor.open('/payouts/new');
    expect(anew.path).not.toContain(new URL(path, 'http://x').searchParams.get('draft')!);
    expect(
      (await visitor.submit('/payouts/check', { phone: PHONE, amount: '15 000' })).text,
    ).toContain('Check and send');
    expect((await visitor.submit('/payouts')).path).not.toBe(sent.path);
  });

  it('is needed by a form, and must be ours', async () => {
    await checkPayout(visitor);
    expect((await visitor.submit('/payouts', { draft: 'x' })).status).toBe(403);
  });
});

describe('the same amount for the same recipient', () => {
  const WARNING = 'You ordered the same amount for the same recipient a short time ago';

  it('is said before it is sent once more, with a link to the one before', async () => {
    expect((await checkPayout(visitor)).text).not.toContain(WARNING);
    const { path } = await visitor.submit('/payouts');
    const again = await checkPayout(visitor);
    expect(again.text).toContain(WARNING);
    expect(again.document.querySelector(`main .notice a[href="${path}"]`)).not.toBeNull();
    for (const other of [{ amount: '15 001' }, { phone: '+221 78 765 43 21' }]) {
      expect((await checkPayout(visitor, other)).text).not.toContain(WARNING);
    }
    await database.owner.raw(
      `update payouts set created_at = created_at - interval '11 minutes' where user_id = ?`,
      [owner.user.id],
    );
    expect((await checkPayout(visitor)).text).not.toContain(WARNING);
  });

  it('is said of a transfer, too', async () => {
    const to_username = await recipient();
    const preview = async (amount: string): Promise<string> => {
      await visitor.open('/transfers/new');
      const fields = { to_username, amount, currency: 'XOF' };
      return (await visitor.submit('/transfers/preview', fields)).text;
    };
    expect(await preview('10')).not.toContain(WARNING);
    const { path } = await visitor.submit('/transfers');
    expect([await preview('11'), await preview('10')]).toEqual([
      expect.not.stringContaining(WARNING),
      expect.stringContaining(WARNING),
    ]);
    const link = visitor.page.document.querySelector('main .notice a')!;
    expect(link.getAttribute('href')).toBe(path);
  });
});

describe('a decision', () => {
  it('is made once by a person, who is then shown how it stands', async () => {
    const second = await signInColleague(api.service, database, owner.user, 'owner');
    await visitor.open('/payouts/settings');
    await visitor.submit('/payouts/settings', { approval_above: '1 000', approvers: '2' });
    await checkPayout(visitor);
    const { path } = await visitor.submit('/payouts');
    const form = await second.open(`${path}/approve`);
    expect((await second.submit('/approve')).text).toContain('1 of 2');
    visitor = second;
    const again = await sendAgain(form, '/approve', {});
    expect([again.path, again.text, again.text]).toEqual([
      path,
      expect.stringContaining('1 of 2'),
      expect.stringContaining('Needs approval'),
    ]);
    // Back leads there, too.
    expect((await second.open(`${path}/approve`)).path).toBe(path);
  });
});

describe('a page that checks', () => {
  it('asks nothing for a link that another browser or site has made', async () => {
    const { path } = await checkPayout(visitor, { phone: '+221770000001' });
    const other = await signInOwner(api.service, database);
    const page = await other.visitor.open(path);
    expect(page.path).toMatch(/^\/dashboard\/payouts\/new\?draft=/);
    expect(valueOf(page, '#phone')).toBe('');
    const made = path.replace(/kept=[^&]+/, 'kept=AAAA');
    expect((await visitor.open(made)).path).toMatch(/^\/dashboard\/payouts\/new\?/);
  });

  it('keeps the name, the number and the amount out of its URL', async () => {
    const { path } = await checkPayout(visitor, { name: 'Awa Diop' });
    expect(path).not.toMatch(/Awa|771234567|77\+123|15\+?000/);
  });
});

describe('a form whose session has ended', () => {
  const endSessions = (): Promise<unknown> =>
    database.owner.raw(
      `update sessions set expires_at = now() where login_id =
      (select login_id from memberships where user_id = ? and role = 'owner')`,
      [owner.user.id],
    );

  const signInAgain = (): Promise<VisitedPage> =>
    visitor.submit('/sign-in', { username: owner.user.username, password: PASSWORD });

  it('comes back in its environment after signing in, and is sent once by one press', async () => {
    await visitor.submit('/environment', { environment: 'live' });
    const checked = await checkPayout(visitor, { name: 'Awa Diop' });
    const before = await balance('live');
    await endSessions();
    const asked = await visitor.submit('/payouts');
    expect([asked.heading, await balance('live')]).toEqual(['Sign in', before]);
    const back = await signInAgain();
    expect([back.heading, back.text, back.text, back.text]).toEqual([
      'Check and send',
      expect.stringContaining('Your session had ended, so nothing was sent.'),
      expect.stringContaining('+221771234567'),
      expect.stringContaining('Live: real money'),
    ]);
    expect(valueOf(back, '[name=draft]')).toBe(valueOf(checked, '[name=draft]'));
    expect(await balance('live')).toBe(before);
    expect((await visitor.submit('/payouts')).text).toContain('The payout is ordered.');
    expect((await sendAgain(back, '/payouts', {})).text).toContain(SENT);
    expect(await balance('live')).toBe(before - 1_500_000n);
  });

  it('that had answered with a fault comes back with what was typed last', async () => {
    await visitor.open('/links/new');
    const typed = { amount: '100', currency: 'EUR', description: 'Deux pagnes', metadata: 'a' };
    const faulty = await visitor.submit('/links', typed);
    expect(faulty.status).toBe(422);
    await endSessions();
    await visitor.submit('/links', { ...typed, metadata: 'a=b' });
    const back = await signInAgain();
    expect(back.heading).toBe('New payment link');
    expect(['#amount', '#description'].map((one) => valueOf(back, one))).toEqual([
      '100',
      'Deux pagnes',
    ]);
    expect(back.document.querySelector('#metadata')!.textContent).toBe('a=b');
    expect(back.document.querySelector('#currency [selected]')!.getAttribute('value')).toBe('EUR');
    expect(valueOf(back, '[name=draft]')).toBe(valueOf(faulty, '[name=draft]'));
  });

  it('of a decision comes back with its reason; another session of this browser is asked no password', async () => {
    const second = await signInColleague(api.service, database, owner.user, 'owner');
    await visitor.open('/payouts/settings');
    await visitor.submit('/payouts/settings', { approval_above: '1 000' });
    await checkPayout(visitor);
    const { path } = await visitor.submit('/payouts');
    await second.open(`${path}/reject`);
    const form = second.page;
    // Another tab signs out and in again.
    await database.owner.raw('update sessions set expires_at = now()');
    await second.open('/sign-in');
    const { rows } = (await database.owner.raw(
      `select email from logins where id in (
         select login_id from memberships where user_id = ? and role = 'owner') and email <> ?`,
      [owner.user.id, owner.user.email],
    )) as { rows: [{ email: string }] };
    await second.submit('/sign-in', { username: rows[0].email, password: PASSWORD });
    visitor = second;
    const back = await sendAgain(form, '/reject', { reason: 'Paid in cash already' });
    expect([back.path.split('?')[0], valueOf(back, '#reason')]).toEqual([
      `${path}/reject`,
      'Paid in cash already',
    ]);
    expect(back.text).toContain('Your session had ended');
    expect((await second.submit('/reject')).text).toContain('Rejected: Paid in cash already');
  });

  it('keeps no password, nothing of a form without our page, and nothing for another person', async () => {
    await visitor.open('/security');
    await endSessions();
    const form = visitor.page;
    const post = (headers: Readonly<Record<string, string>>): Promise<Response> =>
      visitor.request('/dashboard/security/password', {
        method: 'POST',
        headers,
        body: new URLSearchParams({
          form_token: valueOf(form, '[name=form_token]')!,
          shown: valueOf(form, '[name=shown]')!,
          current_password: 'one secret',
          password: 'another secret',
          note: 'ordinary',
        }),
      });
    const { origin } = api.service;
    const kept = await post({ Referer: `${origin}/dashboard/security` });
    const next = new URL(kept.headers.get('location')!, origin).searchParams.get('next')!;
    const sealed = new URL(next, origin).searchParams.get('kept')!;
    expect(sealed.length).toBeLessThan(250);
    for (const Referer of ['https://evil.example/dashboard/security', '']) {
      expect((await post({ Referer })).status).toBe(403);
    }
    const stranger = await signInOwner(api.service, database);
    for (const [name, value] of visitor.cookies) {
      if (name.includes('visitor'))
        (stranger.visitor.cookies as Map<string, string>).set(name, value);
    }
    const page = await stranger.visitor.open(next);
    expect([page.path, page.text]).toEqual([
      '/dashboard/security',
      expect.not.stringContaining('Your session had ended') as string,
    ]);
  });

  it('that is too long for a URL comes back without its longest fields', async () => {
    await visitor.open('/links/new');
    await endSessions();
    const asked = await visitor.submit('/links', {
      amount: '100',
      currency: 'XOF',
      metadata: 'é=è\n'.repeat(700),
    });
    expect(asked.path.length).toBeLessThan(8_000);
    const back = await signInAgain();
    expect(valueOf(back, '#amount')).toBe('100');
    expect(back.document.querySelector('#metadata')!.textContent).toBe('');
  });
});

describe('a stranger’s browser', () => {
  it('is led to sign in, and signed in, to the upload that it wanted to send', async () => {
    const stranger = createVisitor(api.service);
    const referer = `${api.service.origin}/dashboard/batches/new?draft=11111111-1111-4111-8111-111111111111`;
    const answer = await stranger.request('/dashboard/batches', {
      method: 'POST',
      headers: { Referer: referer, 'Content-Type': 'multipart/form-data; boundary=x' },
      body: '--x--\r\n',
    });
    expect(decodeURIComponent(answer.headers.get('location')!)).toMatch(
      /^\/dashboard\/sign-in\?next=\/batches\/new\?draft=1{8}-.*&kept=/,
    );
  });
});
