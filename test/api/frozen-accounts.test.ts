// A frozen account over HTTP: its keys open nothing, on every process, from the next request on; nothing
// leaves, money may arrive, and its links stay payable.

import { randomUUID } from 'node:crypto';
import { ROUTES } from '../../api/routes';
import { freezeAccount, unfreezeAccount } from '../../db/accounts/users';
import { expectBooksHold } from '../support/books';
import { startTestApi } from '../support/api';
import { balanceOf } from '../support/balances';
import { openSession, setUp, untilLocked } from '../support/database';
import { request } from '../support/http';
import { actAt } from '../support/sandbox-gateway';
import { type TestUser, buildUser, fund, setKyc } from '../support/users';
import { waitFor } from '../support/wait';
import { buildAccount, type Account } from './support/accounts';
import { callApi, refusal } from './support/contract';

const api = setUp(startTestApi);
let account: Account;

beforeEach(async () => {
  account = await buildAccount(api.database, {
    live: { XOF: 10_000_000n },
    sandbox: { XOF: 10_000_000n },
  });
});

afterEach(() => expectBooksHold(api.database.db));

const freeze = ({ id }: Pick<TestUser, 'id'>) =>
  freezeAccount(api.database.owner, id, 'stolen card', 'tests');
const unfreeze = ({ id }: Pick<TestUser, 'id'>) =>
  unfreezeAccount(api.database.owner, id, 'all clear', 'tests');

const GUARDED = ROUTES.filter(({ rate }) => rate !== null);

describe('the keys of a frozen account', () => {
  it.each(['live', 'sandbox'] as const)(
    'answer account_frozen on every route, in %s',
    async (environment) => {
      await freeze(account);
      for (const { method, path } of GUARDED) {
        const concrete = path.replace(/\{\w+\}/g, 'x');
        const response = await callApi(api.service, method, concrete, {
          key: account[environment],
          ...(method === 'GET' ? {} : { body: {} }),
        });
        expect({ path, ...response }).toMatchObject({ path, ...refusal('account_frozen') });
      }
      await unfreeze(account);
      const response = await callApi(api.service, 'GET', '/me', { key: account[environment] });
      expect(response.status).toBe(200);
    },
  );
});

it('a transfer that was accepted before the freeze and is not posted yet answers account_frozen, and may be repeated', async () => {
  const account = await buildAccount(api.database, { live: { XOF: 1_000n } });
  const { username: to_username } = await buildUser(api.database.db);
  const options = { idempotency_key: randomUUID(), key: account.live };
  const body = { to_username, currency: 'XOF', amount: 1 };
  const send = () => callApi(api.service, 'POST', '/transfers', { ...options, body });
  // The freeze has the wallet's lock and is not committed: the request still gets in, its posting waits.
  const freezing = await openSession(api.database.owner_url);
  await freezing.query('begin');
  await freezing.query(`select freeze_account($1, 'why', 'tests')`, [account.id]);
  const sent = send();
  await untilLocked(api.database, 'post_transfer_batch');
  await freezing.query('commit');
  expect(await sent).toMatchObject(refusal('account_frozen'));
  await unfreeze(account);
  const { status, headers } = await send();
  expect([status, headers['idempotent-replayed']]).toEqual([200, undefined]);
});

describe('what still reaches a frozen account', () => {
  it('a payment of its link: the page is shown, and the money is in its wallet', async () => {
    const created = await api.create({}, { key: account.sandbox });
    expect(created.status).toBe(201);
    const before = await balanceOf(api.database.db, account, 'XOF', 'sandbox');
    await freeze(account);
    const page = await request(api.service, 'GET', created.json.pay_url as string);
    expect(page.status).toBe(200);
    await actAt(created.json.checkout_url as string, 'pay');
    await waitFor(
      async () =>
        (await balanceOf(api.database.db, account, 'XOF', 'sandbox')) === before + 500_000n,
    );
  });
});

describe('live money without an approved identity check', () => {
  const other = setUp(() => buildUser(api.database.db));

  beforeAll(async () => {
    for (const environment of ['live', 'sandbox'] as const) {
      await fund(api.database.db, api.merchant.id, environment, 'XOF', 1_000_000n);
    }
  });

  const send = () => ({ to_username: other.username, currency: 'XOF', amount: 1 });

  it.each([
    ['/transfers', send],
    ['/transfer-batches', () => ({ transfers: [send()] })],
    ['/payment-intents', () => ({ amount: 5000, currency: 'XOF' })],
    ['/payment-links', () => ({ title: 'Coffee', amount: 500, currency: 'XOF' })],
  ])(
    'POST %s is 403 kyc_required once an approval is withdrawn, and the same request passes later',
    async (path, bodyOf) => {
      const given = { body: bodyOf(), idempotency_key: randomUUID() };
      const call = (key: string) => request(api.service, 'POST', path, { ...given, key });
      await setKyc(api.database.db, api.merchant.username, 'rejected');
      expect(await call(api.live_key)).toMatchObject(refusal('kyc_required'));
      expect((await call(api.test_key)).status).toBeLessThan(300);
      expect((await request(api.service, 'GET', '/wallets', { key: api.live_key })).status).toBe(
        200,
      );
      await setKyc(api.database.db, api.merchant.username, 'approved');
      expect((await call(api.live_key)).status).toBeLessThan(300);
    },
  );
});
