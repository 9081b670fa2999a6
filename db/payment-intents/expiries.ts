// Intents that have expired, many at a time: what is due at a gateway, and its end in one statement.

import type { Environment } from '../../domain/environment';
import { call, callValues, execute, type Db } from '../connect';
import { STORED_INTENT, type StoredIntent } from './intents';

const LIST_CLAIMED = {
  name: 'list_claimed_intents',
  text: `${STORED_INTENT} where v.id = any ($1)`,
};

/**
 * Intents of a gateway that have expired, for the caller to end: no other caller gets them before a pause
 * is over. The accounts take turns, so one that lets thousands expire delays no other.
 */
export async function claimDueIntents(
  db: Db,
  { environment, name }: { readonly environment: Environment; readonly name: string },
  limit: number,
): Promise<StoredIntent[]> {
  const claimed = await callValues<string>(db, 'claim_due_intents', [environment, name, limit]);
  if (claimed.length === 0) return [];
  // A second statement, because the claim has made new versions of the rows.
  return execute(db, LIST_CLAIMED, [claimed]);
}

/** Ends them in one statement that waits for no other session. Returns the ids of those that it has ended. */
export async function expireIntents(
  db: Db,
  intents: readonly Pick<StoredIntent, 'id'>[],
  pay_url_base: string,
): Promise<string[]> {
  return callValues(db, 'expire_intents', [intents.map(({ id }) => id), pay_url_base]);
}

/**
 * Abandons what expired ten minutes ago and was never opened. No workflow works on it: the process that wrote its
 * row died before it began one.
 */
export async function abandonLostIntents(db: Db): Promise<void> {
  await call(db, 'abandon_lost_intents', []);
}

const LIST_CUT_OFF = {
  name: 'list_cut_off_intents',
  text: `${STORED_INTENT} where v.status in ('open', 'processing') and v.hold is null and v.environment = $1
            and v.expires_at < now() - interval '1 day' and not v.gateway = any ($2::text[])
          order by v.expires_at limit $3`,
};

/**
 * Intents that expired a day ago at a gateway that is not among these. A process that lacks a gateway by mistake ends
 * nothing that others can still close.
 */
export async function listCutOffIntents(
  db: Db,
  environment: Environment,
  gateways: readonly string[],
  limit: number,
): Promise<StoredIntent[]> {
  return execute(db, LIST_CUT_OFF, [environment, gateways, limit]);
}
