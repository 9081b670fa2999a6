// Batches as the dashboard's pages show them.

import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import { checkBatch, createBatch } from '../../db/transfer-batches/transfer-batches';
import type { Environment } from '../../domain/environment';
import { prepareBatch } from '../../use-cases/transfer-batches/prepare';
import { buildItem, createSteps, orderedBatch } from '../support/payout-batches';
import { buildUser, type TestUser } from '../support/users';

/** The id of a dry run that has no workflow: it stays under way until it is checked. */
export async function buildBatch(
  db: Db,
  owner: Pick<TestUser, 'id'>,
  amounts: readonly string[],
  environment: Environment = 'sandbox',
): Promise<string> {
  const id = randomUUID();
  const items = await Promise.all(
    amounts.map(async (amount_minor) => {
      const { username: to_username } = await buildUser(db);
      return { to_username, currency: 'XOF' as const, amount_minor, idempotency_key: null };
    }),
  );
  const prepared = prepareBatch({
    id,
    user_id: owner.id,
    environment,
    mode: 'independent',
    dry_run: true,
    idempotency_key: randomUUID(),
    request_id: 'test',
    items,
  });
  await createBatch(db, prepared.batch, prepared.items, 10);
  return id;
}

/** The id of one that is checked, with one transfer that would be refused. */
export async function buildCheckedBatch(db: Db, owner: Pick<TestUser, 'id'>): Promise<string> {
  const id = await buildBatch(db, owner, ['10000', '99999999900']);
  await checkBatch(db, id);
  return id;
}

/** The id of a payout batch that waits to be confirmed, and of which not every name matches. */
export async function buildPayoutBatch(db: Db, owner: TestUser): Promise<string> {
  const items = ['100', '005', '004', '001'].map((digits) => buildItem(digits));
  const id = await orderedBatch(db, owner, items, { confirm: false });
  await createSteps(db).run(id);
  return id;
}
