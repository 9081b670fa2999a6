// Fees over HTTP: what is asked before is what is charged, and each account has its invoices.

import { issueFeeInvoices } from '../../db/ledger/fee-invoices';
import { expectBooksHold } from '../support/books';
import { setUp } from '../support/database';
import { startTestApi } from '../support/api';
import { setFees } from '../support/fees';
import { request } from '../support/http';
import { buildAccount } from './support/accounts';
import { callApi, refusal } from './support/contract';

const api = setUp(() => startTestApi());

beforeAll(async () => {
  const { owner } = api.database;
  await setFees(owner, { kinds: ['transfer'], percent: 1 });
  await setFees(owner, { kinds: ['transfer'], percent: 10, more: { tax: true, base: 'fee' } });
});
afterEach(() => expectBooksHold(api.database.db));

it('are previewed as they are charged, and invoiced once, as JSON and PDF', async () => {
  const { service, database } = api;
  const [sender, shop] = [
    await buildAccount(database, { live: { EUR: 100_000n } }),
    await buildAccount(database),
  ];
  const call = (path: string, key = shop.live) => callApi(service, 'GET', path, { key });
  const asked = `/fees?kind=transfer&currency=EUR&amount=100.00&to_username=${shop.username}`;
  const preview = await call(asked, sender.live);
  expect(preview.text).toContain(
    '"amount":100.00,"method":null,"fee":1.10,"tax":0.10,"total":100.00,"net_amount":98.90,"bearer":"recipient"',
  );
  const body = { to_username: shop.username, currency: 'EUR', amount: 100 };
  const sent = await callApi(service, 'POST', '/transfers', { key: sender.live, body });
  const shown = await call(`/transfers/${sent.json.reference}`);
  expect(shown.json).toMatchObject({ fee: 1.1, tax: 0.1, total: 100, fee_bearer: 'recipient' });
  const history = await call('/transactions');
  expect(history.text).toContain('"fee":1.10,"tax":0.10,"net_amount":98.90');

  const of = { user_id: shop.id, environment: 'live' } as const;
  const [invoice] = await issueFeeInvoices(database.operator, of, 'pay.example.com', 'test');
  const path = `/fee-invoices/${invoice!.number}`;
  const { json } = await call('/fee-invoices');
  const found = await call(path);
  expect(json).toMatchObject({ has_more: false, fee_invoices: [{ number: invoice!.number }] });
  expect(found.text).toBe(`{"ok":true,${invoice!.json.slice(1)}`);
  const headers = { Accept: 'application/pdf' };
  const pdf = await request(service, 'GET', path, { key: shop.live, headers });
  expect(pdf.headers['content-type']).toBe('application/pdf');
  expect(pdf.text).toMatch(/^%PDF/);
  expect(await call(path, sender.live)).toMatchObject(refusal('fee_invoice_not_found'));
});

it.each([
  ['kind=payout&currency=EUR&amount=1&to_username=awa', 'invalid_request'],
  ['kind=transfer&currency=EUR&amount=1&method=card', 'invalid_request'],
  ['kind=transfer&currency=EUR&amount=1&to_username=no-such-name', 'recipient_not_found'],
] as const)('refuse %s', async (query, code) => {
  const response = await callApi(api.service, 'GET', `/fees?${query}`, { key: api.test_key });
  expect(response).toMatchObject(refusal(code));
});
