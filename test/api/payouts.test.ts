// Payouts over HTTP, paid by the simulated operator: what a merchant sees of them, whatever becomes of them.

import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '../../domain/errors';
import { setUp } from '../support/database';
import { expectBooksHold } from '../support/books';
import { balanceOf } from '../support/balances';
import { startTestApi } from '../support/api';
import { request, type HttpResponse } from '../support/http';
import { setFaults } from '../support/sandbox-gateway';
import { actOnPayout, listPaid } from '../support/sandbox-payouts';
import { addMember, buildApiKey, fund } from '../support/users';
import { waitFor } from '../support/wait';
import { expectGenuine, startReceiver, type TestReceiver } from '../support/webhooks';
import { callApi, refusal } from './support/contract';

const api = setUp(() => startTestApi({ webhooks: true }));

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

const get = async (path: string, key = api.test_key): Promise<Json> =>
  (await callApi(api.service, 'GET', path, { key })).json;
const show = (id: string, key?: string): Promise<Json> => get(`/payouts/${id}`, key);

async function until(id: string, status: string, key?: string): Promise<Json> {
  return waitFor(async () => {
    const shown = await show(id, key);
    return shown.status === status && shown;
  });
}

const keyOfMerchant = () =>
  buildApiKey(api.database.db, { user: api.merchant, environment: 'sandbox' });

const wallet = (): Promise<bigint> => balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox');

/** Done while the owners have set this for the wallet. */
async function underRule<T>(fields: object, work: () => Promise<T>): Promise<T> {
  const settings = api.database.owner('payout_settings');
  const of = { user_id: api.merchant.id, currency: 'XOF' };
  await settings.clone().insert({ ...of, ...fields });
  const done = await work();
  await settings.clone().where(of).delete();
  return done;
}

describe('POST /payouts', () => {
  it('answers what was committed, and pays it', async () => {
    const before = await wallet();
    const created = await order({
      name: 'Awa Diop',
      metadata: { wage: 'May' },
      phone: '+221 77 000.01-00',
    });
    expect(created.status).toBe(201);
    expect(created.text).toContain('"amount":5000.00,"fee":0.00,"tax":0.00,"total":5000.00,');
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
      tax: 0,
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
      hold: null,
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
    const seen = await listPaid(api.gateway, 'sandbox');
    const own = seen.filter((one) => one.payout_id === created.json.id);
    expect(own).toMatchObject([{ amount: '5000', paid: '5000' }]);
    const { transactions } = await get(`/transactions?reference=${paid.reference}`);
    expect(transactions).toMatchObject([
      { type: 'withdrawal', status: 'completed', amount: 5000, net_amount: 5000, related: paid.id },
    ]);
  });

  it('pays a bank account, of which the last four are shown', async () => {
    const destination = { ...BANK, account: 'SN08 SN01 0100 1520 0000 0260 00' };
    const { json } = await order({ currency: 'EUR', amount: 12.5, destination });
    expect(json.destination).toMatchObject({ type: 'bank', account: '…6000', phone: null });
    await until(json.id, 'succeeded');
  });

  it('pays live money by the same way', async () => {
    const { json } = await order({ key: api.live_key });
    expect(json.environment).toBe('live');
    await until(json.id, 'succeeded', api.live_key);
  });

  const awa = { name: 'Awa Diop', name_check: 'require' };
  const bank = (fields: object) => ({ destination: { ...BANK, ...fields } });
  const wrong = (param: string) => ['invalid_request', param] as const;
  const UNSUPPORTED = ['unsupported_destination', 'destination'] as const;
  const MISMATCH = ['name_mismatch', 'name'] as const;

  it.each<[string, object, readonly [code: ErrorCode, param: string]]>([
    ['an unknown country', { phone: '+33612345678' }, UNSUPPORTED],
    ['euros to a phone', { currency: 'EUR', amount: 5 }, UNSUPPORTED],
    ['too little', { amount: 1 }, ['amount_out_of_bounds', 'amount']],
    ['another name', { ...awa, phone: '+221770000004' }, MISMATCH],
    ['a close name', { ...awa, phone: '+221770000005' }, MISMATCH],
    ['cents of francs', { amount: 10.5 }, wrong('amount')],
    ['no destination', bank({ account: '****' }), wrong('destination/account')],
    ['a phone of another length', { phone: '+22177123456' }, wrong('destination/phone')],
    ['a bank code with a .0', bank({ bank_code: '10001.0' }), wrong('destination/bank_code')],
    ['a phone with a .0', { phone: '+221770000100.0' }, wrong('destination/phone')],
    [
      'an IBAN with a wrong digit',
      bank({ account: 'FR76 3000 6000 0112 3456 7890 188' }),
      wrong('destination/account'),
    ],
    [
      'a name beside that of the holder',
      { ...awa, ...bank({}), name: 'Binta Fall' },
      wrong('name'),
    ],
  ])('refuses %s, and keeps nothing for the key', async (_, fields, [code, param]) => {
    const idempotency_key = randomUUID();
    const refused = await order({ idempotency_key, ...fields });
    expect(refused).toMatchObject(refusal(code, param));
    expect((await order({ idempotency_key })).status).toBe(201);
  });

  it('says by how much an amount is out of bounds, and a limit exceeded', async () => {
    const { json } = await order({ amount: 1 });
    expect(json.error.details).toEqual({ minimum: 100, maximum: 2_000_000 });
    const limited = await underRule({ single_minor: 400_000 }, () => order());
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
  it('has the payout wait until it is canceled', async () => {
    const before = await wallet();
    const waiting = await order({ phone: '+221770000007', confirm: false });
    expect((await act(waiting.json.id, 'confirm')).json.status).toBe('pending');
    await waitFor(async () => (await show(waiting.json.id)).provider.payment_id !== null);
    expect(await show(waiting.json.id)).toMatchObject({ status: 'pending', stage: 'queued' });
    const canceled = await act(waiting.json.id, 'cancel');
    expect(canceled.json).toMatchObject({ status: 'canceled', conclusive: true });
    expect((await act(waiting.json.reference, 'cancel')).json).toEqual(canceled.json);
    expect(await wallet()).toBe(before);
    // The confirmation repeated, or one that was overtaken by the cancellation.
    expect(await act(waiting.json.id, 'confirm')).toMatchObject(refusal('payout_not_confirmable'));
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
    expect(await act(json.id, 'cancel')).toMatchObject(refusal('payout_not_cancelable'));
    const { timeline } = await get(`/payouts/${json.id}/timeline`);
    const kinds = (timeline as { kind: string }[]).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['requested', 'confirmed', 'sent', 'succeeded']));
    const key_id = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
    expect(timeline[kinds.indexOf('confirmed')].detail).toEqual({ key_id });
    expect(await act((await order()).json.id, 'confirm')).toMatchObject(
      refusal('payout_not_confirmable'),
    );
  });

  it('is approved by the person of another key, and rejected with a reason', async () => {
    const keyOf = async (): Promise<string> => {
      const { id, key } = await keyOfMerchant();
      const login_id = await addMember(api.database, api.merchant, 'developer');
      await api.database.owner('api_keys').where({ id }).update({ login_id });
      return key;
    };
    const [one, two] = [await keyOf(), await keyOf()];
    const [ordered, rejected] = await underRule({ approval_above_minor: 100_000 }, async () => [
      (await order({ key: one })).json,
      (await order({ key: one })).json,
    ]);
    expect(ordered).toMatchObject({
      status: 'requires_approval',
      approval: { needed: 1, given: [] },
    });
    const own = await act(ordered.id, 'approve', undefined, one);
    expect(own).toMatchObject(refusal('approval_by_creator'));
    // A key that operators have made is no member's.
    expect(await act(ordered.id, 'approve')).toMatchObject(refusal('forbidden'));
    const approved = await act(ordered.id, 'approve', undefined, two);
    expect(approved.json).toMatchObject({ status: 'pending', approval: { given: [{}] } });
    await until(ordered.id, 'succeeded');
    const refused = await act(rejected.id, 'reject', { reason: 'Not this month' }, two);
    expect(refused.json.status).toBe('canceled');
    const late = await act(ordered.id, 'reject', {}, two);
    expect(late).toMatchObject(refusal('payout_not_approvable'));
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
    await actOnPayout(api.gateway, 'sandbox', json.id, { action: 'return' });
    const returned = await until(json.id, 'returned');
    const told = await waitFor(() => {
      const webhooks = receiver.received.filter(({ body }) => JSON.parse(body).data.id === json.id);
      return webhooks.length === types.length && webhooks;
    });
    for (const webhook of told) expectGenuine(webhook, endpoint.secret);
    expect(told.map(({ body }) => JSON.parse(body).type)).toEqual(types);
    const { ok: _, ...resource } = returned;
    expect(JSON.parse(told.at(-1)!.body).data).toEqual(resource);
  });
});

describe('GET /payouts', () => {
  const COLUMNS = [
    'id reference status stage currency amount fee tax total',
    'destination_type destination_phone destination_operator destination_account destination_bank_code',
    'destination_name destination_name_found destination_name_match',
    'provider_name provider_payment_id failure_code failure_message failure_provider_code',
    'returned_amount batch_id description environment',
    'created_at updated_at sent_at completed_at expires_at',
  ].flatMap((names) => names.split(' '));

  it('lists by status, reference and period, as JSON and as a file', async () => {
    const { json: made } = await order({ phone: '+221770000002', name: '=SUM(A1)' });
    const failed = await until(made.id, 'failed');
    const list = async (query: string): Promise<Json[]> => (await get(`/payouts?${query}`)).payouts;
    const { ok: _, ...shown } = failed;
    expect(await list(`reference=${made.reference}`)).toEqual([shown]);
    expect((await list('status=failed&limit=1'))[0]).toEqual(shown);
    expect(await list(`created_from=${made.created_at}&limit=1`)).toEqual([shown]);
    expect((await list('status=succeeded')).every(({ status }) => status === 'succeeded')).toBe(
      true,
    );
    const fileOf = async (query: string): Promise<string[]> => {
      const options = { key: api.test_key, headers: { accept: 'text/csv' } };
      return (await request(api.service, 'GET', `/payouts?${query}`, options)).text.split('\n');
    };
    const [header = '', first = ''] = await fileOf('status=failed');
    expect(header.split(',')).toEqual(COLUMNS);
    const { payment_id, name } = failed.provider;
    expect(payment_id).toEqual(expect.any(String));
    expect(first).toContain(`,${name},${payment_id},${failed.failure.code},`);
    expect(first).toContain(`,${failed.failure.provider_code},0.00,,`);
    expect(first).toContain(`,sandbox,${made.created_at},`);
    expect(first.endsWith(`,${failed.completed_at},`)).toBe(true);
    const waiting = await order({ confirm: false });
    const waits = await fileOf(`reference=${waiting.json.reference}`);
    expect(waits[1]!.endsWith(`,${waiting.json.expires_at}`)).toBe(true);
    expect(first).toContain(
      `${made.id},${made.reference},failed,,XOF,5000.00,0.00,0.00,5000.00,mobile_money`,
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
      tax: 0,
      state: 'open',
    });
    const closed = await check('+221770000007');
    expect(closed.json).toMatchObject({ state: 'closed', name_match: null });
    const other = await check(PHONE, { destination: BANK, name: 'Binta Fall' });
    expect(other).toMatchObject(refusal('invalid_request', 'name'));
    expect(await wallet()).toBe(before);
  });

  it('counts destinations that do not exist, and then tells no one’s existence', async () => {
    const { owner } = api.database;
    const { key } = await keyOfMerchant();
    const mayMiss = (unknown_recipients_per_hour: number) =>
      owner('users').where({ id: api.merchant.id }).update({ unknown_recipients_per_hour });
    await mayMiss(2);
    await owner('unknown_recipients').where({ user_id: api.merchant.id }).delete();
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
    await mayMiss(1000);
    expect(ends).toEqual([
      [201, null, undefined, null, 'unavailable'],
      [201, null, 'recipient_not_found', null, 'unavailable'],
      [201, null, undefined, 'Awa Diop', 'match'],
      [201, null, 'name_mismatch', null, 'unavailable'],
      [201, null, 'name_mismatch', null, 'unavailable'],
    ]);
  });
});
