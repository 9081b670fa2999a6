// Payouts whose recipient is found in a list of names, and transfers of an account that is: what callers get.

import { randomUUID } from 'node:crypto';
import { listCases, type RiskCase } from '../../db/risk/cases';
import { startTestApi } from '../support/api';
import { expectBooksHold } from '../support/books';
import { setUp } from '../support/database';
import { decide, latestCase } from '../support/risk';
import { compareAccounts, loadList, removeLists } from '../support/screening';
import { buildApiKey, buildUser } from '../support/users';
import { waitFor } from '../support/wait';
import { finished, itemsOf } from './support/batches';
import { callApi, untilStatus } from './support/contract';

const api = setUp(() => startTestApi());
const funds = { sandbox: { XOF: 100_000_000n } };
const sender = setUp(() => buildUser(api.database.db, { username: 'sender', funds }));
let key: string;

beforeAll(async () => {
  key = (await buildApiKey(api.database.db, { user: sender, environment: 'sandbox' })).key;
});
beforeEach(() => loadList(api.database.operator, 'un', '1,Fatou Sow,,,,', '2,Lamine Traoré,,,,'));
afterEach(async () => {
  await removeLists(api.database.operator);
  await expectBooksHold(api.database.db);
});

const post = (path: string, body: object, idempotency_key: string = randomUUID()) =>
  callApi(api.service, 'POST', path, { key, body, idempotency_key });
const payout = (name: string | undefined) => ({
  amount: 100,
  currency: 'XOF',
  destination: { type: 'mobile_money', phone: '+221770000100' },
  ...(name === undefined ? {} : { name }),
});

const untilHeld = (): Promise<RiskCase> =>
  waitFor(async () => (await listCases(api.database.db, { status: 'held', limit: 1 }))[0]);

it('holds a payout to a name of a list, and no other', async () => {
  const idempotency_key = randomUUID();
  const held = await post('/payouts', payout('SOW Fatou'), idempotency_key);
  expect(held).toMatchObject({ status: 201, json: { status: 'held' } });
  expect((await post('/payouts', payout('SOW Fatou'), idempotency_key)).text).toBe(held.text);
  expect(await latestCase(api.database.db)).toMatchObject({
    subject_type: 'payout',
    reasons: [{ source: 'screening', name: 'un/1', detail: 'Fatou Sow (1.00)' }],
    asked: { screening: { sent: { name: 'SOW Fatou' }, outcome: 'hold' } },
  });
  await decide(api.database.operator, held.json.hold.reference, 'release');
  await untilStatus(api.service, `/payouts/${held.json.id}`, key, 'succeeded');
  for (const name of ['Fatou Diop', undefined]) {
    expect((await post('/payouts', payout(name))).json.status).toBe('pending');
  }
  await removeLists(api.database.operator);
  expect((await post('/payouts', payout('Fatou Sow'))).json.status).toBe('pending');
});

it('holds an item of a payout batch', async () => {
  const payouts = [payout('Lamine Traore'), payout('Awa Diop')];
  const { json } = await post('/payout-batches', { payouts, confirm: true });
  const held = await untilHeld();
  expect(held).toMatchObject({ reasons: [{ name: 'un/2' }] });
  await decide(api.database.operator, held.reference, 'refuse');
  await untilStatus(api.service, `/payout-batches/${json.id}`, key, 'completed');
});

it('holds what an account sends and receives, also in a batch, and carries it out once it is released', async () => {
  const user = await buildUser(api.database.db, { username: 'lamine', funds });
  await api.database.owner.raw(`update users set display_name = 'Lamine TRAORÉ' where id = ?`, [
    user.id,
  ]);
  await compareAccounts(api.database.db);
  const found = await latestCase(api.database.db);
  expect(found).toMatchObject({ subject_type: 'account', subject: 'lamine' });
  const transfer = { to_username: 'lamine', currency: 'XOF', amount: 10 };
  expect(await post('/transfers', transfer)).toMatchObject({
    status: 202,
    json: { status: 'held' },
  });
  let id = '';
  for (const dry_run of [true, false]) {
    id = (await post('/transfer-batches', { transfers: [transfer], dry_run })).json.id;
    expect(await finished(api.service, id, key)).toMatchObject({ held: 1 });
    expect(await itemsOf(api.service, id, key)).toMatchObject([{ status: 'held' }]);
  }
  const theirs = await buildApiKey(api.database.db, { user, environment: 'sandbox' });
  const options = { key: theirs.key, body: payout('Awa Diop'), idempotency_key: randomUUID() };
  const paid = (await callApi(api.service, 'POST', '/payouts', options)).json;
  expect(paid.status).toBe('held');
  expect(await decide(api.database.operator, found.reference, 'release')).toBeNull();
  await untilStatus(api.service, `/payouts/${paid.id}`, theirs.key, 'succeeded');
  expect(await finished(api.service, id, key)).toMatchObject({ held: 0, completed: 1 });
  expect((await post('/transfers', transfer)).status).toBe(200);
});
