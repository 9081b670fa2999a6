// Batches of transfers in the database: what a step, a check, a refusal for good and a cancellation change, beside the
// rows of others and against another session, and those that operators order.

import { randomUUID } from 'node:crypto';
import {
  cancelBatch,
  checkBatch,
  createBatch,
  failBatchItems,
  getBatch,
  listItems,
  orderBatch,
  postBatchStep,
  stopBatch,
  type NewBatch,
} from '../../db/transfer-batches/transfer-batches';
import { freezeAccount } from '../../db/accounts/users';
import type { BatchItem } from '../../domain/transfer-batch';
import { transferRefusals } from '../../domain/transfer';
import { makeTransferReferences } from '../../secrets/random';
import { prepareBatch } from '../../use-cases/transfer-batches/prepare';
import { balanceOf } from '../support/balances';
import { createTestDatabase, setUp, whileUncommitted } from '../support/database';
import { countTableReads } from '../support/plans';
import { buildTransferRequest, ERROR_DOCS, post } from '../support/postings';
import { ACTOR, buildUser, type TestUser } from '../support/users';

const REFUSALS = JSON.stringify(transferRefusals(ERROR_DOCS));
const MOST = 999_999_999_999_999n;
const FUNDS = { XOF: 10_000n, EUR: 10_000n, USD: 10_000n };

const database = setUp(createTestDatabase);
let to: TestUser;

beforeAll(async () => {
  to = await buildUser(database.db);
});

const itemOf = (fields: Partial<BatchItem> = {}): BatchItem => ({
  to_username: to.username,
  currency: 'EUR',
  amount_minor: '100',
  idempotency_key: null,
  ...fields,
});

/** Live and independent, unless the fields say otherwise. */
const prepare = (sender: TestUser, items: readonly BatchItem[], fields: Partial<NewBatch>) =>
  prepareBatch({
    id: randomUUID(),
    user_id: sender.id,
    environment: 'live',
    mode: 'independent',
    items,
    dry_run: false,
    idempotency_key: randomUUID(),
    request_id: 'test',
    ...fields,
  });

async function stored(
  sender: TestUser,
  given: readonly BatchItem[] = [itemOf(), itemOf(), itemOf()],
  fields: Partial<NewBatch> = {},
): Promise<string> {
  const { batch, items } = prepare(sender, given, fields);
  await createBatch(database.db, batch, items, 100);
  return batch.id;
}

const step = (id: string, count: number) =>
  postBatchStep(database.db, id, makeTransferReferences(count), REFUSALS);

const cancel = ({ id: account }: TestUser, id: string, environment: 'live' | 'sandbox' = 'live') =>
  cancelBatch(database.db, account, environment, id);

async function outcomesOf(batch_id: string): Promise<string[]> {
  const query = { batch_id, status: undefined, after: -1, limit: 100 };
  return (await listItems(database.db, query)).map(({ refusal, status }) => refusal ?? status);
}

async function othersThan(id: string): Promise<unknown> {
  const { rows } = await database.owner.raw(
    `select b, array_agg(i order by i.index)::text as items
       from transfer_batches b join transfer_batch_items i on i.batch_id = b.id
      where b.id <> ? group by b.id order by b.id`,
    [id],
  );
  return rows as unknown;
}

/** A sender with batches in both environments, those of live before and after it are over; and another's batch. */
async function besideOthers(fields: Partial<NewBatch> = {}): Promise<[TestUser, string]> {
  const sender = await buildUser(database.db, { funds: { live: FUNDS, sandbox: FUNDS } });
  await cancel(sender, await stored(sender));
  await stored(to, [itemOf({ to_username: sender.username })]);
  await stored(sender, undefined, { environment: 'sandbox' });
  const amounts = ['100', '999999', '300'];
  const items = amounts.map((amount_minor) => itemOf({ amount_minor }));
  const id = await stored(sender, items, fields);
  await cancel(sender, await stored(sender));
  return [sender, id];
}

it('waits for as many of its account and environment as may, which are not over', async () => {
  const [sender] = await besideOthers({ environment: 'sandbox' });
  const outcome = async () => {
    const { batch, items } = prepare(sender, [itemOf()], {});
    return (await createBatch(database.db, batch, items, 1)).outcome;
  };
  expect([await outcome(), await outcome()]).toEqual(['created', 'too_many']);
});

describe('beside other batches and other items', () => {
  type Act = (id: string, sender: TestUser) => Promise<unknown>;
  const eachStep: Act = async (id) => {
    for (let n = 0; n < 3; n += 1) await step(id, 1);
  };
  const refuse: Act = async (id) => {
    await step(id, 1);
    await failBatchItems(database.db, id, 1);
    await failBatchItems(database.db, id, 1);
  };
  const cancelAfterOthers: Act = async (id, sender) => {
    const others = [await cancel(to, id), await cancel(sender, id, 'sandbox')];
    expect(others).toEqual([undefined, undefined]);
    expect((await getBatch(database.db, id)).status).toBe('processing');
    expect(await cancel(sender, id)).toMatchObject({ id, status: 'canceled' });
  };
  const DONE = 'completed 2 1 completed insufficient_funds completed';
  const CANCELED = 'canceled 0 0 pending pending pending';
  const REFUSED = 'failed 0 3 not_posted not_posted not_posted';

  it.each<[string, Act, string, Partial<NewBatch>?]>([
    ['each step', eachStep, DONE],
    ['a dry run', (id) => checkBatch(database.db, id), DONE, { dry_run: true }],
    ['a refusal of one', refuse, 'processing 1 1 completed not_posted pending'],
    ['a refusal of all', (id) => failBatchItems(database.db, id, 0), REFUSED, { mode: 'atomic' }],
    ['a cancellation', cancelAfterOthers, CANCELED],
    ["an operator's cancellation", (id) => stopBatch(database.operator, id, ACTOR), CANCELED],
  ])('%s changes its own', async (_, act, after, fields = {}) => {
    const [sender, id] = await besideOthers(fields);
    const before = await othersThan(id);
    await act(id, sender);
    const { status, completed, failed } = await getBatch(database.db, id);
    expect([status, completed, failed, ...(await outcomesOf(id))].join(' ')).toBe(after);
    expect(await othersThan(id)).toEqual(before);
  });
});

it('a step waits for a cancellation, and posts nothing after it', async () => {
  const [sender, id] = await besideOthers();
  const canceling = `select cancel_transfer_batch($1, $2, 'live')`;
  const after = await whileUncommitted(
    database,
    (session) => session.query(canceling, [id, sender.id]),
    () => step(id, 3),
  );
  expect(after).toMatchObject({ status: 'canceled', completed: 0 });
  expect(await balanceOf(database.db, sender, 'EUR')).toBe(FUNDS.EUR);
});

it('a cancellation waits for a step, after which it comes too late', async () => {
  const [sender, id] = await besideOthers();
  const values = [id, makeTransferReferences(3), REFUSALS];
  const after = await whileUncommitted(
    database,
    (session) => session.query('select advance_transfer_batch($1, $2, $3)', values),
    () => cancel(sender, id),
  );
  expect(after).toMatchObject({ status: 'completed', completed: 2 });
});

describe('a dry run', () => {
  it('looks at the wallets of its environment, of the sender and each recipient by themselves', async () => {
    const full = { live: { EUR: MOST } };
    const [frozen, rich, sender] = [
      await buildUser(database.db),
      await buildUser(database.db, { funds: full }),
      // What holds live money of theirs holds none of the sandbox.
      await buildUser(database.db, { funds: { sandbox: FUNDS }, kyc: 'not_started' }),
    ];
    await freezeAccount(database.operator, frozen.id, 'test', ACTOR);
    const checked = async (user: TestUser, environment: 'live' | 'sandbox') => {
      const names = [to.username, rich.username, rich.username, `${to.username}-not`];
      const items = names.map((to_username, n) =>
        itemOf({ to_username, currency: n === 2 ? 'USD' : 'EUR' }),
      );
      const id = await stored(user, items, { environment, dry_run: true });
      await checkBatch(database.db, id);
      return outcomesOf(id);
    };
    const alike = ['completed', 'completed', 'completed', 'recipient_not_found'];
    const live = await buildUser(database.db, { funds: { live: FUNDS } });
    expect(await checked(sender, 'sandbox')).toEqual(alike);
    expect(await checked(live, 'live')).toEqual(Object.assign([...alike], { 1: 'limit_exceeded' }));
  });

  it('finds a key that its own account and environment have used for a transfer', async () => {
    const sender = await buildUser(database.db, { funds: { live: FUNDS } });
    const key = randomUUID();
    const own = { user_id: sender.id, environment: 'live', operation: 'transfer' };
    const others = [
      { ...own, user_id: to.id },
      { ...own, environment: 'sandbox' },
      { ...own, operation: 'payment_intent' },
      { ...own, key: randomUUID() },
    ];
    const used = { key, fingerprint: {}, status: 200, body: '', request_id: 'test' };
    await database.owner('idempotency_keys').insert(others.map((one) => ({ ...used, ...one })));
    const id = await stored(sender, [itemOf({ idempotency_key: key })], { dry_run: true });
    await checkBatch(database.db, id);
    expect(await outcomesOf(id)).toEqual(['completed']);
  });

  it('reads no other keys of its account', async () => {
    const sender = await buildUser(database.db);
    const environment = 'sandbox';
    const requests = Array.from({ length: 200 }, () =>
      buildTransferRequest({ from: sender, to, amount: 100n, environment }),
    );
    await post(database.db, requests);
    const items = Array.from({ length: 50 }, () => itemOf());
    const id = await stored(sender, items, { environment, dry_run: true });
    const read = await database.db.transaction((tx) =>
      countTableReads(tx, ['idempotency_keys'], () =>
        tx.raw('select check_transfer_batch(?)', [id]),
      ),
    );
    expect(read).toEqual({ idempotency_keys: 0 });
  });
});

describe('an order of an operator', () => {
  const OPERATOR = 'somebody@example.com';

  async function orderFor(
    sender: TestUser,
    { username: to_username }: TestUser,
    amount_minor: string,
    { actor = OPERATOR, ...fields }: Partial<NewBatch> & { readonly actor?: string } = {},
  ): Promise<string> {
    const { batch, items } = prepare(sender, [itemOf({ to_username, amount_minor })], fields);
    const options = { max_waiting: 10, actor };
    return (await orderBatch(database.operator, batch, items, options)).outcome;
  }

  const limit = (): Promise<unknown> =>
    database.owner.raw(`update approval_limits set above_minor = 100 where currency = 'EUR'`);

  it('is refused from and to an account of their own, and of no other', async () => {
    const [own, other] = [await buildUser(database.db), await buildUser(database.db)];
    const refused = { code: 'AP002' };
    const { email: actor } = own;
    await expect(orderFor(own, other, '1', { actor })).rejects.toMatchObject(refused);
    await expect(orderFor(other, own, '1', { actor })).rejects.toMatchObject(refused);
    expect(await orderFor(other, to, '1', { actor })).toBe('created');
    expect(await orderFor(other, own, '1')).toBe('created');
  });

  it('counts with those of the same day for the same account against the limit, and with no others', async () => {
    const [sender, other] = [await buildUser(database.db), await buildUser(database.db)];
    await limit();
    // The limit of the day counts neither another account's, nor what moves no live money, nor what is older.
    await orderFor(other, to, '60');
    await orderFor(sender, to, '160', { environment: 'sandbox' });
    await orderFor(sender, to, '160', { dry_run: true });
    await database.owner.raw(
      `insert into audit_log (id, at, actor, database_role, action, subject, details)
       select n + x.id, x.at - interval '25 hours' * (n - 1), x.actor, x.database_role,
              case n when 1 then 'batches.other' else x.action end, x.subject,
              x.details || jsonb_build_object('username', ?::text, 'environment', 'live', 'dry_run', false)
         from (select * from audit_log order by id desc limit 1) x, generate_series(1, 2) n`,
      [sender.username],
    );
    expect(await orderFor(sender, to, '60')).toBe('created');
    await expect(orderFor(sender, to, '60')).rejects.toMatchObject({ code: 'AP001' });
  });

  it('counts one that is under way at the same moment', async () => {
    const sender = await buildUser(database.db);
    await limit();
    const { batch, items } = prepare(sender, [itemOf({ amount_minor: '60' })], {});
    const values = [JSON.stringify(batch), items, 10, OPERATOR];
    const second = whileUncommitted(
      database,
      (session) => session.query('select order_transfer_batch($1, $2, $3, $4)', values),
      () => orderFor(sender, to, '60'),
    );
    await expect(second).rejects.toMatchObject({ code: 'AP001' });
  });
});
