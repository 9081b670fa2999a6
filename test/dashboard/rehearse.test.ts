// Rehearsing from the dashboard: each form does to the account's sandbox what a call of the API does.

import { randomUUID } from 'node:crypto';
import { listWallets } from '../../db/ledger/wallets';
import { FUNDS_A_DAY } from '../../db/sandbox/fund';
import { FAULT_MEANINGS } from '../../domain/fault';
import { PAYING_PHONES, TEST_PHONES } from '../../domain/test-phones';
import { TEST_BUTTONS } from '../../domain/test-values';
import { callApi } from '../api/support/contract';
import { startTestApi, type TestApi } from '../support/api';
import { openSession } from '../support/database';
import { insist, type HttpResponse } from '../support/http';
import { RUNNABLE, runSample } from '../support/programs';
import { buildApiKey, fund } from '../support/users';
import { waitFor } from '../support/wait';
import { untilLocked } from '../support/webhooks';
import { signInColleague, signInOwner, type Member } from './accounts';
import type { GivenFields, VisitedPage } from './visitor';

const DAY = 86_400;

let api: TestApi;
let owner: Member;
let key: string;

beforeAll(async () => {
  api = await startTestApi();
});

beforeEach(async () => {
  owner = await signInOwner(api.service, api.database, {
    funds: { sandbox: { XOF: 10_000_000n } },
  });
  ({ key } = await buildApiKey(api.database.db, { user: owner.user, environment: 'sandbox' }));
});

const call = (
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  idempotency_key: string = randomUUID(),
): Promise<HttpResponse> =>
  callApi(api.service, method, path, { key, ...(body && { body, idempotency_key }) });

/** Fills in a form of the page and sends it. */
async function send(action: string, fields: GivenFields): Promise<VisitedPage> {
  await owner.visitor.open('/rehearse');
  return owner.visitor.submit(`/rehearse/${action}`, fields);
}

/** A form as another page would send it. */
async function post(action: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  const { visitor } = owner;
  const token = visitor.page.document.querySelector('[name=form_token]')!.getAttribute('value')!;
  const body = new URLSearchParams({ form_token: token, ...fields });
  return visitor.request(`/dashboard/rehearse/${action}`, { method: 'POST', body });
}

const noticeOf = ({ document }: VisitedPage): string =>
  document.querySelector('.notice')?.textContent ?? '';
const faultsOf = ({ document }: VisitedPage): string[] =>
  document.querySelectorAll('.fault').map(({ id, textContent }) => `${id} ${textContent}`);
const rowsOf = ({ document }: VisitedPage, caption: string): string[] =>
  document
    .querySelectorAll('table')
    .filter((table) => table.querySelector('caption')?.textContent === caption)
    .flatMap((table) => table.querySelectorAll('tbody tr'))
    .map(({ structuredText }) => structuredText.replace(/\s+/g, ' '));
const balances = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await listWallets(api.database.db, owner.user.id, 'sandbox')).map((wallet) => [
      wallet.currency,
      String(wallet.balance_minor),
    ]),
  );
const aheadOf = async (): Promise<number> =>
  (await call('GET', '/sandbox/clock')).json.offset_seconds;

describe('the clock', () => {
  it('shows what waits with a link to it, moves it on, and says what became of it', async () => {
    const body = { amount: 5000, currency: 'XOF' };
    const { json: link } = await insist(() => call('POST', '/payment-intents', body, 'link-1'));
    const before = await owner.visitor.open('/rehearse');
    expect(rowsOf(before, 'What waits')).toEqual([
      expect.stringMatching(/^Payment link .* (1 day|23 hours .*)$/),
    ]);
    expect(before.html).toContain(`href="/dashboard/links/${link.id}"`);
    expect(before.text).toContain('Nothing: it was never moved');

    const hour = await send('clock', { step: '3600' });
    expect(noticeOf(hour)).toBe(
      'The clock was advanced by 1 hour. Came nearer: 1 payment link. All that became due is done, with its webhooks.',
    );
    expect(hour.text).toMatch(/Ahead by\s+1 hour/);

    const next = await send('clock', { step: 'next' });
    expect(noticeOf(next)).toMatch(/^Came nearer: 1 payment link\./);
    // A move answers after ten seconds, whatever is left to do.
    await waitFor(
      async () => (await call('GET', `/payment-intents/${link.id}`)).json.status === 'expired',
    );
    expect(rowsOf(await owner.visitor.open('/rehearse'), 'What waits')).toEqual([]);
    expect(noticeOf(await send('clock', { step: 'next' }))).toMatch(
      /^Nothing was waiting for it\./,
    );
    expect(await aheadOf()).toBeLessThanOrEqual(DAY + 1);
  });

  it('moves by hours, at least one, and no further than 400 days', async () => {
    await owner.visitor.open('/rehearse');
    expect((await post('clock', { hours: '30' })).status).toBe(303);
    expect((await owner.visitor.open('/rehearse')).text).toMatch(/Ahead by\s+1 day 6 hours/);
    for (const hours of ['', '0', '-1', '1.5', '9601', '9600']) {
      const refused = await post('clock', { hours });
      expect([hours, refused.status]).toEqual([hours, 422]);
      expect(await refused.text()).toMatch(
        /id="hours-fault">(Write a whole number|The clock moves 400 days)/,
      );
    }
    expect(await aheadOf()).toBe(30 * 3_600);
  });

  it('is moved by one at a time, through whichever door', async () => {
    await owner.visitor.open('/rehearse');
    const session = await openSession(api.database.owner_url);
    await session.query('begin');
    await session.query('select pg_advisory_xact_lock(sandbox_clock_lock($1))', [owner.user.id]);
    // A move waits three seconds for the lock at most, and the form may be the one that waits then.
    const moving = waitFor(async () => {
      const answer = await call('POST', '/sandbox/clock/advance', { seconds: 1 });
      return answer.status !== 503 && answer.status !== 429 && answer;
    });
    await untilLocked(api.database, 'advance_sandbox_clock');
    const refused = await insist(() => post('clock', { step: '3600' }));
    await session.query('rollback');
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringContaining('is being moved already'),
    ]);
    expect((await moving).status).toBe(200);
  });
});

describe('a fault', () => {
  it('is met by the next calls of its operation, as often as it was ordered', async () => {
    const page = await send('faults', { operation: 'GET /me', fault: 'unavailable', times: '2' });
    expect(noticeOf(page)).toMatch(/^GET \/me: the next call gets unavailable/);
    expect(rowsOf(page, 'Faults that are left')).toEqual(['GET /me unavailable 2 of 2']);
    expect((await call('GET', '/me')).headers['sandbox-fault-applied']).toBe('unavailable');
    expect(rowsOf(await owner.visitor.open('/rehearse'), 'Faults that are left')).toEqual([
      'GET /me unavailable 1 of 2',
    ]);
    await owner.visitor.submit('/rehearse/faults', {
      operation: 'GET /me',
      fault: 'slow=MS',
      ms: '3',
    });
    expect(noticeOf(await owner.visitor.submit('/rehearse/faults/end'))).toBe('2 faults ended.');
    expect(rowsOf(owner.visitor.page, 'Faults that are left')).toEqual([]);
    expect((await call('GET', '/me')).status).toBe(200);
  });

  it('is slow by as many milliseconds as were written', async () => {
    await send('faults', { operation: 'GET /me', fault: 'slow-after=MS', ms: '7' });
    expect((await call('GET', '/me')).headers['sandbox-fault-applied']).toBe('slow-after=7');
  });

  it('is one of those that the API has, for each of its operations and no other', async () => {
    const { document } = await owner.visitor.open('/rehearse');
    const optionsOf = (name: string): (string | undefined)[] =>
      document
        .querySelectorAll(`select[name=${name}] option`)
        .map((one) => one.getAttribute('value'));
    expect(optionsOf('fault')).toEqual(Object.keys(FAULT_MEANINGS));
    expect(optionsOf('operation')).toEqual(expect.arrayContaining(['POST /transfers', 'GET /me']));
    expect(optionsOf('operation').filter((one) => one!.includes('/sandbox'))).toEqual([]);
  });

  it.each([
    [{ operation: 'POST /nothing' }, 'operation-fault Choose one of the list.'],
    [{ fault: 'fire' }, 'fault-fault Choose one of the list.'],
    [
      { fault: 'slow=MS', ms: '60001' },
      'ms-fault Write a whole number of milliseconds, 60,000 at most.',
    ],
    [{ times: '101' }, 'times-fault Write a whole number from 1 to 100.'],
    [
      { operation: 'GET /me', fault: 'in-progress' },
      'fault-fault This fault is for operations that take an Idempotency-Key.',
    ],
    [
      { fault: 'gateway-down' },
      'fault-fault This fault is for operations that call a gateway: payment links, attempts to pay them, their cancellation and refunds, and payouts.',
    ],
  ])('%j is refused beside its field, and kept', async (fields, fault) => {
    const page = await send('faults', fields);
    expect([page.status, faultsOf(page)]).toEqual([422, [fault]]);
    expect((await call('GET', '/sandbox/faults')).json.faults).toEqual([]);
  });
});

describe('play money', () => {
  it('is added once, however often its form is sent, and the page says what is left', async () => {
    const before = await owner.visitor.open('/rehearse');
    expect(before.text).toContain('You have 20 left.');
    const form = before.document.querySelector('form[action$="/rehearse/fund"]')!;
    const draft = form.querySelector('[name=draft]')!.getAttribute('value')!;
    const fields = { draft, currency: 'EUR', amount: '12,50' };
    const again = [await post('fund', fields), await post('fund', fields)];
    expect(again.map(({ status }) => status)).toEqual([303, 303]);
    expect(await balances()).toMatchObject({ EUR: '1250', XOF: '10000000' });
    const page = await owner.visitor.open('/rehearse');
    expect([noticeOf(page), page.text]).toEqual([
      expect.stringContaining('This form has been sent already'),
      expect.stringContaining('You have 19 left.'),
    ]);
  });

  it('is asked for again by the same key when its outcome is not known', async () => {
    const { visitor } = owner;
    await visitor.open('/rehearse');
    const session = await openSession(api.database.owner_url);
    await session.query('begin');
    await session.query('select from ledger_accounts where user_id = $1 for update', [
      owner.user.id,
    ]);
    const page = await visitor.submit('/rehearse/fund', { amount: '1000' });
    await session.query('rollback');
    expect([page.status, page.heading]).toEqual([503, 'The outcome is not known']);
    expect(noticeOf(await visitor.submit('/rehearse/fund'))).toMatch(/^1,000\sFCFA/);
    expect(await balances()).toMatchObject({ XOF: '10100000' });
  });

  it('ends after so many times a day, and is given to no full wallet', async () => {
    await fund(api.database.db, owner.user.id, 'sandbox', 'EUR', 999_999_000_000_000n);
    const most = { currency: 'EUR', amount: '1000000000' };
    expect(faultsOf(await send('fund', most))).toEqual([
      'amount-fault The wallet would hold more than a wallet may.',
    ]);
    expect(faultsOf(await send('fund', { amount: '1,5' }))[0]).toMatch(/^amount-fault/);
    for (let i = 0; i < FUNDS_A_DAY; i += 1) {
      const body = { currency: 'XOF', amount: 100 };
      await insist(() => call('POST', '/sandbox/fund', body, `fund-${i}`));
    }
    // From a page that was open before.
    const late = await owner.visitor.submit('/rehearse/fund', { amount: '100' });
    expect([late.status, late.text]).toEqual([
      422,
      expect.stringContaining('None is left for now'),
    ]);
    expect(late.text).toContain('You have 0 left.');
    expect(late.document.querySelector('form[action$="/rehearse/fund"]')).toBeNull();
  });
});

describe('values that mean something', () => {
  it('are all there, in the words of the reader', async () => {
    const { text } = await owner.visitor.open('/rehearse?lang=fr');
    const all = [
      ...[...TEST_PHONES, ...PAYING_PHONES].flatMap(({ digits, fr }) => [
        `+221770000${digits}`,
        fr,
      ]),
      ...TEST_BUTTONS.flatMap(({ action, fr }) => [action, fr]),
    ];
    // The page's text has ordinary blanks.
    expect(all.filter((one) => !text.includes(one.replaceAll(/\s/g, ' ')))).toEqual([]);
  });

  it.each(RUNNABLE.filter((one) => one === 'curl'))(
    'have samples that run in %s',
    async (language) => {
      const { document } = await owner.visitor.open('/rehearse');
      const samples = document
        .querySelectorAll('.snippet code')
        .map(({ textContent }) => textContent)
        .filter((text) => text.startsWith(language));
      const printed: string[] = [];
      for (const text of samples) {
        const { stdout } = await runSample({ language, text: text.replace('pay_test_...', key) });
        printed.push(stdout);
      }
      // The response of the first is lost.
      expect(printed).toEqual([
        '',
        expect.stringContaining('"PYT-'),
        expect.stringContaining('"pay_url"'),
      ]);
    },
  );
});

describe('who may', () => {
  it('others see the page without its forms', async () => {
    const viewer = await signInColleague(api.service, api.database, owner.user, 'viewer');
    const page = await viewer.open('/rehearse');
    expect([page.status, page.heading]).toEqual([200, 'Rehearse']);
    expect(page.document.querySelectorAll('form[action*="/rehearse"]')).toEqual([]);
    expect(page.text).toContain('Owners and developers of the account can');
  });

  it('in live there is a way to the sandbox, no link in the navigation, and no effect', async () => {
    const { visitor } = owner;
    await visitor.open('/rehearse');
    expect(visitor.page.document.querySelector('nav.pages a[href$="/rehearse"]')).not.toBeNull();
    const live = await visitor.submit('/environment', { environment: 'live' });
    expect([live.path, live.text]).toEqual([
      expect.stringMatching(/^\/dashboard\/rehearse\?draft=/),
      expect.stringContaining('Rehearsals are for the sandbox'),
    ]);
    expect(live.document.querySelector('nav.pages a[href$="/rehearse"]')).toBeNull();
    for (const [action, fields] of [
      ['clock', { step: '3600' }],
      ['faults', { operation: 'GET /me', fault: 'unavailable', times: '1' }],
      ['faults/end', {}],
      ['fund', { draft: randomUUID(), currency: 'XOF', amount: '100' }],
    ] as const) {
      expect([action, (await post(action, fields)).status]).toEqual([action, 403]);
    }
    expect(await aheadOf()).toBe(0);
    expect((await call('GET', '/sandbox/faults')).json.faults).toEqual([]);
    expect(await balances()).toMatchObject({ XOF: '10000000' });
    const back = await visitor.submit('/environment', {
      environment: 'sandbox',
      path: '/dashboard/rehearse',
    });
    expect([back.path, back.text]).toEqual([
      expect.stringMatching(/^\/dashboard\/rehearse\?draft=/),
      expect.stringContaining('What waits'),
    ]);
  });
});

it('stands in the log of activities', async () => {
  await send('clock', { step: '3600' });
  await send('fund', { amount: '1000' });
  const { text, html } = await owner.visitor.open('/activity');
  expect(text).toContain('Advanced the clock of the sandbox');
  expect(text).toContain('Added play money to a wallet');
  const [, to] = /href="\/dashboard(\/transactions\/[^"]+)"/.exec(html)!;
  expect((await owner.visitor.open(to!)).status).toBe(200);
});
