// Rehearsing from the dashboard: each form does to the account's sandbox what a call of the API does.

import { randomUUID } from 'node:crypto';
import { FUNDS_A_DAY } from '../../db/sandbox/fund';
import { FAULT_MEANINGS } from '../../domain/fault';
import { PAYING_PHONES, TEST_PHONES } from '../../domain/test-phones';
import { TEST_BUTTONS } from '../../domain/test-values';
import { callApi } from '../api/support/contract';
import { openSession } from '../support/database';
import { insist, type HttpResponse } from '../support/http';
import { RUNNABLE, runSample } from '../support/programs';
import { buildApiKey, fund } from '../support/users';
import { waitFor } from '../support/wait';
import { expectPage, type GivenFields, type VisitedPage } from './visitor';
import { useWorld } from './world';

const w = useWorld({ gateway: {}, of_each: 'test', funds: { sandbox: { XOF: 10_000_000n } } });
let key: string;

beforeEach(async () => {
  ({ key } = await buildApiKey(w.database.db, { user: w.user, environment: 'sandbox' }));
  await w.visitor.open('/rehearse');
});

const call = (
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  idempotency_key: string = randomUUID(),
): Promise<HttpResponse> =>
  callApi(w.service, method, path, { key, ...(body && { body, idempotency_key }) });

/** Fills in a form of the page and sends it. */
const send = (action: string, fields: GivenFields): Promise<VisitedPage> =>
  w.visitor.fill('/rehearse', fields, `/rehearse/${action}`);
/** Sends a form as another page would. */
const post = (action: string, fields: GivenFields = {}) =>
  w.visitor.post(`/rehearse/${action}`, fields);

const noticeOf = ({ document }: VisitedPage): string =>
  document.querySelector('.notice')?.textContent ?? '';
const rowsOf = ({ document }: VisitedPage, caption: string): string[] =>
  document
    .querySelectorAll('table')
    .filter((table) => table.querySelector('caption')?.textContent === caption)
    .flatMap((table) => table.querySelectorAll('tbody tr'))
    .map(({ structuredText }) => structuredText.replace(/\s+/g, ' '));
const aheadOf = async (): Promise<number> =>
  (await call('GET', '/sandbox/clock')).json.offset_seconds;

describe('the clock', () => {
  it('shows what waits with a link to it, moves it on, and says what became of it', async () => {
    const body = { amount: 5000, currency: 'XOF' };
    const { json: link } = await insist(() => call('POST', '/payment-intents', body, 'link-1'));
    const before = await w.visitor.open('/rehearse');
    const waiting = expect.stringMatching(/^Payment link .* (1 day|23 hours .*)$/) as string;
    expect(rowsOf(before, 'What waits')).toEqual([waiting]);
    expect(before.html).toContain(`href="/dashboard/links/${link.id}"`);
    expectPage(before, 200, 'Nothing: it was never moved');

    const hour = await send('clock', { step: '3600' });
    expect(noticeOf(hour)).toBe(
      'The clock was advanced by 1 hour. Came nearer: 1 payment link. All that became due is done, with its webhooks.',
    );
    expectPage(hour, 200, /Ahead by\s+1 hour/);

    const next = await send('clock', { step: 'next' });
    expect(noticeOf(next)).toMatch(/^Came nearer: 1 payment link\./);
    // A move answers after ten seconds, whatever is left to do.
    const path = `/payment-intents/${link.id}`;
    await waitFor(async () => (await call('GET', path)).json.status === 'expired');
    const none = await send('clock', { step: 'next' });
    expect(noticeOf(none)).toMatch(/^Nothing was waiting for it\./);
    expect(rowsOf(none, 'What waits')).toEqual([]);
    expect(await aheadOf()).toBeLessThanOrEqual(86_401);
  });

  it('moves by hours, at least one, and no further than 400 days', async () => {
    expect((await post('clock', { hours: '30' })).status).toBe(303);
    expectPage(await w.visitor.open('/rehearse'), 200, /Ahead by\s+1 day 6 hours/);
    for (const hours of ['', '0', '-1', '1.5', '9601', '9600']) {
      const refused = await post('clock', { hours });
      const fault = /id="hours-fault">(Write a whole number|The clock moves 400 days)/;
      expectPage(refused, 422, fault);
    }
    expect(await aheadOf()).toBe(30 * 3_600);
  });
});

describe('a fault', () => {
  it('is met by the next calls of its operation, as often as it was ordered', async () => {
    const me = { operation: 'GET /me' };
    const leftOn = (page: VisitedPage) => rowsOf(page, 'Faults that are left');
    const page = await send('faults', { ...me, fault: 'unavailable', times: '2' });
    expect(noticeOf(page)).toMatch(/^GET \/me: the next call gets unavailable/);
    expect(leftOn(page)).toEqual(['GET /me unavailable 2 of 2']);
    const applied = async () => (await call('GET', '/me')).headers['sandbox-fault-applied'];
    expect(await applied()).toBe('unavailable');
    expect(leftOn(await w.visitor.open('/rehearse'))).toEqual(['GET /me unavailable 1 of 2']);
    await send('faults', { ...me, fault: 'slow=MS', ms: '3' });
    expect(noticeOf(await w.visitor.submit('/rehearse/faults/end'))).toBe('2 faults ended.');
    expect(leftOn(w.visitor.page)).toEqual([]);
    await send('faults', { ...me, fault: 'slow-after=MS', ms: '7' });
    expect(await applied()).toBe('slow-after=7');
  });

  it('is one of those that the API has, for each of its operations and no other', () => {
    const optionsOf = (name: string): string[] =>
      w.visitor.page.document
        .querySelectorAll(`select[name=${name}] option`)
        .map((one) => one.getAttribute('value')!);
    expect(optionsOf('fault')).toEqual(Object.keys(FAULT_MEANINGS));
    expect(optionsOf('operation')).toEqual(expect.arrayContaining(['POST /transfers', 'GET /me']));
    expect(optionsOf('operation').filter((one) => one.includes('/sandbox'))).toEqual([]);
  });

  it.each([
    [{ operation: 'POST /nothing' }, { operation: 'Choose one of the list.' }],
    [{ fault: 'fire' }, { fault: 'Choose one of the list.' }],
    [{ fault: 'slow=MS', ms: '60001' }, { ms: 'number of milliseconds, 60,000 at most.' }],
    [{ times: '101' }, { times: 'Write a whole number from 1 to 100.' }],
    [{ operation: 'GET /me', fault: 'in-progress' }, { fault: 'that take an Idempotency-Key.' }],
    [{ fault: 'gateway-down' }, { fault: 'that call a gateway: payment links, attempts' }],
  ] as const)('%j is refused beside its field, and kept', async (fields, faults) => {
    const page = await send('faults', fields as GivenFields);
    const [[name, text]] = Object.entries(faults) as [[string, string]];
    expect([page.status, page.faults]).toEqual([422, { [name]: expect.stringContaining(text) }]);
    expect((await call('GET', '/sandbox/faults')).json.faults).toEqual([]);
  });
});

describe('play money', () => {
  it('says what is left, and is asked for again by the same key when its outcome is not known', async () => {
    expectPage(w.visitor.page, 200, 'You have 20 left.');
    const session = await openSession(w.database.owner_url);
    await session.query('begin');
    await session.query('select from ledger_accounts where user_id = $1 for update', [w.user.id]);
    const page = await w.visitor.submit('/rehearse/fund', { amount: '1000' });
    await session.query('rollback');
    expectPage(page, 503, 'The outcome is not known');
    expect(noticeOf(await w.visitor.submit('/rehearse/fund'))).toMatch(/^1,000\sFCFA/);
    expectPage(w.visitor.page, 200, 'You have 19 left.');
    expect(await w.balance()).toBe(10_100_000n);
  });

  it('ends after so many times a day, and is given to no full wallet', async () => {
    await fund(w.database.db, w.user.id, 'sandbox', 'EUR', 999_999_000_000_000n);
    expect((await send('fund', { currency: 'EUR', amount: '1000000000' })).faults).toEqual({
      amount: 'The wallet would hold more than a wallet may.',
    });
    expect(Object.keys((await send('fund', { amount: '1,5' })).faults)).toEqual(['amount']);
    for (let i = 0; i < FUNDS_A_DAY; i += 1) {
      const body = { currency: 'XOF', amount: 100 };
      await insist(() => call('POST', '/sandbox/fund', body, `fund-${i}`));
    }
    // From a page that was open before.
    const late = await w.visitor.submit('/rehearse/fund', { amount: '100' });
    expectPage(late, 422, 'None is left for now', 'You have 0 left.');
    expect(late.document.querySelector('form[action$="/rehearse/fund"]')).toBeNull();
  });
});

describe('values that mean something', () => {
  it('are all there, in the words of the reader', async () => {
    const { text } = await w.visitor.open('/rehearse?lang=fr');
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
      const samples = w.visitor.page.document
        .querySelectorAll('.snippet code')
        .map(({ textContent }) => textContent)
        .filter((text) => text.startsWith(language));
      const printed: string[] = [];
      for (const text of samples) {
        const { stdout } = await runSample({ language, text: text.replace('pay_test_...', key) });
        printed.push(stdout);
      }
      // The response of the first is lost.
      const said = ['"PYT-', '"pay_url"'].map((one) => expect.stringContaining(one) as string);
      expect(printed).toEqual(['', ...said]);
    },
  );
});

it('in live there is a way to the sandbox, no link in the navigation, and no effect', async () => {
  const { visitor } = w;
  const HERE = /^\/dashboard\/rehearse\?draft=/;
  const inNavigation = ({ document }: VisitedPage) =>
    document.querySelector('nav.pages a[href$="/rehearse"]') !== null;
  expect(inNavigation(visitor.page)).toBe(true);
  const live = await visitor.submit('/environment', { environment: 'live' });
  expect([live.path, inNavigation(live)]).toEqual([expect.stringMatching(HERE), false]);
  expectPage(live, 200, 'Rehearsals are for the sandbox');
  for (const [action, fields] of [
    ['clock', { step: '3600' }],
    ['faults', { operation: 'GET /me', fault: 'unavailable', times: '1' }],
    ['faults/end', {}],
    ['fund', { draft: randomUUID(), currency: 'XOF', amount: '100' }],
  ] as const) {
    expect([action, (await post(action, fields)).status]).toEqual([action, 403]);
  }
  expect([await aheadOf(), await w.balance()]).toEqual([0, 10_000_000n]);
  expect((await call('GET', '/sandbox/faults')).json.faults).toEqual([]);
  const to = { environment: 'sandbox', path: '/dashboard/rehearse' };
  const back = await visitor.submit('/environment', to);
  expect(back.path).toMatch(HERE);
  expectPage(back, 200, 'What waits');
});
