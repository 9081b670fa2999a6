// A payout batch as the dashboard's pages show it: it waits to be confirmed, and not every name matches.

import type { Db } from '../../db/connect';
import { buildItem, createSteps, orderedBatch } from '../support/payout-batches';
import type { TestUser } from '../support/users';

/** Its id. */
export async function buildPayoutBatch(db: Db, owner: TestUser): Promise<string> {
  const items = ['100', '005', '004', '001'].map((digits) => buildItem(digits));
  const id = await orderedBatch(db, owner, items, { confirm: false });
  await createSteps(db).run(id);
  return id;
}
