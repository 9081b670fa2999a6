// Payouts over HTTP, paid by the simulated operator: what a merchant sees of them, whatever becomes of them.

import { randomUUID } from 'node:crypto';
import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { startTestApi } from '../support/api';
import { request, type HttpResponse } from '../support/http';
import { setFaults } from '../support/sandbox-gateway';
import { actOnPayout, listPaid } from '../support/sandbox-payouts';
import { buildApiKey, fund } from '../support/users';
import { waitFor } from '../support/wait';
import { expectGenuine, startReceiver, type TestReceiver } from '../support/webhooks';
import { callApi, refusal } from './support/contract';
import { isReplay } from './support/intents';

const api = setUp(() => startTestApi({ webhooks: true }));

const UNLIMITED = { requests_per_minute: 1_000_000, writes_per_minute: 1_000_000 };

beforeAll(async () => {
  await fund(api.database.db, api.merchant.id, 'sandbox', 'XOF', 100_000_000n);
  await fund(api.database.db, api.merchant.id, 'sandbox', 'EUR', 100_000_000n);
  await fund(api.database.db, api.merchant.id, 'live', 'XOF', 100_000_000n);
});

afterEach(async () => {
  await setFaults(api.gateway, 'sandbox', {});
  await expectBooksHold(api.database.db);
});

type Json = HttpResponse['json'];

const PHONE = '+221770000100';
const BANK = { type: 'bank', account: 'SN0812345678901234', name: 'Awa Diop' };

interface Sent {
  readonly key?: string;
  readonly idempotency_key?: string;
  readonly phone?: string;
  readonly [field: string]: unknown;
}

/** 5000 XOF to a phone that is paid, unless the fields say otherwise. */
function order({
  key = api.test_key,
  idempotency_key = randomUUID(),
  phone = PHONE,
  ...fields
}: Sent = {}): Promise<HttpResponse> {
  const destination = { type: 'mobile_money', phone };
  const body = { currency: 'XOF', amount: 5000, destination, ...fields };
  return callApi(api.service, 'POST', '/payouts', { key, idempotency_key, body });
}

const act = (id: string, what: string, body?: unknown, key = api.test_key): Promise<HttpResponse> =>
  callApi(api.service, 'POST', `/payouts/${id}/${what}`, { key, ...(body ? { body } : {}) });

async function show(id: string, key = api.test_key): Promise<Json> {
  return (await callApi(api.service, 'GET', `/payouts/${id}`, { key })).json;
}

async function until(id: string, status: string, key?: string): Promise<Json> {
  return waitFor(async () => {
    const shown = await show(id, key);
    return shown.status === status && shown;
  });
}

const wallet = (): Promise<bigint> => balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox');

describe('POST /payouts', () => {
  it('answers what was committed, and pays it', async () => {
    const before = await wallet();
    const created = await order({
      name: 'Awa Diop',
      metadata: { wage: 'May' },
      phone: '+221 77 000.01-00',
    });
    expect(created.status).toBe(201);
    expect(created.text).toContain('"amount":5000.00,"fee":0.00,"total":5000.00,');
    expect(created.json).toEqual({
      ok: true,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      reference: expect.stringMatching(/^PYT-[0-9A-HJKMNP-TV-Z]{20}$/),
      status: 'pending',
      stage: 'queued',
      conclusive: false,
      currency: 'XOF',
      amount: 5000,
      fee: 0,
      total: 5000,
      destination: {
        type: 'mobile_money',
        phone: PHONE,
        operator: 'orange_sn',
        account: null,
        bank_code: null,
        name: 'Awa Diop',
        name_found: 'Awa Diop',
        name_match: 'match',
      },
      provider: { name: 'sandbox', payment_id: null },
      failure: null,
      returned_amount: 0,
      approval: null,
      batch_id: null,
      description: null,
      metadata: { wage: 'May' },
      environment: 'sandbox',
      created_at: expect.any(String),
      updated_at: created.json.created_at,
      sent_at: null,
      completed_at: null,
      expires_at: expect.any(String),
    });
    expect(await wallet()).toBe(before - 500_000n);
    const paid = await until(created.json.id, 'succeeded');
    expect(paid).toMatchObject({ stage: null, conclusive: true, expires_at: null });
    expect(paid.provider.payment_id).not.toBeNull();
    const seen = (await listPaid(api.gateway, 'sandbox')).filter(
      (one) => one.payout_id === created.json.id,
    );
    expect(seen).toMatchObject([{ amount: '5000', paid: '5000' }]);
    const { json } = await callApi(
      api.service,
      'GET',
      `/transactions?reference=${paid.reference}`,
      {
        key: api.test_key,
      },
    );
    expect(json.transactions).toMatchObject([
      { type: 'withdrawal', status: 'completed', amount: 5000, net_amount: 5000, related: paid.id },
    ]);
  });

  it('goes to the new number of Benin where the old one was written', async () => {
    const idempotency_key = randomUUID();
    const created = await order({ idempotency_key, phone: '+229 97 00 01 00' });
    const { destination } = created.json;
    expect(destination).toMatchObject({ phone: '+2290197000100', operator: 'mtn_bj' });
    const again = await order({ idempotency_key, phone: '+2290197000100' });
    expect([again.text, isReplay(again)]).toEqual([created.text, true]);
    await until(created.json.id, 'succeeded');
  });

  it('pays a bank account, of which the last four are shown', async () => {
    const destination = {
      type: 'bank',
      account: 'SN08 SN01 0100 1520 0000 0260 00',
      name: 'Awa Diop',
    };
    const { json } = await order({ currency: 'EUR', amount: 12.5, destination });
    expect(json.destination).toMatchObject({ type: 'bank', account: '…6000', phone: null });
    await until(json.id, 'succeeded');
  });

  it('pays live money by the same way', async () => {
    const { json } = await order({ key: api.live_key });
    expect(json.environment).toBe('live');
    await until(json.id, 'succeeded', api.live_key);
  });

  it.each([
    ['an unknown country', { phone: '+33612345678' }, 'unsupported_destination', 'destination'],
    ['euros to a phone', { currency: 'EUR', amount: 5 }, 'unsupported_destination', 'destination'],
    ['too little', { amount: 1 }, 'amount_out_of_bounds', 'amount'],
    [
      'another name',
      { name: 'Awa Diop', name_check: 'require', phone: '+221770000004' },
      'name_mismatch',
      'name',
    ],
    [
      'a close name',
      { name: 'Awa Diop', name_check: 'require', phone: '+221770000005' },
      'name_mismatch',
      'name',
    ],
    ['cents of francs', { amount: 10.5 }, 'invalid_request', 'amount'],
    [
      'no destination',
      { destination: { type: 'bank', account: '****', name: 'A' } },
      'invalid_request',
      'destination/account',
    ],
    [
      'a phone of another length',
      { phone: '+22177123456' },
      'invalid_request',
      'destination/phone',
    ],
    ['a phone with a .0', { phone: '+221770000100.0' }, 'invalid_request', 'destination/phone'],
    [
      'an IBAN with a wrong digit',
      { destination: { ...BANK, account: 'FR76 3000 6000 0112 3456 7890 188' } },
      'invalid_request',
      'destination/account',
    ],
    [
      'a name beside that of the holder',
      { destination: BANK, name: 'Binta Fall', name_check: 'require' },
      'invalid_request',
      'name',
    ],
  ])('refuses %s, and keeps nothing for the key', async (_, fields, code, param) => {
    const idempotency_key = randomUUID();
    const refused = await order({ idempotency_key, ...fields });
    expect(refused).toMatchObject(refusal(code as never));
    expect(refused.json.error.param).toBe(param);
    expect((await order({ idempotency_key })).status).toBe(201);
  });

  it('says by how much an amount is out of bounds, and a limit exceeded', async () => {
    const { json } = await order({ amount: 1 });
    expect(json.error.details).toEqual({ minimum: 100, maximum: 2_000_000 });
    await api.database.owner.raw(
      `insert into payout_settings (user_id, currency, single_minor) values (?, 'XOF', 400000)`,
      [api.merchant.id],
    );
    const limited = await order();
    await api.database.owner.raw('delete from payout_settings where user_id = ?', [
      api.merchant.id,
    ]);
    expect(limited).toMatchObject(refusal('limit_exceeded'));
    expect(limited.json.error.details).toEqual({
      limit: 'single',
      currency: 'XOF',
      maximum: 4000,
      used: 0,
      remaining: 4000,
      resets_at: null,
    });
  });

  it('refuses what is more than the wallet has, and says so for ever', async () => {
    const idempotency_key = randomUUID();
    const many = { idempotency_key, amount: 1_500_000 };
    const refused = await order(many);
    expect(refused).toMatchObject(refusal('insufficient_funds'));
    expect((await order(many)).text).toBe(refused.text);
  });
});

it('to a bank account has its holder’s name compared, also when the operator answers late', async () => {
  await setFaults(api.gateway, 'sandbox', { fail: '5xx', only: 'check_payout' });
  const { json } = await order({ destination: BANK, name: BANK.name, name_check: 'require' });
  expect(json.destination.name_match).toBeNull();
  await setFaults(api.gateway, 'sandbox', {});
  expect((await until(json.id, 'succeeded')).destination.name_match).toBe('match');
});

describe('a closed operator', () => {
  it('has the payout wait until it is canceled, or opens', async () => {
    const before = await wallet();
    const waiting = await order({ phone: '+221770000007' });
    await waitFor(async () => (await show(waiting.json.id)).provider.payment_id !== null);
    expect(await show(waiting.json.id)).toMatchObject({ status: 'pending', stage: 'queued' });
    const canceled = await act(waiting.json.id, 'cancel');
    expect(canceled.json).toMatchObject({ status: 'canceled', conclusive: true });
    expect((await act(waiting.json.reference, 'cancel')).json).toEqual(canceled.json);
    expect(await wallet()).toBe(before);
    const confirmed = await order({ phone: '+221770000007', confirm: false });
    expect((await act(confirmed.json.id, 'confirm')).json.status).toBe('pending');
    await waitFor(async () => (await act(confirmed.json.id, 'cancel')).status === 200);
    // The confirmation repeated, or one that was overtaken by the cancellation.
    expect(await act(confirmed.json.id, 'confirm')).toMatchObject(
      refusal('payout_not_confirmable'),
    );
    const other = await order({ phone: '+221770000007' });
    await waitFor(async () => (await show(other.json.id)).provider.payment_id !== null);
    await actOnPayout(api.gateway, 'sandbox', other.json.id, { action: 'open' });
    await until(other.json.id, 'succeeded');
    expect(await act(other.json.id, 'cancel')).toMatchObject(refusal('payout_not_cancelable'));
  });

  it('is told at once when the order does not want to wait', async () => {
    const refused = await order({ phone: '+221770000007', when_closed: 'refuse' });
    expect(refused).toMatchObject(refusal('provider_unavailable'));
    expect(refused.json.error.message).toMatch(/leave when_closed out/);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('a payout', () => {
  it('waits for its confirmation, with the name that was found', async () => {
    const { json } = await order({ confirm: false, name: 'Awa Diop', phone: '+221770000004' });
    expect(json).toMatchObject({
      status: 'requires_confirmation',
      stage: null,
      destination: { name_match: 'no_match', name_found: expect.stringContaining('*') },
    });
    expect((await act(json.id, 'confirm')).json.status).toBe('pending');
    await until(json.id, 'succeeded');
    expect((await act(json.id, 'confirm')).status).toBe(200);
    const { json: told } = await callApi(api.service, 'GET', `/payouts/${json.id}/timeline`, {
      key: api.test_key,
    });
    const kinds = (told.timeline as { kind: string }[]).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['requested', 'confirmed', 'sent', 'succeeded']));
    const key_id = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
    expect(told.timeline[kinds.indexOf('confirmed')].detail).toEqual({ key_id });
    expect(await act((await order()).json.id, 'confirm')).toMatchObject(
      refusal('payout_not_confirmable'),
    );
  });

  it('is approved by the person of another key, and rejected with a reason', async () => {
    const { owner, db } = api.database;
    const keyOf = async (role: string): Promise<string> => {
      const email = `${randomUUID()}@example.com`;
      const made = await buildApiKey(db, {
        user: api.merchant,
        environment: 'sandbox',
        ...UNLIMITED,
      });
      await owner.raw(
        `with l as (insert into logins (email, password_hash) values (?, 'none') returning id),
              m as (insert into memberships (login_id, user_id, role) select id, ?, ? from l)
         update api_keys set login_id = l.id from l where api_keys.id = ?`,
        [email, api.merchant.id, role, made.id],
      );
      return made.key;
    };
    const [one, two] = [await keyOf('developer'), await keyOf('developer')];
    await owner.raw(
      `insert into payout_settings (user_id, currency, approval_above_minor) values (?, 'XOF', 100000)`,
      [api.merchant.id],
    );
    const [ordered, rejected] = [
      (await order({ key: one })).json,
      (await order({ key: one })).json,
    ];
    await owner.raw('delete from payout_settings where user_id = ?', [api.merchant.id]);
    expect(ordered).toMatchObject({
      status: 'requires_approval',
      approval: { needed: 1, given: [] },
    });
    expect(await act(ordered.id, 'approve', undefined, one)).toMatchObject(
      refusal('approval_by_creator'),
    );
    // A key that operators have made is no member's.
    expect(await act(ordered.id, 'approve')).toMatchObject(refusal('forbidden'));
    const approved = await act(ordered.id, 'approve', undefined, two);
    expect(approved.json).toMatchObject({ status: 'pending', approval: { given: [{}] } });
    await until(ordered.id, 'succeeded');
    const refused = await act(rejected.id, 'reject', { reason: 'Not this month' }, two);
    expect(refused.json.status).toBe('canceled');
    expect(await act(ordered.id, 'reject', {}, two)).toMatchObject(
      refusal('payout_not_approvable'),
    );
  });

  it('tells its endpoints what happens, also when it comes back later', async () => {
    const receiver: TestReceiver = await startReceiver();
    const types = ['payout.sent', 'payout.succeeded', 'payout.returned'];
    const { json: endpoint } = await callApi(api.service, 'POST', '/webhook-endpoints', {
      key: api.test_key,
      body: { url: receiver.url, types },
    });
    const { json } = await order();
    await until(json.id, 'succeeded');
    await actOnPayout(api.gateway, 'sandbox', json.id, { action: 'return', amount: '2000' });
    await waitFor(async () => (await show(json.id)).returned_amount === 2000);
    expect((await show(json.id)).status).toBe('succeeded');
    await actOnPayout(api.gateway, 'sandbox', json.id, { action: 'return' });
    const returned = await until(json.id, 'returned');
    const told = await waitFor(() => {
      const webhooks = receiver.received.filter(({ body }) => JSON.parse(body).data.id === json.id);
      return webhooks.length === 4 && webhooks;
    });
    for (const webhook of told) expectGenuine(webhook, endpoint.secret);
    expect(told.map(({ body }) => JSON.parse(body).type)).toEqual([...types, 'payout.returned']);
    const { ok: _, ...resource } = returned;
    expect(JSON.parse(told[3]!.body).data).toEqual(resource);
  });
});

describe('GET /payouts', () => {
  const COLUMNS = [
    'id reference status stage currency amount fee total',
    'destination_type destination_phone destination_operator destination_account destination_bank_code',
    'destination_name destination_name_found destination_name_match',
    'provider_name provider_payment_id failure_code failure_message failure_provider_code',
    'returned_amount batch_id description environment',
    'created_at updated_at sent_at completed_at expires_at',
  ].flatMap((names) => names.split(' '));

  it('lists by status, reference and period, as JSON and as a file', async () => {
    const { json: made } = await order({ phone: '+221770000002', name: '=SUM(A1)' });
    const failed = await until(made.id, 'failed');
    const list = async (query: string): Promise<Json[]> =>
      (await callApi(api.service, 'GET', `/payouts?${query}`, { key: api.test_key })).json.payouts;
    const { ok: _, ...shown } = failed;
    expect(await list(`reference=${made.reference}`)).toEqual([shown]);
    expect((await list('status=failed&limit=1'))[0]).toEqual(shown);
    expect(await list(`created_from=${made.created_at}&limit=1`)).toEqual([shown]);
    expect((await list('status=succeeded')).every(({ status }) => status === 'succeeded')).toBe(
      true,
    );
    const file = await request(api.service, 'GET', '/payouts?status=failed', {
      key: api.test_key,
      headers: { accept: 'text/csv' },
    });
    const [header = '', first = ''] = file.text.split('\n');
    expect(header.split(',')).toEqual(COLUMNS);
    const { payment_id, name } = failed.provider;
    expect(payment_id).toEqual(expect.any(String));
    expect(first).toContain(`,${name},${payment_id},${failed.failure.code},`);
    expect(first).toContain(`,${failed.failure.provider_code},0.00,,`);
    expect(first).toContain(`,sandbox,${made.created_at},`);
    expect(first.endsWith(`,${failed.completed_at},`)).toBe(true);
    const waiting = await order({ confirm: false });
    const waits = await request(
      api.service,
      'GET',
      `/payouts?reference=${waiting.json.reference}`,
      {
        key: api.test_key,
        headers: { accept: 'text/csv' },
      },
    );
    expect(waits.text.split('\n')[1]!.endsWith(`,${waiting.json.expires_at}`)).toBe(true);
    expect(first).toContain(
      `${made.id},${made.reference},failed,,XOF,5000.00,0.00,5000.00,mobile_money`,
    );
    expect(first).toContain("'=SUM(A1)");
  });
});

describe('POST /payout-destinations/check', () => {
  const check = (phone: string, fields: object = {}, key = api.test_key): Promise<HttpResponse> =>
    callApi(api.service, 'POST', '/payout-destinations/check', {
      key,
      body: { currency: 'XOF', destination: { type: 'mobile_money', phone }, ...fields },
    });

  it('says whose it is and what it would cost, and moves nothing', async () => {
    const before = await wallet();
    expect((await check(PHONE, { name: 'Diop Awa', amount: 5000 })).json).toEqual({
      ok: true,
      payable: true,
      operator: 'orange_sn',
      country: 'SN',
      name_found: expect.any(String),
      name_match: 'match',
      bounds: { minimum: expect.any(Number), maximum: expect.any(Number) },
      fee: 0,
      state: 'open',
    });
    expect((await check('+221770000007')).json).toMatchObject({
      state: 'closed',
      name_match: null,
    });
    expect(
      (await check(PHONE, { destination: BANK, name: 'Binta Fall' })).json.error,
    ).toMatchObject({
      code: 'invalid_request',
      param: 'name',
    });
    expect(await wallet()).toBe(before);
  });

  it('counts destinations that do not exist, and then tells no one’s existence', async () => {
    const { db, owner } = api.database;
    const { key } = await buildApiKey(db, {
      user: api.merchant,
      environment: 'sandbox',
      ...UNLIMITED,
    });
    await owner.raw('update users set unknown_recipients_per_hour = 2 where id = ?', [
      api.merchant.id,
    ]);
    await owner.raw('delete from unknown_recipients where user_id = ?', [api.merchant.id]);
    // The last one was paid before, and may be named.
    await until((await order({ phone: '+221770000300' })).json.id, 'succeeded');
    const answers = [];
    for (const phone of [
      '+221771000001',
      '+221771000001',
      '+221772000001',
      '+221773000001',
      '+221774000100',
      '+221770000300',
    ]) {
      const { status, json } = await check(phone, {}, key);
      answers.push(status === 200 ? json.payable : status);
    }
    expect(answers).toEqual([false, false, false, 429, 429, true]);
    // A destination that exists is paid all the same; the answers to an order do not tell whether it does.
    const ends = [];
    for (const fields of [
      { phone: '+221775000100', name: 'Awa Diop' },
      { phone: '+221775000001', name: 'Awa Diop' },
      { phone: '+221776000100', name: 'Awa Diop', name_check: 'require' },
      { phone: '+221776000004', name: 'Awa Diop', name_check: 'require' },
      { phone: '+221776000001', name: 'Awa Diop', name_check: 'require' },
    ]) {
      const { status, json } = await order({ ...fields, key });
      const { failure, destination } = await waitFor(async () => {
        const shown = await show(json.id);
        return shown.conclusive && shown;
      });
      const { name_found, name_match } = destination;
      ends.push([status, json.destination.name_found, failure?.code, name_found, name_match]);
    }
    await owner.raw('update users set unknown_recipients_per_hour = 1000 where id = ?', [
      api.merchant.id,
    ]);
    expect(ends).toEqual([
      [201, null, undefined, null, 'unavailable'],
      [201, null, 'recipient_not_found', null, 'unavailable'],
      [201, null, undefined, 'Awa Diop', 'match'],
      [201, null, 'name_mismatch', null, 'unavailable'],
      [201, null, 'name_mismatch', null, 'unavailable'],
    ]);
  });
});
