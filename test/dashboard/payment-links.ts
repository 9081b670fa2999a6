// Payment links without a gateway: rows as they are once a checkout is open.

import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connect';
import { createIntent, type NewIntent } from '../../db/payment-intents/intents';
import type { TestUser } from '../support/users';
import { buildNewIntent, openAtOnce } from '../workflows/intents';

/** An open one of 5000 XOF in the sandbox, unless the fields say otherwise. Its workflow does not run. */
export async function buildLink(
  db: Db,
  user: TestUser,
  fields: Partial<NewIntent> = {},
): Promise<NewIntent> {
  const intent = buildNewIntent(user, 'sandbox', fields);
  await createIntent(db, intent);
  const checkout = {
    session_id: randomUUID(),
    checkout_url: 'http://127.0.0.1:9/',
    lapses_at: null,
  };
  await openAtOnce(db, intent.id, checkout);
  return intent;
}
