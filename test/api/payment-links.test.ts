// Links that any number of customers may pay, through the API and their page: real Postgres, Temporal and
// sandbox gateway.

import { randomUUID } from 'node:crypto';
import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import { insist, type HttpResponse } from '../support/http';
import { startTestApi } from '../support/api';
import { actAt } from '../support/sandbox-gateway';
import { buildApiKey, buildUser } from '../support/users';
import { callApi, refusal } from './support/contract';
import { waitForStatus } from './support/intents';
import { waitFor } from '../support/wait';

const api = setUp(startTestApi);

afterEach(() => expectBooksHold(api.database.db));

const COFFEE = { title: 'Coffee', currency: 'XOF', amount: 500 } as const;

interface Options {
  readonly key?: string;
  readonly idempotency_key?: string;
}

function makeLink(
  body: Readonly<Record<string, unknown>> = COFFEE,
  { key = api.test_key, idempotency_key = randomUUID() }: Options = {},
): Promise<HttpResponse> {
  return callApi(api.service, 'POST', '/payment-links', { key, idempotency_key, body });
}

function call(method: 'GET' | 'PATCH', path: string, body?: object, key = api.test_key) {
  return callApi(api.service, method, `/payment-links${path}`, { key, body });
}

/** Sends the form of the link's page, as a customer does. */
async function order(
  { url }: HttpResponse['json'],
  fields: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly location: string; readonly page: string }> {
  const response = await fetch(url as string, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Accept-Language': 'en' },
    body: new URLSearchParams({ form_id: randomUUID(), ...fields }).toString(),
    redirect: 'manual',
  });
  const location = response.headers.get('location') ?? '';
  return { status: response.status, location, page: await response.text() };
}

/** A payment that a customer has begun, as the merchant reads it. */
async function begin(link: HttpResponse['json'], fields = {}): Promise<HttpResponse['json']> {
  const { status, location, page } = await order(link, fields);
  if (status !== 303) throw new Error(`The form is answered ${status}: ${page}`);
  return (await api.show(location.replace('/p/', ''))).json;
}

describe('POST /payment-links', () => {
  it('makes a link with a price', async () => {
    const until = '2099-01-01T00:00:00.000000Z';
    const { status, json, text } = await makeLink({
      ...COFFEE,
      quantity: { minimum: 1, maximum: 10 },
      max_payments: 100,
      active_until: until,
      collect: [
        { key: 'table', label: 'Table number', required: true },
        { key: 'note', label: 'Note' },
      ],
      description: 'From Casamance',
      return_url: 'https://shop.example/thanks',
      metadata: { counter: 3 },
    });
    expect([status, json]).toEqual([
      201,
      {
        ok: true,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        code: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{10}$/) as string,
        url: `${api.service.origin}/l/${json.code}`,
        qr_url: `${api.service.origin}/l/${json.code}/qr.svg`,
        status: 'active',
        title: 'Coffee',
        currency: 'XOF',
        amount: 500,
        open_amount: null,
        quantity: { minimum: 1, maximum: 10 },
        max_payments: 100,
        active_until: until,
        collect: [
          { key: 'table', label: 'Table number', required: true },
          { key: 'note', label: 'Note', required: false },
        ],
        description: 'From Casamance',
        return_url: 'https://shop.example/thanks',
        metadata: { counter: 3 },
        payments: 0,
        paid_amount: 0,
        environment: 'sandbox',
        created_at: json.updated_at,
        updated_at: expect.stringMatching(/Z$/) as string,
      },
    ]);
    expect(text).toContain('"amount":500.00,');
    expect((await call('GET', `/${json.id}`)).text).toBe(text);
    expect((await call('GET', `/${json.code}`)).text).toBe(text);
  });

  it('makes a link whose customers choose the amount', async () => {
    const open_amount = { minimum: 200, suggestions: [500, 1_000] };
    const { json } = await makeLink({ title: 'Tip', currency: 'XOF', open_amount });
    expect(json).toMatchObject({
      amount: null,
      open_amount: { minimum: 200, maximum: null, suggestions: [500, 1_000] },
      quantity: null,
      collect: [],
      metadata: {},
    });
  });

  it.each([
    ['neither a price nor an open amount', { amount: undefined }, 'amount'],
    ['both', { open_amount: {} }, 'amount'],
    ['cents of a franc', { amount: 0.5 }, 'amount'],
    ['a price above the limit', { amount: 9_999_999_999 }, 'amount'],
    ['bounds that are crossed', open({ minimum: 500, maximum: 200 }), 'open_amount/maximum'],
    [
      'a suggestion out of bounds',
      open({ maximum: 200, suggestions: [500] }),
      'open_amount/suggestions/0',
    ],
    ['cents in a bound', open({ minimum: 0.5 }), 'open_amount/minimum'],
    ['a quantity without a price', { ...open({}), quantity: range(1, 2) }, 'quantity'],
    ['a crossed quantity', { quantity: range(3, 2) }, 'quantity/maximum'],
    [
      'more than a payment may be',
      { amount: 9_000_000, quantity: range(1, 2) },
      'quantity/maximum',
    ],
    ['an end in the past', { active_until: '2020-01-01' }, 'active_until'],
    ['no instant', { active_until: 'tomorrow!!' }, 'active_until'],
    ['a key that is there twice', { collect: [field('a'), field('a')] }, 'collect/1/key'],
    ['a key with capitals', { collect: [field('Table')] }, 'collect/0/key'],
    ['a return address without TLS', { return_url: 'http://shop.example' }, 'return_url'],
  ])('refuses %s', async (_, changes, param) => {
    expect(await makeLink({ ...COFFEE, ...changes })).toMatchObject(
      refusal('invalid_request', param),
    );
  });
});

function open(open_amount: object) {
  return { amount: undefined, open_amount };
}

function range(minimum: number, maximum: number) {
  return { minimum, maximum };
}

function field(key: string) {
  return { key, label: 'One' };
}

describe('a payment of a link', () => {
  it('is a payment intent with what the customer chose, and is counted when it succeeds', async () => {
    const { json: link } = await makeLink({
      ...COFFEE,
      quantity: range(1, 5),
      collect: [field('table'), field('note')],
      return_url: 'https://shop.example/thanks',
      metadata: { counter: 3 },
    });
    const intent = await begin(link, { quantity: '3', collect_table: ' 12 ', collect_note: '' });
    expect(intent).toMatchObject({
      status: 'open',
      amount: 1_500,
      currency: 'XOF',
      description: '3 × Coffee',
      return_url: 'https://shop.example/thanks',
      metadata: { counter: 3 },
      payment_link_id: link.id,
      quantity: 3,
      collected: { table: '12', note: null },
    });
    expect(Date.parse(intent.expires_at) - Date.parse(intent.created_at)).toBe(1_800_000);
    await actAt(intent.checkout_url, 'pay');
    await waitForStatus(api, intent, 'succeeded');
    const shown = (await call('GET', `/${link.id}`)).json;
    expect(shown).toMatchObject({ payments: 1, paid_amount: 1_500 });
    const events = await callApi(api.service, 'GET', '/events?limit=1', { key: api.test_key });
    const { data } = events.json.events[0];
    expect(data).toMatchObject({
      payment_link_id: link.id,
      quantity: 3,
      collected: { table: '12' },
    });
    const { json: page } = await call('GET', `/${link.id}/payments`);
    expect(page.payment_intents).toEqual([{ ...data, ok: undefined }]);
  });

  it('of an intent of its own names no link', async () => {
    const { json } = await api.create();
    expect(json).toMatchObject({ payment_link_id: null, quantity: null, collected: null });
  });

  it('is made once for a form that is sent twice, whatever it says then', async () => {
    const collect = [field('table')];
    const { json: link } = await makeLink({
      title: 'Tip',
      currency: 'XOF',
      open_amount: {},
      collect,
    });
    const form = { form_id: randomUUID(), amount: '700', collect_table: '7' };
    const twice = await Promise.all([1, 2].map(() => order(link, form)));
    expect(new Set(twice.map(({ location }) => location)).size).toBe(1);
    for (const changed of [{ amount: '800' }, { collect_table: '8' }]) {
      const other = await order(link, { ...form, ...changed });
      expect([other.status, other.page]).toEqual([
        409,
        expect.stringContaining(`href="${twice[0]!.location}"`) as string,
      ]);
    }
    expect((await call('GET', `/${link.id}/payments`)).json.payment_intents).toHaveLength(1);
  });

  it('is one of a visit, which a reload and a second tab go on with; another one is asked for', async () => {
    const { json: link } = await makeLink();
    const look = async (cookie: string) => {
      const response = await fetch(link.url as string, { headers: { cookie } });
      const page = await response.text();
      const form_id = /name="form_id" value="([^"]+)"/.exec(page)?.[1] ?? '';
      return { page, form_id, cookie: response.headers.get('set-cookie')?.split(';')[0] };
    };
    const { form_id, cookie = '' } = await look('');
    expect(await look(cookie)).toMatchObject({ form_id, cookie: undefined });
    const { location } = await order(link, { form_id });
    const back = await look(cookie);
    expect(back).toMatchObject({ form_id: '', cookie: undefined });
    expect(back.page).toContain(`href="${location}"`);
    const again = await fetch(link.url as string, {
      method: 'POST',
      headers: { cookie },
      body: new URLSearchParams({ again: '1' }),
      redirect: 'manual',
    });
    expect(again.headers.get('location')).toBe(new URL(link.url as string).pathname);
    const next = await look(again.headers.get('set-cookie')!.split(';')[0]!);
    expect((await order(link, { form_id: next.form_id })).location).not.toBe(location);
    expect((await look('')).form_id).not.toBe(form_id);
  });

  it.each([
    ['no amount', {}, 'Write an amount'],
    ['too little', { amount: '100' }, 'At least 200'],
    ['too much', { amount: '5 000' }, 'At most 2,000'],
    ['a suggestion of another link', { suggested: '1' }, 'Write an amount'],
    ['no answer', { amount: '500', collect_table: ' ' }, 'Fill in this field.'],
    ['a long answer', { amount: '500', collect_table: 'x'.repeat(201) }, 'At most 200 characters.'],
  ])('is refused with %s', async (_, fields, fault) => {
    const { json: link } = await makeLink({
      title: 'Tip',
      currency: 'XOF',
      open_amount: { minimum: 200, maximum: 2_000, suggestions: [500] },
      collect: [{ ...field('table'), required: true }],
    });
    const { status, page } = await order(link, { collect_table: '12', ...fields });
    expect([status, page.replaceAll('\u00a0', ' ')]).toEqual([
      422,
      expect.stringContaining(fault) as string,
    ]);
    expect((await call('GET', `/${link.id}/payments`)).json.payment_intents).toEqual([]);
  });

  it.each(['0', '6', '1.5', '-1', 'two', ''])('is refused for %p pieces', async (quantity) => {
    const { json: link } = await makeLink({ ...COFFEE, quantity: range(1, 5) });
    const { status, page } = await order(link, { quantity });
    expect([status, page]).toEqual([422, expect.stringContaining('From 1 to 5.') as string]);
  });

  it('takes a suggestion, and what is typed before it', async () => {
    const open_amount = { suggestions: [500, 1_000] };
    const { json: link } = await makeLink({ title: 'Tip', currency: 'XOF', open_amount });
    expect(await begin(link, { suggested: '100000' })).toMatchObject({ amount: 1_000 });
    expect(await begin(link, { suggested: '100000', amount: '750 FCFA' })).toMatchObject({
      amount: 750,
    });
  });
});

// Places that are taken and given back: test/db/payment-links.test.ts.
describe('a link', () => {
  it('with one place left begins one payment of 16 at once, and says to the others that it is sold out', async () => {
    const { json: link } = await makeLink({ ...COFFEE, max_payments: 1 });
    const orders = await Promise.all(
      Array.from({ length: 16 }, () => {
        const form = { form_id: randomUUID() };
        return insist(() => order(link, form));
      }),
    );
    const late = orders.filter(({ status }) => status !== 303);
    expect(late).toHaveLength(15);
    for (const { status, page } of late) {
      expect([status, page]).toEqual([410, expect.stringContaining('Sold out') as string]);
    }
  });

  it.each([
    ['inactive', { active: false }, { active: true }],
    ['expired', { active_until: '2100-01-01T00:00:00Z' }, { active_until: null }],
    ['sold_out', { max_payments: 1 }, { max_payments: null }],
  ])('that is %s offers nothing, and who is at the gateway still pays', async (...one) => {
    const [status, closing, opening] = one;
    const { json: link } = await makeLink(COFFEE);
    const intent = await begin(link);
    expect((await call('PATCH', `/${link.code}`, closing)).status).toBe(200);
    // The time is over.
    await api.database.owner.raw(
      'update payment_links set active_until = clock_timestamp() where id = ? and active_until is not null',
      [link.id],
    );
    await waitFor(async () => (await call('GET', `/${link.id}`)).json.status === status);
    const english = { headers: { 'Accept-Language': 'en' } };
    for (const answer of [await order(link), await fetch(link.url, english)]) {
      const text = 'page' in answer ? answer.page : await answer.text();
      expect([answer.status, text.includes('<form')]).toEqual([410, false]);
    }
    await actAt(intent.checkout_url, 'pay');
    await waitForStatus(api, intent, 'succeeded');
    expect((await call('PATCH', `/${link.id}`, opening)).json.status).toBe('active');
  });
});

describe('PATCH /payment-links', () => {
  it('changes what it names and nothing else; two at once both last', async () => {
    const { json: link } = await makeLink({ ...COFFEE, description: 'Hot', metadata: { a: 1 } });
    const changes = [
      { title: 'Tea' },
      { description: null },
      { metadata: { b: 2 } },
      { max_payments: 7 },
    ];
    await Promise.all(changes.map((body) => call('PATCH', `/${link.id}`, body)));
    const after = (await call('GET', `/${link.id}`)).json;
    const changed = { title: 'Tea', description: null, metadata: { b: 2 }, max_payments: 7 };
    expect(after).toEqual({ ...link, ...changed, updated_at: after.updated_at });
  });
});

describe('the lists', () => {
  it('are paged, newest first', async () => {
    const user = await buildUser(api.database.db);
    const { key } = await buildApiKey(api.database.db, { user, environment: 'sandbox' });
    const made = [];
    for (const title of ['A', 'B', 'C'])
      made.push((await makeLink({ ...COFFEE, title }, { key })).json.id);
    const first = (await call('GET', '?limit=2', undefined, key)).json;
    const second = (await call('GET', `?limit=2&cursor=${first.next_cursor}`, undefined, key)).json;
    const ids = [...first.payment_links, ...second.payment_links].map(
      ({ id }: { id: string }) => id,
    );
    expect([ids, first.has_more, second.has_more]).toEqual([made.reverse(), true, false]);
  });

  it('of payments come as CSV, with a column for each field that is asked for', async () => {
    const { json: link } = await makeLink({ ...COFFEE, collect: [field('table'), field('note')] });
    const intent = await begin(link, { collect_table: '=1+1', collect_note: 'a,b' });
    const response = await fetch(`${api.service.base_url}/payment-links/${link.id}/payments`, {
      headers: { Authorization: `Bearer ${api.test_key}`, Accept: 'text/csv' },
    });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [header, line, end] = (await response.text()).split('\n');
    expect(header).toBe(
      'id,reference,status,currency,amount,fee,tax,net_amount,refunded_amount,quantity,created_at,succeeded_at,collected_table,collected_note',
    );
    expect(line).toBe(
      `${intent.id},${intent.reference},open,XOF,500.00,0.00,0.00,500.00,0.00,1,${intent.created_at},,'=1+1,"a,b"`,
    );
    expect(end).toBe('');
  });
});

it('the QR code is a picture that needs no key', async () => {
  const { json: link } = await makeLink();
  const response = await fetch(link.qr_url);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect(await response.text()).toMatch(
    /^<svg viewBox="0 0 \d+ \d+" role="img" aria-label="Coffee" xmlns/,
  );
  expect((await fetch(`${api.service.origin}/l/1111111111/qr.svg`)).status).toBe(404);
});
