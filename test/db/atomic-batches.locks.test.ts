// Atomic batches hold what they have locked until their end, over many statements.

import { randomUUID } from 'node:crypto';
import { createBatch, postAtomicBatch, checkBatch } from '../../db/transfer-batches';
import type { Currency } from '../../domain/currency';
import { renderResponseFormats } from '../../domain/transfer';
import { makeTransferReferences } from '../../secrets/random';
import { prepareBatch } from '../../use-cases/transfer-batches';
import { createTestDatabase, openSession, type TestDatabase } from '../support/database';
import { ERROR_DOCS } from '../support/postings';
import { buildUser, type TestUser } from '../support/users';
import { createTestEndpoint, untilLocked } from '../support/webhooks';

const RESPONSES = JSON.stringify(renderResponseFormats(ERROR_DOCS));

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

/** One that has passed its check: an item for each recipient, in this order. */
async function buildAtomicBatch(
  currency: Currency,
  recipients: readonly TestUser[],
): Promise<string> {
  const sender = await buildUser(database.db, { funds: { live: { [currency]: 100_000n } } });
  const { batch, items } = prepareBatch({
    ...{ id: randomUUID(), user_id: sender.id, environment: 'live', mode: 'atomic' },
    items: recipients.map(({ username }) => ({
      ...{ to_username: username, currency, amount_minor: '100', idempotency_key: null },
    })),
    ...{ dry_run: false, idempotency_key: randomUUID(), request_id: 'test' },
  });
  await createBatch(database.db, batch, items, 10);
  await checkBatch(database.db, batch.id);
  return batch.id;
}

it('that tell the same people of it, in opposite orders, wait for each other and never deadlock', async () => {
  const recipients = [await buildUser(database.db), await buildUser(database.db)];
  for (const { id: user_id } of recipients) {
    const url = 'https://hooks.example.com';
    await createTestEndpoint(database, { user_id, url, environment: 'live' });
  }
  await database.owner.raw(`update webhook_endpoints set types = '{transfer.received}'`);
  // No wallet in common: only the numbers of the recipients' events are.
  const one = await buildAtomicBatch('EUR', recipients);
  const other = await buildAtomicBatch('XOF', recipients.toReversed());
  const [first, second] = makeTransferReferences(2);
  const session = await openSession(database.app_url);
  const postItem = (index: number, reference: string): Promise<unknown> =>
    session.query('select outcome from post_atomic_items($1, $2, $3, $4)', [
      ...[one, index, [reference], RESPONSES],
    ]);
  await session.query('begin');
  await session.query('select begin_atomic_batch($1)', [one]);
  await postItem(0, first!);

  const options = { responses: RESPONSES, at_once: 1 };
  const posted = postAtomicBatch(database.db, other, makeTransferReferences(2), options);
  const outcome = posted.then(({ status }) => status, String);
  await untilLocked(database, 'atomic');
  await postItem(1, second!);
  await session.query('commit');
  expect(await outcome).toBe('completed');
});
