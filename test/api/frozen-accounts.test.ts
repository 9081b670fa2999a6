// A frozen account over HTTP: its keys open nothing, on every process, from the next request on; nothing
// leaves, money may arrive, and its links stay payable.

import { randomUUID } from 'node:crypto';
import { ROUTES } from '../../api/routes';
import { freezeAccount, unfreezeAccount } from '../../db/users';
import { expectBooksHold } from '../support/books';
import { startTestApi, type TestApi } from '../support/api';
import { balanceOf } from '../support/balances';
import { openSession } from '../support/database';
import { request, type HttpResponse, type RequestOptions } from '../support/http';
import { actAt } from '../support/sandbox-gateway';
import { startTestService, type TestService } from '../support/service';
import { buildApiKey, type TestUser } from '../support/users';
import { waitFor } from '../support/wait';
import { buildAccount, type Account } from './support/accounts';
import { callApi, refusal } from './support/contract';

let api: TestApi;
let twin: TestService;
let account: Account;
let other: Account;

beforeAll(async () => {
  api = await startTestApi();
  const { task_queue, gateway } = api.service.config;
  twin = await startTestService({ database: api.database, overrides: { task_queue, gateway } });
});

beforeEach(async () => {
  account = await buildAccount(api.database, {
    live: { XOF: 10_000_000n },
    sandbox: { XOF: 10_000_000n },
  });
  other = await buildAccount(api.database, { live: { XOF: 10_000_000n } });
});

afterEach(async () => {
  await expectBooksHold(api.database.db);
});

const freeze = ({ id }: Pick<TestUser, 'id'>) =>
  freezeAccount(api.database.owner, id, 'stolen card', 'tests');
const unfreeze = ({ id }: Pick<TestUser, 'id'>) =>
  unfreezeAccount(api.database.owner, id, 'all clear', 'tests');

const pay = (to: TestUser, amount = 1) => ({ to_username: to.username, currency: 'XOF', amount });

function send(
  body: unknown,
  options: RequestOptions & { at?: TestService } = {},
): Promise<HttpResponse> {
  const { at = api.service, ...rest } = options;
  return callApi(at, 'POST', '/transfers', { key: account.live, body, ...rest });
}

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

  it('are refused from the next request on, by both of two services, also where calls were reserved', async () => {
    const { key } = await buildApiKey(api.database.db, {
      user: account,
      requests_per_minute: 1_000_000,
    });
    const callBoth = async (): Promise<Set<number>> => {
      const responses = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          request(index % 2 ? twin : api.service, 'GET', '/wallets', { key }),
        ),
      );
      return new Set(responses.map(({ status }) => status));
    };
    for (let round = 0; round < 3; round += 1) {
      expect(await callBoth()).toEqual(new Set([200]));
      await freeze(account);
      expect(await callBoth()).toEqual(new Set([403]));
      await unfreeze(account);
    }
  });

  it('are still counted: a flood of them reaches the rate limit', async () => {
    const { key } = await buildApiKey(api.database.db, { user: account, requests_per_minute: 2 });
    await freeze(account);
    const call = () => callApi(api.service, 'GET', '/me', { key });
    const responses = [await call(), await call(), await call()];
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 429]);
  });

  it('see a stored response again when the account is unfrozen, and not before', async () => {
    const idempotency_key = randomUUID();
    const first = await send(pay(other), { idempotency_key });
    expect(first.status).toBe(200);
    await freeze(account);
    expect(await send(pay(other), { idempotency_key })).toMatchObject(refusal('account_frozen'));
    await unfreeze(account);
    const again = await send(pay(other), { idempotency_key });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });
});

describe('a transfer that was accepted before the freeze and is not posted yet', () => {
  it.each(['alone', 'in a batch with others'])(
    'answers account_frozen, moves nothing, and may be repeated after unfreezing: %s',
    async (kind) => {
      const before = await balanceOf(api.database.db, account);
      const idempotency_keys = Array.from({ length: kind === 'alone' ? 1 : 30 }, () =>
        randomUUID(),
      );
      // The freeze has the wallet's lock and is not committed: requests still get in, postings wait.
      const freezing = await openSession(api.database.owner_url);
      await freezing.query('begin');
      await freezing.query(`select freeze_account($1, 'why', 'tests')`, [account.id]);
      const sent = Promise.all(
        idempotency_keys.map((idempotency_key) => send(pay(other), { idempotency_key })),
      );
      await waitFor(async () => {
        const { rows } = await api.database.owner.raw(
          `select 1 from pg_stat_activity where datname = current_database()
              and wait_event_type = 'Lock' and query like '%post_transfer_batch%'`,
        );
        return (rows as unknown[]).length > 0;
      });
      await freezing.query('commit');
      for (const response of await sent) expect(response).toMatchObject(refusal('account_frozen'));
      expect(await balanceOf(api.database.db, account)).toBe(before);
      await unfreeze(account);
      const again = await Promise.all(
        idempotency_keys.map((idempotency_key) => send(pay(other), { idempotency_key })),
      );
      for (const { status, headers } of again) {
        expect([status, headers['idempotent-replayed']]).toEqual([200, undefined]);
      }
      const moved = BigInt(100 * idempotency_keys.length);
      expect(await balanceOf(api.database.db, account)).toBe(before - moved);
    },
  );
});

describe('while a frozen account is being paid from', () => {
  it('nothing leaves it once the freeze has returned, through two services', async () => {
    let isOver = false;
    const statuses: number[] = [];
    const sendOn = async (at: TestService): Promise<void> => {
      while (!isOver) statuses.push((await send(pay(other), { at })).status);
    };
    const sending = [api.service, twin].flatMap((at) =>
      Array.from({ length: 4 }, () => sendOn(at)),
    );
    await waitFor(() => statuses.filter((status) => status === 200).length > 20);
    await freeze(account);
    const at_return = await balanceOf(api.database.db, account);
    const answered = statuses.length;
    await waitFor(() => statuses.length > answered + 40);
    isOver = true;
    await Promise.all(sending);
    expect(await balanceOf(api.database.db, account)).toBe(at_return);
    expect(new Set(statuses)).toEqual(new Set([200, 403]));
  });
});

describe('what still reaches a frozen account', () => {
  it('a transfer to it', async () => {
    await freeze(account);
    const response = await send(pay(account, 5), { key: other.live });
    expect(response.status).toBe(200);
    expect(await balanceOf(api.database.db, account)).toBe(10_000_500n);
  });

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
