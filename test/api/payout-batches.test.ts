// Payout batches over HTTP, paid by the simulated operator: the order, what was found, and what each payout came to.

import { payoutBatchWorkflowId } from '../../domain/ids';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import { request, type HttpResponse, type RequestOptions } from '../support/http';
import { listPaid } from '../support/sandbox-payouts';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';
import { keepHistory } from '../workflows/saved-histories';
import type { Account } from './support/accounts';
import { buildBusyAccount } from './support/batches';
import { callApi, refusal } from './support/contract';

const api = setUp(startTestApi);
let shop: Account;

beforeEach(async () => {
  shop = await buildBusyAccount(api.database, { sandbox: { XOF: 10_000_000n } });
});

afterEach(() => expectBooksHold(api.database.db));

type Json = HttpResponse['json'];

const call = (
  method: 'GET' | 'POST',
  path: string,
  options: RequestOptions = {},
): Promise<HttpResponse> => callApi(api.service, method, path, { key: shop.sandbox, ...options });

const to = (digits: string, amount = 1_000, more: object = {}) => ({
  destination: { type: 'mobile_money', phone: `+221 77 000 0${digits}` },
  currency: 'XOF',
  amount,
  name: 'Awa Diop',
  ...more,
});

const order = (body: object, options: RequestOptions = {}): Promise<HttpResponse> =>
  call('POST', '/payout-batches', { body, ...options });

const until = (id: string, status: string): Promise<Json> =>
  waitFor(async () => {
    const { json } = await call('GET', `/payout-batches/${id}`);
    return json.status === status && json;
  });

const itemsOf = async (id: string): Promise<Json[]> =>
  (await call('GET', `/payout-batches/${id}/payouts?limit=1000`)).json.payouts;

it('pays thirty, of which some fail; the others go on', async () => {
  const digits = Array.from({ length: 30 }, (_, i) => String(100 + i));
  digits[3] = '001';
  digits[11] = '006';
  digits[20] = '003';
  const payouts = digits.map((one) => to(one));
  payouts[25] = to('125', 1_000, { currency: 'EUR' });
  const { status, json } = await order({ payouts, confirm: true });
  expect([status, json]).toMatchObject([202, { ok: true, status: 'processing', total: 30 }]);
  const { id } = json;
  const batch = await until(id, 'completed');
  expect(batch).toMatchObject({
    completed: 26,
    failed: 4,
    checks: { match: 28, unreachable: 1 },
    finished_at: expect.any(String),
  });
  const temporal = await connectTestTemporal();
  const handle = temporal.workflow.getHandle(payoutBatchWorkflowId('sandbox', id));
  await handle.result();
  keepHistory('payout-batch', await handle.fetchHistory());
  const items = await itemsOf(id);
  expect(items.map(({ index }: Json) => index)).toEqual(payouts.map((_, index) => index));
  expect(items.flatMap(({ index, error }: Json) => (error ? [[index, error.code]] : []))).toEqual([
    [3, 'recipient_not_found'],
    [11, expect.any(String)],
    [20, 'recipient_limit_exceeded'],
    [25, 'unsupported_destination'],
  ]);
  expect(items[0]).toEqual({
    index: 0,
    destination: {
      type: 'mobile_money',
      phone: '+221770000100',
      operator: 'orange_sn',
      account: null,
      bank_code: null,
      name: 'Awa Diop',
      name_found: 'Awa Diop',
      name_match: 'match',
    },
    currency: 'XOF',
    amount: 1000,
    status: 'completed',
    reference: expect.stringMatching(/^PYT-/),
    error: null,
  });
  const paid = await listPaid(api.gateway, 'sandbox');
  const own = new Set(items.map(({ reference }: Json) => reference));
  expect(paid.filter(({ reference }) => own.has(reference))).toHaveLength(26);
  expect(await balanceOf(api.database.db, shop, 'XOF', 'sandbox')).toBe(10_000_000n - 2_600_000n);
  const listed = await call('GET', `/payouts?batch_id=${id}&limit=100`);
  expect(listed.json.payouts).toHaveLength(29);
  const failed = await call('GET', `/payout-batches/${id}/payouts?status=failed&limit=2`);
  expect(failed.json).toMatchObject({ has_more: true, next_cursor: '11' });
});

it('waits for a confirmation, and sends the rest', async () => {
  const payouts = [to('100'), to('004'), to('001')];
  const { json } = await order({ payouts });
  const batch = await until(json.id, 'requires_confirmation');
  const checks = { match: 1, no_match: 1, unreachable: 1 };
  expect(batch).toMatchObject({ confirm: false, checks });
  const other = { name_found: 'M*** S***', name_match: 'no_match' };
  expect((await itemsOf(json.id))[1].destination).toMatchObject(other);
  const confirm = (exclude?: readonly string[]) =>
    call('POST', `/payout-batches/${json.id}/confirm`, { body: { exclude } });
  expect((await confirm(['no_match', 'unreachable'])).status).toBe(200);
  expect((await confirm(['unreachable', 'no_match'])).status).toBe(200);
  expect(await confirm()).toMatchObject(refusal('payout_batch_not_confirmable'));
  await until(json.id, 'completed');
  const ends = (await itemsOf(json.id)).map((item: Json) => item.error?.code ?? item.status);
  expect(ends).toEqual(['completed', 'excluded', 'excluded']);
  const file = await request(api.service, 'GET', `/payout-batches/${json.id}/payouts`, {
    key: shop.sandbox,
    headers: { Accept: 'text/csv' },
  });
  expect(file.text.split('\n').slice(0, 2)).toEqual([
    'index,destination_type,destination_phone,destination_operator,destination_account,destination_bank_code,destination_name,destination_name_found,destination_name_match,currency,amount,description,status,reference,error_code,error_message',
    expect.stringMatching(
      /^0,mobile_money,'?\+221770000100,orange_sn,,,Awa Diop,Awa Diop,match,XOF,1000.00,,completed,PYT-\w+,,$/,
    ),
  ]);
});

it('says what is wrong with which payout, and stores nothing', async () => {
  const bank = { type: 'bank', account: '??', name: 'Awa Diop' };
  const refused = await order({
    payouts: [
      to('100'),
      to('100', 0.5),
      { ...to('100'), destination: { ...bank, account: '????' } },
      { ...to('100'), destination: { type: 'mobile_money', phone: '77' } },
      { ...to('100'), destination: { type: 'mobile_money', phone: '+22177000010' } },
      { ...to('100'), destination: { ...bank, account: 'SN0812345678' }, name: 'Binta Fall' },
    ],
  });
  expect(refused).toMatchObject(refusal('invalid_request'));
  expect(refused.json.error.details.map(({ param }: Json) => param)).toEqual([
    'payouts/1/amount',
    'payouts/2/destination/account',
    expect.stringContaining('payouts/3'),
    'payouts/4/destination/phone',
    'payouts/5/name',
  ]);
  expect((await call('GET', '/payout-batches')).json.payout_batches).toEqual([]);
});

it('tells in a dry run, lists, cancels, and refuses what does not fit', async () => {
  const dry = await order({ payouts: [to('100'), to('001')], dry_run: true });
  expect(await until(dry.json.id, 'completed')).toMatchObject({ completed: 1, failed: 1 });
  const waits = await order({ payouts: [to('100')] });
  await until(waits.json.id, 'requires_confirmation');
  const act = (id: string, what: string) => call('POST', `/payout-batches/${id}/${what}`);
  for (let times = 0; times < 2; times += 1) {
    const { json: canceled } = await act(waits.json.id, 'cancel');
    expect(canceled).toMatchObject({ status: 'canceled', failed: 1 });
  }
  const late = await act(waits.json.id, 'confirm');
  expect(late).toMatchObject(refusal('payout_batch_not_confirmable'));
  expect(await act(dry.json.id, 'cancel')).toMatchObject(refusal('payout_batch_not_cancelable'));
  // The keys of tests are made by the command line.
  expect(await act(dry.json.id, 'approve')).toMatchObject(refusal('forbidden'));
  expect(await act(dry.json.id, 'reject')).toMatchObject(refusal('forbidden'));
  const { json } = await call('GET', '/payout-batches');
  expect(json.payout_batches.map(({ id }: Json) => id)).toEqual([waits.json.id, dry.json.id]);
  expect(await balanceOf(api.database.db, shop, 'XOF', 'sandbox')).toBe(10_000_000n);
});
