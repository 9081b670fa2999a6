// Batches of which an item is refused for good, and those that operators order.

import { randomUUID } from 'node:crypto';
import {
  createBatch,
  failBatchItems,
  orderBatch,
} from '../../db/transfer-batches/transfer-batches';
import { prepareBatch } from '../../use-cases/transfer-batches/prepare';
import { createTestDatabase, setUp } from '../support/database';
import { countTableReads } from '../support/plans';
import { buildTransferRequest, post } from '../support/postings';
import { buildUser, type TestUser } from '../support/users';

const database = setUp(createTestDatabase);

it('fails one item only when two attempts find that Postgres refuses it', async () => {
  const sender = await buildUser(database.db);
  const { username } = await buildUser(database.db);
  const item = {
    ...({ to_username: username, currency: 'EUR', amount_minor: '1' } as const),
    idempotency_key: null,
  };
  const { batch, items } = prepareBatch({
    ...({
      id: randomUUID(),
      user_id: sender.id,
      environment: 'live',
      mode: 'independent',
    } as const),
    items: [item, item],
    dry_run: false,
    idempotency_key: randomUUID(),
    request_id: 'test',
  });
  await createBatch(database.db, batch, items, 10);
  await failBatchItems(database.db, batch.id, 0);
  expect(await failBatchItems(database.db, batch.id, 0)).toMatchObject({ failed: 1 });
});

describe('an order of an operator', () => {
  const orderFor = async (sender: TestUser, to: TestUser, amount: bigint, actor: string) => {
    const item = {
      ...({ to_username: to.username, currency: 'EUR', idempotency_key: null } as const),
      amount_minor: amount.toString(),
    };
    const { batch, items } = prepareBatch({
      ...({ id: randomUUID(), user_id: sender.id, environment: 'live', mode: 'atomic' } as const),
      items: [item],
      dry_run: false,
      idempotency_key: randomUUID(),
      request_id: 'test',
    });
    const options = { max_waiting: 10, actor };
    return (await orderBatch(database.operator, batch, items, options)).outcome;
  };

  it('is refused from and to an account of their own', async () => {
    const [own, other] = [await buildUser(database.db), await buildUser(database.db)];
    const refused = { code: 'AP002' };
    await expect(orderFor(own, other, 1n, own.email)).rejects.toMatchObject(refused);
    await expect(orderFor(other, own, 1n, own.email)).rejects.toMatchObject(refused);
    expect(await orderFor(other, own, 1n, 'somebody@example.com')).toBe('created');
  });

  it('counts with those of the same day for the same account against the limit', async () => {
    const [sender, to] = [await buildUser(database.db), await buildUser(database.db)];
    await database.owner.raw(`update approval_limits set above_minor = 100 where currency = 'EUR'`);
    const order = (): Promise<string> => orderFor(sender, to, 60n, 'somebody@example.com');
    expect(await order()).toBe('created');
    await expect(order()).rejects.toMatchObject({ code: 'AP001' });
  });
});

it('a dry run reads no other keys of its account', async () => {
  const [sender, to] = [await buildUser(database.db), await buildUser(database.db)];
  const environment = 'sandbox';
  const requests = Array.from({ length: 200 }, () =>
    buildTransferRequest({ from: sender, to, amount: 100n, environment }),
  );
  await post(database.db, requests);
  const item = {
    ...({ to_username: to.username, currency: 'XOF', amount_minor: '100' } as const),
    idempotency_key: null,
  };
  const { batch, items } = prepareBatch({
    ...({ id: randomUUID(), user_id: sender.id, environment, mode: 'independent' } as const),
    items: Array.from({ length: 50 }, () => item),
    dry_run: true,
    idempotency_key: randomUUID(),
    request_id: 'test',
  });
  await createBatch(database.db, batch, items, 10);
  const read = await database.db.transaction((tx) =>
    countTableReads(tx, ['idempotency_keys'], () =>
      tx.raw('select check_transfer_batch(?)', [batch.id]),
    ),
  );
  expect(read).toEqual({ idempotency_keys: 0 });
});
