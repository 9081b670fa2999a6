// A batch of transfers as the dashboard's pages show it: checked, with one transfer that would be refused.

import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import { checkBatch, createBatch } from '../../db/transfer-batches/transfer-batches';
import { prepareBatch } from '../../use-cases/transfer-batches/prepare';
import { buildUser, type TestUser } from '../support/users';

/** Its id. */
export async function buildCheckedBatch(db: Db, owner: Pick<TestUser, 'id'>): Promise<string> {
  const recipient = await buildUser(db);
  const id = randomUUID();
  const item = (to_username: string, amount_minor: string) => ({
    to_username,
    currency: 'XOF' as const,
    amount_minor,
    idempotency_key: null,
  });
  const { batch, items } = prepareBatch({
    id,
    user_id: owner.id,
    environment: 'sandbox',
    mode: 'independent',
    dry_run: true,
    idempotency_key: randomUUID(),
    request_id: 'test',
    items: [item(recipient.username, '10000'), item(recipient.username, '99999999900')],
  });
  await createBatch(db, batch, items, 10);
  await checkBatch(db, id);
  return id;
}
